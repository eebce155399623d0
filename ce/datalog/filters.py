"""The steps that compute: comparisons, assignments and tests on names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ce.datalog.arithmetic import COMPARISONS, apply
from ce.datalog.builtins import matcher
from ce.datalog.frames import Context, Frame, Operator, bound, take
from ce.datalog.kernels import Bools, Ints
from ce.datalog.steps import Apply, Assign, Compare, Expression, Test

__all__ = ["AssignOperator", "CompareOperator", "TestOperator"]

# An expression with its constants as numbers; a slot is a tuple of one.
_Resolved = tuple[int] | int | tuple[str, "_Resolved", "_Resolved"]


class CompareOperator:
    """Keeps the rows for which a comparison holds."""

    __slots__ = ("_context", "_keep", "_left", "_next", "_operator", "_right")

    def __init__(self, context: Context, step: Compare, following: Operator) -> None:
        self._context = context
        self._left = _resolved(context, step.left)
        self._right = _resolved(context, step.right)
        self._operator = COMPARISONS[step.operator]
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        left, exists_left = _value_of(self._context, self._left, frame)
        right, exists_right = _value_of(self._context, self._right, frame)
        holds = self._operator(left, right) & exists_left & exists_right
        if holds.ndim == 0:
            if holds:
                self._next.push(frame, length)
            return
        rows = np.flatnonzero(holds)
        if rows.size == length:
            self._next.push(frame, length)
        elif rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)


class AssignOperator:
    """Gives a slot the value of an expression."""

    __slots__ = ("_context", "_expression", "_keep", "_next", "_slot")

    def __init__(self, context: Context, step: Assign, following: Operator) -> None:
        self._context = context
        self._expression = _resolved(context, step.expression)
        self._slot = step.slot
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows for which the expression has a value."""
        value, exists = _value_of(self._context, self._expression, frame)
        column = np.full(length, value, dtype=np.int64) if isinstance(value, int) else value
        frame = list(frame)
        frame[self._slot] = column
        if exists is True:
            self._next.push(frame, length)
        elif exists is not False:
            rows = np.flatnonzero(exists)
            if rows.size:
                self._next.push(take(frame, rows, self._keep), rows.size)


class TestOperator:
    """Keeps the rows for which a test on two names holds; each pair of names is tested once."""

    __slots__ = ("_context", "_keep", "_known", "_negated", "_next", "_step", "_tests", "_texts")

    def __init__(self, context: Context, step: Test, following: Operator) -> None:
        self._context = context
        self._step = step
        self._known: dict[tuple[int, int], bool] = {}
        self._texts: dict[int, str] = {}
        self._tests: dict[int, Callable[[str], bool]] = {}
        self._negated = step.negated
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        step = self._step
        left, right = (frame[operand] if isinstance(operand, int) else None for operand in (step.left, step.right))
        pairs, inverse = _distinct_pairs(left, right)
        verdicts = np.fromiter((self._holds(pair) for pair in pairs), dtype=np.bool_, count=len(pairs))
        holds = verdicts[inverse] != self._negated
        rows = np.flatnonzero(holds) if inverse.size > 1 or length == 1 else np.arange(length if holds[0] else 0)
        if rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)

    def _holds(self, pair: tuple[int, int]) -> bool:
        known = self._known.get(pair)
        if known is None:
            subject, pattern = pair
            text = self._texts.get(subject)
            if text is None:
                text = self._texts[subject] = self._text(0, subject)
            test = self._tests.get(pattern)
            if test is None:
                test = self._tests[pattern] = matcher(self._step.name, self._text(1, pattern))
            known = self._known[pair] = test(text)
        return known

    def _text(self, side: int, value: int) -> str:
        operand = (self._step.left, self._step.right)[side]
        return self._context.label(self._step.sorts[side], value) if isinstance(operand, int) else str(operand.value)


def _resolved(context: Context, expression: Expression) -> _Resolved:
    """Return an expression with its constants as numbers."""
    if isinstance(expression, int):
        return (expression,)
    if isinstance(expression, Apply):
        return (expression.operator, _resolved(context, expression.left), _resolved(context, expression.right))
    return context.constant(expression)


def _value_of(context: Context, expression: _Resolved, frame: Frame) -> tuple[Ints | int, Bools | bool]:
    """Return the values of an expression, and for which rows it has one."""
    if isinstance(expression, int):
        return expression, True
    if len(expression) == 1:
        return bound(frame, expression[0]), True
    operator, left_part, right_part = expression
    left, exists_left = _value_of(context, left_part, frame)
    right, exists_right = _value_of(context, right_part, frame)
    value, exists = apply(operator, left, right)
    if exists is not True:
        context.divided_by_zero()
    return value, exists & exists_left & exists_right


def _distinct_pairs(left: Ints | None, right: Ints | None) -> tuple[list[tuple[int, int]], NDArray[np.intp]]:
    """Return the distinct pairs of two columns, a missing one counting as zeros, and which pair each row has."""
    if left is None and right is None:
        return [(0, 0)], np.zeros(1, dtype=np.intp)
    if left is not None and right is not None:
        pairs, inverse = np.unique(np.stack((left, right), axis=1), axis=0, return_inverse=True)
        return [(int(a), int(b)) for a, b in pairs.tolist()], inverse.reshape(-1)
    column = left if left is not None else right
    assert column is not None
    values, inverse = np.unique(column, return_inverse=True)
    return [(value, 0) if left is not None else (0, value) for value in values.tolist()], inverse
