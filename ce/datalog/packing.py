"""Rows as single words: a bijection between rows of int64 columns and non-negative int64 codes.

`BitPacking` gives every column as many bits as its range needs, most significant column first, so that codes compare as rows do.
`InternPacking` takes rows of any width over the whole int64 range and numbers what it sees; its codes have no order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

import numpy as np

from ce.datalog.kernels import Bools, Ints

__all__ = ["BitPacking", "InternPacking", "Packing", "Range", "column_range", "packing_for"]

# Smallest and largest value of a column, inclusive.
Range = tuple[int, int]

_WORD = 63


class BitPacking:
    """Codes of at most 63 bits for rows whose columns stay within fixed ranges."""

    __slots__ = ("bits", "lows", "masks", "ranges", "shifts", "width")

    def __init__(self, ranges: Sequence[Range]) -> None:
        self.ranges = tuple(ranges)
        self.lows = tuple(low for low, _ in ranges)
        self.bits = tuple((high - low).bit_length() for low, high in ranges)
        self.masks = tuple((1 << bits) - 1 for bits in self.bits)
        self.width = sum(self.bits)
        left = self.width
        shifts = []
        for bits in self.bits:
            left -= bits
            shifts.append(left)
        self.shifts = tuple(shifts)
        assert self.width <= _WORD, "a row wider than one word"

    def encode(self, columns: Sequence[Ints | int], length: int) -> Ints:
        """Return the codes of rows that all lie within the ranges; a column may be one constant."""
        fixed = 0
        codes: Ints | None = None
        for column, low, shift in zip(columns, self.lows, self.shifts, strict=True):
            if isinstance(column, int):
                fixed += (column - low) << shift
                continue
            fixed -= low << shift
            part = column << shift if shift else column
            codes = part if codes is None else codes + part if codes is column or not shift else np.add(codes, part, out=part)
        fixed = (fixed + (1 << 63)) % (1 << 64) - (1 << 63)  # the sum is right modulo 2**64, and so is a part of it
        if codes is None:
            return np.full(length, fixed, dtype=np.int64)
        return codes + fixed if fixed else codes

    def within(self, columns: Sequence[Ints | int]) -> Bools | bool:
        """Tell which rows lie within the ranges; one answer for all where it is the same."""
        parts: list[Bools] = []
        for column, (low, high) in zip(columns, self.ranges, strict=True):
            if isinstance(column, int):
                if not low <= column <= high:
                    return False
            elif column.size and (int(column.min()) < low or int(column.max()) > high):
                parts.append((column >= low) & (column <= high))
        return reduce(and_, parts) if parts else True

    def find(self, columns: Sequence[Ints | int], length: int) -> tuple[Ints, Bools | bool]:
        """Return codes, and which of them are meaningful because the row lies within the ranges."""
        known = self.within(columns)
        if known is True:
            return self.encode(columns, length), True
        if known is False:
            return np.zeros(length, dtype=np.int64), False
        clipped = [
            column if isinstance(column, int) else column.clip(low, high) for column, (low, high) in zip(columns, self.ranges, strict=True)
        ]
        return self.encode(clipped, length), known

    def decode(self, codes: Ints, position: int) -> Ints:
        """Return one column of the rows."""
        shift, mask, low = self.shifts[position], self.masks[position], self.lows[position]
        column = codes >> shift if shift else codes
        if position:
            column = column & mask
        if low:
            column = column + low
        return column


class InternPacking:
    """Codes for rows of any width: words of the row are numbered in order of appearance, two numbers make the code of the next level."""

    __slots__ = ("_levels", "_places", "_words")

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._words: list[_Word] = []
        self._places: list[tuple[int, int]] = []
        group: list[Range] = []
        for bounds in ranges:
            if group and sum((high - low).bit_length() for low, high in [*group, bounds]) > _WORD:
                self._words.append(_Word(group))
                group = []
            self._places.append((len(self._words), len(group)))
            group.append(bounds)
        self._words.append(_Word(group))
        self._levels = [_Interner() for _ in range(2 * len(self._words) - 1)]

    def encode(self, columns: Sequence[Ints | int], length: int) -> Ints:
        """Return the codes of rows, numbering those not seen before."""
        parts = self._parts(columns, length)
        code = self._levels[0].intern(parts[0])
        for level, part in enumerate(parts[1:]):
            right = self._levels[2 * level + 1].intern(part)
            code = self._levels[2 * level + 2].intern((code << 31) | right)
        return code

    def find(self, columns: Sequence[Ints | int], length: int) -> tuple[Ints, Bools | bool]:
        """Return codes, and which of them are meaningful because the row has been seen."""
        parts = self._parts(columns, length)
        code = self._levels[0].find(parts[0])
        for level, part in enumerate(parts[1:]):
            right = self._levels[2 * level + 1].find(part)
            pair = np.where((code < 0) | (right < 0), -1, (code << 31) | (right & 0x7FFFFFFF))
            code = self._levels[2 * level + 2].find(pair)
        return code, code >= 0

    def decode(self, codes: Ints, position: int) -> Ints:
        """Return one column of the rows."""
        word, place = self._places[position]
        for level in range(len(self._words) - 2, -1, -1):
            pair = self._levels[2 * level + 2].values(codes)
            if word == level + 1:
                return self._words[word].decode(self._levels[2 * level + 1].values(pair & 0x7FFFFFFF), place)
            codes = pair >> 31
        return self._words[0].decode(self._levels[0].values(codes), place)

    def _parts(self, columns: Sequence[Ints | int], length: int) -> list[Ints]:
        groups: list[list[Ints | int]] = [[] for _ in self._words]
        for column, (word, _) in zip(columns, self._places, strict=True):
            groups[word].append(column)
        return [word.encode(group, length) for word, group in zip(self._words, groups, strict=True)]


Packing = BitPacking | InternPacking


def packing_for(ranges: Sequence[Range]) -> Packing:
    """Return the narrowest packing for rows whose columns stay within the ranges."""
    if sum((high - low).bit_length() for low, high in ranges) <= _WORD:
        return BitPacking(ranges)
    return InternPacking(ranges)


def column_range(column: Ints) -> Range:
    """Return the range of a column; of an empty one, a single zero."""
    return (int(column.min()), int(column.max())) if column.size else (0, 0)


class _Word:
    """Some neighbouring columns in one word: packed bits, or a single column of the full range as it is."""

    __slots__ = ("_packing",)

    def __init__(self, ranges: list[Range]) -> None:
        self._packing = BitPacking(ranges) if sum((high - low).bit_length() for low, high in ranges) <= _WORD else None

    def encode(self, columns: Sequence[Ints | int], length: int) -> Ints:
        if self._packing is None:
            column = columns[0]
            return np.full(length, column, dtype=np.int64) if isinstance(column, int) else column
        codes, known = self._packing.find(columns, length)
        if known is True:
            return codes
        return np.where(known, codes, -1)

    def decode(self, codes: Ints, place: int) -> Ints:
        return codes if self._packing is None else self._packing.decode(codes, place)


class _Interner:
    """A growing bijection from int64 values to 0, 1, 2, …; sorted runs that merge as they double."""

    __slots__ = ("_by_number", "_count", "_runs")

    def __init__(self) -> None:
        self._runs: list[tuple[Ints, Ints]] = []
        self._by_number = np.empty(0, dtype=np.int64)
        self._count = 0

    def intern(self, values: Ints) -> Ints:
        unique, inverse = np.unique(values, return_inverse=True)
        numbers = self.find(unique)
        missing = np.flatnonzero(numbers < 0)
        if missing.size:
            assigned = np.arange(self._count, self._count + missing.size, dtype=np.int64)
            numbers[missing] = assigned
            self._append(unique[missing], assigned)
        result: Ints = numbers[inverse]
        return result

    def find(self, values: Ints) -> Ints:
        numbers = np.full(values.size, -1, dtype=np.int64)
        for known, ids in self._runs:
            places = known.searchsorted(values)
            places[places == known.size] = 0
            found = known[places] == values
            numbers[found] = ids[places[found]]
        return numbers

    def values(self, numbers: Ints) -> Ints:
        found: Ints = self._by_number[numbers]
        return found

    def _append(self, values: Ints, numbers: Ints) -> None:
        end = self._count + values.size
        if end > self._by_number.size:
            grown = np.empty(max(end, 2 * self._by_number.size), dtype=np.int64)
            grown[: self._count] = self._by_number[: self._count]
            self._by_number = grown
        self._by_number[numbers] = values
        self._count = end
        assert end < 1 << 31, "more distinct values than an interned code can number"
        while self._runs and 2 * values.size >= self._runs[-1][0].size:
            older, ids = self._runs.pop()
            values, numbers = np.concatenate((older, values)), np.concatenate((ids, numbers))
            order = np.argsort(values)
            values, numbers = values[order], numbers[order]
        self._runs.append((values, numbers))
