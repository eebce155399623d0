"""All definitions of a tree under one numbering, and the members that each of them has.

A definition of the tree is its number, a *gid*: those of a file follow each other, files in the order of their paths. Linking works on
these numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ce.extract.names.model import DEFINITION_KINDS, FLAGS
from ce.extract.names.table import NamesTable

__all__ = ["FLAG", "FUNCTIONS", "KIND", "File", "Universe", "universe"]

KIND: Mapping[str, int] = {kind: number for number, kind in enumerate(DEFINITION_KINDS)}
FLAG: Mapping[str, int] = {flag: 1 << number for number, flag in enumerate(FLAGS)}
FUNCTIONS = frozenset({KIND["function"], KIND["method"], KIND["property"]})
_LOCAL = FLAG["local"]


@dataclass(frozen=True, slots=True)
class File:
    """A file with names: its columns, and the gid of the definition that stands for it; the others follow."""

    number: int
    path: str
    is_python: bool
    table: NamesTable
    first: int


@dataclass(slots=True)
class Universe:
    """Every definition by gid. `members[gid]` are the definitions in its body by name, those of one name in their order.

    What stands in the body of a function is nobody's member. `members_named` are all definitions that are a member of something
    but a file, by name.
    """

    files: list[File] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    file: list[int] = field(default_factory=list)
    members: dict[int, dict[str, tuple[int, ...]]] = field(default_factory=dict)
    members_named: dict[str, list[int]] = field(default_factory=dict)

    def file_of(self, gid: int) -> File:
        """Return the file that a definition stands in."""
        return self.files[self.file[gid]]

    def path_of(self, gid: int) -> str:
        """Return the path of the file that a definition stands in."""
        return self.files[self.file[gid]].path

    def module(self, gid: int) -> int:
        """Return the definition that stands for the file of a definition."""
        return self.files[self.file[gid]].first

    def within(self, gid: int, holder: int) -> bool:
        """Tell whether a definition is another one or stands somewhere in its body."""
        parent = self.parent
        while gid >= 0:
            if gid == holder:
                return True
            gid = parent[gid]
        return False


def universe(tables: Iterable[tuple[str, bool, NamesTable]]) -> Universe:
    """Return the definitions of all files, given as (path, whether it is Python, columns) in any order."""
    found = Universe()
    for path, is_python, table in sorted(tables, key=lambda one: one[0]):
        first = len(found.name)
        number = len(found.files)
        found.files.append(File(number, path, is_python, table, first))
        texts = table.texts
        found.name += [texts[name] for name in table.def_name]
        found.kind += table.def_kind
        found.parent += [parent + first if parent >= 0 else -1 for parent in table.def_parent]
        found.flags += table.def_flags
        found.file += [number] * len(table.def_name)
    _collect_members(found)
    return found


def _collect_members(found: Universe) -> None:
    kind, flags, module = found.kind, found.flags, KIND["module"]
    collected: dict[int, dict[str, list[int]]] = {}
    for gid, parent in enumerate(found.parent):
        if parent < 0 or (flags[gid] & _LOCAL and kind[parent] in FUNCTIONS):
            continue
        name = found.name[gid]
        collected.setdefault(parent, {}).setdefault(name, []).append(gid)
        if kind[parent] != module:
            found.members_named.setdefault(name, []).append(gid)
    found.members = {gid: {name: tuple(gids) for name, gids in names.items()} for gid, names in collected.items()}
