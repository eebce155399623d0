"""The JSON documents about names: `ce deadcode --symbols` and `ce why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.documents import deadcode_document
from ce.faces.schema_ids import WHY_SCHEMA

if TYPE_CHECKING:
    from ce.app.report import DeadName, NamesReport
    from ce.app.why_report import WhyReport
    from ce.app.why_targets import Target

__all__ = ["names_document", "why_document"]

Document = dict[str, object]


def names_document(report: NamesReport) -> Document:
    """Return `ce.deadcode/1` with the dead names."""
    document = deadcode_document(report.files)
    counts = document["counts"]
    assert isinstance(counts, dict)
    document["counts"] = {**counts, **report.counts, "known": len(report.known), "fixed": len(report.fixed)}
    document["symbols"] = [_name(each) for each in report.symbols]
    document["known"] = [_name(each) for each in report.known]
    document["fixed"] = list(report.fixed)
    document["useless"] = list(report.useless)
    document["not_reported"] = dict(report.apart)
    return document


def _name(each: DeadName) -> Document:
    return {
        "name": each.name,
        "qualified": each.qualified,
        "kind": each.kind,
        "path": each.path,
        "line": each.line,
        "end_line": each.end_line,
        "tier": each.tier,
        "why": each.why,
        "island": each.island,
        "test": each.test,
        "proof": None if each.proof is None else each.proof.to_dict(),
    }


def why_document(report: WhyReport) -> Document:
    """Return `ce.why/1`."""
    origin = None if report.origin is None else {"node": report.origin, "rule": report.rule, "at": report.origin_at}
    return {
        "schema": WHY_SCHEMA,
        "root": report.root,
        "asked": report.asked,
        "verdict": report.verdict,
        "target": None if report.target is None else _target(report.target),
        "tier": report.tier,
        "why": report.reason,
        "origin": origin,
        "chain": [
            {"from": link.source, "to": link.target, "kind": link.kind, "how": link.how, "says": link.says, "at": link.at}
            for link in report.chain
        ],
        "mentions": [{"at": each.at, "by": each.by, "kind": each.kind, "why_not": each.why_not} for each in report.mentions],
        "island": report.top,
        "nearest_root": report.nearest,
        "matches": [{**_target(target), "verdict": word} for target, word in report.matches],
        "near": list(report.near),
        "proof": None if report.proof is None else report.proof.to_dict(),
        "counts": {"index": dict(report.index)},
        "errors": [],
        "notes": list(report.notes),
        "degraded": None if report.degraded is None else {"limit": report.degraded.limit, "message": report.degraded.message},
    }


def _target(target: Target) -> Document:
    return {
        "symbol": target.symbol,
        "name": target.name,
        "qualified": target.qualified,
        "kind": target.kind,
        "path": target.path,
        "line": target.line,
        "end_line": target.end_line,
    }
