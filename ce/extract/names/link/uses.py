"""The uses of each file as rows: which definitions a body uses, which members of anything, which names outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ce.extract.names.link.atoms import INSTANCE, OBJECT, Atom
from ce.extract.names.link.evaluate import ANYTHING, HIERARCHY, IMPORT, RECEIVER, SCOPE, VALUE, Evaluator, Found
from ce.extract.names.link.globs import matching, name_pattern
from ce.extract.names.link.hierarchy import CLASSES
from ce.extract.names.link.labels import Labels
from ce.extract.names.link.rows import Numbering, Rows
from ce.extract.names.link.universe import FLAG, KIND, File
from ce.extract.names.link.whole import Whole
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, GLOB, SUPER, UNKNOWN, UNSCOPED, USE_KINDS
from ce.extract.names.table import ROOT, NamesTable

__all__ = ["Path", "Paths", "Steps", "UseRows", "add_path", "link_uses"]

_KIND_CODE = {kind: number for number, kind in enumerate(USE_KINDS)}
_READ, _CALL, _TYPE_ONLY = _KIND_CODE["read"], _KIND_CODE["call"], _KIND_CODE["type_only"]
_WRITE, _DYNAMIC = _KIND_CODE["write"], _KIND_CODE["dynamic"]
_DYNAMIC = _KIND_CODE["dynamic"]
_GLOB_HOW = 6  # in the vocabulary `how`
_NO_MEMBER = frozenset({CALL, ELEMENT, COLLECTION, SUPER, "[*]"})
_ENUM, _STATIC = KIND["enum"], FLAG["static"]
_HOLDERS = frozenset({*CLASSES, KIND["module"], KIND["namespace"]})
_OUTSIDE_KINDS = "mgcoia"


@dataclass(slots=True)
class UseRows:
    """The rows of all uses. The second column of `names` is a definition, of the others a number of `texts`."""

    texts: Numbering = field(default_factory=Numbering)
    names: Rows = field(default_factory=Rows)  # owner, definition, kind of use with how
    members: Rows = field(default_factory=Rows)  # owner, name, kind of use
    outside: Rows = field(default_factory=Rows)  # owner, dotted name, kind of use
    member_globs: Rows = field(default_factory=Rows)  # owner, pattern
    name_globs: dict[tuple[int, int, int], int] = field(default_factory=dict)  # owner, holder, pattern
    wholes: dict[tuple[int, int], int] = field(default_factory=dict)  # owner, class or module
    arguments: dict[tuple[int, int, int], int] = field(default_factory=dict)  # owner, dotted name, text
    fits: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def fitting(self, glob: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return which names of members a glob fits, none when it says nothing at all."""
        found = self.fits.get(glob)
        if found is None:
            pattern = name_pattern(glob)
            found = self.fits[glob] = tuple(name for name in names if pattern.fullmatch(name)) if glob.strip("*") else ()
        return found


@dataclass(slots=True)
class Path:
    """A node of a file: what it is, and what whoever names it uses at this step.

    `definitions` are (definition, how); `outside` are names outside; `loose` is the name of a member of anything, else empty.
    """

    atoms: frozenset[Atom] = ANYTHING
    definitions: tuple[tuple[int, int], ...] = ()
    outside: tuple[str, ...] = ()
    loose: str = ""
    how: int = SCOPE
    glob: str = ""
    holders: tuple[int, ...] = ()
    is_glob_loose: bool = False
    modules: tuple[int, ...] = ()  # of JavaScript, which it is as a whole


# What steps gave in any file: what is stepped from (None: no scope binds the name), the step, how the start was found, whether in Python.
Steps = dict[tuple[frozenset[Atom] | None, str, int, bool], Path]


