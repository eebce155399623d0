"""Packed relations and label tables: what is read back is what was written, and anything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.facts.assemble.labels import Labels, Malformed, merge, pack_label_table, unpack_label_table
from ce.facts.assemble.table import pack_table, unpack_table

# Every character, the lone surrogates too that stray bytes of paths become.
_TEXTS = st.text(st.characters(codec=None, categories=None), max_size=12)
_NODES = ("a.py", "b.py", "c/", "d#e")
_SORTS = ("node", "sym", "int")
_ROWS = st.lists(
    st.tuples(st.sampled_from(_NODES), _TEXTS, st.integers(-(2**63), 2**63 - 1), st.sampled_from(["", "a.py", "z.py"]), st.integers(0, 9)),
    max_size=30,
)
_IDS = {"node": {label: number for number, label in enumerate(_NODES)}}


@given(labels=st.lists(_TEXTS, unique=True).map(sorted))
def test_a_label_table_reads_as_the_sequence_that_was_written(labels: list[str]) -> None:
    table = unpack_label_table(pack_label_table(labels))
    assert list(table) == labels
    assert [table[position] for position in range(len(labels))] == labels
    assert [table[position - len(labels)] for position in range(len(labels))] == labels
    assert table[1:3] == labels[1:3]
    assert len(table) == len(labels)


def test_a_label_outside_the_table_is_an_index_error() -> None:
    table = unpack_label_table(pack_label_table(["a"]))
    for position in (1, -2):
        with pytest.raises(IndexError):
            table[position]


@given(tables=st.lists(st.lists(_TEXTS, unique=True).map(sorted), max_size=4))
def test_merged_tables_hold_every_label_once_in_order(tables: list[list[str]]) -> None:
    merged, renumbered = merge([unpack_label_table(pack_label_table(labels)) for labels in tables])
    assert list(merged) == sorted(set().union(*tables))
    for labels, numbers in zip(tables, renumbered, strict=True):
        positions = range(len(labels)) if numbers is None else numbers.tolist()
        assert [merged[position] for position in positions] == labels


@given(rows=_ROWS)
def test_a_table_holds_its_rows_sorted_and_once_with_the_first_place(rows: list[tuple[str, str, int, str, int]]) -> None:
    table = unpack_table(pack_table(_SORTS, rows, _IDS), _SORTS, {"node": len(_NODES)})
    read = [
        (_NODES[node], table.symbols[symbol], number)
        for node, symbol, number in zip(*(column.tolist() for column in table.columns), strict=True)
    ]
    assert read == sorted({row[:3] for row in rows}, key=lambda row: (_NODES.index(row[0]), *row[1:]))
    for position, values in enumerate(read):
        place, line = min((row[3], row[4]) for row in rows if row[:3] == values)
        expected = None if not place else place if not line else f"{place}:{line}"
        assert table.at(position) == expected


@given(rows=_ROWS)
def test_the_order_of_the_rows_does_not_show(rows: list[tuple[str, str, int, str, int]]) -> None:
    assert pack_table(_SORTS, rows, _IDS) == pack_table(_SORTS, reversed(rows), _IDS)


def test_equal_rows_keep_the_first_of_their_places() -> None:
    rows = [("a.py", 1, "a.py", 9), ("a.py", 1, "a.py", 3), ("a.py", 1, "b.py", 1)]
    table = unpack_table(pack_table(("node", "int"), rows, _IDS), ("node", "int"), {"node": 4})
    assert (table.length, table.at(0)) == (1, "a.py:3")


@given(rows=_ROWS, start=st.floats(0, 1), piece=st.binary(min_size=1, max_size=16), cut=st.none() | st.floats(0, 1))
def test_a_damaged_table_is_refused_or_stays_within_its_domains(
    rows: list[tuple[str, str, int, str, int]], start: float, piece: bytes, cut: float | None
) -> None:
    data = bytearray(pack_table(_SORTS, rows, _IDS))
    place = int(start * (len(data) - 1))
    data[place : place + len(piece)] = piece
    if cut is not None:
        del data[int(cut * len(data)) :]
    try:
        table = unpack_table(bytes(data), _SORTS, {"node": len(_NODES)})
    except Malformed:
        return
    for position in range(table.length):
        assert 0 <= table.columns[0][position] < len(_NODES)
        assert isinstance(table.symbols[int(table.columns[1][position])], str)
        assert table.at(position) is None or isinstance(table.at(position), str)


@given(data=st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    for prefix in (b"", b"ce-table1", b"ce-label1"):
        with pytest.raises(Malformed):
            unpack_table(prefix + data, ("int", "int"), {})
    with pytest.raises(Malformed):
        unpack_label_table(data)


@given(labels=st.lists(_TEXTS, unique=True).map(sorted), start=st.floats(0, 1), piece=st.binary(min_size=1, max_size=9))
def test_a_damaged_label_table_is_refused_or_can_be_read_to_the_end(labels: list[str], start: float, piece: bytes) -> None:
    data = bytearray(pack_label_table(labels))
    place = int(start * (len(data) - 1))
    data[place : place + len(piece)] = piece
    try:
        table: Labels = unpack_label_table(bytes(data))
    except Malformed:
        return
    assert all(isinstance(label, str) for label in table)


def test_a_table_of_other_sorts_is_refused() -> None:
    data = pack_table(("node", "int"), [("a.py", 1, "", 0)], _IDS)
    with pytest.raises(Malformed):
        unpack_table(data, ("int", "int"), {})


def test_an_id_that_its_domain_does_not_have_is_refused() -> None:
    data = pack_table(("node", "int"), [("d#e", 1, "", 0)], _IDS)
    with pytest.raises(Malformed):
        unpack_table(data, ("node", "int"), {"node": 3})
