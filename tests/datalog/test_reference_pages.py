"""The language reference says what the code does: generated parts are fresh, every example is a program in canonical layout."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ce.datalog.checks import check
from ce.datalog.format import format_source
from ce.datalog.lint import lint
from ce.datalog.parse import parse
from ce.datalog.reference import refresh
from ce.facts.schema import schema

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "language.md"
EXAMPLES = re.findall(r"```prolog\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_generated_parts_are_fresh(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    fresh = refresh(page, schema())
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(fresh, encoding="utf-8")
        page = fresh
    assert page == fresh, "run pytest --rewrite-goldens"


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_sound_program_in_canonical_layout(example: str) -> None:
    program = parse(example, "example")
    assert lint(program, check(program, schema()), schema()) == []
    assert format_source(example) == example


def test_every_kind_of_clause_of_the_table_is_a_clause() -> None:
    rows = re.findall(r"^\| `([^`]+\.)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 7
    for row in rows:
        parse(row, "row", loader=lambda path, _: (path, ""))
