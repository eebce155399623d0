"""Wrong and suspicious programs with the exact text they are answered with: `fixtures/datalog/{errors,lint}/<case>/`.

A case is `program.dl` (or `query.txt`, an ad hoc question, or both) and `expected.txt`. `setting.json` may say `{"schema": false}` for the
bare engine, `{"reserved": [file…]}` for other files of the case that come first and are reserved, `{"counts": {…}}` for the rows of facts.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ce.datalog.checks import check
from ce.datalog.codes import all_codes
from ce.datalog.lint import lint
from ce.datalog.parse import parse_program
from ce.datalog.syntax import Program
from ce.diagnostics import CeError, Diagnostic, render
from tests.datalog.small_schema import SMALL_SCHEMA

ROOT = Path(__file__).parents[2]
CASES = sorted(path.parent for path in (ROOT / "fixtures" / "datalog").glob("*/*/expected.txt"))


def _name(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


def _read(case: Path) -> tuple[Program, dict[str, Any]]:
    path = case / "setting.json"
    setting: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def load(name: str, _: str) -> tuple[str, str] | None:
        return (name, (case / name).read_text(encoding="utf-8")) if (case / name).is_file() else None

    names = [*setting.get("reserved", ()), *(["program.dl"] if (case / "program.dl").exists() else [])]
    # Line ends are part of what is tested.
    sources = [(name, (case / name).read_bytes().decode("utf-8")) for name in names]
    question = case / "query.txt"
    query = ("query", question.read_text(encoding="utf-8").rstrip("\n")) if question.exists() else None
    return parse_program(sources, load, query=query, recover=True), setting


def _diagnose(program: Program, setting: dict[str, Any]) -> tuple[Diagnostic, ...]:
    relations = SMALL_SCHEMA if setting.get("schema", True) else ()
    try:
        checked = check(program, relations, reserved=setting.get("reserved", ()))
    except CeError as error:
        return error.diagnostics
    return tuple(lint(program, checked, relations, setting.get("counts")))


def test_there_are_cases() -> None:
    assert len(CASES) > 60


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_a_wrong_program_is_answered_with_this_text(case: Path, request: pytest.FixtureRequest) -> None:
    program, setting = _read(case)
    text = "".join(render(diagnostic, program.sources) + "\n" for diagnostic in _diagnose(program, setting))
    expected = case / "expected.txt"
    if request.config.getoption("--rewrite-goldens"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
    assert text


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_every_diagnostic_points_at_its_text_and_offers_advice(case: Path) -> None:
    program, setting = _read(case)
    for diagnostic in _diagnose(program, setting):
        assert diagnostic.span is not None
        assert diagnostic.span.source in program.sources
        assert diagnostic.notes or diagnostic.related
        assert diagnostic.message[0].islower() or diagnostic.message[0] == "`"
        assert not diagnostic.message.endswith(".")


def test_every_code_is_unique_and_has_a_case_that_raises_it() -> None:
    codes = [code.number for code in all_codes()]
    assert len(codes) == len(set(codes))
    raised = {diagnostic.code for case in CASES for diagnostic in _diagnose(*_read(case))}
    assert sorted(set(codes) - raised) == []
    assert sorted(raised - set(codes)) == []


def test_every_code_has_a_line_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "diagnostics.md").read_text(encoding="utf-8")
    assert [code.number for code in all_codes() if f"| `{code.number}` |" not in page] == []


@pytest.mark.parametrize("case", [case for case in CASES if case.parent.name == "errors"], ids=_name)
def test_the_order_of_literals_does_not_change_the_codes(case: Path) -> None:
    program, setting = _read(case)
    codes = sorted(diagnostic.code for diagnostic in _diagnose(program, setting))
    for seed in range(5):
        shuffled = _shuffled(program, random.Random(seed))
        assert sorted(diagnostic.code for diagnostic in _diagnose(shuffled, setting)) == codes


def _shuffled(program: Program, chance: random.Random) -> Program:
    from dataclasses import replace

    from ce.datalog.syntax import Assertion, Query, Rule

    clauses = [
        replace(clause, body=tuple(chance.sample(clause.body, len(clause.body))))
        if isinstance(clause, Rule | Query | Assertion)
        else clause
        for clause in program.clauses
    ]
    return replace(program, clauses=tuple(clauses))
