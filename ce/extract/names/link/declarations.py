"""What declarations say of themselves as rows: what an import is bound to, bases, decorators, and what members redefine."""

from __future__ import annotations

from dataclasses import dataclass, field

from ce.extract.names.link.evaluate import IMPORT, Evaluator
from ce.extract.names.link.hierarchy import CLASSES
from ce.extract.names.link.rows import Rows
from ce.extract.names.link.universe import KIND, File
from ce.extract.names.link.uses import Paths, UseRows, add_path
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, USE_KINDS
from ce.extract.names.table import ROOT

__all__ = ["DeclarationRows", "link_declarations", "link_overrides"]

_IMPORT, _REEXPORT = USE_KINDS.index("import"), USE_KINDS.index("reexport")
_INHERIT, _DECORATE = USE_KINDS.index("inherit"), USE_KINDS.index("decorate")
_UNNAMED = frozenset({CALL, ELEMENT, COLLECTION, "[*]"})


@dataclass(slots=True)
class DeclarationRows:
    """Rows of declarations: (definition, definition) or (definition, text) with a place each; the last number is unused."""

    bases: Rows = field(default_factory=Rows)
    outside_bases: Rows = field(default_factory=Rows)
    unknown_bases: dict[int, int] = field(default_factory=dict)
    decorated_by: Rows = field(default_factory=Rows)
    decorated_with: Rows = field(default_factory=Rows)
    overrides: Rows = field(default_factory=Rows)


def link_declarations(evaluator: Evaluator, file: File, paths: Paths, uses: UseRows, rows: DeclarationRows) -> None:
    """Add the rows of the declarations of a file."""
    table, first = file.table, file.first
    for number in table.imported:
        _link_import(evaluator, file, number, uses)
    for spec, line, *_ in table.stars:
        for module in evaluator.lookup.modules.meaning(file, line, table.texts[spec]):
            if isinstance(module, int):
                uses.names.add(first, module >> 2, _IMPORT << 3 | IMPORT, file.number << 32 | line)
    for number, nodes in table.bases.items():
        place = file.number << 32 | table.def_line[number]
        for node in nodes:
            add_path(table, paths, uses, number + first, _INHERIT, node, place)
        for base in evaluator.hierarchy.bases.get(number + first, ()):
            if base is None:
                rows.unknown_bases.setdefault(number + first, place)
            elif isinstance(base, str):
                rows.outside_bases.add(number + first, uses.texts(base), 0, place)
            else:
                rows.bases.add(number + first, base, 0, place)
    for number, nodes in table.decorators.items():
        place = file.number << 32 | table.def_line[number]
        for node in nodes:
            add_path(table, paths, uses, number + first, _DECORATE, node, place)
            _link_decorator(file, paths, uses, rows, number, node, place)


def _link_import(evaluator: Evaluator, file: File, number: int, uses: UseRows) -> None:
    """An import uses what it is bound to; whoever holds it runs the modules that it names."""
    table = file.table
    gid = number + file.first
    place = file.number << 32 | table.def_line[number]
    is_export = table.def_kind[number] == KIND["export"]
    code = (_REEXPORT if is_export else _IMPORT) << 3 | IMPORT
    bound = evaluator.lookup.imported(gid)
    for one in (*bound.passed, *bound.definitions):
        if one != gid:
            uses.names.add(gid, one, code, place)
    for atom in bound.atoms:
        if isinstance(atom, int):
            uses.names.add(gid, atom >> 2, code, place)
        elif isinstance(atom, str) and not atom.startswith("/"):
            uses.outside.add(gid, uses.texts(atom[2:]), code >> 3, place)
    for module in evaluator.lookup.modules_of(gid):
        if isinstance(module, int):
            uses.names.add(max(table.def_parent[number], 0) + file.first, module >> 2, _IMPORT << 3 | IMPORT, place)


def _link_decorator(file: File, paths: Paths, uses: UseRows, rows: DeclarationRows, number: int, node: int, place: int) -> None:
    """A decorator is a path that may be called: its last named step tells what it is."""
    table, gid = file.table, number + file.first
    while table.before[node] != ROOT and table.texts[table.step[node]] in _UNNAMED:
        node = table.before[node]
    path = paths.at(node)
    for name in path.outside:
        rows.decorated_by.add(gid, uses.texts(name), 0, place)
    for one, _ in path.definitions:
        rows.decorated_with.add(gid, one, 0, place)
    if not path.outside and not path.definitions:
        steps = []
        while table.before[node] != ROOT:
            step = table.texts[table.step[node]]
            if step not in _UNNAMED:
                steps.append(step)
            node = table.before[node]
        base = table.step[node]
        if base >= 0:
            steps.append(table.texts[table.def_name[base]])
        rows.decorated_by.add(gid, uses.texts("?." + ".".join(reversed(steps))), 0, place)


def link_overrides(evaluator: Evaluator, rows: DeclarationRows) -> None:
    """Add which members redefine which: along the order of every class, each member the next one of its name."""
    universe = evaluator.universe
    for gid, kind in enumerate(universe.kind):
        if kind not in CLASSES or gid not in evaluator.hierarchy.bases:
            continue
        order = [base for base in evaluator.hierarchy.order(gid) if isinstance(base, int)]
        if len(order) < 2:
            continue
        nearest: dict[str, tuple[int, ...]] = {}
        # With one base the pairs above the class are those of the base; with several, classes meet here that know nothing of each other.
        for base in order if len(evaluator.hierarchy.bases[gid]) > 1 else ():
            for name, members in universe.members.get(base, {}).items():
                for over in nearest.get(name, ()):
                    for member in members:
                        _add(universe_place(evaluator, over), rows, over, member)
                nearest[name] = members
        if len(evaluator.hierarchy.bases[gid]) == 1:
            for name, members in universe.members.get(gid, {}).items():
                found, _ = evaluator.hierarchy.find(order[1:], name)
                for over in members:
                    for member in found:
                        _add(universe_place(evaluator, over), rows, over, member)


def universe_place(evaluator: Evaluator, gid: int) -> int:
    """Return the place of a definition."""
    file = evaluator.universe.file_of(gid)
    return file.number << 32 | file.table.def_line[gid - file.first]


def _add(place: int, rows: DeclarationRows, over: int, member: int) -> None:
    if over != member:
        rows.overrides.add(over, member, 0, place)
