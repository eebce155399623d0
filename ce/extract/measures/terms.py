"""Syntax trees as terms: what anti-unification generalises. The leaves of a term are the tokens of its text, comments left out.

A string without code in it is one leaf, and so is every node whose text its children do not cover. Equal terms of one `Terms` have the
same number, whatever their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, TreeCursor

__all__ = ["Term", "Terms"]

_STRING = re.compile(r"string|char|literal|rune|regex")
_CONTINUED = re.compile(rb"\\[ \t]*\n")
_PIECE = re.compile(r"string|char|escape|content|fragment|literal|quote|delimiter|rune|regex|pattern|flags|prefix|suffix")


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A node: its kind, the field of its parent that it stands in, and its children; a leaf has a text and no children.

    `number` is that of its structure and text, `size` the number of tokens. `start` and `end` are bytes of the text.
    """

    kind: str
    field: str
    named: bool
    text: str
    children: tuple[Term, ...]
    number: int
    size: int
    start: int
    end: int

    def leaves(self) -> Iterator[Term]:
        """Yield the leaves in order."""
        pending = [self]
        while pending:
            term = pending.pop()
            if term.children:
                pending.extend(reversed(term.children))
            elif term.text:
                yield term

    def tokens(self) -> tuple[str, ...]:
        """Return the texts of the leaves in order."""
        return tuple(leaf.text for leaf in self.leaves())


_Identity = tuple[str, bool, str, tuple[int, ...]]


class Terms:
    """Makes terms of nodes and numbers them."""

    def __init__(self, comments: tuple[str, ...]) -> None:
        """`comments` are the kinds of comments of the language."""
        self._comments = frozenset(comments)
        self._numbers: dict[_Identity, int] = {}

    def of(self, node: Node, text: bytes, left_out: list[tuple[int, int]] | None = None) -> Term:
        """Return the term of a node of a tree over `text`; `left_out` gets the spans of the comments."""
        cursor = node.walk()
        # One frame per open node: the node, its field and its finished children.
        open_: list[tuple[Node, str, list[Term]]] = []
        field = ""
        while True:
            here = cursor.node
            assert here is not None
            if not self._is_left_out(here):
                if here.child_count and not _is_leaf(here, text) and cursor.goto_first_child():
                    open_.append((here, field, []))
                    field = cursor.field_name or ""
                    continue
                term = self._leaf(here, field, text)
                if term is not None:
                    if not open_:
                        return term
                    open_[-1][2].append(term)
            elif left_out is not None:
                left_out.append((here.start_byte, here.end_byte))
            finished = self._finish(cursor, open_)
            if finished is not None:
                return finished
            field = cursor.field_name or ""

    def _finish(self, cursor: TreeCursor, open_: list[tuple[Node, str, list[Term]]]) -> Term | None:
        """Go on to the next node; return the term of the root when there is none."""
        while not open_ or not cursor.goto_next_sibling():
            if not open_:
                return self._make("", "", False, "", (), (0, 0))
            node, field, children = open_.pop()
            term = self._make(node.type, field, node.is_named, "", tuple(children), (node.start_byte, node.end_byte))
            if not open_:
                return term
            # What holds no token is no part of the text.
            if term.size:
                open_[-1][2].append(term)
            cursor.goto_parent()
        return None

    def _leaf(self, node: Node, field: str, text: bytes) -> Term | None:
        content = text[node.start_byte : node.end_byte]
        if not content or (not node.is_named and content.isspace()):
            return None
        return self._make(node.type, field, node.is_named, content.decode("utf-8", "replace"), (), (node.start_byte, node.end_byte))

    def _make(self, kind: str, field: str, named: bool, text: str, children: tuple[Term, ...], span: tuple[int, int]) -> Term:
        identity = (kind, named, text, tuple([child.number for child in children]))
        number = self._numbers.setdefault(identity, len(self._numbers))
        size = sum([child.size for child in children]) + bool(text)
        return Term(kind, field, named, text, children, number, size, *span)

    def _is_left_out(self, node: Node) -> bool:
        return node.type in self._comments or (node.is_extra and not node.is_error and node.is_named)


def _is_leaf(node: Node, text: bytes) -> bool:
    """Tell whether a node with children is one token: a string without code, or a node with text beside its children."""
    at = node.start_byte
    for child in node.children:
        if at < child.start_byte and _is_text(text[at : child.start_byte]):
            return True
        at = child.end_byte
    if at < node.end_byte and _is_text(text[at : node.end_byte]):
        return True
    return node.is_named and bool(_STRING.search(node.type)) and _holds_no_code(node)


def _is_text(between: bytes) -> bool:
    return not between.isspace() and bool(_CONTINUED.sub(b"", between).strip())


def _holds_no_code(node: Node) -> bool:
    pending = list(node.named_children)
    while pending:
        child = pending.pop()
        if not _PIECE.search(child.type):
            return False
        pending.extend(child.named_children)
    return True
