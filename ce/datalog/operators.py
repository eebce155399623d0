"""The steps that read relations and the end of a rule: each takes a frame, works on it and pushes the result to the next one.

Joins push their result in pieces of at most `CHUNK` rows, so that what is held at once does not depend on how much a rule derives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ce.datalog.frames import Context, Frame, Operator, bound, take
from ce.datalog.growing import GrowingIndex, GrowingRelation
from ce.datalog.kernels import CHUNK, Ints, distinct, expansions
from ce.datalog.packing import BitPacking, Range, column_range
from ce.datalog.readers import Reader, matches
from ce.datalog.relation import FixedIndex, FixedRelation
from ce.datalog.runs import Run
from ce.datalog.steps import Distinct, Exists, Join, Operand

__all__ = ["DistinctOperator", "Emit", "ExistsOperator", "JoinOperator", "Relay", "Staged"]

# Removing duplicates from a frame is given up once this many rows showed it to remove too little.
_TRIAL_ROWS = 50_000
_USEFUL_SHARE = 0.8
_FEW_ROWS = 64
# A piece of this size is worth looking at the clock and at the memory in use.
_MANY_ROWS = 1 << 12


class JoinOperator:
    """Extends every row by each matching row of a relation."""

    __slots__ = ("_bind_columns", "_bind_slots", "_context", "_equal", "_is_sure", "_keep", "_next", "_passed", "_reader", "_width")

    def __init__(self, context: Context, step: Join, following: Operator, width: int, bounds: Mapping[int, Range]) -> None:
        self._context = context
        self._reader = Reader(context, step.access, project=True)
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


class ExistsOperator:
    """Keeps the rows for which a relation has a matching row, or has none."""

    __slots__ = ("_keep", "_negated", "_next", "_reader")

    def __init__(self, context: Context, step: Exists, following: Operator) -> None:
        self._reader = Reader(context, step.access)
        self._negated = step.negated
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        found = matches(self._reader, frame, length)
        if isinstance(found, bool):
            if found != self._negated:
                self._next.push(frame, length)
            return
        rows = np.flatnonzero(~found if self._negated else found)
        if rows.size == length:
            self._next.push(frame, length)
        elif rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)


class Staged:
    """A pipeline in stages: each runs to its end before the next one starts, so that very long bodies do not call too deeply."""

    __slots__ = ("_firsts", "_relays")

    def __init__(self, firsts: Sequence[Operator], relays: Sequence[Relay]) -> None:
        self._firsts = firsts
        self._relays = relays

    def push(self, frame: Frame, length: int) -> None:
        """Run the first stage on a frame, then every other on what the one before left."""
        self._firsts[0].push(frame, length)
        for relay, first in zip(self._relays, self._firsts[1:], strict=True):
            for left, rows in relay.drain():
                first.push(left, rows)


class Relay:
    """The end of a stage: keeps its frames for the next one."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: list[tuple[Frame, int]] = []

    def push(self, frame: Frame, length: int) -> None:
        """Keep a frame."""
        self._frames.append((frame, length))

    def drain(self) -> list[tuple[Frame, int]]:
        """Return the frames, and forget them."""
        frames, self._frames = self._frames, []
        return frames


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
        columns = [bound(frame, slot) for slot in self._keep]
        ranges = [column_range(column) for column in columns]
        if sum((high - low).bit_length() for low, high in ranges) > 63:
            self._next.push(frame, length)
            return
        packing = BitPacking(ranges)
        codes = distinct(packing.encode(columns, length), packing.width)
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
        columns = [operand if isinstance(operand, int) else bound(frame, operand[0]) for operand in self._operands]
        self._relation.absorb(columns, length, self._rule)
        if self._relation.waiting > self._context.room():
            self._relation.finish(self._rule)
            if self._relation.waiting > self._context.room():
                self._context.crowded()
        if length > _MANY_ROWS:
            self._context.weigh()


def _pick(rows: NDArray[np.intp], column: Ints) -> Ints:
    return column[rows]


def _repeat(rows: slice, repeats: Ints, column: Ints) -> Ints:
    return column[rows].repeat(repeats)
