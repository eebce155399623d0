"""The steps of a plan on numpy: each operator takes a frame of rows, works on it and pushes the result to the next one.

A *frame* is a list of columns by slot, all of one length; slots that nobody needs any more are None. Frames are never changed in place.
Joins push their result in pieces of at most `CHUNK` rows, so that what is held at once does not depend on how much a rule derives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ce.datalog.arithmetic import COMPARISONS, apply
from ce.datalog.kernels import CHUNK, Bools, Ints, distinct, expansions
from ce.datalog.packing import BitPacking, Range, column_range
from ce.datalog.relation import FixedIndex, FixedRelation, GrowingIndex, GrowingRelation
from ce.datalog.runs import Run
from ce.datalog.steps import (
    Access,
    Apply,
    Assign,
    ColumnMatch,
    ColumnTest,
    Compare,
    Distinct,
    Exists,
    Expression,
    Fixed,
    Join,
    Operand,
    Test,
)

__all__ = [
    "AssignOperator",
    "CompareOperator",
    "Context",
    "DistinctOperator",
    "Emit",
    "ExistsOperator",
    "Frame",
    "JoinOperator",
    "Operator",
    "TestOperator",
    "take",
]

Frame = list[Ints | None]
_Rows = NDArray[np.intp] | Bools

# Removing duplicates from a frame is given up once this many rows showed it to remove too little.
_TRIAL_ROWS = 50_000
_USEFUL_SHARE = 0.8
_FEW_ROWS = 64
# A piece of this size is worth looking at the clock and at the memory in use.
_MANY_ROWS = 1 << 12


class Operator(Protocol):
    """One step of a running rule."""

    def push(self, frame: Frame, length: int) -> None:
        """Work on a frame, and push what is left of it, or what it became, to the next operator."""


class Context(Protocol):
    """What operators need to know about the evaluation they are part of."""

    def fixed(self, predicate: str) -> FixedRelation | None:
        """Return a relation that is complete, or None for one of the stratum being evaluated."""

    def growing(self, predicate: str) -> GrowingRelation:
        """Return a relation of the stratum being evaluated."""

    def constant(self, fixed: Fixed) -> int:
        """Return the number, or the id of the name."""

    def label(self, sort: str, value: int) -> str:
        """Return the text of an id, or the digits of a number."""

    def tick(self) -> None:
        """Stop the evaluation when its time is over."""

    def weigh(self) -> None:
        """Stop the evaluation when its time is over or it holds too much."""

    def room(self) -> float:
        """Return how many more rows may be derived."""

    def crowded(self) -> None:
        """Stop the evaluation because too many rows were derived."""

    def divided_by_zero(self) -> None:
        """Note that the rule at work divided by zero."""


def take(frame: Frame, rows: _Rows, keep: Sequence[int]) -> Frame:
    """Return a frame with some of the rows and only the slots to keep."""
    result: Frame = [None] * len(frame)
    for slot in keep:
        column = frame[slot]
        if column is not None:
            result[slot] = column[rows]
    return result


def _bound(frame: Frame, slot: int) -> Ints:
    column = frame[slot]
    assert column is not None, "a slot is bound before it is read"
    return column


class _Reader:
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
            self.relation = selected(context, self.relation, constants, self.equal, access.filters)
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
        return [key if isinstance(key, int) else _bound(frame, key[0]) for key in self._keys]


class JoinOperator:
    """Extends every row by each matching row of a relation."""

    __slots__ = ("_bind_columns", "_bind_slots", "_context", "_equal", "_is_sure", "_keep", "_next", "_passed", "_reader", "_width")

    def __init__(self, context: Context, step: Join, following: Operator, width: int, bounds: Mapping[int, Range]) -> None:
        self._context = context
        self._reader = _Reader(context, step.access, project=True)
        self._next = following
        self._width = width
        equal = self._reader.equal
        binds = step.access.binds
        places = self._reader.places
        extra = {column for pair in equal for column in pair} - {column for column, _ in binds}
        self._bind_columns = [column if places is None else places[column] for column, _ in binds] + sorted(extra)
        self._bind_slots = [slot for _, slot in binds]
        self._equal = [(self._bind_columns.index(left), self._bind_columns.index(right)) for left, right in equal]
        self._keep = step.keep
        self._passed = [slot for slot in step.keep if slot not in {slot for _, slot in binds}]
        self._is_sure = self._reader.keys_lie_within(bounds)

    def push(self, frame: Frame, length: int) -> None:
        """Push the joined rows in pieces."""
        reader = self._reader
        if reader.access.source == "recent":
            self._scan_recent()
        elif reader.relation is not None and not reader.key_columns and length == 1:
            self._scan(reader.relation, frame)
        else:
            self._probe(frame, length)

    def _scan(self, relation: FixedRelation, frame: Frame) -> None:
        columns = [relation.column(column) for column in self._bind_columns]
        for low in range(0, relation.length, CHUNK):
            high = min(low + CHUNK, relation.length)
            repeats = high - low
            self._send(frame, [column[low:high] for column in columns], partial(np.repeat, repeats=repeats), repeats)

    def _scan_recent(self) -> None:
        growing = self._reader.growing
        codes, packing = growing.recent, growing.packing
        if self._reader.key_columns:
            for column, value in zip(self._reader.key_columns, self._reader.key_values([]), strict=True):
                codes = codes[packing.decode(codes, column) == value]
        for low in range(0, codes.size, CHUNK):
            part = codes[low : low + CHUNK]
            self._send([None] * self._width, [packing.decode(part, column) for column in self._bind_columns], None, part.size)

    def _probe(self, frame: Frame, length: int) -> None:
        reader = self._reader
        index = reader.index()
        key = index.key
        if self._is_sure and isinstance(key, BitPacking):
            keys = key.encode(reader.key_values(frame), length)
        else:
            keys, known = key.find(reader.key_values(frame), length)
            if known is False:
                return
            if known is not True:
                rows = np.flatnonzero(known)
                frame, keys, length = take(frame, rows, self._passed), keys[rows], rows.size
        if not length:
            return
        if isinstance(index, FixedIndex) and index.only is not None:
            self._one_each(index, index.run, frame, index.only[keys])
            return
        for run in reader.runs(index):
            starts, counts = run.probe(keys)
            most = int(counts.max())
            if most == 1:
                self._one_each(index, run, frame, np.where(counts, starts, -1))
            elif most:
                self._many_each(index, run, frame, starts, counts)

    def _one_each(self, index: FixedIndex | GrowingIndex, run: Run, frame: Frame, positions: Ints) -> None:
        """Send each row with the row at its position, or without one where that is -1."""
        if int(positions.min()) >= 0:
            self._send(frame, index.fetch(run, positions, self._bind_columns), None, positions.size)
            return
        rows = np.flatnonzero(positions >= 0)
        if rows.size:
            self._send(frame, index.fetch(run, positions[rows], self._bind_columns), partial(_pick, rows), rows.size)

    def _many_each(self, index: FixedIndex | GrowingIndex, run: Run, frame: Frame, starts: Ints, counts: Ints) -> None:
        for rows, repeats, positions in expansions(starts, counts):
            self._context.tick()
            self._send(
                frame,
                index.fetch(run, positions, self._bind_columns),
                partial(_repeat, rows, repeats),
                positions.size,
            )

    def _send(self, frame: Frame, fetched: list[Ints], passing: Callable[[Ints], Ints] | None, length: int) -> None:
        result: Frame = [None] * self._width
        for slot in self._passed:
            column = frame[slot]
            if column is not None:
                result[slot] = passing(column) if passing is not None else column
        for slot, column in zip(self._bind_slots, fetched, strict=False):
            result[slot] = column
        if self._equal:
            mask = np.ones(length, dtype=np.bool_)
            for left, right in self._equal:
                mask &= fetched[left] == fetched[right]
            rows = np.flatnonzero(mask)
            result, length = take(result, rows, self._keep), rows.size
        if length:
            self._next.push(result, length)


def selected(
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
    reader = _Reader(context, condition.access)
    columns: Frame = [rows.column(column) for column in range(rows.arity)]
    found = _matches(reader, columns, rows.length)
    mask = np.full(rows.length, found) if isinstance(found, bool) else found
    return ~mask if condition.negated else mask


class ExistsOperator:
    """Keeps the rows for which a relation has a matching row, or has none."""

    __slots__ = ("_keep", "_negated", "_next", "_reader")

    def __init__(self, context: Context, step: Exists, following: Operator) -> None:
        self._reader = _Reader(context, step.access)
        self._negated = step.negated
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        found = _matches(self._reader, frame, length)
        if isinstance(found, bool):
            if found != self._negated:
                self._next.push(frame, length)
            return
        rows = np.flatnonzero(~found if self._negated else found)
        if rows.size == length:
            self._next.push(frame, length)
        elif rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)


def _matches(reader: _Reader, frame: Frame, length: int) -> Bools | bool:
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


class CompareOperator:
    """Keeps the rows for which a comparison holds."""

    __slots__ = ("_context", "_keep", "_left", "_next", "_operator", "_right")

    def __init__(self, context: Context, step: Compare, following: Operator) -> None:
        self._context = context
        self._left = resolved(context, step.left)
        self._right = resolved(context, step.right)
        self._operator = COMPARISONS[step.operator]
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        left, exists_left = value_of(self._context, self._left, frame)
        right, exists_right = value_of(self._context, self._right, frame)
        holds = self._operator(left, right) & exists_left & exists_right
        if holds.ndim == 0:
            if holds:
                self._next.push(frame, length)
            return
        rows = np.flatnonzero(holds)
        if rows.size == length:
            self._next.push(frame, length)
        elif rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)


class AssignOperator:
    """Gives a slot the value of an expression."""

    __slots__ = ("_context", "_expression", "_keep", "_next", "_slot")

    def __init__(self, context: Context, step: Assign, following: Operator) -> None:
        self._context = context
        self._expression = resolved(context, step.expression)
        self._slot = step.slot
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows for which the expression has a value."""
        value, exists = value_of(self._context, self._expression, frame)
        column = np.full(length, value, dtype=np.int64) if isinstance(value, int) else value
        frame = list(frame)
        frame[self._slot] = column
        if exists is True:
            self._next.push(frame, length)
        elif exists is not False:
            rows = np.flatnonzero(exists)
            if rows.size:
                self._next.push(take(frame, rows, self._keep), rows.size)


