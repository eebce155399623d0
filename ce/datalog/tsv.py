"""Tab-separated facts by the block: where the fields are, and what numbers they spell, without a Python object per field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ce.datalog.kernels import Ints

__all__ = ["BLOCK", "BadField", "Bytes", "blocks", "fields", "integers", "spell"]

Bytes = NDArray[np.uint8]

# Bytes of a file that are worked on at once.
BLOCK = 1 << 20

_TAB, _NEWLINE, _MINUS, _ZERO = 9, 10, 45, 48
_POWERS = np.array([10**exponent for exponent in range(20)], dtype=np.uint64)
# Windows of 8 bytes are read at the last field too.
_SPARE = bytes(8)


class BadField(Exception):
    """A row or field that is not what it should be: the row within the block, the field within the row, and what is wrong."""

    def __init__(self, row: int, field: int, message: str) -> None:
        super().__init__(message)
        self.row = row
        self.field = field
        self.message = message


def blocks(file: BinaryIO) -> Iterator[Bytes]:
    """Yield the file in blocks of whole lines, each ending in a newline and 8 spare bytes; a line may end in CR LF."""
    rest = b""
    while data := file.read(BLOCK):
        cut = data.rfind(b"\n") + 1
        if not cut:
            rest += data
            continue
        yield _block(rest + data[:cut])
        rest = data[cut:]
    if rest:
        yield _block(rest + b"\n")


def fields(block: Bytes, arity: int) -> tuple[Ints, Ints]:
    """Return starts and lengths of the fields of a block, one row of the arrays for each line. Raises BadField for the first bad line."""
    text = block[: -len(_SPARE)]
    ends = np.flatnonzero((text == _TAB) | (text == _NEWLINE))
    is_end = text[ends] == _NEWLINE
    rows = int(np.count_nonzero(is_end))
    if ends.size != rows * arity or not is_end[arity - 1 :: arity].all():
        raise _uneven(is_end, arity)
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    return starts.reshape(rows, arity), (ends - starts).reshape(rows, arity)


def integers(block: Bytes, starts: Ints, lengths: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the numbers that fields spell, and which fields spell none that fits 64 bits."""
    negative = block[starts] == _MINUS
    starts, lengths = starts + negative, lengths - negative
    longest = int(lengths.max()) if lengths.size else 0
    bad = (lengths < 1) | (lengths > 19)
    if longest <= 8:
        values, malformed = _eight_digits(block, starts, lengths)
        bad |= malformed
        signed = values.astype(np.int64)
    else:
        signed, wide = _many_digits(block, starts, lengths, negative)
        bad |= wide
    np.negative(signed, out=signed, where=negative)
    return signed, bad


def spell(columns: Sequence[Ints], labels: Sequence[Sequence[str] | None]) -> bytes:
    """Return rows as lines of fields; a column with labels holds ids into them, one without holds numbers."""
    parts = [_digits(column) if names is None else _names(column, names) for column, names in zip(columns, labels, strict=True)]
    length = columns[0].size
    cells, used = [], []
    for place, (characters, inside) in enumerate(parts):
        separator = _NEWLINE if place == len(parts) - 1 else _TAB
        cells += [characters, np.full((length, 1), separator, dtype=np.uint8)]
        used += [inside, np.ones((length, 1), dtype=np.bool_)]
    return np.hstack(cells)[np.hstack(used)].tobytes()


def _digits(column: Ints) -> tuple[Bytes, NDArray[np.bool_]]:
    """Return the digits of numbers, right-aligned, and which cells they fill."""
    negative = column < 0
    rest = np.where(negative, np.uint64(0) - column.astype(np.uint64), column.astype(np.uint64))
    width = len(str(int(rest.max()))) + 1 if rest.size else 1
    lengths = np.searchsorted(_POWERS[1:], rest, side="right") + 1
    characters = np.empty((column.size, width), dtype=np.uint8)
    for place in range(width):
        characters[:, place] = rest // _POWERS[width - 1 - place] % np.uint64(10) + np.uint64(_ZERO) if width - place <= 20 else _ZERO
    rows = np.flatnonzero(negative)
    lengths += negative
    characters[rows, width - lengths[rows]] = _MINUS
    return characters, np.arange(width) >= (width - lengths)[:, None]


def _names(column: Ints, labels: Sequence[str]) -> tuple[Bytes, NDArray[np.bool_]]:
    """Return the text of names, left-aligned, and which cells it fills."""
    ids, inverse = np.unique(column, return_inverse=True)
    texts = [labels[number].encode() for number in ids.tolist()]
    width = max(map(len, texts), default=0)
    padded = np.frombuffer(b"".join(text.ljust(width, b"\0") for text in texts), dtype=np.uint8).reshape(len(texts), width)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    return padded[inverse], np.arange(width) < lengths[inverse][:, None]


def _block(text: bytes) -> Bytes:
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    return np.frombuffer(text + _SPARE, dtype=np.uint8)


def _uneven(is_end: NDArray[np.bool_], arity: int) -> BadField:
    ends = np.flatnonzero(is_end)
    counts = np.diff(ends, prepend=-1)
    row = int(np.flatnonzero(counts != arity)[0])
    return BadField(row, 0, f"has {int(counts[row])} field{'s' if counts[row] != 1 else ''}, not {arity}")


def _eight_digits(block: Bytes, starts: Ints, lengths: Ints) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Read fields of up to 8 digits; longer ones give nonsense."""
    windows = np.ndarray((block.size - 7,), dtype="<u8", buffer=block.data, strides=(1,))
    # The digits move to the upper bytes, zero bytes below them count as leading zeros.
    shift = (64 - 8 * lengths.clip(1, 8)).astype(np.uint64)
    digits = (windows[starts] ^ np.uint64(0x3030303030303030)) << shift
    # A byte is a digit when it is below 10: adding 6 carries into the upper half otherwise.
    malformed = ((digits | (digits + np.uint64(0x0606060606060606))) & np.uint64(0xF0F0F0F0F0F0F0F0)) != 0
    digits = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    digits = (digits * np.uint64(100) + (digits >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    values = (digits * np.uint64(10000) + (digits >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return values, malformed


def _many_digits(block: Bytes, starts: Ints, lengths: Ints, negative: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.bool_]]:
    """Read fields of up to 19 digits in three words."""
    total = np.zeros(starts.size, dtype=np.uint64)
    bad = np.zeros(starts.size, dtype=np.bool_)
    for place in range(3):
        # From the left: what is left over after whole words of 8 digits comes first.
        first = (lengths - 1) % 8 + 1
        inside = np.where(place == 0, first, 8)
        at = starts if place == 0 else starts + first + 8 * (place - 1)
        present = (place == 0) | (first + 8 * place <= lengths)
        values, malformed = _eight_digits(block, np.minimum(at, block.size - 8), inside)
        total = np.where(present, total * np.uint64(10**8) + values, total)
        bad |= malformed & present
    bound = np.where(negative, np.uint64(1 << 63), np.uint64((1 << 63) - 1))
    return total.view(np.int64), bad | (total > bound)
