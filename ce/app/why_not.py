"""Why a question has no answer, followed down to facts: what is missing, why that is missing, and why what forbids it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.datalog.api import Solution
    from ce.datalog.proof import ProofNode
    from ce.datalog.why_not import Attempt, Pattern, Premise, WhyNot

__all__ = ["Missing", "explain_missing"]

# How far an explanation is followed down, and into how many relations.
_DEPTH = 4
_STEPS = 24


@dataclass(frozen=True, slots=True)
class Missing:
    """A pattern without rows. `because` has one entry for each attempt of `why_not`: why its missing premise has no row, the proof
    of what its negation forbids, or None where the attempt says it all."""

    why_not: WhyNot
    because: tuple[Missing | ProofNode | None, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the explanation as JSON values: that of the engine, each attempt with its `because`."""
        attempts = [
            {**attempt.to_dict(), "because": None if reason is None else reason.to_dict()}
            for attempt, reason in zip(self.why_not.attempts, self.because, strict=True)
        ]
        return {**self.why_not.to_dict(), "attempts": attempts}


def explain_missing(solution: Solution, predicate: str, pattern: Pattern | None = None) -> Missing:
    """Return why the relation has no row of the pattern; without a pattern, why it has no row at all."""
    return _Follower(solution).follow(solution.why_not(predicate, pattern), _DEPTH)


class _Follower:
    """Follows missing premises, none of them twice."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._seen: set[Premise] = set()

    def follow(self, why_not: WhyNot, depth: int) -> Missing:
        return Missing(why_not, tuple(self._because(attempt, depth) for attempt in why_not.attempts))

    def _because(self, attempt: Attempt, depth: int) -> Missing | ProofNode | None:
        premise = attempt.premise
        if premise is None or depth == 0 or premise in self._seen or len(self._seen) >= _STEPS:
            return None
        self._seen.add(premise)
        relation = self._solution.checked.relations.get(premise.predicate)
        if relation is None or not relation.idb or relation.auxiliary:
            return None
        why_not = self._solution.why_not(premise.predicate, premise.pattern)
        if premise.negated:
            return self._solution.explain(premise.predicate, why_not.nearest[0]) if why_not.holds else None
        return self.follow(why_not, depth - 1)
