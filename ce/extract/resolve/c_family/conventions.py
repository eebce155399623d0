"""C and C++ files that something beside an include keeps: programs, installed headers, files that build files name.

| role | files that get it here |
|---|---|
| `declared` | headers in a directory that a build file installs; files included before the first line of others |
| `surface` | headers of a directory `include/` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.c_family.builds import installed, words_of_builds
from ce.extract.resolve.c_family.ladder import SEARCHED, IncludeTree
from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.roles import in_test_directory
from ce.facts.records import Edge, EntryPoint, Role

__all__ = ["conventions"]

_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inl")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", *_HEADERS)
_PUBLIC = re.compile(r"(?:.*/)?include/")
_FILE = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")


def conventions(tree: IncludeTree) -> Conventions:
    """Return roles, entry points, and the references of forced includes."""
    could_any = []
    for path in tree.files:
        for dynamic in tree.context.extractions[path].dynamic:
            could_any += [(path, dynamic.line, language, dynamic.why) for language in ("c", "cpp")]
    return Conventions(
        roles=tuple(_roles(tree)),
        entry_points=tuple(sorted(set(_starts(tree)), key=lambda start: (start.path, start.source))),
        edges=tuple(_forced(tree)),
        could_name_any=tuple(could_any),
    )


def _forced(tree: IncludeTree) -> Iterator[Edge]:
    """Yield a reference from each translation unit to what its commands include before its first line."""
    for path, chains in sorted(tree.chains.items()):
        for chain in chains:
            if chain.forced and path.endswith(_SOURCES[:4]):
                for target in tree.forced(chain):
                    if target != path:
                        yield Edge(path, target, "import", SEARCHED, 0, "runtime")


def _roles(tree: IncludeTree) -> Iterator[Role]:
    directories = dict(installed(tree.context))
    for path in tree.files:
        if not path.endswith(_HEADERS):
            continue
        directory = path
        while directory:
            directory = directory.rpartition("/")[0]
            if directory in directories and directory:
                yield Role(path, "declared", f"a header of `{directory}/`, which is installed", directories[directory])
                break
        if _PUBLIC.match(path) and not in_test_directory(path):
            yield Role(path, "surface", "a header of `include/`")


def _starts(tree: IncludeTree) -> Iterator[EntryPoint]:
    """Yield the files that build files and commands name."""
    for place, at in words_of_builds(tree.context):
        if tree.context.files.get(place) in ("c", "cpp"):
            yield EntryPoint(place, "", at)
        elif place.endswith(_HEADERS):
            # A list of headers to install is often that of another directory: the one file of that name below the build file.
            build = directory_of(at)
            named = [path for path in tree.by_name.get(base_name(place), ()) if not build or path.startswith(build + "/")]
            if len(named) == 1 and tree.context.files.get(named[0]) in ("c", "cpp"):
                yield EntryPoint(named[0], "", at)
    for word in command_words(tree.context):
        if word.text.endswith(_SOURCES) and _FILE.fullmatch(word.text):
            for start in dict.fromkeys((word.directory, "")):
                found = normal_path(join(start, word.text))
                if found is not None and tree.context.files.get(found) in ("c", "cpp"):
                    yield EntryPoint(found, "", word.at)
                    break
