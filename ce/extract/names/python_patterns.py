"""Patterns of `match`: the names that they bind, the classes and values that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL
from ce.extract.names.python_state import UNKNOWN_RAW, Raw, State

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["case_pattern"]


def case_pattern(state: State, node: Node) -> None:
    """Bind the captures of a pattern and note the classes and values that it names."""
    stack = [node]
    while stack:
        at = stack.pop()
        kind = at.kind_id
        children = at.named_children
        if kind == k.DOTTED_NAME:
            if len(children) == 1:
                state.bind_local(state.slice(children[0]), [UNKNOWN_RAW])
            else:
                _value_pattern(state, children, "read")
        elif kind == k.CLASS_PATTERN:
            base = _value_pattern(state, children[0].named_children, "read")
            for child in children[1:]:
                inner = child.named_children[0] if child.named_child_count else child
                if inner.kind_id == k.KEYWORD_PATTERN:
                    name = state.slice(inner.named_children[0])
                    state.ref((base[0], base[1], (*base[2], CALL, name)), "read", inner.start_byte)
            stack += children[1:]
        elif kind == k.KEYWORD_PATTERN:
            stack += children[1:]
        elif kind == k.SPLAT_PATTERN:
            for child in children:
                state.bind_local(state.slice(child), [UNKNOWN_RAW])
        elif kind in k.AS_PATTERN:
            subject = children[0].named_children[0] if children[0].named_child_count else children[0]
            value = UNKNOWN_RAW
            if subject.kind_id == k.CLASS_PATTERN:
                first, *rest = state.slice(subject.named_children[0]).split(".")
                value = (state.scope, first, (*rest, CALL))
            state.bind_local(state.slice(children[-1]), [value])
            stack.append(children[0])
        elif kind in (k.STRING, k.CONCATENATED):
            state.stack.append(at)
        else:
            stack += children


def _value_pattern(state: State, parts: list[Node], use: str) -> Raw:
    first, *rest = [state.slice(part) for part in parts]
    raw: Raw = (state.scope, first, tuple(rest))
    state.ref(raw, use, parts[0].start_byte)
    return raw
