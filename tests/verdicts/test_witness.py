"""Messages and places of violations, and how a gate ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce.diagnostics import CeError
from ce.verdicts.family import find_rules, include_loader
from ce.verdicts.gate import Outcome, gate
from ce.verdicts.witness import Place, message, place


def test_a_message_names_the_values_of_the_row() -> None:
    assert message("{F} has {N} lines", ("F", "N"), ("a.py", 3)) == "a.py has 3 lines"


def test_a_value_with_braces_is_not_read_as_a_column() -> None:
    assert message("{F}", ("F", "G"), ("{G}", "b")) == "{G}"


def test_a_name_that_is_no_column_stays_as_written() -> None:
    assert message("{Nobody} and {F}", ("F",), ("a",)) == "{Nobody} and a"


@pytest.mark.parametrize(
    ("sorts", "values", "expected"),
    [
        (("node",), ("a b/c.py",), Place("a b/c.py")),
        (("node",), ("docs/a.md#intro",), Place("docs/a.md")),
        (("sym", "unit"), ("x", "odd:1-2 name.py:3-14 f/2"), Place("odd:1-2 name.py", 3, 14)),
        (("node", "unit"), ("b.py", "a.py:3-4 f/0"), Place("a.py", 3, 4)),
        (("dir", "node"), ("pkg", "a.py"), Place("a.py")),
        (("dir",), ("pkg",), Place("pkg")),
        (("sym", "int"), ("x", 1), None),
    ],
)
def test_a_row_points_at_its_most_exact_value(sorts: tuple[str, ...], values: tuple[int | str, ...], expected: Place | None) -> None:
    assert place(sorts, values) == expected


def test_only_errors_fail_a_gate() -> None:
    assert gate(["warning", "note"], judged=True) is Outcome.PASSED
    assert gate(["warning", "error"], judged=True) is Outcome.FAILED
    assert gate([], judged=True) is Outcome.PASSED


def test_a_gate_that_could_not_judge_never_passes() -> None:
    assert gate([], judged=False) is Outcome.NOT_JUDGED
    assert gate(["error"], judged=False) is Outcome.NOT_JUDGED


def test_an_include_is_looked_for_beside_its_file_then_among_the_shipped_programs(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mine.dl").write_text("a(1).")
    load = include_loader(tmp_path)
    assert load("mine.dl", "lib/main.rules") == ("lib/mine.dl", "a(1).")
    assert load("../lib/mine.dl", "rules/main.rules") == ("lib/mine.dl", "a(1).")
    shipped = load("deadcode/deadcode.dl", "lib/main.rules")
    assert shipped is not None and shipped[0] == "programs/deadcode/deadcode.dl"
    assert load("nowhere.dl", "lib/main.rules") is None


@pytest.mark.parametrize("path", ["../secret.dl", "a/../../secret.dl", "/etc/hostname", "link.dl"])
def test_an_include_never_leaves_the_root(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.dl").write_text("a(1).")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.dl").symlink_to(tmp_path / "secret.dl")
    assert include_loader(root)(path, "main.rules") is None


def test_a_rules_file_outside_the_root_may_include_what_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "outside" / "lib.dl").write_text("a(1).")
    (tmp_path / "outside" / "main.rules").write_text('include "lib.dl".')
    file = find_rules(tmp_path / "root", str(tmp_path / "outside" / "main.rules"))
    assert file.directory is not None
    load = include_loader(tmp_path / "root", [file.directory])
    assert load("lib.dl", file.source) == (str(tmp_path / "outside" / "lib.dl"), "a(1).")


def test_a_shipped_rules_file_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_rules(tmp_path, "no-cycles.rules").source == "rules/no-cycles.rules"
    assert find_rules(tmp_path, "rules/no-cycles.rules").directory is None
    (tmp_path / "no-cycles.rules").write_text("assert mine(F) :- file(F).")
    assert find_rules(tmp_path, "no-cycles.rules").source == "no-cycles.rules"


def test_a_missing_rules_file_is_told_with_the_shipped_names(tmp_path: Path) -> None:
    with pytest.raises(CeError, match=r"no-cycles\.rules"):
        find_rules(tmp_path, "mine.rules")
