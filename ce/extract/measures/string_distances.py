"""The edit distances of many pairs of short label strings at once.

Myers: *A Fast Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming* (1999), over blocks of 64 rows with
carries between them (Hyyrö, 2003); each step takes the next label of all pairs together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["string_distances"]

_ONE, _TOP = np.uint64(1), np.uint64(63)
_ALL = np.uint64((1 << 64) - 1)
Labels = Sequence[int]


def string_distances(pairs: Sequence[tuple[Labels, Labels]]) -> NDArray[np.int64]:
    """Return the Levenshtein distance of each pair; labels are small numbers from 0 on."""
    if not pairs:
        return np.zeros(0, np.int64)
    # The longest texts first: those that have a label left are always the first ones.
    order = sorted(range(len(pairs)), key=lambda index: -len(pairs[index][1]))
    lefts, rights = [pairs[index][0] for index in order], [pairs[index][1] for index in order]
    rows, columns = _lengths(lefts), _lengths(rights)
    words = max(1, -(-int(rows.max()) // 64))
    left, right = _flat(lefts), _flat(rights)
    matches = _matches(left, rows, words, 1 + max(int(left.max(initial=0)), int(right.max(initial=0))))
    texts = np.zeros((len(pairs), int(columns.max())), np.int64)
    texts[np.arange(texts.shape[1]) < columns[:, None]] = right
    last_word, last_bit = np.maximum(rows - 1, 0) // 64, (np.maximum(rows - 1, 0) % 64).astype(np.uint64)
    scores = rows.copy()
    plus, minus = np.full((words, len(pairs)), _ALL), np.zeros((words, len(pairs)), np.uint64)
    alive = np.searchsorted(-columns, -np.arange(texts.shape[1]), "left")  # pairs that are longer than so many labels
    for step, count in enumerate(alive.tolist()):
        found = matches[np.arange(count), texts[:count, step]]
        up, down = np.ones(count, np.uint64), np.zeros(count, np.uint64)  # what the row above says of this column
        for word in range(words):
            p, m, equal = plus[word, :count], minus[word, :count], found[:, word]
            vertical = equal | m
            equal = equal | down
            horizontal = (((equal & p) + p) ^ p) | equal
            above, below = m | ~(horizontal | p), p & horizontal
            ends = last_word[:count] == word
            scores[:count] += np.where(ends, ((above >> last_bit[:count]) & _ONE).astype(np.int64), 0)
            scores[:count] -= np.where(ends, ((below >> last_bit[:count]) & _ONE).astype(np.int64), 0)
            carried, taken = above >> _TOP, below >> _TOP
            above, below = (above << _ONE) | up, (below << _ONE) | down
            plus[word, :count] = below | ~(vertical | above)
            minus[word, :count] = above & vertical
            up, down = carried, taken
    distances = np.empty(len(pairs), np.int64)
    distances[order] = np.where(rows == 0, columns, scores)
    return distances


def _matches(labels: NDArray[np.int64], lengths: NDArray[np.int64], words: int, kinds: int) -> NDArray[np.uint64]:
    """Return for each text, label and word the rows that hold the label, as bits."""
    matches = np.zeros((len(lengths), kinds, words), np.uint64)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    # Each row sets a bit of its own, so adding is joining.
    np.add.at(matches, (owner, labels, place // 64), _ONE << (place % 64).astype(np.uint64))
    return matches


def _lengths(texts: Sequence[Labels]) -> NDArray[np.int64]:
    return np.array([len(text) for text in texts], np.int64)


def _flat(texts: Sequence[Labels]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(texts), np.int64)
