"""What can be read off an expression that makes a string: the text if it is constant, else a glob of its constant parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ce.extract.spec import StringKinds

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Pattern", "Values", "pattern_of"]

_MAX_STEPS = 64  # nodes of one expression; a longer one reads as `*`
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?[a-zA-Z]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`text` is the value when `is_literal`, else a glob in which `*` stands for what is not constant."""

    text: str
    is_literal: bool

    def joined(self, other: Pattern) -> Pattern:
        """Return the pattern of the two values one after the other."""
        if self.is_literal and other.is_literal:
            return Pattern(self.text + other.text, True)
        return Pattern(re.sub(r"\*+", "*", self.as_glob() + other.as_glob()), False)

    def as_glob(self) -> str:
        """Return the pattern as a glob; the special characters of a literal text are escaped."""
        return re.sub(r"([*?\[])", r"[\1]", self.text) if self.is_literal else self.text


_ANYTHING = Pattern("*", False)


class Values(Protocol):
    """The names whose expression is known."""

    def get(self, name: str, /) -> Node | None:
        """Return the expression that a name stands for, or None."""


def pattern_of(node: Node, text: bytes, kinds: StringKinds, values: Values) -> Pattern:
    """Return the pattern of an expression. `values` are names that are bound once, to the expression of that node."""
    return _Reader(text, kinds, values).read(node)


class _Reader:
    def __init__(self, text: bytes, kinds: StringKinds, values: Values) -> None:
        self.text = text
        self.kinds = kinds
        self.values = values
        self.steps = 0

    def read(self, node: Node) -> Pattern:
        """Read at most `_MAX_STEPS` nodes, so that the recursion is bounded too."""
        self.steps += 1
        kind, kinds = node.type, self.kinds
        if self.steps > _MAX_STEPS:
            return _ANYTHING
        if kind in kinds.nodes:
            return self._string(node)
        if kind in kinds.concatenations:
            return self._join([self.read(child) for child in node.named_children])
        if kind in kinds.plus:
            return self._operation(node)
        if kind == "parenthesized_expression" and node.named_child_count == 1:
            return self.read(node.named_children[0])
        if kind == "identifier":
            value = self.values.get(self._slice(node))
            return _ANYTHING if value is None else self.read(value)
        if kinds.format_method and kind == "call":
            return self._format(node)
        return _ANYTHING

    def _string(self, node: Node) -> Pattern:
        start = node.children[0] if node.child_count else node
        is_raw = self._slice(start).rstrip("\"'`").lower() in self.kinds.raw_prefixes
        parts = []
        for child in node.named_children:
            if child.type in self.kinds.content:
                escaped = not is_raw and any(below.type in self.kinds.escape for below in child.named_children)
                parts.append(_ANYTHING if escaped else Pattern(self._slice(child), True))
            elif child.type in self.kinds.interpolation:
                # Anything besides the expression is a format, which may change the text.
                parts.append(self.read(child.named_children[0]) if child.named_child_count == 1 else _ANYTHING)
            elif child.type in self.kinds.escape:
                parts.append(_ANYTHING)
        return self._join(parts)

    def _operation(self, node: Node) -> Pattern:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator") or node.child(1)
        if left is None or operator is None or right is None:
            return _ANYTHING
        if operator.type in self.kinds.joins:
            return self.read(left).joined(self.read(right))
        if operator.type == "%" and self.kinds.percent:
            given = right.named_children if right.type == "tuple" else [right]
            return _template(self.read(left), _PERCENT, "%%", "%", given=[self.read(value) for value in given[:_MAX_STEPS]])
        return _ANYTHING

    def _format(self, node: Node) -> Pattern:
        function = node.child_by_field_name("function")
        if function is None or function.type != "attribute":
            return _ANYTHING
        receiver, method = function.child_by_field_name("object"), function.child_by_field_name("attribute")
        if receiver is None or method is None or self._slice(method) != self.kinds.format_method:
            return _ANYTHING
        return _template(self.read(receiver), _BRACES, "{{", "{", "}}", "}")

    def _join(self, parts: list[Pattern]) -> Pattern:
        joined = Pattern("", True)
        for part in parts:
            joined = joined.joined(part)
        return joined

    def _slice(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _template(template: Pattern, holes: re.Pattern[str], *escapes: str, given: Sequence[Pattern] = ()) -> Pattern:
    """Return the template with what is given for each `%s`, and every other hole as `*`.

    `escapes` are pairs of an escaped spelling and what it stands for. What is given counts only when there is one for each hole.
    """
    if not template.is_literal:
        return _ANYTHING
    plain = dict(zip(escapes[::2], escapes[1::2], strict=True))
    pattern = Pattern("", True)
    at = 0
    found = [hole for hole in holes.finditer(template.text) if hole.group() not in plain]
    values = iter(given if len(given) == len(found) else [_ANYTHING] * len(found))
    for hole in holes.finditer(template.text):
        pattern = pattern.joined(Pattern(template.text[at : hole.start()], True))
        if hole.group() in plain:
            pattern = pattern.joined(Pattern(plain[hole.group()], True))
        else:
            value = next(values)
            pattern = pattern.joined(value if hole.group() == "%s" else _ANYTHING)
        at = hole.end()
    return pattern.joined(Pattern(template.text[at:], True))
