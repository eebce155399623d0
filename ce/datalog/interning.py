"""Many names at once to ids in code-point order, without a Python object per name.

Names are known by a 64-bit hash until all are read; a hash is never trusted: names that share one are compared byte by byte. UTF-8 bytes
compare as code points do, so ids that follow the bytes follow the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ce.datalog.kernels import Ints

__all__ = ["Interner", "Labels"]

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

# Names up to this many bytes are hashed as columns of words; longer ones one by one.
_SHORT = 128

_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(9)], dtype=np.uint64)
_ODD = np.array([(0x9E3779B97F4A7C15 * (2 * place + 1)) % (1 << 64) | 1 for place in range(_SHORT // 8 + 1)], dtype=np.uint64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class Labels(Sequence[str]):
    """Names in one stretch of UTF-8, each decoded when it is asked for."""

    __slots__ = ("_ends", "_text")

    def __init__(self, text: bytes, ends: Ints) -> None:
        self._text = text
        self._ends = ends

    def __len__(self) -> int:
        return self._ends.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        size = self._ends.size
        if not -size <= index < size:
            raise IndexError(index)
        index %= size
        start = int(self._ends[index - 1]) if index else 0
        return self._text[start : int(self._ends[index])].decode()


class Interner:
    """Collects names batch by batch; when all are seen, turns the hashes it gave out into ids."""

    def __init__(self) -> None:
        self._batches: list[tuple[Words, Ints, bytes]] = []

    def add(self, buffer: Bytes, starts: Ints, lengths: Ints) -> Ints:
        """Return a hash for each name, a stretch of the buffer; the buffer has 8 bytes to spare at its end."""
        hashes = _hashes(buffer, starts, lengths)
        if lengths.size and int(lengths.max()) > _SHORT:
            for row in np.flatnonzero(lengths > _SHORT).tolist():
                hashes[row] = self._long_hash(buffer[starts[row] : starts[row] + lengths[row]].tobytes())
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.empty(order.size, dtype=np.bool_)
        first[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        _demand_equal(buffer, starts[order], lengths[order], np.flatnonzero(~first))
        chosen = order[first]
        text, sizes = _gather(buffer, starts[chosen], lengths[chosen])
        self._batches.append((hashes[chosen], sizes, text))
        return hashes.view(np.int64)

    def finish(self) -> tuple[Labels, Resolver]:
        """Return the names in order, and what turns hashes into ids."""
        if not self._batches:
            return Labels(b"", np.empty(0, dtype=np.int64)), Resolver(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64))
        hashes = np.concatenate([batch[0] for batch in self._batches])
        lengths = np.concatenate([batch[1] for batch in self._batches])
        buffer = np.frombuffer(b"".join(batch[2] for batch in self._batches) + bytes(8), dtype=np.uint8)
        self._batches = []
        starts = lengths.cumsum() - lengths
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.empty(order.size, dtype=np.bool_)
        first[0] = True
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        _demand_equal(buffer, starts[order], lengths[order], np.flatnonzero(~first))
        chosen = order[first]
        by_text = _text_order(buffer, starts[chosen], lengths[chosen])
        text, sizes = _gather(buffer, starts[chosen][by_text], lengths[chosen][by_text])
        ids = np.empty(by_text.size, dtype=np.int64)
        ids[by_text] = np.arange(by_text.size)
        return Labels(text, sizes.cumsum()), Resolver(ordered[first], ids)

    def _long_hash(self, name: bytes) -> int:
        return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


class Resolver:
    """From hashes to ids. Hashes are spread evenly, so their leading bits say about where one stands among the sorted ones."""

    __slots__ = ("_buckets", "_hashes", "_ids", "_shift")

    def __init__(self, hashes: Words, ids: Ints) -> None:
        bits = max(1, int(hashes.size).bit_length())
        self._hashes = hashes
        self._ids = ids
        self._shift = np.uint64(64 - bits)
        self._buckets = np.searchsorted(hashes, np.arange(1 << bits, dtype=np.uint64) << self._shift)

    def ids(self, hashes: Ints) -> Ints:
        """Return the ids of names that were added."""
        wanted = hashes.view(np.uint64)
        places = self._buckets[wanted >> self._shift]
        astray = np.flatnonzero(self._hashes[places] != wanted)
        while astray.size:
            places[astray] += 1
            astray = astray[self._hashes[places[astray]] != wanted[astray]]
        found: Ints = self._ids[places]
        return found


def _word(buffer: Bytes, starts: Ints, lengths: Ints, place: int) -> Words:
    """Return word `place` of each name, zero past its end."""
    windows = np.ndarray((buffer.size - 7,), dtype="<u8", buffer=buffer.data, strides=(1,))
    inside = (lengths - 8 * place).clip(0, 8)
    at = starts + 8 * place if place else starts
    word: Words = windows[np.minimum(at, buffer.size - 8)] & _MASKS[inside]
    return word


def _hashes(buffer: Bytes, starts: Ints, lengths: Ints) -> Words:
    total: Words = lengths.astype(np.uint64) * _ODD[-1]
    longest = min(int(lengths.max()), _SHORT) if lengths.size else 0
    for place in range(-(-longest // 8)):
        product = _word(buffer, starts, lengths, place) * _ODD[place]
        total += (product ^ (product >> _HALF)) * _MIX
    total ^= total >> _HALF
    total *= _MIX
    total ^= total >> np.uint64(29)
    return total


class HashCollision(Exception):
    """Two names share a hash."""


def _demand_equal(buffer: Bytes, starts: Ints, lengths: Ints, repeats: NDArray[np.intp]) -> None:
    """Raise HashCollision unless each name at `repeats` equals the one before it."""
    if not repeats.size:
        return
    before = repeats - 1
    if not np.array_equal(lengths[repeats], lengths[before]):
        raise HashCollision
    left, right, size = starts[repeats], starts[before], lengths[repeats]
    for place in range(-(-int(size.max()) // 8)):
        if place:
            longer = size > 8 * place
            left, right, size = left[longer], right[longer], size[longer]
        if not np.array_equal(_word(buffer, left, size, place), _word(buffer, right, size, place)):
            raise HashCollision


def _gather(buffer: Bytes, starts: Ints, lengths: Ints) -> tuple[bytes, Ints]:
    """Return the names one after the other, and their lengths."""
    ends = lengths.cumsum()
    positions = np.arange(int(ends[-1]) if ends.size else 0) + (starts - (ends - lengths)).repeat(lengths)
    return buffer[positions].tobytes(), lengths


def _text_order(buffer: Bytes, starts: Ints, lengths: Ints) -> NDArray[np.intp]:
    """Return the order of distinct names by their bytes."""
    longest = int(lengths.max()) if lengths.size else 0
    if longest > _SHORT:
        names = [buffer[start : start + length].tobytes() for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
        return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
    keys = [_word(buffer, starts, lengths, place).byteswap() for place in range(-(-longest // 8))]
    return np.lexsort((lengths, *reversed(keys)))
