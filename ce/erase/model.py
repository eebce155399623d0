"""The eraser's values: what is asked about, what is planned, what is logged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from json import dumps
from typing import Any

__all__ = [
    "CLASSES",
    "FROZEN_REASONS",
    "Candidate",
    "Plan",
    "PlanRow",
    "content_hash",
    "plan_digest",
    "row_order",
]

# Positions are frozen: number 0 is the retired road for dead files and is refused by name.
CLASSES = ("(retired)", "verbatim_doc", "t1_twin", "dead_file")
# Numbers 0 to 6 are frozen; the narrowings beyond the contract have no number.
FROZEN_REASONS = (
    "eraseable",
    "language_unresolved",
    "not_full_segment",
    "bytes_differ",
    "copy_not_dead",
    "unit_not_covered",
    "public_surface",
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row as measured: its class, target, facts by key, and where they come from.

    `span` is 1-based and inclusive, None for the whole file. `survivor` is the file that keeps the text of a span.
    `mentions` and `dynamic` are (path, line) of what speaks against it, `ties` (why, path, line) of what ties the lines of a span to a
    program. `hash` is of the target's bytes.
    """

    kind: str
    path: str
    span: Span | None
    facts: Mapping[str, int]
    provenance: str
    sites: int
    hash: str
    survivor: str = ""
    mentions: tuple[tuple[str, int], ...] = ()
    dynamic: tuple[tuple[str, int], ...] = ()
    ties: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A row that stands for its target. `reason` is `eraseable` or why not; `proof` its derivation as JSON values."""

    kind: str
    path: str
    span: Span | None
    eraseable: bool
    reason: str
    provenance: str
    sites: int
    hash: str
    proof: dict[str, Any] | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, object]:
        """Return the row as a row of `ce.erase/1`."""
        return {
            "class": self.kind,
            "eraseable": self.eraseable,
            "reason": self.reason,
            "path": self.path,
            "span": None if self.span is None else list(self.span),
            "provenance": self.provenance,
            "sites": self.sites,
            "hash": self.hash,
            "proof": self.proof,
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """The complete and closed statement of intent: every row that stands, and what was out of class by kind."""

    rows: tuple[PlanRow, ...]
    out_of_class: Mapping[str, int] = field(default_factory=dict)

    @property
    def eraseable(self) -> tuple[PlanRow, ...]:
        """Return the rows that an apply would carry out."""
        return tuple(row for row in self.rows if row.eraseable)

    @property
    def advisory(self) -> tuple[PlanRow, ...]:
        """Return the rows that are refused, each with its reason."""
        return tuple(row for row in self.rows if not row.eraseable)

    @property
    def digest(self) -> str:
        """Return the hash that names this plan in the log."""
        return plan_digest(self.eraseable)


def content_hash(data: bytes) -> str:
    """Return BLAKE2b-256 of a file's bytes, as 64 hex digits."""
    return blake2b(data, digest_size=32).hexdigest()


def plan_digest(rows: tuple[PlanRow, ...]) -> str:
    """Return the hash of the rows an apply carries out; it covers class, path, span and content, nothing that is only said."""
    identities = [[row.kind, row.path, row.span, row.hash] for row in rows]
    return content_hash(dumps(identities, separators=(",", ":")).encode())


def row_order(candidate: Candidate | PlanRow) -> tuple[str, Span, str]:
    """Order rows by path, whole file before spans, class name."""
    return (candidate.path, candidate.span or (0, 0), candidate.kind)
