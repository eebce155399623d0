"""Why a block that another tool reports is none of ours: what our tokens say of its two places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.measures.fingerprints import GUARANTEE
from ce.extract.measures.tokens import TokenStream, token_stream
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of
from ce.source.text import decode

__all__ = ["Pair", "classify", "longest_common_run", "stream_at"]

# What `programs/clones/clones.dl` asks for.
LEAST_DISTINCT, LEAST_CODE = 7, 25


@dataclass(frozen=True, slots=True)
class Pair:
    """Two places: paths, first and last lines."""

    a: str
    a_start: int
    a_end: int
    b: str
    b_start: int
    b_end: int


def classify(tree: Path, theirs: Sequence[Pair], document: dict[str, Any]) -> dict[Pair, str]:
    """Return the class of each pair: found (by one of our blocks or one of our groups), or the reason why it is not."""
    blocks: dict[tuple[str, str], list[Pair]] = {}
    for block in document["blocks"]:
        a, b = block["a"], block["b"]
        for one, two in ((a, b), (b, a)):
            pair = Pair(one["path"], one["start"], one["end"], two["path"], two["start"], two["end"])
            blocks.setdefault((pair.a, pair.b), []).append(pair)
    groups: dict[str, list[tuple[int, int, int]]] = {}
    for number, group in enumerate(document["groups"]):
        for member in group["members"]:
            groups.setdefault(member["path"], []).append((member["start"], member["end"], number))
    return {pair: _class_of(tree, pair, blocks, groups) for pair in theirs}


def _class_of(tree: Path, pair: Pair, blocks: dict[tuple[str, str], list[Pair]], groups: dict[str, list[tuple[int, int, int]]]) -> str:
    if any(_touches(pair, block) for block in blocks.get((pair.a, pair.b), [])):
        return "found: a block"
    if _groups_at(groups, pair.a, pair.a_start, pair.a_end) & _groups_at(groups, pair.b, pair.b_start, pair.b_end):
        return "found: two places of one group"
    x, y = stream_at(tree, pair.a), stream_at(tree, pair.b)
    if x is None or y is None:
        return "not parsed"
    left, right = _tokens_in(x, pair.a_start, pair.a_end), _tokens_in(y, pair.b_start, pair.b_end)
    if min(len(left), len(right)) < GUARANTEE:
        return "fewer than 50 of our tokens: comments, strings and tables of text count word by word there"
    at, length = longest_common_run(x.codes[left], y.codes[right])
    run = left[at : at + length]
    if length < GUARANTEE:
        return "no common run of 50 of our tokens"
    if pair.a == pair.b and _repeats_itself(x, int(left[at]), right, length):
        return "a text that repeats itself: a run ends where it meets its own copy"
    if int(np.count_nonzero(~x.imports[run])) < LEAST_CODE:
        return "imports"
    if len(np.unique(x.codes[run])) < LEAST_DISTINCT:
        return "table of literals"
    return "unexplained"


def _repeats_itself(x: TokenStream, first: int, right: np.ndarray[Any, np.dtype[np.int64]], length: int) -> bool:
    """Tell whether the run at a token, extended on both sides, reaches its own copy among the tokens on the right."""
    codes = x.codes
    for second in right.tolist():
        if second <= first or not np.array_equal(codes[first : first + length], codes[second : second + length]):
            continue
        back = 0
        while back < first and codes[first - back - 1] == codes[second - back - 1]:
            back += 1
        return bool(back + length >= second - first)
    return False


def _touches(pair: Pair, block: Pair) -> bool:
    """Tell whether a block covers at least half of the lines of the pair on both sides."""
    return _covered(pair.a_start, pair.a_end, block.a_start, block.a_end) and _covered(pair.b_start, pair.b_end, block.b_start, block.b_end)


def _covered(start: int, end: int, first: int, last: int) -> bool:
    return 2 * (min(end, last) - max(start, first) + 1) >= end - start + 1


def _groups_at(groups: dict[str, list[tuple[int, int, int]]], path: str, start: int, end: int) -> set[int]:
    return {number for first, last, number in groups.get(path, []) if _covered(start, end, first, last)}


def _tokens_in(stream: TokenStream, start: int, end: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.flatnonzero((stream.starts >= start) & (stream.ends <= end))


def longest_common_run(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return where in x the longest common run begins, and its length, row by row of the table of all pairs."""
    best, begin = 0, 0
    row = np.zeros(len(y) + 1, np.int64)
    for index, code in enumerate(x.tolist()):
        following = np.zeros(len(y) + 1, np.int64)
        following[1:] = np.where(y == code, row[:-1] + 1, 0)
        row = following
        longest = int(row.max())
        if longest > best:
            best, begin = longest, index - longest + 1
    return begin, best


@lru_cache(maxsize=4096)
def stream_at(tree: Path, path: str) -> TokenStream | None:
    """Return the stream of a file by a walk over its tree, never by a lexer; None when there is none."""
    row = language_of(path)
    if row is None or row.language not in LANGUAGES:
        return None
    parsed = parse(path, language_spec(row.language), decode((tree / path).read_bytes()).text_bytes)
    return token_stream(parsed) if isinstance(parsed, Parsed) and parsed.tree is not None else None
