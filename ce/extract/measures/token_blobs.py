"""Token streams as blobs: columns in the narrowest numbers that hold them, so that reading one back is a matter of views."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.tokens import TokenStream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Sizes", "decode_tokens", "encode_tokens", "sizes_of"]

_MAGIC = b"TOK2"
# Tokens, lines, different tokens, tokens of more than one line, bounds of imports, width of an index and of a step between lines.
_HEADER = struct.Struct("<4sIIIIIBB")
_WIDTHS = {1: "<u1", 2: "<u2", 4: "<u4"}


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """How large the columns of a blob are: tokens, lines, and the sorted codes of its different tokens."""

    tokens: int
    lines: int
    vocabulary: NDArray[np.uint64]


def encode_tokens(stream: TokenStream) -> bytes:
    """Return the stream as a blob."""
    used = np.bincount(stream.indexes, minlength=1).nonzero()[0]
    vocabulary, numbers = np.unique(stream.vocabulary[used], return_inverse=True)
    renumbered = np.zeros(len(stream.vocabulary), np.uint32)
    renumbered[used] = numbers
    steps = stream.starts.copy()
    steps[1:] -= stream.starts[:-1]
    tall = (stream.ends != stream.starts).nonzero()[0]
    heights = (stream.ends - stream.starts)[tall]
    imports = np.zeros(len(stream) + 2, np.bool_)
    imports[1:-1] = stream.imports
    turns = (imports[1:] != imports[:-1]).nonzero()[0]
    index_width, step_width = _width(len(vocabulary)), _width(int(steps.max(initial=0)))
    return b"".join(
        (
            _HEADER.pack(_MAGIC, len(stream), len(stream.lines), len(vocabulary), len(tall), len(turns), index_width, step_width),
            vocabulary.astype("<u8").tobytes(),
            stream.lines.astype("<u4").tobytes(),
            tall.astype("<u4").tobytes(),
            heights.astype("<u4").tobytes(),
            turns.astype("<u4").tobytes(),
            renumbered.astype(_WIDTHS[index_width]).take(stream.indexes).tobytes(),
            steps.astype(_WIDTHS[step_width]).tobytes(),
        )
    )


def sizes_of(blob: bytes) -> Sizes:
    """Return the sizes of a blob. Raises ValueError when it is not one that `encode_tokens` made."""
    count, lines, size, *_ = _header(blob)
    return Sizes(count, lines, np.frombuffer(blob, "<u8", size, _HEADER.size))


def decode_tokens(blob: bytes) -> TokenStream:
    """Return the stream of a blob, its vocabulary sorted. Raises ValueError when it is not one that `encode_tokens` made."""
    count, lines, size, tall, turns, index_width, step_width = _header(blob)
    at = _HEADER.size
    vocabulary = np.frombuffer(blob, "<u8", size, at)
    hashes = np.frombuffer(blob, "<u4", lines, at := at + 8 * size)
    places = np.frombuffer(blob, "<u4", tall, at := at + 4 * lines)
    heights = np.frombuffer(blob, "<u4", tall, at := at + 4 * tall)
    bounds = np.frombuffer(blob, "<u4", turns, at := at + 4 * tall)
    indexes = np.frombuffer(blob, _WIDTHS[index_width], count, at := at + 4 * turns)
    steps = np.frombuffer(blob, _WIDTHS[step_width], count, at + index_width * count)
    starts = np.cumsum(steps, dtype=np.int64)
    ends = starts.copy()
    if (tall and int(places.max()) >= count) or (turns and int(bounds.max()) > count) or turns % 2:
        raise ValueError("a token stream that points out of itself")
    ends[places] += heights
    if count and (int(indexes.max()) >= size or int(starts[0]) < 1 or int(ends.max()) > lines):
        raise ValueError("a token stream that points out of its file")
    marks = np.zeros(count + 1, np.int8)
    marks[bounds[::2]], marks[bounds[1::2]] = 1, -1
    imports = np.cumsum(marks[:count], dtype=np.int8) > 0
    return TokenStream(vocabulary, indexes, starts.astype(np.int32), ends.astype(np.int32), imports, hashes)


def _header(blob: bytes) -> tuple[int, int, int, int, int, int, int]:
    try:
        magic, count, lines, size, tall, turns, index_width, step_width = _HEADER.unpack_from(blob)
    except struct.error as error:
        raise ValueError(f"no token stream: {error}") from None
    if magic != _MAGIC or index_width not in _WIDTHS or step_width not in _WIDTHS:
        raise ValueError("no token stream")
    if len(blob) != _HEADER.size + 8 * size + 4 * lines + 8 * tall + 4 * turns + (index_width + step_width) * count:
        raise ValueError("a token stream of another length")
    return count, lines, size, tall, turns, index_width, step_width


def _width(number: int) -> int:
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 4
