"""What an import statement reaches: the module, the packages that run before it, submodules, and definitions behind re-exports.

`from pkg import a, f` reaches `pkg/a.py` when `a` is a module, and `pkg/__init__.py`; when the latter takes `f` from another
module, also that one, over as many hops as it takes. `import pkg.a` runs `pkg/__init__.py` first and so reaches it too, unless
the importer is itself inside `pkg`: then it has run already, and an arc would make a cycle of every package. Such an arc has the
rung `PREFIX`, so that a rule about what is written can leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ce.extract.resolve.answer import EVIDENCE, PREFIX, Answer, external, package, resolved, unresolved
from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.extract.resolve.python.layout import Distribution, distributions, requirements
from ce.extract.resolve.python.search import Found, Search
from ce.extract.resolve.python.table import ModuleTable, is_package
from ce.facts.records import Extraction, Site

__all__ = ["PythonTree", "prepare", "resolve_site"]

_MAX_HOPS = 32  # of re-exports; a longer chain is cut, which loses only the definition at its end


@dataclass(frozen=True, slots=True)
class _Surface:
    """What the body of a module binds: names it defines, names it takes from elsewhere, modules it takes all names of."""

    defined: frozenset[str]
    imported: Mapping[str, tuple[tuple[Site, str], ...]]  # local name to the import and the name there, empty for a module
    stars: tuple[Site, ...]
    exports: frozenset[str] | None


class PythonTree:
    """The state of the ladder: the modules of a tree, its distributions, and what each module binds."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.table = ModuleTable(context)
        self.distributions: tuple[Distribution, ...] = distributions(context, self.table)
        # Distributions that are needed in a directory and below it, by name.
        self.needed: Mapping[str, frozenset[str]] = _merged(self.distributions, requirements(context))
        self.search = Search(context, self.table, self.distributions, self.needed)
        self.answers: dict[tuple[object, str, str, tuple[tuple[str, str], ...]], tuple[Answer, ...]] = {}
        self._surfaces: dict[str, _Surface] = {}
        self._definitions: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    @cached_property
    def tops(self) -> frozenset[str]:
        """The first names of every module under some root, or of a package anywhere."""
        roots = {root.directory for distribution in self.distributions for root in distribution.roots}
        named = {name for root in roots for name in self.table.tops.get(root, ())}
        prefixes = {root.prefix.partition("/")[0] for distribution in self.distributions for root in distribution.roots}
        return frozenset(named | prefixes | set(self.table.top_packages))

    @cached_property
    def pages_named(self) -> Mapping[str, tuple[str, ...]]:
        """The pages of the tree by file name."""
        found: dict[str, list[str]] = {}
        for path in self.context.files_of("markdown", "html"):
            found.setdefault(base_name(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    def packages_of(self, file: str) -> tuple[str, ...]:
        """Return the packages that a file stands in, its own for an `__init__`, the innermost first."""
        return self.table.packages_holding(directory_of(file))

    def packages_before(self, key: str, file: str) -> tuple[str, ...]:
        """Return the packages that run before a module when a file imports it; those that hold the file have run already."""
        holders = self.table.packages_around(key)
        own = self.packages_of(file) if holders else ()
        return tuple(holder for holder in holders if holder not in own) if own else holders

    def binds(self, file: str, name: str) -> bool:
        """Return whether the body of the module binds the name, by an import of all names perhaps."""
        surface = self.surface(file)
        return name in surface.defined or name in surface.imported or bool(surface.stars and self.definitions(file, name))

    def surface(self, file: str) -> _Surface:
        """Return what the body of the module in the file binds; nothing for a file that was not measured."""
        known = self._surfaces.get(file)
        if known is None:
            known = self._surfaces[file] = _surface(self.context.extractions.get(file))
        return known

    def definitions(self, file: str, name: str) -> tuple[tuple[str, str], ...]:
        """Return the modules behind re-exports that define what the file calls `name`, each with the name there, empty for a module.

        Nothing when the file defines the name itself or does not bind it.
        """
        key = (file, name)
        known = self._definitions.get(key)
        if known is None:
            found: dict[tuple[str, str], None] = {}
            self._follow(file, name, found, {key}, _MAX_HOPS)
            known = self._definitions[key] = tuple(found)
        return known

    def _follow(self, file: str, name: str, found: dict[tuple[str, str], None], seen: set[tuple[str, str]], hops: int) -> bool:
        """Add the definitions that the file takes the name from; return whether the file binds the name at all."""
        surface = self.surface(file)
        if name in surface.defined:
            return True
        sources = [(site, original) for site, original in surface.imported.get(name, ())]
        stars = [(site, name) for site in surface.stars] if not sources else []
        for site, original in sources + stars:
            target = self.search.find(file, site.spec)
            has_modules = target.file or target.is_directory
            submodule = self.table.by_key.get(join(target.key, original)) if original and has_modules else None
            step = (target.file, original)
            if target.rung == PREFIX or step in seen or not hops:
                continue
            seen.add(step)
            if not original:
                if target.file:
                    found[target.file, ""] = None
            elif target.file and self._follow(target.file, original, found, seen, hops - 1):
                if original in self.surface(target.file).defined:
                    found[target.file, original] = None
            elif submodule is not None and (site, original) not in stars:
                found[submodule, ""] = None
        return bool(sources) or bool(stars and found)


def _merged(all_distributions: tuple[Distribution, ...], lists: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    found = dict(lists)
    for distribution in all_distributions:
        found[distribution.directory] = found.get(distribution.directory, frozenset()) | distribution.dependencies
    return found


def prepare(context: Context) -> PythonTree:
    """Return the state of the Python ladder for a tree, the same one for whoever asks."""
    known = context.made.get("python")
    if not isinstance(known, PythonTree):
        known = context.made["python"] = PythonTree(context)
    return known


def resolve_site(site: Site, file: str, tree: PythonTree) -> tuple[Answer, ...]:
    """Return every file that an import, or a dynamic import of a literal name, reaches."""
    # What holds for a file holds for its neighbours; an `__init__` has itself for a package around it.
    key = (tree.search.group_of(file), site.kind, site.spec, site.names)
    known = tree.answers.get(key)
    if known is None:
        known = tree.answers[key] = _merged_answers(_answers(site, file, tree))
    return known


def _merged_answers(answers: Iterator[Answer]) -> tuple[Answer, ...]:
    """Return the answers, those that differ in names alone as one."""
    all_answers = tuple(answers)
    if len(all_answers) == 1 or len({answer.target for answer in all_answers}) == len(all_answers):
        return all_answers
    found: dict[Answer, list[str]] = {}
    for answer in all_answers:
        found.setdefault(replace(answer, names=()) if answer.names else answer, []).extend(answer.names)
    return tuple(replace(answer, names=tuple(dict.fromkeys(names))) if names else answer for answer, names in found.items())


def _answers(site: Site, file: str, tree: PythonTree) -> Iterator[Answer]:
    if not site.spec.strip("."):
        if not site.spec:
            yield unresolved("empty")
            return
    elif site.kind == "dynamic_import" and _looks_like_path(site.spec):
        yield from _path_answers(site.spec, file, tree)
        return
    # `pkg.mod:attribute` is how entry points and settings name what is in a module.
    spec, _, attribute = site.spec.partition(":") if site.kind == "dynamic_import" else (site.spec, "", "")
    found = tree.search.find(file, spec)
    names = tuple(name for name, _ in site.names) if site.kind == "import_from" else ()
    if site.kind == "dynamic_import" and not found.file and "." in spec.strip("."):
        # import_string("pkg.mod.Class"): the last part is an attribute where no module has the whole name.
        holder = tree.search.find(file, spec.rpartition(".")[0])
        if holder.file and holder.rung != PREFIX:
            found = holder
    if found.rung == PREFIX and site.kind == "dynamic_import":
        attribute = attribute or spec.rpartition(".")[2]
    yield from _found_answers(found, spec, names, file, tree)


def _found_answers(found: Found, spec: str, names: tuple[str, ...], file: str, tree: PythonTree) -> Iterator[Answer]:
    if found.rung == PREFIX:
        yield from _prefix_answers(found, spec, names, file, tree)
    elif found.file:
        yield from _module_answers(found, names, file, tree)
    elif found.is_directory:
        yield from _namespace_answers(found, spec, names, file, tree)
    elif found.status == "external":
        yield external()
    elif found.candidates:
        yield unresolved(found.reason, candidates=found.candidates, could=found.candidates)
    else:
        yield unresolved(found.reason, could=() if spec.startswith(".") else tree.table.could_mean(spec, names))


def _module_answers(found: Found, names: tuple[str, ...], file: str, tree: PythonTree) -> Iterator[Answer]:
    """Yield the module, what it takes the names from, the submodules among the names, and the packages around it."""
    is_around = _is_around(found, file, tree)
    holder = is_package(found.file)
    surface = tree.surface(found.file)
    taken, behind = [], []
    is_written = not names
    for name in names:
        submodule = tree.table.by_key.get(join(found.key, name)) if holder else None
        definitions = tree.definitions(found.file, name)
        is_written = is_written or submodule is None or name in surface.defined
        if submodule is None or definitions or name in surface.defined:
            taken.append(name)
        if submodule is not None and name not in surface.defined:
            behind.append(resolved(submodule, found.rung))
            behind += _stub(join(found.key, name), found.rung, tree)
        behind += [
            Answer(
                "resolved",
                found.rung,
                "file",
                target,
                via_reexport=True,
                mode="reexport",
                names=(original,) if original else (),
                no_arc_to_itself=True,
            )
            for target, original in definitions
            if target != submodule
        ]
        if name == "*" and holder:
            # A star import of a package imports the submodules that its export list names.
            for exported in sorted(surface.exports or ()):
                listed = tree.table.by_key.get(join(found.key, exported))
                if listed is not None and exported not in surface.defined and exported not in surface.imported:
                    behind.append(replace(resolved(listed, found.rung), is_written=False))
    if taken or not names or not is_around:
        yield Answer("resolved", found.rung, "file", found.file, names=tuple(taken), no_arc_to_itself=is_around, is_written=is_written)
        yield from _stub(found.key, found.rung, tree)
    yield from behind
    yield from _packages_before(found.key, file, tree)


def _stub(key: str, rung: int, tree: PythonTree) -> list[Answer]:
    stub = tree.table.stubs.get(key)
    return [replace(resolved(stub, rung, mode="type"), is_written=False)] if stub is not None else []


def _packages_before(key: str, file: str, tree: PythonTree) -> Iterator[Answer]:
    return (replace(resolved(holder, PREFIX), is_written=False) for holder in tree.packages_before(key, file))


def _is_around(found: Found, file: str, tree: PythonTree) -> bool:
    """Return whether what was found is a package that holds the importer."""
    return found.file in tree.packages_of(file)


def _prefix_answers(found: Found, spec: str, names: tuple[str, ...], file: str, tree: PythonTree) -> Iterator[Answer]:
    """Yield the package that a missing module belongs to; nothing is known when the importer is inside that package anyway."""
    could = () if spec.startswith(".") else tree.table.could_mean(spec, names)
    if _is_around(found, file, tree):
        yield unresolved("out_of_scope", could=could)
        return
    yield Answer("resolved", PREFIX, "file", found.file, could=could, is_written=False)
    yield from _packages_before(found.key, file, tree)


def _namespace_answers(found: Found, spec: str, names: tuple[str, ...], file: str, tree: PythonTree) -> Iterator[Answer]:
    """Yield what the names mean below a directory without `__init__.py`; it is no file itself.

    One name that is a module resolves the site; what the others could mean goes with it.
    """
    modules = {name: tree.table.by_key.get(key) or tree.table.compiled.get(key) for name in names for key in [join(found.key, name)]}
    missing = [name for name, module in modules.items() if module is None]
    could: tuple[str, ...] = ()
    if found.status != "external" and not spec.startswith("."):
        could = tuple(sorted({path for name in missing if name != "*" for path in tree.table.could_mean(f"{spec}.{name}")}))
    if len(missing) < len(modules):
        for name, module in modules.items():
            if module is not None:
                yield Answer("resolved", found.rung if found.status == "resolved" else EVIDENCE, "file", module, could=could)
                yield from _packages_before(join(found.key, name), file, tree)
    elif found.status == "external":
        yield external()
    elif not names or "*" in names:
        yield package(found.key, found.rung)
    else:
        yield unresolved("out_of_scope", could=could)


def _looks_like_path(text: str) -> bool:
    return "/" in text or text.endswith((".py", ".pyi"))


def _path_answers(text: str, file: str, tree: PythonTree) -> Iterator[Answer]:
    """Yield the file of a path, from the directory of the importer or from the root; two different files are ambiguous."""
    starts = [directory_of(file), tree.search.owner(directory_of(file)).directory, ""]
    paths = {path: None for start in starts if (path := normal_path(join(start, text))) is not None and tree.context.exists(path)}
    if len(paths) == 1:
        yield resolved(next(iter(paths)), EVIDENCE)
    elif paths:
        yield unresolved("ambiguous_paths", candidates=tuple(sorted(paths)), could=tuple(sorted(paths)))
    else:
        suffix = "/" + text.lstrip("./")
        yield unresolved("out_of_scope", could=tuple(path for path in tree.table.files if ("/" + path).endswith(suffix)))


def _surface(extraction: Extraction | None) -> _Surface:
    if extraction is None:
        return _Surface(frozenset(), {}, (), None)
    defined = frozenset(binding.name for binding in extraction.bindings if binding.kind not in ("import", "annotation"))
    imported: dict[str, list[tuple[Site, str]]] = {}
    stars = []
    for site in extraction.sites:
        if site.kind == "import_from":
            for name, local in site.names:
                if name == "*":
                    stars.append(site)
                else:
                    imported.setdefault(local, []).append((site, name))
        elif site.kind == "import":
            for name, local in site.names:
                if local != name:
                    imported.setdefault(local, []).append((site, ""))
    exports = frozenset(extraction.exports) if extraction.exports is not None else None
    return _Surface(defined, {name: tuple(sources) for name, sources in imported.items()}, tuple(stars), exports)
