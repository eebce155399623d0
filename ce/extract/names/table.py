"""The names of one file as parallel columns of numbers: what is kept of a file and what linking works on.

Paths are nodes of a tree: a node is a step from another node, or a root that holds a base. A path that is used ten times, or that
is the start of others, is one node. A node comes after the one it steps from, so one pass over the nodes evaluates all paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ce.extract.names.model import DEFINITION_KINDS, FLAGS, USE_KINDS, Definition, Expression, FileNames, ImportedName, Use

__all__ = ["ROOT", "NamesTable", "Steps", "TableWriter", "file_names", "names_table"]

ROOT = -1  # the `before` of a root node; its `step` is the base of the path

Steps = tuple[int, tuple[str, ...]]  # a path as its base and its steps

_KIND = {kind: number for number, kind in enumerate(DEFINITION_KINDS)}
_USE = {kind: number for number, kind in enumerate(USE_KINDS)}
_FLAG = {flag: 1 << number for number, flag in enumerate(FLAGS)}


@dataclass(slots=True)
class NamesTable:
    """The columns. Texts are numbers into `texts`, kinds into the vocabularies of the model, flags bits in their order.

    `before` and `step` are the nodes; a root has ROOT and a base. `def_*` go by definition, `use_*` by use. Of the lists that few
    definitions have, `bases`, `decorators` and `values` map a definition to nodes, `parameters` to texts, `imported` to (specifier,
    line, name, depth). `strings` are (line, owner, text), `opaque` (line, why, pattern), `stars` (specifier, line, name, depth).
    """

    texts: list[str] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    step: list[int] = field(default_factory=list)
    def_name: list[int] = field(default_factory=list)
    def_kind: list[int] = field(default_factory=list)
    def_parent: list[int] = field(default_factory=list)
    def_line: list[int] = field(default_factory=list)
    def_end: list[int] = field(default_factory=list)
    def_name_line: list[int] = field(default_factory=list)
    def_flags: list[int] = field(default_factory=list)
    use_owner: list[int] = field(default_factory=list)
    use_kind: list[int] = field(default_factory=list)
    use_line: list[int] = field(default_factory=list)
    use_target: list[int] = field(default_factory=list)
    use_argument: list[int] = field(default_factory=list)  # -1 for none
    parameters: dict[int, list[int]] = field(default_factory=dict)
    bases: dict[int, list[int]] = field(default_factory=dict)
    decorators: dict[int, list[int]] = field(default_factory=dict)
    values: dict[int, list[int]] = field(default_factory=dict)
    imported: dict[int, list[int]] = field(default_factory=dict)
    strings: list[list[int]] = field(default_factory=list)
    opaque: list[list[int]] = field(default_factory=list)
    stars: list[list[int]] = field(default_factory=list)
    problems: list[int] = field(default_factory=list)
    has_unreadable_exports: bool = False


def names_table(names: FileNames) -> NamesTable:
    """Return the columns of the names of a file."""
    writer = TableWriter()
    for one in names.definitions:
        bases, decorators, values = ([(path.base, path.steps) for path in paths] for paths in (one.bases, one.decorators, one.values))
        places = (one.line, one.end_line, one.name_line)
        writer.define(one.name, one.kind, one.parent, places, one.flags, one.parameters, bases, decorators, values, one.imported)
    writer.add_uses(
        [(one.owner, one.target.base, one.target.steps, one.kind, one.argument) for one in names.uses], [one.line for one in names.uses]
    )
    return writer.finish(names.strings, names.opaque, names.star_imports, names.problems, names.has_unreadable_exports)


class TableWriter:
    """A table that grows; equal texts and equal paths get one number. Paths are given by their base and their steps."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._table = NamesTable()
        self._texts: dict[str, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        self._paths: dict[tuple[int, tuple[str, ...]], int] = {}

    def define(
        self,
        name: str,
        kind: str,
        parent: int,
        places: tuple[int, int, int],
        flags: Iterable[str],
        parameters: Sequence[str],
        bases: Sequence[Steps],
        decorators: Sequence[Steps],
        values: Sequence[Steps],
        imported: ImportedName | None,
    ) -> None:
        """Add a definition; `places` are its first and last line and that of its name."""
        table = self._table
        number = len(table.def_name)
        table.def_name.append(self._text(name))
        table.def_kind.append(_KIND[kind])
        table.def_parent.append(parent)
        table.def_line.append(places[0])
        table.def_end.append(places[1])
        table.def_name_line.append(places[2])
        bits = 0
        for flag in flags:
            bits |= _FLAG[flag]
        table.def_flags.append(bits)
        if parameters:
            table.parameters[number] = [self._text(parameter) for parameter in parameters]
        if bases:
            table.bases[number] = self._distinct(bases)
        if decorators:
            table.decorators[number] = self._distinct(decorators)
        if values:
            table.values[number] = self._distinct(values)
        if imported is not None:
            table.imported[number] = self._imported(imported)

    def add_uses(self, uses: Sequence[tuple[int, int, tuple[str, ...], str, str]], lines: list[int]) -> None:
        """Add uses as (owner, base, steps, kind, argument), each with its line."""
        table, known, text = self._table, self._paths, self._text
        targets, arguments = [], []
        for _, base, steps, _, argument in uses:
            target = known.get((base, steps))
            targets.append(self._path((base, steps)) if target is None else target)
            arguments.append(text(argument) if argument else -1)
        table.use_owner += [use[0] for use in uses]
        table.use_kind += [_USE[use[3]] for use in uses]
        table.use_line += lines
        table.use_target += targets
        table.use_argument += arguments

    def finish(
        self,
        strings: Iterable[tuple[int, int, str]],
        opaque: Iterable[tuple[int, str, str]],
        stars: Iterable[ImportedName],
        problems: Iterable[str],
        has_unreadable_exports: bool,
    ) -> NamesTable:
        """Return the table with what belongs to the file as a whole."""
        table, text = self._table, self._text
        table.strings = [[line, owner, text(spelled)] for line, owner, spelled in strings]
        table.opaque = [[line, text(why), text(pattern)] for line, why, pattern in opaque]
        table.stars = [self._imported(star) for star in stars]
        table.problems = [text(problem) for problem in problems]
        table.has_unreadable_exports = has_unreadable_exports
        return table

    def _text(self, text: str) -> int:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = len(self._texts)
            self._table.texts.append(text)
        return known

    def _distinct(self, paths: Sequence[Steps]) -> list[int]:
        return list(dict.fromkeys(map(self._path, paths)))

    def _path(self, path: Steps) -> int:
        known = self._paths.get(path)
        if known is None:
            base, steps = path
            known = self._node(ROOT, base)
            for step in steps:
                known = self._node(known, self._text(step))
            self._paths[path] = known
        return known

    def _node(self, before: int, step: int) -> int:
        known = self._nodes.get((before, step))
        if known is None:
            known = self._nodes[before, step] = len(self._nodes)
            self._table.before.append(before)
            self._table.step.append(step)
        return known

    def _imported(self, imported: ImportedName) -> list[int]:
        return [self._text(imported.spec), imported.site_line, self._text(imported.name), imported.depth]


def file_names(table: NamesTable) -> FileNames:
    """Return the names that the columns hold."""
    texts = table.texts
    paths: list[Expression] = []
    for before, step in zip(table.before, table.step, strict=True):
        paths.append(Expression(step) if before == ROOT else Expression(paths[before].base, (*paths[before].steps, texts[step])))

    def path_list(kept: dict[int, list[int]], number: int) -> tuple[Expression, ...]:
        return tuple(paths[node] for node in kept.get(number, ()))

    def imported(row: list[int] | None) -> ImportedName | None:
        return None if row is None else ImportedName(texts[row[0]], row[1], texts[row[2]], row[3])

    definitions = tuple(
        Definition(
            texts[table.def_name[number]],
            DEFINITION_KINDS[table.def_kind[number]],
            table.def_parent[number],
            table.def_line[number],
            table.def_end[number],
            table.def_name_line[number],
            frozenset(flag for flag, bit in _FLAG.items() if table.def_flags[number] & bit),
            tuple(texts[name] for name in table.parameters.get(number, ())),
            path_list(table.bases, number),
            path_list(table.decorators, number),
            path_list(table.values, number),
            imported(table.imported.get(number)),
        )
        for number in range(len(table.def_name))
    )
    uses = tuple(
        Use(owner, USE_KINDS[kind], line, paths[target], texts[argument] if argument >= 0 else "")
        for owner, kind, line, target, argument in zip(
            table.use_owner, table.use_kind, table.use_line, table.use_target, table.use_argument, strict=True
        )
    )
    return FileNames(
        definitions,
        uses,
        tuple((line, owner, texts[text]) for line, owner, text in table.strings),
        tuple((line, texts[why], texts[pattern]) for line, why, pattern in table.opaque),
        tuple(ImportedName(texts[spec], line, texts[name], depth) for spec, line, name, depth in table.stars),
        table.has_unreadable_exports,
        tuple(texts[problem] for problem in table.problems),
    )
