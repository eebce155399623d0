"""Texts that repeat themselves: rows of one shape, copies side by side, the same twice; what is guaranteed holds there, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.measures.blocks import Block
from ce.extract.measures.fingerprints import GUARANTEE
from ce.extract.measures.runs import HOT
from tests.extract.test_blocks import find, groups, made, stream_of

Window = tuple[int, int]


def windows_of(texts: Sequence[list[int]]) -> list[list[Window]]:
    """Return the places (file, first token) of each window of fifty tokens that occurs more than once."""
    known: dict[tuple[int, ...], list[Window]] = {}
    for file, text in enumerate(texts):
        for start in range(len(text) - GUARANTEE + 1):
            known.setdefault(tuple(text[start : start + GUARANTEE]), []).append((file, start))
    return [places for places in known.values() if len(places) > 1]


def longest_common_run(x: list[int], y: list[int]) -> int:
    best = 0
    codes, row = np.array(y), np.zeros(len(y) + 1, np.int64)
    for token in x:
        following = np.zeros(len(y) + 1, np.int64)
        following[1:] = np.where(codes == token, row[:-1] + 1, 0)
        row = following
        best = max(best, int(row.max()))
    return best


def assert_every_window_is_told(texts: Sequence[list[int]], blocks: Sequence[Block]) -> None:
    """Assert that any two disjoint equal windows of fifty tokens meet places of one group."""
    met: list[list[set[int]]] = [[set() for _ in range(len(text) + 1)] for text in texts]
    for number, group in enumerate(groups(blocks)):
        for file, first, last in group.members:
            for token in range(first - 1, last):
                met[file][token].add(number)
    for places in windows_of(texts):
        told = [set().union(*met[file][start : start + GUARANTEE]) for file, start in places]
        pairs = combinations(range(len(places)), 2) if len(places) <= 12 else ((0, other) for other in range(1, len(places)))
        for one, two in pairs:
            (f, s), (g, t) = places[one], places[two]
            if f != g or abs(s - t) >= GUARANTEE:
                assert told[one] & told[two], (places[one], places[two])


UNIT = st.lists(st.integers(0, 3), min_size=1, max_size=70)
PIECE = st.tuples(st.integers(0, 1), st.integers(1, 14), st.integers(0, 69), st.lists(st.integers(4, 8), max_size=4))


@settings(max_examples=80, deadline=None)
@given(st.lists(UNIT, min_size=2, max_size=2), st.lists(st.lists(PIECE, min_size=1, max_size=3), min_size=1, max_size=4))
def test_what_repeats_itself_is_found_wherever_it_stands(
    units: list[list[int]], files: list[list[tuple[int, int, int, list[int]]]]
) -> None:
    texts = []
    for pieces in files:
        text: list[int] = []
        for which, times, turn, behind in pieces:
            unit = units[which]
            text += [*(unit * times)[turn % len(unit) :], *behind]
        texts.append(text)
    blocks = find([made(text) for text in texts])
    for block in blocks:
        x, y = texts[block.a], texts[block.b]
        assert x[block.a_token : block.a_token + block.tokens] == y[block.b_token : block.b_token + block.tokens]
        assert block.a != block.b or block.a_token + block.tokens <= block.b_token
    assert_every_window_is_told(texts, blocks)
    for one, two in combinations(range(len(texts)), 2):
        longest = longest_common_run(texts[one], texts[two])
        told = max((block.tokens for block in blocks if (block.a, block.b) == (one, two)), default=0)
        assert told == (longest if longest >= GUARANTEE else 0)


ROW = [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("rows", [20, 500])
@pytest.mark.parametrize("between", [[7], []])
def test_a_table_that_stands_twice_is_one_block(rows: int, between: list[int]) -> None:
    table = [6, *ROW * rows, 8]
    (block,) = (block for block in find([made(table), made([*between, *table])]) if block.a != block.b)
    assert (block.a, block.b, block.tokens) == (0, 1, len(table))


def test_a_table_that_stands_twice_in_one_file_is_one_block_with_two_places() -> None:
    table = [6, *ROW * 500, 8]
    blocks = find([made([*table, 7, 7, 7, *table])])
    (group,) = groups(blocks)
    assert max(block.tokens for block in blocks) == len(table)
    assert [(first, last) for _, first, last in group.members] == [(1, len(table)), (len(table) + 4, 2 * len(table) + 3)]


@pytest.mark.parametrize("copies", [2, 3, 4, HOT, HOT + 1, 60])
def test_copies_side_by_side_are_as_many_places(copies: int) -> None:
    unit = Random(1).choices(range(7), k=60)
    blocks = find([made([8, *unit * copies, 8, 8])])
    (group,) = groups(blocks)
    assert [(last - first + 1) for _, first, last in group.members] == [60] * copies
    assert len(blocks) == copies - 1


def test_a_copy_side_by_side_with_the_next_begins_on_its_own_first_line() -> None:
    body = "    for c in a.d(b, {0}):\n        if c > b[1:]:\n            e(c, key=a)\n    return a and (b - 1) @ c, {{b: -a}}\n"
    text = "z = {1: -y}\n" + "".join(map(f"def f{{0}}(a, b):\n{body}".format, range(4)))
    (group,) = groups(find([stream_of(text)]))
    assert [(first, last) for _, first, last in group.members] == [(2 + 5 * number, 6 + 5 * number) for number in range(4)]


@pytest.mark.parametrize("files", [3, HOT, 3 * HOT, 200])
def test_many_tables_of_one_shape_are_one_group_and_cost_a_few_blocks_each(files: int) -> None:
    blocks = find([made([6, *ROW * (20 + number % 5), 7, 8]) for number in range(files)])
    (group,) = groups(blocks)
    assert {file for file, _, _ in group.members} == set(range(files))
    assert len(blocks) <= 12 * files
