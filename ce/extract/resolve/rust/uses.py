"""What `mod`, `use` and `include!` of Rust mean.

Rungs: 1 `mod x;`, the file it declares, and a file that a macro includes, relative to the one it stands in or to the package; 2 a path
from `crate`; 3 one from `self` or `super`, or from a name that the module itself declares, takes or defines; 4 the name of a crate: of the
compiler, of a package in the tree, which is entered at its library, or of a dependency.

A path goes down as far as modules lead. What then remains is an item of the last module: when that module only hands it on, the module
with the definition is reached too. A path that ends in several modules, because a file belongs to several crates or a module has a
file for each platform, is ambiguous.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ce.extract.resolve.answer import Answer, external, resolved, unresolved
from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.extract.resolve.data import rust_crates
from ce.extract.resolve.roles import is_within_reach
from ce.extract.resolve.rust.cargo import Dependency, Package, read_packages
from ce.extract.resolve.rust.modules import Module, ModuleTree
from ce.facts.records import Site
from ce.source.globs import matcher

__all__ = ["LANGUAGE", "RustTree", "prepare", "resolve_site"]

LANGUAGE = "rust"
_DECLARED, _CRATE, _OWN, _NAMED = 1, 2, 3, 4
_MAX_HOPS = 12  # of names that stand for other names


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads: a file and perhaps the file with the definition behind it, something outside, or a reason."""

    status: str
    rung: int = 0
    file: str = ""
    behind: tuple[str, ...] = ()
    reason: str = ""
    candidates: tuple[str, ...] = ()


_OUT = Found("unresolved", reason="out_of_scope")


class RustTree:
    """The state of the ladder: packages, the tree of modules, which macros each crate offers."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.files = context.files_of(LANGUAGE)
        self.packages: tuple[Package, ...] = read_packages(context)
        self.by_directory: Mapping[str, Package] = {package.directory: package for package in self.packages}
        self.by_library: dict[str, list[Package]] = {}
        self.by_name: dict[str, list[Package]] = {}
        for package in self.packages:
            if package.library:
                self.by_library.setdefault(package.library, []).append(package)
            self.by_name.setdefault(package.name, []).append(package)
        self.modules = ModuleTree(context, self.files, self.crate_roots)
        self._owners: dict[str, Package | None] = {}

    @cached_property
    def crate_roots(self) -> tuple[str, ...]:
        """The crate roots: of every package, from the settings, and, in a tree without manifests, by their names at the top."""
        roots = [root.path for package in self.packages for root in package.roots]
        roots += [path for path in self.context.inputs.crate_roots if self.context.files.get(path) == LANGUAGE]
        if not self.packages:
            roots += [path for path in ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs") if self.context.files.get(path) == LANGUAGE]
        return tuple(dict.fromkeys(roots))

    @cached_property
    def macros(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The files that define each exported macro of each crate, by crate root and name: such a macro stands at the root."""
        found: dict[tuple[str, str], set[str]] = {}
        for file in self.files:
            for unit in self.context.extractions[file].units:
                if unit.declares == "macro" and unit.visibility & 1:
                    for root in self.modules.roots_of.get(file, ()):
                        found.setdefault((root, unit.name), set()).add(file)
        return {key: tuple(sorted(files)) for key, files in found.items()}

    def owner(self, file: str) -> Package | None:
        """Return the package that a file belongs to."""
        directory = directory_of(file)
        if directory not in self._owners:
            self._owners[directory] = next((self.by_directory[above] for above in ancestors(directory) if above in self.by_directory), None)
        return self._owners[directory]


def prepare(context: Context) -> RustTree:
    """Return the state of the Rust ladder for a tree."""
    return RustTree(context)


def resolve_site(site: Site, file: str, tree: RustTree) -> tuple[Answer, ...]:
    """Return what a declaration, a `use` or an inclusion means."""
    extraction = tree.context.extractions[file]
    inside = tree.modules.inside_of(extraction, site.owner)
    if site.kind == "mod_decl":
        return _declaration(site, file, inside, tree)
    if site.kind in ("include", "load"):
        return _included(site.spec, file, tree)
    module = Module(file, inside)
    found: list[tuple[Found, str]] = []
    for path, _ in site.names or ((site.spec, site.spec),):
        found.append((_Search(tree, path).path(module, path.split("::"), None), path.rpartition("::")[2]))
    return _answers(found, file)


