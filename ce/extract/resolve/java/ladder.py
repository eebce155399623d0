"""The ladder of Java: imports and references to types.

Rungs: 1 the qualified name of a type; 2 a shorter prefix of it, for nested types and static members, or a package, which is its
directory: the part in the own source root, else the only one; 3 a name by scope: a member type that an enclosing class inherits, a
single-type import, the own package, imports on demand; 4 a package that the JDK exports, a type of `java.lang`, a package of a dependency
that a build file declares, a name when nothing but packages of the JDK is imported on demand; 5 a text that spells a qualified name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ce.extract.resolve.answer import Answer, external, package, resolved, unresolved
from ce.extract.resolve.context import Context
from ce.extract.resolve.data.jdk_names import LANG_TYPES, PACKAGES
from ce.extract.resolve.java.builds import declared_groups, groups_hold
from ce.extract.resolve.java.table import LANGUAGE, Table
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.facts.records import Extraction, Site

__all__ = ["LADDER", "JavaTree", "prepare", "resolve_site"]

_EXACT, _PREFIX, _SCOPE, _EXTERNAL = 1, 2, 3, 4
_MAX_LEVELS = 32

_OUT = unresolved("out_of_scope")


class _Imports:
    """What a file imports: single names to qualified ones, types before static members, and what it imports on demand."""

    def __init__(self, extraction: Extraction) -> None:
        self.types: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.demand: list[tuple[str, bool]] = []
        for site in extraction.sites:
            if site.kind not in ("import", "import_star"):
                continue
            name = site.spec.removeprefix("static ")
            is_static = name != site.spec
            if site.kind == "import_star":
                self.demand.append((name, is_static))
            else:
                (self.members if is_static else self.types).setdefault(name.rpartition(".")[2], name)


class JavaTree:
    """The state of the ladder."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.table = Table(context)
        self.groups = declared_groups(context)
        self._imports: dict[str, _Imports] = {}
        self._names: dict[tuple[str, str, int], Answer] = {}
        self.looking: set[tuple[str, str, int]] = set()

    def imports(self, file: str) -> _Imports:
        """Return what a file imports."""
        known = self._imports.get(file)
        if known is None:
            known = self._imports[file] = _Imports(self.context.extractions[file])
        return known

    def by_scope(self, name: str, file: str, unit: int) -> Answer:
        """Return what a name of a type means in a unit of a file; what is looked up already means nothing."""
        key = (file, name, self._type_around(file, unit))
        known = self._names.get(key)
        if known is not None:
            return known
        if key in self.looking or len(self.looking) > _MAX_LEVELS:
            return _OUT
        self.looking.add(key)
        try:
            answer = _by_scope(name, file, key[2], self)
        finally:
            self.looking.discard(key)
        if not self.looking:  # inside another look-up the answer may have been cut short
            self._names[key] = answer
        return answer

    def _type_around(self, file: str, unit: int) -> int:
        units = self.context.extractions[file].units
        while unit >= 0 and units[unit].kind == "fn":
            unit = units[unit].parent
        return unit


def prepare(context: Context) -> JavaTree:
    """Return the state of the Java ladder for a tree."""
    return JavaTree(context)


def resolve_site(site: Site, file: str, tree: JavaTree) -> tuple[Answer, ...]:
    """Return what an import, a reference to a type or a literal class name means."""
    if not site.spec:
        return (unresolved("empty"),)
    if site.kind == "type_ref":
        return (type_named(site.spec, file, site.owner, tree),)
    name = site.spec.removeprefix("static ")
    if site.kind == "import_star":
        return (_on_demand(name, file, tree),)
    if site.kind == "dynamic_import":
        name = name.strip().replace("$", ".")
    return (_qualified(name, file, tree) or _outside(name, tree),)


def type_named(spec: str, file: str, unit: int, tree: JavaTree) -> Answer:
    """Return what a simple or a dotted name of a type means: a dotted one follows its head, else it is qualified."""
    head, dot, _ = spec.partition(".")
    if head in tree.table.files[file].types:
        return unresolved("own_unit")
    answer = tree.by_scope(head, file, unit)
    if not dot or answer.status == "resolved" or answer.reason.startswith("ambiguous"):
        return answer
    qualified = _qualified(spec, file, tree)
    if qualified is not None:
        return qualified
    return answer if answer.status == "external" else _outside(spec, tree)


def _qualified(name: str, file: str, tree: JavaTree) -> Answer | None:
    """Return the file of a qualified name, None when no type of the tree begins it."""
    found, rest = tree.table.qualified(name, file)
    if len(found) > 1:
        return unresolved("ambiguous_root", candidates=tuple(sorted(found)), could=tuple(sorted(found)))
    if not found:
        return None
    if found[0] == file:
        return unresolved("own_unit")
    return resolved(found[0], _PREFIX if rest else _EXACT, names=(name.rpartition(".")[2],))


def _on_demand(name: str, file: str, tree: JavaTree) -> Answer:
    """Return what `name.*` imports from: a package of the tree, else a type."""
    directories = tree.table.package_in(name, file)
    if len(directories) == 1:
        return package(directories[0], _PREFIX)
    if directories:
        could = tuple(sorted(path for each in directories for path in tree.context.children.get(each, ()) if path in tree.table.files))
        return unresolved("ambiguous_root", candidates=tuple(f"{each}/" for each in sorted(directories)), could=could)
    found, _ = tree.table.qualified(name, file)
    if len(found) > 1:
        return unresolved("ambiguous_root", candidates=tuple(sorted(found)), could=tuple(sorted(found)))
    if found:
        return unresolved("own_unit") if found[0] == file else resolved(found[0], _PREFIX, names=("*",))
    return _outside(name, tree)


