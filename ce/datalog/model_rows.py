"""The rows of an evaluated model, found by value: what proofs and explanations read.

Invariant: row numbers of a relation ascend in row order. Nothing is decoded before it is asked for, and an index on a column is built only
when a search would otherwise walk over many rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ce.datalog.database import Database
from ce.datalog.semantics import Row, Value

__all__ = ["Model", "ModelRows", "Numbers", "RecordedModel", "Relation"]

Ints = NDArray[np.int64]
Numbers = Sequence[int] | Ints

# Below this many rows a scan of a column is as fast as a look-up in an index.
_SCAN = 4096


class Model(Protocol):
    """What every engine hands on: relations as sorted columns over the domains of `database`."""

    @property
    def database(self) -> Database:
        """Return the facts, with domains that hold the constants of the program too."""

    def columns(self, name: str) -> tuple[Ints, ...]:
        """Return the columns of a relation, rows ascending."""

    def count(self, name: str) -> int:
        """Return the number of rows of a relation."""

    @property
    def partial(self) -> frozenset[str]:
        """Return the relations of which only the rows that the goals demand were derived; their rounds are no heights."""


class RecordedModel(Model, Protocol):
    """A model that remembers when each row came."""

    def rounds(self, name: str) -> Ints:
        """Return for each row the round of its stratum in which it came first; 0 for facts."""


class Relation:
    """One relation: sorted columns, and for each column that was searched the row numbers in the order of its values."""

    def __init__(self, columns: Sequence[Ints], length: int) -> None:
        """Hold columns whose rows ascend."""
        self.columns = tuple(columns)
        self.length = length
        self._orders: dict[int, tuple[Ints, Ints]] = {}

    def find(self, positions: Sequence[int], codes: Sequence[int]) -> Numbers:
        """Return the numbers of the rows that hold the codes at the positions (ascending), in row order."""
        low, high = 0, self.length
        prefix = 0
        for position, code in zip(positions, codes, strict=True):
            if position != prefix:
                break
            column = self.columns[position][low:high]
            low, high = low + int(column.searchsorted(code)), low + int(column.searchsorted(code, side="right"))
            prefix += 1
        rest = [(position, code) for position, code in zip(positions, codes, strict=True) if position >= prefix]
        if not rest or low == high:
            return range(low, high)
        if prefix == 0 and self.length > _SCAN:
            position, code = rest.pop(0)
            candidates = self._with(position, code)
        else:
            candidates = np.arange(low, high, dtype=np.int64)
        for position, code in rest:
            candidates = candidates[self.columns[position][candidates] == code]
        return candidates

    def number_of(self, codes: Sequence[int]) -> int | None:
        """Return the number of a row, or None when the relation lacks it."""
        found = self.find(range(len(codes)), codes)
        return int(found[0]) if len(found) else None

    def _with(self, position: int, code: int) -> Ints:
        if position not in self._orders:
            order = np.argsort(self.columns[position], kind="stable")
            self._orders[position] = (order, self.columns[position][order])
        order, values = self._orders[position]
        return order[values.searchsorted(code) : values.searchsorted(code, side="right")]


class ModelRows:
    """The relations of a model as rows of numbers and names; a `RowSource`."""

    def __init__(self, model: Model, sorts: dict[str, tuple[str, ...]]) -> None:
        """Read from the model; `sorts` gives the sorts of every relation."""
        self._model = model
        self._sorts = sorts
        self._relations: dict[str, Relation] = {}

    def relation(self, name: str) -> Relation:
        """Return the relation, empty when the model has none of that name."""
        if name not in self._relations:
            self._relations[name] = Relation(self._model.columns(name), self._model.count(name))
        return self._relations[name]

    def find(self, predicate: str, positions: Sequence[int], values: Iterable[Value]) -> Numbers:
        """Return the numbers of the rows that hold the values at the positions (ascending), in row order."""
        codes = [self.encode(predicate, position, value) for position, value in zip(positions, values, strict=True)]
        if None in codes:
            return range(0)
        return self.relation(predicate).find(positions, [code for code in codes if code is not None])

    def row(self, predicate: str, number: int) -> Row:
        """Return a row as numbers and names."""
        columns = self.relation(predicate).columns
        decode = self._model.database.decode
        return tuple(decode(sort, int(column[number])) for sort, column in zip(self._sorts[predicate], columns, strict=True))

    def number_of(self, predicate: str, row: Row) -> int | None:
        """Return the number of a row, or None when the relation lacks it."""
        found = self.find(predicate, range(len(row)), row)
        return int(found[0]) if len(found) else None

    def rows_with(self, predicate: str, positions: tuple[int, ...], values: Row) -> Iterable[Row]:
        """Return the rows that hold these values at these positions, in row order."""
        return (self.row(predicate, int(number)) for number in self.find(predicate, positions, values))

    def encode(self, predicate: str, position: int, value: Value) -> int | None:
        """Return the code of a value in a column, or None when no row can hold it."""
        sort = self._sorts[predicate][position]
        if isinstance(value, int):
            return value if sort == "int" and -(2**63) <= value < 2**63 else None
        domain = self._model.database.domains.get(sort)
        return None if domain is None else domain.lookup(value)
