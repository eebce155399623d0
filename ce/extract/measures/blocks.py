"""Blocks: what is said of equal runs, and which of them say something of their own.

A block is a pair of places that hold the same normalised tokens. Several copies of one text are a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.runs import Runs, is_same
from ce.extract.measures.tape import Tape, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Block", "Blocks", "Group", "Places", "blocks_of", "groups_of"]


@dataclass(frozen=True, slots=True)
class Block:
    """Two places with the same tokens: file numbers, first tokens, first and last lines, and the length.

    `distinct` counts different tokens, `code` those outside import statements. `kind` is `T1` when the code of both sides is equal to
    the letter once comments and blanks are masked, else `T2`.
    """

    a: int
    a_start: int
    a_end: int
    b: int
    b_start: int
    b_end: int
    tokens: int
    distinct: int
    code: int
    kind: str
    a_token: int
    b_token: int


@dataclass(frozen=True, slots=True)
class Group:
    """All places of one text: (file number, first line, last line) in order, the number of blocks between them, the longest block."""

    members: tuple[tuple[int, int, int], ...]
    blocks: int
    tokens: int


Places = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]  # files, first lines, last lines


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Many blocks by column, with the fields of `Block`; `exact` says that a block is `T1`."""

    a: NDArray[np.int64]
    a_start: NDArray[np.int64]
    a_end: NDArray[np.int64]
    b: NDArray[np.int64]
    b_start: NDArray[np.int64]
    b_end: NDArray[np.int64]
    tokens: NDArray[np.int64]
    distinct: NDArray[np.int64]
    code: NDArray[np.int64]
    exact: NDArray[np.bool_]
    a_token: NDArray[np.int64]
    b_token: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.a)

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Blocks:
        """Return the blocks at the places, or those of a mask."""
        return Blocks(*(getattr(self, field.name)[which] for field in fields(self)))

    def rows(self) -> Iterator[Block]:
        """Yield the blocks one by one."""
        columns = [getattr(self, field.name).tolist() for field in fields(self)]
        for a, a_start, a_end, b, b_start, b_end, tokens, distinct, code, exact, a_token, b_token in zip(*columns, strict=True):
            kind = "T1" if exact else "T2"
            yield Block(a, a_start, a_end, b, b_start, b_end, tokens, distinct, code, kind, a_token, b_token)


def blocks_of(runs: Runs, tape: Tape, least: int) -> Blocks:
    """Return the blocks of the runs of at least `least` tokens that no larger block of the same two files contains, by position."""
    long = runs.lengths >= least
    a, at, b, bt, lengths = runs.a[long], runs.at[long], runs.b[long], runs.bt[long], runs.lengths[long]
    left, right = tape.bounds[a] + at, tape.bounds[b] + bt
    blocks = Blocks(
        a,
        tape.starts[left].astype(np.int64),
        tape.ends[left + lengths - 1].astype(np.int64),
        b,
        tape.starts[right].astype(np.int64),
        tape.ends[right + lengths - 1].astype(np.int64),
        lengths,
        _distinct(tape, left, lengths),
        lengths - (tape.imports[left + lengths] - tape.imports[left]),
        _are_exact(tape, (a, left), (b, right), lengths),
        at,
        bt,
    )
    blocks = blocks.take(~_are_dominated(blocks))
    return blocks.take(np.lexsort((blocks.b_end, blocks.a_end, blocks.b_start, blocks.b, blocks.a_start, blocks.a)))


def groups_of(left: Places, right: Places, tokens: NDArray[np.int64]) -> tuple[Group, ...]:
    """Return the families of copies of blocks, given by their two places and their lengths.

    Places of one file that overlap are one place, blocks join their two places.
    """
    count = len(tokens)
    if not count:
        return ()
    files, starts, ends = (np.concatenate(pair) for pair in zip(left, right, strict=True))
    order = np.lexsort((ends, starts, files))
    # How far the places of a file reach so far; a place that begins behind that is another.
    apart = np.int64(ends.max(initial=0)) + 2
    reach = np.maximum.accumulate(files[order] * apart + ends[order])
    opens = np.ones(2 * count, np.bool_)
    opens[1:] = files[order][1:] * apart + starts[order][1:] > reach[:-1]
    first = opens.nonzero()[0]
    numbers = np.empty(2 * count, np.int64)
    numbers[order] = np.cumsum(opens) - 1
    family = _components(len(first), numbers[:count], numbers[count:])
    last = np.append(first[1:], 2 * count) - 1
    members: dict[int, list[tuple[int, int, int]]] = {}
    places = zip(family.tolist(), files[order][first].tolist(), starts[order][first].tolist(), (reach[last] % apart).tolist(), strict=False)
    for number, *place in places:
        members.setdefault(number, []).append((place[0], place[1], place[2]))
    own = family[numbers[:count]]
    blocks = np.bincount(own, minlength=len(first)).tolist()
    longest = np.zeros(len(first), np.int64)
    np.maximum.at(longest, own, tokens)
    # A family has the number of its first place, so they are in order.
    return tuple(Group(tuple(found), blocks[number], int(longest[number])) for number, found in members.items())


