"""Statements that decide whether others run: under which conditions definitions stand and references count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.python_state import State

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["if_statement", "match_statement", "try_statement", "while_statement", "with_statement"]

_TYPE_CHECKING = re.compile(rb"\(?\s*(?:\w+\s*\.\s*)?(?:TYPE_CHECKING|MYPY)\s*\)?")
_EXPECTS = re.compile(rb"(?i:raises|warns|assert)")
_MAX_EXPECTED = 80  # bytes of what stands behind `with` that are looked at
_NEVER = frozenset({b"False", b"0", b"None", b"not True"})
_MAIN = re.compile(rb"""\(?\s*(?:__name__\s*==\s*["']__main__["']|["']__main__["']\s*==\s*__name__)""")


def if_statement(state: State, node: Node) -> None:
    """Read an `if` or `elif`."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    state.stack += reversed(children)
    if len(children) < 2:
        return
    condition, consequence = children[0], children[1]
    start, end = condition.start_byte, condition.end_byte
    if end - start > 60:
        state.conditional_end = max(state.conditional_end, node.end_byte)
        return
    text = state.text[start:end]
    if (b"TYPE_CHECKING" in text or b"MYPY" in text) and _TYPE_CHECKING.fullmatch(text):
        state.type_end = max(state.type_end, consequence.end_byte)
    elif text in _NEVER:
        state.dead_end = max(state.dead_end, consequence.end_byte)
    elif b"__main__" not in text or not _MAIN.match(text):
        state.conditional_end = max(state.conditional_end, node.end_byte)
    state.special_end = max(state.type_end, state.dead_end)


def while_statement(state: State, node: Node) -> None:
    """Read a `while`."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    state.stack += reversed(children)
    if len(children) > 1 and state.text[children[0].start_byte : children[0].end_byte] in _NEVER:
        state.dead_end = max(state.dead_end, children[1].end_byte)
        state.special_end = max(state.type_end, state.dead_end)


def try_statement(state: State, node: Node) -> None:
    """Read a `try`: with a handler, what it declares is one of several alternatives."""
    children = node.named_children
    state.stack += reversed(children)
    if any(child.kind_id == k.EXCEPT for child in children):
        state.conditional_end = max(state.conditional_end, node.end_byte)


def with_statement(state: State, node: Node) -> None:
    """Read a `with`: what is declared under one that expects an error or a warning is declared to see whether there is one."""
    children = node.named_children
    state.stack += children[::-1]
    if state.scope is not state.module and children:
        start = children[0].start_byte
        if _EXPECTS.search(state.text, start, min(children[0].end_byte, start + _MAX_EXPECTED)):
            state.expected_end = max(state.expected_end, node.end_byte)


def match_statement(state: State, node: Node) -> None:
    """Read a `match`: the declarations in its cases are alternatives."""
    state.stack += node.named_children[::-1]
    state.conditional_end = max(state.conditional_end, node.end_byte)
