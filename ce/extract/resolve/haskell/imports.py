"""What an import of Haskell means: a module of the tree, or of a package outside.

Rungs: 1 the source directories of the components that hold the importer; 2 a library of the tree that these components need, or the
package that the import names; 3 a module of a package that GHC brings with it and the components need; 5 a module that no file of
the tree has, when a package is needed of which it is not known what it offers.

A module `A.B` is the file `A/B.hs` below a source directory, or one that a preprocessor makes it from. Without a package description, the
source directory of a file is what is left of its path without its own module's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from ce.extract.resolve.answer import EVIDENCE, Answer, external, resolved, unresolved
from ce.extract.resolve.context import Context, ancestors, base_name, directory_of, join, normal_path
from ce.extract.resolve.data import ghc_modules
from ce.extract.resolve.haskell.cabal import Package, Stanza, read_packages
from ce.extract.resolve.roles import is_within_reach
from ce.facts.records import Site

__all__ = ["LANGUAGE", "SETUP_SCRIPTS", "HaskellTree", "module_file", "prepare", "resolve_site"]

LANGUAGE = "haskell"
SETUP_SCRIPTS = ("Setup.hs", "SetupHooks.hs")
_ROOTS, _PACKAGES, _DATABASE = 1, 2, 3
_SUFFIXES = (".hs", ".lhs", ".hsc", ".chs", ".cpphs", ".x", ".y", ".ly", ".gc")
_MODULE = re.compile(r"[A-Z][\w']*(?:\.[A-Z][\w']*)*")
_GENERATED = ("Paths_", "PackageInfo_")
_SEGMENT = re.compile(r"[A-Z][\w']*")


class HaskellTree:
    """The state of the ladder: packages, and the files that could be a module of some name."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.files = context.files_of(LANGUAGE)
        self.packages: tuple[Package, ...] = read_packages(context)
        self.by_directory: dict[str, list[Package]] = {}
        for package in self.packages:
            self.by_directory.setdefault(package.directory, []).append(package)
        self._owners: dict[str, tuple[Package, ...]] = {}
        self._stanzas: dict[str, tuple[Stanza, ...]] = {}
        self._answers: dict[tuple[str, str], tuple[Answer, ...]] = {}

    def owners(self, file: str) -> tuple[Package, ...]:
        """Return the packages that are described in the nearest directory above a file; more than one is a doubt."""
        directory = directory_of(file)
        if directory not in self._owners:
            near = next((self.by_directory[above] for above in ancestors(directory) if above in self.by_directory), [])
            self._owners[directory] = tuple(near)
        return self._owners[directory]

    def stanzas(self, file: str) -> tuple[Stanza, ...]:
        """Return the components that hold a file, all of its package's when none does by its place."""
        known = self._stanzas.get(file)
        if known is None:
            every = [stanza for package in self.owners(file) for stanza in package.stanzas]
            if _is_setup(file, self.owners(file)):
                holding = [stanza for stanza in every if stanza.kind == "setup"]
            else:
                holding = [stanza for stanza in every if stanza.kind != "setup" and _holds(stanza, file)]
            known = self._stanzas[file] = tuple(holding or every)
        return known

    @cached_property
    def by_module(self) -> Mapping[str, tuple[str, ...]]:
        """The files of each module by what their headers say; without a header a file is a program and no module to import."""
        found: dict[str, list[str]] = {}
        for file in self.files:
            own = self.context.extractions[file].extra.get("module")
            if isinstance(own, str) and own:
                found.setdefault(own, []).append(file)
        return {name: tuple(files) for name, files in found.items()}

    def answer(self, spec: str, file: str) -> tuple[Answer, ...]:
        """Return what an import of the file means."""
        key = (file, spec)
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = _import(spec, file, self)
        return known


def prepare(context: Context) -> HaskellTree:
    """Return the state of the Haskell ladder for a tree."""
    return HaskellTree(context)


def resolve_site(site: Site, file: str, tree: HaskellTree) -> tuple[Answer, ...]:
    """Return what an import or an embedded file means."""
    if site.kind == "load":
        return _embedded(site.spec, file, tree)
    answers = tree.answer(site.spec, file)
    if not site.names or answers[0].status != "resolved":
        return answers
    return tuple(replace(answer, names=tuple(name for name, _ in site.names)) for answer in answers)


def module_file(root: str, name: str, context: Context) -> str | None:
    """Return the file of a module below a source directory: its source, else what a preprocessor makes it from."""
    stem = join(root, name.replace(".", "/"))
    return next((stem + suffix for suffix in _SUFFIXES if context.exists(stem + suffix)), None)


def _import(spec: str, file: str, tree: HaskellTree) -> tuple[Answer, ...]:
    quoted, _, name = spec.rpartition(" ")
    quoted = quoted.strip('"')
    if not _MODULE.fullmatch(name):
        return (unresolved("out_of_scope" if name else "empty"),)
    owners = tree.owners(file)
    if len(owners) > 1:
        manifests = tuple(sorted(package.manifest for package in owners))
        return (unresolved("ambiguous_workspace", candidates=manifests, could=tree.by_module.get(name, ())),)
    if not quoted or quoted == "this" or any(quoted == package.name for package in owners):
        found = _below(tree.stanzas(file) if owners else _guessed(file, tree), name, tree)
        if found:
            return found
    return (_elsewhere(name, quoted, file, tree),)


