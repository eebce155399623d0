"""Relations of the stratum being evaluated, as sets of rows that know what is new.

Rows derived in a round wait until `advance`, then they are the recent ones. Nothing that a round derives is visible within the round, so a
row's round is the smallest height it can be derived at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ce.datalog.kernels import Ints, distinct, without
from ce.datalog.packing import BitPacking, InternPacking, Packing, Range, packing_for
from ce.datalog.relation import FixedRelation
from ce.datalog.runs import Order, Run, is_ascending, merged

__all__ = ["FACT", "FULL_RANGE", "GrowingIndex", "GrowingRelation", "Segment"]

FULL_RANGE: Range = (-(1 << 63), (1 << 63) - 1)
# The rule number of rows that are facts of the database.
FACT = -1

# A flag per possible row costs a byte each: worth it for few possible rows, or once the rows are many among the possible ones.
_FEW_POSSIBLE = 1 << 20
_FLAGS_PER_ROW = 64
_MOST_FLAGS = 1 << 28
# From this many rows of one round on, duplicates among its pieces are removed before it ends.
_CROWD = 1 << 21
# With fewer bits than this for a column without a bound, rows are packed as wide ones from the start.
_LEAST_GUESS = 20

_NOTHING: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows first derived in one round by one rule, or each by its own; codes in no particular order."""

    round: int
    rule: int | Ints
    codes: Ints

    @property
    def derived(self) -> int:
        """Return how many of the rows a rule derived or states; the others are facts of the database."""
        if isinstance(self.rule, int):
            return 0 if self.rule == FACT else self.codes.size
        return int(np.count_nonzero(self.rule != FACT))


class GrowingIndex:
    """Runs of a growing relation ordered by some columns: those of all rows, and those of all but the recent ones."""

    __slots__ = ("_all", "_order", "_relation", "_stable")

    def __init__(self, relation: GrowingRelation, key_columns: tuple[int, ...], ranges: Sequence[Range]) -> None:
        self._relation = relation
        self._order = Order(key_columns, ranges)
        self._all: tuple[Run, ...] = ()
        self._stable: tuple[Run, ...] = ()

    @property
    def key(self) -> Packing:
        """Return how the values of the key columns pack."""
        return self._order.key

    @property
    def is_natural(self) -> bool:
        """Tell whether the runs hold whole rows in the order of the columns, that is the codes of the relation."""
        return self._order.whole is not None and self._order.natural

    def runs(self, stable: bool) -> tuple[Run, ...]:
        """Return the runs to probe."""
        return self._stable if stable else self._all

    def add(self, codes: Ints) -> None:
        """Make rows the recent ones; what was recent becomes stable."""
        self._stable = self._all
        if not codes.size:
            return
        order, packing = self._order, self._relation.packing
        if order.whole is not None:
            if not order.natural:
                codes = order.whole.encode([packing.decode(codes, column) for column in order.columns], codes.size)
            newest = Run(codes if is_ascending(codes) else np.sort(codes), order.tail, order.span)
        else:
            keys = order.key.encode([packing.decode(codes, column) for column in order.keys], codes.size)
            rows = np.argsort(keys, kind="stable")
            newest = Run(keys[rows], 0, order.span, codes[rows])
        self._all = merged(self._stable, newest)

    def fetch(self, run: Run, positions: Ints, columns: Sequence[int]) -> list[Ints]:
        """Return columns of the rows at some positions of a run."""
        if run.payload is not None:
            codes = run.payload[positions]
            return [self._relation.packing.decode(codes, column) for column in columns]
        codes, whole = run.codes[positions], self._order.whole
        assert whole is not None
        return [whole.decode(codes, self._order.places[column]) for column in columns]


