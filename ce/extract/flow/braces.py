"""What the statements of languages with braces have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.reading import text_of
from ce.extract.flow.shapes import Branch, Labelled, Loop

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bare", "branch", "counted_loop", "is_number", "label_of", "labelled", "tested_loop"]

_COMMENTS = ("comment", "line_comment", "block_comment")


def bare(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type in ("parenthesized_expression", "condition_clause"):
        inner = [child for child in node.named_children if child.type not in _COMMENTS]
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def branch(node: Node) -> Branch:
    """Return an `if` with its chain of `else if`."""
    arms = []
    before = node.child_by_field_name("initializer")
    current: Node | None = node
    other = None
    while current is not None and current.type == "if_statement":
        if current is not node and current.child_by_field_name("initializer") is not None:
            other = current
            break
        arms.append((current.child_by_field_name("condition") or current, current.child_by_field_name("consequence")))
        other = current.child_by_field_name("alternative")
        if other is not None and other.type == "else_clause":
            inner = [child for child in other.named_children if child.type not in _COMMENTS]
            other = inner[0] if inner else None
        current = other
    return Branch(arms, other, before)


def tested_loop(node: Node) -> Loop:
    """Return a `while`, or a `do` that tests at its end."""
    return Loop(
        condition=node.child_by_field_name("condition") or node,
        body=node.child_by_field_name("body"),
        tests_last=node.type == "do_statement",
    )


def counted_loop(node: Node, body: Node | None, start: str = "initializer") -> Loop:
    """Return a `for` with three clauses, which are fields of the node; `start` is the field of the first."""
    return Loop(
        before=node.child_by_field_name(start),
        condition=node.child_by_field_name("condition"),
        update=node.child_by_field_name("update"),
        body=body,
    )


def labelled(node: Node, text: bytes) -> Labelled:
    """Return a statement with its label, which stands in a field."""
    label = node.child_by_field_name("label")
    body = next((child for child in node.named_children if label is None or child.start_byte > label.start_byte), None)
    return Labelled("" if label is None else text_of(label, text), body, node)


def label_of(node: Node, text: bytes) -> str:
    """Return the label that a jump names, empty for none."""
    label = node.child_by_field_name("label")
    if label is None:
        label = next((c for c in node.named_children if c.type in ("label_name", "identifier", "statement_identifier")), None)
    return "" if label is None else text_of(label, text)


def is_number(words: str) -> bool | None:
    """Return the truth of a whole number, None for anything else."""
    return int(words) != 0 if words.isdecimal() else None
