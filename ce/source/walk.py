"""The tree on disk as values: what is measured, what is only read, and why everything else is left out.

No symbolic link is followed, every directory is entered at most once, and a fault of one entry never ends the walk.
Of several reasons for leaving an entry out the first in this order is given: symlink, not_regular, secret, ignored,
excluded, submodule, nested_repository, hidden, built_in, build_output, too_large.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ce.source.anchor import Repository, explicit_root, find_repository, git_directory_of
from ce.source.exclude import (
    BUILT_IN,
    CLOSED_DIRECTORIES,
    LOCK_FILES,
    LOOSE_SECRETS,
    SECRETS,
    SOURCE_SUFFIXES,
    Pattern,
    PatternList,
    build_output_of,
    bytewise,
    parse_ignore_file,
    pattern_list,
)
from ce.source.git_index import Tracked, read_tracked
from ce.source.settings import Settings
from ce.source.submodules import read_submodules
from ce.source.text import read_file
from ce.source.tree import ReaderFile, SkippedFile, SourceFile, Tree

__all__ = ["ReaderFile", "SkippedFile", "SourceFile", "Tree", "walk"]


def walk(root: Path, settings: Settings) -> Tree:
    """Return every file below the root that is to be measured, and what was left out with the reason."""
    walker = _Walker(os.fspath(explicit_root(root)), settings)
    walker.run()
    return Tree(
        root,
        tuple(sorted(walker.files, key=lambda file: file.path)),
        tuple(sorted(walker.skipped, key=lambda skipped: (skipped.path, skipped.why))),
        tuple(sorted(set(walker.problems))),
        tuple(sorted(walker.readers, key=lambda reader: reader.file.path)),
        tuple(sorted(walker.missing_submodules)),
    )


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory to enter: `prefix` is its path with a trailing `/` or empty, `reader` why its files are only read, or empty.

    `ignored` names the line that ignores the directory; it is entered all the same because git tracks files in it.
    """

    prefix: str
    git: tuple[PatternList, ...]
    ce: tuple[PatternList, ...]
    reader: str = ""
    ignored: str = ""


