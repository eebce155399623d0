"""Policy clauses: proved containment, findings with derivations, ablation over a window of decisions, the run report.

Everything here only reports; no clause and no file is ever changed.
"""

from __future__ import annotations

from ce.clauses.ablation import Ablation, ablate
from ce.clauses.findings import Finding, findings
from ce.clauses.model import Clause, Corpus, corpus_of, split_patterns
from ce.clauses.prover import cover, emit, matches
from ce.clauses.report import Report, report

__all__ = [
    "Ablation",
    "Clause",
    "Corpus",
    "Finding",
    "Report",
    "ablate",
    "corpus_of",
    "cover",
    "emit",
    "findings",
    "matches",
    "report",
    "split_patterns",
]
