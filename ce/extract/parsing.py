"""Parsing one file within bounds: a `Parsed` that all layers of a file share.

The bounds do not depend on the clock, so a file is either parsed everywhere or nowhere: a size, a number of parser
operations and of bytes that the lexer reads, both in proportion to the size, and a depth below which no query looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from ce.extract.spec import LanguageSpec
from ce.source.text import PARSE_LIMIT

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

__all__ = ["MAX_DEPTH", "MAX_ENDLESS", "MAX_LOOSE", "MAX_PARSE_BYTES", "Parsed", "SkippedParse", "grammar", "parse", "parse_part"]

MAX_PARSE_BYTES = PARSE_LIMIT
MAX_ENDLESS = 500
MAX_LOOSE = 4_000  # a query looks from each token for the next node that is none
_BEFORE = 200  # bytes before syntax that a grammar does not know that are looked at
MAX_DEPTH = 5_000  # a query costs nodes times depth; real code stays below some hundred levels
_CHUNK = 1_024  # what the lexer gets at a time; it asks again for what it has left behind
_FREE_CHUNKS = 16_384  # whatever opens and never closes is read to the end of the file from each place where it may open
_CHUNKS_PER_CHUNK = 8  # usual code is read about twice
_FREE_CALLBACKS = 10_000  # the parser reports every hundred operations; usual code needs one report per 190 bytes
_BYTES_PER_CALLBACK = 8


@dataclass(slots=True)
class Parsed:
    """One file's text and tree. `text` is UTF-8; `tree` is None for a language without a grammar.

    Of a file that holds code of another language, `spec` and `text` are those of the code, `language` and `whole` of the file.
    """

    path: str
    spec: LanguageSpec
    text: bytes
    tree: Tree | None
    problems: list[str] = field(default_factory=list)
    is_deep: bool = False
    language: str = ""
    whole: bytes = b""


@dataclass(frozen=True, slots=True)
class SkippedParse:
    """Why a file was not parsed, in words for `problems`."""

    reason: str


@cache
def grammar(name: str) -> Language:
    """Return the grammar of that name in the language pack."""
    from tree_sitter_language_pack import get_language

    return get_language(name)  # type: ignore[arg-type]  # the names are checked by a test


@cache
def _parser(name: str) -> Parser:
    from tree_sitter import Parser

    return Parser(grammar(name))


def parse(path: str, spec: LanguageSpec, text: bytes) -> Parsed | SkippedParse:
    """Return the file with its tree, or why it has none."""
    if not spec.grammar:
        return Parsed(path, spec, text, None)
    if len(text) > MAX_PARSE_BYTES:
        return SkippedParse(f"larger than {MAX_PARSE_BYTES // (1024 * 1024)} MiB: measured by size only")
    if spec.endless is not None and _endless(text, *spec.endless) > MAX_ENDLESS:
        return SkippedParse(f"more than {MAX_ENDLESS} tokens open and never close: measured by size only")
    tree = _bounded(_parser(spec.grammar), _without_unread(spec, text), 0, len(text))
    if tree is None:
        return SkippedParse("parsing needs too many steps: measured by size only")
    parsed = Parsed(path, spec, text, tree)
    shape = _shape(tree.root_node)
    if shape.loose is not None:
        line = shape.loose.start_point[0] + 1
        return SkippedParse(f"more than {MAX_LOOSE} tokens from line {line} on fit no structure: measured by size only")
    if shape.deep is not None:
        parsed.is_deep = True
        line = shape.deep.start_point[0] + 1
        parsed.problems.append(f"nested deeper than {MAX_DEPTH} levels at line {line}: what is deeper is not measured")
    return parsed


def _without_unread(spec: LanguageSpec, text: bytes) -> bytes:
    """Return the text with the syntax that the grammar does not know as blanks."""
    for needle, expression, before in _unread_of(spec.unread):
        if needle in text:
            text = expression.sub(partial(_blanked, before), text)
    return text


@cache
def _unread_of(unread: tuple[tuple[bytes, bytes, bytes], ...]) -> tuple[tuple[bytes, re.Pattern[bytes], re.Pattern[bytes]], ...]:
    return tuple((needle, re.compile(expression), re.compile(before + rb"\Z")) for needle, expression, before in unread)


def _blanked(before: re.Pattern[bytes], match: re.Match[bytes]) -> bytes:
    start, end = match.span(1)
    whole, at = match.group(), match.start()
    if not before.search(match.string, max(0, at - _BEFORE), at):
        return whole
    return whole[: start - at] + b" " * (end - start) + whole[end - at :]


def parse_part(parsed: Parsed, start: int, end: int, points: tuple[tuple[int, int], tuple[int, int]]) -> Parsed | None:
    """Return the file with a tree of the bytes from `start` to `end` alone, at the same places; None when it passes the bounds.

    `points` are the rows and columns of the two places.
    """
    from tree_sitter import Parser, Point, Range

    parser = Parser(grammar(parsed.spec.grammar))
    parser.included_ranges = [Range(Point(*points[0]), Point(*points[1]), start, end)]
    tree = _bounded(parser, parsed.text, start, end)
    shape = _Shape() if tree is None else _shape(tree.root_node)
    if tree is None or shape.loose is not None or shape.deep is not None:
        return None
    return Parsed(parsed.path, parsed.spec, parsed.text, tree)


def _bounded(parser: Parser, text: bytes, start: int, end: int) -> Tree | None:
    """Return the tree of the bytes from `start` to `end`, or None when it takes too many steps."""
    reports = reads = 0
    is_parsed = False
    allowed = _FREE_CALLBACKS + (end - start) // _BYTES_PER_CALLBACK
    readable = _FREE_CHUNKS + _CHUNKS_PER_CHUNK * ((end - start) // _CHUNK + 1)

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads += 1
        # The end of the text ends any search. Whoever asks the tree for text afterwards gets it.
        return text[offset : min(offset + _CHUNK, end)] if reads <= readable or is_parsed else b""

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > allowed or reads > readable

    try:
        tree = parser.parse(read, progress_callback=stop)
    except ValueError:
        parser.reset()  # otherwise the next file would resume this one
        return None
    if reads > readable:
        return None
    is_parsed = True
    return tree


def _endless(text: bytes, opening: bytes, closing: bytes) -> int:
    """Return how many tokens open behind the last place where one of their kind closes: the parser looks for the end of each of them."""
    openings = [(match.start(), match.group(1)) for match in re.finditer(opening, text)]
    if len(openings) <= MAX_ENDLESS:
        return 0
    last = {match.group(1): match.start() for match in re.finditer(closing, text)}
    return sum(start > last.get(kind, -1) for start, kind in openings)


@dataclass(slots=True)
class _Shape:
    """What would make queries slow: a node that is too deep, and a run of tokens without structure that is too long."""

    deep: Node | None = None
    loose: Node | None = None


def _shape(root: Node) -> _Shape:
    """Return the first such nodes. Looks only into nodes that are large enough to hold one, and never recurses."""
    shape = _Shape()
    stack = [(root, 0)]
    while stack and shape.loose is None:
        node, level = stack.pop()
        if level == MAX_DEPTH:
            shape.deep = shape.deep or node
        elif node.descendant_count > min(MAX_DEPTH - level, MAX_LOOSE):
            heavy, shape.loose = _heavy_children(node, min(MAX_DEPTH - level - 1, MAX_LOOSE))
            stack += [(child, level + 1) for child in reversed(heavy)]
    return shape


def _heavy_children(node: Node, descendants: int) -> tuple[list[Node], Node | None]:
    """Return the children with more than so many descendants, and the token that begins a too long run of tokens, if any."""
    heavy = []
    run: list[Node] = []
    cursor = node.walk()
    is_there = cursor.goto_first_child()
    while is_there:
        child = cursor.node
        assert child is not None
        if child.is_named:
            run.clear()
            if child.descendant_count > descendants:
                heavy.append(child)
        else:
            run.append(child)
            if len(run) > MAX_LOOSE:
                return heavy, run[0]
        is_there = cursor.goto_next_sibling()
    return heavy, None
