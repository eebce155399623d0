"""How code is laid out changes no token: blanks, line breaks, continued lines and comments between tokens."""

from __future__ import annotations

import io
import tokenize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.languages import language_spec
from ce.extract.languages.python_tokens import lex
from ce.extract.measures.tokens import leaves_of, stream_of
from ce.extract.parsing import Parsed, parse

PYTHON = '''\
from a.b import (c, d as e)
import f

@g.h(1, key="two")
async def i(j, *k, l: int = 3, **m) -> dict[str, int]:
    """Doc."""
    assert j is not None and l in k, f"no {j!r:>{l}} in {k}"
    with open(j) as n, f.o("p" "q") as r:
        for s, t in zip(n, r):
            if not s <= t != 4 or s ** -t:
                yield {u: v for u, v in m.items() if v}
            elif (w := s[1:2, ...]) and lambda x=5: x:
                raise ValueError("y", w) from None
            else:
                s += await t if s else 6.5e-7
    return [*k, {"z": j}, (l,), -l @ l, not l]
'''
C = """\
int f(int a, char *b) {
  for (int i = 0; i < a; i++) { if (b[i] == 'x') return g(a, "s", 1.5); else a -= 2; }
  return a;
}
"""
JAVA = """\
class A {
  int f(int a, String b) {
    for (int i = 0; i < a; i++) { if (b.g() == null) { return h(a, "s"); } }
    return a ;
  }
}
"""
RUST = """\
fn f(a: u32, b: &str) -> u32 {
    for i in 0 .. a { if b == "x" { return g(a, "s"); } else { h( i ) ; } }
    a + 1
}
"""
TYPESCRIPT = """\
function f(a: number, b: string) {
  for (const i of g( a )) { if (b === "x") { h(i, `t ${ i } u`); } else { a -= 2 ; } }
}
"""
LUA = """\
function f(a, b)
  for i = 1, a do if b == "x" then g(a, "s") else a = a - 2 end end
  return a
end
"""
BRACES = {
    "c": ("a.c", C),
    "java": ("A.java", JAVA),
    "rust": ("a.rs", RUST),
    "typescript": ("a.ts", TYPESCRIPT),
    "lua": ("a.lua", LUA),
}
_COMMENT = {"lua": "--[[ note ]]"}
_LINE_COMMENT = {"lua": "-- note\n"}


def _codes(text: str, language: str = "python", path: str = "a.py") -> list[int]:
    parsed = parse(path, language_spec(language), text.encode())
    assert isinstance(parsed, Parsed)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error, text
    codes: list[int] = stream_of(parsed.text, leaves_of(parsed)).codes.tolist()
    if language == "python":
        leaves = lex(text.encode())
        assert leaves is None or stream_of(text.encode(), leaves).codes.tolist() == codes
    return codes


def _gaps() -> list[tuple[int, int, bool]]:
    """Return the offsets of what stands between tokens of one statement, and whether it stands in brackets.

    The tokens inside a formatted string are no tokens here before Python 3.12, so nothing is laid out anew there.
    """
    lines = [0]
    for line in PYTHON.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    gaps: list[tuple[int, int, bool]] = []
    depth = end = 0
    last: int | None = None
    layout = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.ENDMARKER)
    inside = 0
    for token in tokenize.generate_tokens(io.StringIO(PYTHON).readline):
        name = tokenize.tok_name[token.type]
        start = lines[token.start[0] - 1] + token.start[1]
        if last is not None and token.type not in layout and last not in layout and not inside and name != "FSTRING_MIDDLE":
            gaps.append((end, start, depth > 0))
        inside += (name == "FSTRING_START") - (name == "FSTRING_END")
        depth += (token.string in "([{" and token.type == tokenize.OP) - (token.string in ")]}" and token.type == tokenize.OP)
        last, end = token.type, lines[token.end[0] - 1] + token.end[1]
    return gaps


_GAPS = _gaps()
_ANYWHERE = ("", " ", "   ", " \\\n", "\\\n        ", " \\\n  \t")
# As deep as the statement at least: the grammar takes what stands farther left for the end of a block in a few places.
_DEEP = " " * 24
_IN_BRACKETS = (*_ANYWHERE, f"\n{_DEEP}", f"\n\n{_DEEP}", f"  # note (\n{_DEEP}", f"\n{_DEEP}# note\n{_DEEP}# more\n\n{_DEEP}")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, len(_IN_BRACKETS) - 1), min_size=len(_GAPS), max_size=len(_GAPS)), st.sampled_from(["", "\n# note\n\n"]))
def test_python_laid_out_anew_has_the_same_tokens(choices: list[int], between: str) -> None:
    parts: list[str] = []
    reached = 0
    for (start, end, is_open), choice in zip(_GAPS, choices, strict=True):
        allowed = _IN_BRACKETS if is_open else _ANYWHERE
        gap = allowed[choice % len(allowed)]
        # Words stay apart, and nothing is put where nothing stood: a point and a number would become one.
        parts += (PYTHON[reached:start], (gap or " ") if end > start else "")
        reached = end
    text = "".join((*parts, PYTHON[reached:])).replace("\n\n@", f"\n{between}\n@")
    assert _codes(text) == _codes(PYTHON)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(BRACES)), st.lists(st.integers(0, 5), min_size=200, max_size=200))
def test_code_in_braces_laid_out_anew_has_the_same_tokens(language: str, choices: list[int]) -> None:
    path, source = BRACES[language]
    parsed = parse(path, language_spec(language), source.encode())
    assert isinstance(parsed, Parsed)
    leaves = leaves_of(parsed)
    note, line = _COMMENT.get(language, "/* note */"), _LINE_COMMENT.get(language, "// note\n")
    # A line break after `return` ends the statement in some languages.
    fillings = (" ", "   ", "\t", f" {note} ", f" {note}{note} ", f" {line}")
    pieces = source.split(" ")
    text = pieces[0]
    for piece, choice in zip(pieces[1:], choices, strict=False):
        is_kept = text.rsplit(None, 1)[-1:] == ["return"] or text.count('"') % 2 or text.count("`") % 2 or text.count("'") % 2
        text += (" " if is_kept else fillings[choice]) + piece
    assert _codes(text, language, path) == stream_of(parsed.text, leaves).codes.tolist()


@pytest.mark.parametrize("text", ["x = a + \\\n    b\n", "x \\\n= \\\n a + b\n", "if a \\\n   and b:\n    c = \\\n 'd'\n"])
def test_a_continued_line_is_the_line_it_continues(text: str) -> None:
    assert _codes(text) == _codes(text.replace("\\\n", " "))
