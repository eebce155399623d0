"""Shared runs between files: fingerprints that meet, extended to the longest equal run, verified token by token.

A block is a pair of places that hold the same normalised tokens. Several copies of one text are a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.fingerprints import KGRAM
from ce.extract.measures.tokens import TokenStream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOT", "Anchors", "Block", "Group", "Runs", "anchor_pairs", "blocks_of", "groups_of", "matching_runs"]

# Up to this many copies every pair is compared; of more, each with the next: k copies cost k comparisons, not k².
HOT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Pairs of equal fingerprints: columns of file number and first token on both sides, ordered by (file a, file b, diagonal, token a).

    `hot` counts the fingerprints that stood in too many places to compare every pair.
    """

    a: NDArray[np.int64]
    at: NDArray[np.int64]
    b: NDArray[np.int64]
    bt: NDArray[np.int64]
    hot: int


@dataclass(frozen=True, slots=True)
class Block:
    """Two places with the same tokens: file numbers, first tokens, first and last lines, and the length.

    `distinct` counts different tokens, `code` those outside import statements. `kind` is `T1` when the code of both sides is equal to
    the letter once comments and blanks are masked, else `T2`.
    """

    a: int
    a_start: int
    a_end: int
    b: int
    b_start: int
    b_end: int
    tokens: int
    distinct: int
    code: int
    kind: str
    a_token: int
    b_token: int


@dataclass(frozen=True, slots=True)
class Group:
    """All places of one text: (file number, first line, last line) in order, the number of blocks between them, the longest block."""

    members: tuple[tuple[int, int, int], ...]
    blocks: int
    tokens: int


Runs = list[tuple[int, int, int, int, int]]


def anchor_pairs(prints: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint32]]]) -> Anchors:
    """Return the pairs of equal fingerprints; `prints` holds (hashes, first tokens) by file number."""
    sizes = [len(hashes) for hashes, _ in prints]
    hashes = np.concatenate([hashes for hashes, _ in prints]) if prints else np.zeros(0, np.uint64)
    starts = np.concatenate([starts for _, starts in prints]).astype(np.int64) if prints else np.zeros(0, np.int64)
    files = np.repeat(np.arange(len(sizes)), sizes)
    # Stable, so that inside one hash the order (file, token) of the input remains.
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    edges = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))) if len(ordered) else np.zeros(1, np.int64)
    counts = np.diff(edges)
    first, second, hot = [], [], 0
    for size in np.unique(counts):
        if size < 2:
            continue
        begins = edges[:-1][counts == size]
        if size <= HOT:
            left, right = np.triu_indices(size, 1)
        else:
            left, right = np.arange(size - 1), np.arange(1, size)
            hot += len(begins)
        first.append((begins[:, None] + left).ravel())
        second.append((begins[:, None] + right).ravel())
    if not first:
        empty = np.zeros(0, np.int64)
        return Anchors(empty, empty, empty, empty, hot)
    a, b = order[np.concatenate(first)], order[np.concatenate(second)]
    ranked = np.lexsort((starts[a], starts[b] - starts[a], files[b], files[a]))
    a, b = a[ranked], b[ranked]
    return Anchors(files[a], starts[a], files[b], starts[b], hot)


def matching_runs(anchors: Anchors, streams: Mapping[int, TokenStream], least: int = KGRAM) -> Runs:
    """Return the maximal equal runs through the anchors as (file a, token a, file b, token b, length), each once, at least `least` long.

    In one file a run stops where it would meet its own copy, so that the two sides stay apart.
    """
    runs: Runs = []
    last: tuple[int, int, int] | None = None
    covered = -1
    a, at, b, bt = anchors.a.tolist(), anchors.at.tolist(), anchors.b.tolist(), anchors.bt.tolist()
    for fa, pa, fb, pb in zip(a, at, b, bt, strict=True):
        diagonal = (fa, fb, pb - pa)
        if diagonal == last and pa < covered:
            continue
        x, y = streams[fa].codes, streams[fb].codes
        # Behind `covered` a run may begin again only after it was cut for overlapping with itself.
        floor = covered if diagonal == last else 0
        back = _equal_before(x, pa, y, pb, min(pa - floor, pb))
        forth = _equal_from(x, pa, y, pb, min(len(x) - pa, len(y) - pb))
        start, other, length = pa - back, pb - back, back + forth
        last, covered = diagonal, start + length
        if fa == fb:
            length = min(length, other - start)
        if length >= least:
            runs.append((fa, start, fb, other, length))
    return runs


