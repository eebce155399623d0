"""What every ladder may ask about a tree: which paths exist, what stands below a directory, what a manifest holds.

Built once for a tree, in time linear in its paths. A question about a path is a look-up, never a search of directories.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property

from ce.facts.records import Extraction, TreeInputs

__all__ = ["Context", "ancestors", "base_name", "directory_of", "join", "normal_path"]


class Context:
    """A tree as ladders see it. `problems` collects sentences about manifests that cannot be read."""

    def __init__(self, inputs: TreeInputs, extractions: Mapping[str, Extraction]) -> None:
        self.inputs = inputs
        self.extractions = extractions
        self.files: Mapping[str, str] = inputs.files
        self.manifests: Mapping[str, bytes] = inputs.manifests
        self.problems: list[str] = []
        self.made: dict[str, object] = {}  # what one ladder builds of the tree and another may ask for, by the name of its language

    def exists(self, path: str) -> bool:
        """Return whether there is a file of that path, measured or not."""
        return path in self.files or path in self.inputs.skipped or path in self.manifests

    @cached_property
    def paths(self) -> list[str]:
        """The measured paths in code-point order."""
        return sorted(self.files)

    @cached_property
    def directories(self) -> frozenset[str]:
        """Every directory that holds a measured file at any depth; the root is empty."""
        found = {""}
        for path in self.files:
            directory = directory_of(path)
            while directory not in found:
                found.add(directory)
                directory = directory_of(directory)
        return frozenset(found)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The measured files directly in each directory, in code-point order."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(directory_of(path), []).append(path)
        return {directory: tuple(paths) for directory, paths in found.items()}

    def below(self, directory: str) -> Iterator[str]:
        """Yield the measured files under a directory at any depth, in order; every file for the root."""
        paths = self.paths
        start, end = (0, len(paths)) if not directory else (bisect_left(paths, directory + "/"), bisect_left(paths, directory + "0"))
        yield from paths[start:end]

    def with_suffix(self, suffix: str) -> list[str]:
        """Return the paths, measured or not, that end so, in order."""
        return sorted({path for paths in (self.files, self.inputs.skipped, self.manifests) for path in paths if path.endswith(suffix)})

    def files_of(self, *languages: str) -> list[str]:
        """Return the measured files of the languages that were parsed, in order."""
        return [path for path in self.paths if self.files[path] in languages and path in self.extractions]

    def manifests_named(self, *names: str) -> list[str]:
        """Return the manifests with one of the file names, those nearer to the root first."""
        found = [path for path in self.manifests if base_name(path) in names]
        return sorted(found, key=lambda path: (path.count("/"), path))


def directory_of(path: str) -> str:
    """Return the directory of a path, empty at the root."""
    return path.rpartition("/")[0]


def base_name(path: str) -> str:
    """Return the last segment of a path."""
    return path.rpartition("/")[2]


def join(directory: str, name: str) -> str:
    """Return the path of a name in a directory."""
    if not directory:
        return name
    return f"{directory}/{name}" if name else directory


def ancestors(directory: str) -> Iterator[str]:
    """Yield a directory and every one above it, the root last."""
    while directory:
        yield directory
        directory = directory_of(directory)
    yield ""


def normal_path(path: str) -> str | None:
    """Return the path without `.`, `..` and empty segments, None when it climbs above the root."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not kept:
                return None
            kept.pop()
        elif part and part != ".":
            kept.append(part)
    return "/".join(kept)
