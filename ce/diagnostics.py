"""What can be wrong with a program, a setting or a file, as plain values.

A diagnostic is never an exception by itself: stages collect all they find and raise one
`CeError` that carries them. A broken gate is a result, not a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["CeError", "Diagnostic", "Related", "Severity", "Span", "render"]


class Severity(StrEnum):
    """How much a diagnostic weighs; only `ERROR` stops a stage."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a source text: name of the source, 1-based lines and columns in characters, end exclusive."""

    source: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of the other."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that a diagnostic points at, with what stands there."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault or remark: a stable code, a lower-case sentence, the place, notes on how to fix it."""

    code: str
    message: str
    span: Span | None = None
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    severity: Severity = Severity.ERROR

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order by source, position, code and sentence."""
        span = self.span
        if span is None:
            return ("", 0, 0, self.code, self.message)
        return (span.source, span.line, span.column, self.code, self.message)

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span else ""
        return f"{where}{self.severity} {self.code}: {self.message}"


@dataclass(eq=False)
class CeError(Exception):
    """What the library raises: a non-empty tuple of diagnostics, sorted by position.

    `sources` maps the name of a source to its text, so that a face can show the offending line.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.diagnostics, "a CeError carries at least one diagnostic"
        self.diagnostics = tuple(sorted(self.diagnostics, key=lambda d: d.sort_key))
        super().__init__(str(self))

    @classmethod
    def of(cls, code: str, message: str, *, span: Span | None = None, notes: Iterable[str] = ()) -> CeError:
        """Return an error that carries one diagnostic."""
        return cls((Diagnostic(code, message, span, tuple(notes)),))

    def __str__(self) -> str:
        return "\n".join(render(diagnostic, self.sources) for diagnostic in self.diagnostics)


def render(diagnostic: Diagnostic, sources: dict[str, str] | None = None) -> str:
    """Return the diagnostic as text: the sentence, the offending line with a caret, related places and notes."""
    lines = [str(diagnostic)]
    if diagnostic.span is not None:
        lines += _excerpt(diagnostic.span, sources or {})
    for related in diagnostic.related:
        lines.append(f"    {related.span}: {related.message}")
        lines += ["    " + line for line in _excerpt(related.span, sources or {})]
    lines += [f"    note: {note}" for note in diagnostic.notes]
    return "\n".join(lines)


_EXCERPT_WIDTH = 160


def _excerpt(span: Span, sources: dict[str, str]) -> list[str]:
    text = sources.get(span.source)
    if text is None:
        return []
    rows = text.split("\n")
    if not 1 <= span.line <= len(rows):
        return []
    row = rows[span.line - 1].rstrip("\r")
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(row)
    offset = 0 if start < _EXCERPT_WIDTH else start - _EXCERPT_WIDTH // 2
    shown = row[offset : offset + _EXCERPT_WIDTH].replace("\t", " ")
    width = max(1, min(end, offset + _EXCERPT_WIDTH) - start)
    return [f"    {shown}", "    " + " " * (start - offset) + "^" * width]
