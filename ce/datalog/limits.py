"""Bounds on what an evaluation may use. Crossing one ends it with a complete degraded reply, never with part of an answer."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ce.datalog.checked import CoreRule

__all__ = ["Degraded", "LimitExceeded", "Limits", "Meter"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many rows may be derived, how many rounds a stratum may take, seconds, and bytes held by derived relations and their indexes."""

    max_rows: int | None = 50_000_000
    max_rounds: int | None = 100_000
    timeout_s: float | None = None
    max_memory_bytes: int | None = 8 << 30


@dataclass(frozen=True, slots=True)
class Degraded:
    """The limit that was crossed, and a sentence that names the rule at work."""

    limit: str
    message: str


class LimitExceeded(Exception):
    """Raised inside an evaluation; `evaluate` turns it into a degraded model."""

    def __init__(self, degraded: Degraded) -> None:
        super().__init__(degraded.message)
        self.degraded = degraded


class Meter:
    """Counts what an evaluation uses, and stops it at the limits. `rule` is the one at work."""

    __slots__ = ("_deadline", "_limits", "_rows", "bytes", "rule")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadline = None if limits.timeout_s is None else time.monotonic() + limits.timeout_s
        self._rows = 0
        self.bytes = 0
        self.rule: CoreRule | None = None

    def tick(self) -> None:
        """Stop when the time is over."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._stop("timeout", f"the evaluation took longer than {self._limits.timeout_s:g} s")

    @property
    def room(self) -> float:
        """Return how many more rows may be derived."""
        limit = self._limits.max_rows
        return float("inf") if limit is None else limit - self._rows

    def crowded(self) -> None:
        """Stop because a round derives more rows than there is room for."""
        self._stop("max_rows", f"more than {self._limits.max_rows:,} rows were derived")

    def rows(self, count: int) -> None:
        """Count derived rows."""
        self._rows += count
        limit = self._limits.max_rows
        if limit is not None and self._rows > limit:
            self._stop("max_rows", f"more than {limit:,} rows were derived")

    def round(self, number: int) -> None:
        """Begin a round of a stratum."""
        limit = self._limits.max_rounds
        if limit is not None and number > limit:
            self._stop("max_rounds", f"the recursion did not end within {limit:,} rounds")

    def memory(self, held: int) -> None:
        """Note how many bytes the growing relations hold; `bytes` are those of the finished ones."""
        limit = self._limits.max_memory_bytes
        if limit is not None and self.bytes + held > limit:
            self._stop("max_memory", f"derived relations and indexes needed more than {limit:,} bytes")

    def _stop(self, limit: str, what: str) -> None:
        raise LimitExceeded(Degraded(limit, what if self.rule is None else f"{what}; the rule at work was {self.rule.at}"))
