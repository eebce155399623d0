"""From the names of all files to rows about the tree: definitions, uses, and what declarations say.

The result is a function of the files, the extractions and the outcomes of references; their order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ce.extract.names.link.declarations import DeclarationRows, link_declarations, link_overrides
from ce.extract.names.link.evaluate import Evaluator
from ce.extract.names.link.labels import Labels
from ce.extract.names.link.lookup import Lookup
from ce.extract.names.link.modules import Modules
from ce.extract.names.link.strings import IDENTIFIER, DottedNames
from ce.extract.names.link.universe import KIND, File, Universe, universe
from ce.extract.names.link.uses import Paths, Steps, UseRows, link_uses
from ce.extract.names.link.values import work_out_values
from ce.extract.names.link.whole import Whole
from ce.extract.names.model import USE_KINDS
from ce.extract.names.table import NamesTable
from ce.facts.records import Extraction, Outcome

__all__ = ["DataFile", "Linked", "link"]

_STRING = USE_KINDS.index("string")
_STRING_HOW = 5  # in the vocabulary `how`
_ALIASES = frozenset({KIND["import"], KIND["export"]})


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that is data: the texts in it that look like dotted names, with their lines."""

    path: str
    texts: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Linked:
    """All that linking found. Of `string_refs` the first is a definition, or of a file of data ~ its place in `data_files`.

    `spelled` are (file, text) and `opaque` (file, reason, pattern), texts as numbers of `uses.texts`, each with a line. `units` are
    (definition, path, position among the units of the file's extraction).
    """

    universe: Universe
    labels: Labels
    uses: UseRows
    declarations: DeclarationRows
    string_refs: dict[tuple[int, int], int]
    spelled: dict[tuple[int, int], int]
    opaque: dict[tuple[int, int, int], int]
    units: list[tuple[int, str, int]]
    data_files: list[str]


def link(
    tables: Iterable[tuple[str, bool, NamesTable]],
    extractions: Iterable[tuple[str, Extraction]],
    outcomes: Iterable[Outcome],
    data: Iterable[DataFile] = (),
) -> Linked:
    """Return what the names of a tree say; `tables` are (path, whether it is Python, columns)."""
    everything = universe(tables)
    units: dict[str, list[tuple[str, int, int]]] = {}
    modules = Modules(everything, _noting_units(extractions, units), outcomes)
    lookup = Lookup(modules)
    evaluator = Evaluator(lookup, _shared_scope(everything))
    evaluator.hierarchy.work_out()
    evaluator.forget()
    work_out_values(evaluator)
    labels = Labels(everything, modules)
    linked = Linked(everything, labels, UseRows(), DeclarationRows(), {}, {}, {}, [], [])
    dotted = DottedNames(evaluator)
    steps: Steps = {}
    whole = Whole(lookup)
    for file in everything.files:
        paths = Paths(evaluator, file, steps, whole)
        link_declarations(evaluator, file, paths, linked.uses, linked.declarations)
        link_uses(labels, file, paths, linked.uses)
        _link_strings(file, dotted, linked)
        linked.units += _units_of(file, units.get(file.path, []))
    link_overrides(evaluator, linked.declarations)
    for one in sorted(data, key=lambda one: one.path):
        _link_data(one, dotted, linked)
    return linked


def _noting_units(
    extractions: Iterable[tuple[str, Extraction]], units: dict[str, list[tuple[str, int, int]]]
) -> Iterator[tuple[str, Extraction]]:
    for path, extraction in extractions:
        units[path] = [(unit.name, unit.start, unit.end) for unit in extraction.units]
        yield path, extraction


def _shared_scope(everything: Universe) -> dict[str, tuple[int, ...]]:
    """Return the names of scripts without imports and exports: they share one scope."""
    found: dict[str, list[int]] = {}
    for file in everything.files:
        if file.is_python or file.table.stars or _ALIASES.intersection(file.table.def_kind):
            continue
        for name, gids in everything.members.get(file.first, {}).items():
            found.setdefault(name, []).extend(gids)
    return {name: tuple(gids) for name, gids in found.items()}


def _link_strings(file: File, dotted: DottedNames, linked: Linked) -> None:
    table = file.table
    for line, owner, number in table.strings:
        text = table.texts[number]
        place = file.number << 32 | line
        if IDENTIFIER.fullmatch(text):
            linked.spelled.setdefault((file.number, linked.uses.texts(text)), line)
            continue
        for gid in dotted.definitions(text):
            linked.uses.names.add(owner + file.first, gid, _STRING << 3 | _STRING_HOW, place)
        for gid in dotted.definitions(text)[-1:]:
            linked.string_refs.setdefault((owner + file.first, gid), place)
    texts = linked.uses.texts
    for line, why, pattern in table.opaque:
        linked.opaque.setdefault((file.number, texts(table.texts[why]), texts(table.texts[pattern])), line)


def _link_data(one: DataFile, dotted: DottedNames, linked: Linked) -> None:
    """Note what a file of data names; a file that names nothing of the tree is left out."""
    number = -1
    for line, text in one.texts:
        for gid in dotted.definitions(text)[-1:]:
            if number < 0:
                number = len(linked.data_files)
                linked.data_files.append(one.path)
            linked.string_refs.setdefault((~number, gid), line)


def _units_of(file: File, units: list[tuple[str, int, int]]) -> Iterator[tuple[int, str, int]]:
    """Yield the definitions that are units of the core layer: of the same name, ending on the same line."""
    known: dict[tuple[str, int], list[int]] = {}
    for position, (name, _, end) in enumerate(units):
        if name:
            known.setdefault((name, end), []).append(position)
    table = file.table
    for number in range(1, len(table.def_name)):
        positions = known.get((table.texts[table.def_name[number]], table.def_end[number]))
        if positions and table.def_kind[number] not in _ALIASES:
            first, last = table.def_line[number], table.def_end[number]
            for position in positions:
                if first <= units[position][1] <= last:
                    positions.remove(position)
                    yield number + file.first, file.path, position
                    break