def _declaration(site: Site, file: str, inside: tuple[str, ...], tree: RustTree) -> tuple[Answer, ...]:
    files = tree.modules.declared(file, site, inside)
    if len(files) > 1:
        if tree.modules.has_alternatives(file, site):
            return tuple(resolved(one, _DECLARED, mode="conditional") for one in files)
        return (unresolved("ambiguous_paths", candidates=files, could=tuple(one for one in files if one in tree.context.files)),)
    return (resolved(files[0], _DECLARED) if files else unresolved("out_of_scope"),)


def _included(spec: str, file: str, tree: RustTree) -> tuple[Answer, ...]:
    """Return the file of a path that counts from the file, or, with a leading slash, from the package; a pattern means several."""
    package = tree.owner(file)
    base = directory_of(file) if not spec.startswith("/") else package.directory if package is not None else ""
    path = normal_path(join(base, spec.strip("/")))
    if path is None or not path:
        return (unresolved("out_of_scope" if path is None else "empty"),)
    context = tree.context
    if context.exists(path):
        return (resolved(path, _DECLARED),)
    below = list(context.below(path)) if "*" not in path else []
    if "*" in path:
        matches = matcher((path,))
        below = [one for one in context.children.get(directory_of(path), ()) if matches(one)]
    return tuple(resolved(one, _DECLARED) for one in below) or (unresolved("out_of_scope"),)


def _answers(found: Iterable[tuple[Found, str]], file: str) -> tuple[Answer, ...]:
    """Return one answer for each target. A site has one status: what leads somewhere counts before what does not."""
    listed = list(found)
    targets: dict[tuple[str, int, bool], list[str]] = {}
    for one, name in listed:
        if one.status == "resolved":
            targets.setdefault((one.file, one.rung, False), []).append(name)
            for behind in one.behind:
                if behind != one.file:
                    targets.setdefault((behind, one.rung, True), []).append(name)
    if targets:
        direct = {target for target, _, is_behind in targets if not is_behind}
        return tuple(
            _resolved(target, rung, is_behind, tuple(names), target == file)
            for (target, rung, is_behind), names in targets.items()
            if not is_behind or target not in direct
        )
    for one, _ in listed:
        if one.status == "external":
            return (external(one.rung),)
    candidates = tuple(sorted({path for one, _ in listed for path in one.candidates}))
    reason = next((one.reason for one, _ in listed if one.candidates), listed[0][0].reason if listed else "empty")
    return (unresolved(reason, candidates=candidates, could=candidates),)


def _resolved(target: str, rung: int, is_behind: bool, names: tuple[str, ...], is_own: bool) -> Answer:
    if is_own:
        return Answer("resolved", rung, "file", target, via_reexport=is_behind, names=names, no_arc_to_itself=True)
    return resolved(target, rung, via_reexport=is_behind, names=names)


