"""What a word of `ce why` means: a path, a place `path:line`, a label, a qualified name, or the end of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.app.goal_rows import GoalRows, Row

__all__ = ["Target", "find_targets"]

_NEAREST = 5
_PLACE = re.compile(r"(.+?):([0-9]+)(?::[0-9]+)?:?")


@dataclass(frozen=True, slots=True)
class Target:
    """A file, then without a symbol, or a name with its place."""

    path: str
    symbol: str | None = None
    name: str = ""
    qualified: str = ""
    kind: str = "file"
    line: int = 0
    end_line: int = 0


def find_targets(asked: str, files: Sequence[str], described: GoalRows, goal: int) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Return what the word means, and when it means nothing the names and paths that are spelled nearly so.

    `described` has what is shown of each symbol: (symbol, name, qualified, kind, file, first, last line). The first reading that means
    anything counts: a path, a place `path:line` (the declaration with the fewest lines that spans the line, else the file), a label
    `path::Qualified.name`, a qualified name, the end of a qualified name or a plain name. Imports and exports that only pass on a name
    count when nothing else is meant.
    """
    path = asked.removeprefix("./").removesuffix("::")
    if path in set(files):
        return (Target(path),), ()
    place = _PLACE.fullmatch(path)
    if place is not None and (there := _standing_at(place.group(1), int(place.group(2)), files, described, goal)):
        return there, ()
    readings: tuple[Callable[[], list[Target]], ...] = (
        lambda: _targets(described.where(goal, 0, asked)),
        lambda: _targets(described.where(goal, 2, asked)),
        lambda: _targets(_ending(described, goal, asked)),
        lambda: [Target(file) for file in sorted(files) if file.endswith(f"/{path}")],
    )
    for read in readings:
        found = read()
        if found:
            declared = [each for each in found if each.kind not in ("import", "export")]
            return tuple(declared or found), ()
    return (), _near(asked, _targets(described.values(goal)), files)


def _standing_at(path: str, line: int, files: Sequence[str], described: GoalRows, goal: int) -> tuple[Target, ...]:
    found: list[Target] = []
    for file in [file for file in files if file == path] or sorted(file for file in files if file.endswith(f"/{path}")):
        names = _targets(described.where(goal, 4, file))
        spans = [each for each in names if each.kind != "module" and each.line <= line <= each.end_line]
        fewest = min((each.end_line - each.line for each in spans), default=0)
        found += [each for each in spans if each.end_line - each.line == fewest] or [Target(file)]
    return tuple(found)


def _ending(described: GoalRows, goal: int, asked: str) -> list[Row]:
    """Return the rows with this name or with a qualified name that ends with it."""
    import numpy as np

    ends = (f".{asked}", f":{asked}", f"/{asked}")
    names = described.columns(goal)[1] == described.code("sym", asked)
    qualified = [code for code, text in described.texts(goal, 2) if text.endswith(ends)]
    return described.at(goal, np.flatnonzero(names | np.isin(described.columns(goal)[2], qualified)))


def _targets(rows: Sequence[Row]) -> list[Target]:
    return sorted(map(_target, rows), key=lambda each: (each.path, each.line, each.symbol))


def _target(row: Row) -> Target:
    symbol, name, qualified, kind, file, start, end = row
    return Target(str(file), str(symbol), str(name), str(qualified), str(kind), int(start), int(end))


def _near(asked: str, names: Sequence[Target], files: Sequence[str]) -> tuple[str, ...]:
    from difflib import get_close_matches

    last = asked.replace("::", ".").rpartition(".")[2] or asked
    by_name: dict[str, str] = {}
    for each in names:
        by_name.setdefault(each.name, each.qualified)
    near = [by_name[name] for name in get_close_matches(last, list(by_name), _NEAREST)]
    known = [each.qualified for each in names]
    near += get_close_matches(asked, [*known, *files], _NEAREST) if len(known) + len(files) < 20_000 else []
    return tuple(dict.fromkeys(near))[:_NEAREST]
