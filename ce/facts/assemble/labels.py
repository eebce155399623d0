"""Tables of texts as one buffer with offsets: written once, read lazily, merged by rank.

Texts ascend by code point, which UTF-8 keeps; the stray bytes of a path travel as surrogates. A buffer read back from disk
is checked before use, so that a broken one is refused here and not met later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Labels", "Malformed", "merge", "pack_label_table", "pack_labels", "unpack_label_table", "unpack_labels"]

_ERRORS = "surrogatepass"
_MAGIC = b"ce-label1"


class Malformed(Exception):
    """A buffer does not hold what its reader expects."""


class Labels(Sequence[str]):
    """The texts of a label table; each is decoded when it is asked for."""

    __slots__ = ("_offsets", "_text")

    def __init__(self, text: bytes, offsets: NDArray[np.int64]) -> None:
        self._text = text
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[str]: ...
    def __getitem__(self, position: int | slice) -> str | Sequence[str]:
        if isinstance(position, slice):
            return [self[index] for index in range(*position.indices(len(self)))]
        length = len(self)
        index = int(position)
        if index < 0:
            index += length
        if not 0 <= index < length:
            raise IndexError(position)
        return self._text[self._offsets[index] : self._offsets[index + 1]].decode("utf-8", _ERRORS)

    def __iter__(self) -> Iterator[str]:
        text = self._text
        offsets = self._offsets.tolist()
        for start, end in pairwise(offsets):
            yield text[start:end].decode("utf-8", _ERRORS)


def pack_labels(labels: Iterable[str]) -> tuple[bytes, bytes]:
    """Return the offsets (one more than labels, little-endian words) and the text of a label table."""
    import numpy as np

    parts = [label.encode("utf-8", _ERRORS) for label in labels]
    offsets = np.zeros(len(parts) + 1, dtype="<i8")
    np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
    return offsets.tobytes(), b"".join(parts)


def unpack_labels(offsets: bytes | memoryview, text: bytes | memoryview) -> Labels:
    """Return the label table of two buffers, or raise Malformed."""
    import numpy as np

    if len(offsets) % 8 or not len(offsets):
        raise Malformed("a label table has no whole number of offsets")
    bounds = np.frombuffer(offsets, dtype="<i8").astype(np.int64, copy=False)
    if bounds[0] != 0 or bounds[-1] != len(text) or (bounds[1:] < bounds[:-1]).any():
        raise Malformed("the offsets of a label table do not fit its text")
    data = bytes(text)
    try:
        data.decode("utf-8", _ERRORS)
    except UnicodeDecodeError as error:
        raise Malformed("a label table is not UTF-8") from error
    starts = np.frombuffer(data, dtype=np.uint8)[bounds[:-1][bounds[:-1] < len(data)]] if len(data) else np.zeros(0, dtype=np.uint8)
    if ((starts & 0xC0) == 0x80).any():
        raise Malformed("a label begins inside a character")
    return Labels(data, bounds)


def pack_label_table(labels: Iterable[str]) -> bytes:
    """Return a label table as one self-contained buffer."""
    offsets, text = pack_labels(labels)
    return b"".join([_MAGIC, len(offsets).to_bytes(8, "little"), offsets, text])


def unpack_label_table(data: bytes) -> Labels:
    """Return the label table of a buffer, or raise Malformed."""
    start = len(_MAGIC) + 8
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start:
        raise Malformed("not a label table")
    end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    if end > len(data):
        raise Malformed("a label table is cut off")
    view = memoryview(data)
    return unpack_labels(view[start:end], view[end:])


def merge(tables: Sequence[Sequence[str]]) -> tuple[Sequence[str], list[NDArray[np.int64] | None]]:
    """Return the union of ascending tables, ascending, and for each the new number of every old one (None: unchanged)."""
    import numpy as np

    distinct = [table for table in tables if len(table)]
    if not distinct:
        return (), [None] * len(tables)
    if len(distinct) == 1:
        return distinct[0], [None] * len(tables)
    lists = [list(table) for table in tables]
    merged = sorted(set().union(*lists))
    rank = {label: number for number, label in enumerate(merged)}
    return merged, [np.fromiter((rank[label] for label in labels), dtype=np.int64, count=len(labels)) for labels in lists]
