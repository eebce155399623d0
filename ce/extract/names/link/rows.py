"""The rows that linking gives, gathered as numbers: a row once, with the first line where it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Numbering", "Rows"]


class Numbering:
    """Texts by number, in the order in which they came."""

    __slots__ = ("numbers", "texts")

    def __init__(self, texts: Sequence[str] = ()) -> None:
        """Start with the given texts."""
        self.texts: list[str] = list(texts)
        self.numbers: dict[str, int] = {text: number for number, text in enumerate(self.texts)}

    def __call__(self, text: str) -> int:
        """Return the number of a text."""
        known = self.numbers.get(text)
        if known is None:
            known = self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return known


class Rows:
    """Rows of two or three numbers, each with the file and line where it was read; of equal rows the first in (file, line) stays.

    A row is one number: `first`, `second` and `third` beside each other, in 28, 28 and 8 bits.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        """Start without rows."""
        self.found: dict[int, int] = {}

    def add(self, first: int, second: int, third: int, place: int) -> None:
        """Add a row; `place` is the number of its file and its line beside each other, in 32 bits each."""
        key = (first << 36) | (second << 8) | third
        known = self.found.get(key)
        if known is None or place < known:
            self.found[key] = place

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return first, second, third, file and line of all rows."""
        import numpy as np

        count = len(self.found)
        keys = np.fromiter(self.found.keys(), dtype=np.int64, count=count)
        places = np.fromiter(self.found.values(), dtype=np.int64, count=count)
        return keys >> 36, (keys >> 8) & 0xFFFFFFF, keys & 0xFF, places >> 32, places & 0xFFFFFFFF
