"""What paths mean: each step from atoms to definitions and further atoms.

The members of a class are found by its resolution order; those that subclasses redefine count for what a value can be, because an
object may be one of theirs. Nothing is guessed: what nothing shows is the atom None, and a member of it is told as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ce.extract.names.link.atoms import (
    INSTANCE,
    OBJECT,
    PLATFORM,
    SUPER_OF,
    Atom,
    called_outside,
    collection,
    element_outside,
    is_instance_outside,
    member_of_collection,
    member_outside,
)
from ce.extract.names.link.hierarchy import CLASSES, Base, Hierarchy
from ce.extract.names.link.lookup import Lookup
from ce.extract.names.link.stdlib import stdlib_has
from ce.extract.names.link.universe import FUNCTIONS, KIND, File
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, GLOB, SUPER, UNKNOWN, UNSCOPED
from ce.extract.names.table import ROOT

__all__ = ["ANYTHING", "HIERARCHY", "IMPORT", "MOST_ATOMS", "RECEIVER", "SCOPE", "VALUE", "Evaluator", "Found"]

SCOPE, IMPORT, HIERARCHY, RECEIVER, VALUE = range(5)  # how a definition was found, in the order of the vocabulary `how`

ANYTHING: frozenset[Atom] = frozenset({None})
_NOTHING: frozenset[Atom] = frozenset()
MOST_ATOMS = 24  # atoms of one value: with more it could be anything
_MODULE = KIND["module"]
_THEMSELVES = frozenset({*CLASSES, KIND["module"], KIND["namespace"], KIND["function"], KIND["method"], KIND["macro"]})
_CALLED = frozenset({KIND["function"], KIND["method"]})
_ENUM, _ENUM_MEMBER = KIND["enum"], KIND["enum_member"]
_COLLECTIONS = frozenset({COLLECTION, "[*]"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a member of an atom is.

    `definitions` are used by whoever names it. `virtual` are those of subclasses, which count for its value only. `atoms` are modules and
    things outside. `is_loose`: it could be a member of anything of that name.
    """

    definitions: tuple[int, ...] = ()
    how: int = IMPORT
    is_loose: bool = False
    virtual: tuple[int, ...] = ()
    atoms: tuple[Atom, ...] = ()


_LOOSE = Found(is_loose=True, atoms=(None,))


