"""How Python's statements flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.flow.reading import below, child_of_kind, text_of
from ce.extract.flow.shapes import (
    Arm,
    Block,
    Branch,
    FlowTable,
    Jump,
    JumpKind,
    Loop,
    Names,
    Shape,
    Simple,
    Skip,
    Switch,
    Try,
    With,
)  # fmt: skip

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PYTHON_FLOW"]

_JUMPS = {
    "return_statement": JumpKind.LEAVE,
    "raise_statement": JumpKind.LEAVE,
    "break_statement": JumpKind.BREAK,
    "continue_statement": JumpKind.CONTINUE,
}
_SCOPES = frozenset({"function_definition", "class_definition", "lambda", "decorated_definition"})
_COMPREHENSIONS = frozenset({"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"})
# `os._exit` and `sys.exit` as everybody spells them; an alias is not followed, so its call is an ordinary one.
_LEAVING = frozenset({"sys.exit", "os._exit", "os.abort", "exit", "quit", "assert_never", "typing.assert_never", "os.execv", "os.execvp"})
# Keepers that let every exception pass; any other may swallow one.
_OPAQUE_KEEPERS = frozenset({"open", "io.open", "tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile", "threading.Lock"})
_NEVER = frozenset({"NoReturn", "Never", "typing.NoReturn", "typing.Never", "t.NoReturn", "t.Never"})
_CONSTANTS = {"True": True, "False": False, "None": False}
_SEES_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir"})


def _shape(node: Node, text: bytes) -> Shape:
    kind = node.type
    if kind in _JUMPS:
        return Jump(node, _JUMPS[kind])
    if kind in ("block", "module"):
        return Block(node.named_children)
    if kind in ("else_clause", "finally_clause"):
        return Block([child for child in node.named_children if child.type == "block"])
    if kind == "if_statement":
        return _branch(node)
    if kind == "while_statement":
        return Loop(
            condition=node.child_by_field_name("condition") or node,
            body=node.child_by_field_name("body"),
            other=node.child_by_field_name("alternative"),
        )
    if kind == "for_statement":
        return Loop(
            before=node.child_by_field_name("right"),
            condition=node.child_by_field_name("right") or node,
            target=node.child_by_field_name("left"),
            body=node.child_by_field_name("body"),
            other=node.child_by_field_name("alternative"),
            is_over=True,
        )
    if kind == "try_statement":
        return _try(node)
    if kind == "with_statement":
        return _with(node, text)
    if kind == "match_statement":
        return _match(node, text)
    return Skip() if kind in ("comment", "line_continuation") else Simple(node)


def _branch(node: Node) -> Branch:
    arms = [(node.child_by_field_name("condition") or node, node.child_by_field_name("consequence"))]
    other = None
    for clause in node.children_by_field_name("alternative"):
        if clause.type == "elif_clause":
            arms.append((clause.child_by_field_name("condition") or clause, clause.child_by_field_name("consequence")))
        else:
            other = clause
    return Branch(arms, other)


def _try(node: Node) -> Try:
    handlers = []
    other = final = None
    for clause in node.named_children:
        if clause.type in ("except_clause", "except_group_clause"):
            block = child_of_kind(clause, "block")
            caught = clause.child_by_field_name("value") or next(
                (c for c in clause.named_children if c.type not in ("block", "comment")), None
            )
            handlers.append((caught, block))
        elif clause.type == "else_clause":
            other = clause
        elif clause.type == "finally_clause":
            final = clause
    return Try(node.child_by_field_name("body"), handlers, other, final)


def _with(node: Node, text: bytes) -> With:
    clause = child_of_kind(node, "with_clause")
    keepers = []
    for item in clause.named_children if clause is not None else ():
        value = item.child_by_field_name("value")
        if value is not None and value.type == "as_pattern":
            value = value.named_child(0)
        called = value.child_by_field_name("function") if value is not None and value.type == "call" else None
        keepers.append(text_of(called, text) if called is not None else "")
    may_swallow = not keepers or any(keeper not in _OPAQUE_KEEPERS for keeper in keepers)
    return With(clause or node, node.child_by_field_name("body"), may_swallow)


def _match(node: Node, text: bytes) -> Switch:
    body = node.child_by_field_name("body")
    arms = []
    is_exhaustive = False
    for case in body.named_children if body is not None else ():
        if case.type != "case_clause":
            continue
        patterns = [child for child in case.named_children if child.type == "case_pattern"]
        guard = case.child_by_field_name("guard")
        consequence = case.child_by_field_name("consequence")
        arms.append(Arm([*patterns, *([guard] if guard is not None else [])], [consequence] if consequence is not None else []))
        if guard is None and len(patterns) == 1 and _catches_all(patterns[0], text):
            is_exhaustive = True
    return Switch(node.child_by_field_name("subject"), arms, is_exhaustive, is_left_by_break=False)


def _catches_all(pattern: Node, text: bytes) -> bool:
    words = text_of(pattern, text)
    return words == "_" or (words.isidentifier() and words not in _CONSTANTS)


def _constant(node: Node, text: bytes) -> bool | None:
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    words = text_of(node, text)
    if words in _CONSTANTS:
        return _CONSTANTS[words]
    if node.type == "integer" and words.isdecimal():
        return int(words) != 0
    if node.type == "not_operator" and (inner := node.child_by_field_name("argument")) is not None:
        value = _constant(inner, text)
        return None if value is None else not value
    return None


def _leaves(node: Node, text: bytes, never: frozenset[str]) -> bool:
    call = _expression(node)
    called = call.child_by_field_name("function") if call.type == "call" else None
    name = text_of(called, text) if called is not None else ""
    return name in _LEAVING or name in never or name.removeprefix("self.") in never


def _expression(node: Node) -> Node:
    """Return the expression that a statement consists of; some versions of the grammar have no node around it."""
    return node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node


def _never_returning(function: Node, text: bytes) -> bool:
    result = function.child_by_field_name("return_type")
    return result is not None and text_of(result, text).strip("\"'") in _NEVER


def _must_stay(node: Node) -> str:
    if node.type in ("global_statement", "nonlocal_statement"):
        return "scope"
    if node.type == "yield":
        return "generator"
    return "await" if node.type == "await" else ""


def _names(node: Node, text: bytes) -> Names:
    found = Names()
    if (assignment := _expression(node)).type == "assignment":
        _assignment(assignment, text, found)
        return found
    if node.type in ("function_definition", "class_definition", "decorated_definition"):
        return found
    around = node.parent
    target = around.child_by_field_name("left") if around is not None and around.type == "for_statement" else None
    if target is not None and (target.start_byte, target.end_byte) == (node.start_byte, node.end_byte):
        found.binds |= {text_of(one, text) for one in below(node, "identifier", _SCOPES) if not _is_part(one)}
        return found
    _reads(node, text, found)
    return found


def _is_part(name: Node) -> bool:
    """Return whether a name only leads to what is given a value (`box.lid`, `row[0]`)."""
    around = name.parent
    return around is not None and around.type in ("attribute", "subscript")


def _assignment(node: Node, text: bytes, found: Names) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is not None and right.type == "assignment":
        _assignment(right, text, found)
    elif right is not None:
        _reads(right, text, found)
    if left is None:
        return
    if left.type == "identifier":
        # Setting a local to None lets go of a value: nobody needs to read that.
        if right is not None and right.type != "none":
            found.writes.append((text_of(left, text), node.start_point[0] + 1))
        elif right is not None:
            found.binds.add(text_of(left, text))
    elif left.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        found.binds |= {text_of(one, text) for one in left.named_children if one.type == "identifier"}
        _reads(left, text, found)
    else:
        _reads(left, text, found)


def _reads(node: Node, text: bytes, found: Names) -> None:
    # What is bound on the way (walrus, `as`, captures of patterns) counts as read too: nothing is said about it.
    found.reads |= {text_of(one, text) for one in below(node, "identifier", _SCOPES)}


def _shared(body: Node, text: bytes) -> frozenset[str]:
    """Return the names that inner scopes could see, and `*` when everything local can be seen."""
    shared: set[str] = set()
    pending = [body]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind in _SCOPES or kind in _COMPREHENSIONS:
            shared |= {text_of(one, text) for one in below(node, "identifier", frozenset())}
            continue
        if kind in ("global_statement", "nonlocal_statement"):
            shared |= {text_of(one, text) for one in node.named_children}
        elif kind == "call":
            called = node.child_by_field_name("function")
            if called is not None and text_of(called, text) in _SEES_LOCALS:
                shared.add("*")
        pending.extend(node.named_children)
    return frozenset(shared)


PYTHON_FLOW = FlowTable(
    functions=frozenset({"function_definition"}),
    shape=_shape,
    constant=_constant,
    leaves=_leaves,
    must_stay=_must_stay,
    never_returning=_never_returning,
    names=_names,
    shared=_shared,
)
