"""Ablation: what a clause changes in a window of decisions, derived by `programs/clauses/ablation.dl`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ce.clauses.ladder import Record, decide, hits, record_of
from ce.clauses.model import SAFETY_LEVELS, Clause, Corpus, corpus_of
from ce.diagnostics import CeError

__all__ = ["Ablation", "ablate", "ablate_all", "window_of"]

_WINDOW_RECORDS = 2000
_WINDOW_DAYS = 90


@dataclass(frozen=True, slots=True)
class Ablation:
    """What removing one clause does to the window.

    `candidate` says that nothing changes and no safety is lost: broader than `proposed`, and never a proposal by itself.
    `changed` counts records whose verdict differs, `unreplayable` those whose call was not stored. `live` is the liveness
    check: the number of records of the same window that change when the clause named by `live_by` is removed; a zero
    there means that nothing in the window could have moved, so a zero in `changed` proves nothing.
    """

    id: str
    changed: int
    unreplayable: int
    window: int
    evidence: str
    shadowed_by: str | None
    proposed: bool
    candidate: bool
    live: int
    live_by: str | None

    def __getitem__(self, name: str) -> object:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, object]:
        """Return the row as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def ablate(
    identifier: str,
    corpus: Corpus | Mapping[str, Iterable[object]] | Iterable[Clause],
    records: Iterable[Mapping[str, object] | Record],
    *,
    kept: str | None = None,
) -> Ablation:
    """Return what removing one clause changes; `kept` names the clause of the liveness check (by default any that moves something).

    Raises CeError (CE603) when the corpus in force has no such clause.
    """
    whole = corpus_of(corpus)
    window = tuple(record_of(record, f"record {number}") for number, record in enumerate(records, 1))
    return _ablate(identifier, whole.effective, window, kept)


def ablate_all(corpus: Corpus, records: Sequence[Record]) -> tuple[Ablation, ...]:
    """Ablate every clause with patterns in id order, taking each retirement candidate out before the next is measured."""
    clauses = corpus.effective
    rows = []
    for clause in clauses:
        if not clause.patterns:
            continue
        row = _ablate(clause.id, clauses, records, None)
        rows.append(row)
        if row.candidate:
            clauses = tuple(other for other in clauses if other.id != clause.id)
    return tuple(rows)


def window_of(clause: Clause, records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records a clause is measured on: all for a safety level, else the larger of the last 2,000 and the last 90 days."""
    if clause.level in SAFETY_LEVELS or not records:
        return tuple(records)
    ordered = sorted(records, key=lambda record: record.day)
    recent = [record for record in ordered if record.day >= ordered[-1].day - _WINDOW_DAYS]
    return tuple(recent if len(recent) > _WINDOW_RECORDS else ordered[-_WINDOW_RECORDS:])


def _ablate(identifier: str, clauses: Sequence[Clause], records: Sequence[Record], kept: str | None) -> Ablation:
    from ce.datalog import run
    from ce.verdicts.family import program_text

    clause = _named(identifier, clauses)
    window = window_of(clause, records)
    stored = [record for record in window if record.args is not None]
    rest = [other for other in clauses if other.id != identifier]
    touched = [(number, record) for number, record in enumerate(stored) if hits(clause, record)]
    removed = [(number, decide(rest, record)) for number, record in touched]
    facts: dict[str, list[tuple[int | str, ...]]] = {
        "clause_level": [(identifier, clause.level or "none")],
        "safety": [(level,) for level in SAFETY_LEVELS],
        "fires": [(identifier, sum(record.label == identifier for record in records))],
        "near_misses": [(identifier, sum(_nearly(clause, record) for record in stored))],
        "decision": [(number, decide(clauses, record).verdict) for number, record in touched],
        "without": [(identifier, number, after.verdict, after.rung, after.label) for number, after in removed],
    }
    source, text = program_text("clauses/ablation.dl")
    result = run(text, facts, source=source)
    ((_, evidence),) = result["evidence"]
    shadows = [str(label) for _, label in result["shadowed_by"]]
    live, live_by = _liveness(clauses, stored, kept)
    return Ablation(
        identifier,
        len(result["changed"]),
        len(window) - len(stored),
        len(window),
        str(evidence),
        shadows[0] if shadows else None,
        evidence == "retire",
        bool(result["retirement_candidate"]),
        live,
        live_by,
    )


def _named(identifier: str, clauses: Sequence[Clause]) -> Clause:
    for clause in clauses:
        if clause.id == identifier:
            return clause
    known = ", ".join(f"`{clause.id}`" for clause in clauses[:5]) or "none"
    raise CeError.of("CE603", f"no clause in force has the id `{identifier}`", notes=[f"in force: {known}"])


def _liveness(clauses: Sequence[Clause], records: Sequence[Record], kept: str | None) -> tuple[int, str | None]:
    names = [kept] if kept is not None else [clause.id for clause in clauses if clause.patterns]
    for name in names:
        clause = _named(name, clauses)
        rest = [other for other in clauses if other.id != name]
        moved = sum(decide(clauses, record).verdict != decide(rest, record).verdict for record in records if hits(clause, record))
        if moved:
            return moved, name
    return 0, kept


def _nearly(clause: Clause, record: Record) -> bool:
    """Tell whether a call has the first word of some command literal of the clause without being hit by it."""
    from ce.clauses.ladder import haystacks
    from ce.clauses.prover import emit, matches, shape_of

    if hits(clause, record):
        return False
    shapes = (shape_of(pattern) for pattern in clause.patterns)
    words = {shape.text.split(" ")[0] for shape in shapes if shape is not None and shape.kind == "command"}
    return any(matches(emit(word), text) for word in words for text in haystacks(record, clause.level))
