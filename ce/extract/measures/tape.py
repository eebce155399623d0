"""The token streams of many files one behind the other, so that what is asked of many runs is asked at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.token_blobs import decode_tokens, sizes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tape", "equal_lengths", "spread", "tape_of"]

_MOST_CELLS = 1 << 18
_FIRST_WIDTH, _LAST_WIDTH = 16, 4096


@dataclass(frozen=True, slots=True, eq=False)
class Tape:
    """Columns over the tokens of all files: `codes` (equal where the tokens are), first and last lines.

    `bounds[f]` to `bounds[f + 1]` are the tokens of file f. `imports[t]` counts the tokens of import statements before token t.
    `line_bounds` are likewise those of lines, `written[n]` counts the lines with code before line n, whose hashes are `hashes`.
    """

    bounds: NDArray[np.int64]
    codes: NDArray[np.unsignedinteger]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    imports: NDArray[np.int32]
    line_bounds: NDArray[np.int64]
    written: NDArray[np.int32]
    hashes: NDArray[np.uint32]


def tape_of(blobs: Mapping[int, bytes], files: int) -> Tape:
    """Return the tape of the encoded streams by file number; of `files` files those without a stream have no tokens.

    Raises ValueError when a blob holds no stream.
    """
    sizes = {number: sizes_of(blob) for number, blob in blobs.items()}
    vocabulary = np.unique(np.concatenate([np.zeros(0, np.uint64), *(one.vocabulary for one in sizes.values())]))
    bounds = _bounds({number: one.tokens for number, one in sizes.items()}, files)
    line_bounds = _bounds({number: one.lines for number, one in sizes.items()}, files)
    count = int(bounds[-1])
    codes: NDArray[np.unsignedinteger] = np.empty(count, np.uint16 if len(vocabulary) < 1 << 16 else np.uint32)
    starts, ends, imports = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.bool_)
    lines = np.empty(int(line_bounds[-1]), np.uint32)
    for number, blob in blobs.items():
        # One at a time: the columns of all would be here twice.
        stream = decode_tokens(blob)
        place = slice(int(bounds[number]), int(bounds[number + 1]))
        codes[place] = np.searchsorted(vocabulary, stream.vocabulary).astype(codes.dtype)[stream.indexes]
        starts[place], ends[place], imports[place] = stream.starts, stream.ends, stream.imports
        lines[line_bounds[number] : line_bounds[number + 1]] = stream.lines
    return Tape(bounds, codes, starts, ends, _counted(imports), line_bounds, _counted(lines != 0), lines[lines != 0])


def equal_lengths(
    codes: NDArray[np.unsignedinteger], left: NDArray[np.int64], right: NDArray[np.int64], limits: NDArray[np.int64], step: int = 1
) -> NDArray[np.int64]:
    """Return how many tokens are equal from each two places on, at most the limits; with `step` -1 backwards from before them."""
    done = np.zeros(len(left), np.int64)
    active = np.flatnonzero(limits > 0)
    width = _FIRST_WIDTH
    last = len(codes) - 1
    while len(active):
        still = []
        offsets = np.arange(width) if step > 0 else -1 - np.arange(width)
        for part in np.array_split(active, -(-len(active) * width // _MOST_CELLS)):
            shift = step * done[part]
            x = np.clip((left[part] + shift)[:, None] + offsets, 0, last)
            y = np.clip((right[part] + shift)[:, None] + offsets, 0, last)
            reach = limits[part] - done[part]
            differs = (codes[x] != codes[y]) | (np.arange(width) >= reach[:, None])
            ended = differs.any(axis=1)
            done[part] += np.where(ended, differs.argmax(axis=1), width)
            still.append(part[~ended])
        active = np.concatenate(still)
        width = min(2 * width, _LAST_WIDTH)
    return done


def spread(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all the ranges, one range after the other."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


def _bounds(lengths: Mapping[int, int], files: int) -> NDArray[np.int64]:
    counts = np.zeros(files + 1, np.int64)
    for number, length in lengths.items():
        counts[number + 1] = length
    return np.cumsum(counts)


def _counted(flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    counts = np.zeros(len(flags) + 1, np.int32)
    np.cumsum(flags, out=counts[1:])
    return counts
