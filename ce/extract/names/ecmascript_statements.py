"""Blocks, elements, literals: everything that declares nothing by itself. And the table of all handlers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ce.extract.names import (
    ecmascript_classes,
    ecmascript_commonjs,
    ecmascript_functions,
    ecmascript_modules,
    ecmascript_paths,
    ecmascript_types,
    ecmascript_variables,
)
from ce.extract.names.ecmascript_functions import read_shorthand
from ce.extract.names.ecmascript_grammar import numbers_of
from ce.extract.names.ecmascript_jsdoc import read_comment
from ce.extract.names.ecmascript_paths import note
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import Frame, Scope

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["handlers_of", "walk"]

_DECLARING = frozenset({
    "lexical_declaration", "function_declaration", "generator_function_declaration", "class_declaration", "using_declaration",
    "enum_declaration", "interface_declaration", "type_alias_declaration", "abstract_class_declaration",
})  # fmt: skip


def walk(r: Reader, root: Node) -> None:
    """Look at every node below the root that can declare or refer to something."""
    stack = r.stack
    r.push_all(root.named_children, r.module)
    while stack:
        handler, node, frame = stack.pop()
        handler(r, node, frame)


def _on_children(r: Reader, node: Node, frame: Frame) -> None:
    handlers = r.handlers
    children = node.named_children
    if children:
        stack = r.stack
        for child in reversed(children):
            handler = handlers[child.kind_id]
            if handler is not None:
                stack.append((handler, child, frame))


def _on_block(r: Reader, node: Node, frame: Frame) -> None:
    """A block has a scope of its own when something is declared in it."""
    children = node.named_children
    kinds = r.kinds
    for child in children:
        if kinds[child.kind_id] in _DECLARING:
            frame = frame.within(Scope(frame.scope))
            frame.flags = frame.flags | {"conditional"} if frame.container >= 0 else frame.flags
            break
    r.push_all(children, frame)


def _on_scope(r: Reader, node: Node, frame: Frame) -> None:
    r.push_all(node.named_children, frame.within(Scope(frame.scope)))


def _on_string(r: Reader, node: Node, frame: Frame) -> None:
    r.string(node, frame.owner, r.data[node.start_byte + 1 : node.end_byte - 1])


def _on_template(r: Reader, node: Node, frame: Frame) -> None:
    children = node.named_children
    if len(children) == 1 and r.kinds[children[0].kind_id] == "string_fragment":
        r.string(node, frame.owner, r.data[children[0].start_byte : children[0].end_byte])
    else:
        r.push_all(children, frame)


def _on_element(r: Reader, node: Node, frame: Frame) -> None:
    """`<Foo.Bar prop={x} />` calls `Foo.Bar`; an element whose name starts with a small letter is one of the page."""
    r.has_elements = True
    children = node.named_children
    if not children:
        return
    name = children[0]
    kind = r.kinds[name.kind_id]
    if kind == "member_expression" or (kind == "identifier" and not r.data[name.start_byte : name.start_byte + 1].islower()):
        note(r, name, frame, "call")
        children = children[1:]
    elif kind == "identifier":
        children = children[1:]
    r.push_all(children, frame)


def _on_shorthand(r: Reader, node: Node, frame: Frame) -> None:
    read_shorthand(r, node, frame)


def _on_with(r: Reader, node: Node, frame: Frame) -> None:
    r.opaque.append((node.start_point[0] + 1, "with", "*"))
    r.push_all(node.named_children, frame)


_STATEMENTS: dict[str, Handler] = {
    "statement_block": _on_block,
    "for_statement": _on_scope,
    "switch_body": _on_scope,
    "string": _on_string,
    "template_string": _on_template,
    "jsx_opening_element": _on_element,
    "jsx_self_closing_element": _on_element,
    "shorthand_property_identifier": _on_shorthand,
    "with_statement": _on_with,
    "comment": read_comment,
}


@cache
def handlers_of(grammar: str) -> tuple[Handler | None, ...]:
    """Return the handler of every kind of the grammar by its number; None for what names nothing."""
    numbers = numbers_of(grammar)
    table: list[Handler | None] = [None if silent else _on_children for silent in numbers.is_silent]
    for module in (
        ecmascript_types, ecmascript_paths, ecmascript_functions, ecmascript_classes, ecmascript_variables, ecmascript_modules,
        ecmascript_commonjs,
    ):  # fmt: skip
        _put(table, numbers.kind, module.HANDLERS)
    _put(table, numbers.kind, _STATEMENTS)
    return tuple(table)


def _put(table: list[Handler | None], kinds: dict[str, tuple[int, ...]], handlers: dict[str, Handler]) -> None:
    for kind, handler in handlers.items():
        for number in kinds.get(kind, ()):
            table[number] = handler
