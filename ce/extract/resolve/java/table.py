"""The types of a tree by declared package and name, and which of them a file can see.

A file in `<module>/src/main/java` sees no other source set, as no test is on the class path of the code it tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ce.extract.resolve.context import Context, base_name, directory_of
from ce.facts.records import Extraction

__all__ = ["LANGUAGE", "JavaFile", "Table", "TypeName"]

LANGUAGE = "java"
TYPES = frozenset({"class", "interface", "enum", "record", "annotation"})

_SOURCE_SET = re.compile(r"(?:.*/)?src/([^/]+)/java(?:/|$)")
_NO_TYPES = frozenset({"package-info.java", "module-info.java"})


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type in the tree: its file and the index of its unit there, -1 when its types cannot be read."""

    file: str
    unit: int


@dataclass(frozen=True, slots=True)
class JavaFile:
    """A file: its declared package, the directory that its packages begin in, its source set, its types by their dotted names."""

    path: str
    package: str
    root: str
    source_set: str
    types: Mapping[str, int]


class Table:
    """Every Java file of the tree, and look-ups by qualified name."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.files: dict[str, JavaFile] = {}
        self._types: dict[tuple[str, str], list[str]] = {}  # package and name of a top-level type to its files
        self.packages: dict[str, list[str]] = {}  # package to its directories
        for path in context.files_of(LANGUAGE):
            file = _file(path, context.extractions[path])
            self.files[path] = file
            for name in file.types:
                if "." not in name:
                    self._types.setdefault((file.package, name), []).append(path)
            directories = self.packages.setdefault(file.package, [])
            if directory_of(path) not in directories:
                directories.append(directory_of(path))

    def type_in(self, package: str, name: str, viewer: str) -> tuple[str, ...]:
        """Return the files that declare a top-level type, as far as the viewer sees them: those of its own directory or root first."""
        found = self._types.get((package, name))
        if found is None:
            return ()
        if len(found) == 1:
            return tuple(found) if self.sees(viewer, found[0]) else ()
        seen = [path for path in found if self.sees(viewer, path)]
        near = [path for path in seen if directory_of(path) == directory_of(viewer)]
        root = self.files[viewer].root if viewer in self.files else ""
        return tuple(near or [path for path in seen if self.files[path].root == root] or seen)

    def package_in(self, package: str, viewer: str) -> tuple[str, ...]:
        """Return the directories of a package that the viewer sees: the one of its own root alone when there is one."""
        directories = self.packages.get(package)
        if not directories or not package:
            return ()
        seen = [directory for directory in directories if self._sees_directory(viewer, directory)]
        root = self.files[viewer].root if viewer in self.files else ""
        own = [directory for directory in seen if directory == _joined(root, package)]
        return tuple(own or seen)

    def sees(self, viewer: str, path: str) -> bool:
        """Return whether code of the viewer can use what stands in a file."""
        own = self.files.get(viewer)
        return own is None or own.source_set != "main" or self.files[path].source_set in ("main", "")

    def _sees_directory(self, viewer: str, directory: str) -> bool:
        own = self.files.get(viewer)
        return own is None or own.source_set != "main" or _source_set(directory + "/") in ("main", "")

    def qualified(self, name: str, viewer: str) -> tuple[tuple[str, ...], str]:
        """Return the files that the longest prefix of a qualified name means as a type, and the rest of the name."""
        parts = name.split(".")
        for cut in range(len(parts) - 1, -1, -1):
            found = self.type_in(".".join(parts[:cut]), parts[cut], viewer)
            if found:
                return found, ".".join(parts[cut + 1 :])
        return (), ""


def _file(path: str, extraction: Extraction) -> JavaFile:
    package = extraction.extra.get("package", "")
    package = package if isinstance(package, str) else ""
    types: dict[str, int] = {}
    names: dict[int, str] = {}
    for index, unit in enumerate(extraction.units):
        if unit.declares in TYPES and unit.name and (unit.parent < 0 or unit.parent in names):
            names[index] = unit.name if unit.parent < 0 else f"{names[unit.parent]}.{unit.name}"
            types.setdefault(names[index], index)
    if not types and base_name(path) not in _NO_TYPES:
        types[base_name(path).removesuffix(".java")] = -1
    return JavaFile(path, package, _root(directory_of(path), package), _source_set(path), types)


def _root(directory: str, package: str) -> str:
    """Return where the packages of a file begin, its own directory when the path does not spell the package."""
    end = package.replace(".", "/")
    if not end:
        return directory
    return directory[: -len(end)].rstrip("/") if f"/{directory}".endswith("/" + end) else directory


def _source_set(path: str) -> str:
    match = _SOURCE_SET.match(path)
    return match.group(1) if match else ""


def _joined(root: str, package: str) -> str:
    below = package.replace(".", "/")
    return f"{root}/{below}" if root else below
