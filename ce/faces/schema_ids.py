"""The names of the JSON documents, apart from what writes them: a parser needs no more."""

from __future__ import annotations

__all__ = ["DEADCODE_SCHEMA", "LINT_SCHEMA", "QUERY_SCHEMA", "RULES_SCHEMA", "WHY_SCHEMA"]

QUERY_SCHEMA = "ce.query/1"
RULES_SCHEMA = "ce.rules/1"
DEADCODE_SCHEMA = "ce.deadcode/1"
LINT_SCHEMA = "ce.lint/1"
WHY_SCHEMA = "ce.why/1"
