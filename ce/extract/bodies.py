"""The layer `bodies`: what stands in the bodies of units, as bytes and back. Its units are those of the layer `core`, in the same order."""

from __future__ import annotations

import json
from dataclasses import replace

from ce.extract.drafts import Facts
from ce.facts.records import Extraction, Unit

__all__ = ["encode_bodies", "with_bodies"]

_FORMAT = "bodies/1"
_LARGEST = 2**31
_NO_NUMBERS = (-1, -1, -1)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def encode_bodies(facts: Facts) -> bytes:
    """Return the numbers and the calls of the units of a file that was measured with its bodies."""
    rows: list[object] = []
    for u in facts.units:
        if u.kind.kind == "fn":
            rows.append((u.cyclomatic, u.cognitive, u.nesting, u.calls))
        else:
            rows.append((*_NO_NUMBERS, u.calls) if u.calls else 0)
    return _ENCODER.encode([_FORMAT, facts.comment_lines, rows]).encode("utf-8", "replace")


def with_bodies(extraction: Extraction, blob: bytes) -> Extraction:
    """Return the extraction with the numbers and calls of its units; a blob that is not about these units is a `ValueError`."""
    try:
        document = json.loads(blob)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not the bodies of a file: {error}") from None
    if not isinstance(document, list) or len(document) != 3 or document[0] != _FORMAT:
        raise ValueError(f"not the bodies of a file in the format {_FORMAT}")
    _, comment_lines, rows = document
    if not _is_number(comment_lines, 0) or not isinstance(rows, list) or len(rows) != len(extraction.units):
        raise ValueError("the bodies are those of other units")
    units = tuple([_joined(unit, row) if row != 0 else unit for unit, row in zip(extraction.units, rows, strict=True)])
    return replace(extraction, comment_lines=comment_lines, units=units)


def _joined(u: Unit, row: object) -> Unit:
    if not isinstance(row, list) or len(row) != 4 or not isinstance(row[3], dict):
        raise ValueError("a body is not three numbers and calls")
    cyclomatic, cognitive, nesting, calls = row
    if not all(_is_number(number, -1) for number in row[:3]) or not all(_is_number(line, 1) for line in calls.values()):
        raise ValueError("a number is out of bounds")
    head = (u.kind, u.key, u.name, u.start, u.end, u.nth, u.parent, u.visibility, u.params)
    return Unit(*head, cyclomatic, cognitive, nesting, u.declares, u.decorators, u.bases, tuple(calls.items()))


def _is_number(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= _LARGEST
