"""Vectorised 64-bit arithmetic that never wraps, and comparisons by the order of a sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from ce.datalog.kernels import Bools, Ints

__all__ = ["COMPARISONS", "Overflow", "apply", "total"]

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1

Value = Ints | int


class Overflow(Exception):
    """A result that 64 bits cannot hold."""


COMPARISONS = cast(
    dict[str, Callable[[Value, Value], Bools]],
    {"=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal},
)


def apply(operator: str, left: Value, right: Value) -> tuple[Value, Bools | bool]:
    """Return the results, and which of them exist: a division by zero has none. Raises Overflow where one leaves 64 bits."""
    if isinstance(left, int) and isinstance(right, int):
        return _scalar(operator, left, right)
    if operator in ("/", "%"):
        return _divide(operator, np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64))
    low, high = _bounds(operator, _extent(left), _extent(right))
    if low < _LEAST or high > _GREATEST:
        return _exact(operator, np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)), True
    result = {"+": np.add, "-": np.subtract, "*": np.multiply}[operator](left, right)
    return result, True


def total(values: Ints, starts: Ints) -> Ints:
    """Return the sums of the stretches of `values` that begin at `starts`; raises Overflow where one leaves 64 bits."""
    low, high = _extent(values)
    if max(-low, high) * values.size <= _GREATEST:
        sums: Ints = np.add.reduceat(values, starts)
        return sums
    # Sums of 32-bit halves cannot wrap; put together they tell whether the whole would.
    upper = np.add.reduceat(values >> 32, starts)
    lower = np.add.reduceat(values & 0xFFFFFFFF, starts)
    upper = upper + (lower >> 32)
    if int(upper.min()) < -(1 << 31) or int(upper.max()) >= 1 << 31:
        raise Overflow
    whole: Ints = (upper << 32) | (lower & 0xFFFFFFFF)
    return whole


def _scalar(operator: str, left: int, right: int) -> tuple[int, bool]:
    if operator in ("/", "%"):
        if right == 0:
            return 0, False
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        result = quotient if operator == "/" else left - right * quotient
    else:
        result = left + right if operator == "+" else left - right if operator == "-" else left * right
    if not _LEAST <= result <= _GREATEST:
        raise Overflow
    return result, True


def _divide(operator: str, left: Ints, right: Ints) -> tuple[Ints, Bools | bool]:
    left, right = np.broadcast_arrays(left, right)
    nonzero = right != 0
    exists: Bools | bool = True
    if not nonzero.all():
        exists, right = nonzero, np.where(nonzero, right, 1)
    # The one quotient out of range is -2**63 / -1; its remainder is 0.
    negating = right == -1
    divisor = np.where(negating, 1, right)
    quotient = _truncated(left, divisor)
    if operator == "%":
        remainder: Ints = left - quotient * divisor
        return np.where(negating, 0, remainder), exists
    if bool((negating & (left == _LEAST)).any()):
        raise Overflow
    return np.where(negating, -left, quotient), exists


def _truncated(left: Ints, right: Ints) -> Ints:
    floor = left // right
    inexact = floor * right != left
    adjusted: Ints = floor + (inexact & ((left < 0) != (right < 0)))
    return adjusted


def _extent(value: Value) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    return (int(value.min()), int(value.max())) if value.size else (0, 0)


def _bounds(operator: str, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    if operator == "+":
        return left[0] + right[0], left[1] + right[1]
    if operator == "-":
        return left[0] - right[1], left[1] - right[0]
    products = [a * b for a in left for b in right]
    return min(products), max(products)


def _exact(operator: str, left: Ints, right: Ints) -> Ints:
    """Compute row by row where the extremes of the columns do not rule an overflow out."""
    left, right = np.broadcast_arrays(left, right)
    with np.errstate(over="ignore"):
        if operator == "+":
            result = left + right
            wrapped = ((left ^ result) & (right ^ result)) < 0
        elif operator == "-":
            result = left - right
            wrapped = ((left ^ right) & (left ^ result)) < 0
        else:
            result = left * right
            wrapped = _product_wrapped(left, right, result)
    if bool(wrapped.any()):
        raise Overflow
    return result


def _product_wrapped(left: Ints, right: Ints, result: Ints) -> Bools:
    divisor = np.where((right == 0) | (right == -1), 1, right)
    back = _truncated(result, divisor)
    wrapped: Bools = (right != 0) & (right != -1) & ((back != left) | (result - back * divisor != 0))
    wrapped |= (right == -1) & (left == _LEAST)
    return wrapped
