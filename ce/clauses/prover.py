"""Containment between matchers, proved on their text alone.

Two shapes are understood: free text that may stand anywhere, and a command literal inside the one anchored
form that `emit` writes. Everything else has no shape, and nothing without a shape is ever proved to contain,
or to be contained in, anything. There is no prover for regular expressions here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["COMMAND_PREFIX", "IDENTICAL", "SUBSTRING", "Cover", "Shape", "cover", "emit", "matches", "prove", "shape_of"]

IDENTICAL = "identical"
SUBSTRING = "substring"
COMMAND_PREFIX = "command-prefix"

_HEAD = r'"command"\s*:\s*"'
_TAIL = r'(?=[\s"\\])'
_SPECIAL = frozenset(".*+?^${}()|[]\\")
_WHITESPACE = re.compile(r"\s+")
_REGEX = re.compile(r"/(.+)/([gimsuy]*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the prover sees of a matcher: `kind` is `anywhere` or `command`, `text` its normal form."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Cover:
    """A proof that one matcher matches whatever another does, with its certificate.

    `label` is `identical`, `substring` or `command-prefix`. `offset` is where the covering text begins in the covered one
    (`substring`), or the position of the space that ends the shorter literal (`command-prefix`); 0 for `identical`.
    """

    label: str
    covering: Shape
    covered: Shape
    offset: int


def emit(literal: str) -> str:
    """Return the anchored matcher of a command literal.

    Raises ValueError when the literal is empty: an empty command anchors nothing.
    """
    if not literal:
        raise ValueError("a command literal is not empty")
    return f"/{_HEAD}{_escape(literal)}{_TAIL}/"


@lru_cache(maxsize=65536)
def shape_of(pattern: str) -> Shape | None:
    """Return the shape of a matcher as written, or None when the prover does not understand it."""
    regex = _REGEX.fullmatch(pattern)
    if regex is None:
        normal = _normal(pattern)
        return Shape("anywhere", normal) if normal else None
    body, flags = regex.groups()
    if flags not in ("", "i") or not (body.startswith(_HEAD) and body.endswith(_TAIL)):
        return None
    literal = _unescape(body[len(_HEAD) : len(body) - len(_TAIL)])
    return Shape("command", _normal(literal)) if literal else None


def prove(covering: str, covered: str) -> Cover | None:
    """Return the proof that `covering` matches everything that `covered` matches, or None."""
    a, b = shape_of(covering), shape_of(covered)
    if a is None or b is None:
        return None
    if a == b:
        return Cover(IDENTICAL, a, b, 0)
    if not (a.text.isascii() and b.text.isascii()):
        # Case folding beyond ASCII may change lengths, so only equality is safe there.
        return None
    if a.kind == "anywhere":
        offset = b.text.find(a.text)
        return Cover(SUBSTRING, a, b, offset) if offset >= 0 else None
    if b.kind == "command" and b.text.startswith(a.text + " "):
        return Cover(COMMAND_PREFIX, a, b, len(a.text))
    return None


def cover(covering: str, covered: str) -> str | None:
    """Return the label of the proof that `covering` contains `covered`, or None when nothing proves it."""
    proof = prove(covering, covered)
    return proof.label if proof else None


def matches(pattern: str, haystack: str) -> bool:
    """Tell whether a matcher as written matches a haystack; a pattern that does not compile matches nothing."""
    compiled = _compiled(pattern)
    return compiled is not None and compiled.search(haystack) is not None


@lru_cache(maxsize=65536)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    regex = _REGEX.fullmatch(pattern)
    if regex is None:
        return re.compile(_escape(pattern), re.IGNORECASE) if _normal(pattern) else None
    body, letters = regex.groups()
    flags = re.IGNORECASE
    for letter, flag in (("m", re.MULTILINE), ("s", re.DOTALL)):
        if letter in letters:
            flags |= flag
    if "y" in letters:
        body = rf"\A(?:{body})"
    try:
        return re.compile(body, flags)
    except (re.error, OverflowError, RecursionError):
        return None


def _escape(text: str) -> str:
    escaped = "".join("\\" + character if character in _SPECIAL else character for character in text)
    return _WHITESPACE.sub(lambda _: r"\s+", escaped)


def _unescape(body: str) -> str | None:
    """Return the literal whose escaped form is `body`, or None when `body` is not one."""
    literal: list[str] = []
    position = 0
    while position < len(body):
        character = body[position]
        if character == "\\":
            if body.startswith(r"\s+", position):
                literal.append(" ")
                position += 3
                continue
            following = body[position + 1 : position + 2]
            if following not in _SPECIAL or not following:
                return None
            literal.append(following)
            position += 2
            continue
        if character in _SPECIAL or character.isspace():
            return None
        literal.append(character)
        position += 1
    return "".join(literal) or None


def _normal(text: str) -> str:
    return _WHITESPACE.sub(" ", text).lower()
