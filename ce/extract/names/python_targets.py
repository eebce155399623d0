"""Targets: what loops, `with`, `except`, `del`, `:=` and assignments bind, and to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL, COLLECTION, ELEMENT
from ce.extract.names.python_chains import iterated, note, read_value, spine, values_of
from ce.extract.names.python_state import (
    CLASS_SCOPE,
    COMPREHENSION_SCOPE,
    LITERAL_BASE,
    MODULE_SCOPE,
    UNKNOWN_RAW,
    Raw,
    Scope,
    State,
    instance_of,
)
from ce.extract.names.python_strings import constant

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bind", "clause", "comprehension", "delete", "elements", "except_clause", "for_statement", "hold", "named", "with_item"]


def bind(state: State, target: Node, values: list[Raw], flags: tuple[str, ...] = (), *, defines: bool = True) -> int:
    """Bind every name of a target; return the definition when it is one single name that is one, else -1.

    `values` are what the whole target can be. `defines` says that names of modules and classes become definitions.
    """
    kind = target.kind_id
    if kind == k.IDENTIFIER:
        return _bind_name(state, target, values, flags, defines)
    if kind == k.ATTRIBUTE:
        _bind_attribute(state, target, values)
        return -1
    if kind == k.SUBSCRIPT:
        _bind_element(state, target, values)
        return -1
    if kind in k.TARGET_LISTS:
        parts = [child for child in target.named_children if child.kind_id != k.COMMENT]
        taken = elements(values)
        for part in reversed(parts):
            bind(state, part, taken, flags, defines=defines)
    elif kind in (k.LIST_SPLAT_PATTERN, k.LIST_SPLAT):
        bind(
            state, target.named_children[0], [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values], flags, defines=defines
        )
    elif kind in (k.PARENTHESIZED, k.AS_TARGET):
        for part in target.named_children:
            bind(state, part, values, flags, defines=defines)
    else:
        state.stack.append(target)
    return -1


def elements(values: list[Raw]) -> list[Raw]:
    """Return what elements of the values can be."""
    return [(scope, name, (*steps, ELEMENT)) for scope, name, steps in values]


def _bind_name(state: State, target: Node, values: list[Raw], flags: tuple[str, ...], defines: bool) -> int:
    name = state.slice(target)
    scope = state.binding_scope(name)
    if not defines or scope.kind not in (MODULE_SCOPE, CLASS_SCOPE):
        state.bind_local(name, values, scope)
        return -1
    number = _variable(state, scope, name, target)
    draft = state.drafts[number]
    draft.flags.update(flags)
    if scope is not state.scope:
        state.ref((scope, name, ()), "write", target.start_byte)
    state.add_values(number, values)
    return number


def _variable(state: State, scope: Scope, name: str, target: Node) -> int:
    """Return the one definition that all assignments of a name in a scope are."""
    for number in scope.defs.get(name, ()):
        if state.drafts[number].kind in ("variable", "constant", "field", "enum_member", "type_alias"):
            return number
    start, end = state.statement
    if scope.kind == CLASS_SCOPE:
        kind = "enum_member" if state.drafts[scope.owner].kind == "enum" and not name.startswith("_") else "field"
    else:
        kind = "constant" if name.isupper() else "variable"
    return state.define(name, kind, start, end, target.start_byte, scope)


def _bind_attribute(state: State, target: Node, values: list[Raw]) -> None:
    side: list[Node] = []
    starts, steps = spine(state, target, side)
    if side:
        side.reverse()
        state.stack += side
    start = target.start_byte
    note(state, starts, steps, "write", start)
    if len(starts) == 1 and len(steps) == 1:
        first, end = state.statement
        state.attributes.append((starts[0], steps[0], state.owner, values, start, end if first <= start else 0))


def _bind_element(state: State, target: Node, values: list[Raw]) -> None:
    """`a[b] = c`: `a` is read, and holds `c` from then on."""
    state.stack.append(target)
    hold(state, target.named_children[0], [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values if name != LITERAL_BASE])


def hold(state: State, container: Node, held: list[Raw]) -> None:
    """Say what else a name or an attribute can be, because something is put into it."""
    if not held:
        return
    if container.kind_id == k.IDENTIFIER:
        name = state.slice(container)
        scope = state.binding_scope(name)
        if name in scope.values:
            state.bind_local(name, held, scope)
        elif name not in scope.defs and scope is not state.module:
            scope = state.module
        for number in scope.defs.get(name, ()):
            state.add_values(number, held)
    elif container.kind_id == k.ATTRIBUTE:
        starts, steps = spine(state, container, None)
        if len(starts) == 1 and len(steps) == 1:
            state.attributes.append((starts[0], steps[0], state.owner, held, container.start_byte, 0))


def for_statement(state: State, node: Node) -> None:
    """Bind the target of a loop to the elements of what it runs over; the rest of the loop is left for later."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    state.stack += children[:1:-1]
    if len(children) > 1:
        for target, values in _iteration(state, children[0], children[1]):
            bind(state, target, values, defines=False)


