"""Words, shingles and duplicate prose against the naive computations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ce.extract.measures.docpairs import HOT, DocPair, doc_pairs, families, is_duplicate
from ce.extract.measures.words import SHINGLE, shingles, word_hashes, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hello, World_2 x-y", ["hello", "world", "2", "x", "y"]),
        ("naïve NAI\u0308VE", ["naïve", "naïve"]),
        ("q\u0323\u0307x", ["q\u0323\u0307x"]),
        ("日本語 text です", ["日", "本", "語", "text", "で", "す"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("_a_", ["a"]),
        ("", []),
        ("\u0301", []),
        ("\ud800", []),
    ],
)
def test_words_are_folded_runs(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text())
def test_words_never_fail_and_are_folded_once(text: str) -> None:
    found = words(text)
    assert words(" ".join(found)) == found


@given(st.lists(st.integers(0, 5), max_size=40))
def test_shingles_are_those_of_every_run_of_five(numbers: list[int]) -> None:
    hashes = np.array(numbers, np.uint64)
    runs = [tuple(numbers[i : i + SHINGLE]) for i in range(len(numbers) - SHINGLE + 1)]
    table: dict[tuple[int, ...], int] = {}
    for run, value in zip(runs, shingles(hashes).tolist(), strict=True):
        assert table.setdefault(run, value) == value
    assert len(set(table.values())) == len(table)


def naive(texts: list[list[str]]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return (inter, union, verbatim) of every duplicate pair by sets and strings."""
    found = {}
    for a, b in combinations(range(len(texts)), 2):
        x, y = ([tuple(t[i : i + SHINGLE]) for i in range(len(t) - SHINGLE + 1)] for t in (texts[a], texts[b]))
        inter, union = len(set(x) & set(y)), len(set(x) | set(y))
        best = 0
        row = [0] * (len(y) + 1)
        for left in x:
            row = [0, *(row[j] + 1 if left == right else 0 for j, right in enumerate(y))]
            best = max(best, *row)
        verbatim = best + SHINGLE - 1 if best else 0
        if union and (inter * 100 >= 80 * union or verbatim >= 50):
            found[a, b] = (inter, union, verbatim)
    return found


def hashed(texts: list[list[str]]) -> list[NDArray[np.uint64]]:
    return [word_hashes(text) for text in texts]


_VOCABULARY = [f"w{number}" for number in range(30)]
_TEXT = st.lists(st.sampled_from(_VOCABULARY), min_size=50, max_size=80)


@settings(max_examples=60, deadline=None)
@given(_TEXT, st.lists(st.tuples(st.integers(0, 79), st.sampled_from([*_VOCABULARY, ""])), max_size=6), _TEXT, st.integers(0, 30))
def test_pairs_are_those_of_the_naive_computation(text: list[str], edits: list[tuple[int, str]], other: list[str], cut: int) -> None:
    edited = list(text)
    for place, word in edits:
        if place < len(edited):
            edited[place] = word or "gone"
    texts = [text, edited, other, other[:cut] + text + other[cut:], text[cut:] + other, list(text)]
    texts = [words(" ".join(t)) for t in texts]
    found = {(pair.a, pair.b): (pair.inter, pair.union, pair.verbatim) for pair in doc_pairs(hashed(texts))}
    assert found == naive(texts)


@pytest.mark.parametrize(
    ("inter", "union", "verbatim", "expected"), [(4, 5, 0, True), (3, 4, 0, False), (0, 100, 50, True), (0, 100, 49, False)]
)
def test_the_thresholds_are_exact(inter: int, union: int, verbatim: int, expected: bool) -> None:
    assert is_duplicate(DocPair(0, 1, inter, union, verbatim, 60, 60, 0)) is expected


def test_a_paragraph_inside_a_long_page_is_contained() -> None:
    short = [f"s{number}" for number in range(60)]
    long = [f"l{number}" for number in range(500)]
    (pair,) = doc_pairs(hashed([long[:200] + short + long[200:], short]))
    assert (pair.contained, pair.verbatim, pair.words_a, pair.words_b) == (100, 60, 560, 60)


@pytest.mark.parametrize("copies", [2, HOT, HOT + 1, 50])
def test_copies_are_one_family_and_do_not_explode(copies: int) -> None:
    text = [f"w{number}" for number in range(60)]
    pairs = doc_pairs(hashed([text] * copies))
    assert len(pairs) == (copies * (copies - 1) // 2 if copies <= HOT else copies - 1)
    assert families(pairs) == (tuple(range(copies)),)


def test_word_counts_stay_with_their_segment() -> None:
    text = [f"w{number}" for number in range(80)]
    longer = [*text, "one", "more"]
    found = {(pair.a, pair.b): (pair.words_a, pair.words_b) for pair in doc_pairs(hashed([longer, text, longer]))}
    assert found == {(0, 1): (82, 80), (0, 2): (82, 82), (1, 2): (80, 82)}


def test_nothing_in_nothing_out() -> None:
    assert doc_pairs([]) == ()
    assert doc_pairs(hashed([["a"], ["a"]])) == ()