class _Search:
    """One path on its way through names that stand for other names."""

    def __init__(self, tree: RustTree, start: str) -> None:
        self.tree = tree
        self.modules = tree.modules
        self.start = start
        self.seen: set[tuple[Module, tuple[str, ...]]] = set()
        self.hops = 0

    def path(self, module: Module, segments: list[str], rung: int | None) -> Found:
        """Return where the path leads from a module; `rung` is that of the path that this one stands for."""
        key = (module, tuple(segments))
        self.hops += 1
        if key in self.seen or self.hops > 8 * _MAX_HOPS or not segments:
            return _OUT
        self.seen.add(key)
        head, rest = segments[0], segments[1:]
        if head == "crate" or head == "$crate":
            return self._from_roots(module, rest, rung or _CRATE)
        if head in ("self", "super"):
            return self._relative(module, segments, rung or _OWN)
        if not head:
            return self._crate(module, rest, rung)
        return self._by_name(module, segments, rung)

    def _from_roots(self, module: Module, rest: list[str], rung: int) -> Found:
        roots = self.modules.covering_roots(module.file)
        if len(roots) > 1:
            # Of several crates that share the file, those count whose root knows the next name.
            knowing = [root for root in roots if rest and _knows(self.modules, Module(root), rest[0])]
            roots = knowing or roots
        return self._one_of([self._down(Module(root), rest, rung) for root in roots], "ambiguous_root")

    def _relative(self, module: Module, segments: list[str], rung: int) -> Found:
        at = {module}
        for index, segment in enumerate(segments):
            if segment == "super":
                at = {above for one in at for above in self.modules.parent(one)}
            elif segment != "self":
                return self._one_of([self._down(one, segments[index:], rung) for one in sorted(at)], "ambiguous_root")
        return self._one_of([Found("resolved", rung, one.file) for one in sorted(at)], "ambiguous_root")

    def _by_name(self, module: Module, segments: list[str], rung: int | None) -> Found:
        head = segments[0]
        contents = self.modules.contents(module)
        if head in contents.files or head in contents.inside:
            return self._down(module, segments, rung or _OWN)
        known = self._taken(module, segments, rung)
        if known is not None:
            return known
        if head in contents.defined:
            return Found("resolved", rung or _OWN, module.file)
        package = self.tree.owner(module.file)
        if package is not None and package.edition == "2015":
            for root in self.modules.covering_roots(module.file):
                if module != Module(root) and _knows(self.modules, Module(root), head):
                    return self._from_roots(module, segments, rung or _CRATE)
        found = self._crate(module, segments, rung)
        if found.status != "unresolved" or found.candidates:
            return found
        return self._through_globs(module, segments, rung) or found

    def _taken(self, module: Module, segments: list[str], rung: int | None) -> Found | None:
        """Follow the first name when another `use` of the module brings it in."""
        head = segments[0]
        for path in self.modules.contents(module).taken.get(head, ()):
            parts = path.split("::")
            if path != self.start and parts != segments[: len(parts)] and (module, (*parts, *segments[1:])) not in self.seen:
                found = self.path(module, [*parts, *segments[1:]], rung or _OWN)
                if found.status != "unresolved":
                    return found
        return None

    def _through_globs(self, module: Module, segments: list[str], rung: int | None) -> Found | None:
        for path in self.modules.contents(module).globs:
            target = self._module(module, path)
            if target is not None and target != module and _knows(self.modules, target, segments[0]):
                return self._down(target, segments, rung or _OWN)
        return None

    def _module(self, module: Module, path: str) -> Module | None:
        """Return the module that a path of a glob means, None when it is none of the tree or not one."""
        search = _Modules(self.tree)
        found = search.modules_of(module, path.split("::"))
        return found.pop() if len(found) == 1 else None

    def _crate(self, module: Module, segments: list[str], rung: int | None) -> Found:
        """Return where a path leads that starts with the name of a crate."""
        if not segments:
            return _OUT
        head, rest = segments[0], segments[1:]
        if head in ("std", "core", "alloc"):
            return Found("external", _NAMED)
        own = self.tree.owner(module.file)
        package, candidates = _package(self.tree, module.file, head)
        if package is not None and package.is_macros and package is not own:
            return Found("resolved", rung or _NAMED, package.library_root)  # its macros stand at the root, its modules are its own
        if package is not None:
            return self._down(Module(package.library_root), rest, rung or _NAMED)
        if candidates:
            return Found("unresolved", reason="ambiguous_workspace", candidates=tuple(sorted(one.library_root for one in candidates)))
        if head in rust_crates.NAMES or (own is not None and head in own.dependencies):
            return Found("external", _NAMED)
        return _OUT

    def _down(self, module: Module, segments: list[str], rung: int) -> Found:
        """Go down from a module as far as modules lead."""
        for index, name in enumerate(segments):
            contents = self.modules.contents(module)
            if name in contents.inside:
                module = Module(module.file, (*module.inside, name))
            elif name in contents.files:
                files = contents.files[name]
                if len(files) != 1:
                    return Found("unresolved", reason="ambiguous_paths", candidates=files) if files else _OUT
                module = Module(files[0])
            else:
                return self._item(module, segments[index:], rung)
        return Found("resolved", rung, module.file)

    def _item(self, module: Module, segments: list[str], rung: int) -> Found:
        """Return the file of a module, and those that it takes the item from."""
        name = segments[0]
        contents = self.modules.contents(module)
        direct = Found("resolved", rung, module.file)
        if name == "*" or name == "self" or name in contents.defined:
            return direct
        paths = contents.taken.get(name, [])
        behind: set[str] = set()
        for path in paths:
            parts = [*path.split("::"), *segments[1:]]
            found = self.path(module, parts, rung)
            if found.status == "resolved":
                behind.update((found.file, *found.behind))
        if not paths:
            macro = self.tree.macros.get((module.file, name)) if not module.inside else None
            fitting = [
                target
                for path in contents.globs
                if (target := self._module(module, path)) is not None and target != module and _knows(self.modules, target, name)
            ]
            if macro:
                behind.update(macro)
            elif len(set(fitting)) == 1 and (module, tuple(segments)) not in self.seen:
                self.seen.add((module, tuple(segments)))
                found = self._down(fitting[0], segments, rung)
                if found.status == "resolved":
                    behind.update((found.file, *found.behind))
        behind.discard(module.file)
        return Found("resolved", rung, module.file, tuple(sorted(behind)))

    def _one_of(self, found: list[Found], reason: str) -> Found:
        """Return the one place that all ways lead to."""
        hits = {one.file: one for one in found if one.status == "resolved"}
        if len(hits) > 1:
            return Found("unresolved", reason=reason, candidates=tuple(sorted(hits)))
        if hits:
            return next(iter(hits.values()))
        return next((one for one in found if one.status != "unresolved" or one.candidates), found[0] if found else _OUT)


