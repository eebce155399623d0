"""The token streams of many files one behind the other, so that what is asked of many runs is asked at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ce.extract.measures.token_blobs import PackedTokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tape", "equal_lengths", "spread", "tape_of"]

_Kind = TypeVar("_Kind", bound=np.generic)

_MOST_CELLS = 1 << 20
_FIRST_WIDTH, _LAST_WIDTH = 16, 4096


@dataclass(frozen=True, slots=True, eq=False)
class Tape:
    """Columns over the tokens of all files: `codes` (equal where the tokens are), first and last lines.

    `bounds[f]` to `bounds[f + 1]` are the tokens of file f. `imports[t]` counts the tokens of import statements before token t.
    `line_bounds` are likewise those of lines, `written[n]` counts the lines with code before line n, whose hashes are `hashes`.
    """

    bounds: NDArray[np.int64]
    codes: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    imports: NDArray[np.int32]
    line_bounds: NDArray[np.int64]
    written: NDArray[np.int32]
    hashes: NDArray[np.uint32]


def tape_of(streams: Mapping[int, PackedTokens], files: int) -> Tape:
    """Return the tape of the streams by file number; of `files` files those without a stream have no tokens."""
    numbers = sorted(streams)
    packed = [streams[number] for number in numbers]
    vocabulary = np.unique(_joined([one.vocabulary for one in packed], np.uint64))
    codes = [np.searchsorted(vocabulary, one.vocabulary).astype(np.uint32)[one.indexes] for one in packed]
    lines = _joined([one.lines for one in packed], np.uint32)
    return Tape(
        _bounds(numbers, [len(one.indexes) for one in packed], files),
        _joined(codes, np.uint32),
        _joined([one.starts for one in packed], np.int32),
        _joined([one.ends for one in packed], np.int32),
        _counted(_joined([one.imports for one in packed], np.bool_)),
        _bounds(numbers, [len(one.lines) for one in packed], files),
        _counted(lines != 0),
        lines[lines != 0],
    )


def equal_lengths(
    codes: NDArray[np.uint32], left: NDArray[np.int64], right: NDArray[np.int64], limits: NDArray[np.int64], step: int = 1
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


def _bounds(numbers: list[int], lengths: list[int], files: int) -> NDArray[np.int64]:
    counts = np.zeros(files + 1, np.int64)
    counts[np.array(numbers, np.int64) + 1] = lengths
    return np.cumsum(counts)


def _counted(flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.concatenate((np.zeros(1, np.int32), np.cumsum(flags, dtype=np.int32)))


def _joined(columns: Sequence[NDArray[_Kind]], kind: type[_Kind]) -> NDArray[_Kind]:
    return np.concatenate([np.zeros(0, kind), *columns])
