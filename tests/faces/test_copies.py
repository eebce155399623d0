"""`ce dedup` and `ce docdup` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"

FUNCTION = """\
def total(items, rate):
    result = 0
    for item in items:
        if item.price > 10 and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items)
"""
RENAMED = FUNCTION.replace("total", "add_up").replace("items", "rows").replace("10", "99")
PROSE = " ".join(f"word{number}" for number in range(60))
IMPORTS = "".join(f"from package.module{number} import first{number}, second{number}\n" for number in range(30))
TABLE = "WORDS = [\n" + "".join(f'    "word{number}",\n' for number in range(80)) + "]\n"


def document(ce: Ce, *words: str | Path, code: int = 0) -> dict[str, Any]:
    got, out, err = ce(*words, "--format", "json")
    value: dict[str, Any] = json.loads(out)
    assert got == code, out + err
    jsonschema.validate(value, json.loads((SCHEMAS / f"{value['schema'].replace('/', '-')}.json").read_text()))
    return value


def test_copies_are_reported_with_both_places_and_one_group(ce: Ce, tree: Make) -> None:
    value = document(ce, "dedup", tree({"a.py": FUNCTION, "b.py": "import os\n\n\n" + RENAMED, "c.py": FUNCTION}))
    assert [(b["a"]["path"], b["b"]["path"], b["kind"]) for b in value["blocks"]] == [
        ("a.py", "b.py", "T2"),
        ("a.py", "c.py", "T1"),
        ("b.py", "c.py", "T2"),
    ]
    assert value["blocks"][0]["b"] == {"path": "b.py", "start": 4, "end": 13}
    (group,) = value["groups"]
    assert [member["path"] for member in group["members"]] == ["a.py", "b.py", "c.py"]
    assert group["blocks"] == 3


def test_boilerplate_is_counted_and_not_reported(ce: Ce, tree: Make) -> None:
    licence = "".join(f"# Licensed line {number} of some words\n" for number in range(20))
    files = {
        "a.py": licence + IMPORTS + "a = 1\n",
        "b.py": licence + IMPORTS + "b = 2\n",
        "t.py": TABLE,
        "u.py": TABLE.replace("word", "term"),
    }
    value = document(ce, "dedup", tree(files))
    assert (value["blocks"], value["groups"]) == ([], [])
    assert value["summary"]["imports_suppressed"] >= 1
    assert value["summary"]["low_diversity_suppressed"] >= 1


def test_the_text_shows_the_places_side_by_side(ce: Ce, tree: Make) -> None:
    root = tree({"a.py": FUNCTION, "b.py": RENAMED})
    code, out, _ = ce("dedup", root)
    assert code == 0
    assert "a.py:1-10" in out
    assert "def total(items, rate):" in out.split("|")[0]
    assert "1 block in 1 group: 0 to the letter, 1 renamed" in out
    code, out, _ = ce("dedup", root, "--no-excerpts", "--why")
    assert "def total" not in out
    assert "programs/clones/clones.dl" in out


def test_the_excerpts_start_where_the_copies_do(ce: Ce, tree: Make) -> None:
    steps = [f"step{number} = {'(' * number}value{')' * number} {'+-*/%'[number % 5]} {number}\n" for number in range(12)]
    root = tree({"a.py": "".join(steps), "b.py": "".join(steps[5:]), "c.py": "".join(steps[:8])})
    code, out, _ = ce("dedup", root)
    assert (code, "up to" in out, "a.py:1-12" in out) == (0, True, True)
    halves = [[half.strip() for half in line.split(" | ")] for line in out.splitlines() if " | " in line]
    assert halves
    assert all(left == right for left, right in halves), out


def test_a_budget_holds_and_is_broken(ce: Ce, tree: Make) -> None:
    files: dict[str, str | bytes] = {"a.py": FUNCTION, "b.py": RENAMED}
    assert ce("dedup", tree(files | {"ce.toml": "[dedup]\nbudget = 1\n"}), "--check")[0] == 0
    code, out, _ = ce("dedup", tree(files | {"ce.toml": "[dedup]\nbudget = 0\n"}), "--check")
    assert (code, "over budget: 1 blocks, 0 allowed" in out) == (1, True)


def test_a_check_without_a_budget_is_not_judged(ce: Ce, tree: Make) -> None:
    code, _, err = ce("dedup", tree({"a.py": FUNCTION}), "--check")
    assert (code, "[dedup] budget" in err) == (2, True)


@pytest.mark.parametrize("knob", [("--min-tokens", "60"), ("--min-distinct", "8"), ("--min-distinct", "0")])
def test_under_check_a_knob_may_only_tighten(ce: Ce, tree: Make, knob: tuple[str, str]) -> None:
    code, _, err = ce("dedup", tree({"a.py": FUNCTION, "ce.toml": "[dedup]\nbudget = 0\n"}), "--check", *knob)
    assert (code, "may only tighten" in err) == (2, True)


def test_a_knob_may_be_looser_when_nothing_is_checked(ce: Ce, tree: Make) -> None:
    root = tree({"a.py": FUNCTION, "b.py": RENAMED})
    assert document(ce, "dedup", root, "--min-tokens", "500")["blocks"] == []
    code, _, err = ce("dedup", root, "--min-tokens", "24")
    assert (code, "below 25 tokens" in err) == (2, True)


def test_copies_are_sarif_results_with_a_related_place(ce: Ce, tree: Make) -> None:
    _, out, _ = ce("dedup", tree({"a.py": FUNCTION, "b.py": RENAMED}), "--format", "sarif")
    (result,) = json.loads(out)["runs"][0]["results"]
    assert result["ruleId"] == "ce.dedup/t2"
    assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.py"


def test_copied_prose_is_one_family_over_kinds_of_files(ce: Ce, tree: Make) -> None:
    wrapped = PROSE.replace(" word30 ", " word30\n")
    files: dict[str, str | bytes] = {
        "README.md": f"# x\n\n{PROSE}\n",
        "docs/a.md": f"{wrapped}\n",
        "m.py": f'"""{wrapped}"""\n',
        "n.txt": PROSE.upper() + "\n",
    }
    value = document(ce, "docdup", tree(files))
    (family,) = value["families"]
    assert [(place["path"], place["kind"]) for place in family] == [
        ("README.md", "md_para"),
        ("docs/a.md", "md_para"),
        ("m.py", "docstring"),
        ("n.txt", "text_para"),
    ]
    assert {pair["verbatim"] for pair in value["pairs"]} == {60}
    assert document(ce, "docdup", tree(files), "--check", code=1)["counts"]["dups"] == 6


def test_prose_that_allows_itself_is_counted(ce: Ce, tree: Make) -> None:
    files: dict[str, str | bytes] = {"a.md": f"{PROSE}\n<!-- ce:allow(docdup) -- two readers -->\n", "b.md": f"{PROSE}\n"}
    value = document(ce, "docdup", tree(files), "--check")
    assert (value["pairs"], value["counts"]["exempt_allow"]) == ([], 1)


def test_an_empty_tree_is_not_judged_by_a_check(ce: Ce, tree: Make) -> None:
    assert ce("docdup", tree({}), "--check")[0] == 2
    assert ce("docdup", tree({}))[0] == 0


def test_a_changed_file_is_measured_alone_and_gives_the_same_as_from_scratch(ce: Ce, tree: Make) -> None:
    files: dict[str, str | bytes] = {f"f{number}.py": f"x{number} = {number}\n" for number in range(6)}
    root = tree(files | {"a.py": FUNCTION, "b.py": RENAMED})
    document(ce, "dedup", root)
    (root / "b.py").write_text("y = 1\n" + RENAMED)
    warm = document(ce, "dedup", root)
    assert warm["counts"]["index"]["extracted"] == 1
    cold = document(ce, "dedup", tree(files | {"a.py": FUNCTION, "b.py": "y = 1\n" + RENAMED}))
    assert (warm["blocks"], warm["groups"]) == (cold["blocks"], cold["groups"])


def test_a_function_with_one_statement_more_is_nearly_the_same(ce: Ce, tree: Make) -> None:
    edited = RENAMED.replace("    return", "    result = result + 1\n    return")
    root = tree({"a.py": FUNCTION, "b.py": "import os\n\n\n" + edited, "c.py": "def small():\n    return 1\n"})
    value = document(ce, "clone", root, "--why")
    (pair,) = value["pairs"]
    assert pair["a"] == {"path": "a.py", "start": 1, "end": 10, "key": "total/2"}
    assert pair["b"] == {"path": "b.py", "start": 4, "end": 14, "key": "add_up/2"}
    assert 0 < pair["ted"] <= 15 * max(pair["n1"], pair["n2"]) // 100
    assert "near.dl" in json.dumps(pair["proof"])
    code, out, _ = ce("clone", root, "--check")
    assert (code, "a.py:1-10 total/2 = b.py:4-14 add_up/2" in out) == (1, True)
    assert document(ce, "query", "clone(U, V, t3)", root)["goals"][0]["answers"][0]["values"][0] == "a.py:1-10 total/2"


def test_a_line_that_a_backslash_continues_changes_no_tree(ce: Ce, tree: Make) -> None:
    continued = FUNCTION.replace(" and ", " \\\n            and ")
    (pair,) = document(ce, "clone", tree({"a.py": FUNCTION, "b.py": continued}))["pairs"]
    assert (pair["ted"], pair["b"]["end"]) == (0, 11)


def test_short_functions_are_told_last_and_can_be_left_out(ce: Ce, tree: Make) -> None:
    short = "def {}(self, a):\n    with self.raises({}, self.message):\n        self.page({}).load(a, {}, 1)\n"
    files = {"a.py": FUNCTION + "\n\n" + short.format("a", "B", "c", "d"), "b.py": short.format("e", "F", "g", "h") + "\n\n" + RENAMED}
    root = tree(files)
    shown = [line for line in ce("clone", root, "--no-excerpts")[1].splitlines() if " = " in line]
    assert [("total/2" in line, "a/2" in line) for line in shown] == [(True, False), (False, True)]
    assert [pair["a"]["key"] for pair in document(ce, "clone", root, "--min-nodes", "50")["pairs"]] == ["total/2"]
    for words in (("--min-nodes", "23"), ("--check", "--min-nodes", "25")):
        code, _, err = ce("clone", root, *words)
        assert (code, "CE631" in err) == (2, True)


def test_two_functions_that_do_different_things_are_no_pair(ce: Ce, tree: Make) -> None:
    other = "def load(path):\n    with open(path) as f:\n        return {k: v for k, v in (line.split() for line in f if line)}\n"
    assert document(ce, "clone", tree({"a.py": FUNCTION, "b.py": other}), "--check")["pairs"] == []