def _elsewhere(name: str, quoted: str, file: str, tree: HaskellTree) -> Answer:
    """Return what an import means that no source directory of the importer's components has."""
    owners, stanzas = tree.owners(file), tree.stanzas(file)
    could = tree.by_module.get(name, ())
    needs = {need for stanza in stanzas for need in stanza.needs}
    within_reach = [package for package in tree.packages if is_within_reach(package.directory, file)]
    found = _in_packages(name, quoted, owners, needs, within_reach, tree)
    if found is not None:
        return found
    if name.startswith(_GENERATED) or any(name in stanza.generated for stanza in stanzas):
        return external(_DATABASE)
    if any(name in stanza.exposed or name in stanza.others for stanza in stanzas):
        return unresolved("out_of_scope", could=could)  # it should be here
    holders = [package for package, modules in ghc_modules.PACKAGES.items() if name in modules]
    # What no component holds is run by itself, with whatever the compiler has.
    is_setup = _is_setup(file, owners)
    is_held = any(_holds(stanza, file) for stanza in stanzas) and not is_setup
    if any(not is_held or holder in needs or holder == quoted for holder in holders):
        return external(_DATABASE)
    known = {package.name for package in within_reach} | ghc_modules.PACKAGES.keys()
    unknown = {need for need in needs if ":" not in need and need not in known}
    if (is_held or is_setup) and not could and (unknown if not quoted else quoted in unknown):
        return external(EVIDENCE)
    return unresolved("out_of_scope", could=could)


def _below(stanzas: tuple[Stanza, ...], name: str, tree: HaskellTree) -> tuple[Answer, ...]:
    """Return the file of a module below the roots; of roots that conditions choose between, each is the right one for some build."""
    hits = {root: path for stanza in stanzas for root in stanza.roots if (path := module_file(root, name, tree.context)) is not None}
    files = tuple(sorted(set(hits.values())))
    if len(files) > 1:
        chosen = {root for stanza in stanzas for root in stanza.alternatives}
        if all(root in chosen for root in hits):
            return tuple(resolved(path, _ROOTS, mode="conditional") for path in files)
        could = tuple(path for path in files if path in tree.context.files)
        return (unresolved("ambiguous_root", candidates=files, could=could),)
    return tuple(resolved(path, _ROOTS) for path in files)


def _guessed(file: str, tree: HaskellTree) -> tuple[Stanza, ...]:
    """Return a component with the source directory that the name of the file's own module leaves over, else its own and the top."""
    own = tree.context.extractions[file].extra.get("module")
    stem = _stem(file)
    roots = list(dict.fromkeys((directory_of(file), "")))
    if isinstance(own, str) and own:
        tail = own.replace(".", "/")
        if stem == tail or stem.endswith("/" + tail):
            roots = [stem[: len(stem) - len(tail)].rstrip("/")]
    return (Stanza("executable", "", 1, tuple(roots)),)


def _in_packages(
    name: str, quoted: str, owners: tuple[Package, ...], needs: set[str], packages: list[Package], tree: HaskellTree
) -> Answer | None:
    """Return the module of a library in the tree that is needed and offers it."""
    offering: dict[str, str | None] = {}
    for package, library in _needed(quoted, owners, needs, packages):
        if name in library.exposed or (library.takes_all and any(module_file(root, name, tree.context) for root in library.roots)):
            file = next((path for root in library.roots if (path := module_file(root, name, tree.context)) is not None), None)
            offering[f"{package.manifest}:{library.line}"] = file
    files = {file for file in offering.values() if file is not None}
    if len(files) > 1:
        candidates = tuple(sorted(files))
        return unresolved(
            "ambiguous_workspace", candidates=candidates, could=tuple(path for path in candidates if path in tree.context.files)
        )
    if files:
        return resolved(files.pop(), _PACKAGES)
    return unresolved("out_of_scope", could=tree.by_module.get(name, ())) if offering else None


def _needed(quoted: str, owners: tuple[Package, ...], needs: set[str], packages: list[Package]) -> Iterator[tuple[Package, Stanza]]:
    """Yield the libraries of the tree that an import may mean."""
    own = owners[0] if owners else None
    for package in packages:
        for index, library in enumerate(package.libraries):
            is_main = index == 0 and library.name in ("", package.name)
            names = {package.name} if is_main else {f"{package.name}:{library.name}"}
            if package is own and library.name:
                names.add(library.name)
            if quoted:
                if quoted in names or quoted == package.name:
                    yield package, library
            elif names & needs:
                yield package, library


def _holds(stanza: Stanza, file: str) -> bool:
    """Return whether the file is a module or the main file of the component by its place."""
    for root in stanza.roots:
        if root and not file.startswith(root + "/"):
            continue
        rest = file[len(root) + 1 :] if root else file
        if rest == stanza.main:
            return True
        parts = _stem(rest).split("/")
        if not all(_SEGMENT.fullmatch(part) for part in parts):
            continue
        name = ".".join(parts)
        if stanza.takes_all or name in stanza.exposed or name in stanza.others or not (stanza.exposed or stanza.others):
            return True
    return False


def _stem(path: str) -> str:
    """Return the path without the suffix of a module or of what one is made from."""
    return next((path.removesuffix(suffix) for suffix in _SUFFIXES if path.endswith(suffix)), path)


def _is_setup(file: str, owners: tuple[Package, ...]) -> bool:
    """Return whether the file is the setup script of its package."""
    return base_name(file) in SETUP_SCRIPTS and directory_of(file) in {package.directory for package in owners}


def _embedded(spec: str, file: str, tree: HaskellTree) -> tuple[Answer, ...]:
    """Return the file, or the files of the directory, that a splice embeds: from the package's directory, else beside the file."""
    owners = tree.owners(file)
    for base in dict.fromkeys((*(package.directory for package in owners), "", directory_of(file))):
        path = normal_path(join(base, spec))
        if path is None or not path:
            continue
        if tree.context.exists(path):
            return (resolved(path, _ROOTS),)
        below = list(tree.context.below(path))
        if below:
            return tuple(resolved(one, _ROOTS) for one in below)
    return (unresolved("out_of_scope"),)