class Evaluator:
    """Steps over the definitions of a tree. `values_of` gives what a definition was given or gives when it is called."""

    def __init__(self, lookup: Lookup, scripts: dict[str, tuple[int, ...]]) -> None:
        """Take the names of modules, and the definitions of scripts that share one scope by name."""
        self.lookup = lookup
        self.universe = lookup.universe
        self.scripts = scripts
        self.hierarchy = Hierarchy(self.universe, self._bases)
        self.values_of: Callable[[int], frozenset[Atom]] = self._values_before
        self._active: set[int] = set()
        self._found: dict[tuple[Atom, str], Found] = {}

    def forget(self) -> None:
        """Forget what was found while not all bases were known."""
        self._found.clear()

    # --- definitions as atoms

    def atoms_of(self, definitions: Iterable[int]) -> set[Atom]:
        """Return what definitions are as values."""
        universe = self.universe
        kinds, members = universe.kind, universe.members
        found: set[Atom] = set()
        for gid in definitions:
            kind = kinds[gid]
            if kind in _THEMSELVES:
                found.add(gid << 2 | OBJECT)
            elif self.lookup.is_alias(gid):
                bound = self.lookup.imported(gid)
                found |= self.atoms_of(bound.definitions)
                found.update(bound.atoms)
            elif kind == _ENUM_MEMBER:
                found.add(universe.parent[gid] << 2 | INSTANCE)
            else:
                if gid in members:
                    found.add(gid << 2 | OBJECT)
                    if not universe.file_of(gid).table.values.get(gid - universe.file_of(gid).first):
                        continue
                found |= self.values_of(gid)
        return found

    def _bases(self, gid: int) -> list[Base]:
        file = self.universe.file_of(gid)
        found: list[Base] = []
        for node in file.table.bases.get(gid - file.first, ()):
            atoms = self.node_values(file, node)
            for atom in sorted(atoms, key=repr) or [None]:
                if isinstance(atom, int) and atom & 3 == OBJECT and self.universe.kind[atom >> 2] in CLASSES:
                    found.append(atom >> 2)
                elif isinstance(atom, str) and not atom.startswith("/"):
                    if atom[2:] != "builtins.object":
                        found.append(atom[2:])
                else:
                    found.append(None)
        return found

    def _values_before(self, gid: int) -> frozenset[Atom]:
        """Return the value of a definition without keeping it, for the bases of classes."""
        if gid in self._active:
            return _NOTHING
        self._active.add(gid)
        found = self.evaluated(gid)
        self._active.discard(gid)
        return found

    def evaluated(self, gid: int) -> frozenset[Atom]:
        """Return the union of what a definition was given; anything when nothing is known."""
        file = self.universe.file_of(gid)
        nodes = file.table.values.get(gid - file.first)
        if not nodes:
            return ANYTHING
        found: set[Atom] = set()
        for node in nodes:
            found |= self.node_values(file, node)
        return frozenset(found)

    # --- paths

    def node_values(self, file: File, node: int) -> frozenset[Atom]:
        """Return what a path of a file can be."""
        table = file.table
        steps = []
        before = table.before[node]
        while before != ROOT:
            steps.append(table.texts[table.step[node]])
            node = before
            before = table.before[node]
        base = table.step[node]
        atoms: set[Atom] | frozenset[Atom]
        if base == UNSCOPED:
            if not steps:
                return ANYTHING
            found = self.unscoped(file, steps.pop())
            atoms = self.atoms_of(found.definitions) | set(found.atoms)
        elif base == UNKNOWN:
            atoms = ANYTHING
        else:
            atoms = self.atoms_of((base + file.first,))
        for step in reversed(steps):
            atoms = self.step(atoms, step)
        return frozenset(atoms)

    def step(self, atoms: Iterable[Atom], step: str) -> set[Atom]:
        """Return what a step from atoms gives."""
        found: set[Atom] = set()
        if step == CALL:
            for atom in atoms:
                found.update(self.called(atom))
        elif step == ELEMENT:
            for atom in atoms:
                found.update(self.element(atom))
        elif step == SUPER:
            found.update(atom | SUPER_OF if isinstance(atom, int) and atom & 3 < SUPER_OF else None for atom in atoms)
        elif step in _COLLECTIONS:
            found.update(collection(atom) for atom in atoms)
        elif step.startswith(GLOB):
            found.add(None)
        elif step == "__subclasses__":
            for atom in atoms:
                below = self.hierarchy.below.get(atom >> 2, frozenset()) if isinstance(atom, int) else frozenset()
                # The members of the class itself are what its subclasses are asked for.
                found.update((collection(gid << 2 | OBJECT), step) for gid in below)
                found.add((collection(atom), step) if below else None)
        else:
            for atom in atoms:
                one = self.member(atom, step)
                found.update(one.atoms)
                if one.definitions or one.virtual:
                    found |= self.atoms_of((*one.definitions, *one.virtual))
        return found if len(found) <= MOST_ATOMS else {None}

    def called(self, atom: Atom) -> Iterable[Atom]:
        """Return what calling an atom gives."""
        if isinstance(atom, str):
            return (called_outside(atom),) if not atom.startswith("/") else ANYTHING
        if isinstance(atom, tuple):
            return (atom[0],) if len(atom) == 2 else ANYTHING  # type: ignore[return-value]  # what is in a collection is an atom
        if atom is None:
            return ANYTHING
        gid, tag = atom >> 2, atom & 3
        kind = self.universe.kind[gid]
        if tag == SUPER_OF:
            return (atom,)
        if tag == INSTANCE:
            return self._result(atom, "__call__")
        if kind in CLASSES:
            return (gid << 2 | INSTANCE,)
        if kind in _CALLED:
            return self.values_of(gid)
        if kind == _MODULE:
            bound = self.lookup.member(atom, "default")
            return self.step(self.atoms_of(bound.definitions), CALL) if bound.definitions else ANYTHING
        return ANYTHING

    def element(self, atom: Atom) -> Iterable[Atom]:
        """Return what an element of an atom is."""
        if isinstance(atom, tuple):
            return (atom[0],) if len(atom) == 1 else ANYTHING  # type: ignore[return-value]  # what is in a collection is an atom
        if isinstance(atom, str):
            return (element_outside(atom),) if not atom.startswith("/") else ANYTHING
        if atom is None:
            return ANYTHING
        gid, tag = atom >> 2, atom & 3
        if tag == OBJECT and self.universe.kind[gid] in CLASSES:
            return (gid << 2 | (INSTANCE if self.universe.kind[gid] == _ENUM else OBJECT),)
        if tag == INSTANCE:
            found = {*self._result(atom, "__getitem__")}
            for one in self._result(atom, "__iter__"):
                if one != atom:
                    found |= {*self.element(one)} if isinstance(one, tuple | str) or one is None else {*self._result(one, "__next__")}
            found.discard(None)
            return found or ANYTHING
        return ANYTHING

    def _result(self, atom: Atom, name: str) -> Iterable[Atom]:
        """Return what calling a method of an instance gives."""
        found = self.member(atom, name)
        result: set[Atom] = set()
        for gid in (*found.definitions, *found.virtual):
            result |= self.values_of(gid) if self.universe.kind[gid] in FUNCTIONS else {None}
        return result or ANYTHING

    def unscoped(self, file: File, name: str) -> Found:
        """Return what a name is that no scope of its file binds."""
        if file.is_python:
            for modules in self.lookup.stars(file):
                for module in modules:
                    if isinstance(module, int) and self.lookup.is_public(self.universe.file_of(module >> 2), name):
                        bound = self.lookup.member(module, name)
                        if bound:
                            return Found((*bound.passed, *bound.definitions), IMPORT, atoms=tuple(bound.atoms))
            outside = [m for modules in self.lookup.stars(file) for m in modules if isinstance(m, str) and not m.startswith("/")]
            atom, _ = member_outside("m:builtins", name)
            if isinstance(atom, str) and atom[0] != "c" and outside:
                return Found(atoms=tuple(dict.fromkeys(member_outside(module, name)[0] for module in outside)))
            return Found(atoms=(atom,))
        shared = self.scripts.get(name, ())
        return Found(shared, SCOPE) if shared else Found(atoms=(member_outside(PLATFORM, name)[0],))

    # --- members

    def member(self, atom: Atom, name: str) -> Found:
        """Return what a member of an atom is."""
        known = self._found.get((atom, name))
        if known is None:
            known = self._found[atom, name] = self._member(atom, name)
        return known

    def _member(self, atom: Atom, name: str) -> Found:
        if atom is None:
            return _LOOSE
        if isinstance(atom, tuple):
            inner, is_loose = member_of_collection(atom, name)
            return Found(is_loose=is_loose, atoms=(inner,))
        if isinstance(atom, str):
            if atom.startswith("/"):
                below = self.lookup.modules.below(atom, name)
                return Found(tuple(one >> 2 for one in below if isinstance(one, int)), atoms=below) if below else _LOOSE
            outside, is_loose = member_outside(atom, name)
            return Found(is_loose=is_loose or (is_instance_outside(atom) and self._is_added_below(name)), atoms=(outside,))
        gid, tag = atom >> 2, atom & 3
        if tag == SUPER_OF:
            members, beyond = self.hierarchy.after(gid, name)
            return self._of_class(members, (), beyond, name, HIERARCHY)
        kind = self.universe.kind[gid]
        if kind == _MODULE:
            return self._of_module(atom, name)
        if kind in CLASSES:
            return self._of_instance(gid, name)
        own = self.universe.members.get(gid, {}).get(name, ())
        if own:
            return Found(own, VALUE)
        return self._of_decorated(gid, name) if kind in FUNCTIONS else _LOOSE

    def _is_added_below(self, name: str) -> bool:
        """Tell whether a class of the tree that derives from one outside has a member of that name: an instance may be one of it."""
        parent, kind = self.universe.parent, self.universe.kind
        holders = (parent[gid] for gid in self.universe.members_named.get(name, ()))
        return any(not isinstance(base, int) for gid in holders if kind[gid] in CLASSES for base in self.hierarchy.order(gid))

    def _of_module(self, atom: int, name: str) -> Found:
        bound = self.lookup.member(atom, name)
        definitions = dict.fromkeys((*bound.passed, *bound.definitions))
        atoms = dict.fromkeys(bound.atoms)
        # `import a.b` makes `b` a member of `a`, whatever else the package binds to that name.
        for below in self.lookup.modules.below(atom, name):
            atoms[below] = None
        definitions.update((one >> 2, None) for one in atoms if isinstance(one, int))
        if not bound.definitions and not atoms:
            return self._of_default(atom, name) or (Found() if name.startswith("__") else _LOOSE)
        return Found(tuple(definitions), IMPORT, atoms=tuple(atoms))

    def _of_default(self, atom: int, name: str) -> Found | None:
        """Return the member of what a module of CommonJS exports as a whole."""
        bound = self.lookup.member(atom, "default") if not self.universe.file_of(atom >> 2).is_python and name != "default" else None
        if bound is None or not bound.definitions:
            return None
        definitions = dict.fromkeys((*bound.passed, *bound.definitions))
        atoms: dict[Atom, None] = {}
        is_loose = False
        for one in sorted(self.atoms_of(bound.definitions), key=repr):
            if one != atom:
                found = self.member(one, name)
                definitions.update(dict.fromkeys(found.definitions))
                atoms.update(dict.fromkeys(found.atoms))
                is_loose = is_loose or found.is_loose
        return Found(tuple(definitions), IMPORT, is_loose or not atoms, atoms=tuple(atoms) or (None,))

    def _of_instance(self, gid: int, name: str) -> Found:
        order = self.hierarchy.order(gid)
        members, beyond = self.hierarchy.find(order, name)
        virtual = self.hierarchy.redefined_below(gid, name)
        if members:
            how = RECEIVER if self.universe.parent[members[0]] == gid else HIERARCHY
            return Found(members, how, None in beyond, virtual)
        mixed = self.hierarchy.mixed_in(gid, name)
        if mixed:
            return Found(mixed, HIERARCHY, None in beyond)
        return self._of_class((), virtual, beyond, name, HIERARCHY)

    def _of_class(self, members: tuple[int, ...], virtual: tuple[int, ...], beyond: tuple[Base, ...], name: str, how: int) -> Found:
        """Return members found, or where there are none what the classes outside say of them."""
        if members:
            return Found(members, how, None in beyond, virtual)
        if name.startswith("__") and name.endswith("__"):
            return Found(how=how, atoms=(None,))
        outside = tuple(f"a:{base}.{name}" for base in beyond if isinstance(base, str) and stdlib_has(base, name) is not False)
        is_known = any(isinstance(base, str) and stdlib_has(base, name) for base in beyond)
        return Found(how=how, is_loose=not is_known, virtual=virtual, atoms=outside or (None,))

    def _of_decorated(self, gid: int, name: str) -> Found:
        """Return the member of a decorated function: what its decorators from outside made of it."""
        file = self.universe.file_of(gid)
        outside: dict[Atom, None] = {}
        for node in file.table.decorators.get(gid - file.first, ()):
            for atom in self.node_values(file, node):
                if isinstance(atom, str) and not atom.startswith("/"):
                    outside[f"a:{atom[2:]}.{name}"] = None
        return Found(is_loose=True, atoms=tuple(outside) or (None,))
