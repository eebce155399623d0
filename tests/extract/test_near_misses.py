"""The sweep over pairs of functions loses nothing, and what it remembers changes nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.measures.near_misses import HOT, Memo, NearMiss, Shape, bound_of, near_misses, passes, shapes_of
from ce.extract.measures.tree_distance import tree_distance


def chain(labels: list[int]) -> tuple[list[str], list[int]]:
    """Return a root whose children are leaves: distance of two is that of their label strings."""
    return [*(f"k{label}" for label in labels), "root"], [*range(len(labels)), 0]


def exhaustive(shapes: list[Shape]) -> set[tuple[int, int, int]]:
    found = set()
    for a, one in enumerate(shapes):
        for b in range(a + 1, len(shapes)):
            two = shapes[b]
            ted = tree_distance((one.labels, one.leftmost), (two.labels, two.leftmost), max(len(one.labels), len(two.labels)))
            assert ted is not None
            if passes(ted, len(one.labels), len(two.labels)):
                found.add((a, b, ted))
    return found


_BASE = st.lists(st.integers(0, 4), min_size=6, max_size=14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_BASE, st.integers(0, 13), st.integers(0, 5)), min_size=2, max_size=4))
def test_the_sweep_finds_every_pair_that_passes(drawn: list[tuple[list[int], int, int]]) -> None:
    texts = []
    for base, place, label in drawn:
        texts += [base, [label if index == place else old for index, old in enumerate(base)], [*base[:place], label, *base[place:]]]
    shapes = shapes_of(map(chain, texts))
    found = {(pair.a, pair.b, pair.ted) for pair in near_misses(shapes).pairs}
    expected = exhaustive(shapes)
    assert found <= expected
    # Among many equal shapes the pairs are a chain; every shape still meets every shape it passes with.
    assert {(shapes[a], shapes[b]) for a, b, _ in expected} | {(shapes[b], shapes[a]) for a, b, _ in expected} == {
        (shapes[a], shapes[b]) for a, b, _ in found
    } | {(shapes[b], shapes[a]) for a, b, _ in found}


def test_the_threshold_is_exact() -> None:
    assert (passes(15, 100, 100), passes(16, 100, 100)) == (True, False)
    assert bound_of(100, 90) == 15


def test_many_copies_do_not_explode() -> None:
    shapes = shapes_of([chain([1, 2, 3, 4, 5, 6])] * (HOT + 5))
    assert near_misses(shapes).pairs == tuple(NearMiss(a, a + 1, 0, 7, 7) for a in range(HOT + 4))


def test_sizes_stay_with_their_side() -> None:
    shapes = shapes_of([chain([0] * 20), chain([0] * 19)])
    assert near_misses(shapes).pairs == (NearMiss(0, 1, 1, 21, 20),)


def test_what_is_too_much_is_counted_whatever_is_remembered() -> None:
    shapes = shapes_of(chain([0] * (20 + number % 7) + [number % 3]) for number in range(30))
    full = near_misses(shapes)
    memo = Memo()
    near_misses(shapes, memo.distance)
    part = near_misses(shapes, most=20_000)
    assert full.left_out == 0 < part.left_out
    assert set(part.pairs) < set(full.pairs)
    assert near_misses(shapes, Memo(memo.to_bytes()).distance, most=20_000) == part


def test_what_is_no_pair_is_not_compared() -> None:
    shapes = shapes_of([chain([0] * 20), chain([0] * 19), chain([0] * 20)])
    memo = Memo()
    pairs = near_misses(shapes, memo.distance, apart=lambda a, b: 1 not in (a, b)).pairs
    assert ([(pair.a, pair.b) for pair in pairs], memo.computed) == ([(0, 2)], 0)


def test_what_is_remembered_is_not_computed_again_and_changes_nothing() -> None:
    shapes = shapes_of(chain([0] * (20 + number % 7) + [number % 3]) for number in range(30))
    first = Memo()
    pairs = near_misses(shapes, first.distance)
    again = Memo(first.to_bytes())
    assert near_misses(shapes, again.distance) == pairs == near_misses(shapes)
    assert (first.computed > 0, again.computed) == (True, 0)
    assert again.to_bytes() == first.to_bytes()


@given(st.binary(max_size=50))
def test_a_memory_of_any_bytes_is_read(blob: bytes) -> None:
    shapes = shapes_of([chain([0] * 20), chain([0] * 19 + [1])])
    assert near_misses(shapes, Memo(blob).distance) == near_misses(shapes)
