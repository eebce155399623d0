"""Facts from rows and from files: values, order, and what is said about bad ones."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.datalog import interning, tsv
from ce.datalog.database import Database
from ce.datalog.interning import Interner, Labels
from ce.datalog.loading import load_facts, write_rows
from ce.diagnostics import CeError, Diagnostic

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1

INTS, NAMES, BOTH = ("int", "int"), ("sym", "sym"), ("sym", "int")


def load(folder: Path, text: bytes, sorts: tuple[str, ...]) -> Database:
    (folder / "e.facts").write_bytes(text)
    return load_facts(folder, {"e": sorts})


def rows(database: Database, name: str = "e") -> list[tuple[int | str, ...]]:
    table = database.tables[name]
    if not table.columns:
        return [()] * table.length
    columns = [[database.decode(sort, value) for value in column.tolist()] for sort, column in zip(table.sorts, table.columns, strict=True)]
    return list(zip(*columns, strict=True))


def complaints(folder: Path, text: bytes, sorts: tuple[str, ...]) -> list[str]:
    with pytest.raises(CeError) as raised:
        load(folder, text, sorts)
    return [
        f"{diagnostic.span.line}:{diagnostic.span.column} {diagnostic.code} {diagnostic.message}"
        for diagnostic in raised.value.diagnostics
        if diagnostic.span is not None and diagnostic.span.source.endswith("e.facts")
    ]


def test_rows_are_sorted_and_kept_once(tmp_path: Path) -> None:
    assert rows(load(tmp_path, b"3\t1\n1\t2\n3\t1\n-1\t7\n", INTS)) == [(-1, 7), (1, 2), (3, 1)]
    assert rows(load(tmp_path, b"b\t1\na\t2\nb\t1\n", BOTH)) == [("a", 2), ("b", 1)]


def test_names_are_numbered_in_code_point_order_over_all_files(tmp_path: Path) -> None:
    (tmp_path / "f.facts").write_text("ü\nZ\n\U0001f600\n\uffee\n", encoding="utf-8")
    (tmp_path / "e.facts").write_text("b\tZ\na b\té\n", encoding="utf-8")
    database = load_facts(tmp_path, {"f": ("sym",), "e": NAMES})
    labels = list(database.domains["sym"].labels)
    assert labels == sorted(["ü", "Z", "\U0001f600", "\uffee", "b", "a b", "é"])
    assert database.domains["sym"].lookup("é") == labels.index("é")
    assert database.domains["sym"].lookup("missing") is None
    assert rows(database) == [("a b", "é"), ("b", "Z")]


@pytest.mark.parametrize("value", [0, 7, -7, 12345678, 123456789, -12345678, 10**16, 10**17, 10**18, GREATEST, LEAST, LEAST + 1])
def test_numbers_of_every_length(tmp_path: Path, value: int) -> None:
    assert rows(load(tmp_path, f"{value}\t1\n2\t{value}\n".encode(), INTS)) == sorted([(value, 1), (2, value)])


@given(
    st.lists(
        st.tuples(st.integers(LEAST, GREATEST), st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]))), max_size=30
    )
)
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, given_rows: list[tuple[int, str]]) -> None:
    folder = tmp_path_factory.mktemp("facts")
    database = Database.from_rows({"e": given_rows}, {"e": ("int", "sym")})
    table = database.tables["e"]
    write_rows(folder / "e.facts", table.columns, table.length, [None, database.domains["sym"].labels])
    assert rows(load_facts(folder, {"e": ("int", "sym")})) == rows(database) == sorted(set(given_rows))


def test_line_ends_of_windows_and_a_last_line_without_one(tmp_path: Path) -> None:
    assert rows(load(tmp_path, b"1\t2\r\n3\t4\r\n", INTS)) == [(1, 2), (3, 4)]
    assert rows(load(tmp_path, b"a\tb\r\nc\td", NAMES)) == [("a", "b"), ("c", "d")]
    assert rows(load(tmp_path, b"1\t2\n3\t4", INTS)) == [(1, 2), (3, 4)]


def test_an_empty_file_is_an_empty_relation(tmp_path: Path) -> None:
    assert rows(load(tmp_path, b"", INTS)) == []
    assert rows(load(tmp_path, b"", NAMES)) == []
    assert rows(load(tmp_path, b"", ())) == []


def test_empty_names_are_names(tmp_path: Path) -> None:
    assert rows(load(tmp_path, b"\tb\na\t\n", NAMES)) == [("", "b"), ("a", "")]


def test_a_relation_without_columns_holds_when_its_file_has_a_line(tmp_path: Path) -> None:
    assert rows(load(tmp_path, b"()\n", ())) == [()]
    write_rows(tmp_path / "q.facts", (), 1, [])
    assert rows(load_facts(tmp_path, {"q": ()}), "q") == [()]


def test_a_missing_file_is_an_empty_relation_and_a_warning(tmp_path: Path) -> None:
    warnings: list[Diagnostic] = []
    database = load_facts(tmp_path, {"e": BOTH}, warnings)
    assert rows(database) == []
    assert [warning.code for warning in warnings] == ["CE421"]
    assert "`e`" in warnings[0].message


def test_a_directory_in_the_place_of_a_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "e.facts").mkdir()
    warnings: list[Diagnostic] = []
    assert rows(load_facts(tmp_path, {"e": INTS}, warnings)) == []
    assert warnings


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "e.facts").write_bytes(b"1\t2\n")

    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(CeError, match=r"e\.facts: Permission denied") as raised:
        load_facts(tmp_path, {"e": INTS})
    assert [diagnostic.code for diagnostic in raised.value.diagnostics] == ["CE422"]


@pytest.mark.parametrize(
    ("text", "sorts", "complaint"),
    [
        (b"1\t2\n3\n", INTS, "2:1 CE423 the row has 1 field, not 2"),
        (b"1\t2\t3\n", INTS, "1:1 CE423 the row has 3 fields, not 2"),
        (b"1\t2\n\n3\t4\n", INTS, "2:1 CE423 the row has 1 field, not 2"),
        (b"1\t2\n3\tx4\n", INTS, "2:3 CE423 `x4` is not an integer"),
        (b"1\t2\n3\t4x\n", INTS, "2:3 CE423 `4x` is not an integer"),
        (b"1\t2\n12345\t\n", INTS, "2:7 CE423 `` is not an integer"),
        (b"1\t-\n", INTS, "1:3 CE423 `-` is not an integer"),
        (b"1\t--1\n", INTS, "1:3 CE423 `--1` is not an integer"),
        (b"1\t+1\n", INTS, "1:3 CE423 `+1` is not an integer"),
        (b"1\t1.5\n", INTS, "1:3 CE423 `1.5` is not an integer"),
        (b"1\t 2\n", INTS, "1:3 CE423 ` 2` is not an integer"),
        (b"1\t2\r3\n", INTS, "1:3 CE423 `2\r3` is not an integer"),
        (b"9223372036854775808\t1\n", INTS, "1:1 CE423 `9223372036854775808` does not fit in 64 bits"),
        (b"-9223372036854775809\t1\n", INTS, "1:1 CE423 `-9223372036854775809` does not fit in 64 bits"),
        (b"1\t123456789012345678901234567890\n", INTS, "1:3 CE423 `123456789012345678901234567890` does not fit in 64 bits"),
        (b"1\t1234567890123456789x\n", INTS, "1:3 CE423 `1234567890123456789x` is not an integer"),
        ("ü\tx\n".encode(), BOTH, "1:3 CE423 `x` is not an integer"),
        (b"a\tb\nc\t\xff\n", NAMES, "2:3 CE423 byte 0xff is not UTF-8"),
        (b"a\xc3\tb\n", NAMES, "1:1 CE423 byte 0xc3 is not UTF-8"),
    ],
)
def test_a_bad_row_is_named_by_line_and_column(tmp_path: Path, text: bytes, sorts: tuple[str, ...], complaint: str) -> None:
    assert complaints(tmp_path, text, sorts) == [complaint]


def test_lines_are_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tsv, "BLOCK", 64)
    good = b"".join(b"%d\t%d\n" % (number, number * number) for number in range(100))
    assert rows(load(tmp_path, good, INTS)) == [(number, number * number) for number in range(100)]
    assert complaints(tmp_path, good + b"7\tseven\n", INTS) == ["101:3 CE423 `seven` is not an integer"]
    long_name = "n" * 500
    assert rows(load(tmp_path, f"{long_name}\t1\nshort\t2\n".encode(), BOTH)) == [(long_name, 1), ("short", 2)]


def test_faults_of_several_blocks_and_files_are_listed_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tsv, "BLOCK", 16)
    (tmp_path / "f.facts").write_bytes(b"x\n")
    (tmp_path / "e.facts").write_bytes(b"1\ta\n" + b"1\t1\n" * 10 + b"1\tb\n")
    with pytest.raises(CeError) as raised:
        load_facts(tmp_path, {"e": INTS, "f": ("int",)})
    places = [(Path(d.span.source).name, d.span.line) for d in raised.value.diagnostics if d.span is not None]
    assert places == [("e.facts", 1), ("e.facts", 12), ("f.facts", 1)]


def test_a_row_knows_its_line(tmp_path: Path) -> None:
    table = load(tmp_path, b"b\t2\r\na\t1\r\n", BOTH).tables["e"]
    assert table.at is not None
    assert [table.at(number) for number in range(2)] == [f"{tmp_path / 'e.facts'}:2", f"{tmp_path / 'e.facts'}:1"]
    (tmp_path / "e.facts").unlink()
    assert table.at(0) is None


_texts = st.text("ab\x00é\U0001f600", max_size=20) | st.text("xy", min_size=120, max_size=140)


@given(st.lists(st.lists(_texts, max_size=15), max_size=4))
def test_interning_in_batches_numbers_names_as_a_sorted_set_does(batches: list[list[str]]) -> None:
    interner = Interner()
    hashes = []
    for batch in batches:
        encoded = [text.encode() for text in batch]
        lengths = np.array([len(text) for text in encoded], dtype=np.int64)
        buffer = np.frombuffer(b"".join(encoded) + bytes(8), dtype=np.uint8)
        if batch:
            hashes.append((batch, interner.add(buffer, lengths.cumsum() - lengths, lengths)))
    labels, resolver = interner.finish()
    assert list(labels) == sorted({text for batch in batches for text in batch})
    for batch, found in hashes:
        assert [labels[number] for number in resolver.ids(found).tolist()] == batch


def test_names_that_share_a_hash_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "_hashes", lambda buffer, starts, lengths: np.full(lengths.size, 5, dtype=np.uint64))
    text = b"one\ttwo\nthree\tone\n"
    assert rows(load(tmp_path, text, NAMES)) == [("one", "two"), ("three", "one")]


def test_labels_are_a_sequence() -> None:
    labels = Labels("aébc".encode(), np.array([1, 3, 3, 5]))
    assert list(labels) == ["a", "é", "", "bc"]
    assert labels[-1] == "bc"
    assert labels[1:3] == ["é", ""]
    with pytest.raises(IndexError):
        labels[4]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ((1,), "row 2 of `e` has 1 value, not 2"),
        ((1, 2), "column 1 of row 2 of `e` is 1, not a name"),
        (("a", "b"), "column 2 of row 2 of `e` is 'b', not an integer"),
        (("a", True), "column 2 of row 2 of `e` is True, not an integer"),
        (("a", 1.5), "column 2 of row 2 of `e` is 1.5, not an integer"),
        (("a", None), "column 2 of row 2 of `e` is None, not an integer"),
        (("a", 1 << 63), "column 2 of row 2 of `e` is 9223372036854775808, which does not fit in 64 bits"),
    ],
)
def test_a_bad_row_of_python_values_is_named(row: tuple[int | str, ...], complaint: str) -> None:
    with pytest.raises(CeError) as raised:
        Database.from_rows({"e": [("a", 1), row]}, {"e": BOTH})
    assert [diagnostic.message for diagnostic in raised.value.diagnostics] == [complaint]


def test_millions_of_rows_a_second(tmp_path: Path) -> None:
    """A tenth of the speed that the benchmarks see, so that a busy machine does not fail it."""
    generator = np.random.default_rng(1)
    numbers = generator.integers(0, 100_000, (200_000, 2))
    (tmp_path / "e.facts").write_text("".join(f"{a}\t{b}\n" for a, b in numbers.tolist()))
    (tmp_path / "f.facts").write_text("".join(f"src/m{a % 999}/f{a}.py\tname{b}\n" for a, b in numbers.tolist()))
    started = time.process_time()
    load_facts(tmp_path, {"e": INTS})
    assert 200_000 / (time.process_time() - started) > 300_000
    started = time.process_time()
    load_facts(tmp_path, {"f": NAMES})
    assert 400_000 / (time.process_time() - started) > 100_000
