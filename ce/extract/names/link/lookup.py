"""Names of modules: what an import is bound to, over re-exports, barrels and imports of all names."""

from __future__ import annotations

from dataclasses import dataclass, field

from ce.extract.names.link.atoms import Atom, member_outside
from ce.extract.names.link.modules import Modules
from ce.extract.names.link.universe import FLAG, KIND, File

__all__ = ["Bound", "Lookup"]

_EXPORTED = FLAG["exported"]


@dataclass(slots=True)
class Bound:
    """What a name is bound to: definitions of the tree, atoms that are modules or outside, and the imports and exports on the way."""

    definitions: dict[int, None] = field(default_factory=dict)
    atoms: dict[Atom, None] = field(default_factory=dict)
    passed: dict[int, None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Tell whether anything was found."""
        return bool(self.definitions or self.atoms)


class Lookup:
    """Names of the modules of a tree; what was asked for once is kept."""

    def __init__(self, modules: Modules) -> None:
        """Take the modules."""
        self.modules = modules
        self.universe = modules.universe
        self._imports: dict[int, Bound] = {}
        self._members: dict[tuple[Atom, str], Bound] = {}

    def imported(self, gid: int) -> Bound:
        """Return what an import, or an export of what stands in another module, is bound to."""
        known = self._imports.get(gid)
        if known is None:
            known = self._imports[gid] = Bound()
            self._follow(gid, known, set())
        return known

    def member(self, module: Atom, name: str) -> Bound:
        """Return what a module calls `name`."""
        known = self._members.get((module, name))
        if known is None:
            known = self._members[module, name] = Bound()
            self._find(module, name, known, set())
        return known

    def is_alias(self, gid: int) -> bool:
        """Tell whether the definition is an import, or an export of what stands in another module."""
        file = self.universe.file_of(gid)
        return gid - file.first in file.table.imported

    def modules_of(self, gid: int) -> tuple[Atom, ...]:
        """Return the modules that the specifier of an import names as a whole."""
        file = self.universe.file_of(gid)
        spec, line, *_ = file.table.imported[gid - file.first]
        return self.modules.meaning(file, line, file.table.texts[spec])

    def stars(self, file: File) -> list[tuple[Atom, ...]]:
        """Return the modules that the file takes all names of."""
        texts = file.table.texts
        return [self.modules.meaning(file, line, texts[spec]) for spec, line, _, _ in file.table.stars]

    def is_public(self, file: File, name: str) -> bool:
        """Tell whether an import of all names takes this one."""
        if not file.is_python:
            return name != "default"
        exports = self.modules.exports.get(file.path)
        return name in exports if exports is not None else not name.startswith("_")

    def _follow(self, gid: int, found: Bound, seen: set[tuple[Atom, str]]) -> None:
        """Add what the import is bound to."""
        file = self.universe.file_of(gid)
        texts = file.table.texts
        spec_text, line, name_text, depth = file.table.imported[gid - file.first]
        spec, name = texts[spec_text], texts[name_text]
        for module in self.modules.meaning(file, line, spec):
            if not name or name == "*":
                atoms = self.modules.leading(module, spec, depth) if depth else (module,)
                found.atoms.update(dict.fromkeys(atoms))
            elif not self._find(module, name, found, seen):
                found.atoms[None] = None  # the name is made at run time

    def _find(self, module: Atom, name: str, found: Bound, seen: set[tuple[Atom, str]]) -> bool:
        """Add what a module calls `name`; return whether it calls anything so."""
        if module is None or isinstance(module, tuple):
            return False
        if isinstance(module, str) and not module.startswith("/"):
            found.atoms[module if name == "default" else member_outside(module, name)[0]] = None
            return True
        modules = self.modules
        if (module, name) in seen:
            # `from . import part` in the `__init__` of a package is the module `part`.
            return self._add_modules(modules.below(module, name), found)
        seen.add((module, name))
        if isinstance(module, str):
            return self._add_modules(modules.below(module, name), found)
        gid = module >> 2
        file = self.universe.file_of(gid)
        is_found = False
        for definition in self._offered(file, gid, name):
            if self.is_alias(definition):
                found.passed[definition] = None
                self._follow(definition, found, seen)
            else:
                found.definitions[definition] = None
            is_found = True
        if file.is_python and not is_found:
            is_found = self._add_modules(modules.below(module, name), found)
        if not is_found and file.table.stars:
            is_found = self._find_in_stars(file, name, found, seen)
        if not is_found and not file.is_python and name != "default":
            is_found = self._find_in_default(gid, name, found)
        if not is_found and not file.is_python and name == "default":
            found.atoms[module] = None  # a module that exports in the way of CommonJS
            is_found = True
        return is_found

    def _find_in_default(self, gid: int, name: str, found: Bound) -> bool:
        """Add the member of what a module of CommonJS exports as a whole, and pass that."""
        is_found = False
        for default in self.universe.members.get(gid, {}).get("default", ()):
            found.passed[default] = None
            for member in self.universe.members.get(default, {}).get(name, ()):
                found.definitions[member] = None
                is_found = True
        return is_found

    def _offered(self, file: File, gid: int, name: str) -> tuple[int, ...]:
        """Return the definitions of that name in the body of a file; of a module with exports, the exported ones."""
        here = self.universe.members.get(gid, {}).get(name, ())
        if file.is_python or not here:
            return here
        kind, flags = self.universe.kind, self.universe.flags
        exports = tuple(one for one in here if kind[one] == KIND["export"])
        return exports or tuple(one for one in here if flags[one] & _EXPORTED) or here

    def _add_modules(self, atoms: tuple[Atom, ...], found: Bound) -> bool:
        found.atoms.update(dict.fromkeys(atoms))
        return bool(atoms)

    def _find_in_stars(self, file: File, name: str, found: Bound, seen: set[tuple[Atom, str]]) -> bool:
        is_found = False
        outside: list[str] = []
        for modules in self.stars(file):
            for module in modules:
                if isinstance(module, int):
                    if self.is_public(self.universe.file_of(module >> 2), name):
                        is_found = self._find(module, name, found, seen) or is_found
                elif isinstance(module, str) and not module.startswith("/"):
                    outside.append(module)
        if not is_found and name != "default" and not name.startswith("_"):
            for module in outside:
                found.atoms[member_outside(module, name)[0]] = None
                is_found = True
        return is_found
