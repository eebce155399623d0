"""The block structure of Markdown, line by line: headings, and which text is code or comment and therefore masked.

Masking writes blanks over the characters, so that every place in the masked text is the same place in the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Block", "Heading", "blocks_of"]

_FENCE = re.compile(r"^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)$")
_HASHES = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_LIST_ITEM = re.compile(r"^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_NO_PARAGRAPH = re.compile(r"^ {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[[^\]]+\]:)|^(?: {4}|\t)")
_ATTRIBUTES = re.compile(r"\{:?[ \t]*#([\w:.-]+)[^{}]*\}")
_BACKTICKS = re.compile(r"(?<!`)(`+)(?!`)")
_BLANKS = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, its line, its text as written, and the id it gives itself, if any."""

    level: int
    line: int
    text: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A page with its code and comments masked, the place where each line starts, and its headings."""

    masked: str
    line_starts: list[int]
    headings: list[Heading]


def blocks_of(text: str) -> Block:
    """Return the block structure of a page."""
    scanner = _Scanner(text.split("\n"))
    for number, line in enumerate(scanner.lines):
        scanner.line(number, line)
    line_starts = [0]
    for line in scanner.lines[:-1]:
        line_starts.append(line_starts[-1] + len(line) + 1)
    if len(line_starts) > 1 and not scanner.lines[-1]:
        line_starts.pop()  # a line end at the end of the text begins no line
    return Block("\n".join(scanner.masked), line_starts, scanner.headings)


class _Scanner:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.masked: list[str] = []
        self.headings: list[Heading] = []
        self.fence = ""  # the marker of the open fence
        self.in_comment = False
        self.in_front_matter = bool(lines) and lines[0].rstrip() == "---" and any(line.rstrip() in ("---", "...") for line in lines[1:])
        self.in_list = False
        self.after_blank = True
        self.paragraph: list[str] = []  # the lines of the open paragraph

    def line(self, number: int, line: str) -> None:
        """Mask one line, and note a heading."""
        if self.in_front_matter or self.fence or self._opens_fence(line):
            self._code(number, line)
            return
        if self._is_indented_code(line):
            self.masked.append(_blanked(line))
            self.paragraph = []
            return
        visible = _without_code(self._without_comments(line))
        self.masked.append(visible)
        if not line.strip():
            self.after_blank, self.paragraph = True, []
            return
        if _LIST_ITEM.match(line):
            self.in_list = True
        elif not line[0].isspace() and self.after_blank:
            self.in_list = False
        self.after_blank = False
        self._heading(number, line, visible)

    def _code(self, number: int, line: str) -> None:
        self.masked.append(_blanked(line))
        self.paragraph, self.after_blank = [], False
        if self.in_front_matter:
            self.in_front_matter = number == 0 or line.rstrip() not in ("---", "...")
            return
        fence = _FENCE.match(line)
        if not self.fence:
            self.fence = fence.group(1) if fence else ""
        elif fence and fence.group(1).startswith(self.fence) and not fence.group(2).strip():
            self.fence = ""

    def _opens_fence(self, line: str) -> bool:
        if self.in_comment:
            return False
        fence = _FENCE.match(line)
        return fence is not None and not (fence.group(1)[0] == "`" and "`" in fence.group(2))

    def _is_indented_code(self, line: str) -> bool:
        return bool(line.strip()) and line.startswith(("    ", "\t")) and self.after_blank and not self.in_list and not self.in_comment

    def _without_comments(self, line: str) -> str:
        at, parts = 0, []
        while True:
            if self.in_comment:
                end = line.find("-->", at)
                self.in_comment = end < 0
                stop = len(line) if end < 0 else end + 3
                parts.append(" " * (stop - at))
            else:
                start = line.find("<!--", at)
                self.in_comment = start >= 0
                stop = len(line) if start < 0 else start
                parts.append(line[at:stop])
            at = stop
            if at >= len(line):
                return "".join(parts)

    def _heading(self, number: int, line: str, visible: str) -> None:
        hashes = _HASHES.match(line) if visible.lstrip().startswith("#") else None
        setext = _SETEXT.match(visible)
        if hashes:
            self._add(len(hashes.group(1)), number, _without_closing_hashes(line[hashes.end() :].strip()))
            self.paragraph = []
        elif setext and self.paragraph:
            self._add(1 if setext.group(1)[0] == "=" else 2, number - len(self.paragraph), " ".join(self.paragraph))
            self.paragraph = []
        elif not visible.strip() or _NO_PARAGRAPH.match(line):
            self.paragraph = []
        else:
            self.paragraph.append(line.strip())

    def _add(self, level: int, number: int, text: str) -> None:
        attributes = _ATTRIBUTES.fullmatch(text, text.rfind("{")) if text.endswith("}") and "{" in text else None
        if attributes:
            text = text[: attributes.start()]
        self.headings.append(Heading(level, number + 1, text.strip(), attributes.group(1) if attributes else ""))


def _without_closing_hashes(text: str) -> str:
    kept = text.rstrip("#")
    return kept.rstrip() if not kept or kept[-1].isspace() else text


def _blanked(line: str) -> str:
    return _BLANKS.sub(" ", line)


def _without_code(line: str) -> str:
    """Mask inline code: a run of backticks up to the next run of the same length on the line."""
    if "`" not in line:
        return line
    runs = [(match.start(), len(match.group(1))) for match in _BACKTICKS.finditer(line)]
    closing: dict[int, list[int]] = {}
    for start, length in reversed(runs):
        closing.setdefault(length, []).append(start)
    parts, at = [], 0
    for start, length in runs:
        if start < at or (start > 0 and line[start - 1] == "\\"):
            continue
        ends = closing[length]
        while ends and ends[-1] <= start:
            ends.pop()
        if ends:
            end = ends[-1] + length
            parts.append(line[at:start] + " " * (end - start))
            at = end
    return "".join(parts) + line[at:]
