"""Relations that never change: facts, or the rows of a finished stratum, as sets of rows over int64 columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ce.datalog.kernels import Bools, Ints, distinct, distinct_estimate
from ce.datalog.packing import BitPacking, Packing, Range, column_range, packing_for
from ce.datalog.runs import Order, Presence, Run, is_ascending

__all__ = ["FixedIndex", "FixedRelation"]


class FixedRelation:
    """Rows that do not change, with indexes built on first use. Columns may be computed on first use too."""

    __slots__ = ("_columns", "_derived", "_distinct", "_indexes", "_make", "_presences", "_ranges", "arity", "length")

    def __init__(self, arity: int, length: int, columns: Sequence[Ints | None], make: Callable[[int], Ints] | None = None) -> None:
        self.arity = arity
        self.length = length
        self._columns = list(columns)
        self._make = make
        self._ranges: list[Range | None] = [None] * arity
        self._distinct: list[int | None] = [None] * arity
        self._indexes: dict[tuple[int, ...], FixedIndex] = {}
        self._presences: dict[tuple[int, ...], tuple[Packing, Presence]] = {}
        self._derived: dict[Hashable, FixedRelation] = {}

    def column(self, number: int) -> Ints:
        """Return a column."""
        column = self._columns[number]
        if column is None:
            assert self._make is not None
            column = self._columns[number] = self._make(number)
        return column

    def range(self, number: int) -> Range:
        """Return the smallest and the largest value of a column."""
        bounds = self._ranges[number]
        if bounds is None:
            bounds = self._ranges[number] = column_range(self.column(number))
        return bounds

    def distinct(self, number: int) -> int:
        """Return about how many distinct values a column has."""
        known = self._distinct[number]
        if known is None:
            known = self._distinct[number] = distinct_estimate(self.column(number))
        return known

    def index(self, key_columns: tuple[int, ...]) -> FixedIndex:
        """Return the index by some columns, building it the first time."""
        index = self._indexes.get(key_columns)
        if index is None:
            index = self._indexes[key_columns] = FixedIndex(self, key_columns)
        return index

    def presence(self, key_columns: tuple[int, ...]) -> tuple[Packing, Presence]:
        """Return which values of some columns occur, and how those values pack."""
        found = self._presences.get(key_columns)
        if found is None:
            columns = [self.column(column) for column in key_columns]
            packing = packing_for([self.range(column) for column in key_columns])
            span = 1 << packing.width if isinstance(packing, BitPacking) else 1 << 62
            found = self._presences[key_columns] = (packing, Presence(packing.encode(columns, self.length), span))
        return found

    def select(self, key: Hashable, mask: Callable[[FixedRelation], Bools]) -> FixedRelation:
        """Return the rows that a mask leaves; the `key` tells one mask from another."""
        found = self._derived.get(key)
        if found is None:
            rows = np.flatnonzero(mask(self))
            found = FixedRelation(self.arity, rows.size, [None] * self.arity, lambda number: self.column(number)[rows])
            self._derived[key] = found
        return found

    def project(self, columns: tuple[int, ...]) -> FixedRelation | None:
        """Return the distinct rows of some columns, or None where those are too wide for a word."""
        found = self._derived.get(columns)
        if found is None:
            packing = packing_for([self.range(column) for column in columns])
            if not isinstance(packing, BitPacking):
                return None
            codes = distinct(packing.encode([self.column(column) for column in columns], self.length))
            found = FixedRelation(len(columns), codes.size, [None] * len(columns), lambda number: packing.decode(codes, number))
            self._derived[columns] = found
        return found


class FixedIndex:
    """One run of a fixed relation, ordered by some columns."""

    __slots__ = ("_order", "_relation", "run")

    def __init__(self, relation: FixedRelation, key_columns: tuple[int, ...]) -> None:
        self._relation = relation
        order = self._order = Order(key_columns, [relation.range(column) for column in range(relation.arity)])
        if order.whole is not None:
            codes = order.whole.encode([relation.column(column) for column in order.columns], relation.length)
            self.run = Run(codes if is_ascending(codes) else np.sort(codes), order.tail, order.span)
        else:
            keys = order.key.encode([relation.column(column) for column in key_columns], relation.length)
            rows = np.argsort(keys, kind="stable")
            self.run = Run(keys[rows], 0, order.span, rows)

    @property
    def key(self) -> Packing:
        """Return how the values of the key columns pack."""
        return self._order.key

    @property
    def only(self) -> Ints | None:
        """Return for each key the position of its only row, or -1, if no key has two."""
        return self.run.only

    def runs(self, _stable: bool) -> tuple[Run, ...]:
        """Return the run, as the only one."""
        return (self.run,)

    def fetch(self, run: Run, positions: Ints, columns: Sequence[int]) -> list[Ints]:
        """Return columns of the rows at some positions of the run."""
        if run.payload is not None:
            rows = run.payload[positions]
            return [self._relation.column(column)[rows] for column in columns]
        codes, whole = run.codes[positions], self._order.whole
        assert whole is not None
        return [whole.decode(codes, self._order.places[column]) for column in columns]