def _outside(name: str, tree: JavaTree) -> Answer:
    """Return whether a qualified name is that of something outside of the tree for certain."""
    if _jdk_prefix(name) or groups_hold(tree.groups, name):
        return external(_EXTERNAL)
    return _OUT


@lru_cache(maxsize=65_536)
def _jdk_prefix(name: str) -> bool:
    while name:
        if name in PACKAGES:
            return True
        name = name.rpartition(".")[0]
    return False


# --- names by scope


def _by_scope(name: str, file: str, unit: int, tree: JavaTree) -> Answer:
    inherited = _inherited(name, file, unit, tree)
    if inherited is not None:
        return inherited
    imports = tree.imports(file)
    for written in (imports.types.get(name), imports.members.get(name)):
        if written is not None:
            answer = _qualified(written, file, tree) or _outside(written, tree)
            return resolved(answer.target, _SCOPE) if answer.status == "resolved" else answer
    own = _one_of(tree.table.type_in(tree.table.files[file].package, name, file), file)
    if own is not None:
        return own
    hits: set[str] = set()
    outside = []
    for written, _ in imports.demand:
        found = _directly_in(written, name, file, tree)
        if found is None:
            outside.append(written)
        hits.update(found or ())
    demanded = _one_of(tuple(sorted(hits)), file)
    if demanded is not None:
        return demanded
    if name in LANG_TYPES or (outside and all(_jdk_prefix(written) for written in outside)):
        return external(_EXTERNAL)
    return _OUT


def _one_of(found: tuple[str, ...], file: str) -> Answer | None:
    if len(found) > 1:
        return unresolved("ambiguous_paths", candidates=tuple(sorted(found)), could=tuple(sorted(found)))
    if not found:
        return None
    return unresolved("own_unit") if found[0] == file else resolved(found[0], _SCOPE)


def _directly_in(written: str, name: str, file: str, tree: JavaTree) -> tuple[str, ...] | None:
    """Return the files where an import on demand finds a name; None when what it names is not in the tree."""
    found = tree.table.type_in(written, name, file)
    if found or tree.table.package_in(written, file):
        return found
    holders, rest = tree.table.qualified(written, file)
    if not holders:
        return None
    inner = ".".join((written.rpartition(".")[2] if not rest else f"{_top(written, rest)}.{rest}", name))
    return tuple(path for path in holders if inner in tree.table.files[path].types)


def _top(written: str, rest: str) -> str:
    return written[: -len(rest) - 1].rpartition(".")[2]


def _inherited(name: str, file: str, unit: int, tree: JavaTree) -> Answer | None:
    """Return the member type of that name which an enclosing class inherits: the innermost class first, then the nearest supertypes."""
    units = tree.context.extractions[file].units
    while unit >= 0:
        level = [(file, unit)]
        seen = {(file, unit)}
        for _ in range(_MAX_LEVELS):
            level = [at for at in _supertypes(level, tree) if at not in seen]
            seen.update(level)
            hits = {path for path, index in level if _declares(path, index, name, tree)}
            if hits:
                return _one_of(tuple(sorted(hits)), file)
            if not level:
                break
        unit = units[unit].parent
    return None


def _supertypes(level: list[tuple[str, int]], tree: JavaTree) -> Iterator[tuple[str, int]]:
    """Yield the types of the tree that types name as their bases."""
    for file, unit in level:
        here = tree.context.extractions[file].units[unit]
        for base in here.bases:
            base = base.partition("<")[0].strip()
            own = tree.table.files[file].types
            nested = next((own[each] for each in _spellings(base, file, unit, tree) if each in own), -1)
            if nested >= 0:
                yield file, nested
                continue
            answer = type_named(base, file, here.parent, tree)
            if answer.status == "resolved" and answer.target in tree.table.files:
                types = tree.table.files[answer.target].types
                last = base.rpartition(".")[2]
                index = types.get(last, next((types[each] for each in types if each.endswith("." + last)), -1))
                if index >= 0:
                    yield answer.target, index


def _spellings(base: str, file: str, unit: int, tree: JavaTree) -> Iterator[str]:
    """Yield the dotted names that a base can have in its own file, seen from a unit, the innermost first."""
    units = tree.context.extractions[file].units
    names = []
    at = units[unit].parent
    while at >= 0:
        names.append(units[at].name)
        at = units[at].parent
    for start in range(len(names)):
        yield ".".join([*reversed(names[start:]), base])
    yield base


def _declares(file: str, unit: int, name: str, tree: JavaTree) -> bool:
    types = tree.table.files[file].types
    around = next((written for written, index in types.items() if index == unit), "")
    return bool(around) and f"{around}.{name}" in types


def _conventions(tree: JavaTree) -> Conventions:
    from ce.extract.resolve.java.conventions import conventions

    return conventions(tree)


LADDER = Ladder((LANGUAGE,), prepare, resolve_site, _conventions)