class GrowingRelation:
    """The rows derived so far, those of the last round apart, and which rule derived each row in which round.

    `ranges` bound the columns; None marks a column whose values arithmetic makes, with no bound known beforehand.
    """

    __slots__ = (
        "_bits",
        "_chunks",
        "_crowd",
        "_flags",
        "_guessed",
        "_indexes",
        "_members",
        "_natural",
        "_pending",
        "_span",
        "arity",
        "count",
        "log",
        "packing",
        "ranges",
        "recent",
        "waiting",
    )

    def __init__(self, ranges: Sequence[Range | None]) -> None:
        self.arity = len(ranges)
        self._guessed = any(bounds is None for bounds in ranges)  # and so while rows may have to be packed anew
        self.ranges = _guess(ranges)
        self.packing: Packing = packing_for(self.ranges)
        self.count = 0
        self.log: list[Segment] = []
        self.recent: Ints = np.empty(0, dtype=np.int64)
        self._pending: list[tuple[int, Ints]] = []
        self._chunks: list[Ints] = []
        # Rows of this round so far; duplicates among pieces are counted until they are consolidated.
        self.waiting = 0
        self._crowd = _CROWD
        self._members: tuple[Run, ...] = ()
        self._flags: NDArray[np.bool_] | None = None
        self._span = _code_span(self.packing)
        self._bits = (self._span - 1).bit_length()
        self._use_flags()
        self._indexes: dict[tuple[int, ...], GrowingIndex] = {}
        self._natural: GrowingIndex | None = None

    def add_indexes(self, key_columns: Iterable[tuple[int, ...]]) -> None:
        """Keep indexes by these columns from now on."""
        for keys in key_columns:
            index = self._indexes[keys] = GrowingIndex(self, keys, self.ranges)
            if self.count > self.recent.size:
                index.add(without(np.sort(self.codes()), np.sort(self.recent)))
            index.add(self.recent)
            if index.is_natural:
                self._natural, self._members = index, ()

    def bytes(self) -> int:
        """Return about how much memory the rows and their indexes hold."""
        flags = 0 if self._flags is None else self._flags.size
        copies = 1 + (self._flags is None and self._natural is None) + len(self._indexes)
        return flags + 8 * (copies * self.count + self.waiting)

    @property
    def is_bounded(self) -> bool:
        """Tell whether all rows are sure to lie within `ranges`."""
        return not self._guessed

    def index(self, key_columns: tuple[int, ...]) -> GrowingIndex:
        """Return the index by some columns."""
        return self._indexes[key_columns]

    def seed(self, columns: Sequence[Ints], rules: int | Ints) -> None:
        """Begin with facts, none of them twice, and the rule that states each: they are round 0, and the recent rows."""
        self._fit(columns)
        codes = self.packing.encode(columns, columns[0].size if columns else 1)
        if not isinstance(rules, int):
            codes, first = np.unique(codes, return_index=True)
            rules = rules[first]
        self.log.append(Segment(0, rules, codes))
        self.recent = codes
        self.count = codes.size
        if self._flags is not None:
            self._flags[codes] = True
        else:
            self._members = (Run(np.sort(codes), 0, 1 << 62),)

    def absorb(self, columns: Sequence[Ints | int], length: int, rule: int) -> None:
        """Add candidate rows of a rule; those already there are dropped."""
        self._fit(columns)
        codes = self.packing.encode(columns, length)
        if self._flags is not None:
            known = self._flags[codes]
            fresh = distinct(codes[~known] if known.any() else codes, self._bits)
            if fresh.size:
                self._flags[fresh] = True
                self._pending.append((rule, fresh))
                self.waiting += fresh.size
            return
        fresh = distinct(codes, self._bits)
        for run in self._runs():
            fresh = without(fresh, run.codes)
        if fresh.size:
            self._chunks.append(fresh)
            self.waiting += fresh.size
            if self.waiting > self._crowd:
                self._consolidate()

    def _consolidate(self) -> None:
        """Remove duplicates among the pieces of a round, so that memory follows the rows and not how often they are derived."""
        self._chunks = [distinct(np.concatenate(self._chunks), self._bits)]
        self.waiting = self._chunks[0].size + sum(codes.size for _, codes in self._pending)
        self._crowd = max(_CROWD, 2 * self.waiting)

    def finish(self, rule: int) -> None:
        """End the candidates of a rule for this round."""
        if not self._chunks:
            return
        fresh = self._chunks[0] if len(self._chunks) == 1 else distinct(np.concatenate(self._chunks), self._bits)
        self._chunks = []
        for _, earlier in self._pending:
            fresh = without(fresh, earlier)
        if fresh.size:
            self._pending.append((rule, fresh))
        self.waiting = sum(codes.size for _, codes in self._pending)

    def advance(self, round_number: int) -> bool:
        """End a round: the rows added since the last one are the recent ones. Tell whether there are any."""
        pending = self._pending
        if not pending:
            if self.recent.size:
                self.recent = _NOTHING
                for index in self._indexes.values():
                    index.add(_NOTHING)
            return False
        self._pending = []
        self.waiting = 0
        self._crowd = _CROWD
        self.log += [Segment(round_number, rule, codes) for rule, codes in pending]
        recent = pending[0][1] if len(pending) == 1 else np.sort(np.concatenate([codes for _, codes in pending]))
        self.recent = recent
        self.count += recent.size
        for index in self._indexes.values():
            index.add(recent)
        if self._flags is None:
            if self._natural is None:
                self._members = merged(self._members, Run(recent, 0, 1 << 62))
            self._use_flags()
        return True

    def close(self) -> None:
        """Let go of what only a growing relation needs."""
        self._flags, self._members, self._natural = None, (), None
        self._indexes.clear()

    def codes(self) -> Ints:
        """Return the codes of all rows, in the order in which they were derived."""
        if not self.log:
            return np.empty(0, dtype=np.int64)
        return np.concatenate([segment.codes for segment in self.log])

    def freeze(self) -> FixedRelation:
        """Return the rows as a fixed relation, ordered by their codes."""
        codes = self.log[0].codes if len(self.log) == 1 else self.codes()
        if not is_ascending(codes):
            codes = np.sort(codes)
        packing = self.packing
        return FixedRelation(self.arity, codes.size, [None] * self.arity, lambda column: packing.decode(codes, column))

    def _runs(self) -> tuple[Run, ...]:
        """Return the rows as runs of codes; an index in the order of the columns holds them anyway."""
        return self._members if self._natural is None else self._natural.runs(False)

    def _use_flags(self) -> None:
        """Switch to a flag per possible row once that is the cheaper set."""
        if self._flags is None and self._span <= min(max(_FEW_POSSIBLE, _FLAGS_PER_ROW * self.count), _MOST_FLAGS):
            self._flags = np.zeros(self._span, dtype=np.bool_)
            for segment in self.log:
                self._flags[segment.codes] = True
            self._members = ()

    def _fit(self, columns: Sequence[Ints | int]) -> None:
        if self._guessed and isinstance(self.packing, BitPacking) and self.packing.within(columns) is not True:
            self._widen()

    def _widen(self) -> None:
        """Pack rows anew without a bound on any column, after a value outside the guessed ranges."""
        old, wide = self.packing, InternPacking([FULL_RANGE] * self.arity)

        def anew(codes: Ints) -> Ints:
            return np.sort(wide.encode([old.decode(codes, column) for column in range(self.arity)], codes.size))

        self._guessed = False
        self.ranges = (FULL_RANGE,) * self.arity
        self.log = [Segment(segment.round, segment.rule, anew(segment.codes)) for segment in self.log]
        self._pending = [(rule, anew(codes)) for rule, codes in self._pending]
        self._chunks = [anew(codes) for codes in self._chunks]
        recent = anew(self.recent)
        self.packing, self._flags, self._members, self._span = wide, None, (), _code_span(wide)
        self._bits = 63
        stable = without(np.sort(self.codes()), recent)
        self._natural = None
        for index_keys in self._indexes:
            self._indexes[index_keys] = GrowingIndex(self, index_keys, self.ranges)
        for rows in (stable, recent):
            if rows.size:
                self._members = merged(self._members, Run(rows, 0, 1 << 62))
            for index in self._indexes.values():
                index.add(rows)
        self.recent = recent


def _code_span(packing: Packing) -> int:
    """Return one more than the largest code."""
    if not isinstance(packing, BitPacking):
        return 1 << 62
    if not packing.ranges:
        return 1
    low, high = packing.ranges[0]
    return (high - low + 1) << packing.shifts[0]


def _guess(ranges: Sequence[Range | None]) -> tuple[Range, ...]:
    """Share the bits that the bounded columns leave among the unbounded ones, around zero."""
    unbounded = sum(bounds is None for bounds in ranges)
    if not unbounded:
        return tuple(bounds for bounds in ranges if bounds is not None)
    used = sum((bounds[1] - bounds[0]).bit_length() for bounds in ranges if bounds is not None)
    share = (63 - used) // unbounded
    if share < _LEAST_GUESS:
        return tuple(FULL_RANGE if bounds is None else bounds for bounds in ranges)
    half = 1 << (share - 1)
    return tuple((-half, half - 1) if bounds is None else bounds for bounds in ranges)
