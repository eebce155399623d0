"""How Java's statements flow. The compiler refuses most of what nothing reaches; `if (false)` and calls that never return remain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.braces import bare, branch, counted_loop, label_of, tested_loop
from ce.extract.flow.reading import child_of_kind, text_of
from ce.extract.flow.shapes import Arm, Block, FlowTable, Jump, JumpKind, Labelled, Loop, Shape, Simple, Skip, Switch, Try

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["JAVA_FLOW"]

_JUMPS = {
    "return_statement": JumpKind.LEAVE,
    "throw_statement": JumpKind.LEAVE,
    "break_statement": JumpKind.BREAK,
    "continue_statement": JumpKind.CONTINUE,
}
_COMMENTS = ("line_comment", "block_comment")
_NOTHING = frozenset({*_COMMENTS, "class_declaration", "record_declaration", "enum_declaration", "interface_declaration"})


def _shape(node: Node, text: bytes) -> Shape:
    kind = node.type
    if kind in _JUMPS:
        return Jump(node, _JUMPS[kind], label_of(node, text) if kind in ("break_statement", "continue_statement") else "")
    if kind in ("block", "constructor_body"):
        return Block(node.named_children)
    if kind == "if_statement":
        return branch(node)
    if kind in ("while_statement", "do_statement"):
        return tested_loop(node)
    if kind == "for_statement":
        return counted_loop(node, node.child_by_field_name("body"), "init")
    if kind == "enhanced_for_statement":
        return Loop(condition=node.child_by_field_name("value") or node, body=node.child_by_field_name("body"), is_over=True)
    if kind in ("try_statement", "try_with_resources_statement"):
        handlers = [
            (clause.named_child(0), clause.child_by_field_name("body")) for clause in node.named_children if clause.type == "catch_clause"
        ]
        final = child_of_kind(node, "finally_clause")
        return Try(
            node.child_by_field_name("body"),
            handlers,
            final=None if final is None else child_of_kind(final, "block"),
            before=node.child_by_field_name("resources"),
        )
    if kind in ("switch_expression", "switch_statement"):
        return _switch(node)
    if kind == "labeled_statement":
        return Labelled(label_of(node, text), node.named_children[-1], node)
    if kind == "synchronized_statement":
        return Block(node.named_children)
    return Skip() if kind in _NOTHING else Simple(node)


def _switch(node: Node) -> Switch:
    body = node.child_by_field_name("body")
    arms = []
    is_exhaustive = False
    for group in body.named_children if body is not None else ():
        labels = [child for child in group.named_children if child.type == "switch_label"]
        statements = [child for child in group.named_children if child.type not in ("switch_label", *_COMMENTS)]
        arms.append(Arm(labels[:1], statements, falls=group.type == "switch_block_statement_group"))
        # A switch over patterns has to be exhaustive without saying so.
        is_exhaustive = is_exhaustive or any(not label.named_children or label.named_children[0].type == "pattern" for label in labels)
    return Switch(node.child_by_field_name("condition"), arms, is_exhaustive, is_left_by_break=True)


def _constant(node: Node, _text: bytes) -> bool | None:
    node = bare(node)
    return node.type == "true" if node.type in ("true", "false") else None


def _leaves(node: Node, text: bytes, _never: frozenset[str]) -> bool:
    return node.type == "expression_statement" and text_of(node, text).startswith(("System.exit(", "Runtime.getRuntime().halt("))


def _must_stay(_node: Node) -> str:
    return ""


JAVA_FLOW = FlowTable(
    functions=frozenset({"method_declaration", "constructor_declaration", "lambda_expression"}),
    shape=_shape,
    constant=_constant,
    leaves=_leaves,
    must_stay=_must_stay,
)
