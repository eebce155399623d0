"""Vectorised primitives on sorted int64 codes and on row expansions.

Everything here is pure: arrays in, arrays out. A *code* is a row packed into one non-negative word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "Bools", "Ints", "contained", "distinct", "distinct_estimate", "expansions", "merge", "without"]

Word = TypeVar("Word", np.int64, np.uint32)
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Rows of an intermediate result that are worked on at once: they stay in the cache, and memory follows the output.
CHUNK = 1 << 17

_SAMPLE = 1 << 11
# Codes of at most so many bits sort faster as 32-bit words, if there are many.
_NARROW = 32

_COUNTING = np.arange(CHUNK, dtype=np.int64)


def distinct(codes: Ints, bits: int = 63) -> Ints:
    """Return the codes sorted, each once; codes that are known to have few bits are sorted as narrower words."""
    if codes.size < 2:
        return codes
    if bits <= _NARROW and codes.size > _SAMPLE:
        narrow = codes.astype(np.uint32)
        narrow.sort()
        return _drop_repeats(narrow).astype(np.int64)
    return _drop_repeats(np.sort(codes))


def merge(left: Ints, right: Ints) -> Ints:
    """Return the sorted union of two sorted, disjoint arrays."""
    both = np.concatenate((left, right))
    both.sort(kind="stable")  # finds the two ascending runs and merges them
    return both


def contained(codes: Ints, run: Ints) -> Bools:
    """Tell for each code whether the sorted `run` holds it; quickest when `codes` are sorted too."""
    if not run.size:
        return np.zeros(codes.size, dtype=np.bool_)
    places = run.searchsorted(codes)
    places[places == run.size] = 0
    found: Bools = run[places] == codes
    return found


def without(codes: Ints, run: Ints) -> Ints:
    """Return the codes that the sorted `run` does not hold."""
    if not run.size or not codes.size:
        return codes
    kept: Ints = codes[~contained(codes, run)]
    return kept


def expansions(starts: Ints, counts: Ints, limit: int = CHUNK) -> Iterator[tuple[slice, Ints, Ints]]:
    """Yield pieces of at most `limit` pairs of the join that gives input row i the positions starts[i] … starts[i] + counts[i] - 1.

    A piece is (the input rows it covers, how often each of them repeats, the position of every pair).
    """
    ends = counts.cumsum()
    total = int(ends[-1]) if ends.size else 0
    if total <= limit:
        if total:
            yield slice(None), counts, _positions(starts, counts, ends, total)
        return
    begins = ends - counts
    for low in range(0, total, limit):
        high = min(low + limit, total)
        first = int(ends.searchsorted(low, side="right"))
        last = int(ends.searchsorted(high, side="left"))
        rows = slice(first, last + 1)
        part_starts, part_counts = starts[rows].copy(), counts[rows].copy()
        skipped = low - int(begins[first])
        part_starts[0] += skipped
        part_counts[0] -= skipped
        part_counts[-1] -= int(ends[last]) - high
        yield rows, part_counts, _positions(part_starts, part_counts, part_counts.cumsum(), high - low)


def distinct_estimate(column: Ints) -> int:
    """Return about how many distinct values a column has, from a sample of its rows."""
    if column.size <= _SAMPLE:
        return int(distinct(column).size)
    sample = column[:: column.size // _SAMPLE]
    _, repeats = np.unique(sample, return_counts=True)
    once = int((repeats == 1).sum())
    # The jackknife estimator of Haas and Stokes: the more values were seen only once, the more were not seen at all.
    unseen = (1 - sample.size / column.size) * once / sample.size
    return int(repeats.size / (1 - unseen))


def _positions(starts: Ints, counts: Ints, ends: Ints, total: int) -> Ints:
    shifts = starts - ends
    shifts += counts
    positions = shifts.repeat(counts)
    positions += _COUNTING[:total] if total <= CHUNK else np.arange(total, dtype=np.int64)
    return positions


def _drop_repeats(codes: NDArray[Word]) -> NDArray[Word]:
    fresh = codes[1:] != codes[:-1]
    return codes if fresh.all() else np.concatenate((codes[:1], codes[1:][fresh]))
