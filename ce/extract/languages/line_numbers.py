"""From an offset in a text to its line, in time that does not grow with the offset."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

__all__ = ["LineNumbers"]


class LineNumbers:
    """The lines of a text, counted from 1."""

    __slots__ = ("_text", "_widths")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._widths: list[int] = []  # of the first line, the first two, …, line ends left out

    def at(self, offset: int) -> int:
        """Return the line of an offset."""
        if not self._widths:
            self._widths = list(accumulate(map(len, self._text.split(b"\n"))))
        widths = self._widths
        return bisect_left(range(len(widths) - 1), offset, key=lambda line: widths[line] + line) + 1
