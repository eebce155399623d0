"""How the statements of C and C++ flow. Labels anywhere are followed; a `case` that a nested statement holds is entered from its switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.braces import bare, branch, counted_loop, is_number, label_of, labelled, tested_loop
from ce.extract.flow.reading import below, text_of
from ce.extract.flow.shapes import Arm, Block, FlowTable, Jump, JumpKind, Loop, Shape, Simple, Skip, Switch, Try

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["C_FLOW"]

_JUMPS = {
    "return_statement": JumpKind.LEAVE,
    "co_return_statement": JumpKind.LEAVE,
    "throw_statement": JumpKind.LEAVE,
    "break_statement": JumpKind.BREAK,
    "continue_statement": JumpKind.CONTINUE,
    "goto_statement": JumpKind.GOTO,
}
_LEAVING = frozenset({"exit", "_exit", "_Exit", "abort", "quick_exit", "std::exit", "std::abort", "std::terminate", "longjmp"})
_SWITCHED = frozenset({"switch_statement", "lambda_expression"})


def _shape(node: Node, text: bytes) -> Shape:
    kind = node.type
    if kind in _JUMPS:
        return Jump(node, _JUMPS[kind], label_of(node, text) if kind == "goto_statement" else "")
    if kind == "compound_statement":
        return Block(node.named_children)
    if kind == "if_statement":
        return branch(node)
    if kind in ("while_statement", "do_statement"):
        return tested_loop(node)
    if kind == "for_statement":
        return counted_loop(node, node.child_by_field_name("body"))
    if kind == "for_range_loop":
        return Loop(condition=node.child_by_field_name("right") or node, body=node.child_by_field_name("body"), is_over=True)
    if kind == "try_statement":
        handlers = [
            (clause.child_by_field_name("parameters"), clause.child_by_field_name("body"))
            for clause in node.named_children
            if clause.type == "catch_clause"
        ]
        return Try(node.child_by_field_name("body"), handlers)
    if kind == "switch_statement":
        return _switch(node)
    if kind == "labeled_statement":
        return labelled(node, text)
    if kind == "case_statement":  # in a nested statement: whoever holds it cannot be judged
        return Block(node.named_children)
    return Skip() if kind in ("comment", "type_definition", "using_declaration", "static_assert_declaration") else Simple(node)


def _switch(node: Node) -> Shape:
    body = node.child_by_field_name("body")
    cases = [child for child in body.named_children if child.type == "case_statement"] if body is not None else []
    if body is None or len(cases) != sum(1 for _ in below(body, "case_statement", _SWITCHED)):
        return Simple(node)  # cases inside of nested statements: one step without a view into it
    arms: list[Arm] = []
    is_exhaustive = False
    for child in body.named_children:
        if child.type != "case_statement":
            if arms:
                arms[-1] = Arm(arms[-1].tests, [*arms[-1].body, child], falls=True)
            continue
        value = child.child_by_field_name("value")
        arms.append(
            Arm(
                [] if value is None else [value],
                [one for one in child.named_children if value is None or one.start_byte > value.start_byte],
                falls=True,
            )
        )
        is_exhaustive = is_exhaustive or value is None
    return Switch(node.child_by_field_name("condition"), arms, is_exhaustive, is_left_by_break=True)


def _has_directive(node: Node) -> bool:
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type.startswith("preproc_"):
            return True
        pending.extend(current.named_children)
    return False


def _constant(node: Node, text: bytes) -> bool | None:
    node = bare(node)
    if node.type in ("true", "false"):
        return node.type == "true"
    return is_number(text_of(node, text)) if node.type == "number_literal" else None


def _leaves(node: Node, text: bytes, _never: frozenset[str]) -> bool:
    call = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node
    called = call.child_by_field_name("function") if call.type == "call_expression" else None
    return called is not None and text_of(called, text) in _LEAVING


def _must_stay(node: Node) -> str:
    return "label" if node.type in ("labeled_statement", "case_statement") else ""


C_FLOW = FlowTable(
    functions=frozenset({"function_definition", "lambda_expression"}),
    shape=_shape,
    constant=_constant,
    leaves=_leaves,
    must_stay=_must_stay,
    is_opaque=_has_directive,
)
