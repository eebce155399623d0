"""Work that needs no facts: arithmetic and comparisons of constants are done once, before anything is planned.

A comparison that always holds leaves its body; a rule with one that never does is left out. What has no value or would leave 64 bits stays,
to be reported when the rule runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ce.datalog.checked import CoreLiteral
from ce.datalog.rules import PlannedRule
from ce.datalog.syntax import Arithmetic, Comparison, Constant, Expression

__all__ = ["fold_constants"]

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def fold_constants(rules: Sequence[PlannedRule]) -> tuple[PlannedRule, ...]:
    """Return the rules with constant expressions computed, without those that can never hold."""
    folded = []
    for rule in rules:
        body = _folded_body(rule.body)
        if body is not None:
            folded.append(rule if body == rule.body else PlannedRule(rule.head, body, rule.origin))
    return tuple(folded)


def _folded_body(body: Sequence[CoreLiteral]) -> tuple[CoreLiteral, ...] | None:
    """Return the body without what always holds; None when it never holds. A body that always holds keeps its last literal."""
    literals: list[CoreLiteral] = []
    for literal in body:
        if isinstance(literal, Comparison):
            literal = replace(literal, left=_folded(literal.left), right=_folded(literal.right))
            holds = _holds(literal)
            if holds is False:
                return None
            if holds and len(body) > 1:
                continue
        literals.append(literal)
    return tuple(literals) or tuple(body[-1:])


def _holds(comparison: Comparison) -> bool | None:
    left, right = comparison.left, comparison.right
    if isinstance(left, Constant) and isinstance(right, Constant) and type(left.value) is type(right.value):
        return _COMPARE[comparison.operator](left.value, right.value)
    return None


def _folded(expression: Expression) -> Expression:
    if not isinstance(expression, Arithmetic):
        return expression
    left, right = _folded(expression.left), _folded(expression.right)
    if isinstance(left, Constant) and isinstance(right, Constant) and isinstance(left.value, int) and isinstance(right.value, int):
        value = _value(expression.operator, left.value, right.value)
        if value is not None and _LEAST <= value <= _GREATEST:
            return Constant(value, span=expression.span)
    return Arithmetic(expression.operator, left, right, span=expression.span)


def _value(symbol: str, left: int, right: int) -> int | None:
    if symbol in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if symbol == "/" else left - right * quotient
    return left + right if symbol == "+" else left - right if symbol == "-" else left * right
