"""What a name of a function stands for, when the function binds it exactly once and to an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LocalValues"]

_MAX_NODES = 20_000  # of one function; in a longer one no name is known


class LocalValues:
    """The expressions that names stand for at a node: those of the function around it, then the constants of the module.

    A name that the function binds in any other way stands for nothing known, whatever the module says.
    """

    def __init__(self, parsed: Parsed, node: Node, constants: Mapping[str, Node]) -> None:
        self._parsed = parsed
        self._node = node
        self._constants = constants
        self._bound: dict[str, Node | None] | None = None

    def get(self, name: str, /) -> Node | None:
        """Return the expression that the name stands for, or None."""
        if self._bound is None:
            self._bound = self._bindings()
        return self._bound[name] if name in self._bound else self._constants.get(name)

    def _bindings(self) -> dict[str, Node | None]:
        """Return what the function around the node binds, with the expression when there is exactly one."""
        spec = self._parsed.spec
        functions = {unit.node for unit in spec.units if unit.kind == "fn"}
        around = self._node.parent
        while around is not None and around.type not in functions:
            around = around.parent
        if around is None or spec.strings is None:
            return {}
        bindings = dict(spec.strings.bindings)
        found: dict[str, Node | None] = {}
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
        return dict.fromkeys(found)

    def _note(self, found: dict[str, Node | None], target: Node, value: Node | None) -> None:
        """Note that the target is bound: to the value when it is a name that was not bound before."""
        if target.type == "identifier":
            name = self._text(target)
            found[name] = None if name in found else value
            return
        stack = [target]
        while stack:
            node = stack.pop()
            if node.type == "identifier":
                found[self._text(node)] = None
            stack.extend(node.named_children)

    def _text(self, node: Node) -> str:
        return self._parsed.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
