"""What flows between the steps of a running rule, and what the steps know about the evaluation.

A *frame* is a list of columns by slot, all of one length; slots that nobody needs any more are None. Frames are never changed in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ce.datalog.growing import GrowingRelation
from ce.datalog.kernels import Bools, Ints
from ce.datalog.relation import FixedRelation
from ce.datalog.steps import Fixed

__all__ = ["Context", "Frame", "Operator", "bound", "take"]

Frame = list[Ints | None]


class Operator(Protocol):
    """One step of a running rule."""

    def push(self, frame: Frame, length: int) -> None:
        """Work on a frame, and push what is left of it, or what it became, to the next operator."""


class Context(Protocol):
    """What operators need to know about the evaluation they are part of."""

    def fixed(self, predicate: str) -> FixedRelation | None:
        """Return a relation that is complete, or None for one of the stratum being evaluated."""

    def growing(self, predicate: str) -> GrowingRelation:
        """Return a relation of the stratum being evaluated."""

    def constant(self, fixed: Fixed) -> int:
        """Return the number, or the id of the name."""

    def labels(self, sort: str, values: Ints) -> list[str]:
        """Return the texts of ids, or the digits of numbers."""

    def tick(self) -> None:
        """Stop the evaluation when its time is over."""

    def weigh(self) -> None:
        """Stop the evaluation when its time is over or it holds too much."""

    def room(self) -> float:
        """Return how many more rows may be derived."""

    def crowded(self) -> None:
        """Stop the evaluation because too many rows were derived."""

    def divided_by_zero(self) -> None:
        """Note that the rule at work divided by zero."""


def take(frame: Frame, rows: NDArray[np.intp] | Bools, keep: Sequence[int]) -> Frame:
    """Return a frame with some of the rows and only the slots to keep."""
    result: Frame = [None] * len(frame)
    for slot in keep:
        column = frame[slot]
        if column is not None:
            result[slot] = column[rows]
    return result


def bound(frame: Frame, slot: int) -> Ints:
    column = frame[slot]
    assert column is not None, "a slot is bound before it is read"
    return column
