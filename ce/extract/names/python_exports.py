"""The list of public names, `__all__`, in its spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.python_state import State
from ce.extract.names.python_strings import constant

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["assigned_exports", "augmented_exports", "called_exports"]

_MAX_PARTS = 200


def assigned_exports(state: State, value: Node) -> None:
    """Read `__all__ = value`; `__all__ = __all__ + […]` adds to it."""
    if b"__all__" not in state.text[value.start_byte : value.end_byte].replace(b".__all__", b""):
        state.exports.clear()
    _read(state, value)


def augmented_exports(state: State, node: Node, value: Node) -> None:
    """Read `__all__ += value`."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type == "+=":
        _read(state, value)
    else:
        state.has_unreadable_exports = True
        state.stack.append(value)


def called_exports(state: State, node: Node) -> bool:
    """Read `__all__.extend(…)` and its like; tell whether the call is one."""
    text = state.text[node.start_byte : node.start_byte + 8]
    if text != b"__all__.":
        return False
    function, arguments = node.named_children[0], node.named_children[-1]
    given = [child for child in arguments.named_children if child.kind_id != k.COMMENT]
    method = state.slice(function).rpartition(".")[2]
    if method == "extend" and len(given) == 1:
        _read(state, given[0])
    elif method in ("append", "remove") and len(given) == 1:
        name = constant(state, given[0])
        if name is None:
            state.has_unreadable_exports = True
            state.stack.append(given[0])
        elif method == "append":
            state.exports.add(name)
        else:
            state.exports.discard(name)
    elif method not in ("sort", "count", "index", "copy", "reverse"):
        state.has_unreadable_exports = True
        state.stack.append(arguments)
    return True


def _read(state: State, value: Node) -> None:
    """Read the parts of a list of names, joined by `+`."""
    state.has_exports = True
    stack = [value]
    for _ in range(_MAX_PARTS):
        if not stack:
            return
        node = stack.pop()
        kind = node.kind_id
        children = node.named_children
        if kind in k.SEQUENCES:
            _names(state, children)
        elif kind == k.PARENTHESIZED or (kind == k.BINARY and (operator := node.child_by_field_name("operator")) and operator.type == "+"):
            stack += children
        elif kind == k.ATTRIBUTE and state.slice(children[-1]) == "__all__":
            _reexport(state, children[0])
        elif kind == k.CALL_NODE and state.slice(children[0]) in ("list", "tuple", "sorted") and children[-1].named_child_count == 1:
            stack += children[-1].named_children
            state.stack.append(children[0])
        elif kind == k.COMMENT or (kind == k.IDENTIFIER and state.slice(node) == "__all__"):
            continue
        else:
            state.has_unreadable_exports = True
            state.stack.append(node)
    if stack:
        state.has_unreadable_exports = True


def _names(state: State, nodes: list[Node]) -> None:
    for child in nodes:
        if child.kind_id == k.LIST_SPLAT:
            inner = child.named_children[0]
            if inner.kind_id == k.ATTRIBUTE and state.slice(inner.named_children[-1]) == "__all__":
                _reexport(state, inner.named_children[0])
                continue
        name = constant(state, child) if child.kind_id in (k.STRING, k.CONCATENATED) else None
        if name is not None:
            state.exports.add(name)
        elif child.kind_id == k.ATTRIBUTE and state.slice(child.named_children[-1]) == "__name__":
            state.exports.add(state.slice(child.named_children[0]))
            state.stack.append(child)
        elif child.kind_id != k.COMMENT:
            state.has_unreadable_exports = True
            state.stack.append(child)


def _reexport(state: State, module: Node) -> None:
    """`a.__all__` in the list: what that module lists is public there, and so it is here."""
    first, *rest = state.slice(module).split(".")
    if not all(part.isidentifier() for part in (first, *rest)):
        state.has_unreadable_exports = True
        return
    state.ref((state.module, first, (*rest, "__all__")), "reexport", module.start_byte)
