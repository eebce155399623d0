"""What a specifier in a file means: files of the tree, a directory of modules, or something outside.

The core layer has resolved every reference; here its outcomes are read as the modules that the specifier itself names, without the
packages that run before them and without what lies behind a re-export.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ce.extract.names.link.atoms import OBJECT, Atom, directory_atom, module_outside
from ce.extract.names.link.universe import File, Universe
from ce.facts.records import Extraction, Outcome

__all__ = ["Modules"]

_PREFIX = 3  # the rung of Python at which only the first part of a specifier names something


class Modules:
    """The modules of a tree. `exports` are the literal export lists of Python files by path."""

    def __init__(self, universe: Universe, extractions: Iterable[tuple[str, Extraction]], outcomes: Iterable[Outcome]) -> None:
        """Take the files with names, the extraction of every file, and how its references ended."""
        self.universe = universe
        self.exports: dict[str, frozenset[str]] = {}
        self.by_path: Mapping[str, File] = {file.path: file for file in universe.files}
        self.by_key: dict[str, tuple[int, ...]] = {}
        self.directories: set[str] = set()
        for file in universe.files:
            if file.is_python:
                key = key_of(file.path)
                # The source comes before the stub beside it: `.py` sorts before `.pyi`.
                self.by_key[key] = (*self.by_key.get(key, ()), file.first)
                self._note_directories(key)
        self._outcomes: dict[tuple[str, int, str], list[Outcome]] = {}
        self._known: dict[tuple[int, int, str], tuple[Atom, ...]] = {}
        self._note_outcomes(extractions, outcomes)
        self.names = self._dotted_names()

    def _note_directories(self, key: str) -> None:
        directory = key
        while directory:
            directory = directory.rpartition("/")[0]
            if directory in self.directories:
                return
            self.directories.add(directory)

    def _note_outcomes(self, extractions: Iterable[tuple[str, Extraction]], outcomes: Iterable[Outcome]) -> None:
        by_file: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            if outcome.path in self.by_path:
                by_file.setdefault(outcome.path, []).append(outcome)
        for path, extraction in extractions:
            if path not in self.by_path:
                continue
            if extraction.exports is not None:
                self.exports[path] = frozenset(extraction.exports)
            sites = extraction.sites
            for outcome in by_file.get(path, ()):
                site = sites[outcome.site]
                self._outcomes.setdefault((path, site.line, site.spec), []).append(outcome)

    def meaning(self, file: File, line: int, spec: str) -> tuple[Atom, ...]:
        """Return the modules that a specifier on a line of a file names, as atoms; several when it is ambiguous."""
        key = (file.number, line, spec)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._python(file, line, spec) if file.is_python else self._ecmascript(file, line, spec)
        return known

    def below(self, atom: Atom, name: str) -> tuple[Atom, ...]:
        """Return the modules of that name in a package or in a directory of modules."""
        if isinstance(atom, int):
            path = self.universe.path_of(atom >> 2)
            if not path.endswith(("/__init__.py", "/__init__.pyi")) and path not in ("__init__.py", "__init__.pyi"):
                return ()
            directory = key_of(path)
        else:
            directory = str(atom)[1:]
        return self.at_key(f"{directory}/{name}" if directory else name)

    def at_key(self, key: str) -> tuple[Atom, ...]:
        """Return the Python modules of a key, or the directory of modules that it is."""
        found = self.by_key.get(key)
        if found is not None:
            return tuple(gid << 2 | OBJECT for gid in found)
        return (directory_atom(key),) if key in self.directories else ()

    def leading(self, atom: Atom, spec: str, depth: int) -> tuple[Atom, ...]:
        """Return what the first `depth` parts of a specifier mean whose whole means the atom."""
        parts = spec.split(".")
        if depth <= 0 or depth >= len(parts):
            return (atom,)
        if isinstance(atom, str) and not atom.startswith("/"):
            return (module_outside(".".join(parts[:depth])),)
        key = key_of(self.universe.path_of(atom >> 2)) if isinstance(atom, int) else str(atom)[1:]
        for _ in parts[depth:]:
            key = key.rpartition("/")[0]
        return self.at_key(key)

    def _python(self, file: File, line: int, spec: str) -> tuple[Atom, ...]:
        outcomes = self._outcomes.get((file.path, line, spec), ())
        if spec.startswith("."):
            found = self.at_key(_relative_key(file.path, spec))
            return found or self._targets(outcomes) or (module_outside(spec),)
        tail = spec.replace(".", "/")
        keys: dict[str, None] = {}
        for outcome in outcomes:
            if outcome.via_reexport:
                continue
            for target in (outcome.target, *outcome.candidates):
                key = target.rstrip("/") if target.endswith("/") else key_of(target)
                if not _ends(key, tail):
                    # `from package import module` may end at the module alone.
                    key = key.rpartition("/")[0]
                if key and _ends(key, tail):
                    keys[key] = None
        found = tuple(atom for key in keys for atom in self.at_key(key))
        return found or (module_outside(spec),)

    def _targets(self, outcomes: Sequence[Outcome], prefix: int = _PREFIX) -> tuple[Atom, ...]:
        """Return the files that the outcomes name themselves; those of the rung `prefix` name more than the specifier says."""
        paths: dict[str, None] = {}
        for outcome in outcomes:
            if outcome.status == "resolved" and not outcome.via_reexport and outcome.rung != prefix:
                paths[outcome.target] = None
            paths.update(dict.fromkeys(outcome.candidates))
        files = (self.by_path.get(path) for path in paths)
        return tuple(file.first << 2 | OBJECT for file in files if file is not None)

    def _ecmascript(self, file: File, line: int, spec: str) -> tuple[Atom, ...]:
        return self._targets(self._outcomes.get((file.path, line, spec), ()), prefix=0) or (module_outside(spec),)

    def _dotted_names(self) -> dict[int, str]:
        """Return the full name of every Python module by its gid, from the roots that imports in the tree prove or packages imply."""
        proven: dict[str, Counter[str]] = {}
        for path, _, spec in self._outcomes:
            if spec.startswith(".") or not self.by_path[path].is_python:
                continue
            tail = spec.replace(".", "/")
            for outcome in self._outcomes[path, _, spec]:
                key = key_of(outcome.target)
                if outcome.status == "resolved" and _ends(key, tail):
                    root = key[: -len(tail)].rstrip("/")
                    proven.setdefault(f"{root}/{tail.partition('/')[0]}".lstrip("/"), Counter())[root] += 1
        names = {}
        for file in self.universe.files:
            if file.is_python:
                key = key_of(file.path)
                root = self._root(key, proven)
                names[file.first] = key[len(root) :].lstrip("/").replace("/", ".")
        return names

    def _root(self, key: str, proven: Mapping[str, Counter[str]]) -> str:
        """Return the directory that the full name of a module starts below."""
        top = key.rpartition("/")[0]
        if key in self.by_key and any(self.universe.path_of(gid).rpartition("/")[2].startswith("__init__.") for gid in self.by_key[key]):
            top = key
        while top and self._is_package(top.rpartition("/")[0]):
            top = top.rpartition("/")[0]
        start = top if self._is_package(top) else key
        holder = start
        while holder:
            found = proven.get(holder)
            if found:
                return min(found, key=lambda root: (-found[root], root))
            holder = holder.rpartition("/")[0]
        return start.rpartition("/")[0]

    def _is_package(self, directory: str) -> bool:
        paths = (self.universe.path_of(gid) for gid in self.by_key.get(directory, ()))
        return bool(directory) and any(path.rpartition("/")[2].startswith("__init__.") for path in paths)


def key_of(path: str) -> str:
    """Return the path of a module without its suffix, of a package that of its directory."""
    stem = path.rpartition(".")[0]
    return "" if stem == "__init__" else stem.removesuffix("/__init__")


def _ends(key: str, tail: str) -> bool:
    return key == tail or key.endswith("/" + tail)


def _relative_key(path: str, spec: str) -> str:
    rest = spec.lstrip(".")
    directory = path.rpartition("/")[0]
    for _ in range(len(spec) - len(rest) - 1):
        directory = directory.rpartition("/")[0]
    below = rest.replace(".", "/")
    return f"{directory}/{below}".strip("/") if below else directory
