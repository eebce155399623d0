"""Small programs and what they mean: every case of `fixtures/datalog/conformance`, on every engine.

A case is a program, then sections: `=== facts` and `=== expected` with rows as JSON (a name alone is an empty relation), or `=== error`
with the code and place of every diagnostic; `=== warnings` lists codes. A relation that is not listed holds its facts and nothing else.
Goals are `?1`, `?2`, … and `!1`, `!2`, ….
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ce.datalog.api import Result, run
from ce.datalog.check import ProofChecker
from ce.diagnostics import CeError

DIRECTORY = Path(__file__).parents[2] / "fixtures" / "datalog" / "conformance"
CASES = sorted(DIRECTORY.glob("*/*.case"))
ENGINES = ("native", "naive", "pydatalog")

Row = tuple[int | str, ...]


def sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of a case by section; the program comes first, without a name."""
    found: dict[str, list[str]] = {"": []}
    lines = found[""]
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("=== "):
            lines = found[line.removeprefix("=== ")] = []
        else:
            lines.append(line)
    return found


def relations(lines: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows that the lines of a section list, by relation."""
    found: dict[str, list[Row]] = {}
    for line in filter(None, lines):
        name, _, row = line.partition(" ")
        rows = found.setdefault(name, [])
        if row:
            rows.append(tuple(json.loads(row)))
    return found


def meaning(result: Result) -> dict[str, list[Row]]:
    """Return every relation and the answers of every goal."""
    names = (*result, *(goal.predicate for goal in result.goals))
    return {name: result.solution.values(name) for name in names}


def identity(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", CASES, ids=identity)
def test_a_program_means_what_its_case_says(path: Path, engine: str) -> None:
    case = sections(path)
    facts = relations(case.get("facts", []))
    program = "\n".join(case[""])
    if "error" in case:
        with pytest.raises(CeError) as caught:
            run(program, facts, engine=engine)
        found = [f"{d.code} {d.span.line}:{d.span.column}" if d.span else d.code for d in caught.value.diagnostics]
        assert found == list(filter(None, case["error"]))
        return
    result = run(program, facts, engine=engine)
    as_given = {name: sorted(set(rows)) for name, rows in facts.items()}
    assert meaning(result) == as_given | relations(case["expected"])
    assert sorted({warning.code for warning in result.warnings}) == list(filter(None, case.get("warnings", [])))


@pytest.mark.parametrize("path", [path for path in CASES if "error" not in sections(path)], ids=identity)
def test_every_row_of_a_case_has_a_valid_proof(path: Path) -> None:
    case = sections(path)
    result = run("\n".join(case[""]), relations(case.get("facts", [])))
    checker = ProofChecker(result.solution.checked, result.solution.database)
    for name, rows in meaning(result).items():
        for row in rows:
            assert checker.check(result.solution.explain(name, row)) == []


def test_there_are_many_cases() -> None:
    assert len(CASES) >= 300
