"""Literals as the reader wrote them, for messages."""

from __future__ import annotations

from collections.abc import Mapping

from ce.datalog.format import unparse_literal
from ce.datalog.syntax import Literal
from ce.diagnostics import Span

__all__ = ["shown"]

_WIDTH = 100


def shown(literal: Literal, sources: Mapping[str, str]) -> str:
    """Return the text of the literal on one line, from its source when that is known: rewriting has not touched it there."""
    return _clip(_slice(literal.span, sources.get(literal.span.source)) or unparse_literal(literal))


def _slice(span: Span, text: str | None) -> str:
    if text is None:
        return ""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    if not lines or any("#" in line for line in lines[:-1]):
        # A comment may stand between the lines.
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())


def _clip(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
