"""Aggregates on numpy: the body runs once for all groups of a frame, and the distinct rows it yields are folded by group."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ce.datalog.arithmetic import total
from ce.datalog.frames import Context, Frame, Operator, take
from ce.datalog.kernels import Ints, distinct
from ce.datalog.packing import Packing, column_range, packing_for
from ce.datalog.relation import FixedRelation
from ce.datalog.steps import Fold, Join

__all__ = ["Collector", "CountOperator", "FoldOperator", "counts_directly"]

# Rows collected for an aggregate before their duplicates are removed for the first time.
_COLLECTED = 1 << 21


class Collector:
    """The end of an aggregate's body: keeps the rows of groups and values."""

    def __init__(self, slots: Sequence[int]) -> None:
        self._slots = slots
        self._parts: list[list[Ints]] = []
        self._rows = 0
        self._limit = _COLLECTED

    def push(self, frame: Frame, length: int) -> None:
        """Keep the rows of a frame."""
        columns = [column for slot in self._slots if (column := frame[slot]) is not None]
        assert len(columns) == len(self._slots), "the body binds groups and values"
        self._parts.append(columns if columns else [np.zeros(length, dtype=np.int64)])
        self._rows += length
        if self._rows > self._limit:
            self._parts = [_distinct_rows(self._joined())]
            self._rows = self._parts[0][0].size
            self._limit = max(_COLLECTED, 2 * self._rows)

    def drain(self) -> list[Ints]:
        """Return the distinct rows, by column, and forget them."""
        if not self._parts:
            return [np.empty(0, dtype=np.int64) for _ in range(max(1, len(self._slots)))]
        columns = _distinct_rows(self._joined())
        self._parts, self._rows, self._limit = [], 0, _COLLECTED
        return columns

    def _joined(self) -> list[Ints]:
        return [np.concatenate(parts) for parts in zip(*self._parts, strict=True)]


class FoldOperator:
    """Gives a slot the aggregate of the row's group."""

    __slots__ = ("_collector", "_first", "_next", "_step", "_width")

    def __init__(self, step: Fold, first: Callable[[Collector], Operator], following: Operator) -> None:
        self._step = step
        self._collector = Collector((*range(len(step.groups)), *step.values))
        self._first = first(self._collector)
        self._width = len(step.body.names)
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows whose group has a value."""
        step = self._step
        groups = [column for slot in step.groups if (column := frame[slot]) is not None]
        assert len(groups) == len(step.groups), "groups are bound before the aggregate"
        packing, keys, inverse = _group_keys(groups, length)
        inner: Frame = [None] * self._width
        inner[: len(groups)] = [packing.decode(keys, place) for place in range(len(groups))]
        self._first.push(inner, keys.size)
        rows = self._collector.drain()
        values = rows[len(groups) :] if len(rows) > len(groups) else rows[:1]
        numbers, _ = packing.find(rows[: len(groups)], rows[0].size)
        results, exist = self._fold(keys.searchsorted(numbers), values, keys.size)
        self._send(frame, length, results[inverse], exist[inverse])

    def _fold(self, group: NDArray[np.intp], values: list[Ints], groups: int) -> tuple[Ints, NDArray[np.bool_]]:
        step = self._step
        if step.function == "count":
            return np.bincount(group, minlength=groups).astype(np.int64, copy=False), np.ones(groups, dtype=np.bool_)
        results = np.zeros(groups, dtype=np.int64)
        present = np.zeros(groups, dtype=np.bool_)
        if group.size:
            order = np.argsort(group, kind="stable")
            sorted_group = group[order]
            starts = np.flatnonzero(np.concatenate(([True], sorted_group[1:] != sorted_group[:-1])))
            folded = self._reduce(values[0][order], starts)
            results[sorted_group[starts]] = folded
            present[sorted_group[starts]] = True
        return results, present if step.function != "sum" else np.ones(groups, dtype=np.bool_)

    def _reduce(self, values: Ints, starts: NDArray[np.intp]) -> Ints:
        if self._step.function == "sum":
            return total(values, starts)
        reduce = np.minimum.reduceat if self._step.function == "min" else np.maximum.reduceat
        folded: Ints = reduce(values, starts)
        return folded

    def _send(self, frame: Frame, length: int, results: Ints, exist: NDArray[np.bool_]) -> None:
        frame = list(frame)
        frame[self._step.slot] = results
        if exist.all():
            self._next.push(frame, length)
        else:
            rows = np.flatnonzero(exist)
            if rows.size:
                self._next.push(take(frame, rows, self._step.keep), rows.size)


class CountOperator:
    """Counts the rows of a complete relation that hold the groups, without looking at them."""

    __slots__ = ("_columns", "_next", "_relation", "_slots", "_step")

    def __init__(self, relation: FixedRelation, step: Fold, following: Operator) -> None:
        join = step.body.steps[0]
        assert isinstance(join, Join)
        pairs = [(column, step.groups[operand]) for column, operand in join.access.keys if isinstance(operand, int)]
        self._relation = relation
        self._columns = tuple(column for column, _ in pairs)
        self._slots = [slot for _, slot in pairs]
        self._step = step
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push all rows, with their count."""
        frame = list(frame)
        frame[self._step.slot] = self._counts(frame, length)
        self._next.push(frame, length)

    def _counts(self, frame: Frame, length: int) -> Ints:
        if not self._relation.length:
            return np.zeros(length, dtype=np.int64)
        index = self._relation.index(self._columns)
        groups = [column for slot in self._slots if (column := frame[slot]) is not None]
        keys, known = index.key.find(groups, length)
        if known is False:
            return np.zeros(length, dtype=np.int64)
        if known is not True:
            keys = np.where(known, keys, 0)
        counts = index.run.probe(keys)[1]
        return counts if known is True else np.where(known, counts, 0)


def counts_directly(context: Context, step: Fold) -> FixedRelation | None:
    """Return the relation whose rows an aggregate counts one by one, or None for any other aggregate."""
    steps = step.body.steps
    if step.function != "count" or len(steps) != 1 or not isinstance(steps[0], Join):
        return None
    access = steps[0].access
    relation = context.fixed(access.predicate)
    if relation is None or access.equal or any(not isinstance(operand, int) for _, operand in access.keys):
        return None
    counted = {slot for _, slot in access.binds}
    is_whole_row = len(access.keys) + len(access.binds) == relation.arity
    return relation if is_whole_row and counted == set(step.values) and len(access.keys) == len(step.groups) else None


def _group_keys(groups: list[Ints], length: int) -> tuple[Packing, Ints, NDArray[np.intp]]:
    """Return how groups pack, the codes of the distinct ones ascending, and which of them each row has."""
    packing = packing_for([column_range(column) for column in groups])
    codes = packing.encode(groups, length)
    if not groups:
        return packing, np.zeros(1, dtype=np.int64), np.zeros(length, dtype=np.intp)
    if bool((codes[1:] > codes[:-1]).all()):
        return packing, codes, np.arange(length)
    keys, inverse = np.unique(codes, return_inverse=True)
    return packing, keys, inverse


def _distinct_rows(columns: list[Ints]) -> list[Ints]:
    packing = packing_for([column_range(column) for column in columns])
    codes = distinct(packing.encode(columns, columns[0].size))
    return [packing.decode(codes, place) for place in range(len(columns))]