class TestOperator:
    """Keeps the rows for which a test on two names holds; each pair of names is tested once."""

    __slots__ = ("_context", "_keep", "_known", "_matcher", "_negated", "_next", "_step")

    def __init__(self, context: Context, step: Test, following: Operator) -> None:
        from ce.datalog.builtins import matcher

        self._context = context
        self._step = step
        self._matcher = matcher
        self._known: dict[tuple[int, int], bool] = {}
        self._negated = step.negated
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        step = self._step
        left, right = (frame[operand] if isinstance(operand, int) else None for operand in (step.left, step.right))
        pairs, inverse = _distinct_pairs(left, right)
        verdicts = np.fromiter((self._holds(pair) for pair in pairs), dtype=np.bool_, count=len(pairs))
        holds = verdicts[inverse] != self._negated
        rows = np.flatnonzero(holds) if inverse.size > 1 or length == 1 else np.arange(length if holds[0] else 0)
        if rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)

    def _holds(self, pair: tuple[int, int]) -> bool:
        known = self._known.get(pair)
        if known is None:
            texts = [
                self._context.label(sort, value) if isinstance(operand, int) else str(operand.value)
                for operand, sort, value in zip((self._step.left, self._step.right), self._step.sorts, pair, strict=True)
            ]
            known = self._known[pair] = self._matcher(self._step.name, texts[1])(texts[0])
        return known


