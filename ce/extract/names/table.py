"""The names of one file as parallel columns of numbers: what is kept of a file and what linking works on.

Paths are nodes of a tree: a node is a step from another node, or a root that holds a base. A path that is used ten times, or that
is the start of others, is one node. A node comes after the one it steps from, so one pass over the nodes evaluates all paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ce.extract.names.model import DEFINITION_KINDS, FLAGS, USE_KINDS, Definition, Expression, FileNames, ImportedName, Use

__all__ = ["ROOT", "NamesTable", "file_names", "names_table"]

ROOT = -1  # the `before` of a root node; its `step` is the base of the path

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
    writer = _Writer()
    table = writer.table
    for number, definition in enumerate(names.definitions):
        writer.define(number, definition)
    for use in names.uses:
        table.use_owner.append(use.owner)
        table.use_kind.append(_USE[use.kind])
        table.use_line.append(use.line)
        table.use_target.append(writer.node(use.target))
        table.use_argument.append(writer.text(use.argument) if use.argument else -1)
    table.strings += [[line, owner, writer.text(text)] for line, owner, text in names.strings]
    table.opaque += [[line, writer.text(why), writer.text(pattern)] for line, why, pattern in names.opaque]
    table.stars += [writer.imported(star) for star in names.star_imports]
    table.problems += [writer.text(problem) for problem in names.problems]
    table.has_unreadable_exports = names.has_unreadable_exports
    return table


class _Writer:
    """A table that grows; equal texts and equal paths get one number."""

    def __init__(self) -> None:
        self.table = NamesTable()
        self._texts: dict[str, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}

    def text(self, text: str) -> int:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = len(self._texts)
            self.table.texts.append(text)
        return known

    def node(self, path: Expression) -> int:
        number = self._node(ROOT, path.base)
        for step in path.steps:
            number = self._node(number, self.text(step))
        return number

    def imported(self, imported: ImportedName) -> list[int]:
        return [self.text(imported.spec), imported.site_line, self.text(imported.name), imported.depth]

    def define(self, number: int, definition: Definition) -> None:
        table = self.table
        table.def_name.append(self.text(definition.name))
        table.def_kind.append(_KIND[definition.kind])
        table.def_parent.append(definition.parent)
        table.def_line.append(definition.line)
        table.def_end.append(definition.end_line)
        table.def_name_line.append(definition.name_line)
        table.def_flags.append(sum(_FLAG[flag] for flag in definition.flags))
        if definition.parameters:
            table.parameters[number] = [self.text(name) for name in definition.parameters]
        for paths, kept in ((definition.bases, table.bases), (definition.decorators, table.decorators), (definition.values, table.values)):
            if paths:
                kept[number] = list(dict.fromkeys(self.node(path) for path in paths))
        if definition.imported is not None:
            table.imported[number] = self.imported(definition.imported)

    def _node(self, before: int, step: int) -> int:
        known = self._nodes.get((before, step))
        if known is None:
            known = self._nodes[before, step] = len(self._nodes)
            self.table.before.append(before)
            self.table.step.append(step)
        return known


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
