"""Finding all nodes of some kinds in a tree, in order of position."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ce.extract.parsing import MAX_DEPTH, Parsed, grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["captured"]


def captured(parsed: Parsed, kinds: tuple[str, ...]) -> list[Node]:
    """Return the nodes of these kinds down to the deepest level that is measured, by position, the outer of two with one extent first."""
    if parsed.tree is None or not kinds:
        return []
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(parsed.spec.grammar, kinds))
    if parsed.is_deep:
        cursor.set_max_start_depth(MAX_DEPTH)
    found = cursor.captures(parsed.tree.root_node).get("node", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte, -node.descendant_count, node.kind_id))


@cache
def _query(name: str, kinds: tuple[str, ...]) -> Query:
    from tree_sitter import Query

    known = grammar(name)
    alternatives = " ".join(f"({kind})" for kind in kinds if known.id_for_node_kind(kind, True))
    return Query(known, f"[{alternatives}] @node")
