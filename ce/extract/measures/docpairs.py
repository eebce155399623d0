"""Which prose segments say the same: exact Jaccard over shingle sets, longest verbatim run, containment; families of copies.

The candidate stage loses nothing: a pair with Jaccard 0.80 shares one of the rarest shingles of both sides (prefix filter), a pair with a
verbatim run of 50 words shares a winnowing fingerprint of its words. Every candidate is then measured in exact integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.fingerprints import fingerprints
from ce.extract.measures.words import SHINGLE, shingles

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOT", "JACCARD", "VERBATIM", "DocPair", "compare", "doc_pairs", "families", "is_duplicate"]

JACCARD = 80  # per cent
VERBATIM = 50  # words
HOT = 8


@dataclass(frozen=True, slots=True)
class DocPair:
    """Two segments by number, a < b: shared shingles, all shingles, words of the longest verbatim run, words of each side.

    `contained` is how many of the smaller set's shingles the larger one has, in per cent, rounded down.
    """

    a: int
    b: int
    inter: int
    union: int
    verbatim: int
    words_a: int
    words_b: int
    contained: int


def doc_pairs(segments: Sequence[NDArray[np.uint64]]) -> tuple[DocPair, ...]:
    """Return every pair of segments (given as word hashes) that is a duplicate, by number.

    Of more than eight segments with the very same words each is paired with the next only: k copies give k rows.
    """
    classes: dict[bytes, list[int]] = {}
    for number, hashes in enumerate(segments):
        classes.setdefault(hashes.tobytes(), []).append(number)
    first = {members[0]: members for members in classes.values()}
    sequences = {number: shingles(segments[number]) for number in first}
    sets = {number: np.unique(sequence) for number, sequence in sequences.items()}
    found: list[DocPair] = []
    for members in first.values():
        own = sets[members[0]]
        count = len(segments[members[0]])
        joined = combinations(members, 2) if len(members) <= HOT else pairwise(members)
        found += [DocPair(a, b, len(own), len(own), count, count, count, 100) for a, b in joined if len(own)]
    for a, b in sorted(_candidates(segments, sets)):
        pair = compare(a, b, segments, sequences, sets)
        if is_duplicate(pair):
            found += [_between(pair, x, y) for x, y in _crossed(first[a], first[b])]
    return tuple(sorted(found, key=lambda pair: (pair.a, pair.b)))


def compare(
    a: int,
    b: int,
    segments: Sequence[NDArray[np.uint64]],
    sequences: dict[int, NDArray[np.uint64]],
    sets: dict[int, NDArray[np.uint64]],
) -> DocPair:
    """Return the measured pair."""
    inter = len(np.intersect1d(sets[a], sets[b], assume_unique=True))
    union = len(sets[a]) + len(sets[b]) - inter
    run = _longest_run(sequences[a], sequences[b])
    smaller = min(len(sets[a]), len(sets[b]))
    verbatim = run + SHINGLE - 1 if run else 0
    return DocPair(a, b, inter, union, verbatim, len(segments[a]), len(segments[b]), inter * 100 // smaller if smaller else 0)


def is_duplicate(pair: DocPair) -> bool:
    """Tell whether a pair reaches the thresholds of the candidate stage; the program judges by the same numbers."""
    return pair.inter * 100 >= JACCARD * pair.union or pair.verbatim >= VERBATIM


def families(pairs: Iterable[DocPair]) -> tuple[tuple[int, ...], ...]:
    """Return the segments that duplicates connect, each family in order."""
    parent: dict[int, int] = {}

    def find(number: int) -> int:
        while parent.setdefault(number, number) != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for pair in pairs:
        a, b = find(pair.a), find(pair.b)
        parent[max(a, b)] = min(a, b)
    members: dict[int, list[int]] = {}
    for number in sorted(parent):
        members.setdefault(find(number), []).append(number)
    return tuple(tuple(own) for _, own in sorted(members.items()))


def _candidates(segments: Sequence[NDArray[np.uint64]], sets: dict[int, NDArray[np.uint64]]) -> set[tuple[int, int]]:
    numbers = sorted(sets)
    found = _meeting(numbers, [_rarest(sets[number], *_frequencies(sets)) for number in numbers]) if numbers else set()
    return found | _meeting(numbers, [fingerprints(segments[number])[0] for number in numbers])


def _frequencies(sets: dict[int, NDArray[np.uint64]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    values, counts = np.unique(np.concatenate(list(sets.values())), return_counts=True)
    return values, counts


def _rarest(own: NDArray[np.uint64], values: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the prefix of a set in order of rarity that meets the prefix of every set with a Jaccard of 0.80 to it."""
    size = len(own)
    length = size - (JACCARD * size + 99) // 100 + 1
    frequency = counts[np.searchsorted(values, own)]
    order = np.lexsort((own, frequency))
    return own[order[:length]]


def _meeting(numbers: Sequence[int], keys: Sequence[NDArray[np.uint64]]) -> set[tuple[int, int]]:
    """Return the pairs of numbers that share a key."""
    if not numbers:
        return set()
    owners = np.repeat(np.array(numbers, np.int64), [len(own) for own in keys])
    flat = np.concatenate(keys)
    order = np.argsort(flat, kind="stable")
    flat, owners = flat[order], owners[order]
    edges = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1], [True]))) if len(flat) else np.zeros(1, np.int64)
    found: set[tuple[int, int]] = set()
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if end - begin > 1:
            members = sorted(set(owners[begin:end].tolist()))
            found.update(combinations(members, 2))
    return found


def _longest_run(x: NDArray[np.uint64], y: NDArray[np.uint64]) -> int:
    """Return the length of the longest common contiguous run of two sequences."""
    common = np.intersect1d(x, y)
    if not len(common):
        return 0
    where: dict[int, list[int]] = {}
    for position, value in enumerate(y.tolist()):
        where.setdefault(value, []).append(position)
    best = 0
    ending: dict[int, int] = {}
    for value in x.tolist():
        longer: dict[int, int] = {}
        for position in where.get(value, ()):
            longer[position] = length = ending.get(position - 1, 0) + 1
            if length > best:
                best = length
        ending = longer
    return best


def _crossed(left: list[int], right: list[int]) -> Iterable[tuple[int, int]]:
    """Return the pairs between two classes of equal texts: all of small ones, else one link."""
    return product(left, right) if len(left) * len(right) <= HOT * HOT else [(left[0], right[0])]


def _between(pair: DocPair, left: int, right: int) -> DocPair:
    """Return the pair of two segments whose words are those of the pair's a and b."""
    if left < right:
        return replace(pair, a=left, b=right)
    return replace(pair, a=right, b=left, words_a=pair.words_b, words_b=pair.words_a)
