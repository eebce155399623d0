"""Which file a dotted name means, seen from one file of the tree: the rungs of the Python ladder.

In order; the first with exactly one file answers, several files are ambiguous and named:

1. `RELATIVE`: leading dots climb from the directory of the file.
2. `ABSOLUTE`: the directory above the importer's own top-level package, which is on the path whenever that package can be
   imported; for a test or a script its own directory and those of the `conftest.py` files above it; then the roots of the
   importer's distribution; then those of the other distributions.
3. `PREFIX`: under the same roots, the longest prefix that is a module, where the rest is no file of the tree.
4. `EXTERNAL`: the standard library, then the declared dependencies.
5. `EVIDENCE`: the directories above the importer that are no packages; then the only file of the tree that the whole dotted
   name fits from a directory that is no package, when the name has two parts or is that of a package.

Only a root, not the directory of a script, hides the standard library, and a directory without `__init__.py` never does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ce.extract.resolve.answer import ABSOLUTE, EVIDENCE, EXTERNAL, PREFIX, RELATIVE
from ce.extract.resolve.context import Context, ancestors, directory_of, join
from ce.extract.resolve.data.python_distributions import IMPORT_NAMES
from ce.extract.resolve.data.python_stdlib import FORMER, NAMES
from ce.extract.resolve.python.collected import Root
from ce.extract.resolve.python.layout import Distribution
from ce.extract.resolve.python.table import ModuleTable
from ce.extract.resolve.roles import is_test_path

__all__ = ["Found", "Search"]

_OF_THE_INTERPRETER = frozenset({"__future__", "__main__", "_typeshed"})


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search. `key` is the module's, or that of a directory without `__init__.py`; then `is_directory`, and `file` is empty.

    `status` is a word of `Outcome.status`. After a `PREFIX` answer the module itself is missing. `candidates` are files.
    """

    status: str
    rung: int = 0
    key: str = ""
    file: str = ""
    reason: str = ""
    candidates: tuple[str, ...] = ()
    is_directory: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the files of a directory look absolute names up: directories in order, then groups of which no member goes first."""

    ordered: tuple[tuple[Root, bool], ...]  # a root, and whether it hides the standard library
    groups: tuple[tuple[str, tuple[Root, ...]], ...]  # the reason when a group is ambiguous, its roots
    declared: frozenset[str]  # keys of what declared dependencies install, in lower case
    nearby: tuple[str, ...]  # directories for the rung of evidence


class Search:
    """Looks names up in the modules of a tree. Answers are kept for all files that share their roots."""

    def __init__(
        self, context: Context, table: ModuleTable, distributions: tuple[Distribution, ...], needed: Mapping[str, frozenset[str]]
    ) -> None:
        self._context = context
        self._table = table
        self._distributions = distributions
        self._needed = needed
        self._by_directory = {distribution.directory: distribution for distribution in distributions}
        self._owners: dict[str, Distribution] = {}
        self._groups: dict[str, tuple[str, bool]] = {}
        self._seen: dict[tuple[str, bool], tuple[_Place, dict[str, Found]]] = {}
        self._absolute_names: dict[_Place, dict[str, Found]] = {}
        self._relative_names: dict[tuple[str, str], Found] = {}

    def find(self, importer: str, name: str) -> Found:
        """Return what a dotted name means in a file; leading dots are relative."""
        if name.startswith("."):
            key = (directory_of(importer), name)
            found = self._relative_names.get(key)
            if found is None:
                found = self._relative_names[key] = self._relative(*key)
            return found
        place, names = self._seen_from(importer)
        found = names.get(name)
        if found is None:
            found = names[name] = self._absolute(place, name)
        return found

    def group_of(self, importer: str) -> tuple[str, bool]:
        """Return what files have in common for which every name means the same, and that stand in the same packages."""
        known = self._groups.get(importer)
        if known is None:
            known = self._groups[importer] = (directory_of(importer), self._runs_from_its_directory(importer))
        return known

    def _seen_from(self, importer: str) -> tuple[_Place, dict[str, Found]]:
        """Return the place of a file, and the names that were looked up from it already."""
        group = self.group_of(importer)
        known = self._seen.get(group)
        if known is None:
            place = self._new_place(*group)
            known = self._seen[group] = (place, self._absolute_names.setdefault(place, {}))
        return known

    def under(self, roots: tuple[Root, ...], name: str) -> str | None:
        """Return the file that an absolute name means under the first of the roots that has it."""
        key = name.replace(".", "/")
        for root in roots:
            whole = _under(root, key)
            file = self._table.by_key.get(whole) if whole is not None else None
            if file is not None:
                return file
        return None

    def owner(self, directory: str) -> Distribution:
        """Return the distribution that owns the files of a directory."""
        known = self._owners.get(directory)
        if known is None:
            known = next(self._by_directory[above] for above in ancestors(directory) if above in self._by_directory)
            self._owners[directory] = known
        return known

    def _runs_from_its_directory(self, file: str) -> bool:
        """Return whether Python puts the directory of the file on the path: it is a script or a test."""
        extraction = self._context.extractions.get(file)
        runs = extraction is not None and (extraction.main_guard or bool(extraction.extra.get("shebang")))
        return runs or is_test_path(file)

    # Rung 1.

    def _relative(self, directory: str, name: str) -> Found:
        rest = name.lstrip(".")
        start = directory
        for _ in range(len(name) - len(rest) - 1):
            if not start:
                return Found("unresolved", reason="out_of_scope")
            start = directory_of(start)
        key = join(start, rest.replace(".", "/"))
        return self._module(key, RELATIVE) or self._prefix(key, start) or Found("unresolved", reason="out_of_scope")

    def _module(self, key: str, rung: int) -> Found | None:
        file = self._table.by_key.get(key) or self._table.compiled.get(key)
        if file is not None:
            return Found("resolved", rung, key, file)
        return Found("resolved", rung, key, is_directory=True) if self._table.is_namespace(key) else None

    def _prefix(self, key: str, stop: str) -> Found | None:
        """Return the longest strict prefix of the key below `stop` that is a module: it runs before the missing one is looked for."""
        key = directory_of(key)
        while len(key) > len(stop):
            if key in self._table.by_key:
                return Found("resolved", PREFIX, key, self._table.by_key[key])
            key = directory_of(key)
        return None

    # Rungs 2 to 5.

    def _absolute(self, place: _Place, name: str) -> Found:
        key = name.replace(".", "/")
        top = key.partition("/")[0]
        if not key:
            return Found("unresolved", reason="empty")
        if top in _OF_THE_INTERPRETER:
            return Found("external", EXTERNAL)
        standard = top in NAMES
        found = self._under_roots(place, key, standard)
        if found is not None and (found.file or found.candidates):
            return found
        if found is None:
            found = self._by_alias(key, standard)
            if found is not None:
                return found
        # A directory without `__init__.py` gives way to whatever is installed, yet some of its modules may be meant.
        if standard or any(prefix.lower() in place.declared for prefix in _prefixes(key)):
            return replace(found, status="external", rung=EXTERNAL) if found is not None else Found("external", EXTERNAL)
        if found is not None:
            return found
        found = self._by_evidence(place, key)
        if found is not None:
            return found
        return Found("external", EXTERNAL) if top in FORMER else Found("unresolved", reason="out_of_scope")

    def _under_roots(self, place: _Place, key: str, standard: bool) -> Found | None:
        namespace: Found | None = None
        for root, hides in place.ordered:
            hit = self._hit(root, key, standard) if hides or not standard else None
            if hit is not None and (hit.file or self._is_in_package(root, key)):
                return hit
            namespace = namespace or hit
        for reason, roots in place.groups:
            hits = [hit for root in roots if (hit := self._hit(root, key, standard)) is not None]
            files = {hit.file: hit for hit in hits if hit.file}
            if len(files) > 1:
                return Found("unresolved", reason=reason, candidates=tuple(sorted(files)))
            if files:
                return next(iter(files.values()))
            namespace = namespace or next(iter(hits), None)
        if standard:
            return None
        return namespace or self._package_prefix(place, key)

    def _is_in_package(self, root: Root, key: str) -> bool:
        """Return whether the first part of the key is a package or module under the root: then nothing installed has the name."""
        return (_under(root, key.partition("/")[0]) or "") in self._table.by_key

    def _package_prefix(self, place: _Place, key: str) -> Found | None:
        for root in (*(root for root, _ in place.ordered), *(root for _, roots in place.groups for root in roots)):
            whole = _under(root, key)
            found = self._prefix(whole, root.directory) if whole is not None else None
            if found is not None:
                rest = len(found.key) - len(root.directory)
                if any(len(prefix) > rest and prefix.lower() in place.declared for prefix in _prefixes(key)):
                    return None  # a dependency installs more of this namespace than the tree holds
                return found
        return None

    def _hit(self, root: Root, key: str, standard: bool) -> Found | None:
        whole = _under(root, key)
        if whole is None:
            return None
        if standard and not self._is_in_package(root, key):
            return None
        return self._module(whole, ABSOLUTE)

    def _by_evidence(self, place: _Place, key: str) -> Found | None:
        near = [join(directory, key) for directory in place.nearby]
        # One name alone is too little to go by anywhere, unless it is a package.
        far = self._table.outside_packages(key)
        for keys in (near, [whole for whole in far if "/" in key or whole in self._table.packages]):
            hits = {self._table.by_key[whole]: whole for whole in keys if whole in self._table.by_key}
            if len(hits) > 1:
                return Found("unresolved", reason="ambiguous_root", candidates=tuple(sorted(hits)))
            for file, whole in hits.items():
                return Found("resolved", EVIDENCE, whole, file)
        return None

    def _by_alias(self, key: str, standard: bool) -> Found | None:
        """Return the module of a package that stands in for another: `distutils.core` is `setuptools/_distutils/core.py`."""
        top, slash, rest = key.partition("/")
        package, is_replaced = self._aliases.get(top, ("", False))
        return self._module(package + slash + rest, EVIDENCE) if package and (is_replaced or not standard) else None

    @cached_property
    def _aliases(self) -> Mapping[str, tuple[str, bool]]:
        """The packages with a private name that some file loads by a literal one, by that name without the underscore.

        A finder or an entry of `sys.modules` gives such a package the public name, which nothing else in the tree has. Where two could be
        meant neither is. With each goes whether the file loads the public name, too: then it takes the place even of a standard module.
        """
        found: dict[str, set[str]] = {}
        replaced: set[str] = set()
        for path in self._table.files:
            extraction = self._context.extractions.get(path)
            loaded = {site.spec for site in extraction.sites if site.kind == "dynamic_import"} if extraction is not None else set()
            for spec in loaded:
                last = spec.rpartition(".")[2]
                if last.startswith("_") and not last.startswith("__") and "." in spec.strip("."):
                    target = self._without_aliases(path, spec)
                    if target is not None and target.rung != PREFIX and target.key in self._table.packages:
                        found.setdefault(last[1:], set()).add(target.key)
                        if last[1:] in loaded:
                            replaced.add(last[1:])
        return {name: (next(iter(keys)), name in replaced) for name, keys in found.items() if len(keys) == 1}

    def _without_aliases(self, importer: str, name: str) -> Found | None:
        """Return what a name means by where modules lie alone: which names are aliases is told from that."""
        if name.startswith("."):
            return self.find(importer, name)
        place, _ = self._seen_from(importer)
        return self._under_roots(place, name.replace(".", "/"), name.partition(".")[0] in NAMES)

    def key_of_alias(self, name: str) -> str | None:
        """Return the key of the package that stands in for a top-level name, None when none does."""
        package, _ = self._aliases.get(name, ("", False))
        return package or None

    def _new_place(self, directory: str, runs: bool) -> _Place:
        own = self.owner(directory)
        base = self._table.base(directory)
        ordered: list[tuple[Root, bool]] = []
        if base != directory:
            ordered.append((Root(base), True))
        if runs:
            tests = [above for above in ancestors(directory) if join(above, "conftest.py") in self._context.files]
            ordered += [(Root(self._table.base(above)), False) for above in ([directory] if base == directory else []) + tests]
        if base == directory:
            holding = [root for root in own.roots if not root.prefix and _holds(root.directory, directory)]
            nearest = max(holding, key=lambda root: len(root.directory), default=None)
            if nearest is not None and nearest.directory != own.directory:
                ordered.append((nearest, True))
        others = (other for other in self._distributions if other is not own and not other.is_test_data)
        declared = {key for above in ancestors(directory) for name in self._needed.get(above, ()) for key in _import_keys(name)}
        if any(join(above, "setup.py") in self._context.files for above in ancestors(directory)):
            declared.update(_import_keys("setuptools"))  # whatever runs a setup script provides it
        return _Place(
            tuple(dict.fromkeys(ordered)),
            (
                ("ambiguous_root", own.roots),
                ("ambiguous_workspace", tuple(dict.fromkeys(root for other in others for root in other.roots))),
            ),
            frozenset(key.lower() for key in declared),
            tuple(above for above in ancestors(base) if self._table.base(above) == above) + ((directory,) if runs else ()),
        )


def _holds(directory: str, path: str) -> bool:
    return not directory or path == directory or path.startswith(directory + "/")


def _under(root: Root, key: str) -> str | None:
    """Return the key that a dotted path has in the tree under a root, None when it is not of that root's package."""
    if not root.prefix:
        return join(root.directory, key)
    if key == root.prefix:
        return root.directory
    if key.startswith(root.prefix + "/"):
        return join(root.directory, key[len(root.prefix) + 1 :])
    return None


def _prefixes(key: str) -> Iterator[str]:
    while key:
        yield key
        key = directory_of(key)


def _import_keys(name: str) -> Iterator[str]:
    """Yield the keys of what a distribution of that normalised name may install: known ones, else what the name spells."""
    known = IMPORT_NAMES.get(name)
    if known is not None:
        yield from known
        return
    yield name.replace("-", "_")
    # Namespaces: `zope-interface` installs zope.interface, `google-cloud-storage` google.cloud.storage.
    yield name.replace("-", "/")
    for affix in ("python-", "py"):
        if name.startswith(affix):
            yield name.removeprefix(affix).replace("-", "_")
    if name.endswith("-python"):
        yield name.removesuffix("-python").replace("-", "_")
