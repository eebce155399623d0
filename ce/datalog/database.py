"""The extensional database: encoded columns, one symbol table per sort, immutable after load.

Every value is an int64. In a column of sort `int` it is the number itself; in any other column it is
an id into the `Domain` of that sort, whose ids follow the order that `<` compares by.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Database", "Domain", "Table"]


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The symbols of one sort. `labels[id]` is the text; ids ascend in the order of the sort.

    `textual` says that the order is code-point order of the labels, so that a label is found by bisection; otherwise
    `ids` (label to id) is built on first use.
    """

    sort: str
    labels: Sequence[str]
    textual: bool = True
    _ids: dict[str, int] = field(default_factory=dict, repr=False)

    def lookup(self, label: str) -> int | None:
        """Return the id of a label, or None when no fact holds it."""
        if self.textual:
            position = bisect_left(self.labels, label)
            return position if position < len(self.labels) and self.labels[position] == label else None
        if not self._ids and len(self.labels):
            self._ids.update((text, position) for position, text in enumerate(self.labels))
        return self._ids.get(label)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The facts of one relation: parallel int64 columns without duplicate rows.

    `at(row)` gives `path:line` for a row number, or None where a fact has no place of its own.
    A table of arity 0 has no columns and `length` 0 or 1.
    """

    name: str
    sorts: tuple[str, ...]
    columns: tuple[NDArray[np.int64], ...]
    length: int
    at: Callable[[int], str | None] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Database:
    """Facts by relation name and symbols by sort; a relation that is absent has no facts."""

    tables: Mapping[str, Table]
    domains: Mapping[str, Domain]

    @classmethod
    def from_rows(cls, facts: Mapping[str, Iterable[tuple[int | str, ...]]], sorts: Mapping[str, tuple[str, ...]]) -> Database:
        """Encode rows of Python values; `sorts` gives the sorts of every relation (`int` or `sym`, others allowed).

        Raises CeError when a row has another length or a value of another sort, naming relation, row and column.
        """
        from ce.datalog.loading import database_from_rows

        return database_from_rows(facts, sorts)

    def decode(self, sort: str, value: int) -> int | str:
        """Return the number, or the label of a symbol id."""
        return value if sort == "int" else self.domains[sort].labels[value]
