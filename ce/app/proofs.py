"""Proofs for many answers within one budget: a proof is whole or left out and counted, an answer is never dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.datalog.api import Solution
    from ce.datalog.proof import ProofNode

__all__ = ["PROOF_BUDGET", "Proofs"]

# Steps of all proofs of a report together: what a person can still scroll through, and what a machine reads in a second or two.
PROOF_BUDGET = 20_000


class Proofs:
    """Explains rows of a solution until the budget is used up; `omitted` counts the proofs that were left out after that."""

    def __init__(self, solution: Solution, budget: int = PROOF_BUDGET) -> None:
        self._solution = solution
        self._left = budget
        self.omitted = 0

    def explain(self, predicate: str, row: Sequence[int | str]) -> ProofNode | None:
        """Return the proof of a row, or None once the budget is used up; the proof that crosses it is still whole."""
        from ce.datalog.proof import number_nodes

        if self._left <= 0:
            self.omitted += 1
            return None
        proof = self._solution.explain(predicate, row)
        self._left -= len(number_nodes(proof))
        return proof
