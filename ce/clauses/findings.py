"""Findings: which clauses are dead text beside which, derived by `programs/clauses/clauses.dl`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ce.clauses.model import SAFETY_LEVELS, Clause, Corpus, corpus_of
from ce.clauses.prover import Cover, prove

__all__ = ["CAP", "Certificate", "Finding", "certificates", "findings", "findings_of"]

# Reviewers skim longer lists; proposed and listed findings share the cap.
CAP = 10
_UNTOUCHED = (
    "`{keep}` matches everything that `{drop}` matches, at the same level and in the same tier, so the corpus decides the same "
    "without `{drop}`; containment is proved on the text of the patterns, never by a prover for regular expressions."
)
_SAFETY = " `{level}` is a safety level: listed for a reader, not proposed for retirement."
_RETURNING = " `{drop}` supersedes clauses that `{keep}` does not: retiring it would bring them back, so it is listed only."


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why one pattern contains another: both texts and the prover's witness, so that anyone can check it again."""

    keep: str
    keep_pattern: str
    drop: str
    drop_pattern: str
    cover: Cover

    def to_dict(self) -> dict[str, object]:
        """Return the certificate as JSON values."""
        a, b = self.cover.covering, self.cover.covered
        return {
            "keep_pattern": self.keep_pattern,
            "drop_pattern": self.drop_pattern,
            "proof": self.cover.label,
            "keep_shape": {"kind": a.kind, "text": a.text},
            "drop_shape": {"kind": b.kind, "text": b.text},
            "offset": self.cover.offset,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """`drop` is dead text beside `keep`.

    `proof` is `identical`, `substring` or `command-prefix`; `derivation` is the proof tree as JSON values.
    """

    keep: str
    drop: str
    tier: str
    level: str
    proof: str
    proposed: bool
    note: str
    certificates: tuple[Certificate, ...]
    derivation: dict[str, Any]

    def __getitem__(self, name: str) -> object:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, object]:
        """Return the finding as the `merges` rows of `ce.clauses/1`."""
        return {
            "keep": self.keep,
            "drop": self.drop,
            "tier": self.tier,
            "level": self.level,
            "proof": self.proof,
            "proposed": self.proposed,
            "note": self.note,
            "certificates": [certificate.to_dict() for certificate in self.certificates],
            "derivation": self.derivation,
        }


def findings(corpus: Corpus | Mapping[str, Iterable[object]] | Iterable[Clause], *, no_retire: bool = False) -> list[Finding]:
    """Return every finding about a corpus, in order of the dropped id; the cap is the report's business.

    Raises CeError when the corpus has a fault.
    """
    return findings_of(corpus_of(corpus), no_retire=no_retire)


def findings_of(corpus: Corpus, *, no_retire: bool = False) -> list[Finding]:
    """Return the findings of a corpus that is already checked, each with its derivation."""
    from ce.datalog import run
    from ce.verdicts.family import program_text

    proofs = certificates(corpus)
    by_id = {clause.id: clause for clause in corpus.clauses}
    facts: dict[str, list[tuple[int | str, ...]]] = {
        "clause": [(c.id, c.tier, c.level or "none", c.origin, c.status) for c in corpus.clauses],
        "pattern": [(c.id, index) for c in corpus.clauses for index in range(len(c.patterns))],
        "fix": [(c.id, "none" if c.fix is None else json.dumps(c.fix, ensure_ascii=False)) for c in corpus.clauses],
        "supersedes": [(c.id, other) for c in corpus.clauses for other in c.supersedes],
        "safety": [(level,) for level in SAFETY_LEVELS],
        "option": [("no_retire",)] if no_retire else [],
        "cover": [(keep, i, drop, j, proof.label, proof.offset) for (keep, i, drop, j), proof in proofs.items()],
    }
    source, text = program_text("clauses/clauses.dl")
    result = run(text, facts, source=source)
    assert not result.answers("acyclic"), "the findings form a ring"
    proposed = set(result["proposed"])
    rows = []
    for row in sorted(result["finding"], key=lambda row: str(row[1])):
        keep, drop, tier, level, label = (str(value) for value in row)
        used = tuple(_used(by_id[keep], by_id[drop], proofs))
        rows.append(
            Finding(
                keep,
                drop,
                tier,
                level,
                label,
                (keep, drop) in proposed,
                _note(keep, drop, level, (keep, drop) in proposed),
                used,
                result.explain("finding", row).to_dict(),
            )
        )
    return rows


def certificates(corpus: Corpus) -> dict[tuple[str, int, str, int], Cover]:
    """Return the proofs between all pattern pairs of different clauses; whether a pair may count is not asked here.

    Keys are (covering id, pattern index, covered id, pattern index).
    """
    patterns = [(clause.id, index, pattern) for clause in corpus.clauses for index, pattern in enumerate(clause.patterns)]
    return {
        (keep, i, drop, j): proof
        for (keep, i, a), (drop, j, b) in product(patterns, patterns)
        if keep != drop and (proof := prove(a, b)) is not None
    }


def _used(keep: Clause, drop: Clause, proofs: Mapping[tuple[str, int, str, int], Cover]) -> Iterable[Certificate]:
    for j, covered in enumerate(drop.patterns):
        first = next(i for i in range(len(keep.patterns)) if (keep.id, i, drop.id, j) in proofs)
        yield Certificate(keep.id, keep.patterns[first], drop.id, covered, proofs[keep.id, first, drop.id, j])


def _note(keep: str, drop: str, level: str, proposed: bool) -> str:
    note = _UNTOUCHED
    if level in SAFETY_LEVELS:
        note += _SAFETY
    elif not proposed:
        note += _RETURNING
    return note.format(keep=keep, drop=drop, level=level)
