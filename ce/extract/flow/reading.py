"""Small questions to syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["below", "child_of_kind", "text_of"]


def text_of(node: Node, text: bytes) -> str:
    """Return what the node spells."""
    return text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def child_of_kind(node: Node, kind: str) -> Node | None:
    """Return the first named child of that kind."""
    return next((child for child in node.named_children if child.type == kind), None)


def below(node: Node, kind: str, closed: frozenset[str]) -> Iterator[Node]:
    """Yield the nodes of a kind in a subtree, in no promised order, without looking into nodes of the closed kinds."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == kind:
            yield current
        if current.type not in closed:
            pending.extend(current.named_children)
