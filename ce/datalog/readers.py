"""Accesses to relations made ready: constants resolved, filters and projections applied to complete relations beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from ce.datalog.arithmetic import COMPARISONS
from ce.datalog.frames import Context, Frame, bound
from ce.datalog.growing import GrowingIndex, GrowingRelation
from ce.datalog.kernels import Bools, Ints
from ce.datalog.packing import Range
from ce.datalog.relation import FixedIndex, FixedRelation
from ce.datalog.runs import Run
from ce.datalog.steps import Access, ColumnMatch, ColumnTest

__all__ = ["Reader", "matches"]


class Reader:
    """An access made ready: constants resolved, and for complete relations applied beforehand, with the filters.

    `places` tells where the columns of the relation stand in `relation`, which may be a projection of it.
    """

    __slots__ = ("_growing", "_keys", "_stable", "access", "equal", "key_columns", "places", "relation")

    def __init__(self, context: Context, access: Access, *, project: bool = False) -> None:
        self.access = access
        self._stable = access.source == "stable"
        keys: list[tuple[int, int | tuple[int]]] = [
            (column, (operand,) if isinstance(operand, int) else context.constant(operand)) for column, operand in access.keys
        ]
        binder = {slot: column for column, slot in access.binds}
        self.equal = tuple((column, binder[slot]) for column, slot in access.equal)
        self.relation = context.fixed(access.predicate)
        self.places: dict[int, int] | None = None
        self._growing: GrowingRelation | None = None
        if self.relation is not None:
            constants = tuple((column, key) for column, key in keys if isinstance(key, int))
            self.relation = _selected(context, self.relation, constants, self.equal, access.filters)
            self.equal = ()
            keys = [(column, key) for column, key in keys if not isinstance(key, int)]
            if project and keys:
                self._project(tuple(column for column, _ in keys))
                keys = [(self.places[column] if self.places else column, key) for column, key in keys]
        else:
            self._growing = context.growing(access.predicate)
        self.key_columns = tuple(column for column, _ in keys)
        self._keys = tuple(key for _, key in keys)

    def _project(self, key_columns: tuple[int, ...]) -> None:
        assert self.relation is not None
        columns = (*key_columns, *(column for column, _ in self.access.binds if column not in key_columns))
        projection = self.relation.project(columns) if len(columns) < self.relation.arity else None
        if projection is not None:
            self.relation = projection
            self.places = {column: place for place, column in enumerate(columns)}

    @property
    def growing(self) -> GrowingRelation:
        """Return the relation of the stratum being evaluated."""
        assert self._growing is not None
        return self._growing

    def index(self) -> FixedIndex | GrowingIndex:
        """Return the index by the key columns."""
        return self.relation.index(self.key_columns) if self.relation is not None else self.growing.index(self.key_columns)

    def runs(self, index: FixedIndex | GrowingIndex) -> tuple[Run, ...]:
        """Return the runs of the rows that the access sees."""
        return index.runs(self._stable)

    def keys_lie_within(self, bounds: Mapping[int, Range]) -> bool:
        """Tell whether slots with these bounds hold no value outside the range of the column they are looked up in."""
        for column, key in zip(self.key_columns, self._keys, strict=True):
            low, high = self.relation.range(column) if self.relation is not None else self.growing.ranges[column]
            least, most = (key, key) if isinstance(key, int) else bounds.get(key[0], (low - 1, high))
            if least < low or most > high:
                return False
        return self.relation is None or self.relation.length > 0

    def key_values(self, frame: Frame) -> list[Ints | int]:
        """Return the key of every row of a frame, column by column."""
        return [key if isinstance(key, int) else bound(frame, key[0]) for key in self._keys]


def matches(reader: Reader, frame: Frame, length: int) -> Bools | bool:
    """Tell for each row whether the relation has a row with its keys."""
    relation = reader.relation
    if relation is not None:
        if not relation.length or not reader.key_columns:
            return relation.length > 0
        packing, presence = relation.presence(reader.key_columns)
        keys, known = packing.find(reader.key_values(frame), length)
        return False if known is False else presence.has(keys) & known
    index = reader.index()
    keys, known = index.key.find(reader.key_values(frame), length)
    found: Bools | bool = False
    if known is not False:
        for run in reader.runs(index):
            found = run.has(keys) | found
    return found & known


def _selected(
    context: Context,
    relation: FixedRelation,
    constants: tuple[tuple[int, int], ...],
    equal: tuple[tuple[int, int], ...],
    filters: tuple[ColumnTest | ColumnMatch, ...],
) -> FixedRelation:
    """Return the rows of a complete relation that have these constants, these equal columns and pass these filters."""
    if constants or equal:
        relation = relation.select((constants, equal), lambda rows: _agreeing(rows, constants, equal))
    for condition in filters:
        relation = relation.select(condition, partial(_passing, context, condition))
    return relation


def _agreeing(rows: FixedRelation, constants: tuple[tuple[int, int], ...], equal: tuple[tuple[int, int], ...]) -> Bools:
    mask = np.ones(rows.length, dtype=np.bool_)
    for column, value in constants:
        mask &= rows.column(column) == value
    for column, other in equal:
        mask &= rows.column(column) == rows.column(other)
    return mask


def _passing(context: Context, condition: ColumnTest | ColumnMatch, rows: FixedRelation) -> Bools:
    if isinstance(condition, ColumnTest):
        return COMPARISONS[condition.operator](rows.column(condition.column), context.constant(condition.value))
    reader = Reader(context, condition.access)
    columns: Frame = [rows.column(column) for column in range(rows.arity)]
    found = matches(reader, columns, rows.length)
    mask = np.full(rows.length, found) if isinstance(found, bool) else found
    return ~mask if condition.negated else mask
