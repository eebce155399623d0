"""The vocabulary of plans: what a rule does, step by step, on batches of rows.

A rule is a pipeline. It starts from one row without columns; every step filters the rows, extends
them, or both. Variables are numbered *slots*. The steps say nothing about arrays: the evaluator
runs them on numpy, and another back end may run them elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

__all__ = [
    "Access",
    "Apply",
    "Assign",
    "ColumnMatch",
    "ColumnTest",
    "Compare",
    "Distinct",
    "Exists",
    "Expression",
    "Fixed",
    "Fold",
    "Join",
    "Operand",
    "Pipeline",
    "Source",
    "Step",
    "Test",
    "with_keep",
]

# Which rows of a growing relation an access sees: those of the last round, those before it, or both.
Source = OneOf["all", "recent", "stable"]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A constant of the program, in the sort of the place where it stands."""

    value: int | str
    sort: str


Operand = int | Fixed


@dataclass(frozen=True, slots=True)
class Apply:
    """An arithmetic operation on two expressions."""

    operator: str
    left: Expression
    right: Expression


Expression = int | Fixed | Apply


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """Rows are read only where a column compares so with a constant."""

    column: int
    operator: str
    value: Fixed


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """Rows are read only where another relation has a matching row, or has none: a semi-join. A number in its keys is a column of ours."""

    access: Access
    negated: bool


@dataclass(frozen=True, slots=True)
class Access:
    """How a step reads a relation.

    `keys` are the columns whose value is known before the step; `binds` the columns that give a slot its value; `equal` the columns
    that must agree with a slot bound by this same access. Other columns are ignored. `filters` are applied to the relation beforehand.
    """

    predicate: str
    source: Source
    keys: tuple[tuple[int, Operand], ...] = ()
    binds: tuple[tuple[int, int], ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    filters: tuple[ColumnTest | ColumnMatch, ...] = ()

    @property
    def key_columns(self) -> tuple[int, ...]:
        """Return the columns of the keys, ascending."""
        return tuple(column for column, _ in self.keys)


@dataclass(frozen=True, slots=True)
class Join:
    """Extend every row by each matching row of a relation."""

    access: Access
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """Keep the rows for which a matching row exists, or none does when `negated`."""

    access: Access
    negated: bool
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """Keep the rows for which the comparison holds; `sort` says by which order."""

    operator: str
    left: Expression
    right: Expression
    sort: str
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a slot the value of an expression; rows for which it has none are dropped."""

    slot: int
    expression: Expression
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Test:
    """Keep the rows for which a built-in test on two names holds, or fails when `negated`."""

    name: str
    left: Operand
    right: Operand
    sorts: tuple[str, str]
    negated: bool
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Fold:
    """Give a slot the aggregate of the distinct rows of `values` that `body` yields for the row's groups.

    `body` starts from the distinct values of `groups`, in the same slots; it ends with the slots `values` bound.
    """

    slot: int
    function: str
    groups: tuple[int, ...]
    values: tuple[int, ...]
    sorts: tuple[str, ...]
    body: Pipeline
    keep: tuple[int, ...] = ()
    rows: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Drop every slot but `keep`, and the duplicate rows that leaves."""

    keep: tuple[int, ...]
    rows: float = field(default=0.0, compare=False)


Step = Join | Exists | Compare | Assign | Test | Fold | Distinct


def with_keep(step: Step, keep: tuple[int, ...], rows: float) -> Step:
    """Return the step with what it keeps and the rows it is estimated to leave; plain calls, because plans are made often."""
    if isinstance(step, Join):
        return Join(step.access, keep, rows)
    if isinstance(step, Exists):
        return Exists(step.access, step.negated, keep, rows)
    if isinstance(step, Compare):
        return Compare(step.operator, step.left, step.right, step.sort, keep, rows)
    if isinstance(step, Assign):
        return Assign(step.slot, step.expression, keep, rows)
    if isinstance(step, Test):
        return Test(step.name, step.left, step.right, step.sorts, step.negated, keep, rows)
    if isinstance(step, Fold):
        return Fold(step.slot, step.function, step.groups, step.values, step.sorts, step.body, keep, rows)
    return Distinct(keep, rows)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Steps in order, and how many slots they use. `names[slot]` is the variable that a slot stands for."""

    steps: tuple[Step, ...]
    names: tuple[str, ...]
