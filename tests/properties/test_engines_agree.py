"""Every engine gives every generated program the same meaning."""

from __future__ import annotations

from hypothesis import given

from ce.datalog.api import Result, run
from tests.fakes.clingo_engine import solve_with_clingo
from tests.properties.generated import Generated, Row, Shape, examples, programs


def rows(result: Result) -> dict[str, set[Row]]:
    """Return every relation as a set, queries included."""
    goals = {goal.predicate for goal in result.goals}
    return {name: set(result.solution.values(name)) for name in {*result, *goals}}


def solved(program: Generated, engine: str = "native") -> dict[str, set[Row]]:
    """Return what an engine derives."""
    return rows(run(program.text, program.facts, engine=engine))


@given(programs(Shape(query=True)))
@examples(1.0)
def test_the_columnar_engine_agrees_with_the_plain_one(program: Generated) -> None:
    assert solved(program) == solved(program, "naive")


@given(programs(Shape(query=True)))
@examples(0.5)
def test_the_columnar_engine_agrees_with_pydatalog(program: Generated) -> None:
    assert solved(program) == solved(program, "pydatalog")


@given(programs(Shape(query=True)))
@examples(0.5)
def test_the_columnar_engine_agrees_with_clingo(program: Generated) -> None:
    result = run(program.text, program.facts)
    answers = solve_with_clingo(result.solution.checked, result.solution.database)
    assert rows(result) == {name: answers.get(name, set()) for name in rows(result)}
