"""From an offset in a text to its line, in time that does not grow with the offset."""

from __future__ import annotations

import re
from bisect import bisect_left

__all__ = ["LineNumbers"]


class LineNumbers:
    """The lines of a text, counted from 1."""

    __slots__ = ("_ends", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._ends: list[int] | None = None

    def at(self, offset: int) -> int:
        """Return the line of an offset."""
        if self._ends is None:
            self._ends = [match.start() for match in re.finditer(b"\n", self._text)]
        return bisect_left(self._ends, offset) + 1
