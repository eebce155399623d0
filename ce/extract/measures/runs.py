"""Equal runs between files: fingerprints that meet, extended to the longest run of equal tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.fingerprints import KGRAM
from ce.extract.measures.tape import Tape, equal_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOT", "Anchors", "Runs", "anchor_pairs", "is_same", "joined", "matching_runs", "ranked"]

# Up to this many copies every pair is compared; of more, each with the next: k copies cost k comparisons, not k².
HOT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Pairs of equal fingerprints: columns of file number and first token on both sides, ordered by (file a, file b, diagonal, token a).

    `hot` counts the fingerprints that stood in too many places to compare every pair; `crowd` are these places: columns of the number of
    the fingerprint, file and first token.
    """

    a: NDArray[np.int64]
    at: NDArray[np.int64]
    b: NDArray[np.int64]
    bt: NDArray[np.int64]
    hot: int
    crowd: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Equal runs: columns of file and first token on both sides, and of lengths."""

    a: NDArray[np.int64]
    at: NDArray[np.int64]
    b: NDArray[np.int64]
    bt: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Runs:
        """Return the runs at the places, or those of a mask."""
        return Runs(*(getattr(self, field.name)[which] for field in fields(self)))


def anchor_pairs(prints: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint32]]]) -> Anchors:
    """Return the pairs of equal fingerprints; `prints` holds (hashes, first tokens) by file number."""
    sizes = [len(hashes) for hashes, _ in prints]
    hashes = np.concatenate([hashes for hashes, _ in prints]) if prints else np.zeros(0, np.uint64)
    starts = np.concatenate([starts for _, starts in prints]).astype(np.int64) if prints else np.zeros(0, np.int64)
    files = np.repeat(np.arange(len(sizes)), sizes)
    # Stable, so that inside one hash the order (file, token) of the input remains.
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    edges = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))) if len(ordered) else np.zeros(1, np.int64)
    counts = np.diff(edges)
    first, second, hot = [], [], 0
    for size in np.unique(counts):
        if size < 2:
            continue
        begins = edges[:-1][counts == size]
        if size <= HOT:
            left, right = np.triu_indices(size, 1)
        else:
            left, right = np.arange(size - 1), np.arange(1, size)
            hot += len(begins)
        first.append((begins[:, None] + left).ravel())
        second.append((begins[:, None] + right).ravel())
    crowded = np.repeat(counts > HOT, counts).nonzero()[0]
    crowd = (np.repeat(np.arange(len(counts)), counts)[crowded], files[order[crowded]], starts[order[crowded]])
    empty = np.zeros(0, np.int64)
    unranked = Anchors(empty, empty, empty, empty, hot, crowd)
    if not first:
        return unranked
    a, b = order[np.concatenate(first)], order[np.concatenate(second)]
    return ranked(files[a], starts[a], files[b], starts[b], unranked)


def ranked(a: NDArray[np.int64], at: NDArray[np.int64], b: NDArray[np.int64], bt: NDArray[np.int64], others: Anchors) -> Anchors:
    """Return the pairs in their order, each once, with what else is known of the anchors."""
    order = np.lexsort((at, bt - at, b, a))
    a, at, b, bt = a[order], at[order], b[order], bt[order]
    fresh = np.ones(len(a), np.bool_)
    fresh[1:] = ~is_same(a, at, b, bt)
    return Anchors(a[fresh], at[fresh], b[fresh], bt[fresh], others.hot, others.crowd)


def matching_runs(anchors: Anchors, tape: Tape, least: int = KGRAM) -> Runs:
    """Return the maximal equal runs through the anchors, each once, at least `least` long; in one file they may reach their own copies."""
    left, right = tape.bounds[anchors.a] + anchors.at, tape.bounds[anchors.b] + anchors.bt
    # Anchors on one diagonal follow each other; two are of one run when all between them is equal.
    follows = np.zeros(len(left) + 1, np.bool_)
    follows[1:-1] = is_same(anchors.a, anchors.b, anchors.bt - anchors.at)
    gaps = np.diff(left, append=0)
    rest = np.minimum(tape.bounds[anchors.a + 1] - left, tape.bounds[anchors.b + 1] - right)
    forth = equal_lengths(tape.codes, left, right, np.where(follows[1:], np.minimum(gaps, rest), rest))
    links = np.zeros(len(left) + 1, np.bool_)
    links[1:] = follows[1:] & (forth == gaps)
    first, last = np.flatnonzero(~links[:-1]), np.flatnonzero(~links[1:])
    before = np.minimum(anchors.at, anchors.bt)[first]
    since = np.where(follows[first], left[first] - left[first - 1] - forth[first - 1], before)
    back = equal_lengths(tape.codes, left[first], right[first], np.minimum(before, since), -1)
    at, bt = anchors.at[first] - back, anchors.bt[first] - back
    lengths = anchors.at[last] + forth[last] - at
    a, b = anchors.a[first], anchors.b[first]
    kept = lengths >= least
    return Runs(a[kept], at[kept], b[kept], bt[kept], lengths[kept])


def joined(parts: Sequence[Runs]) -> Runs:
    """Return the runs of all parts, one after the other."""
    return Runs(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Runs)))


def is_same(*columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell for each row but the first whether it equals the row before."""
    return np.asarray(np.logical_and.reduce([column[1:] == column[:-1] for column in columns]), np.bool_)
