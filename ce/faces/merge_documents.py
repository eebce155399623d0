"""The document `ce.merge/1`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.app.merging import MergeCopy, MergeGroup, MergeHole, MergeReport

__all__ = ["MERGE_SCHEMA", "merge_document"]

MERGE_SCHEMA = "ce.merge/1"


def merge_document(report: MergeReport, chosen: Collection[int]) -> dict[str, object]:
    """Return `ce.merge/1` with the groups of these numbers."""
    degraded = report.degraded
    return {
        "schema": MERGE_SCHEMA,
        "root": report.root,
        "groups": [_group(group) for group in report.groups if group.number in chosen],
        "counts": {**report.counts, "index": dict(report.index)},
        "errors": [],
        "degraded": None if degraded is None else {"limit": degraded.limit, "message": degraded.message},
        "notes": list(report.notes),
    }


def _group(group: MergeGroup) -> dict[str, object]:
    return {
        "number": group.number,
        "kind": group.kind,
        "language": group.language,
        "copies": [_copy(copy) for copy in group.copies],
        "verdict": group.verdict,
        "reasons": [{"hole": hole or None, "why": why} for hole, why in group.reasons],
        "holes": [_hole(hole) for hole in group.holes],
        "parameters": sum(hole.filled == "parameter" for hole in group.holes),
        "lines": group.lines,
        "template_lines": group.template_lines,
        "saved": group.saved,
        "template": group.template,
        "suggestion": group.suggestion or None,
        "elsewhere": list(group.elsewhere),
        "shown": group.is_shown,
        "proof": None if group.proof is None else group.proof.to_dict(),
    }


def _copy(copy: MergeCopy) -> dict[str, object]:
    place = copy.place
    return {"path": place.path, "start": place.start, "end": place.end, "key": copy.key, "left_out": copy.left_out or None}


def _hole(hole: MergeHole) -> dict[str, object]:
    return {
        "number": hole.number,
        "kinds": list(hole.kinds),
        "places": hole.places,
        "filled": hole.filled or None,
        "captured": list(hole.captured),
        "fillings": [{"path": filling.path, "line": filling.line, "text": filling.text} for filling in hole.fillings],
    }
