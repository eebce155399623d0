"""Expressions that name something: `a.b(c)[d].e` as a path, and what an expression can be as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, UNKNOWN
from ce.extract.names.python_computed import CALLS, MODULES, computed_subscript, quoted_types
from ce.extract.names.python_kinds import ARGUMENTS, ATTRIBUTE, CALL_NODE, CHAINS, COMMENT, IDENTIFIER, STRING, SUBSCRIPT
from ce.extract.names.python_state import LITERAL, LITERAL_BASE, UNKNOWN_RAW, Raw, State, instance_of
from ce.extract.names.python_strings import argument_text, constant, positional

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["iterated", "note", "read_chain", "read_value", "spine", "values_of"]

_MAX_STEPS = 16
_MAX_ELEMENTS = 4  # of a display that are looked at for its values
_MAX_NESTING = 4
_COMPUTED_ENDS = b"_)s"  # last bytes of `__dict__`, `globals()`, `modules`
_LOOKUPS = frozenset({"get", "pop", "__getitem__"})  # of a name space: `globals().get("run_" + word)`
_MAY_OPEN_TEXT = b"\"'rRuUbB \n\t"  # first bytes of arguments that can begin with a constant string
_TRANSPARENT = frozenset({k.PARENTHESIZED, k.AWAIT})
_LITERALS: dict[int, list[Raw]] = {
    **{kind: [LITERAL] for kind in k.LITERALS},
    **{kind: [instance_of("str")] for kind in (k.STRING, k.CONCATENATED)},
    k.INTEGER: [instance_of("int")],
    k.FLOAT: [instance_of("float")],
    **{kind: [instance_of("bool")] for kind in (k.TRUE, k.FALSE, k.COMPARISON, k.NOT)},
}
_MAY_QUOTE = k.SEQUENCES | {STRING}
_PUTS_ALL_IN = frozenset({"extend", "update", "extendleft"})
_PUTS_IN = _PUTS_ALL_IN | {"append", "add", "insert", "appendleft", "setdefault"}
_CHOICES = {k.CONDITIONAL: (0, 2), k.BOOLEAN: (0, 1)}


def spine(state: State, node: Node, side: list[Node] | None, depth: int = 0) -> tuple[list[Raw], tuple[str, ...]]:
    """Return the alternatives that a chain can start at, and its steps from there.

    What stands beside it is added to `side`, which is None when that is read already.
    """
    steps: list[str] = []
    source = state.source
    called: Node | None = None  # the arguments when the node is what is called
    while True:
        kind = node.kind_id
        if kind == ATTRIBUTE:
            children = node.named_children
            last = children[-1]
            name = source[last.start_byte : last.end_byte]
            if called is not None:
                if name in CALLS and state.slice(children[0]) in MODULES:
                    found = _special(state, name, node, called, steps, side)
                    if found is not None:
                        starts, onward = found
                        if onward is None:
                            return starts, tuple(reversed(steps))
                        node, called = onward, None
                        continue
                if name in _LOOKUPS and state.text[children[0].end_byte - 1] in _COMPUTED_ENDS and (given := positional(called)):
                    continued = computed_subscript(state, [children[0], given[0]], side)
                    if continued is not None:
                        starts, onward, more = continued
                        steps.pop()
                        steps += more
                        if onward is None:
                            return starts, tuple(reversed(steps))
                        node, called = onward, None
                        continue
                called = None
            steps.append(name if name.isascii() else state.slice(last))
            node = children[0]
        elif kind == IDENTIFIER:
            name = source[node.start_byte : node.end_byte]
            if not name.isascii():
                name = state.slice(node)
            elif called is not None and name in CALLS:
                found = _special(state, name, node, called, steps, side)
                if found is not None:
                    starts, onward = found
                    if onward is None:
                        return starts, tuple(reversed(steps))
                    node, called = onward, None
                    continue
            steps.reverse()
            return [(state.scope, name, ())], tuple(steps)
        elif kind == CALL_NODE:
            children = node.named_children
            called = children[-1]
            if side is not None:
                side.append(called)
            steps.append(CALL)
            node = children[0]
        elif kind == SUBSCRIPT:
            children = node.named_children
            called = None
            if side is not None:
                side += children[1:]
                if len(steps) < 2 and any(child.kind_id in _MAY_QUOTE for child in children[1:]):
                    _keyed(state, children, steps)
            node = children[0]
            if state.text[node.end_byte - 1] in _COMPUTED_ENDS:
                continued = computed_subscript(state, children, side)
                if continued is not None:
                    starts, onward, more = continued
                    steps += more
                    if onward is None:
                        return starts, tuple(reversed(steps))
                    node = onward
                    continue
            steps.append(ELEMENT)
        else:
            called = None
            if kind in _TRANSPARENT:
                inner = [child for child in node.named_children if child.kind_id != COMMENT]
                if len(inner) == 1:
                    node = inner[0]
                    continue
            steps.reverse()
            if side is not None:
                side.append(node)
            is_asked = bool(steps) or side is None
            return values_of(state, node, depth + 1) if is_asked and depth <= _MAX_NESTING else [UNKNOWN_RAW], tuple(steps)


def _keyed(state: State, children: list[Node], steps: list[str]) -> None:
    """Note that a constant string in brackets may be the name of a member: of an enumeration, or of a typed dictionary."""
    quoted_types(state, children)
    if len(children) == 2 and children[1].kind_id == STRING:
        key = constant(state, children[1])
        if key is not None and key.isidentifier():
            starts, path = spine(state, children[0], None)
            if len(path) <= 2:
                state.keyed += [(scope, name, (*first, *path), key, state.owner, children[1].start_byte) for scope, name, first in starts]


def _special(
    state: State, name: str, function: Node, arguments: Node, steps: list[str], side: list[Node] | None
) -> tuple[list[Raw], Node | None] | None:
    """Follow a call that names something by a value: the step and the arguments that were taken for an ordinary one are taken back."""
    steps.pop()
    if side is not None:
        side.pop()
    continued = CALLS[name](state, arguments, steps, side)
    if continued is None:
        steps.append(CALL)
        if side is not None:
            side.append(arguments)
        return None
    if side is not None:
        side.append(function)
    starts, onward, more = continued
    steps += more
    return starts, onward


def read_chain(state: State, node: Node) -> None:
    """Note the reference that a chain is, and leave what stands beside it for later."""
    start = node.start_byte
    if node.kind_id != IDENTIFIER:
        _read(state, node, start)
        return
    if start < state.special_end:
        state.ref((state.scope, state.slice(node), ()), "read", start)
        return
    name = state.source[start : node.end_byte]
    if not name.isascii():
        name = state.slice(node)
    state.refs.setdefault((state.scope, name, (), state.owner, "read", ""), start)


def _read(state: State, node: Node, start: int) -> tuple[list[Raw], tuple[str, ...]]:
    side: list[Node] = []
    starts, steps = spine(state, node, side)
    if side:
        side.reverse()
        state.stack += side
    if not steps or steps[-1] != CALL or node.kind_id != CALL_NODE:
        note(state, starts, steps, "read", start)
        return starts, steps
    argument = ""
    if side:
        arguments = side[-1]
        if arguments.kind_id == ARGUMENTS and state.text[arguments.start_byte + 1] in _MAY_OPEN_TEXT:
            argument = argument_text(state.text, arguments)
    note(state, starts, steps[:-1], "call", start, argument)
    if side and len(steps) > 1 and steps[-2] in _PUTS_IN:
        _put_in(state, node.named_children[0].named_children[0], steps[-2], side[-1])
    return starts, steps


def _put_in(state: State, container: Node, method: str, arguments: Node) -> None:
    """Say that a collection holds what a method puts into it."""
    given = positional(arguments)
    if not given or container.kind_id not in (IDENTIFIER, ATTRIBUTE):
        return
    values = [value for value in values_of(state, given[-1]) if value[1] != LITERAL_BASE]
    if method in _PUTS_ALL_IN:
        state.held.append((container, values))
    else:
        state.held.append((container, [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values]))


def read_value(state: State, node: Node) -> list[Raw]:
    """Read an expression and return what it can be."""
    if node.kind_id not in CHAINS:
        state.stack.append(node)
        return values_of(state, node)
    starts, steps = _read(state, node, node.start_byte)
    if len(steps) > _MAX_STEPS:
        return [UNKNOWN_RAW]
    return [(scope, name, (*first, *steps)) for scope, name, first in starts]


def note(state: State, starts: list[Raw], steps: tuple[str, ...], use: str, start: int, argument: str = "") -> None:
    """Note a reference along the steps from each alternative; of a very long path the end stands for itself."""
    if len(steps) > _MAX_STEPS:
        rest = steps[_MAX_STEPS:]
        steps = steps[:_MAX_STEPS]
        for step in dict.fromkeys(rest):
            if step not in (CALL, ELEMENT):
                state.ref((None, -1, (step,)), "read", start)
    if start < state.special_end:
        if start < state.dead_end:
            return
        if start < state.type_end:
            use = "type_only"
    refs, owner = state.refs, state.owner
    for scope, name, first in starts:
        if scope is not None or first or steps:
            refs.setdefault((scope, name, (*first, *steps) if first else steps, owner, use, argument), start)


def iterated(state: State, node: Node) -> list[Raw]:
    """Read an expression of which the elements are taken, and return what they can be."""
    values = [(scope, name, (*steps, ELEMENT)) for scope, name, steps in read_value(state, node)]
    if node.kind_id in CHAINS:
        for value in values:
            if len(value[2]) <= _MAX_STEPS:
                state.ref(value, "read", node.start_byte)
    return values


def values_of(state: State, node: Node, depth: int = 0) -> list[Raw]:
    """Return what an expression can be, as paths; nothing is noted."""
    kind = node.kind_id
    if kind in CHAINS:
        starts, path = spine(state, node, None, depth)
        if len(path) > _MAX_STEPS:
            return [UNKNOWN_RAW]
        return [(scope, name, (*first, *path)) for scope, name, first in starts]
    literal = _LITERALS.get(kind)
    if literal is not None:
        return literal
    if depth > _MAX_NESTING:
        return [UNKNOWN_RAW]
    positions = _CHOICES.get(kind)
    if positions is not None:
        children = [child for child in node.named_children if child.kind_id != k.COMMENT]
        return [value for place in positions if place < len(children) for value in values_of(state, children[place], depth + 1)]
    if kind == k.NAMED:
        return values_of(state, node.named_children[-1], depth + 1)
    if kind in k.SEQUENCES:
        return _elements(state, node, depth) or [instance_of(node.type if node.type in ("list", "set") else "tuple")]
    if kind == k.DICTIONARY:
        return _elements(state, node, depth) or [instance_of("dict")]
    if kind in k.COMPREHENSIONS:
        return [instance_of(node.type.partition("_")[0])] if node.type != "generator_expression" else [UNKNOWN_RAW]
    return [UNKNOWN_RAW]


def _elements(state: State, display: Node, depth: int) -> list[Raw]:
    """Return the collections of what the elements of a display can be; nothing when that is not known of all of them."""
    if display.named_child_count > _MAX_ELEMENTS:
        return []
    found: dict[Raw, None] = {}
    for child in display.named_children:
        node = child.named_children[-1] if child.kind_id == k.PAIR else child
        if node.kind_id in (k.LIST_SPLAT, k.DICTIONARY_SPLAT):
            return []
        if node.kind_id != k.COMMENT:
            for scope, name, steps in values_of(state, node, depth + 1):
                if name == UNKNOWN:
                    return []
                if name != LITERAL_BASE:
                    found[scope, name, (*steps, COLLECTION)] = None
    return list(found)
