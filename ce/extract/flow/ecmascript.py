"""How the statements of JavaScript and TypeScript flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.braces import bare, branch, is_number, label_of, tested_loop
from ce.extract.flow.reading import below, text_of
from ce.extract.flow.shapes import Arm, Block, FlowTable, Jump, JumpKind, Labelled, Loop, Names, Shape, Simple, Skip, Switch, Try

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["ECMASCRIPT_FLOW"]

_JUMPS = {
    "return_statement": JumpKind.LEAVE,
    "throw_statement": JumpKind.LEAVE,
    "break_statement": JumpKind.BREAK,
    "continue_statement": JumpKind.CONTINUE,
}
# Functions are hoisted with their bodies, types run nothing.
_NOTHING = frozenset({
    "comment", "empty_statement", "function_declaration", "generator_function_declaration", "interface_declaration",
    "type_alias_declaration", "ambient_declaration", "function_signature", "import_statement", "html_comment",
})  # fmt: skip
_FUNCTIONS = frozenset({
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function", "arrow_function",
    "method_definition", "function",
})  # fmt: skip
_SCOPES = _FUNCTIONS | {"class_declaration", "class", "class_body"}
_NAMES = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
_LEAVING = frozenset({"process.exit", "process.abort", "Deno.exit"})


def _shape(node: Node, text: bytes) -> Shape:
    kind = node.type
    if kind in _JUMPS:
        return Jump(node, _JUMPS[kind], label_of(node, text) if kind in ("break_statement", "continue_statement") else "")
    if kind in ("statement_block", "finally_clause", "else_clause"):
        return Block(node.named_children)
    if kind == "if_statement":
        return branch(node)
    if kind in ("while_statement", "do_statement"):
        return tested_loop(node)
    if kind == "for_statement":
        return Loop(
            before=_filled(node.child_by_field_name("initializer")),
            condition=_filled(node.child_by_field_name("condition")),
            update=node.child_by_field_name("increment"),
            body=node.child_by_field_name("body"),
        )
    if kind == "for_in_statement":
        right = node.child_by_field_name("right") or node
        return Loop(
            before=right, condition=right, target=node.child_by_field_name("left"), body=node.child_by_field_name("body"), is_over=True
        )
    if kind == "try_statement":
        handler = node.child_by_field_name("handler")
        handlers = [] if handler is None else [(handler.child_by_field_name("parameter"), handler.child_by_field_name("body"))]
        return Try(node.child_by_field_name("body"), handlers, final=node.child_by_field_name("finalizer"))
    if kind == "switch_statement":
        return _switch(node)
    if kind == "labeled_statement":
        return Labelled(label_of(node, text), node.child_by_field_name("body"), node)
    return Skip() if kind in _NOTHING else Simple(node)


def _filled(node: Node | None) -> Node | None:
    return None if node is None or node.type == "empty_statement" else node


def _switch(node: Node) -> Switch:
    body = node.child_by_field_name("body")
    arms = []
    is_exhaustive = False
    for case in body.named_children if body is not None else ():
        if case.type in ("switch_case", "switch_default"):
            value = case.child_by_field_name("value")
            statements = [child for child in case.named_children if value is None or child.start_byte >= value.end_byte]
            arms.append(Arm([] if value is None else [value], statements, falls=True))
            is_exhaustive = is_exhaustive or case.type == "switch_default"
    return Switch(node.child_by_field_name("value"), arms, is_exhaustive, is_left_by_break=True)


def _constant(node: Node, text: bytes) -> bool | None:
    node = bare(node)
    if node.type in ("true", "false"):
        return node.type == "true"
    if node.type in ("null", "undefined"):
        return False
    if node.type == "unary_expression" and (argument := node.child_by_field_name("argument")) is not None:
        value = _constant(argument, text) if text_of(node, text).startswith("!") else None
        return None if value is None else not value
    return is_number(text_of(node, text)) if node.type == "number" else None


def _leaves(node: Node, text: bytes, never: frozenset[str]) -> bool:
    call = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else None
    called = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    name = "" if called is None else text_of(called, text)
    return name in _LEAVING or name in never or name.removeprefix("this.") in never


def _never_returning(function: Node, text: bytes) -> bool:
    result = function.child_by_field_name("return_type")
    return result is not None and text_of(result, text).lstrip(": ") == "never"


def _must_stay(node: Node) -> str:
    if node.type == "variable_declaration":
        return "scope"  # `var` declares its names for the whole function
    return "generator" if node.type == "yield_expression" else "await" if node.type == "await_expression" else ""


def _names(node: Node, text: bytes) -> Names:
    found = Names()
    if node.type in ("lexical_declaration", "variable_declaration"):
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                _given(declarator.child_by_field_name("name"), declarator.child_by_field_name("value"), declarator, text, found)
        return found
    inner = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node
    if inner.type == "assignment_expression":
        _given(inner.child_by_field_name("left"), inner.child_by_field_name("right"), inner, text, found)
        return found
    around = node.parent
    if around is not None and around.type in ("for_in_statement", "catch_clause"):
        target = around.child_by_field_name("left") or around.child_by_field_name("parameter")
        if target is not None and (target.start_byte, target.end_byte) == (node.start_byte, node.end_byte):
            found.binds |= _identifiers(node, text)
            return found
    found.reads |= _identifiers(node, text)
    return found


def _given(name: Node | None, value: Node | None, at: Node, text: bytes, found: Names) -> None:
    if value is not None:
        found.reads |= _identifiers(value, text)
    if name is None:
        return
    if name.type != "identifier":
        # Patterns may have defaults, members may have setters: all of it counts as looked at.
        found.reads |= _identifiers(name, text)
        return
    if value is not None and bare(value).type not in ("null", "undefined"):
        found.writes.append((text_of(name, text), at.start_point[0] + 1))
    else:
        found.binds.add(text_of(name, text))


def _identifiers(node: Node, text: bytes) -> set[str]:
    return {text_of(one, text) for kind in _NAMES for one in below(node, kind, _SCOPES)}


def _shared(body: Node, text: bytes) -> frozenset[str]:
    """Return the names that other functions could see, and those that two scopes declare; `*` when `eval` or `with` sees them all."""
    shared: set[str] = set()
    declared: set[str] = set()
    assigned: set[str] = set()
    function = body.parent
    for side in ("parameters", "parameter"):
        if function is not None and (listed := function.child_by_field_name(side)) is not None:
            declared |= _identifiers(listed, text)
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type in _SCOPES:
            shared |= {text_of(one, text) for kind in _NAMES for one in below(node, kind, frozenset())}
            continue
        if node.type == "with_statement" or (node.type == "call_expression" and text_of(node, text).startswith("eval(")):
            shared.add("*")
        if node.type == "variable_declarator" and (name := node.child_by_field_name("name")) is not None:
            names = _identifiers(name, text)
            shared |= names & declared  # namesakes of two blocks are two variables
            declared |= names
        if node.type in ("assignment_expression", "augmented_assignment_expression", "update_expression"):
            assigned |= _identifiers(node.named_children[0], text) if node.named_children else set()
        if node.type in ("type_query", "export_statement", "jsx_opening_element", "jsx_self_closing_element"):
            shared |= _identifiers(node, text)
        pending.extend(node.named_children)
    return frozenset(shared | (assigned - declared))  # what is declared further out lives on


ECMASCRIPT_FLOW = FlowTable(
    functions=_FUNCTIONS,
    shape=_shape,
    constant=_constant,
    leaves=_leaves,
    must_stay=_must_stay,
    never_returning=_never_returning,
    names=_names,
    shared=_shared,
)
