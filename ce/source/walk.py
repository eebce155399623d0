"""The tree on disk as values: what is measured, what is only read, and why everything else is left out.

No symbolic link is followed, every directory is entered at most once, and a fault of one entry never ends the walk.
Of several reasons for leaving an entry out the first in this order is given: symlink, not_regular, secret, ignored,
excluded, submodule, hidden, built_in, build_output, nested_repository, too_large.
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
    build_output_of,
    pattern_list,
)
from ce.source.git_index import read_tracked
from ce.source.ignore import IgnoreRules, Ignoring, read_outer_file
from ce.source.settings import Settings
from ce.source.submodules import read_submodules
from ce.source.tree import ReaderFile, SkippedFile, SourceFile, Tree

__all__ = ["ReaderFile", "SkippedFile", "SourceFile", "Tree", "walk"]

_Listing = dict[str, os.DirEntry[str]]


def walk(root: Path, settings: Settings) -> Tree:
    """Return every file below the root that is to be measured, and what was left out with the reason."""
    walker = _Walker(os.fspath(explicit_root(root)), settings)
    walker.run()
    return Tree(
        root,
        tuple(sorted(walker.files, key=lambda file: file.path)),
        tuple(sorted(walker.skipped, key=lambda skipped: (skipped.path, skipped.why))),
        tuple(sorted({*walker.problems, *walker.ignoring.problems})),
        tuple(sorted(walker.readers, key=lambda reader: reader.file.path)),
        tuple(sorted(walker.missing_submodules)),
        tuple(sorted(walker.links)),
        walker.absent,
    )


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory to enter: `prefix` is its path with a trailing `/` or empty, `reader` why its files are only read, or empty."""

    prefix: str
    rules: IgnoreRules
    reader: str = ""


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
        self.links: list[tuple[str, str]] = []
        self.absent: tuple[str, ...] = ()
        self.repository = repository = find_repository(top)
        prefix = _path_in_repository(repository, top)
        self.ignoring = Ignoring(top, repository, prefix)
        self.submodules = _declared_submodules(top, repository, prefix)
        self.secrets = pattern_list(SECRETS, "secret")
        self.built_in = pattern_list(BUILT_IN, "built_in")
        self.excluded = pattern_list(settings.exclude, "ce.toml")

    def run(self) -> None:
        """Enter every directory that is not pruned, then look for the submodules that did not turn up."""
        pending = [_Directory("", self.ignoring.at_root())]
        while pending:
            pending += self._enter(pending.pop())
        self.absent = self._left_out()
        rows = {skipped.path for skipped in self.skipped}
        for path, declared in self.submodules.items():
            parts = path.split("/")
            if rows.isdisjoint("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1)):
                self.missing_submodules.append(path)
                self._skip(path + "/", "submodule", f"declared in {declared}, not checked out")
                self.problems.append(f"{path}: the submodule is declared in {declared} and not checked out")

    def _left_out(self) -> tuple[str, ...]:
        """Return the files below the root that git tracks and a sparse checkout does not have."""
        repository = self.repository
        if repository is None or not os.path.isfile(os.path.join(repository.git_directory, "info", "sparse-checkout")):
            return ()
        before = os.fsencode(_path_in_repository(repository, self.top))
        tracked = [os.fsdecode(path[len(before) :]) for path in read_tracked(repository).paths if path.startswith(before)]
        absent = tuple(sorted(path for path in tracked if not os.path.lexists(os.path.join(self.top, path))))
        if absent:
            count = "one file" if len(absent) == 1 else f"{len(absent)} files"
            self.problems.append(f"the checkout is sparse: {count} that git tracks, as {absent[0]}, may refer to anything here")
        return absent

    def _enter(self, directory: _Directory) -> list[_Directory]:
        """List a directory, sort its entries out and return the directories in it that are to be entered."""
        prefix = directory.prefix
        try:
            with os.scandir(os.path.join(self.top, prefix)) as entries:
                listing = {entry.name: entry for entry in entries}
        except OSError as error:
            self._failed(prefix or "./", error)
            return []
        if prefix and (foreign := self._foreign(prefix, listing)):
            if not directory.reader:
                self._skip(prefix, *foreign)
            return []
        rules = directory.rules
        if ".gitignore" in listing or ".ceignore" in listing:
            rules = self.ignoring.inside(rules, prefix, listing)
        inner: list[_Directory] = []
        for name, entry in listing.items():
            if name in _OWN:
                continue
            path = prefix + name
            try:
                if entry.is_dir(follow_symlinks=False):
                    below = self._directory(directory, rules, path, name, listing)
                    if below is not None:
                        inner.append(below)
                else:
                    self._file(directory, rules, path, name, entry)
            except OSError as error:
                self._failed(path, error)
        return inner

    def _foreign(self, prefix: str, listing: _Listing) -> tuple[str, str] | None:
        """Return why a directory is a world of its own, judged by what lies in it."""
        if "pyvenv.cfg" in listing:
            return "built_in", "it is a virtual environment"
        if ".git" in listing and prefix[:-1] not in self.submodules and git_directory_of(os.path.join(self.top, prefix)) is not None:
            return "nested_repository", "it is a git repository of its own"
        return None

    def _file(self, directory: _Directory, rules: IgnoreRules, path: str, name: str, entry: os.DirEntry[str]) -> None:
        if entry.is_symlink():
            self._link(path, entry)
        refusal = self._refusal(rules, path, name, entry)
        if directory.reader:
            if refusal is None and name not in LOCK_FILES:
                self._add_reader(path, entry, directory.reader)
        elif refusal is not None:
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

    def _refusal(self, rules: IgnoreRules, path: str, name: str, entry: os.DirEntry[str]) -> SkippedFile | None:
        """Return why nothing may read the file, None when it may be read."""
        if not entry.is_file(follow_symlinks=False):
            if entry.is_symlink():
                return SkippedFile(path, "symlink", f"it points at `{os.readlink(entry.path)}`")
            return SkippedFile(path, "not_regular", "it is neither a file nor a directory")
        if secret := self._secret(path, name, False):
            return SkippedFile(path, "secret", f"its name matches `{secret}`")
        if ignored := self.ignoring.why(rules, path, name, False):
            return SkippedFile(path, "ignored", ignored)
        if excluded := self._excluded(path, name, False):
            return SkippedFile(path, "excluded", excluded)
        return None

    def _directory(self, parent: _Directory, rules: IgnoreRules, path: str, name: str, siblings: _Listing) -> _Directory | None:
        """Return the directory when it is to be entered; add a row when its files are not to be measured."""
        prefix = path + "/"
        why, detail, readable = "", "", ""
        ignored = ""
        if secret := self._secret(path, name, True):
            why, detail = "secret", f"its name matches `{secret}`"
        elif (ignored := self.ignoring.why(rules, path, name, True)) and not self.ignoring.tracks_below(rules, prefix, name):
            why, detail = "ignored", ignored
        elif excluded := self._excluded(path, name, True):
            why, detail = "excluded", excluded
        elif path in self.submodules:
            if not self._is_checked_out(path):
                return None
            why, detail, readable, rules = "submodule", f"declared in {self.submodules[path]}", "submodule", IgnoreRules()
        elif name[0] == ".":
            why, detail, readable = "hidden", "its name starts with a dot", "hidden"
        elif (built_in := self.built_in.last_match(path, name, True)) is not None:
            why, detail, readable = "built_in", f"its name matches `{built_in.text}`", "built_in"
        elif project_file := build_output_of(name, siblings):
            why, detail = "build_output", f"it stands beside {project_file}"
        if why and not parent.reader:
            self._skip(prefix, why, detail)
        if why and (not readable or (name in CLOSED_DIRECTORIES and readable != "submodule")):
            return None
        if ignored or rules.ignored:
            rules = IgnoreRules(rules.git, rules.ce, ignored)
        return _Directory(prefix, rules, parent.reader or readable)

    def _is_checked_out(self, path: str) -> bool:
        try:
            with os.scandir(os.path.join(self.top, path)) as entries:
                return next(entries, None) is not None
        except OSError:
            return True

    def _secret(self, path: str, name: str, is_directory: bool) -> str:
        found = self.secrets.last_match(path, name, is_directory)
        if found is None or (found.text in LOOSE_SECRETS and (is_directory or name.endswith(SOURCE_SUFFIXES))):
            return ""
        return found.text

    def _excluded(self, path: str, name: str, is_directory: bool) -> str:
        found = self.excluded.last_match(path, name, is_directory)
        return "" if found is None else f"excluded because of `{found.text}` in ce.toml"

    def _add_reader(self, path: str, entry: os.DirEntry[str], why: str) -> None:
        file = _source_file(path, entry)
        if file.size <= self.limit:
            self.readers.append(ReaderFile(file, why))

    def _link(self, path: str, entry: os.DirEntry[str]) -> None:
        end = os.path.relpath(os.path.realpath(entry.path), os.path.realpath(self.top))
        if end != "." and not end.startswith("../"):
            self.links.append((path, end))

    def _skip(self, path: str, why: str, detail: str) -> None:
        self.skipped.append(SkippedFile(path, why, detail))

    def _failed(self, path: str, error: OSError) -> None:
        why = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        detail = "it vanished during the walk" if why == "vanished" else (error.strerror or str(error)).lower()
        self._skip(path, why, detail)
        self.problems.append(f"{path}: not measured, {detail}")


_OWN = frozenset({".git", ".ce"})


def _source_file(path: str, entry: os.DirEntry[str]) -> SourceFile:
    found = entry.stat(follow_symlinks=False)
    return SourceFile(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _path_in_repository(repository: Repository | None, top: str) -> str:
    if repository is None:
        return ""
    path = os.path.relpath(os.path.realpath(top), repository.top)
    return "" if path == "." else path + "/"


def _declared_submodules(top: str, repository: Repository | None, prefix: str) -> dict[str, str]:
    """Return the path of every submodule declared for a directory below the root, with the place of the declaration."""
    path = os.path.join(top if repository is None else repository.top, ".gitmodules")
    data = read_outer_file(path)
    if data is None:
        return {}
    shown = os.path.relpath(path, top) if prefix else ".gitmodules"
    declared = read_submodules(data)
    return {path.removeprefix(prefix): f"{shown}:{line}" for path, line in declared.items() if path.startswith(prefix)}
