"""Winnowing: few fingerprints of a token stream such that two streams with a common run of 50 tokens share one.

Schleimer, Wilkerson, Aiken: *Winnowing: Local Algorithms for Document Fingerprinting* (2003), with k = 25 and w = 26, so the guarantee is
k + w - 1 = 50 tokens; nothing shorter than 25 is ever seen. All arithmetic is modulo 2**64.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GUARANTEE", "KGRAM", "WINDOW", "decode_fingerprints", "encode_fingerprints", "fingerprints"]

KGRAM = 25
WINDOW = 26
GUARANTEE = KGRAM + WINDOW - 1
_BASE = 1_000_003
_INVERSE = pow(_BASE, -1, 1 << 64)
_RECORD = np.dtype([("hash", "<u8"), ("start", "<u4")])


def fingerprints(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return (hashes, first tokens) of the selected k-grams, in order of position; nothing for fewer than k tokens."""
    if len(codes) < KGRAM:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    hashes = _rolling(codes)
    width = min(WINDOW, len(hashes))
    positions = _minima(hashes, width)
    return hashes[positions], positions.astype(np.uint32)


def _minima(hashes: NDArray[np.uint64], width: int) -> NDArray[np.int64]:
    """Return where the least hash of each window stands, each place once; of equal ones the rightmost.

    A place holds the least of a window when its hash is the greatest of the minima of the windows around it.
    """
    least = _slide(np.minimum, hashes, width)
    around = np.concatenate((np.zeros(width - 1, np.uint64), least, np.zeros(width - 1, np.uint64)))
    positions = (_slide(np.maximum, around, width) == hashes).nonzero()[0]
    chosen = hashes[positions]
    # Between two equal ones that share a window stands no other place, so neighbours tell all.
    equal = ((chosen[1:] == chosen[:-1]) & (positions[1:] - positions[:-1] < width)).nonzero()[0]
    if not len(equal):
        return np.asarray(positions, np.int64)
    kept = np.ones(len(positions), np.bool_)
    for index, place, following in zip(equal.tolist(), positions[equal].tolist(), positions[equal + 1].tolist(), strict=True):
        # It stays when it is the least of a window that ends before the next one.
        kept[index] = bool((least[max(0, place - width + 1) : max(0, following - width + 1)] == hashes[place]).any())
    return np.asarray(positions[kept], np.int64)


def _slide(combine: np.ufunc, values: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """Return what the function makes of each window of so many values, doubling what is combined."""
    done = 1
    while done < width:
        step = min(done, width - done)
        values = combine(values[:-step], values[step:])
        done += step
    return values


def encode_fingerprints(hashes: NDArray[np.uint64], starts: NDArray[np.uint32]) -> bytes:
    """Return the fingerprints as a blob."""
    table = np.empty(len(hashes), _RECORD)
    table["hash"], table["start"] = hashes, starts
    return table.tobytes()


def decode_fingerprints(blob: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the fingerprints of a blob. Raises ValueError when it is not one."""
    table = np.frombuffer(blob, _RECORD)
    return table["hash"].astype(np.uint64), table["start"].astype(np.uint32)


def _rolling(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the polynomial hash of every k-gram.

    With S(i) = sum of codes[j] * BASE**-j over j < i, the hash at i is (S(i + k) - S(i)) * BASE**(i + k - 1).
    BASE is odd, so it has an inverse.
    """
    count = len(codes)
    powers, inverses = _powers(1 << max(count, 1024).bit_length())
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(codes * inverses[:count], dtype=np.uint64)))
    return np.asarray((sums[KGRAM:] - sums[:-KGRAM]) * powers[KGRAM - 1 : count], np.uint64)


@cache
def _powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return _geometric(_BASE, count), _geometric(_INVERSE, count)


def _geometric(base: int, count: int) -> NDArray[np.uint64]:
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
