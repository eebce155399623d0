"""The steps that compute: comparisons, assignments and tests on names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce.datalog.arithmetic import COMPARISONS, apply
from ce.datalog.builtins import PLAIN_TESTS, matcher
from ce.datalog.frames import Context, Frame, Operator, bound, take
from ce.datalog.kernels import Bools, Ints
from ce.datalog.steps import Apply, Assign, Compare, Expression, Test

__all__ = ["AssignOperator", "CompareOperator", "TestOperator"]

# An expression with its constants as numbers; a slot is a tuple of one.
_Resolved = tuple[int] | int | tuple[str, "_Resolved", "_Resolved"]

Places = NDArray[np.intp]


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
    """Keeps the rows for which a test on two names holds; each pair of names that occurs is tested once."""

    __slots__ = ("_context", "_keep", "_known", "_negated", "_next", "_step")

    def __init__(self, context: Context, step: Test, following: Operator) -> None:
        self._context = context
        self._step = step
        self._known: dict[tuple[str, str], bool] = {}
        self._negated = step.negated
        self._keep = step.keep
        self._next = following

    def push(self, frame: Frame, length: int) -> None:
        """Push the rows that pass."""
        step = self._step
        left, right = (frame[operand] if isinstance(operand, int) else None for operand in (step.left, step.right))
        subjects, subject_of = self._names(0, left)
        patterns, pattern_of = self._names(1, right)
        verdicts, inverse = self._verdicts(subjects, subject_of, patterns, pattern_of)
        holds = verdicts[inverse] != self._negated
        rows = np.flatnonzero(holds) if inverse.size > 1 or length == 1 else np.arange(length if holds[0] else 0)
        if rows.size:
            self._next.push(take(frame, rows, self._keep), rows.size)

    def _verdicts(self, subjects: list[str], subject_of: Places, patterns: list[str], pattern_of: Places) -> tuple[Bools, Places]:
        """Return whether each pair of names holds that occurs, and which pair each row has."""
        if len(patterns) == 1:
            return self._tested(subjects, patterns[0]), subject_of
        if len(subjects) == 1:
            return np.array([self._tested(subjects, pattern)[0] for pattern in patterns], dtype=np.bool_), pattern_of
        pairs, inverse = np.unique(pattern_of * len(subjects) + subject_of, return_inverse=True)
        pattern_numbers, subject_numbers = np.divmod(pairs, len(subjects))
        verdicts = np.empty(pairs.size, dtype=np.bool_)
        ends = np.searchsorted(pattern_numbers, np.arange(len(patterns)), side="right").tolist()
        for pattern, start, end in zip(patterns, [0, *ends], ends, strict=False):
            verdicts[start:end] = self._tested([subjects[number] for number in subject_numbers[start:end].tolist()], pattern)
        return verdicts, inverse

    def _tested(self, subjects: list[str], pattern: str) -> Bools:
        """Return which of the names pass; what an automaton said is remembered, a plain comparison is quicker made again."""
        test = matcher(self._step.name, pattern)
        if self._step.name in PLAIN_TESTS:
            return np.fromiter(map(test, subjects), dtype=np.bool_, count=len(subjects))
        for subject in subjects:
            if (subject, pattern) not in self._known:
                self._known[subject, pattern] = test(subject)
        return np.fromiter((self._known[subject, pattern] for subject in subjects), dtype=np.bool_, count=len(subjects))

    def _names(self, side: int, column: Ints | None) -> tuple[list[str], Places]:
        """Return the names of a side, each once, and which of them each row has; a constant has one place for all rows."""
        operand = (self._step.left, self._step.right)[side]
        if column is None:
            assert not isinstance(operand, int)
            return [str(operand.value)], np.zeros(1, dtype=np.intp)
        values, inverse = np.unique(column, return_inverse=True)
        return self._context.labels(self._step.sorts[side], values), inverse


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
