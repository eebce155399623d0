"""Sorted runs of rows, and the indexes made of them.

A run holds rows as codes that begin with the key columns, so that the rows of one key are neighbours. Runs never change: a growing index
is a short tuple of runs of geometrically falling size, and an older tuple stays valid while a newer one is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ce.datalog.kernels import Bools, Ints, contained
from ce.datalog.packing import BitPacking, Packing, Range, packing_for

__all__ = ["Order", "Presence", "Run", "is_ascending", "merged"]

# A direct-address table may be this many times larger than the rows it serves, or this large in any case.
_SPARSE = 4
_SMALL_TABLE = 1 << 12
# From this size on it pays to sort the probes before a binary search in a run.
_UNSORTED_RUN = 1 << 15
_MANY_PROBES = 1 << 8


class Order:
    """A column order that begins with the key columns, and how rows pack in it.

    Where whole rows fit a word, a run holds them and `tail` bits follow the key; else it holds keys, and a payload says which row.
    """

    __slots__ = ("columns", "key", "keys", "natural", "places", "span", "tail", "whole")

    def __init__(self, key_columns: tuple[int, ...], ranges: Sequence[Range]) -> None:
        self.keys = key_columns
        rest = [column for column in range(len(ranges)) if column not in key_columns]
        self.columns = (*key_columns, *rest)
        self.natural = self.columns == tuple(range(len(ranges)))
        self.places = {column: place for place, column in enumerate(self.columns)}
        widths = [(high - low).bit_length() for low, high in ranges]
        self.whole = BitPacking([ranges[column] for column in self.columns]) if sum(widths) <= 63 else None
        self.key: Packing = packing_for([ranges[column] for column in key_columns])
        self.tail = sum(widths[column] for column in rest) if self.whole else 0
        if not isinstance(self.key, BitPacking):
            self.span = 1 << 62
        elif len(key_columns) == 1:
            low, high = ranges[key_columns[0]]
            self.span = high - low + 1
        else:
            self.span = 1 << self.key.width


class Run:
    """Rows in the order of their codes; `payload`, when there is one, gives the row of each code."""

    __slots__ = ("_offsets", "_only", "codes", "payload", "span", "tail")

    def __init__(self, codes: Ints, tail: int, span: int, payload: Ints | None = None) -> None:
        self.codes = codes
        self.tail = tail
        self.span = span
        self.payload = payload
        self._offsets: Ints | None = None
        self._only: Ints | bool | None = None

    def __len__(self) -> int:
        return self.codes.size

    @property
    def is_direct(self) -> bool:
        """Tell whether keys address the rows through a table."""
        return self.span <= max(_SPARSE * self.codes.size, _SMALL_TABLE)

    def probe(self, keys: Ints) -> tuple[Ints, Ints]:
        """Return where the rows of each key start and how many there are."""
        if self.is_direct:
            offsets = self.offsets
            starts = offsets[keys]
            return starts, offsets[1:][keys] - starts
        order = _sorting(self.codes, keys)
        if order is None:
            return self._search(keys)
        starts, counts = np.empty_like(keys), np.empty_like(keys)
        starts[order], counts[order] = self._search(keys[order])
        return starts, counts

    def has(self, keys: Ints) -> Bools:
        """Tell for each key whether a row has it."""
        if not self.tail and not self.is_direct:
            return _contained(self.codes, keys)
        found: Bools = self.probe(keys)[1] > 0
        return found

    @property
    def offsets(self) -> Ints:
        """Return for each key, and one past the last, the position of its first row."""
        if self._offsets is None:
            keys = self.codes >> self.tail if self.tail else self.codes
            offsets = np.empty(self.span + 1, dtype=np.int64)
            offsets[0] = 0
            np.cumsum(np.bincount(keys, minlength=self.span), out=offsets[1:])
            self._offsets = offsets
        return self._offsets

    @property
    def only(self) -> Ints | None:
        """Return for each key the position of its only row, or -1; None where some key has two rows or keys address no table."""
        if self._only is None:
            self._only = False
            if self.is_direct:
                offsets = self.offsets
                counts = offsets[1:] - offsets[:-1]
                if int(counts.max()) <= 1:
                    self._only = np.where(counts > 0, offsets[:-1], -1)
        return self._only if not isinstance(self._only, bool) else None

    def _search(self, keys: Ints) -> tuple[Ints, Ints]:
        firsts = keys << self.tail if self.tail else keys
        starts = self.codes.searchsorted(firsts)
        lasts = firsts | ((1 << self.tail) - 1)
        return starts, self.codes.searchsorted(lasts, side="right") - starts


class Presence:
    """Which keys occur: a flag per possible key, or the sorted keys."""

    __slots__ = ("_flags", "_keys")

    def __init__(self, keys: Ints, span: int) -> None:
        self._flags: Bools | None = None
        self._keys: Ints | None = None
        if span <= max(16 * keys.size, 1 << 20):
            self._flags = np.zeros(span, dtype=np.bool_)
            self._flags[keys] = True
        else:
            self._keys = keys if is_ascending(keys) else np.sort(keys)

    def has(self, keys: Ints) -> Bools:
        """Tell for each key whether it occurs."""
        if self._flags is not None:
            return self._flags[keys]
        run = self._keys
        assert run is not None
        return _contained(run, keys)


def merged(runs: tuple[Run, ...], newest: Run) -> tuple[Run, ...]:
    """Return the runs with a new one, merged so that each is less than half as long as the one before it."""
    kept = list(runs)
    while kept and 2 * len(newest) >= len(kept[-1]):
        older = kept.pop()
        codes = np.concatenate((older.codes, newest.codes))
        payload = None
        if older.payload is not None and newest.payload is not None:
            payload = np.concatenate((older.payload, newest.payload))
            order = np.argsort(codes, kind="stable")
            codes, payload = codes[order], payload[order]
        else:
            codes.sort(kind="stable")
        newest = Run(codes, newest.tail, newest.span, payload)
    assert all(len(left) > 2 * len(right) for left, right in pairwise((*kept, newest)))
    return (*kept, newest)


def is_ascending(codes: Ints) -> bool:
    """Tell whether no code is smaller than the one before it."""
    return codes.size < 2 or bool((codes[1:] >= codes[:-1]).all())


def _sorting(run: Ints, keys: Ints) -> NDArray[np.intp] | None:
    """Return the order in which to look up keys, or None where as they come is quick enough."""
    if run.size < _UNSORTED_RUN or keys.size < _MANY_PROBES or is_ascending(keys):
        return None
    return np.argsort(keys)


def _contained(run: Ints, keys: Ints) -> Bools:
    order = _sorting(run, keys)
    if order is None:
        return contained(keys, run)
    found = np.empty(keys.size, dtype=np.bool_)
    found[order] = contained(keys[order], run)
    return found
