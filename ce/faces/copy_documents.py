"""The documents `ce.dedup/1`, `ce.clone/1` and `ce.docdup/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.app.copies import CloneReport, DedupReport, DocdupReport, Place
    from ce.app.report import Degraded
    from ce.datalog.proof import ProofNode

__all__ = ["CLONE_SCHEMA", "DEDUP_SCHEMA", "DOCDUP_SCHEMA", "clone_document", "dedup_document", "docdup_document"]

DEDUP_SCHEMA = "ce.dedup/1"
DOCDUP_SCHEMA = "ce.docdup/1"
CLONE_SCHEMA = "ce.clone/1"


def dedup_document(report: DedupReport) -> dict[str, object]:
    """Return `ce.dedup/1`."""
    over = None if report.over_budget is None else {"blocks": report.over_budget[0], "budget": report.over_budget[1]}
    return {
        "schema": DEDUP_SCHEMA,
        "root": report.root,
        "blocks": [
            {
                "a": _place(block.a),
                "b": _place(block.b),
                "tokens": block.tokens,
                "distinct": block.distinct,
                "kind": block.kind,
                "proof": _proof(block.proof),
            }
            for block in report.blocks
        ],
        "groups": [
            {"members": [_place(member) for member in group.members], "blocks": group.blocks, "tokens": group.tokens}
            for group in report.groups
        ],
        "summary": dict(report.summary),
        "budget": report.budget,
        "over_budget": over,
        "counts": {"index": dict(report.index)},
        "errors": [],
        "degraded": _degraded(report.degraded),
        "notes": list(report.notes),
    }


def clone_document(report: CloneReport) -> dict[str, object]:
    """Return `ce.clone/1`."""
    return {
        "schema": CLONE_SCHEMA,
        "root": report.root,
        "pairs": [
            {
                "a": {**_place(pair.a), "key": pair.a_key},
                "b": {**_place(pair.b), "key": pair.b_key},
                "ted": pair.ted,
                "n1": pair.n1,
                "n2": pair.n2,
                "proof": _proof(pair.proof),
            }
            for pair in report.pairs
        ],
        "counts": {**report.counts, "index": dict(report.index)},
        "errors": [],
        "degraded": _degraded(report.degraded),
        "notes": list(report.notes),
    }


def docdup_document(report: DocdupReport) -> dict[str, object]:
    """Return `ce.docdup/1`."""
    return {
        "schema": DOCDUP_SCHEMA,
        "root": report.root,
        "pairs": [
            {
                "a": _place(pair.a),
                "b": _place(pair.b),
                "inter": pair.inter,
                "union": pair.union,
                "verbatim": pair.verbatim,
                "words": list(pair.words),
                "contained": pair.contained,
                "proof": _proof(pair.proof),
            }
            for pair in report.pairs
        ],
        "families": [[_place(place) for place in family] for family in report.families],
        "counts": {**report.counts, "index": dict(report.index)},
        "errors": [],
        "degraded": _degraded(report.degraded),
        "notes": list(report.notes),
    }


def _place(place: Place) -> dict[str, object]:
    shown: dict[str, object] = {"path": place.path, "start": place.start, "end": place.end}
    if place.kind:
        shown["kind"] = place.kind
    return shown


def _proof(proof: ProofNode | None) -> object:
    return None if proof is None else proof.to_dict()


def _degraded(degraded: Degraded | None) -> object:
    return None if degraded is None else {"limit": degraded.limit, "message": degraded.message}
