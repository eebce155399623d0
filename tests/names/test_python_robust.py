"""Python that is broken, deep, odd or large."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.names.codec import decode_names, encode_names
from ce.extract.names.model import FileNames
from tests.names.python_names import kinds, read, uses

_PIECES = (
    "def ", "class ", "f", "(", ")", ":", "\n"
    "", "    ", "x", "=", "[", "]", "import ", "from ", " as ", "lambda ", "*", ",", ".", "'s'", "{", "}",
    "f'{", "}'", "@", "if ", "for ", " in ", "match ", "case ", "with ", "type ", "del ", "global ", "return ", "yield ",
    "await ", "|", "-> ", "é",
    "getattr(", "__all__", "super()", "self", "globals()[", "sys.modules[", "import_module('a')", "async ", ";", "#c", "'", "\\",
)  # fmt: skip


def _is_sound(names: FileNames) -> None:
    count = len(names.definitions)
    assert names.definitions[0].kind == "module"
    for number, one in enumerate(names.definitions[1:], 1):
        assert 0 <= one.parent < number
        assert 1 <= one.line <= one.end_line
    for use in names.uses:
        assert 0 <= use.owner < count
        assert -2 <= use.target.base < count
        assert use.line >= 1
    assert decode_names(encode_names(names)) == names


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_whatever_the_text_is_the_names_of_it_are_sound(source: str) -> None:
    _is_sound(read(source))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_whatever_the_bytes_are_the_names_of_them_are_sound(source: bytes) -> None:
    read(source.decode("utf-8", "replace"))


def test_what_stands_beside_broken_syntax_is_still_found() -> None:
    names = read("def good(): pass\ndef oops(:\n    good()\nclass Fine:\n    def m(self): good()\n")
    assert kinds(names)["good"] == "function"
    assert "Fine.m" in kinds(names)


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 100_000 + ")" * 100_000 + "\n",
        "x = " + "-" * 100_000 + "1\n",
        "x" + ".a" * 100_000 + "\n",
        "x" + "()" * 100_000 + "\n",
        "x" + "[0]" * 100_000 + "\n",
        "x = " + "[" * 20_000 + "]" * 20_000 + "\n",
        "x = " + " + ".join(["a"] * 100_000) + "\n",
        "x = " + "not " * 50_000 + "y\n",
        "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "y\n",
        "x = " + "lambda: " * 20_000 + "1\n",
        "x: " + "list[" * 50_000 + "int" + "]" * 50_000 + "\n",
        "a = " * 20_000 + "1\n",
        "a if b else " * 20_000 + "c\n",
        "x = (a or " * 3_000 + "b" + ")" * 3_000 + ".c\n",
    ],
)
def test_deep_nesting_neither_fails_nor_takes_long(source: str) -> None:
    from ce.extract.languages import language_spec
    from ce.extract.names.registry import names_of
    from ce.extract.parsing import Parsed, parse

    parsed = parse("m.py", language_spec("python"), source.encode())
    if isinstance(parsed, Parsed):
        start = time.process_time()
        names_of(parsed)
        assert time.process_time() - start < 10


def test_many_values_of_many_names_do_not_multiply() -> None:
    lines = ["def f(a, b, c):"]
    for _ in range(40):
        lines += [f"    {x} = {y}.m if {z} else {z}.n" for x, y, z in ("abc", "bca", "cab")]
    names = read("\n".join(lines) + "\n    a.end\n")
    assert "f -> ? end" in uses(names)


def test_names_that_are_not_ascii_are_read_as_they_are() -> None:
    names = read("größe = 1\nclass Äpfel:\n    def öffne(self): return größe\nÄpfel().öffne()\n")
    assert kinds(names) == {"größe": "variable", "Äpfel": "class", "Äpfel.öffne": "method"}
    assert {"Äpfel.öffne -> größe", "<module> -> Äpfel () öffne"} <= uses(names)


def test_lines_are_those_of_the_file_whatever_ends_them() -> None:
    for end in ("\n", "\r\n"):
        names = read(end.join(("x = 1", "", "def f():", "    return x", "")))
        assert [(one.name, one.line, one.end_line) for one in names.definitions[1:]] == [("x", 1, 1), ("f", 3, 4)]
        assert [use.line for use in names.uses] == [4]
