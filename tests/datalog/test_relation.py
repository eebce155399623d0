"""Kernels, packings, runs and relations against Python sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.datalog.growing import FACT, FULL_RANGE, GrowingRelation
from ce.datalog.kernels import Ints, contained, distinct, distinct_estimate, expansions, merge, without
from ce.datalog.packing import BitPacking, InternPacking, Range, column_range, packing_for
from ce.datalog.relation import FixedRelation
from ce.datalog.runs import Order, Presence, Run, merged

LEAST, GREATEST = FULL_RANGE

codes = st.lists(st.integers(0, 60), max_size=40)
# Values at the edges of 64 bits and around zero: where packing can go wrong.
values = st.one_of(
    st.integers(-3, 3), st.sampled_from([LEAST, LEAST + 1, GREATEST, GREATEST - 1, -(1 << 62), 1 << 62, 1 << 31, -(1 << 31)])
)


def rows(arity: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    return st.lists(st.tuples(*[values] * arity), min_size=1, max_size=25)


def ints(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def columns(table: Sequence[tuple[int, ...]], arity: int) -> list[Ints]:
    return [ints([row[place] for row in table]) for place in range(arity)]


def fixed(table: list[tuple[int, ...]], arity: int) -> FixedRelation:
    return FixedRelation(arity, len(table), columns(table, arity))


def rows_of(relation: GrowingRelation) -> set[tuple[int, ...]]:
    found = relation.codes()
    return set(zip(*(relation.packing.decode(found, place).tolist() for place in range(relation.arity)), strict=True))


@given(codes)
def test_distinct_sorts_and_drops_repeats(numbers: list[int]) -> None:
    assert distinct(ints(numbers)).tolist() == sorted(set(numbers))


@given(codes, codes)
def test_sorted_sets_behave_as_sets(left: list[int], right: list[int]) -> None:
    run = distinct(ints(right))
    assert contained(ints(left), run).tolist() == [number in right for number in left]
    assert without(distinct(ints(left)), run).tolist() == sorted(set(left) - set(right))
    assert merge(without(distinct(ints(left)), run), run).tolist() == sorted({*left, *right})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=20), st.integers(1, 30))
def test_expansion_gives_every_pair_once_in_pieces_no_larger_than_the_limit(probes: list[tuple[int, int]], limit: int) -> None:
    starts, counts = columns(probes, 2) if probes else (ints([]), ints([]))
    pairs: list[tuple[int, int]] = []
    for input_rows, repeats, positions in expansions(starts, counts, limit):
        numbers = np.arange(len(probes))[input_rows].repeat(repeats)
        assert 0 < positions.size <= limit
        pairs += zip(numbers.tolist(), positions.tolist(), strict=True)
    assert pairs == [(number, start + offset) for number, (start, count) in enumerate(probes) for offset in range(count)]


def test_the_estimate_of_distinct_values_is_exact_for_few_and_near_for_many() -> None:
    assert distinct_estimate(ints([3, 3, 4])) == 2
    numbers = np.arange(100_000, dtype=np.int64)
    assert 50_000 < distinct_estimate(numbers) <= 100_000
    assert distinct_estimate(numbers % 7) == 7


@given(rows(3))
def test_a_row_and_its_code_determine_each_other_at_any_width(table: list[tuple[int, ...]]) -> None:
    for packing in (packing_for([column_range(column) for column in columns(table, 3)]), InternPacking([FULL_RANGE] * 3)):
        found = packing.encode(columns(table, 3), len(table))
        assert [packing.decode(found, place).tolist() for place in range(3)] == [column.tolist() for column in columns(table, 3)]
        assert len(set(found.tolist())) == len(set(table))
        assert int(found.min()) >= 0


@given(rows(2))
def test_bit_packed_codes_compare_as_their_rows(table: list[tuple[int, ...]]) -> None:
    packing = packing_for([column_range(column) for column in columns(table, 2)])
    if isinstance(packing, BitPacking):
        order = np.argsort(packing.encode(columns(table, 2), len(table)), kind="stable")
        assert [table[number] for number in order] == sorted(table)


@pytest.mark.parametrize(
    ("ranges", "is_word"),
    [
        ([(0, (1 << 63) - 1)], True),
        ([(LEAST, -1)], True),
        ([(LEAST, 0)], False),
        ([FULL_RANGE], False),
        ([(0, (1 << 31) - 1), (-(1 << 31), (1 << 31) - 1)], True),
        ([(0, (1 << 32) - 1), (0, (1 << 32) - 1)], False),
        ([(5, 5)] * 12, True),
    ],
)
def test_a_word_holds_63_bits_and_not_one_more(ranges: list[Range], is_word: bool) -> None:
    packing = packing_for(ranges)
    assert isinstance(packing, BitPacking) == is_word
    corners = [[low for low, _ in ranges], [high for _, high in ranges]]
    table = [ints([corner[place] for corner in corners]) for place in range(len(ranges))]
    found = packing.encode(table, 2)
    assert [packing.decode(found, place).tolist() for place in range(len(ranges))] == [column.tolist() for column in table]


@given(rows(2), rows(2))
def test_finding_tells_codes_from_rows_that_were_never_packed(table: list[tuple[int, ...]], wanted: list[tuple[int, ...]]) -> None:
    wide = InternPacking([FULL_RANGE] * 2)
    packed = dict(zip(table, wide.encode(columns(table, 2), len(table)).tolist(), strict=True))
    found, known = wide.find(columns(wanted, 2), len(wanted))
    assert [code if is_known else None for code, is_known in zip(found.tolist(), np.broadcast_to(known, len(wanted)), strict=True)] == [
        packed.get(row) for row in wanted
    ]


@given(rows(2), rows(1))
def test_an_index_gives_the_rows_of_each_key(table: list[tuple[int, ...]], probes: list[tuple[int, ...]]) -> None:
    table = list(dict.fromkeys(table))
    index = fixed(table, 2).index((1,))
    keys, known = index.key.find(columns(probes, 1), len(probes))
    starts, counts = index.run.probe(np.where(known, keys, 0))
    counts = np.where(known, counts, 0)
    for (probe,), start, count in zip(probes, starts.tolist(), counts.tolist(), strict=True):
        found = index.fetch(index.run, np.arange(start, start + count), [0])[0].tolist()
        assert sorted(found) == sorted(row[0] for row in table if row[1] == probe)


@given(rows(2), rows(2))
def test_presence_is_membership(table: list[tuple[int, ...]], probes: list[tuple[int, ...]]) -> None:
    packing, presence = fixed(table, 2).presence((0, 1))
    keys, known = packing.find(columns(probes, 2), len(probes))
    found = presence.has(np.where(known, keys, 0)) & known
    assert np.broadcast_to(found, len(probes)).tolist() == [row in table for row in probes]


@given(st.lists(st.lists(st.integers(0, 200), max_size=20), max_size=12))
def test_merged_runs_hold_the_union_and_shrink_geometrically(batches: list[list[int]]) -> None:
    runs: tuple[Run, ...] = ()
    seen: set[int] = set()
    for batch in batches:
        fresh = sorted(set(batch) - seen)
        if fresh:
            runs = merged(runs, Run(ints(fresh), 0, 1 << 62))
        seen.update(fresh)
        assert sorted(code for run in runs for code in run.codes.tolist()) == sorted(seen)
        assert all(len(left) > 2 * len(right) for left, right in pairwise(runs))


@given(st.lists(st.lists(st.tuples(values, values), max_size=10), max_size=6), st.booleans())
def test_a_growing_relation_is_a_set_that_knows_what_is_new(batches: list[list[tuple[int, int]]], bounded: bool) -> None:
    small = bounded and all(abs(value) < 10 for batch in batches for row in batch for value in row)
    relation = GrowingRelation([(-10, 10), (-10, 10)] if small else [None, None])
    relation.add_indexes([(0,), (1,), (0, 1)])
    seen: set[tuple[int, ...]] = set()
    for number, batch in enumerate(batches, start=1):
        if batch:
            relation.absorb(columns(batch, 2), len(batch), rule=7)
            relation.finish(7)
        fresh = set(batch) - seen
        assert relation.advance(number) == bool(fresh)
        recent = [relation.packing.decode(relation.recent, place).tolist() for place in range(2)]
        assert set(zip(*recent, strict=True)) == fresh
        for stable in (True, False):
            index = relation.index((1,))
            held = [pair for run in index.runs(stable) for pair in _pairs(index.fetch(run, np.arange(len(run)), [0, 1]))]
            assert sorted(held) == sorted(seen if stable else seen | fresh)
        seen |= fresh
    assert rows_of(relation) == seen
    assert relation.count == len(seen)


def test_the_first_rule_of_the_first_round_is_the_one_on_record() -> None:
    relation = GrowingRelation([(0, 9)])
    relation.seed([ints([4])], FACT)
    for rule, batch in ((3, [4, 5]), (8, [5, 6])):
        relation.absorb([ints(batch)], len(batch), rule)
        relation.finish(rule)
    relation.advance(1)
    relation.absorb([ints([6, 7])], 2, 3)
    relation.finish(3)
    relation.advance(2)
    record = [(code, segment.rule, segment.round) for segment in relation.log for code in segment.codes.tolist()]
    assert record == [(4, FACT, 0), (5, 3, 1), (6, 8, 1), (7, 3, 2)]


def test_sets_of_every_kind_agree_on_a_relation_that_outgrows_them() -> None:
    """From runs, to flags when they become dense, to interned codes when a value leaves the guessed range."""
    generator = np.random.default_rng(5)
    dense, wide = GrowingRelation([(0, 2000), (0, 2000)]), GrowingRelation([None, None])
    seen: set[tuple[int, int]] = set()
    for number in range(1, 8):
        batch = generator.integers(0, 2000, (2, 20_000))
        for relation in (dense, wide):
            relation.absorb(list(batch), batch.shape[1], 1)
            relation.finish(1)
            relation.advance(number)
        seen.update(zip(*batch.tolist(), strict=True))
    assert dense.bytes() > dense.count * 8 + (1 << 20), "the flags came into use"
    assert rows_of(dense) == rows_of(wide) == seen
    wide.absorb([ints([GREATEST, 1]), ints([LEAST, 1])], 2, 1)
    wide.finish(1)
    wide.advance(8)
    assert isinstance(wide.packing, InternPacking)
    assert rows_of(wide) == seen | {(GREATEST, LEAST), (1, 1)}


def test_pieces_of_a_round_are_consolidated_before_they_pile_up() -> None:
    relation = GrowingRelation([(0, 1 << 40)])
    piece = np.arange(1 << 18, dtype=np.int64)
    for _ in range(40):
        relation.absorb([piece], piece.size, 1)
        assert relation.waiting <= (1 << 21) + (1 << 18)
    relation.finish(1)
    relation.advance(1)
    assert relation.count == piece.size


def test_selection_and_projection_are_made_once() -> None:
    relation = fixed([(1, 5, 2), (1, 6, 2), (2, 5, 3), (1, 7, 2)], 3)
    projected = relation.project((0, 2))
    assert projected is not None
    assert [projected.column(place).tolist() for place in range(2)] == [[1, 2], [2, 3]]
    assert relation.project((0, 2)) is projected
    selected = relation.select("ones", lambda table: table.column(0) == 1)
    assert selected.column(1).tolist() == [5, 6, 7]
    assert relation.select("ones", lambda table: table.column(0) == 2) is selected
    assert fixed([(LEAST, GREATEST)], 2).project((0, 1)) is not None
    assert fixed([(LEAST, GREATEST), (GREATEST, LEAST)], 2).project((0, 1)) is None


def test_an_order_begins_with_its_keys() -> None:
    order = Order((2,), [(0, 3), (0, 3), (0, 3)])
    assert order.columns == (2, 0, 1)
    assert not order.natural
    assert order.tail == 4
    assert Presence(ints([1, 3]), 4).has(ints([0, 1, 2, 3])).tolist() == [False, True, False, True]


def _pairs(parts: list[Ints]) -> list[tuple[int, int]]:
    return list(zip(parts[0].tolist(), parts[1].tolist(), strict=True))
