"""Whether the body of a module calls something, beside what loads other modules: such a file does its work when it is run."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.languages import language_spec
from ce.extract.parsing import MAX_DEPTH, Parsed, grammar
from ce.extract.walker import name_of_callee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node, Query

    from ce.extract.drafts import UnitDraft

__all__ = ["runs_something"]

_LOADING = frozenset({"require", "import"})
_MAY_CALL = re.compile(rb"[(`<]|\bnew\b")
_NEAR = 6  # levels below a statement: most calls of a body stand there


def runs_something(parsed: Parsed, units: Sequence[UnitDraft]) -> bool:
    """Tell whether a call stands outside of the units; `units` are those of the walk, in the order of the text."""
    assert parsed.tree is not None
    extents: list[tuple[int, int]] = []
    for unit in units:
        if unit.node is not None and (not extents or unit.node.start_byte >= extents[-1][1]):
            extents.append((unit.node.start_byte, unit.end_byte))
    loose = [node for node in parsed.tree.root_node.named_children if _may_call(parsed.text, node, extents)]
    return any(_calls(parsed, node, extents, depth) for depth in (_NEAR, MAX_DEPTH) for node in loose)


def _may_call(text: bytes, node: Node, extents: list[tuple[int, int]]) -> bool:
    """Tell whether the text of a statement that stands in no unit has something of a call in it."""
    at, end = node.start_byte, node.end_byte
    place = bisect_right(extents, (at, 1 << 62)) - 1
    if place >= 0 and extents[place][1] > at:
        at, place = extents[place][1], place + 1
    else:
        place += 1
    while at < end:
        before = min(end, extents[place][0]) if place < len(extents) else end
        if _MAY_CALL.search(text, at, before):
            return True
        if place == len(extents):
            return False
        at, place = extents[place][1], place + 1
    return False


def _calls(parsed: Parsed, statement: Node, extents: list[tuple[int, int]], depth: int) -> bool:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(parsed.spec.name))
    cursor.set_max_start_depth(depth)
    for callee in cursor.captures(statement).get("callee", ()):
        start, end = callee.start_byte, callee.end_byte
        place = bisect_right(extents, (start, 1 << 62)) - 1
        name = "" if place >= 0 and start < extents[place][1] else name_of_callee(parsed.text[start:end])
        if name and name not in _LOADING:
            return True
    return False


@cache
def _query(language: str) -> Query:
    from tree_sitter import Query

    spec = language_spec(language)
    assert spec.calls is not None
    return Query(grammar(spec.grammar), spec.calls.query)
