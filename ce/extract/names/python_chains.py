"""Expressions that name something: `a.b(c)[d].e` as a path, and what an expression can be as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL, COLLECTION, ELEMENT
from ce.extract.names.python_computed import CALLS, MODULES, computed_subscript
from ce.extract.names.python_state import LITERAL, UNKNOWN_RAW, Raw, State
from ce.extract.names.python_strings import argument_text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Chain", "iterated", "read_chain", "spine", "values_of"]

_MAX_STEPS = 16
_MAX_ELEMENTS = 4  # of a display that are looked at for its values
_MAX_NESTING = 4
_MAX_SPECIAL = 32  # bytes of a callee that could be a special one
_COMPUTED_ENDS = b"_)s"  # last bytes of `__dict__`, `globals()`, `modules`
_CHOICES = {k.CONDITIONAL: (0, 2), k.BOOLEAN: (0, 1)}


class Chain:
    """A path that was read: the alternatives that it can start at, and the steps from there."""

    __slots__ = ("starts", "steps")

    def __init__(self, starts: list[Raw], steps: tuple[str, ...]) -> None:
        self.starts = starts
        self.steps = steps

    def raws(self) -> list[Raw]:
        """Return the alternatives as paths."""
        return [(scope, name, (*first, *self.steps)) for scope, name, first in self.starts]


def spine(state: State, node: Node, side: list[Node] | None, depth: int = 0) -> Chain:
    """Return the path of a chain. What stands beside it is added to `side`, which is None when that is read already."""
    steps: list[str] = []
    text = state.text
    while True:
        kind = node.kind_id
        if kind == k.IDENTIFIER:
            name = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
            steps.reverse()
            return Chain([(state.scope, name, ())], tuple(steps))
        if kind == k.ATTRIBUTE:
            children = node.named_children
            last = children[-1]
            steps.append(text[last.start_byte : last.end_byte].decode("utf-8", "replace"))
            node = children[0]
            continue
        if kind == k.CALL_NODE:
            children = node.named_children
            function, arguments = children[0], children[-1]
            callee = text[max(function.start_byte, function.end_byte - _MAX_SPECIAL) : function.end_byte]
            prefix, _, called = callee.rpartition(b".")
            special = CALLS.get(called)
            if special is not None and (not prefix or prefix in MODULES):
                continued = special(state, arguments, steps, side)
                if continued is not None:
                    if side is not None:
                        side.append(function)
                    starts, onward, more = continued
                    steps += more
                    if starts is not None:
                        steps.reverse()
                        return Chain(starts, tuple(steps))
                    assert onward is not None
                    node = onward
                    continue
            if side is not None:
                side.append(arguments)
            steps.append(CALL)
            node = function
            continue
        if kind == k.SUBSCRIPT:
            children = node.named_children
            if side is not None:
                side += children[1:]
            tail = text[children[0].end_byte - 1]
            found = computed_subscript(state, children, side) if tail in _COMPUTED_ENDS else None
            if found is None:
                steps.append(ELEMENT)
                node = children[0]
                continue
            starts, onward, more = found
            steps += more
            if starts is not None:
                steps.reverse()
                return Chain(starts, tuple(steps))
            assert onward is not None
            node = onward
            continue
        if kind in (k.PARENTHESIZED, k.AWAIT):
            inner = [child for child in node.named_children if child.kind_id != k.COMMENT]
            if len(inner) == 1:
                node = inner[0]
                continue
        steps.reverse()
        if side is not None:
            side.append(node)
        is_asked = bool(steps) or side is None
        return Chain(values_of(state, node, depth + 1) if is_asked and depth <= _MAX_NESTING else [UNKNOWN_RAW], tuple(steps))


def read_chain(state: State, node: Node) -> None:
    """Note the reference that a chain is, and leave what stands beside it for later."""
    start = node.start_byte
    kind = node.kind_id
    if kind == k.IDENTIFIER:
        name = state.text[start : node.end_byte].decode("utf-8", "replace")
        state.ref((state.scope, name, ()), "read", start)
        return
    side: list[Node] = []
    chain = spine(state, node, side)
    steps = chain.steps
    use, argument = "read", ""
    if kind == k.CALL_NODE and steps and steps[-1] == CALL:
        use = "call"
        steps = steps[:-1]
        if side and side[0].kind_id == k.ARGUMENTS:
            argument = argument_text(state.text, side[0])
    side.reverse()
    state.stack += side
    note(state, chain.starts, steps, use, start, argument)


def note(state: State, starts: list[Raw], steps: tuple[str, ...], use: str, start: int, argument: str = "") -> None:
    """Note a reference along the steps from each alternative; of a very long path the end stands for itself."""
    if len(steps) > _MAX_STEPS:
        rest = steps[_MAX_STEPS:]
        steps = steps[:_MAX_STEPS]
        for step in dict.fromkeys(rest):
            if step not in (CALL, ELEMENT):
                state.ref((None, -1, (step,)), "read", start)
    for scope, name, first in starts:
        if scope is None and not first and not steps:
            continue
        state.ref((scope, name, (*first, *steps) if first else steps), use, start, argument)


def iterated(state: State, node: Node) -> list[Raw]:
    """Note that the elements of an expression are taken, and return what they can be."""
    values = [(scope, name, (*steps, ELEMENT)) for scope, name, steps in values_of(state, node)]
    if node.kind_id in k.CHAINS:
        for scope, name, steps in values:
            if len(steps) <= _MAX_STEPS:
                state.ref((scope, name, steps), "read", node.start_byte)
    return values


def values_of(state: State, node: Node, depth: int = 0) -> list[Raw]:
    """Return what an expression can be, as paths; nothing is noted."""
    kind = node.kind_id
    if kind in k.CHAINS:
        chain = spine(state, node, None, depth)
        if len(chain.steps) > _MAX_STEPS:
            return [UNKNOWN_RAW]
        return chain.raws()
    if kind in k.LITERALS:
        return [LITERAL]
    if depth > _MAX_NESTING:
        return [UNKNOWN_RAW]
    positions = _CHOICES.get(kind)
    if positions is not None:
        children = [child for child in node.named_children if child.kind_id != k.COMMENT]
        return [value for place in positions if place < len(children) for value in values_of(state, children[place], depth + 1)]
    if kind == k.NAMED:
        return values_of(state, node.named_children[-1], depth + 1)
    if kind in k.SEQUENCES:
        return _elements(state, node.named_children[:_MAX_ELEMENTS], depth)
    if kind == k.DICTIONARY:
        pairs = [child.named_children[-1] for child in node.named_children[:_MAX_ELEMENTS] if child.kind_id == k.PAIR]
        return _elements(state, pairs, depth)
    if kind in (k.COMPARISON, k.NOT):
        return [LITERAL]
    return [UNKNOWN_RAW]


def _elements(state: State, nodes: list[Node], depth: int) -> list[Raw]:
    """Return the collections of what the nodes can be."""
    found: list[Raw] = [LITERAL]
    for node in nodes:
        if node.kind_id == k.LIST_SPLAT:
            found += values_of(state, node.named_children[0], depth + 1)
        elif node.kind_id != k.COMMENT:
            found += [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values_of(state, node, depth + 1) if name != LITERAL[1]]
    return list(dict.fromkeys(found))