class DistinctOperator:
    """Drops the slots that are no longer needed, and the duplicate rows that leaves, as long as there are enough of them."""

    __slots__ = ("_given_up", "_keep", "_left", "_next", "_seen")

    def __init__(self, step: Distinct, following: Operator) -> None:
        self._keep = step.keep
        self._next = following
        self._seen = 0
        self._left = 0
        self._given_up = False

    def push(self, frame: Frame, length: int) -> None:
        """Push each row once, or all rows where that does not pay."""
        if self._given_up or length < _FEW_ROWS:
            self._next.push(frame, length)
            return
        columns = [_bound(frame, slot) for slot in self._keep]
        ranges = [column_range(column) for column in columns]
        if sum((high - low).bit_length() for low, high in ranges) > 63:
            self._next.push(frame, length)
            return
        packing = BitPacking(ranges)
        codes = distinct(packing.encode(columns, length))
        self._seen += length
        self._left += codes.size
        self._given_up = self._seen > _TRIAL_ROWS and self._left > _USEFUL_SHARE * self._seen
        result: Frame = [None] * len(frame)
        for place, slot in enumerate(self._keep):
            result[slot] = packing.decode(codes, place)
        self._next.push(result, codes.size)


class Emit:
    """The end of a rule: adds the head's rows to its relation."""

    __slots__ = ("_context", "_operands", "_relation", "_rule")

    def __init__(self, context: Context, head: Sequence[Operand], relation: GrowingRelation, rule: int) -> None:
        self._context = context
        self._operands: list[tuple[int] | int] = [(operand,) if isinstance(operand, int) else context.constant(operand) for operand in head]
        self._relation = relation
        self._rule = rule

    def push(self, frame: Frame, length: int) -> None:
        """Add the rows of a frame."""
        columns = [operand if isinstance(operand, int) else _bound(frame, operand[0]) for operand in self._operands]
        self._relation.absorb(columns, length, self._rule)
        if self._relation.waiting > self._context.room():
            self._relation.finish(self._rule)
            if self._relation.waiting > self._context.room():
                self._context.crowded()
        if length > _MANY_ROWS:
            self._context.weigh()