def _components(count: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each node the least node that the edges connect it with."""
    labels = np.arange(count)
    while True:
        least = np.minimum(labels[left], labels[right])
        joined = labels.copy()
        np.minimum.at(joined, labels[left], least)
        np.minimum.at(joined, labels[right], least)
        while not np.array_equal(shorter := joined[joined], joined):
            joined = shorter
        if np.array_equal(joined, labels):
            return labels
        labels = joined


def _distinct(tape: Tape, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of different tokens of each run, given in order of their files: those that did not occur since it began."""
    counts = np.zeros(len(starts), np.int64)
    for part in _parts(lengths):
        low, high = int(starts[part].min()), int((starts[part] + lengths[part]).max())
        order = np.argsort(tape.codes[low:high], kind="stable")
        earlier = np.full(high - low, -1, np.int32)
        again = np.flatnonzero(~_changes(tape.codes[low:high][order]))
        earlier[order[again + 1]] = order[again]
        within = spread(starts[part] - low, lengths[part])
        is_first = earlier[within] < np.repeat(starts[part] - low, lengths[part])
        counts[part] = np.add.reduceat(is_first, np.cumsum(lengths[part]) - lengths[part], dtype=np.int64)
    return counts


def _changes(column: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
    return np.asarray(column[1:] != column[:-1], np.bool_)


def _are_exact(
    tape: Tape, a: tuple[NDArray[np.int64], NDArray[np.int64]], b: tuple[NDArray[np.int64], NDArray[np.int64]], lengths: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell of which runs, given by file and first token on both sides, the whole lines have the same code.

    Of a run without a whole line nothing is known to the letter.
    """
    (x, count), (y, other) = _whole_lines(tape, *a, lengths), _whole_lines(tape, *b, lengths)
    exact = np.asarray((count == other) & (count > 0), np.bool_)
    compared = np.flatnonzero(exact)
    for part in _parts(count[compared]):
        rows = compared[part]
        same = tape.hashes[spread(x[rows], count[rows])] == tape.hashes[spread(y[rows], count[rows])]
        exact[rows] = np.logical_and.reduceat(same, np.cumsum(count[rows]) - count[rows])
    return exact


def _whole_lines(
    tape: Tape, files: NDArray[np.int64], places: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where in `tape.hashes` the lines begin that hold code of the run and of nothing else, and how many they are."""
    start, end = tape.starts[places].astype(np.int64), tape.ends[places + lengths - 1].astype(np.int64)
    before, behind = places - 1, np.minimum(places + lengths, len(tape.codes) - 1)
    start += (places > tape.bounds[files]) & (tape.ends[before] >= start)
    end -= (places + lengths < tape.bounds[files + 1]) & (tape.starts[behind] <= end)
    first = tape.written[tape.line_bounds[files] + start - 1].astype(np.int64)
    last = tape.written[tape.line_bounds[files] + np.maximum(end, start - 1)].astype(np.int64)
    return first, last - first


def _are_dominated(blocks: Blocks) -> NDArray[np.bool_]:
    """Tell which blocks lie, on both sides, in the lines of one that is longer, or as long and found before."""
    order = np.lexsort((-blocks.tokens, blocks.b, blocks.a))
    ranked = blocks.take(order)
    numbers = np.arange(len(order))
    opens = np.ones(len(order), np.bool_)
    opens[1:] = ~is_same(ranked.a, ranked.b)
    first = np.maximum.accumulate(np.where(opens, numbers, 0))
    before = numbers - first
    dominated = np.zeros(len(order), np.bool_)
    followers = np.flatnonzero(before)
    for part in _parts(before[followers]):
        rows = followers[part]
        small, large = np.repeat(rows, before[rows]), spread(first[rows], before[rows])
        contains = ranked.a_start[large] <= ranked.a_start[small]
        contains &= ranked.a_end[large] >= ranked.a_end[small]
        contains &= ranked.b_start[large] <= ranked.b_start[small]
        contains &= ranked.b_end[large] >= ranked.b_end[small]
        dominated[rows] = np.logical_or.reduceat(contains, np.cumsum(before[rows]) - before[rows])
    result = np.zeros(len(order), np.bool_)
    result[order] = dominated
    return result


_MOST_CELLS = 1 << 18


def _parts(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of the ranges in parts whose lengths together stay small, as far as single ranges do."""
    ends = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        reached = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, reached + _MOST_CELLS, "right")))
        yield np.arange(start, stop)
        start = stop