class Paths:
    """The nodes of one file, each evaluated once; a step that another file took from the same is known."""

    def __init__(self, evaluator: Evaluator, file: File, steps: Steps, whole: Whole) -> None:
        """Take the file, the steps that are known and those of modules as a whole, which all files of a tree share."""
        self._evaluator = evaluator
        self._file = file
        self._table = file.table
        self._known: list[Path | None] = [None] * len(file.table.before)
        self._steps = steps
        self.whole = whole

    def at(self, node: int) -> Path:
        """Return what a node is."""
        known = self._known[node]
        if known is None:
            waiting = []
            at = node
            while at != ROOT and self._known[at] is None:
                waiting.append(at)
                at = self._table.before[at]
            for one in reversed(waiting):
                self._known[one] = known = self._evaluated(one)
        assert known is not None
        return known

    def _evaluated(self, node: int) -> Path:
        table = self._table
        before = table.before[node]
        if before == ROOT:
            return self._with_modules(self._root(table.step[node]))
        step = table.texts[table.step[node]]
        above = self._known[before]
        assert above is not None
        is_unscoped = table.before[before] == ROOT and table.step[before] == UNSCOPED
        if is_unscoped and table.stars:
            return self._with_modules(self._unscoped(step))
        key = (None if is_unscoped else above.atoms, step, above.how, self._file.is_python)
        known = self._steps.get(key)
        if known is None:
            path = self._unscoped(step) if is_unscoped else self._stepped(above, step)
            known = self._steps[key] = self._with_modules(path)
        return known

    def _with_modules(self, path: Path) -> Path:
        if not self._file.is_python:
            path.modules = self.whole.modules_among(path.atoms)
        return path

    def _unscoped(self, name: str) -> Path:
        return self._of_found(name, [(None, self._evaluator.unscoped(self._file, name))], SCOPE)

    def _stepped(self, above: Path, step: str) -> Path:
        if step in _NO_MEMBER:
            return Path(frozenset(self._evaluator.step(above.atoms, step)), how=above.how)
        if step.startswith(GLOB):
            return self._glob(above, step[len(GLOB) :])
        if step == "__subclasses__":
            return self._subclasses(above)
        return self._of_found(step, [(atom, self._evaluator.member(atom, step)) for atom in above.atoms], above.how)

    def _root(self, base: int) -> Path:
        if base in (UNKNOWN, UNSCOPED):
            return Path()
        evaluator = self._evaluator
        gid = base + self._file.first
        atoms = frozenset(evaluator.atoms_of((gid,)))
        definitions = [(gid, SCOPE)]
        how = SCOPE
        outside: tuple[str, ...] = ()
        if evaluator.lookup.is_alias(gid):
            bound = evaluator.lookup.imported(gid)
            definitions += [(one, IMPORT) for one in (*bound.passed, *bound.definitions)]
            definitions += [(one >> 2, IMPORT) for one in bound.atoms if isinstance(one, int)]
            outside = tuple(one[2:] for one in bound.atoms if isinstance(one, str) and one[0] in _OUTSIDE_KINDS)
            how = IMPORT
        elif gid << 2 not in atoms:
            how = VALUE
        return Path(atoms, tuple(definitions), outside, how=how)

    def _of_found(self, step: str, found: list[tuple[Atom, Found]], how: int) -> Path:
        """Return the path that a member of every atom makes together."""
        evaluator = self._evaluator
        atoms: set[Atom] = set()
        definitions: dict[int, int] = {}
        outside: dict[str, None] = {}
        is_loose = False
        for atom, one in found:
            is_loose = is_loose or one.is_loose
            atoms.update(one.atoms)
            outside.update((text[2:], None) for text in one.atoms if isinstance(text, str) and text[0] in _OUTSIDE_KINDS)
            if one.definitions or one.virtual:
                atoms |= evaluator.atoms_of((*one.definitions, *one.virtual))
                proof = VALUE if one.how == IMPORT and how == VALUE else one.how
                if proof == RECEIVER and isinstance(atom, int) and atom & 3 != INSTANCE:
                    proof = how  # a member of a class itself is found the way the class was
                for gid in one.definitions:
                    definitions[gid] = min(proof, definitions.get(gid, proof))
        return Path(frozenset(atoms), tuple(definitions.items()), tuple(outside), step if is_loose else "", how)

    def _subclasses(self, above: Path) -> Path:
        """Return the path of a method that gives the classes below a class: whoever calls it gets hold of them."""
        evaluator = self._evaluator
        below = evaluator.hierarchy.below
        found = sorted({gid for atom in above.atoms if isinstance(atom, int) for gid in below.get(atom >> 2, ())})
        return Path(frozenset(evaluator.step(above.atoms, "__subclasses__")), tuple((gid, HIERARCHY) for gid in found), how=above.how)

    def is_receiver(self, owner: int, gid: int) -> bool:
        """Tell whether `gid` is an enumeration and `owner` a method for its members: the instance there is `self`, made by nobody."""
        universe = self._evaluator.universe
        return universe.kind[gid] == _ENUM and universe.parent[owner] == gid and not universe.flags[owner] & _STATIC

    def _glob(self, above: Path, pattern: str) -> Path:
        """Return the path of all members with a name that a pattern matches."""
        evaluator = self._evaluator
        holders: list[int] = []
        is_loose = False
        definitions: dict[int, int] = {}
        for atom in sorted(above.atoms, key=repr):
            if isinstance(atom, int) and self._has_members(atom >> 2):
                holders.append(atom >> 2)
                if pattern != "*":
                    definitions.update((gid, _GLOB_HOW) for gid in matching(evaluator, atom, pattern))
            elif atom is None or isinstance(atom, int):
                is_loose = True
        return Path(ANYTHING, tuple(definitions.items()), glob=pattern, holders=tuple(holders), is_glob_loose=is_loose, how=above.how)

    @property
    def member_names(self) -> Iterable[str]:
        """Return the names that members of the tree have."""
        return self._evaluator.universe.members_named

    def is_whole(self, gid: int) -> bool:
        """Tell whether a definition can be used as a whole: a class of any kind, a module."""
        return self._evaluator.universe.kind[gid] in _HOLDERS

    def _has_members(self, gid: int) -> bool:
        universe = self._evaluator.universe
        return universe.kind[gid] in _HOLDERS or gid in universe.members


