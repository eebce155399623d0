"""The ladder of C and C++: where the preprocessor finds what a file includes.

Rungs: 1 a quoted name beside the including file; 2 the configured roots; 3 the directories that the compile databases have searched, of
the commands that compile the file, else of those whose files include it, else the nearest `compile_flags.txt`; 4 `include/` beside the
file or above it, then the directories that build files name, both only where no database reaches; 5 an angled name is outside of the
tree, and a quoted path with a directory is the one file of the tree that ends so. A bare name is never searched everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ce.extract.resolve.answer import EVIDENCE, Answer, external, resolved, unresolved
from ce.extract.resolve.c_family.builds import build_files, build_roots
from ce.extract.resolve.c_family.commands import Chain
from ce.extract.resolve.c_family.databases import Databases
from ce.extract.resolve.context import Context, ancestors, base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.facts.records import Site

__all__ = ["LADDER", "LANGUAGES", "SEARCHED", "IncludeTree", "prepare", "resolve_site"]

_BESIDE, _ROOTS, SEARCHED, _INCLUDE, _EXTERNAL = 1, 2, 3, 4, 5
LANGUAGES = ("c", "cpp")
_MAX_CHAINS = 64  # of one database: the header of many differently compiled files is searched for with the first ones


class IncludeTree:
    """The state of the ladder: for every file the chains that reach it."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.databases = Databases(context)
        self.files = context.files_of(*LANGUAGES)
        roots = (root for language in LANGUAGES for root in context.inputs.search_roots.get(language, ()))
        self.roots = tuple(dict.fromkeys(root.strip("/") for root in roots))
        self._answers: dict[tuple[str, str], Answer] = {}

    @cached_property
    def chains(self) -> dict[str, tuple[Chain, ...]]:
        """Every file that a command compiles, or that one of these includes, with the chains of the commands."""
        found: dict[str, list[Chain]] = {}
        own: set[str] = set()
        places = sorted({self.databases.place(directory_of(path)) for path in self.files} - {""})
        by_chain: dict[Chain, list[str]] = {}
        for place in places:
            if not place.endswith(".json"):
                continue
            for unit, chains in self.databases.database(place).chains.items():
                if self.databases.place(directory_of(unit)) == place:
                    found[unit] = list(chains)
                    own.add(unit)
                    for chain in chains:
                        by_chain.setdefault(chain, []).append(unit)
        for chain in list(by_chain)[:_MAX_CHAINS]:
            for path in self._closure(chain, by_chain[chain]):
                if path not in own:
                    found.setdefault(path, []).append(chain)
        return {path: tuple(chains) for path, chains in found.items()}

    def _closure(self, chain: Chain, units: list[str]) -> set[str]:
        """Return the files that the units include with a chain, at any depth."""
        seen = set(units)
        pending = list(units)
        for path in self.forced(chain):
            if path not in seen:
                seen.add(path)
                pending.append(path)
        while pending:
            path = pending.pop()
            extraction = self.context.extractions.get(path)
            for site in extraction.sites if extraction is not None else ():
                if site.kind != "include":
                    continue
                target = self.beside(site.spec, path, (chain,)) or self.searched(site.spec, chain)
                if target and target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def forced(self, chain: Chain) -> Iterator[str]:
        """Yield the files that a command includes before the first line."""
        for name in chain.forced:
            path = name if self.context.exists(name) else self.searched(name, chain)
            if path:
                yield path

    def beside(self, spec: str, file: str, chains: Iterable[Chain]) -> str:
        """Return the file that a quoted name means beside the including file, or nothing."""
        if _is_angled(spec) or _is_absolute(spec):
            return ""
        chains = tuple(chains)
        if chains and all(chain.no_own for chain in chains):
            return ""
        return self._at(directory_of(file), spec)

    def searched(self, spec: str, chain: Chain) -> str:
        """Return the file that a name means in the directories of a chain: the first hit."""
        name = _plain(spec)
        if _is_absolute(name):
            return ""
        for directory in (() if _is_angled(spec) else chain.quoted) + chain.angled:
            path = self._framework(directory, name) if directory in chain.frameworks else self._at(directory, name)
            if path:
                return path
        return ""

    def _framework(self, directory: str, name: str) -> str:
        framework, slash, rest = name.partition("/")
        return self._at(directory, f"{framework}.framework/Headers/{rest}") if slash else ""

    def _at(self, directory: str, name: str) -> str:
        path = normal_path(join(directory, name))
        return path if path and self.context.exists(path) else ""

    def in_directories(self, name: str, directories: Iterable[str]) -> list[str]:
        """Return the different files that a name means in directories."""
        return sorted({path for directory in directories if (path := self._at(directory, name))})

    @cached_property
    def build_roots(self) -> tuple[tuple[str, str], ...]:
        """The directories that build files name, each with the directory of the build file."""
        return build_roots(self.context)

    @cached_property
    def build_directories(self) -> Mapping[str, int]:
        """The directories with build files, and how many each holds."""
        return Counter(directory_of(path) for path, _ in build_files(self.context))

    @cached_property
    def by_name(self) -> dict[str, tuple[str, ...]]:
        """The files of each last segment."""
        found: dict[str, list[str]] = {}
        for path in self.context.paths:
            found.setdefault(base_name(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def by_lower_name(self) -> dict[str, tuple[str, ...]]:
        """The files of each last segment in lower case: some file systems do not tell capitals apart."""
        found: dict[str, list[str]] = {}
        for path in self.context.paths:
            found.setdefault(base_name(path).lower(), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    def ending(self, name: str) -> tuple[str, ...]:
        """Return the files whose paths end with a name."""
        clean = name.replace("\\", "/").lstrip("./")
        exact = tuple(path for path in self.by_name.get(base_name(clean), ()) if f"/{path}".endswith("/" + clean))
        return exact or tuple(path for path in self.by_lower_name.get(base_name(clean).lower(), ()) if _ends(path, clean))


def prepare(context: Context) -> IncludeTree:
    """Return the state of the ladder for a tree."""
    return IncludeTree(context)


def resolve_site(site: Site, file: str, tree: IncludeTree) -> tuple[Answer, ...]:
    """Return what an include means."""
    key = (site.spec, file)
    answer = tree._answers.get(key)
    if answer is None:
        answer = tree._answers[key] = _include(site.spec.strip(), file, tree)
    return (answer,)


def _include(spec: str, file: str, tree: IncludeTree) -> Answer:
    name = _plain(spec)
    if not name:
        return unresolved("empty")
    if _is_absolute(name):
        return external(_EXTERNAL) if _is_angled(spec) else unresolved("out_of_scope")
    chains = tree.chains.get(file, ())
    flags = None if chains else tree.databases.flags(directory_of(file))
    reaching = chains or (() if flags is None else (flags,))
    found = tree.beside(spec, file, reaching)
    if found:
        return resolved(found, _BESIDE)
    hits = tree.in_directories(name, tree.roots)
    if hits:
        return _only(hits, _ROOTS)
    hits = sorted({path for chain in reaching if (path := tree.searched(spec, chain))})
    if hits:
        return _only(hits, SEARCHED)
    if not reaching:
        hits = tree.in_directories(name, (join(above, "include") for above in ancestors(directory_of(file))))
        closer = tree.in_directories(name, _closer(hits, file, tree)) if hits else []
        if hits:
            return _only(closer or hits, _INCLUDE)
        near = [root for root, build in tree.build_roots if not build or file.startswith(build + "/")]
        hits = tree.in_directories(name, near) or tree.in_directories(name, (root for root, _ in tree.build_roots))
        if hits:
            return _only(hits, _INCLUDE)
    if _is_angled(spec):
        return external(_EXTERNAL)
    could = tree.ending(name)
    if len(could) == 1 and "/" in name.lstrip("./") and could[0] != file and could[0].endswith(base_name(name)):
        return resolved(could[0], EVIDENCE)
    return unresolved("out_of_scope", could=could)


def _ends(path: str, name: str) -> bool:
    return f"/{path}".lower().endswith("/" + name.lower())


def _closer(hits: list[str], file: str, tree: IncludeTree) -> Iterator[str]:
    """Yield the directories that the one build file nearest to a file names, when it is nearer than every `include/` with a hit.

    Where several build files stand side by side, it is not known here which of them builds the file.
    """
    below = max(len(hit[: f"/{hit}".find("/include/")]) if "/include/" in f"/{hit}" else 0 for hit in hits)
    nearest = next((above for above in ancestors(directory_of(file)) if above in tree.build_directories), "")
    if len(nearest) > below and tree.build_directories[nearest] == 1:
        yield from (root for root, build in tree.build_roots if build == nearest)


def _only(hits: list[str], rung: int) -> Answer:
    if len(hits) > 1:
        return unresolved("ambiguous_root", candidates=tuple(hits), could=tuple(hits))
    return resolved(hits[0], rung)


def _is_angled(spec: str) -> bool:
    return spec.startswith("<")


def _plain(spec: str) -> str:
    return (spec[1:].rstrip(">") if _is_angled(spec) else spec).strip().replace("\\", "/")


def _is_absolute(name: str) -> bool:
    return name.startswith(("/", "\\")) or name[1:3] in (":/", ":\\")


def _conventions(tree: IncludeTree) -> Conventions:
    from ce.extract.resolve.c_family.conventions import conventions

    return conventions(tree)


LADDER = Ladder(LANGUAGES, prepare, resolve_site, _conventions)
