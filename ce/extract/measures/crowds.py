"""Fingerprints that stand in many places: which of the places share fifty tokens, without comparing every pair.

A chain of neighbours alone would break where two places that have less in common stand between two that have more. So the places are
sorted anew by each of the windows of fifty tokens around the fingerprint, and a chain runs through those that have the same window: two
places with fifty tokens in common have one, and are in one chain whose neighbours all share as much. The cost is linear in the places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.blocks import Anchors, ranked
from ce.extract.measures.fingerprints import GUARANTEE, KGRAM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ce.extract.measures.tape import Tape

__all__ = ["with_crowds"]

_BASE, _WORD = 1_000_003, 1 << 64
_AROUND = 2 * GUARANTEE - KGRAM  # tokens that a window around a fingerprint can reach
_WINDOWS = GUARANTEE - KGRAM + 1
_PART = 1 << 11
_POWERS = np.array([pow(_BASE, place, _WORD) for place in range(_AROUND)], np.uint64)
_INVERSES = np.array([pow(_BASE, -place, _WORD) for place in range(_AROUND)], np.uint64)


def with_crowds(anchors: Anchors, tape: Tape) -> Anchors:
    """Return the anchors together with the pairs of neighbours in the chains of all windows."""
    numbers, files, tokens = anchors.crowd
    if not len(numbers):
        return anchors
    windows = _windows(tape, files, tokens)
    count = len(numbers)
    pairs = [np.zeros(0, np.int64)]
    for column in range(_WINDOWS):
        keys = windows[:, column]
        order = np.lexsort((keys, numbers))  # stable: places of one window stay in their order
        same = (keys[order][1:] == keys[order][:-1]) & (numbers[order][1:] == numbers[order][:-1]) & (keys[order][1:] != 0)
        pairs.append(order[:-1][same] * count + order[1:][same])
    first, second = np.divmod(np.unique(np.concatenate(pairs)), count)
    a, at = np.append(anchors.a, files[first]), np.append(anchors.at, tokens[first])
    b, bt = np.append(anchors.b, files[second]), np.append(anchors.bt, tokens[second])
    return ranked(a, at, b, bt, anchors)


def _windows(tape: Tape, files: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return for each place the hashes of the windows that hold its fingerprint, 0 for one that its file does not hold whole."""
    windows = np.zeros((len(files), _WINDOWS), np.uint64)
    before = GUARANTEE - KGRAM
    begins = np.arange(_WINDOWS)
    for start in range(0, len(files), _PART):
        part = slice(start, start + _PART)
        place = tape.bounds[files[part]] + tokens[part] - before
        codes = tape.codes[np.clip(place[:, None] + np.arange(_AROUND), 0, len(tape.codes) - 1)].astype(np.uint64) + np.uint64(1)
        sums = np.zeros((len(place), _AROUND + 1), np.uint64)
        np.cumsum(codes * _POWERS, axis=1, out=sums[:, 1:])
        hashes = (sums[:, GUARANTEE:] - sums[:, :-GUARANTEE]) * _INVERSES[:_WINDOWS]
        low, high = tape.bounds[files[part]] - place, tape.bounds[files[part] + 1] - place
        whole = (begins >= low[:, None]) & (begins + GUARANTEE <= high[:, None])
        windows[part] = np.where(whole, hashes | np.uint64(1), 0)
    return windows
