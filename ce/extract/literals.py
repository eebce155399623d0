"""String literals without holes: all of them, and those that look like dotted names or paths.

Literals are everywhere and few look like references, so the few are found by their text and then asked of the tree.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.languages import language_spec
from ce.extract.parsing import MAX_DEPTH, Parsed, grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["literal_contents", "reference_contents"]

_MAX_LENGTH = 200
_MAX_PLACES = 200  # each is looked for from the root, so of more the tree is visited once
_REFERENCE = rb"(?:<rootDir>/|(?:\.\./)*)\.{0,2}/?[\w-]++(?:[./:][\w*-]++)+/?(?:\.\w++)?|\.{1,3}[A-Za-z_]\w++"
_LOOKS_LIKE_REFERENCE = re.compile(_REFERENCE)
_QUOTED = {
    quote: re.compile(before + rb"(" + _REFERENCE + rb")(?=" + behind + rb")")
    for quote, before, behind in ((b'"', b'"', b'"'), (b"'", b"'", b"'"), (b"`", b"`", b"`"), (b"}", b"}", b"`"), (b"[", rb"\[", rb"\]"))
}


def literal_contents(parsed: Parsed) -> list[Node]:
    """Return what stands between the quotes of each literal, in no order."""
    from tree_sitter import QueryCursor

    query = _query(parsed.spec.name)
    if query is None or parsed.tree is None:
        return []
    cursor = QueryCursor(query)
    if parsed.is_deep:
        cursor.set_max_start_depth(MAX_DEPTH)
    return cursor.captures(parsed.tree.root_node).get("string", [])


def reference_contents(parsed: Parsed) -> list[Node]:
    """Return those of the contents that look like a dotted name or a path, in no order."""
    kinds = parsed.spec.strings
    if kinds is None or not kinds.plain or parsed.tree is None:
        return []
    text = parsed.text
    places = [] if parsed.is_deep else _places(text, kinds.quotes)
    if parsed.is_deep or len(places) > _MAX_PLACES:
        return [
            node
            for node in literal_contents(parsed)
            if node.end_byte - node.start_byte <= _MAX_LENGTH and _LOOKS_LIKE_REFERENCE.fullmatch(text, node.start_byte, node.end_byte)
        ]
    return [node for start, end in places if (node := _content_at(parsed, start, end)) is not None]


def _places(text: bytes, quotes: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """Return where something that looks like a reference stands between two quotes."""
    if b"${" not in text:
        quotes = tuple(quote for quote in quotes if quote != b"}")
    places = [match.span(1) for quote in quotes for match in _QUOTED[quote].finditer(text)]
    return [(start, end) for start, end in places if end - start <= _MAX_LENGTH]


def _content_at(parsed: Parsed, start: int, end: int) -> Node | None:
    """Return the content of a literal that has this extent, if there is one."""
    from tree_sitter import QueryCursor

    query = _query(parsed.spec.name)
    assert parsed.tree is not None and query is not None
    node = parsed.tree.root_node.named_descendant_for_byte_range(start, end)
    if node is None or node.start_byte != start or node.end_byte != end:
        return None
    literal = node.parent
    if literal is None:
        return None
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(0)
    contents = cursor.captures(literal).get("string", ())
    return next((found for found in contents if found.start_byte == start and found.end_byte == end), None)


@cache
def _query(name: str) -> Query | None:
    from tree_sitter import Query

    spec = language_spec(name)
    return Query(grammar(spec.grammar), spec.strings.plain) if spec.strings is not None and spec.strings.plain else None