def link_uses(labels: Labels, file: File, paths: Paths, rows: UseRows) -> None:
    """Add the rows of the uses of a file."""
    table = file.table
    texts = table.texts
    seen: set[tuple[int, int, int]] = set()
    passed: set[tuple[int, int, bool]] = set()
    order = sorted(range(len(table.use_owner)), key=table.use_line.__getitem__)
    for at in order:
        owner, kind, node, argument = table.use_owner[at], table.use_kind[at], table.use_target[at], table.use_argument[at]
        if argument < 0:
            if (owner, kind, node) in seen:
                continue
            seen.add((owner, kind, node))
        place = file.number << 32 | table.use_line[at]
        add_path(table, paths, rows, owner + file.first, kind, node, place, passed)
        if argument >= 0:
            path = paths.at(node)
            text = rows.texts(texts[argument])
            names = [*path.outside, *(labels.full_name(gid) for gid, _ in path.definitions)]
            for name in names:
                rows.arguments.setdefault((owner + file.first, rows.texts(name), text), place)


def add_path(
    table: NamesTable,
    paths: Paths,
    rows: UseRows,
    owner: int,
    kind: int,
    node: int,
    place: int,
    passed: set[tuple[int, int, bool]] | None = None,
) -> None:
    """Add the rows of one use: of the end of a path with the kind of the use, of what it passes as read or called.

    `passed` is for uses in the order of their places: the owners and nodes (and whether for types alone) below which all is added already.
    """
    names, texts = rows.names, rows.texts
    following: Path | None = None
    step_after = ""
    code = kind
    while True:
        path = paths.at(node)
        if following is not None and kind != _TYPE_ONLY:
            code = _CALL if step_after == CALL else _READ
        for gid, how in path.definitions:
            is_self = code == _CALL and following is not None and table.before[node] == ROOT and paths.is_receiver(owner, gid)
            names.add(owner, gid, (_READ if is_self else code) << 3 | how, place)
        if step_after == ELEMENT or (kind == _READ and following is None):
            for atom in path.atoms:
                if isinstance(atom, int) and atom & 3 == OBJECT and paths.is_whole(atom >> 2):
                    rows.wholes.setdefault((owner, atom >> 2), place)
        if path.modules:
            _add_whole(paths, rows, owner, path, code, step_after, is_end=following is None, place=place)
        if path.loose:
            rows.members.add(owner, texts(path.loose), code, place)
        if path.outside and (following is None or not following.outside):
            for name in path.outside:
                rows.outside.add(owner, texts(name), code, place)
        if path.glob:
            pattern = texts(path.glob)
            for holder in path.holders:
                rows.name_globs.setdefault((owner, holder, pattern), place)
            if path.is_glob_loose:
                rows.member_globs.add(owner, pattern, 0, place)
                for name in rows.fitting(path.glob, paths.member_names):
                    rows.members.add(owner, texts(name), _DYNAMIC, place)
        before = table.before[node]
        if before == ROOT:
            return
        if passed is not None:
            way = (owner, node, kind == _TYPE_ONLY)
            if way in passed:
                return
            passed.add(way)
        following, step_after = path, table.texts[table.step[node]]
        node = before


def _add_whole(paths: Paths, rows: UseRows, owner: int, path: Path, code: int, step_after: str, *, is_end: bool, place: int) -> None:
    """Add what is used with a module as a value: its default export when it is called, all its exports when it is handed on."""
    for module in path.modules:
        if code == _CALL and (is_end or step_after == CALL):
            for gid in paths.whole.default_of(module):
                rows.names.add(owner, gid, code << 3 | IMPORT, place)
        elif is_end and code != _WRITE:
            for gid in paths.whole.exports_of(module):
                rows.names.add(owner, gid, (code if code == _TYPE_ONLY else _DYNAMIC) << 3 | _GLOB_HOW, place)
