"""How a template reads: the text of one copy without its comments, with marks where the copies differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ce.extract.measures.anti_unification import Branch, Part, Place, Template
from ce.extract.measures.merge_units import MergeUnit
from ce.extract.measures.positions import table_of
from ce.extract.measures.terms import Term

__all__ = ["Edit", "code_lines", "content_text", "line_of", "marked_text", "place_edits"]

_LONGEST = 4_000  # characters of what stands in a hole


@dataclass(frozen=True, slots=True)
class Edit:
    """The bytes from `start` to `end` are a place of a hole. An empty one may take a line of its own, `before` or behind a statement."""

    start: int
    end: int
    hole: int
    own_line: bool = False
    before: bool = True


def marked_text(unit: MergeUnit, edits: Sequence[Edit], mark: Callable[[int], str], insert: tuple[int, str] | None = None) -> str:
    """Return the function with every place replaced by the mark of its hole; `insert` puts a text before a byte."""
    pieces = [(edit.start, edit.end, _placed(unit.text, edit, mark(edit.hole))) for edit in edits]
    pieces += [(start, end, "") for start, end in unit.comments]
    if insert is not None:
        pieces.append((insert[0], insert[0], insert[1]))
    pieces.sort(key=lambda piece: (piece[0], piece[1]))
    at, found = unit.term.start, []
    for start, end, new in pieces:
        if start < at:  # a comment inside of a place
            continue
        found += [unit.text[at:start].decode("utf-8", "replace"), new]
        at = end
    found.append(unit.text[at : unit.term.end].decode("utf-8", "replace"))
    return _outdented("".join(found), _column(unit.text, unit.term.start))


def code_lines(unit: MergeUnit) -> int:
    """Return the number of lines of a function that hold code."""
    return marked_text(unit, (), str).count("\n") + 1


def place_edits(template: Template, copy: int, language: str) -> tuple[Edit, ...]:
    """Return where the holes of a template stand in one of its distinct terms, in order."""
    blocks = table_of(language).blocks
    edits: list[Edit] = []
    whole = template.terms[copy]
    pending: list[tuple[Part, Edit]] = [(template.root, Edit(whole.start, whole.start, 0))]
    while pending:
        part, empty = pending.pop()
        if isinstance(part, Place):
            side = part.contents[copy]
            here = (side[0].start, side[-1].end) if side else (empty.start, empty.end)
            edits.append(Edit(*here, part.hole, not side and empty.own_line, empty.before))
        elif isinstance(part, Branch):
            pending.extend(reversed(list(zip(part.parts, _gaps(part, copy, part.terms[copy].kind in blocks), strict=True))))
    return tuple(edits)


def content_text(unit: MergeUnit, side: Sequence[Term]) -> str:
    """Return what stands in a hole, cut when it is long."""
    text = unit.text[side[0].start : side[-1].end].decode("utf-8", "replace") if side else ""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def line_of(unit: MergeUnit, at: int) -> int:
    """Return the line of a byte."""
    return unit.text.count(b"\n", 0, at) + 1


def _gaps(branch: Branch, copy: int, is_block: bool) -> list[Edit]:
    """Return for every part where it would stand if it were empty: before the next part that is there, else behind the last one."""
    spans = [_span(part, copy) for part in branch.parts]
    gaps = []
    for index in range(len(spans)):
        following = next((span for span in spans[index + 1 :] if span is not None), None)
        preceding = next((span for span in reversed(spans[:index]) if span is not None), None)
        if following is not None:
            gaps.append(Edit(following[0], following[0], 0, is_block))
        else:
            at = branch.terms[copy].end if preceding is None else preceding[1]
            gaps.append(Edit(at, at, 0, is_block, False))
    return gaps


def _span(part: Part, copy: int) -> tuple[int, int] | None:
    if isinstance(part, Place):
        side = part.contents[copy]
        return (side[0].start, side[-1].end) if side else None
    term = part.terms[copy]
    return term.start, term.end


def _placed(text: bytes, edit: Edit, mark: str) -> str:
    if not edit.own_line:
        return mark
    line = text.rfind(b"\n", 0, edit.start) + 1
    stem = text[line : edit.start]
    indent = (stem[: len(stem) - len(stem.lstrip(b" \t"))]).decode()
    return f"{mark}\n{indent}" if edit.before else f"\n{indent}{mark}"


def _column(text: bytes, start: int) -> int:
    """Return how far the line of a byte is indented."""
    line = text[text.rfind(b"\n", 0, start) + 1 : start]
    return len(line) - len(line.lstrip(b" \t"))


def _outdented(text: str, column: int) -> str:
    """Return the text without blank lines and without the indentation of its first line."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    return "\n".join(lines[:1] + [line[min(column, len(line) - len(line.lstrip(" \t"))) :] for line in lines[1:]])