def comprehension(state: State, node: Node) -> None:
    """Open the scope of a comprehension; the first thing it runs over belongs to the scope around it."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    first = next((child for child in children if child.kind_id == k.FOR_IN), None)
    scope = Scope(COMPREHENSION_SCOPE, state.scope, state.owner, state.scope.cls, node.start_byte)
    if first is not None:
        _clause(state, first, scope)
    state.push([child for child in reversed(children) if first is None or child.id != first.id], scope, state.owner)


def clause(state: State, node: Node) -> None:
    """Read a further `for` of a comprehension."""
    _clause(state, node, state.scope)


def _clause(state: State, node: Node, scope: Scope) -> None:
    """Read a `for` of a comprehension: what it runs over here, what it binds in the scope of the comprehension."""
    parts = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(parts) < 2:
        state.stack += reversed(parts)
        return
    state.stack += parts[:1:-1]
    bindings = _iteration(state, parts[0], parts[1])
    around, state.scope = state.scope, scope
    state.is_clause = True
    for target, values in bindings:
        bind(state, target, values, defines=False)
    state.is_clause = False
    state.scope = around


def _iteration(state: State, target: Node, source: Node) -> list[tuple[Node, list[Raw]]]:
    """Return what parts of a target are bound to by running over an expression, through `enumerate`, `zip` and `.items()`."""
    if source.kind_id == k.CALL_NODE and target.kind_id in k.TARGET_LISTS:
        parts = [child for child in target.named_children if child.kind_id != k.COMMENT]
        function, arguments = source.named_children[0], source.named_children[-1]
        given = [child for child in arguments.named_children if child.kind_id != k.COMMENT] if arguments.kind_id == k.ARGUMENTS else []
        called = state.text[max(function.start_byte, function.end_byte - 16) : function.end_byte]
        if called == b"enumerate" and len(parts) == 2 and given:
            state.stack += [*given[1:], function]
            return [(parts[0], [instance_of("int")]), (parts[1], iterated(state, given[0]))]
        if called == b"zip" and len(parts) == len(given):
            state.stack.append(function)
            return [(part, iterated(state, one)) for part, one in zip(parts, given, strict=True)]
        if called.endswith(b".items") and len(parts) == 2 and not given:
            state.stack.append(source)
            return [(parts[0], [UNKNOWN_RAW]), (parts[1], elements(values_of(state, function.named_children[0])))]
    if target.kind_id == k.IDENTIFIER and source.kind_id in k.SEQUENCES:
        texts = [constant(state, child) for child in source.named_children if child.kind_id != k.COMMENT]
        if texts and all(text is not None for text in texts):
            state.loop_texts[state.scope, state.slice(target)] = tuple(text for text in texts if text is not None)
    return [(target, iterated(state, source))]


def with_item(state: State, node: Node) -> None:
    """Bind what is behind `as` to the value in front of it, and leave that for later."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) == 2 and children[1].kind_id == k.AS_TARGET:
        bind(state, children[1], read_value(state, children[0]), defines=False)
    else:
        state.stack += reversed(children)


def delete(state: State, node: Node) -> None:
    """`del a, b.c`: the names are bound here and needed before."""
    stack = list(node.named_children)
    while stack:
        target = stack.pop()
        if target.kind_id == k.IDENTIFIER:
            name = state.slice(target)
            scope = state.binding_scope(name)
            if not scope.binds(name):
                state.bind_local(name, [], scope)
            state.ref((state.scope, name, ()), "read", target.start_byte)
        elif target.kind_id in k.SEQUENCES or target.kind_id == k.PARENTHESIZED:
            stack += target.named_children
        else:
            state.stack.append(target)


def named(state: State, node: Node) -> None:
    """Read `name := value`."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) == 2:
        state.statement = (node.start_byte, node.end_byte)
        bind(state, children[0], read_value(state, children[1]), defines=False)


def except_clause(state: State, node: Node) -> None:
    """Read an `except` clause; what it binds is made by one of the classes, or by one below them."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if children and children[0].kind_id in k.AS_PATTERN:
        parts = [child for child in children[0].named_children if child.kind_id != k.COMMENT]
        if len(parts) == 2 and parts[1].kind_id == k.AS_TARGET:
            classes = parts[0].named_children if parts[0].kind_id in k.SEQUENCES else parts[:1]
            raised = [(scope, name, (*steps, CALL)) for one in classes for scope, name, steps in read_value(state, one)]
            bind(state, parts[1], raised, defines=False)
            del children[0]
    state.stack += children[::-1]
