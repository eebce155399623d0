"""The lexer of Python gives the leaves of the tree, or nothing."""

from __future__ import annotations

import tokenize
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.languages import language_spec
from ce.extract.languages.python_tokens import lex, lex_all
from ce.extract.measures.tokens import TokenStream, leaves_of, stream_of
from ce.extract.parsing import Parsed, parse
from ce.source.text import decode

PYTHON = language_spec("python")
LIBRARY = sorted(path for path in Path(tokenize.__file__).parent.glob("*.py") if path.stat().st_size < 100_000)

PIECES = (
    "x", "_y1", "match", "case", "type", "print", "exec", "async def f(): pass", "await", "not", "in", "is", "None", "True", "lambda",
    "if", "else", "for", "import", "from", "as", "__future__", "yield", "return", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".",
    "...", "=", "==", "!=", "->", ":=", "+", "-", "*", "**", "/", "//", "<<", ">>=", "<>", "@", "~", "!", "$", "1", "1.5e-3", ".5",
    "1.", "0xFF", "1_0j", "07", "1.real", "'a'", '"b"', "'''c\nd'''", 'rb"\\x41"', 'f"{x}"', 'f"a{{b}}{x!r:>{w}}c"',
    'f\'{a["k"]:.2f}{{\'', 'u"e"', "f'''{\n x}'''", '"', "'", "\\\n", "\\", "# note\n", "\n", "\n    ", " ", "\t", "é", "\x0c",
    "if x:\n    y\n", "def f(a, *, b=1, **k) -> int:\n    return a\n", "from . import a\n", "import a, b as c\n",
    "from a import (b,\n c)\n", "with a as b: c\n", "x = 1\n", "x = a \\\n  + b\n", 'x = \\\n  "a"\n',
)  # fmt: skip


def _told(text: bytes) -> tuple[TokenStream, TokenStream] | None:
    """Return the streams of the lexer and of the tree; None when the lexer or the parser leaves it, or the text has a syntax error."""
    leaves = lex(text)
    parsed = parse("a.py", PYTHON, text)
    if leaves is None or not isinstance(parsed, Parsed) or parsed.tree is None or parsed.tree.root_node.has_error:
        return None
    return stream_of(text, leaves), stream_of(text, leaves_of(parsed))


def _assert_equal(text: bytes) -> None:
    told = _told(text)
    if told is not None:
        for column in ("codes", "starts", "ends", "imports", "lines"):
            np.testing.assert_array_equal(getattr(told[0], column), getattr(told[1], column))


@settings(deadline=None, max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_the_lexer_gives_what_the_tree_has_whatever_pieces_are_joined(text: str) -> None:
    _assert_equal(text.encode())


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
def test_the_lexer_gives_what_the_tree_has_when_pieces_stand_apart(text: str) -> None:
    _assert_equal(text.encode() + b"\n")


@settings(deadline=None, max_examples=400)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), max_size=5))
def test_a_text_among_others_has_the_leaves_it_has_alone(texts: list[str]) -> None:
    together = lex_all([text.encode() for text in texts])
    for leaves, text in zip(together, texts, strict=True):
        alone = lex(text.encode())
        assert (leaves is None) == (alone is None)
        if leaves is not None and alone is not None:
            for column in ("hashes", "kinds", "starts", "tails", "imports", "comments"):
                np.testing.assert_array_equal(getattr(leaves, column), getattr(alone, column))


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60))
def test_the_lexer_never_fails_on_any_bytes(data: bytes) -> None:
    lex(decode(data).text_bytes)


@pytest.mark.parametrize("path", LIBRARY[::5], ids=lambda path: path.name)
def test_the_lexer_gives_what_the_tree_has_of_the_standard_library(path: Path) -> None:
    _assert_equal(decode(path.read_bytes()).text_bytes)


def test_nearly_every_file_of_the_standard_library_needs_no_parse() -> None:
    texts = [decode(path.read_bytes()).text_bytes for path in LIBRARY]
    assert sum(lex(text) is not None for text in texts) > 0.9 * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1: pass\n",
        "type X = int\n",
        'print "a"\n',
        'f"{a["b"]}"\n',
        'f"\\N{DASH}{x}"\n',
        "x = '\n",
        "f(\n",
        "a <> b\n",
        "x = é\n",
        "1\n2\n",
        "x = 1 \\\n\ny\n",
        "x = " + "(" * 300 + ")" * 300 + "\n",
        "x = " + "a." * 5000 + "b\n",
    ],
)
def test_what_only_the_parser_can_tell_is_left_to_it(text: str) -> None:
    assert lex(text.encode()) is None