class _Modules:
    """Which modules a path means, when it means modules alone: what a glob opens."""

    def __init__(self, tree: RustTree) -> None:
        self.tree = tree
        self.modules = tree.modules

    def modules_of(self, module: Module, segments: list[str], hops: int = _MAX_HOPS) -> set[Module]:
        """Return the modules at the end of the path."""
        head = segments[0]
        if head in ("crate", "$crate"):
            at = {Module(root) for root in self.modules.covering_roots(module.file)}
            return self._down(at, segments[1:], hops)
        if head in ("self", "super"):
            at = {module}
            while segments and segments[0] in ("self", "super"):
                if segments[0] == "super":
                    at = {above for one in at for above in self.modules.parent(one)}
                segments = segments[1:]
            return self._down(at, segments, hops)
        contents = self.modules.contents(module)
        if head in contents.files or head in contents.inside:
            return self._down({module}, segments, hops)
        if head in contents.taken and hops:
            return {
                one
                for path in contents.taken[head]
                if path.split("::") != segments
                for one in self.modules_of(module, [*path.split("::"), *segments[1:]], hops - 1)
            }
        package, _ = _package(self.tree, module.file, head or (segments[1] if len(segments) > 1 else ""))
        if package is not None:
            return self._down({Module(package.library_root)}, segments[1:] if head else segments[2:], hops)
        return set()

    def _down(self, at: set[Module], segments: list[str], hops: int) -> set[Module]:
        for name in segments:
            below: set[Module] = set()
            for module in at:
                contents = self.modules.contents(module)
                if name in contents.inside:
                    below.add(Module(module.file, (*module.inside, name)))
                elif name in contents.files:
                    below.update(Module(file) for file in contents.files[name])
                elif name in contents.taken and hops:
                    for path in contents.taken[name]:
                        below |= self.modules_of(module, path.split("::"), hops - 1)
            at = below
        return at


def _knows(modules: ModuleTree, module: Module, name: str) -> bool:
    """Return whether the module declares, defines or takes the name, not counting globs."""
    contents = modules.contents(module)
    return name in contents.defined or name in contents.files or name in contents.inside or name in contents.taken


def _package(tree: RustTree, file: str, name: str) -> tuple[Package | None, list[Package]]:
    """Return the package of the tree that a crate name means, or those that it could mean."""
    own = tree.owner(file)
    needed: Dependency | None = own.dependencies.get(name) if own is not None else None
    if own is not None and own.library == name and needed is None:
        return own, []
    if needed is not None and needed.directory is not None:
        package = tree.by_directory.get(needed.directory)
        return (package, []) if package is not None and package.library_root else (None, [])
    if needed is not None:
        named = [package for package in tree.by_name.get(needed.package, ()) if package.library_root]
    else:
        named = tree.by_library.get(name, [])
    named = [package for package in named if is_within_reach(package.directory, file)]
    return (named[0], []) if len(named) == 1 else (None, named)
