"""The clause report as a use case: read a corpus and perhaps a window, find what is dead text, measure what changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ce.clauses.ablation import Ablation, ablate_all
from ce.clauses.findings import findings_of
from ce.clauses.ladder import record_of
from ce.clauses.model import corpus_of
from ce.clauses.report import Report, report
from ce.diagnostics import CeError
from ce.facts.loaders.clause_files import read_clause_directory, read_corpus_file, read_window

__all__ = ["ClausesReport", "judge_clauses"]


@dataclass(frozen=True, slots=True)
class ClausesReport:
    """What `ce clauses` says; `ablation` is empty without a window."""

    outcome: Report
    ablation: tuple[Ablation, ...]
    clauses: int
    in_force: int
    records: int
    remarks: tuple[str, ...]


def judge_clauses(
    file: str | None, human: str | None, learned: str | None, window: str | None, *, no_retire: bool = False
) -> ClausesReport:
    """Report on the corpus of one JSON file, or of directories of Markdown clauses.

    Raises CeError when no corpus is named (CE605), or when something cannot be read or has a fault.
    """
    if file is not None and (human is not None or learned is not None):
        raise CeError.of("CE605", "a JSON corpus and directories of clauses exclude each other")
    if file is not None:
        document = read_corpus_file(Path(file))
    elif human is not None or learned is not None:
        named = (("human", human), ("learned", learned))
        document = {origin: read_clause_directory(Path(place)) for origin, place in named if place is not None}
    else:
        raise CeError.of("CE605", "no corpus is named", notes=["give a JSON file, or `--human DIR` and `--learned DIR`"])
    corpus = corpus_of(document)  # type: ignore[arg-type]  # what each section holds is checked there
    records = tuple(record_of(record, at) for at, record in (read_window(Path(window)) if window is not None else ()))
    # Ablation proposes retirements too, so one flag silences both.
    rows = ablate_all(corpus, records) if records and not no_retire else ()
    found = findings_of(corpus, no_retire=no_retire)
    outcome = report({"findings": found, "considered": len(found)})
    return ClausesReport(outcome, rows, len(corpus.clauses), len(corpus.effective), len(records), corpus.remarks)
