"""What the Go toolchain starts or builds without an import.

| role | files |
|---|---|
| `declared` | those of a package `main`: `go build` makes a program of its directory |
| `script` | those behind a build constraint that no build meets: they are run by name; those of a package that a command file names |
| `doc` | those that hold nothing but the comment of their package: readers see it, no code can refer to it |
| `surface` | those of a package that other modules may import: no program, and not below `internal/` |

A test compiles the package it stands beside, so it refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import directory_of, join, normal_path
from ce.extract.resolve.go.imports import GoTree, is_test, package_name, starts_by_tag
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.roles import in_test_directory
from ce.facts.records import Edge, EntryPoint, Role

__all__ = ["conventions"]

_COMMANDS = frozenset({"run", "build", "install", "bind", "generate"})
_CLOSED = re.compile(r"(?:^|/)(?:internal|vendor|testdata|[_.][^/]*)(?:/|$)")


def conventions(tree: GoTree) -> Conventions:
    """Return the roles of programs and published packages, and what tests refer to."""
    started = list(_started(tree))
    return Conventions(
        roles=(*_documentation(tree), *_programs(tree), *_surface(tree), *(role for _, role in started)),
        entry_points=tuple(entry for entry, _ in started),
        edges=tuple(_tests(tree)),
        manifest_deps=tuple((module.directory, path) for module in tree.modules for path in module.needs),
    )


def _programs(tree: GoTree) -> Iterator[Role]:
    for path in tree.files:
        extraction = tree.context.extractions[path]
        if is_test(path):
            continue
        if starts_by_tag(extraction):
            yield Role(path, "script", "a build constraint keeps it out of its package", f"{path}:{extraction.extra['ignored']}")
        elif package_name(extraction) == "main":
            yield Role(path, "declared", f"a file of the program `{directory_of(path) or '.'}`")


def _documentation(tree: GoTree) -> Iterator[Role]:
    for path in tree.files:
        extraction = tree.context.extractions[path]
        if extraction.extra.get("documentation") and not is_test(path) and not starts_by_tag(extraction):
            yield Role(path, "doc", "the documentation of a package")


def _surface(tree: GoTree) -> Iterator[Role]:
    for directory, paths in tree.packages.items():
        module = tree.nearest(directory)
        if module is None or in_test_directory(directory + "/") or _CLOSED.search(directory):
            continue
        for path in paths:
            extraction = tree.context.extractions[path]
            if package_name(extraction) != "main" and not starts_by_tag(extraction):
                place = directory[len(module.directory) :].strip("/") if module.directory else directory
                yield Role(path, "surface", f"a file of the package `{join(module.path, place)}`", f"{module.manifest}:1")


def _started(tree: GoTree) -> Iterator[tuple[EntryPoint, Role]]:
    """Yield the files of packages that command files name, by their import path or as a directory of a command of the toolchain."""
    for word in command_words(tree.context):
        module = next((tree.by_path[path][0] for path in _prefixes(word.text) if path in tree.by_path), None)
        directory = None
        if module is not None:
            directory = join(module.directory, word.text[len(module.path) + 1 :])
        elif word.before in _COMMANDS and "/" in word.text:
            directory = normal_path(join(word.directory, word.text))
            if directory not in tree.packages:
                directory = normal_path(word.text)
        for path in tree.packages.get(directory, ()) if directory else ():
            yield EntryPoint(path, "", word.at), Role(path, "script", f"named by {word.at.rpartition(':')[0]}", word.at)


def _prefixes(path: str) -> Iterator[str]:
    if "." in path.partition("/")[0]:
        while path:
            yield path
            path = directory_of(path)


def _tests(tree: GoTree) -> Iterator[Edge]:
    for path in tree.files:
        directory = directory_of(path)
        if is_test(path) and directory in tree.packages:
            yield Edge(path, directory + "/", "import", 1, 1)
