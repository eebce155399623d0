"""Whether a gate passes: a broken gate is a result, a gate that could not judge is neither passed nor broken."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

__all__ = ["Outcome", "gate"]


class Outcome(Enum):
    """How a run ended, apart from what it found."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not judged"


def gate(severities: Iterable[str], *, judged: bool) -> Outcome:
    """Return the outcome for the severities of all violations.

    A run that was not judged never passes. Only a violation of severity `error` fails the gate; warnings and notes are told.
    """
    if not judged:
        return Outcome.NOT_JUDGED
    return Outcome.FAILED if "error" in severities else Outcome.PASSED
