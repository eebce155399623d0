"""The documents `ce.allowlist/1` and `ce.clauses/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.app.allowlist import AllowlistReport
    from ce.app.clauses import ClausesReport

__all__ = ["ALLOWLIST_SCHEMA", "CLAUSES_SCHEMA", "allowlist_document", "clauses_document"]

ALLOWLIST_SCHEMA = "ce.allowlist/1"
CLAUSES_SCHEMA = "ce.clauses/1"


def allowlist_document(report: AllowlistReport) -> dict[str, object]:
    """Return `ce.allowlist/1`; with a schema fault only `errors` says something."""
    verdicts = report.verdicts
    errors = [] if report.error is None else [{"rule": report.error.rule, "at": report.error.pointer, "message": str(report.error)}]
    document: dict[str, object] = {"schema": ALLOWLIST_SCHEMA, "root": report.root, "file": report.file, "ok": report.ok}
    if verdicts is None:
        rows: dict[str, object] = {"offenders": [], "entries": [], "widened": {"offenders": [], "stale": []}, "floors": [], "cap": None}
        return document | rows | {"counts": {"modules": 0, "symbols": 0}, "errors": errors}
    entries, widened = verdicts.caps
    return document | {
        "offenders": [offender.to_dict() for offender in verdicts.offenders],
        "entries": [entry.to_dict() for entry in verdicts.entries],
        "widened": {
            "offenders": [offender.to_dict() for offender in verdicts.widened_offenders],
            "stale": [
                {"module": None if key is None else key.module, "name": None if key is None else key.name, "why": why}
                for key, why in verdicts.widened_stale
            ],
            "cap": {"limit": widened.limit, "count": widened.count, "ok": widened.ok},
        },
        "floors": [{"what": floor.what, "found": floor.found, "needed": floor.needed, "ok": floor.ok} for floor in verdicts.floors],
        "cap": {"limit": entries.limit, "count": entries.count, "ok": entries.ok},
        "counts": {
            "modules": report.modules,
            "symbols": report.symbols,
            "offenders": len(verdicts.offenders),
            "entries": len(verdicts.entries),
            "stale": len(verdicts.stale),
            "widened_offenders": len(verdicts.widened_offenders),
        },
        "errors": errors,
    }


def clauses_document(report: ClausesReport) -> dict[str, object]:
    """Return `ce.clauses/1`."""
    return {
        "schema": CLAUSES_SCHEMA,
        **report.outcome.to_dict(),
        "ablation": [row.to_dict() for row in report.ablation],
        "counts": {"clauses": report.clauses, "in_force": report.in_force, "records": report.records},
        "notes": list(report.remarks),
        "errors": [],
    }
