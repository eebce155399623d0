"""The names of a file as bytes and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.names.codec import decode_names, encode_names
from ce.extract.names.model import DEFINITION_KINDS, FLAGS, USE_KINDS, Definition, Expression, FileNames, ImportedName, Use

_TEXTS = st.text(max_size=6)
_LINES = st.integers(0, 10_000)


@st.composite
def _file_names(draw: st.DrawFn) -> FileNames:
    count = draw(st.integers(1, 5))
    paths = st.builds(Expression, st.integers(-2, count - 1), st.lists(_TEXTS, max_size=3).map(tuple))
    some_paths = st.lists(paths, max_size=2, unique=True).map(tuple)
    imported = st.builds(ImportedName, _TEXTS, _LINES, _TEXTS, st.integers(0, 4))
    definitions = tuple(
        Definition(
            draw(_TEXTS),
            draw(st.sampled_from(DEFINITION_KINDS)),
            -1 if number == 0 else draw(st.integers(0, number - 1)),
            draw(_LINES),
            draw(_LINES),
            draw(_LINES),
            draw(st.frozensets(st.sampled_from(FLAGS))),
            draw(st.lists(_TEXTS, max_size=3).map(tuple)),
            draw(some_paths),
            draw(some_paths),
            draw(some_paths),
            draw(st.none() | imported),
        )
        for number in range(count)
    )
    owners = st.integers(0, count - 1)
    return FileNames(
        definitions,
        draw(st.lists(st.builds(Use, owners, st.sampled_from(USE_KINDS), _LINES, paths, _TEXTS), max_size=4).map(tuple)),
        draw(st.lists(st.tuples(_LINES, owners, _TEXTS), max_size=3).map(tuple)),
        draw(st.lists(st.tuples(_LINES, _TEXTS, _TEXTS), max_size=3).map(tuple)),
        draw(st.lists(imported, max_size=2).map(tuple)),
        draw(st.booleans()),
        draw(st.lists(_TEXTS, max_size=2).map(tuple)),
    )


@given(_file_names())
@settings(max_examples=60, deadline=None)
def test_names_come_back_as_they_were_written(names: FileNames) -> None:
    assert decode_names(encode_names(names)) == names


@given(_file_names(), st.data())
@settings(max_examples=80, deadline=None)
def test_a_number_that_points_nowhere_is_refused_or_means_something_that_exists(names: FileNames, data: st.DataObject) -> None:
    document = json.loads(encode_names(names).decode("utf-8", "surrogatepass"))
    columns = [column for column in document[2:16] if column]
    column = data.draw(st.sampled_from(columns))
    column[data.draw(st.integers(0, len(column) - 1))] = data.draw(st.integers(-5, 50) | st.just(2**40) | st.just(True) | st.just("x"))
    try:
        found = decode_names(json.dumps(document).encode())
    except ValueError:
        return
    assert isinstance(found, FileNames)


@pytest.mark.parametrize("blob", [b"", b"\xff", b"[]", b'["names/1"]', b'["names/0"]', b"null", b"[" * 100_000])
def test_other_bytes_are_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="names"):
        decode_names(blob)
