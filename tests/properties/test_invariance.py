"""What must not change the meaning of a program, and what may only add to it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ce.datalog.api import run
from tests.properties.generated import NAMES, Clause, Generated, Row, Shape, examples, programs

# Read from left to right: later relations first, every variable with another name, names in the same order as before.
_RENAMED = {name: f"k{name}" for name in NAMES}


def rows(program: Generated) -> dict[str, list[Row]]:
    """Return every named relation."""
    return dict(run(program.text, program.facts))


@given(programs(), st.integers(0, 2**32))
@examples(0.4)
def test_the_order_of_clauses_literals_and_facts_means_nothing(program: Generated, seed: int) -> None:
    assert rows(program.shuffled(seed)) == rows(program)


@given(programs())
@examples(0.3)
def test_names_of_relations_and_variables_mean_nothing(program: Generated) -> None:
    def renamed(text: str) -> str:
        text = re.sub(r"\b([ep]\d[ab]?)\(", r"zz_\1(", text)
        return re.sub(r"\b([A-Z]\w*)\b(?![\"/.])", r"Q\1", text)

    clauses = tuple(Clause(renamed(clause.head), tuple(map(renamed, clause.body))) for clause in program.clauses)
    facts = {f"zz_{name}": given for name, given in program.facts.items()}
    if '"Z"' in program.text:
        clauses = tuple(Clause(c.head.replace('"QZ"', '"Z"'), tuple(b.replace('"QZ"', '"Z"') for b in c.body)) for c in clauses)
    assert rows(Generated(clauses, facts)) == {f"zz_{name}": found for name, found in rows(program).items()}


@given(programs(Shape(tests=False)))
@examples(0.3)
def test_constants_renamed_in_order_give_the_renamed_rows(program: Generated) -> None:
    def renamed(text: str) -> str:
        return re.sub(r'"([^"]*)"', lambda match: f'"{_RENAMED[match[1]]}"', text)

    def renamed_row(row: Row) -> Row:
        return tuple(value if isinstance(value, int) else _RENAMED[value] for value in row)

    clauses = tuple(Clause(renamed(clause.head), tuple(map(renamed, clause.body))) for clause in program.clauses)
    facts = {name: list(map(renamed_row, given)) for name, given in program.facts.items()}
    assert rows(Generated(clauses, facts)) == {name: list(map(renamed_row, found)) for name, found in rows(program).items()}


@given(programs(Shape(negation=False, aggregates=False)), st.integers(0, 2**32))
@examples(0.3)
def test_more_facts_never_take_a_row_from_a_positive_program(program: Generated, seed: int) -> None:
    shuffled = program.shuffled(seed)
    fewer = Generated(program.clauses, {name: given[: len(given) // 2] for name, given in shuffled.facts.items()})
    more = rows(program)
    sorts = {name: bool(given) for name, given in fewer.facts.items()}
    assert set(sorts) <= set(more)
    for name, found in rows(fewer).items():
        assert set(found) <= set(more[name])
