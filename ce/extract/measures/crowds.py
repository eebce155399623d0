"""Fingerprints that stand in many places: which of the places share fifty tokens, without comparing every pair.

Where a text repeats itself its fingerprints stand in every repetition. Such a stretch is one place, with a first and a last occurrence:
two stretches, or a stretch and another place, are compared where they begin and where they end, which is where their runs can differ.

Of more than eight places each is compared with a next one. A chain of neighbours alone would break where two places that have less in
common stand between two that have more. So the places are sorted anew by each of the windows of fifty tokens around the fingerprint, and
a chain runs through those that have the same window: two places with fifty tokens in common have one, and are in one chain whose
neighbours all share as much. The cost is linear in the places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.fingerprints import GUARANTEE, KGRAM
from ce.extract.measures.runs import HOT, Anchors, ranked
from ce.extract.measures.tape import equal_lengths

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


@dataclass(frozen=True, slots=True, eq=False)
class _Stretches:
    """Places, or stretches of them: columns of the number of the fingerprint, file, first and last token, and period (0: one place).

    `of` gives the stretch of each place.
    """

    numbers: NDArray[np.int64]
    files: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    period: NDArray[np.int64]
    of: NDArray[np.int64]


def with_crowds(anchors: Anchors, tape: Tape) -> Anchors:
    """Return the anchors together with the pairs of all stretches of few, and of neighbours in the chains of all windows of many."""
    numbers, files, tokens = anchors.crowd
    if not len(numbers):
        return anchors
    stretches = _stretches(tape, numbers, files, tokens)
    one, two = (np.concatenate(pair) for pair in zip(_all_pairs(stretches), _chained(stretches, tape, files, tokens), strict=True))
    a, at, b, bt = _compared(stretches, one, two)
    return ranked(np.append(anchors.a, a), np.append(anchors.at, at), np.append(anchors.b, b), np.append(anchors.bt, bt), anchors)


def _stretches(tape: Tape, numbers: NDArray[np.int64], files: NDArray[np.int64], tokens: NDArray[np.int64]) -> _Stretches:
    """Return the stretches of places that follow each other in steps of one length, with equal tokens from each to the next."""
    places = tape.bounds[files] + tokens
    steps = np.diff(places)
    near = ((numbers[1:] == numbers[:-1]) & (files[1:] == files[:-1])).nonzero()[0]
    limits = np.minimum(steps[near], tape.bounds[files[near] + 1] - places[near + 1])
    linked = np.zeros(len(places), np.bool_)  # with the place before
    linked[near + 1] = equal_lengths(tape.codes, places[near], places[near + 1], limits) == steps[near]
    opens = ~linked
    opens[2:] |= linked[1:-1] & (steps[1:] != steps[:-1])
    first = opens.nonzero()[0]
    last = np.append(first[1:], len(places)) - 1
    period = np.where(last > first, steps[np.minimum(first, len(steps) - 1)] if len(steps) else 0, 0)
    begins, ends = tokens[first], tokens[last]
    long = period.nonzero()[0]
    # It may reach farther than the fingerprints tell, by some periods at most: each window of the text has one of them.
    reach = 2 * period[long] + 2 * GUARANTEE
    left, right = places[first[long]], places[last[long]]
    low, high = tape.bounds[files[first[long]]], tape.bounds[files[first[long]] + 1]
    back = equal_lengths(tape.codes, left, left + period[long], np.minimum(reach, left - low), -1)
    forth = equal_lengths(tape.codes, right - period[long], right, np.minimum(reach, high - right))
    begins[long] -= back // period[long] * period[long]
    ends[long] += (forth - KGRAM) // period[long] * period[long]
    return _Stretches(numbers[first], files[first], begins, ends, period, np.cumsum(opens) - 1)


def _all_pairs(stretches: _Stretches) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of stretches of each fingerprint that has few of them."""
    edges = np.flatnonzero(np.diff(stretches.numbers, prepend=-1, append=-1))
    counts = np.diff(edges)
    pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for size in range(2, HOT + 1):
        begins = edges[:-1][counts == size]
        left, right = np.triu_indices(size, 1)
        pairs.append(((begins[:, None] + left).ravel(), (begins[:, None] + right).ravel()))
    return np.concatenate([one for one, _ in pairs]), np.concatenate([two for _, two in pairs])


def _chained(
    stretches: _Stretches, tape: Tape, files: NDArray[np.int64], tokens: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of neighbours in the chains of the fingerprints that have many stretches."""
    many = (np.bincount(stretches.numbers) > HOT)[stretches.numbers]
    rows = many[stretches.of].nonzero()[0]
    count = len(many)
    own = stretches.of[rows]
    numbers = stretches.numbers[own]
    windows = _windows(tape, files[rows], tokens[rows])
    pairs = [np.zeros(0, np.int64)]
    for column in range(_WINDOWS):
        keys = windows[:, column]
        order = np.lexsort((keys, numbers))  # stable: places of one window stay in their order
        same = (keys[order][1:] == keys[order][:-1]) & (numbers[order][1:] == numbers[order][:-1]) & (keys[order][1:] != 0)
        one, two = own[order[:-1][same]], own[order[1:][same]]
        pairs.append((one * count + two)[one != two])
    one, two = np.divmod(np.unique(np.concatenate(pairs)), max(count, 1))
    return one, two


def _compared(
    stretches: _Stretches, one: NDArray[np.int64], two: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the anchors at which pairs of stretches are compared, and one within each stretch: files and tokens of both sides.

    From the begin, and from the end: where both begin, and one repetition later on either side, because two stretches of one period may
    begin at different places of it.
    """
    period, first, last = stretches.period, stretches.first, stretches.last
    left = [first[one], first[one] + period[one], first[one], last[one], last[one] - period[one], last[one]]
    right = [first[two], first[two], first[two] + period[two], last[two], last[two], last[two] - period[two]]
    long = period.nonzero()[0]
    a = np.concatenate([*([stretches.files[one]] * 6), stretches.files[long]])
    b = np.concatenate([*([stretches.files[two]] * 6), stretches.files[long]])
    at, bt = np.concatenate([*left, first[long]]), np.concatenate([*right, first[long] + period[long]])
    # Stretches of one file can overlap.
    apart = (a != b) | (at < bt)
    return a[apart], at[apart], b[apart], bt[apart]


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
