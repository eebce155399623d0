"""The documents of `ce erase`: the plan `ce.erase/1`, which can be saved and applied, and why a path stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.erase.model import FROZEN_REASONS

if TYPE_CHECKING:
    from ce.app.erase import EraseReport, WhyKept
    from ce.erase.model import Plan

__all__ = ["ERASE_SCHEMA", "applied_document", "erase_document", "why_kept_document"]

ERASE_SCHEMA = "ce.erase/1"
_COMMANDS = {"t1t2_block_no_whole_unit": "ce dedup"}


def erase_document(report: EraseReport) -> dict[str, object]:
    """Return the plan; two runs over one tree give the same bytes."""
    plan = report.plan
    counts: dict[str, object] = {
        "candidates": len(plan.rows),
        "eraseable": len(plan.eraseable),
        "advisory": len(plan.advisory),
        "out_of_class": dict(sorted(plan.out_of_class.items())),
        "index": dict(report.index),
    }
    degraded = None if report.degraded is None else {"limit": report.degraded.limit, "message": report.degraded.message}
    return {
        "schema": ERASE_SCHEMA,
        "root": report.root,
        "plan": plan.digest,
        "rows": [row.to_dict() for row in plan.rows],
        "advisory": [
            {
                "class": row.kind,
                "path": row.path,
                "span": None if row.span is None else list(row.span),
                "reason": row.reason,
                "code": FROZEN_REASONS.index(row.reason) if row.reason in FROZEN_REASONS else None,
                "sites": row.sites,
            }
            for row in plan.advisory
        ],
        "out_of_class": {kind: {"count": count, "see": _COMMANDS[kind]} for kind, count in sorted(plan.out_of_class.items())},
        "counts": counts,
        "applied": None,
        "errors": [],
        "degraded": degraded,
        "notes": list(report.notes),
    }


def applied_document(root: str, plan: Plan, digest: str | None) -> dict[str, object]:
    """Return what was carried out: the rows, and the digest under which the log has them."""
    return {
        "schema": ERASE_SCHEMA,
        "root": root,
        "plan": digest or plan.digest,
        "rows": [row.to_dict() for row in plan.rows],
        "advisory": [],
        "out_of_class": {},
        "counts": {"candidates": len(plan.rows), "eraseable": len(plan.rows), "advisory": 0, "out_of_class": {}, "index": {}},
        "applied": digest,
        "errors": [],
        "degraded": None,
        "notes": [],
    }


def why_kept_document(root: str, kept: WhyKept) -> dict[str, object]:
    """Return why a path is not eraseable."""
    return {
        "schema": ERASE_SCHEMA,
        "root": root,
        "why_not": {
            "path": kept.path,
            "sentence": kept.sentence,
            "row": None if kept.row is None else kept.row.to_dict(),
            "proof": None if kept.proof is None else kept.proof.to_dict(),
        },
        "rows": [],
        "advisory": [],
        "out_of_class": {},
        "counts": {"candidates": 0, "eraseable": 0, "advisory": 0, "out_of_class": {}, "index": {}},
        "errors": [],
        "degraded": None,
    }
