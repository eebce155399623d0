"""Where the keys of a TOML text stand, which the standard parser does not tell."""

from __future__ import annotations

import re

from ce.diagnostics import Span

__all__ = ["KeyPositions"]

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(?P<open>\[\[?)\s*(?P<name>{_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*(?P<name>{_DOTTED})\s*=")
_ONE = re.compile(_PART)

Place = tuple[str | int, ...]


class KeyPositions:
    """The places of headers and keys of one text. Keys of inline tables are found at the key that holds the table."""

    def __init__(self, text: str, source: str = "ce.toml") -> None:
        self._source = source
        self._spans: dict[Place, tuple[int, int, int]] = {}
        counts: dict[Place, int] = {}
        table: Place = ()
        for number, line in enumerate(text.split("\n"), start=1):
            header = _HEADER.match(line)
            match = header or _KEY.match(line)
            if match is None:
                continue
            place = self._indexed(_parts(match["name"]), counts) if header else (*table, *_parts(match["name"]))
            if header is not None:
                if header["open"] == "[[":
                    counts[place] = counts.get(place, -1) + 1
                    place = (*place, counts[place])
                table = place
            for length in range(len(place), 0, -1):
                self._spans.setdefault(place[:length], (number, match.start("name") + 1, match.end("name") + 1))

    def knows(self, place: Place) -> bool:
        """Return whether the key itself is written."""
        return place in self._spans

    def span(self, place: Place) -> Span:
        """Return where the key stands, or the nearest table around it, or the start of the text."""
        for length in range(len(place), 0, -1):
            found = self._spans.get(place[:length])
            if found is not None:
                line, column, end = found
                return Span(self._source, line, column, line, end)
        return Span(self._source, 1, 1, 1, 1)

    @staticmethod
    def _indexed(parts: tuple[str, ...], counts: dict[Place, int]) -> Place:
        """Return the place of a header, with the number of the current row behind the name of an array of tables."""
        place: Place = ()
        for index, part in enumerate(parts):
            place = (*place, part)
            if place in counts and index < len(parts) - 1:
                place = (*place, counts[place])
        return place


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _ONE.findall(name))
