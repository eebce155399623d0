"""Runs a program text through the columnar engine and decodes what it gives, for the tests of the engine's parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ce.datalog.checked import CheckedProgram
from ce.datalog.checks import check
from ce.datalog.database import Database
from ce.datalog.evaluate import evaluate
from ce.datalog.limits import Limits
from ce.datalog.model import Model
from ce.datalog.parse import parse
from ce.datalog.plan import plan

__all__ = ["Facts", "Row", "checked_program", "database", "derive", "model_of", "rows_of"]

Row = tuple[int | str, ...]
Facts = Mapping[str, Sequence[Row]]


def checked_program(text: str, facts: Facts) -> CheckedProgram:
    """Return the program, checked against the sorts of the facts."""
    return check(parse(text, "test"), facts=_sorts(facts))


def database(facts: Facts) -> Database:
    """Return the facts as a database; a relation without rows is left out."""
    sorts = {name: known for name, known in _sorts(facts).items() if known is not None}
    return Database.from_rows({name: facts[name] for name in sorts}, sorts)


def model_of(text: str, facts: Facts | None = None, *, limits: Limits | None = None, goals: Sequence[str] | None = None) -> Model:
    """Return the model of a program over some facts."""
    given = facts or {}
    return evaluate(plan(checked_program(text, given), goals), database(given), limits)


def rows_of(model: Model, name: str) -> list[Row]:
    """Return the rows of a relation as numbers and names, in the order of the model."""
    sorts = model.plan.relations[name].sorts
    if not sorts:
        return [()] * model.count(name)
    columns = model.columns(name)
    return [
        tuple(model.database.decode(sort, int(column[number])) for sort, column in zip(sorts, columns, strict=True))
        for number in range(model.count(name))
    ]


def derive(text: str, facts: Facts | None = None, *, wanted: str = "p") -> list[Row]:
    """Return the rows of one relation of a program."""
    return rows_of(model_of(text, facts), wanted)


def _sorts(facts: Facts) -> dict[str, tuple[str, ...] | None]:
    return {name: _row_sorts(rows[0]) if rows else None for name, rows in facts.items()}


def _row_sorts(row: Iterable[int | str]) -> tuple[str, ...]:
    return tuple("int" if isinstance(value, int) else "sym" for value in row)
