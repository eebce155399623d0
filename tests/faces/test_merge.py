"""`ce merge` as a user runs it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"

FUNCTION = '''\
def total(items, rate):
    """Sum it."""
    result = 0
    for item in items:  # all of them
        if item.price > 10 and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items)
'''
RENAMED = FUNCTION.replace("total", "grand_total").replace("items", "rows").replace("10", "LEAST").replace("Sum", "Add")
SHORTER = FUNCTION.replace("total", "net_total").replace("-= 1", "-= 2").replace('    """Sum it."""\n', "")
TYPESCRIPT = """\
export function load(items: number[], name: string): number {
  let sum = 0;
  for (const item of items) {
    if (item > 10 && name !== "free") { sum += compute(item, 1); } else { sum -= item * 2; }
  }
  console.log(`done ${sum}`, name);
  return sum;
}
"""


def document(ce: Ce, *words: str | Path, code: int = 0, cwd: Path | None = None) -> dict[str, Any]:
    got, out, err = ce("merge", *words, "--format", "json", cwd=cwd)
    assert got == code, out + err
    value: dict[str, Any] = json.loads(out)
    jsonschema.validate(value, json.loads((SCHEMAS / "ce.merge-1.json").read_text()))
    return value


def only(value: Mapping[str, Any]) -> dict[str, Any]:
    (group,) = value["groups"]
    assert isinstance(group, dict)
    return group


def reasons(group: Mapping[str, Any]) -> set[str]:
    return {reason["why"] for reason in group["reasons"]}


def test_three_copies_are_one_function_with_parameters(ce: Ce, tree: Make) -> None:
    group = only(document(ce, tree({"a.py": FUNCTION, "b.py": "import os\n\n\n" + RENAMED, "c.py": SHORTER})))
    assert [copy["path"] for copy in group["copies"]] == ["a.py", "b.py", "c.py"]
    assert (group["verdict"], group["parameters"], group["saved"]) == ("mergeable", 2, 32 - 11 - 3)
    assert [hole["filled"] for hole in group["holes"]] == ["name", "renamed", "documentation", "parameter", "parameter"]
    assert [filling["text"] for filling in group["holes"][3]["fillings"]] == ["10", "LEAST", "10"]
    assert [filling["line"] for filling in group["holes"][3]["fillings"]] == [5, 8, 4]
    (function,) = ast.parse(group["suggestion"]).body
    assert isinstance(function, ast.FunctionDef)
    assert (function.name, [argument.arg for argument in function.args.kwonlyargs]) == ("total_merged", ["value1", "value2"])


def test_the_screen_shows_template_holes_and_merged_function(ce: Ce, tree: Make, golden: Callable[[str, str], None]) -> None:
    root = tree(
        {"a.py": FUNCTION, "b.py": RENAMED, "c.py": SHORTER, "a.ts": TYPESCRIPT, "b.ts": TYPESCRIPT.replace("compute(", "this.run(")}
    )
    code, out, _ = ce("merge", root)
    assert code == 0
    golden("merge.txt", out)


def test_a_suggestion_edits_nothing(ce: Ce, tree: Make) -> None:
    root = tree({"a.py": FUNCTION, "b.py": RENAMED})
    assert ce("merge", root)[0] == 0
    assert ((root / "a.py").read_text(), (root / "b.py").read_text()) == (FUNCTION, RENAMED)


def test_identical_copies_need_no_parameter(ce: Ce, tree: Make) -> None:
    group = only(document(ce, tree({"a.py": FUNCTION, "b.py": FUNCTION.replace("  # all of them", "")})))
    assert (group["verdict"], group["holes"], group["template"]) == ("mergeable", [], FUNCTION.replace("  # all of them", "").rstrip("\n"))


BY_HAND = {
    "statements": ("result -= 1", "return None"),
    "operator": ("item.price * rate", "item.price / rate"),
    "member": ("item.price * rate", "item.cost * rate"),
    "captured": ("item.price * rate", "rate.of(item)"),
    "other_local": ("item.price * rate", "item.price * result"),
    "signature": ("(items, rate)", "(items, rate=1)"),
    "names_cross": ("len(items)", "len(rate)"),
}


@pytest.mark.parametrize("reason", sorted(BY_HAND))
def test_what_cannot_be_a_parameter_is_told(ce: Ce, tree: Make, reason: str) -> None:
    old, new = BY_HAND[reason]
    other = FUNCTION.replace("items", "rows") if reason == "names_cross" else FUNCTION
    changed = other.replace(old.replace("items", "rows"), new) if reason == "names_cross" else FUNCTION.replace(old, new)
    assert changed not in (FUNCTION, other)
    group = only(document(ce, tree({"a.py": FUNCTION, "b.py": changed})))
    assert (group["verdict"], group["suggestion"]) == ("by_hand", None)
    assert reason in reasons(group), group["reasons"]


@pytest.mark.parametrize("inner", ["def {0}(self):\n        return self", "class {0}:\n        size = 1"])
def test_the_name_of_what_is_decorated_inside_is_no_local_name(ce: Ce, tree: Make, inner: str) -> None:
    def text(name: str, decorator: str) -> str:
        return FUNCTION.replace("    result = 0\n", f"    result = 0\n    {decorator}{inner.format(name)}\n")

    registered = only(document(ce, tree({"a.py": text("one", "@rate.command\n    "), "b.py": text("two", "@rate.command\n    ")})))
    assert (registered["verdict"], reasons(registered)) == ("by_hand", {"decorated"})
    plain = only(document(ce, tree({"a.py": text("one", ""), "b.py": text("two", "")})))
    assert (plain["verdict"], [hole["filled"] for hole in plain["holes"]]) == ("mergeable", ["renamed"])


def test_a_function_and_the_one_inside_it_are_no_copies(ce: Ce, tree: Make) -> None:
    body = "".join(f"        {line}\n" for line in FUNCTION.replace("return result", "return rate").splitlines()[2:])
    root = tree({"a.py": f"def outer(items, rate):\n    def inner(items, rate):\n{body}    return inner\n"})
    assert document(ce, root, "--all")["groups"] == []
    code, out, _ = ce("clone", root, "--format", "json")
    assert (code, json.loads(out)["pairs"]) == (0, [])


def test_a_copy_that_uses_the_function_around_it_is_merged_by_hand(ce: Ce, tree: Make) -> None:
    inner = "".join(f"    {line}\n" for line in FUNCTION.replace('"free"', "word").splitlines())
    files = {f"{name}.py": f"def {name}(word):\n    word = word.strip()\n{inner}    print(word)\n    return total\n" for name in ("a", "b")}
    files["b.py"] = files["b.py"].replace(
        "    print(word)\n", "    with word as q:\n        for i in q:\n            i()\n            q(i)\n"
    )
    groups = document(ce, tree(files), "--all")["groups"]
    (group,) = [group for group in groups if group["copies"][0]["key"] == "total/2"]
    assert "closure" in reasons(group)


def test_methods_of_two_classes_that_use_super_are_merged_by_hand(ce: Ce, tree: Make) -> None:
    method = "".join(
        f"    {line}\n" for line in FUNCTION.replace("(items, ", "(self, items, ").replace("result = 0", "result = super().x").splitlines()
    )
    group = only(document(ce, tree({"a.py": f"class A:\n{method}\n\nclass B:\n{method}"})))
    assert reasons(group) == {"receiver"}


def test_more_than_six_parameters_are_too_many(ce: Ce, tree: Make) -> None:
    body = "def f(a):\n" + "".join(f"    a.step{n}({{}}, '{n}')\n" for n in range(7)) + "    return a\n"
    files = {"a.py": body.format(*range(10, 17)), "b.py": body.format(*range(30, 37))}
    assert reasons(only(document(ce, tree(files)))) == {"too_many_parameters"}


def test_copies_in_two_languages_are_no_group(ce: Ce, tree: Make) -> None:
    text = (
        "int total(int *items, int n) {\n"
        + "".join(f"  items[{n}] = n * {n} + compute(items[{n} + n], n);\n" for n in range(8))
        + "  return n;\n}\n"
    )
    assert document(ce, tree({"a.c": text, "b.cpp": text}), "--all")["groups"] == []


def test_every_other_line_end_and_encoding_gives_the_same_template(ce: Ce, tree: Make) -> None:
    text = FUNCTION.replace("free", "frei für alle")
    files = {
        "a.py": text.replace("\n", "\r\n").encode(),
        "b.py": b"# -*- coding: latin-1 -*-\n" + RENAMED.replace("free", "frei für alle").encode("latin-1"),
    }
    group = only(document(ce, tree(files)))
    assert group["verdict"] == "mergeable"
    assert '"frei für alle"' in group["template"]
    assert [copy["start"] for copy in group["copies"]] == [1, 2]


def test_copies_with_syntax_errors_are_merged_by_hand(ce: Ce, tree: Make) -> None:
    broken = FUNCTION.replace("return result, len(items)", "return result, len(items")
    groups = document(ce, tree({"a.py": broken, "b.py": broken.replace("total", "other")}), "--all")["groups"]
    assert all("broken" in reasons(group) for group in groups)


def test_a_huge_copy_is_left_out_and_said_so(ce: Ce, tree: Make) -> None:
    shapes = ("a({})", "a[{}] = b", "x = {} + 1", "if {}: pass", "del a.b", "a.b({}, c={})", "for q in {}: q()", "return {}")
    lines = [shapes[digest % 8].format(n, n) for n in range(4000) for digest in sha256(str(n).encode()).digest()[:1]]
    huge = "def f(a):\n" + "".join(f"    {line}\n" for line in lines)
    group = only(document(ce, tree({"a.py": huge, "b.py": huge.replace("def f", "def g")})))
    assert (group["verdict"], {copy["left_out"] for copy in group["copies"]}) == ("not_judged", {"too_large"})
    assert "left out: it is too large to compare" in ce("merge", tree({}), "--all")[1]


def test_groups_are_chosen_by_number_name_and_path(ce: Ce, tree: Make) -> None:
    root = tree({"ce.toml": "", "x/a.py": FUNCTION, "y/b.py": RENAMED, "c.ts": TYPESCRIPT, "d.ts": TYPESCRIPT.replace("10", "20")})
    assert len(document(ce, root)["groups"]) == 2
    assert only(document(ce, root, "--group", "2"))["number"] == 2
    assert only(document(ce, root, "--unit", "grand_total"))["language"] == "python"
    assert only(document(ce, "x", "c.ts", "--unit", "load", cwd=root))["language"] == "typescript"
    assert only(document(ce, "y/b.py", cwd=root))["language"] == "python"
    for words in (("--group", "3"), ("--unit", "nobody")):
        code, _, err = ce("merge", root, *words)
        assert (code, "CE634" in err) == (2, True)
    code, _, err = ce("merge", "nowhere.py", cwd=root)
    assert (code, "no such file or directory: `nowhere.py`" in err) == (2, True)


def test_a_verdict_is_derived_from_the_program(ce: Ce, tree: Make) -> None:
    group = only(document(ce, tree({"a.py": FUNCTION, "b.py": FUNCTION.replace("* rate", "/ rate")}), "--why"))
    assert "programs/clones/merge.dl" in json.dumps(group["proof"])


def test_an_empty_tree_has_nothing_to_merge(ce: Ce, tree: Make) -> None:
    code, out, _ = ce("merge", tree({}))
    assert (code, "nothing to judge" in out) == (0, True)


def test_every_reason_of_the_program_has_a_sentence_a_schema_and_a_line_in_the_manual() -> None:
    from ce.faces.cli.merge_text import REASONS

    root = SCHEMAS.parents[2]
    heads = re.findall(r"^(?:obstacle|reason)\([^()]*?, (\w+)\)", (root / "programs/clones/merge.dl").read_text(), re.MULTILINE)
    assert {head for head in heads if head[0].islower()} <= set(REASONS)
    schema = json.loads((SCHEMAS / "ce.merge-1.json").read_text())
    why = schema["properties"]["groups"]["items"]["properties"]["reasons"]["items"]["properties"]["why"]["enum"]
    assert sorted(why) == sorted(REASONS)
    manual = (root / "docs/how-to/merge.md").read_text()
    assert [reason for reason in REASONS if f"`{reason}`" not in manual] == []


def test_a_name_that_means_other_things_in_two_files_is_told(ce: Ce, tree: Make) -> None:
    test = (
        'test("all of it", () => {\n  const schema = z.string().min(5).max(helper(3));\n'
        '  expect(schema.parse("a", { b: 1 })).toBe(1);\n  done(1);\n});\n'
    )
    same = {f"{name}/t.test.ts": f'import * as z from "zod";\nimport {{ helper }} from "../help";\n{test}' for name in "ab"}
    assert only(document(ce, tree(same)))["elsewhere"] == []
    other = same | {"b/t.test.ts": f'import * as z from "zod/v4";\nimport {{ helper }} from "./help";\n{test}'}
    group = only(document(ce, tree(other)))
    assert (reasons(group), group["elsewhere"]) == ({"elsewhere"}, ["helper", "z"])


def test_imports_and_definitions_of_python_modules_are_compared(ce: Ce, tree: Make) -> None:
    body = FUNCTION.replace("item.price * rate", "helper(item.price, RATE, json)")
    heads = {
        "a.py": "import json\nfrom m import helper\nRATE = 1\n\n\n",
        "b.py": "import json\nfrom m import other, helper\nRATE = 1\n\n\n",
    }
    assert only(document(ce, tree({name: head + body for name, head in heads.items()})))["elsewhere"] == []
    heads["b.py"] = "import json\nfrom n import helper\nRATE = 2\n\n\n"
    assert only(document(ce, tree({name: head + body for name, head in heads.items()})))["elsewhere"] == ["RATE", "helper"]
