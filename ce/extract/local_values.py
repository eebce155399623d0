"""What a name of a function can stand for, when the function binds it by plain assignments alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ce.extract.spec import LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LocalValues"]

_MAX_NODES = 20_000  # of one function; in a longer one no name is known
_MAX_CHOICES = 8  # of one expression; with more it could be anything

# Expressions that are one of their operands, by the positions of these among the named children.
_CHOOSING = {"conditional_expression": (0, 2), "boolean_operator": (0, 1), "parenthesized_expression": (0,)}


class LocalValues:
    """The expressions that names stand for at a node: those of the function around it, then the constants of the module.

    A name that the function binds in any other way stands for nothing known, whatever the module says.
    """

    def __init__(self, spec: LanguageSpec, text: bytes, node: Node, constants: Mapping[str, Node]) -> None:
        self._spec = spec
        self._source = text
        self._node = node
        self._constants = constants
        self._bound: dict[str, list[Node | None]] | None = None

    def get(self, name: str, /) -> Node | None:
        """Return the expression that the name stands for, or None when that is not known or one of several."""
        values = self._values(name)
        return values[0] if len(values) == 1 else None

    def choices(self, node: Node) -> list[Node]:
        """Return the expressions that an expression can be: branches of a condition, values of a name that is bound more than once."""
        found: list[Node] = []
        stack = [node]
        seen = set()
        while stack and len(found) + len(stack) <= _MAX_CHOICES:
            at = stack.pop()
            positions = _CHOOSING.get(at.type)
            values = self._values(self._text(at)) if at.type == "identifier" and at.id not in seen else []
            seen.add(at.id)
            if positions is not None and at.named_child_count > max(positions):
                stack += [at.named_children[position] for position in reversed(positions)]
            elif values and None not in values:
                stack += [value for value in values if value is not None]
            else:
                found.append(at)
        return found if not stack else [node]

    def _values(self, name: str) -> list[Node | None]:
        """Return the expressions that the name is bound to, None among them for a binding of another kind."""
        if self._bound is None:
            self._bound = self._bindings()
        if name in self._bound:
            return self._bound[name]
        constant = self._constants.get(name)
        return [] if constant is None else [constant]

    def _bindings(self) -> dict[str, list[Node | None]]:
        """Return what the function around the node binds, with the expressions."""
        spec = self._spec
        functions = {unit.node for unit in spec.units if unit.kind == "fn"}
        around = self._node.parent
        while around is not None and around.type not in functions:
            around = around.parent
        if around is None or spec.strings is None:
            return {}
        bindings = dict(spec.strings.bindings)
        found: dict[str, list[Node | None]] = {}
        stack = [around]
        for _ in range(_MAX_NODES):
            if not stack:
                return found
            node = stack.pop()
            field = bindings.get(node.type)
            target = node.child_by_field_name(field) if field is not None else None
            if target is not None:
                self._note(found, target, node.child_by_field_name("right") if node.type in spec.strings.assignments else None)
            stack.extend(node.named_children)
        return {name: [None] for name in found}

    def _note(self, found: dict[str, list[Node | None]], target: Node, value: Node | None) -> None:
        """Note that the target is bound: to the value when it is a name, in an unknown way otherwise."""
        if target.type == "identifier":
            found.setdefault(self._text(target), []).append(value)
            return
        stack = [target]
        while stack:
            node = stack.pop()
            if node.type == "identifier":
                found.setdefault(self._text(node), []).append(None)
            stack.extend(node.named_children)

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")
