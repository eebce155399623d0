"""The modules of a tree by key, and what can be told from the keys alone.

A module has a *key*: its path without `.py` or `/__init__.py`. Under a root directory a dotted name becomes a key by one
look-up, so no question here searches directories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from ce.extract.resolve.context import Context, base_name, directory_of

__all__ = ["LANGUAGE", "ModuleTable", "is_package", "key_of"]

LANGUAGE = "python"

# What a module without a Python file is built from, as build backends and Cython have it.
_COMPILED = (".pyx", ".pyd", ".so", ".c", ".cpp")


def key_of(path: str) -> str:
    """Return the key of the module in a file; the root as a package has the empty key."""
    stem = path.rpartition(".")[0]
    return "" if stem == "__init__" else stem.removesuffix("/__init__")


def is_package(file: str) -> bool:
    """Return whether the file makes its directory a package."""
    return base_name(file).startswith("__init__.")


class ModuleTable:
    """Every Python file of a tree, measured or not, by key. A package beats a module, and a module its stub."""

    def __init__(self, context: Context) -> None:
        self.files = [path for path, language in context.files.items() if language == LANGUAGE]
        self.by_key: dict[str, str] = {}
        self.stubs: dict[str, str] = {}  # key to the `.pyi` beside a module
        unmeasured = [path for path in context.inputs.skipped if path.endswith((".py", ".pyi"))]
        for path in sorted({*self.files, *unmeasured}, key=_rank):
            key = key_of(path)
            if key not in self.by_key:
                self.by_key[key] = path
            elif path.endswith(".pyi"):
                self.stubs.setdefault(key, path)
        self.packages = frozenset(key for key, path in self.by_key.items() if is_package(path))
        self._holding: dict[str, tuple[str, ...]] = {}
        self.compiled: dict[str, str] = {}  # key to what a missing module is built from
        for suffix in _COMPILED:
            for path in context.with_suffix(suffix):
                # `name.cpython-311-x86_64-linux-gnu.so` is the module `name`.
                directory, slash, name = path.rpartition("/")
                self.compiled.setdefault(directory + slash + name.partition(".")[0], path)

    def packages_around(self, key: str) -> tuple[str, ...]:
        """Return the `__init__` files of the packages that hold the module, the innermost first."""
        return self.packages_holding(directory_of(key)) if key else ()

    def packages_holding(self, directory: str) -> tuple[str, ...]:
        """Return the `__init__` files of a directory and of those above it, the innermost first.

        A directory between two packages may be no package itself: the modules in it still run after the outer one.
        """
        known = self._holding.get(directory)
        if known is None:
            own = (self.by_key[directory],) if directory in self.packages else ()
            known = self._holding[directory] = own + (self.packages_holding(directory_of(directory)) if directory else ())
        return known

    def base(self, directory: str) -> str:
        """Return the nearest directory that is no package, from the given one upwards."""
        while directory and directory in self.packages:
            directory = directory_of(directory)
        return directory

    def could_mean(self, name: str, names: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the files whose path ends in the dotted name, or in it and one of the imported names, sorted."""
        whole = name.strip(".").replace(".", "/")
        if not whole:
            return ()
        found = set()
        for key in (whole, *(f"{whole}/{imported}" for imported in names if imported != "*")):
            for candidate in self._by_last.get(base_name(key), ()):
                if candidate == key or candidate.endswith("/" + key):
                    found.add(self.by_key[candidate])
        return tuple(sorted(found))

    def files_named(self, name: str) -> tuple[str, ...]:
        """Return the measured files of that name, in order."""
        return self._by_name.get(name, ())

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(base_name(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    def outside_packages(self, key: str) -> tuple[str, ...]:
        """Return the keys that end in this one and whose first part of it stands in no package."""
        ends = "/" + key
        found = (candidate for candidate in self._by_last.get(base_name(key), ()) if candidate.endswith(ends))
        return tuple(candidate for candidate in found if candidate[: -len(ends)] not in self.packages)

    @cached_property
    def _by_last(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for key in self.by_key:
            found.setdefault(base_name(key), []).append(key)
        return {last: tuple(keys) for last, keys in found.items()}

    @cached_property
    def top_packages(self) -> Mapping[str, tuple[str, ...]]:
        """The directories that hold a package of each name and are no package themselves."""
        found: dict[str, list[str]] = {}
        for key in self.by_key:
            above = directory_of(key)
            if key and key in self.packages and above not in self.packages:
                found.setdefault(base_name(key), []).append(above)
        return {name: tuple(directories) for name, directories in found.items()}

    @cached_property
    def tops(self) -> Mapping[str, frozenset[str]]:
        """The names directly below each directory that are modules, or directories that hold some."""
        found: dict[str, set[str]] = {}
        for whole in self.by_key:
            key = whole
            while key:
                directory, _, name = key.rpartition("/")
                names = found.setdefault(directory, set())
                if name in names:
                    break
                names.add(name)
                key = directory
        return {directory: frozenset(names) for directory, names in found.items()}

    def is_namespace(self, key: str) -> bool:
        """Return whether the key is a directory that holds modules without being a package."""
        return key in self.tops and key not in self.by_key


def _rank(path: str) -> tuple[bool, bool, str]:
    return (path.endswith(".pyi"), not is_package(path), path)