Resolved = tuple[int] | int | tuple[str, "Resolved", "Resolved"]


def resolved(context: Context, expression: Expression) -> Resolved:
    """Return an expression with its constants as numbers: a slot is a tuple of one."""
    if isinstance(expression, int):
        return (expression,)
    if isinstance(expression, Apply):
        return (expression.operator, resolved(context, expression.left), resolved(context, expression.right))
    return context.constant(expression)


def value_of(context: Context, expression: Resolved, frame: Frame) -> tuple[Ints | int, Bools | bool]:
    """Return the values of an expression, and for which rows it has one."""
    if isinstance(expression, int):
        return expression, True
    if len(expression) == 1:
        return _bound(frame, expression[0]), True
    operator, left_part, right_part = expression
    left, exists_left = value_of(context, left_part, frame)
    right, exists_right = value_of(context, right_part, frame)
    value, exists = apply(operator, left, right)
    if exists is not True:
        context.divided_by_zero()
    return value, exists & exists_left & exists_right


def _pick(rows: NDArray[np.intp], column: Ints) -> Ints:
    return column[rows]


def _repeat(rows: slice, repeats: Ints, column: Ints) -> Ints:
    return column[rows].repeat(repeats)


def _distinct_pairs(left: Ints | None, right: Ints | None) -> tuple[list[tuple[int, int]], NDArray[np.intp]]:
    """Return the distinct pairs of two columns, a missing one counting as zeros, and which pair each row has."""
    if left is None and right is None:
        return [(0, 0)], np.zeros(1, dtype=np.intp)
    if left is not None and right is not None:
        pairs, inverse = np.unique(np.stack((left, right), axis=1), axis=0, return_inverse=True)
        return [(int(a), int(b)) for a, b in pairs.tolist()], inverse.reshape(-1)
    column = left if left is not None else right
    assert column is not None
    values, inverse = np.unique(column, return_inverse=True)
    return [(value, 0) if left is not None else (0, value) for value in values.tolist()], inverse
