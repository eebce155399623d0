"""How Go's statements flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.braces import bare, branch, counted_loop, label_of, labelled
from ce.extract.flow.reading import child_of_kind, text_of
from ce.extract.flow.shapes import Arm, Block, FlowTable, Jump, JumpKind, Loop, Shape, Simple, Skip, Switch

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["GO_FLOW"]

_JUMPS = {
    "return_statement": JumpKind.LEAVE,
    "break_statement": JumpKind.BREAK,
    "continue_statement": JumpKind.CONTINUE,
    "goto_statement": JumpKind.GOTO,
    "fallthrough_statement": JumpKind.FALL,
}
_CASES = ("expression_case", "type_case", "communication_case", "default_case")
_LEAVING = frozenset({"panic", "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "runtime.Goexit"})


def _shape(node: Node, text: bytes) -> Shape:
    kind = node.type
    if kind in _JUMPS:
        return Jump(node, _JUMPS[kind], label_of(node, text) if kind != "return_statement" else "")
    if kind in ("block", "statement_list"):
        return Block(node.named_children)
    if kind == "if_statement":
        return branch(node)
    if kind == "for_statement":
        return _loop(node)
    if kind in ("expression_switch_statement", "type_switch_statement", "select_statement"):
        return _switch(node)
    if kind == "labeled_statement":
        return labelled(node, text)
    return Skip() if kind in ("comment", "empty_statement", "const_declaration", "type_declaration") else Simple(node)


def _loop(node: Node) -> Loop:
    body = node.child_by_field_name("body")
    clause = child_of_kind(node, "for_clause")
    if clause is not None:
        return counted_loop(clause, body)
    over = child_of_kind(node, "range_clause")
    if over is not None:
        return Loop(condition=over, body=body, is_over=True)
    condition = next((child for child in node.named_children if child.type not in ("block", "comment")), None)
    return Loop(condition=condition, body=body)


def _switch(node: Node) -> Switch:
    arms = []
    is_exhaustive = node.type == "select_statement"  # a select without a default waits
    for case in node.named_children:
        if case.type not in _CASES:
            continue
        tests = [child for child in case.named_children if child.type not in ("statement_list", "comment")]
        arms.append(Arm(tests, [child for child in case.named_children if child.type == "statement_list"]))
        is_exhaustive = is_exhaustive or case.type == "default_case"
    return Switch(
        node.child_by_field_name("value"), arms, is_exhaustive, is_left_by_break=True, before=node.child_by_field_name("initializer")
    )


def _constant(node: Node, _text: bytes) -> bool | None:
    node = bare(node)
    return node.type == "true" if node.type in ("true", "false") else None


def _leaves(node: Node, text: bytes, _never: frozenset[str]) -> bool:
    call = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node
    called = call.child_by_field_name("function") if call.type == "call_expression" else None
    return called is not None and text_of(called, text) in _LEAVING


def _must_stay(node: Node) -> str:
    return "label" if node.type == "labeled_statement" else ""


GO_FLOW = FlowTable(
    functions=frozenset({"function_declaration", "method_declaration", "func_literal"}),
    shape=_shape,
    constant=_constant,
    leaves=_leaves,
    must_stay=_must_stay,
)