class _Walker:
    """The lists that a walk fills and what it needs to know about the whole tree."""

    def __init__(self, top: str, settings: Settings) -> None:
        self.top = top
        self.limit = settings.limits.max_file_bytes
        self.files: list[SourceFile] = []
        self.readers: list[ReaderFile] = []
        self.skipped: list[SkippedFile] = []
        self.problems: list[str] = []
        self.missing_submodules: list[str] = []
        self.secrets = pattern_list(SECRETS, "secret")
        self.built_in = pattern_list(BUILT_IN, "built_in")
        self.excluded = pattern_list(settings.exclude, "ce.toml")
        self.repository = find_repository(top)
        self.in_repository = _path_in_repository(self.repository, top)
        self.submodules = self._declared_submodules()
        self.seated: set[str] = set()
        self._tracked: Tracked | None = None

    def run(self) -> None:
        """Enter every directory that is not pruned."""
        pending = [_Directory("", self._patterns_above(), ())]
        while pending:
            pending += self._enter(pending.pop())
        for path, declared in self.submodules.items():
            if path not in self.seated:
                self.missing_submodules.append(path)
                self._skip(path + "/", "submodule", f"declared in {declared}, not checked out")
                self.problems.append(f"{path}: the submodule is declared in {declared} and not checked out")

    def _enter(self, directory: _Directory) -> list[_Directory]:
        """List a directory, sort its entries out and return the directories in it that are to be entered."""
        prefix = directory.prefix
        try:
            with os.scandir(os.path.join(self.top, prefix)) as entries:
                listing = {entry.name: entry for entry in entries}
        except OSError as error:
            self._failed(prefix or "./", error)
            return []
        if prefix and not directory.reader and "pyvenv.cfg" in listing:
            self._skip(prefix, "built_in", "it is a virtual environment")
            return []
        if ".gitignore" in listing or ".ceignore" in listing:
            directory = self._with_ignore_files(directory, listing)
        inner: list[_Directory] = []
        for name, entry in listing.items():
            if name in _OWN:
                continue
            path = prefix + name
            try:
                if entry.is_dir(follow_symlinks=False):
                    below = self._directory(directory, path, name, listing)
                    if below is not None:
                        inner.append(below)
                elif directory.reader:
                    self._reader(directory, path, name, entry)
                else:
                    self._file(directory, path, name, entry)
            except OSError as error:
                self._failed(path, error)
        return inner

    def _file(self, directory: _Directory, path: str, name: str, entry: os.DirEntry[str]) -> None:
        refusal = self._refusal(directory, path, name, entry)
        if refusal is not None:
            self.skipped.append(refusal)
        elif name[0] == ".":
            self._skip(path, "hidden", "its name starts with a dot")
            self._add_reader(path, entry, "hidden")
        elif (built_in := self.built_in.last_match(path, name, False)) is not None:
            self._skip(path, "built_in", f"its name matches `{built_in.text}`")
            if name not in LOCK_FILES:
                self._add_reader(path, entry, "built_in")
        else:
            file = _source_file(path, entry)
            if file.size > self.limit:
                self._skip(path, "too_large", f"{file.size} bytes, the limit is {self.limit}")
            else:
                self.files.append(file)

    def _reader(self, directory: _Directory, path: str, name: str, entry: os.DirEntry[str]) -> None:
        if name not in LOCK_FILES and self._refusal(directory, path, name, entry) is None:
            self._add_reader(path, entry, directory.reader)

    def _refusal(self, directory: _Directory, path: str, name: str, entry: os.DirEntry[str]) -> SkippedFile | None:
        """Return why nothing may read the file."""
        if not entry.is_file(follow_symlinks=False):
            if entry.is_symlink():
                return SkippedFile(path, "symlink", f"it points at `{_target_of(entry)}`")
            return SkippedFile(path, "not_regular", "it is neither a file nor a directory")
        if secret := self._secret(path, name, False):
            return SkippedFile(path, "secret", f"its name matches `{secret}`")
        if ignored := self._ignored(directory, path, name, False):
            return SkippedFile(path, "ignored", ignored)
        if excluded := self._excluded(path, name, False):
            return SkippedFile(path, "excluded", excluded)
        return None

    def _directory(self, parent: _Directory, path: str, name: str, siblings: dict[str, os.DirEntry[str]]) -> _Directory | None:
        """Return the directory when it is to be entered; add a row when its files are not to be measured."""
        prefix = path + "/"
        ignored = ""
        why, detail, readable = "", "", ""
        if secret := self._secret(path, name, True):
            why, detail = "secret", f"its name matches `{secret}`"
        elif (ignored := self._ignored(parent, path, name, True)) and not self._tracks_below(prefix):
            why, detail = "ignored", ignored
        elif excluded := self._excluded(path, name, True):
            why, detail = "excluded", excluded
        elif path in self.submodules:
            return self._submodule(parent, path)
        elif git_directory_of(self.top + "/" + path) is not None:
            why, detail = "nested_repository", "it is a git repository of its own"
        elif name[0] == ".":
            why, detail, readable = "hidden", "its name starts with a dot", "hidden"
        elif (built_in := self.built_in.last_match(path, name, True)) is not None:
            why, detail, readable = "built_in", f"its name matches `{built_in.text}`", "built_in"
        elif project_file := build_output_of(name, siblings):
            why, detail = "build_output", f"it stands beside {project_file}"
        if why and not parent.reader:
            self._skip(prefix, why, detail)
        if why and (not readable or name in CLOSED_DIRECTORIES):
            return None
        return _Directory(prefix, parent.git, parent.ce, parent.reader or readable, ignored)

    def _submodule(self, parent: _Directory, path: str) -> _Directory | None:
        try:
            with os.scandir(os.path.join(self.top, path)) as entries:
                is_checked_out = next(entries, None) is not None
        except OSError as error:
            self._failed(path + "/", error)
            is_checked_out = True
        if not is_checked_out:
            return None
        self.seated.add(path)
        if not parent.reader:
            self._skip(path + "/", "submodule", f"declared in {self.submodules[path]}")
        return _Directory(path + "/", (), (), parent.reader or "submodule")

    def _secret(self, path: str, name: str, is_directory: bool) -> str:
        found = self.secrets.last_match(path, name, is_directory)
        if found is None or (found.text in LOOSE_SECRETS and (is_directory or name.endswith(SOURCE_SUFFIXES))):
            return ""
        return found.text

    def _excluded(self, path: str, name: str, is_directory: bool) -> str:
        found = self.excluded.last_match(path, name, is_directory)
        return "" if found is None else f"because of `{found.text}` in `exclude` of ce.toml"

    def _ignored(self, directory: _Directory, path: str, name: str, is_directory: bool) -> str:
        """Return what ignores the entry, empty when nothing does or when it is a file that git tracks all the same."""
        path_bytes, name_bytes = (path, name) if path.isascii() else (bytewise(path), bytewise(name))
        for patterns in directory.ce:
            found = patterns.last_match(path_bytes, name_bytes, is_directory)
            if found is not None:
                return "" if found.negated else f"because of {found}"
        why = directory.ignored
        if not why:
            for patterns in directory.git:
                found = patterns.last_match(path_bytes, name_bytes, is_directory)
                if found is not None:
                    why = "" if found.negated else f"because of {found}"
                    break
        return "" if why and not is_directory and self._tracks(path) else why

    def _tracks(self, path: str) -> bool:
        return self.tracked.holds(os.fsencode(self.in_repository + path))

    def _tracks_below(self, prefix: str) -> bool:
        return self.tracked.holds_below(os.fsencode(self.in_repository + prefix))

    @property
    def tracked(self) -> Tracked:
        """The files that git tracks; read when the first ignored entry turns up."""
        if self._tracked is None:
            self._tracked = Tracked(()) if self.repository is None else read_tracked(self.repository)
            if self._tracked.problem:
                self.problems.append(self._tracked.problem)
        return self._tracked

    def _with_ignore_files(self, directory: _Directory, listing: dict[str, os.DirEntry[str]]) -> _Directory:
        """Return the directory with the patterns of its own ignore files before those from above."""
        git, ce = directory.git, directory.ce
        if ".gitignore" in listing and not directory.ignored:
            git = (*self._ignore_file(directory.prefix + ".gitignore", directory.prefix), *git)
        if ".ceignore" in listing:
            ce = (*self._ignore_file(directory.prefix + ".ceignore", directory.prefix), *ce)
        return _Directory(directory.prefix, git, ce, directory.reader, directory.ignored)

    def _ignore_file(self, path: str, base: str) -> tuple[PatternList, ...]:
        data = read_file(self.top, path, limit=_LARGEST_IGNORE_FILE)
        if isinstance(data, SkippedFile):
            if data.why not in ("symlink", "not_regular"):
                self.problems.append(f"{path}: not applied, {data.detail}")
            return ()
        return (PatternList(parse_ignore_file(data, path), base=bytewise(base)),)

    def _patterns_above(self) -> tuple[PatternList, ...]:
        """Return what the repository ignores from above the root: nearer files first, `info/exclude` last.

        A root that the repository itself ignores is a tree of its own: nothing from above applies to it.
        """
        if self.repository is None:
            return ()
        parts = self.in_repository.split("/")[:-1]
        exclude = os.path.join(self.repository.common_directory, "info", "exclude")
        found = [(0, _outer_patterns(exclude, ".git/info/exclude"))]
        for depth, part in enumerate(parts):
            path = os.path.join(self.repository.top, *parts[:depth], ".gitignore")
            found.insert(0, (depth, _outer_patterns(path, os.path.relpath(path, self.top))))
            for start, patterns in found:
                match = PatternList(patterns).last_match(bytewise("/".join(parts[start : depth + 1])), bytewise(part), True)
                if match is not None:
                    if not match.negated:
                        return ()
                    break
        return tuple(PatternList(patterns, above=bytewise("/".join((*parts[start:], "")))) for start, patterns in found if patterns)

    def _declared_submodules(self) -> dict[str, str]:
        """Return the path of every submodule declared for a directory below the root, with the place of the declaration."""
        top = self.top if self.repository is None else self.repository.top
        data = _read_outer(os.path.join(top, ".gitmodules"))
        if data is None:
            return {}
        prefix = self.in_repository
        shown = os.path.relpath(os.path.join(top, ".gitmodules"), self.top) if prefix else ".gitmodules"
        declared = read_submodules(data)
        return {path.removeprefix(prefix): f"{shown}:{line}" for path, line in declared.items() if path.startswith(prefix)}

    def _add_reader(self, path: str, entry: os.DirEntry[str], why: str) -> None:
        file = _source_file(path, entry)
        if file.size <= self.limit:
            self.readers.append(ReaderFile(file, why))

    def _skip(self, path: str, why: str, detail: str) -> None:
        self.skipped.append(SkippedFile(path, why, detail))

    def _failed(self, path: str, error: OSError) -> None:
        why = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        detail = "it vanished during the walk" if why == "vanished" else (error.strerror or str(error)).lower()
        self._skip(path, why, detail)
        self.problems.append(f"{path}: not measured, {detail}")


_OWN = frozenset({".git", ".ce"})
_LARGEST_IGNORE_FILE = 1 << 20


def _source_file(path: str, entry: os.DirEntry[str]) -> SourceFile:
    found = entry.stat(follow_symlinks=False)
    return SourceFile(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _target_of(entry: os.DirEntry[str]) -> str:
    return os.readlink(entry.path)


def _path_in_repository(repository: Repository | None, top: str) -> str:
    """Return the path from the top of the repository to the root: empty, or ending in `/`."""
    if repository is None:
        return ""
    path = os.path.relpath(os.path.realpath(top), repository.top)
    return "" if path == "." else path + "/"


def _outer_patterns(path: str, source: str) -> tuple[Pattern, ...]:
    data = _read_outer(path)
    return () if data is None else parse_ignore_file(data, source)


def _read_outer(path: str) -> bytes | None:
    """Return the content of a regular file of the repository that may stand above the root, None when there is none."""
    data = read_file(os.path.dirname(path), os.path.basename(path), limit=_LARGEST_IGNORE_FILE)
    return None if isinstance(data, SkippedFile) else data
