"""The tree of modules: which file each `mod x;` means, from the crate roots down, and what every module holds.

A module is a `Module`: a file and the names of the modules with a body that lead to it inside the file. Where `mod x;` is looked for
depends on how its own file was reached: beside a crate root, a `mod.rs` and a file that an attribute names, in a directory of its name
below any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.facts.records import Extraction, Site

__all__ = ["Contents", "Module", "ModuleTree", "text_list"]

_OWNERS = frozenset({"mod.rs", "lib.rs", "main.rs"})


@dataclass(frozen=True, slots=True, order=True)
class Module:
    """A module: a file, and the path of modules with a body inside it."""

    file: str
    inside: tuple[str, ...] = ()


@dataclass(slots=True)
class Contents:
    """What a module holds: modules in other files, modules in this one, names it defines, names it takes, globs.

    A taken name has the path as written. `local` are the names that functions of the module define or take.
    """

    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    taken: dict[str, list[str]] = field(default_factory=dict)
    globs: list[str] = field(default_factory=list)


class ModuleTree:
    """Every file of the tree as modules: `roots_of` are the crate roots that reach a file, `parents` the modules around it."""

    def __init__(self, context: Context, files: Iterable[str], roots: Iterable[str]) -> None:
        self.context = context
        self.files = list(files)
        self.roots = list(dict.fromkeys(roots))
        self._directories: dict[str, set[str]] = {}
        self._contents: dict[str, dict[tuple[str, ...], Contents]] = {}
        self.roots_of: dict[str, set[str]] = {}
        self.parents: dict[str, set[Module]] = {}
        self._reach()

    def declared(self, file: str, site: Site, inside: tuple[str, ...]) -> tuple[str, ...]:
        """Return the files that a module declaration in the file can mean, in order; there should be one."""
        extra = self.context.extractions[file].extra
        paths = text_list(extra.get("paths"), str(site.line))
        found = []
        for place in sorted(self._places(file, inside)):
            # Outside of modules with a body, an attribute counts from the directory of the file.
            start = place if inside else directory_of(file)
            found += [normal_path(join(start, path.replace("\\", "/"))) for path in paths if path]
            if not paths or "" in paths:
                found += [join(place, f"{site.spec}.rs"), join(place, f"{site.spec}/mod.rs")]
        return tuple(dict.fromkeys(path for path in found if path is not None and self.context.exists(path)))

    def has_alternatives(self, file: str, site: Site) -> bool:
        """Return whether attributes under conditions give the declaration several places, each of which is meant by some build."""
        return len(text_list(self.context.extractions[file].extra.get("paths"), str(site.line))) > 1

    def contents(self, module: Module) -> Contents:
        """Return what the module holds; nothing for one that does not exist."""
        return self._of_file(module.file).get(module.inside, _NOTHING)

    def inside_of(self, extraction: Extraction, owner: int) -> tuple[str, ...]:
        """Return the modules with a body that a unit stands in, outermost first, itself included."""
        names = []
        while owner >= 0:
            unit = extraction.units[owner]
            if unit.declares == "module":
                names.append(unit.name)
            owner = unit.parent
        return tuple(reversed(names))

    def parent(self, module: Module) -> set[Module]:
        """Return the modules that hold this one: one, unless several crates share the file."""
        if module.inside:
            return {Module(module.file, module.inside[:-1])}
        return self.parents.get(module.file, set())

    def covering_roots(self, file: str) -> list[str]:
        """Return the crate roots whose module tree holds the file; for a file that none reaches, those in the nearest directory above."""
        reached = self.roots_of.get(file)
        if reached:
            return sorted(reached)
        directory = directory_of(file)
        while True:
            near = [root for root in self.roots if directory_of(root) == directory]
            if near or not directory:
                return sorted(near)
            directory = directory_of(directory)

    # ---

    def _places(self, file: str, inside: tuple[str, ...]) -> set[str]:
        """Return the directories where the modules of a file stand, below the modules with a body that lead there."""
        extra = self.context.extractions[file].extra
        moved = extra.get("inline_paths")
        steps = list(inside)
        if isinstance(moved, dict):
            for unit in self.context.extractions[file].units:
                path = moved.get(str(unit.start))
                if unit.declares == "module" and isinstance(path, str) and unit.name in steps:
                    steps[steps.index(unit.name)] = path
        bases = self._directories.get(file) or {self._usual(file)}
        return {normal_path("/".join((base, *steps))) or "" for base in bases}

    def _usual(self, file: str) -> str:
        name = base_name(file)
        return directory_of(file) if name in _OWNERS else file.removesuffix(".rs")

    def _reach(self) -> None:
        """Walk from every crate root along module declarations and included code."""
        waiting: deque[tuple[str, str]] = deque()
        for root in self.roots:
            if root in self.context.extractions:
                self._directories.setdefault(root, set()).add(directory_of(root))
                self.roots_of.setdefault(root, set()).add(root)
                waiting.append((root, root))
        while waiting:
            file, root = waiting.popleft()
            extraction = self.context.extractions[file]
            for site in extraction.sites:
                if site.kind == "mod_decl":
                    inside = self.inside_of(extraction, site.owner)
                    targets = self.declared(file, site, inside)
                elif site.kind == "include" and site.spec.endswith(".rs"):
                    inside = self.inside_of(extraction, site.owner)
                    target = normal_path(join(directory_of(file), site.spec))
                    targets = (target,) if target is not None else ()
                else:
                    continue
                is_named = bool(text_list(extraction.extra.get("paths"), str(site.line)))
                for target in targets:
                    if target not in self.context.extractions or self.context.files[target] != "rust":
                        continue
                    place = directory_of(target) if is_named or base_name(target) == "mod.rs" else target.removesuffix(".rs")
                    known = self._directories.setdefault(target, set())
                    reached = self.roots_of.setdefault(target, set())
                    holders = self.parents.setdefault(target, set())
                    is_new = root not in reached or place not in known
                    known.add(place)
                    reached.add(root)
                    holders.add(Module(file, inside))
                    if is_new:
                        waiting.append((target, root))
        self._contents.clear()

    def _of_file(self, file: str) -> Mapping[tuple[str, ...], Contents]:
        known = self._contents.get(file)
        if known is None:
            known = self._contents[file] = self._read(file)
        return known

    def _read(self, file: str) -> dict[tuple[str, ...], Contents]:
        extraction = self.context.extractions.get(file)
        if extraction is None or self.context.files.get(file) != "rust":
            return {}
        found: dict[tuple[str, ...], Contents] = {(): Contents()}
        for unit in extraction.units:
            around = self.inside_of(extraction, unit.parent)
            contents = found.setdefault(around, Contents())
            if unit.declares == "module":
                contents.inside.add(unit.name)
                found.setdefault((*around, unit.name), Contents())
            elif unit.name and unit.declares not in ("method", "expression"):
                contents.defined.add(unit.name)
        for site in extraction.sites:
            inside = self.inside_of(extraction, site.owner)
            contents = found.setdefault(inside, Contents())
            if site.kind == "mod_decl":
                targets = self.declared(file, site, inside)
                contents.files[site.spec] = tuple(dict.fromkeys((*contents.files.get(site.spec, ()), *targets)))
            elif site.kind == "use":
                for path, local in site.names:
                    if local == "*":
                        contents.globs.append(path.removesuffix("::*"))
                    elif local != "_":
                        contents.taken.setdefault(local, []).append(path)
        return found


_NOTHING = Contents()


def text_list(value: object, key: str) -> list[str]:
    """Return the texts at a key of a JSON object of lists."""
    listed = value.get(key) if isinstance(value, dict) else None
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
