"""What ties prose that could go to the programs of its tree: in its own lines, in other files that read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

__all__ = ["Ties"]

_Read = Callable[[str], bytes | None]


class Ties:
    """Answers about one tree; files are read only when a row depends on them.

    `languages` gives the language of each measured file, `refers` the (path, line) of every resolved reference.
    """

    def __init__(self, root: Path, languages: Mapping[str, str], refers: Iterable[tuple[int | str, ...]], read: _Read) -> None:
        self.root = root
        self.languages = languages
        self.read = read
        self.lines: dict[str, set[int]] = {}
        for path, line in refers:
            self.lines.setdefault(str(path), set()).add(int(line))
        self.docstring_reader = cache(self._docstring_reader)
        self.programs_naming = cache(self._programs_naming)

    def of(self, path: str, data: bytes, kind: str, start: int, end: int) -> tuple[tuple[str, str, int], ...]:
        """Return (why, path, line) of everything that ties lines of a file, a segment of prose of a kind, to a program."""
        from ce.extract.measures.ties import DOCSTRING_IS_READ, ties_of

        found = [(why, path, line) for why, line in ties_of(path, data, kind, start, end)]
        found += [("holds_reference", path, line) for line in sorted(self.lines.get(path, ())) if start <= line <= end]
        if kind == "docstring" and (reader := self.docstring_reader()) is not None:
            found.append((DOCSTRING_IS_READ, *reader))
        elif kind not in ("docstring", "comment_block"):
            found += [("text_is_read", program, line) for program, line in self.programs_naming().get(path, ())]
        return tuple(found)

    def _docstring_reader(self) -> tuple[str, int] | None:
        from ce.extract.measures.ties import reads_docstrings

        for path in sorted(path for path, language in self.languages.items() if language == "python"):
            line = reads_docstrings(self.read(path) or b"")
            if line is not None:
                return path, line
        return None

    def _programs_naming(self) -> dict[str, list[tuple[str, int]]]:
        """Return where programs spell the path or the name of a text, in one pass for all texts."""
        from ce.app.spellings import spellings
        from ce.extract.registry import Arm, language_of
        from ce.source.text import READ_LIMIT

        arms = {path: row.arm for path in sorted(self.languages) if (row := language_of(path)) is not None}
        texts = [path for path, arm in arms.items() if arm in (Arm.DOCUMENT, Arm.PROSE)]
        programs = [path for path, arm in arms.items() if arm in (Arm.CODE, Arm.SIZE)]
        found: dict[str, list[tuple[str, int]]] = {}
        for program, text, line in spellings(self.root, texts, programs, READ_LIMIT):
            found.setdefault(text, []).append((program, line))
        return found
