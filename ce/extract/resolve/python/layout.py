"""Where the dotted names of a tree start: its distributions, their import roots, and what each of them installs.

A directory with packaging metadata is a distribution, and owns every file below it that no deeper one owns. The root of the tree
is always one, with or without metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

from ce.extract.resolve.context import Context, base_name, directory_of, join
from ce.extract.resolve.python.collected import Installed, Metadata, Root, Script
from ce.extract.resolve.python.metadata import read_metadata
from ce.extract.resolve.python.table import ModuleTable, is_package
from ce.extract.resolve.roles import in_test_directory
from ce.facts.manifests import normalised

__all__ = ["Distribution", "distributions", "installed_name", "is_public", "requirements"]

_PACKAGING = ("pyproject.toml", "setup.cfg", "setup.py")
_FURTHER = ("tox.ini", "pytest.ini", ".pytest.ini", "Pipfile")

# Directories that hold packages without being one, by convention, tried in this order beside what metadata declares.
_SOURCE_DIRECTORIES = ("src", "lib", "python")

# Names that setuptools leaves out when it looks for packages beside the metadata (its documentation, "flat-layout").
_RESERVED = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments", "changelog", "test", "tests",
    "unit_test", "unit_tests", "example", "examples", "scripts", "tools", "util", "utils", "python", "build", "benchmark",
    "benchmarks", "exercise", "exercises", "htmlcov",
    "setup", "conftest", "toxfile", "noxfile", "pavement", "dodo", "tasks", "fabfile", "conanfile", "manage",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Distribution:
    """One distribution. `roots` are where its dotted names start, in the order of evidence: declared, then conventional."""

    directory: str
    name: str
    manifest: str  # empty without packaging metadata
    library: str  # where the metadata publishes it as a library, else empty
    roots: tuple[Root, ...]
    installed: tuple[Installed, ...]
    dependencies: frozenset[str]
    scripts: tuple[Script, ...]
    started: tuple[tuple[str, str], ...]
    python_files: tuple[str, ...]
    testpaths: tuple[str, ...]
    used_fixtures: tuple[tuple[str, str], ...]
    is_test_data: bool


def distributions(context: Context, table: ModuleTable) -> tuple[Distribution, ...]:
    """Return the distributions of the tree by directory, the root first."""
    grouped: dict[str, dict[str, bytes]] = {"": {}}
    for path, data in context.manifests.items():
        if base_name(path) in _PACKAGING:
            grouped.setdefault(directory_of(path), {})[path] = data
    for path, data in context.manifests.items():
        if base_name(path) in _FURTHER and directory_of(path) in grouped:
            grouped[directory_of(path)][path] = data
    return tuple(_distribution(read_metadata(directory, grouped[directory], context.problems), table) for directory in sorted(grouped))


def requirements(context: Context) -> Mapping[str, frozenset[str]]:
    """Return the distributions that requirement lists name, by the directory they are for: that of the list, above `requirements/`."""
    grouped: dict[str, dict[str, bytes]] = {}
    for path, data in context.manifests.items():
        name, directory = base_name(path), directory_of(path)
        if _is_requirements(name, directory) or name in _FURTHER:
            directory = directory_of(directory) if base_name(directory) == "requirements" else directory
            grouped.setdefault(directory, {})[path] = data
    ignored: list[str] = []  # what cannot be read is said where distributions are read
    return {directory: frozenset(read_metadata(directory, manifests, ignored).dependencies) for directory, manifests in grouped.items()}


def _is_requirements(name: str, directory: str) -> bool:
    return name.endswith((".txt", ".in")) and ("requirements" in name or base_name(directory) == "requirements")


def _distribution(found: Metadata, table: ModuleTable) -> Distribution:
    own = Root(found.directory)
    conventional = [Root(directory) for name in _SOURCE_DIRECTORIES if table.is_namespace(directory := join(found.directory, name))]
    declared = [root for root in found.roots + [Root(path) for path in found.pythonpath] if root != own]
    installed = found.installed or _discovered(found, [*declared, *conventional, own], table)
    return Distribution(
        found.directory,
        found.name,
        found.manifest if found.packaged else "",
        found.library or ("" if found.scripts else found.typed),
        tuple(dict.fromkeys([*declared, own, *conventional])),
        tuple(installed) if found.packaged else (),
        frozenset(found.dependencies),
        tuple(found.scripts),
        tuple(found.started),
        found.python_files,
        tuple(found.testpaths),
        tuple(found.used_fixtures),
        in_test_directory(found.directory + "/"),
    )


def _discovered(found: Metadata, roots: list[Root], table: ModuleTable) -> list[Installed]:
    """Return what a build backend installs when no table says it: the package of the project's name, else all that it finds."""
    name = _folded(found.name)
    for root in roots:
        for top in sorted(table.tops.get(root.directory, ())):
            if _folded(top) == name and join(root.directory, top) in table.by_key:
                return [Installed(root, (top, top + ".*"), (), (top,))]
    for root in roots:
        tops = [top for top in sorted(table.tops.get(root.directory, ())) if is_package(table.by_key.get(join(root.directory, top), ""))]
        if root.directory == found.directory:
            tops = [top for top in tops if top not in _RESERVED and not top.startswith((".", "_"))]
        if tops:
            return [Installed(root, tuple(pattern for top in tops for pattern in (top, top + ".*")))]
    own = [top for top in sorted(table.tops.get(found.directory, ())) if join(found.directory, top) in table.by_key]
    modules = [top for top in own if top not in _RESERVED]
    return [Installed(Root(found.directory), modules=tuple(modules))] if len(modules) == 1 else []


def _folded(name: str) -> str:
    return normalised(name).replace("-", "")


def installed_name(distribution: Distribution, key: str, is_package: bool) -> str:
    """Return the dotted name under which the distribution installs the module, empty when it does not."""
    for installed in distribution.installed:
        dotted = _dotted(installed.root, key)
        holder = dotted if is_package else dotted.rpartition(".")[0]
        if holder and _matches(installed.include, holder) and not _matches(installed.exclude, holder):
            return dotted
        if dotted and not holder and _matches(installed.modules, dotted):
            return dotted
    return ""


def is_public(dotted: str) -> bool:
    """Return whether no part of the name starts with an underscore or belongs to tests."""
    return not any(part.startswith("_") or part in _TESTS for part in dotted.split("."))


_TESTS = frozenset({"tests", "test", "conftest"})


def _dotted(root: Root, key: str) -> str:
    directory = root.directory
    if directory and not key.startswith(directory + "/") and key != directory:
        return ""
    rest = key[len(directory) :].strip("/") if directory else key
    return join(root.prefix, rest).replace("/", ".")


@lru_cache(maxsize=256)
def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs) or "(?!)")


def _matches(globs: Iterable[str], name: str) -> bool:
    return _pattern(tuple(globs)).match(name) is not None
