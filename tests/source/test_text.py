"""Text comes out as UTF-8 with LF line ends, whatever the bytes are, and odd files are named."""

from __future__ import annotations

import ast
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.source.text import SourceText, decode


def test_plain_text_stays_as_it_is() -> None:
    assert decode(b"a = 1\n") == SourceText(b"a = 1\n", "ascii")
    assert decode("é = '😀'\n".encode()) == SourceText("é = '😀'\n".encode(), "utf-8")
    assert decode(b"") == SourceText(b"", "ascii")


def test_a_byte_order_mark_is_taken_off_and_remembered() -> None:
    found = decode(b"\xef\xbb\xbfimport a\n")
    assert (found.text_bytes, found.encoding, found.byte_order_mark, found.problems) == (b"import a\n", "utf-8", True, ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_known_by_their_mark(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    found = decode(f"{mark}x = 'é😀'\r\ny\r\n".encode(encoding))
    assert found.text_bytes.decode() == "x = 'é😀'\ny\n"
    assert (found.lines, found.line_end, found.problems, found.byte_order_mark) == (2, "\r\n", (), True)


def test_a_cut_wide_text_is_read_as_far_as_it_goes() -> None:
    found = decode("\ufeffab".encode("utf-16-le")[:-1])
    assert found.text_bytes.decode() == "a\ufffd"
    assert found.problems == ("it is not valid utf-16-le: unreadable bytes are replaced",)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n", "latin-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n€\n".encode("cp1252"), None, "cp1252"),
        ("# coding: shift_jis\n日本\n".encode("shift_jis"), "# coding: shift_jis\n日本\n", "shift_jis"),
        ("\r\n# coding: koi8-r\r\nж\r\n".encode("koi8-r"), "\n# coding: koi8-r\nж\n", "koi8-r"),
        ("# coding: utf8\né\n".encode(), "# coding: utf8\né\n", "utf-8"),
    ],
)
def test_a_declared_encoding_is_obeyed(data: bytes, text: str | None, encoding: str) -> None:
    found = decode(data)
    assert (found.encoding, found.problems) == (encoding, ())
    assert text is None or found.text_bytes.decode() == text


@pytest.mark.parametrize(
    "name", ["rot13", "hex", "zip", "idna", "punycode", "unicode_escape", "utf-7", "utf-16", "cp037", "nonsense", "undefined"]
)
def test_a_declared_encoding_that_is_none_of_text_is_named(name: str) -> None:
    found = decode(f"# coding: {name}\né\n".encode())
    assert found.encoding == "utf-8"
    assert found.text_bytes.decode() == f"# coding: {name}\né\n"
    assert len(found.problems) == 1 and f"the declared encoding `{name}` is" in found.problems[0]


def test_a_declaration_counts_only_in_the_first_two_lines() -> None:
    for before in ("import a\n", "\n\n", "# a\nimport b\n"):
        assert decode(f"{before}# coding: latin-1\né".encode()).encoding == "utf-8"
    assert decode("\n# coding: latin-1\né".encode()).encoding == "latin-1"


def test_undeclared_bytes_are_read_as_latin_1_and_said() -> None:
    found = decode(b"a\r\nb\rc\n\xe9\n")
    assert found.text_bytes.decode() == "a\nb\nc\né\n"
    assert found.problems == ("line 4 is not UTF-8: read as Latin-1",)


def test_all_bytes_but_zero_are_text() -> None:
    found = decode(bytes(range(1, 256)))
    assert found.encoding == "latin-1" and len(found.problems) == 1


def test_a_zero_near_the_start_makes_a_file_binary_and_a_late_one_does_not() -> None:
    found = decode(b"x\0" + b"y" * 10)
    assert found.is_binary and found.text_bytes == b"" and found.lines == 0
    assert found.problems == ("binary: it holds a NUL byte",)
    late = decode(b"x" * 9000 + b"\0\n")
    assert not late.is_binary and late.text_bytes.endswith(b"x\0\n")


@pytest.mark.parametrize(("end", "data"), [("\n", b"a\nb\nc"), ("\r\n", b"a\r\nb\r\nc"), ("\r", b"a\rb\rc")])
def test_every_line_end_counts_once(end: str, data: bytes) -> None:
    found = decode(data)
    assert found == SourceText(b"a\nb\nc", "ascii", line_end=end)
    assert found.lines == 3 and decode(data + end.encode()).lines == 3


@given(st.binary(max_size=400).map(lambda data: data.replace(b"\0", b"")))
def test_lines_are_those_of_universal_newlines(data: bytes) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return
    expected = list(io.TextIOWrapper(io.BytesIO(data), encoding="latin-1", newline=None))
    assert decode(data).lines == len(expected)


@given(st.binary(max_size=300))
def test_any_bytes_give_text_without_an_exception(data: bytes) -> None:
    found = decode(data)
    found.text_bytes.decode("utf-8")
    assert b"\r" not in found.text_bytes


@given(st.sampled_from(("\n", "\r\n", "\r")), st.lists(st.sampled_from(("", "    ", "# c")), max_size=6))
def test_line_numbers_agree_with_python(end: str, before: list[str]) -> None:
    data = (end.join([*before, "x = 1"]) + end).encode()
    assert ast.parse(data).body[0].lineno == len(before) + 1
    assert decode(data).text_bytes.decode().split("\n")[len(before)] == "x = 1"
