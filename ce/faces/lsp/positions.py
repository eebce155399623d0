"""Places between us and the protocol: our lines and columns are 1-based and count characters, its own are 0-based UTF-16 units."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["column_of", "units_before"]


def column_of(rows: Sequence[str], line: int, units: int) -> int:
    """Return the 1-based column of a 0-based line and a number of UTF-16 units; a place past the end is the end."""
    row = rows[line] if 0 <= line < len(rows) else ""
    for column, character in enumerate(row):
        if units <= 0:
            return column + 1
        units -= 2 if ord(character) > 0xFFFF else 1
    return len(row) + 1


def units_before(rows: Sequence[str], line: int, column: int) -> int:
    """Return the UTF-16 units before a 1-based column of a 1-based line."""
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    return sum(2 if ord(character) > 0xFFFF else 1 for character in row[: column - 1])
