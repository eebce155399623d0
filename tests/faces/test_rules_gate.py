"""`ce rules` over time: baselines that follow what moved, markers that exempt, rules that are silent for want of anything to judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

RULES = """\
@message("{U} has {N} lines")
assert function_is_short(U, N) :-
    unit_kind(U, fn),
    unit_lines(U, N),
    N > 3.

@message("{F}:{L} imports {S}")
assert no_pickle(F, L, S) :-
    site(F, L, _, S),
    S = "pickle".
"""
LONG = "def long():\n    first = 1\n    second = 2\n    third = 3\n    return first + second + third\n"
OTHER = "def long():\n    with open('x') as stream:\n        text = stream.read()\n    print(text)\n    return text.split()\n"


def document(ce: Ce, root: Path, *words: str, code: int) -> dict[str, object]:
    got, out, err = ce("rules", root, "--format", "json", *words)
    assert got == code, out + err
    value: dict[str, object] = json.loads(out)
    return value


def counts(ce: Ce, root: Path, *words: str, code: int) -> dict[str, int]:
    found = document(ce, root, *words, code=code)["counts"]
    assert isinstance(found, dict)
    return {key: found[key] for key in ("violations", "known", "fixed", "exempted") if key in found}


@pytest.fixture
def accepted(ce: Ce, tree: Make) -> Path:
    """Give a tree with one long function whose baseline is written."""
    root = tree({"ce.rules": RULES, "a.py": LONG})
    assert counts(ce, root, "--baseline", "b.json", "--write-baseline", code=0) == {"violations": 0, "known": 1, "fixed": 0}
    return root


def test_a_baseline_holds_no_line_number(accepted: Path) -> None:
    (witness,) = json.loads((accepted / "b.json").read_text())["witnesses"]
    assert witness["values"] == ["a.py long/0", 5]


def test_what_moved_ten_lines_is_still_known(ce: Ce, accepted: Path) -> None:
    (accepted / "a.py").write_text("\n" * 10 + LONG)
    assert counts(ce, accepted, "--baseline", "b.json", code=0) == {"violations": 0, "known": 1, "fixed": 0}


def test_what_was_edited_a_little_is_still_known_and_what_grew_is_not(ce: Ce, accepted: Path) -> None:
    (accepted / "a.py").write_text(LONG.replace("third = 3", "third = 33"))
    assert counts(ce, accepted, "--baseline", "b.json", code=0)["known"] == 1
    (accepted / "a.py").write_text(LONG.replace("    third = 3\n", ""))
    assert counts(ce, accepted, "--baseline", "b.json", code=0)["known"] == 1
    (accepted / "a.py").write_text(LONG.replace("    return", "    fourth = 4\n    return"))
    assert counts(ce, accepted, "--baseline", "b.json", code=1) == {"violations": 1, "known": 0, "fixed": 1}


@pytest.mark.parametrize("files", [{"a.py": "", "b.py": LONG}, {"a.py": OTHER}], ids=["in another file", "in its place"])
def test_a_namesake_is_new_once_the_known_one_is_deleted(ce: Ce, accepted: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (accepted / name).write_text(text)
    assert counts(ce, accepted, "--baseline", "b.json", code=1) == {"violations": 1, "known": 0, "fixed": 1}


def test_one_entry_knows_one_witness(ce: Ce, accepted: Path) -> None:
    (accepted / "a.py").write_text(f"{LONG}\n\n{LONG}")
    assert counts(ce, accepted, "--baseline", "b.json", code=1) == {"violations": 1, "known": 1, "fixed": 0}


def test_what_is_fixed_is_told_and_taken_out_and_nothing_is_ever_added(ce: Ce, accepted: Path) -> None:
    before = (accepted / "b.json").read_text()
    (accepted / "a.py").write_text("def short():\n    return 1\n")
    (accepted / "b.py").write_text(LONG)
    code, out, _ = ce("rules", accepted, "--baseline", "b.json")
    assert code == 1
    assert "fixed  function_is_short(a.py long/0, 5)" in out
    assert (accepted / "b.json").read_text() == before
    assert counts(ce, accepted, "--baseline", "b.json", "--write-baseline", code=1) == {"violations": 1, "known": 0, "fixed": 1}
    assert json.loads((accepted / "b.json").read_text())["witnesses"] == []


def test_a_line_is_known_by_its_text(ce: Ce, tree: Make) -> None:
    root = tree({"ce.rules": RULES, "a.py": "import pickle\n"})
    counts(ce, root, "--baseline", "b.json", "--write-baseline", code=0)
    (root / "a.py").write_text("import os\n\n\nimport pickle\n")
    assert counts(ce, root, "--baseline", "b.json", code=0)["known"] == 1
    (root / "a.py").write_text("import pickle as p\n")
    assert counts(ce, root, "--baseline", "b.json", code=1)["violations"] == 1


def test_a_run_of_other_rules_neither_knows_nor_fixes_the_entries_of_these(ce: Ce, accepted: Path) -> None:
    (accepted / "other.rules").write_text("assert nothing_empty(F) :- lines(F, 0).\n")
    assert counts(ce, accepted, "--file", "other.rules", "--baseline", "b.json", "--write-baseline", code=0)["fixed"] == 0
    assert len(json.loads((accepted / "b.json").read_text())["witnesses"]) == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "ce.baseline/2"}', '{"schema": "ce.baseline/1", "witnesses": [1]}', "[" * 9999]
)
def test_a_file_that_is_no_baseline_is_refused(ce: Ce, accepted: Path, text: str) -> None:
    (accepted / "b.json").write_text(text)
    code, _, err = ce("rules", accepted, "--baseline", "b.json")
    assert code == 2
    assert "error CE952: `b.json` is no baseline" in err
    assert "Traceback" not in err


def test_a_missing_baseline_is_an_error_that_says_how_to_write_one(ce: Ce, tree: Make) -> None:
    code, _, err = ce("rules", tree({"ce.rules": RULES, "a.py": ""}), "--baseline", "none.json")
    assert code == 2
    assert "there is no baseline `none.json`" in err
    assert "--write-baseline" in err
    assert ce("rules", "--write-baseline")[0] == 2


@pytest.mark.parametrize(
    "text",
    [
        f"# ce:allow(function-is-short) -- generated once\n{LONG}",
        LONG.replace("    first = 1", "    first = 1  # ce:allow(function_is_short) -- a table"),
        f"# ce:allow(function_is_short) -- all of this file is a table\n\nimport os\n\n\n{LONG}\n\n{LONG.replace('long', 'longer')}",
    ],
    ids=["on the line above", "inside", "at the head of the file"],
)
def test_a_marker_exempts_the_declaration_it_stands_at(ce: Ce, tree: Make, text: str) -> None:
    root = tree({"ce.rules": RULES.partition("\n\n")[0], "a.py": text})
    value = document(ce, root, "--strict", code=0)
    (goal,) = value["goals"]  # type: ignore[misc]
    assert goal["answers"] == []  # type: ignore[has-type]
    assert all(each["at"].startswith("a.py:") and each["why"] for each in goal["exempted"])  # type: ignore[has-type]


def test_a_marker_elsewhere_exempts_nothing_and_that_is_told(ce: Ce, tree: Make) -> None:
    text = f"import os\n\n\ndef short():\n    # ce:allow(function-is-short) -- wrong place\n    return os\n\n\n{LONG}"
    root = tree({"ce.rules": RULES, "a.py": text})
    code, out, err = ce("rules", root)
    assert code == 1
    assert "1 violation" in out
    assert "warning CE953: `ce:allow(function-is-short)` at a.py:5 exempts nothing" in err


def test_a_marker_of_another_tool_is_none_of_our_business(ce: Ce, tree: Make) -> None:
    root = tree({"ce.rules": RULES, "a.py": "# ce:allow(deadcode) -- run by hand\nimport pickle  # ce:allow(no-pickle) -- trusted\n"})
    code, _, err = ce("rules", root)
    assert code == 0
    assert "CE953" not in err


def test_an_exempt_and_a_known_witness_are_suppressed_results(ce: Ce, accepted: Path) -> None:
    (accepted / "b.py").write_text("import pickle  # ce:allow(no-pickle) -- trusted\n")
    code, out, _ = ce("rules", accepted, "--baseline", "b.json", "--format", "sarif")
    assert code == 0
    kinds = {result["ruleId"]: result["suppressions"][0]["kind"] for result in json.loads(out)["runs"][0]["results"]}
    assert kinds == {"ce.rules/no_pickle": "inSource", "ce.rules/function_is_short": "external"}


def test_a_witness_with_a_line_points_at_the_line(ce: Ce, tree: Make) -> None:
    root = tree({"ce.rules": RULES, "a.py": "import os\nimport pickle\n"})
    assert "file=a.py,line=2,endLine=2" in ce("rules", root, "--format", "github")[1]


def test_a_pattern_that_matches_nothing_is_named(ce: Ce, tree: Make) -> None:
    rules = 'assert ui_is_apart(F, G) :- ref(F, G, import, _), in(F, "ui/**"), not in(G, "dbb/**").\n'
    root = tree({"ce.rules": rules, "ui/a.py": "import db.b\n", "db/b.py": "", "ui/__init__.py": "", "db/__init__.py": ""})
    code, _, err = ce("rules", root)
    assert code == 1
    assert '`in(G, "dbb/**")` matches no file of this tree' in err
    assert "ui/**" not in err.replace(rules.strip(), "")


@pytest.mark.parametrize(
    ("rule", "because"),
    [
        (
            'layer(F, 2) :- in(F, "uii/**").\nassert x(F, G) :- ref(F, G, import, _), layer(F, 2), layer(G, 2).',
            '`in(F, "uii/**")` matches no file here',
        ),
        ("assert x(F, G) :- ref(F, G, import, _), lang(F, rust).", "`lang(F, rust)` matches no fact here"),
        ("assert x(F) :- owner(F, _).", "`owner` has no facts here"),
    ],
)
def test_an_assertion_that_cannot_fire_is_told_and_fails_a_strict_gate(ce: Ce, tree: Make, rule: str, because: str) -> None:
    root = tree({"ce.rules": f"{rule}\n", "a.py": "import b\n", "b.py": ""})
    code, _, err = ce("rules", root)
    assert code == 0
    assert "warning CE309: `x` cannot fire here" in err
    assert because in err
    assert ce("rules", root, "--strict")[0] == 1


def test_a_shipped_file_may_name_directories_that_a_tree_lacks(ce: Ce, tree: Make) -> None:
    root = tree({"web/a.py": "import db.b\n", "db/b.py": "", "web/__init__.py": "", "db/__init__.py": ""})
    assert ce("rules", root, "--file", "layers.rules", "--strict")[:1] == (0,)