def blocks_of(runs: Runs, streams: Mapping[int, TokenStream], least: int) -> tuple[Block, ...]:
    """Return the blocks of the runs of at least `least` tokens that no larger block of the same two files contains, by position."""
    found = sorted((_block(run, streams) for run in runs if run[4] >= least), key=lambda block: -block.tokens)
    kept: dict[tuple[int, int], list[Block]] = {}
    for block in found:
        larger = kept.setdefault((block.a, block.b), [])
        if not any(_contains(other, block) for other in larger):
            larger.append(block)
    return tuple(sorted((b for pair in kept.values() for b in pair), key=lambda b: (b.a, b.a_start, b.b, b.b_start, b.a_end, b.b_end)))


def groups_of(blocks: Sequence[Block]) -> tuple[Group, ...]:
    """Return the families of copies: places of one file that overlap are one place, blocks join their two places."""
    places = sorted({(b.a, b.a_start, b.a_end) for b in blocks} | {(b.b, b.b_start, b.b_end) for b in blocks})
    parent = list(range(len(places)))

    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(one: int, two: int) -> None:
        one, two = find(one), find(two)
        parent[max(one, two)] = min(one, two)

    number = {place: index for index, place in enumerate(places)}
    file, reach, opened = -1, 0, 0
    for index, (where, start, end) in enumerate(places):
        if where == file and start <= reach:
            join(opened, index)
            reach = max(reach, end)
        else:
            file, reach, opened = where, end, index
    for block in blocks:
        join(number[block.a, block.a_start, block.a_end], number[block.b, block.b_start, block.b_end])
    members: dict[int, list[tuple[int, int, int]]] = {}
    for index, place in enumerate(places):
        members.setdefault(find(index), []).append(place)
    counts: dict[int, tuple[int, int]] = {}
    for block in blocks:
        root = find(number[block.a, block.a_start, block.a_end])
        seen, longest = counts.get(root, (0, 0))
        counts[root] = (seen + 1, max(longest, block.tokens))
    return tuple(Group(_merged(own), *counts[root]) for root, own in sorted(members.items(), key=lambda item: item[1][0]))


def _merged(places: list[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    merged: list[tuple[int, int, int]] = []
    for file, start, end in places:
        if merged and merged[-1][0] == file and start <= merged[-1][2]:
            merged[-1] = (file, merged[-1][1], max(end, merged[-1][2]))
        else:
            merged.append((file, start, end))
    return tuple(merged)


def _contains(large: Block, small: Block) -> bool:
    return large.a_start <= small.a_start and small.a_end <= large.a_end and large.b_start <= small.b_start and small.b_end <= large.b_end


def _block(run: tuple[int, int, int, int, int], streams: Mapping[int, TokenStream]) -> Block:
    fa, pa, fb, pb, length = run
    a, b = streams[fa], streams[fb]
    a_start, a_end = int(a.starts[pa]), int(a.ends[pa : pa + length].max())
    b_start, b_end = int(b.starts[pb]), int(b.ends[pb : pb + length].max())
    distinct = len(set(a.codes[pa : pa + length].tolist()))
    code = length - int(np.count_nonzero(a.imports[pa : pa + length]))
    kind = "T1" if np.array_equal(_whole_lines(a, pa, length), _whole_lines(b, pb, length)) else "T2"
    return Block(fa, a_start, a_end, fb, b_start, b_end, length, distinct, code, kind, pa, pb)


def _whole_lines(stream: TokenStream, first: int, length: int) -> NDArray[np.uint32]:
    """Return the hashes of the lines that hold code of the run and of nothing else."""
    behind = first + length
    start, end = int(stream.starts[first]), int(stream.ends[first:behind].max())
    start += first > 0 and int(stream.ends[first - 1]) >= start
    end -= behind < len(stream) and int(stream.starts[behind]) <= end
    lines = stream.lines[start - 1 : max(end, start - 1)]
    return np.asarray(lines[lines != 0], np.uint32)


_STEP = 64


def _equal_from(x: NDArray[np.uint64], i: int, y: NDArray[np.uint64], j: int, most: int) -> int:
    """Return how many tokens are equal from x[i] and y[j] on."""
    done, step = 0, _STEP
    while done < most:
        width = min(step, most - done)
        differ = x[i + done : i + done + width] != y[j + done : j + done + width]
        first = int(differ.argmax())
        if differ[first]:
            return done + first
        done += width
        step *= 4
    return most


def _equal_before(x: NDArray[np.uint64], i: int, y: NDArray[np.uint64], j: int, most: int) -> int:
    """Return how many tokens are equal right before x[i] and y[j]."""
    if most <= 0:
        return 0
    return _equal_from(x[i - most : i][::-1], 0, y[j - most : j][::-1], 0, most)
