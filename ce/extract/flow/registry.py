"""The languages whose control flow is followed."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ce.extract.flow.shapes import FlowTable

__all__ = ["FLOW_LANGUAGES", "flow_table"]

_ECMASCRIPT = ("ce.extract.flow.ecmascript", "ECMASCRIPT_FLOW")

FLOW_LANGUAGES = {
    "python": ("ce.extract.flow.python", "PYTHON_FLOW"),
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "javascript": _ECMASCRIPT,
    "go": ("ce.extract.flow.go", "GO_FLOW"),
    "java": ("ce.extract.flow.java", "JAVA_FLOW"),
    "c": ("ce.extract.flow.c", "C_FLOW"),
    "cpp": ("ce.extract.flow.c", "C_FLOW"),
}


@cache
def flow_table(language: str) -> FlowTable | None:
    """Return how a language's statements flow, or None when that is not followed."""
    place = FLOW_LANGUAGES.get(language)
    if place is None:
        return None
    table = getattr(import_module(place[0]), place[1])
    assert isinstance(table, FlowTable)
    return table
