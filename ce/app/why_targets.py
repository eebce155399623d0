"""What a word of `ce why` means: a path, a label, a qualified name, or the end of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Target", "find_targets"]

_NEAREST = 5

Row = tuple[int | str, ...]


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


def find_targets(
    asked: str, files: Sequence[str], described: Sequence[tuple[int | str, ...]]
) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Return what the word means, and when it means nothing the names and paths that are spelled nearly so.

    The first reading that means anything counts: a path, a label `path::Qualified.name`, a qualified name, the end of a qualified name
    or a plain name. Imports and exports that only pass on a name count when nothing else is meant.
    """
    path = asked.removeprefix("./").removesuffix("::")
    if path in set(files):
        return (Target(path),), ()
    names = sorted((_target(row) for row in described), key=lambda each: (each.path, each.line, each.symbol))
    readings = (
        [each for each in names if each.symbol == asked],
        [each for each in names if each.qualified == asked],
        [each for each in names if each.name == asked or each.qualified.endswith((f".{asked}", f":{asked}", f"/{asked}"))],
        [Target(file) for file in sorted(files) if file.endswith(f"/{path}")],
    )
    for found in readings:
        if found:
            declared = [each for each in found if each.kind not in ("import", "export")]
            return tuple(declared or found), ()
    return (), _near(asked, names, files)


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
