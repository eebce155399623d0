"""A violation as the row that shows it: its values, what it says, and the place in the tree it points at."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

__all__ = ["Place", "message", "place", "unit_key"]

Value = int | str

_UNIT = re.compile(r"(?P<path>.*):(?P<start>\d+)-(?P<end>\d+)(?: (?P<key>.*))?", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([A-Z][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Place:
    """A file or directory of the tree; `start` and `end` are 1-based lines, 0 for the whole file."""

    path: str
    start: int = 0
    end: int = 0


def message(template: str | None, columns: Sequence[str], values: Sequence[Value]) -> str | None:
    """Return the template with every `{Column}` replaced by the value in that column; unknown names stay as written."""
    if template is None:
        return None
    row = dict(zip(columns, values, strict=True))
    return _PLACEHOLDER.sub(lambda match: str(row.get(match[1], match[0])), template)


def place(
    sorts: Sequence[str],
    values: Sequence[Value],
    lines: Collection[int] = (),
    span_of: Callable[[str], tuple[int, int] | None] | None = None,
) -> Place | None:
    """Return the place of the most exact value: the first unit or symbol, else the first node, else the first directory.

    `lines` are the columns that hold lines; the one that follows a node says where in the file. `span_of` gives the lines of a symbol.
    """
    for wanted in ("unit", "symbol", "node", "dir"):
        for at, (sort, value) in enumerate(zip(sorts, values, strict=True)):
            if sort == wanted:
                if sort == "symbol":
                    return Place(str(value).partition("::")[0], *((span_of(str(value)) if span_of else None) or (0, 0)))
                found = _place(wanted, str(value))
                line = next((values[column] for column in sorted(lines) if column > at), None)
                return Place(found.path, line, line) if wanted == "node" and isinstance(line, int) and line > 0 else found
    return None


def unit_key(label: str) -> tuple[str, str] | None:
    """Return path and key of the label of a unit: what it is called, not where it stands. None when it is no such label."""
    match = _UNIT.fullmatch(label)
    return None if match is None else (match["path"], match["key"] or "")


def _place(sort: str, label: str) -> Place:
    if sort == "unit" and (match := _UNIT.fullmatch(label)):
        return Place(match["path"], int(match["start"]), int(match["end"]))
    if sort == "node":
        return Place(label.partition("#")[0])
    return Place(label)
