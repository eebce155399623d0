"""Which entries of a tree git or the user ignores, and because of which line.

Git's own semantics hold with or without a repository: the nearest `.gitignore` with a matching line decides, then those above,
then `.git/info/exclude`; a file that git tracks is never ignored by them. A matching line of a `.ceignore` outranks all of
these, tracked or not. The user's own `core.excludesFile` is not read: the same tree gives the same answer on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, replace

from ce.source.anchor import Repository
from ce.source.exclude import Pattern, PatternList, bytewise, parse_ignore_file
from ce.source.git_index import Tracked, read_tracked
from ce.source.text import read_file
from ce.source.tree import SkippedFile

__all__ = ["IgnoreRules", "Ignoring", "read_outer_file"]


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """What applies inside one directory, nearest first. `ignored` says why the whole directory is, empty when it is not."""

    git: tuple[PatternList, ...] = ()
    ce: tuple[PatternList, ...] = ()
    ignored: str = ""


class Ignoring:
    """Decides about the entries of one tree. `prefix` leads from the top of the repository to the root: empty or ending in `/`."""

    def __init__(self, top: str, repository: Repository | None, prefix: str) -> None:
        self._top = top
        self._repository = repository
        self._prefix = prefix
        self._tracked: Tracked | None = None
        self.problems: list[str] = []

    def at_root(self) -> IgnoreRules:
        """Return what the repository ignores from above the root.

        A root that the repository itself ignores is a tree of its own: nothing from above applies to it.
        """
        if self._repository is None:
            return IgnoreRules()
        parts = self._prefix.split("/")[:-1]
        exclude = os.path.join(self._repository.common_directory, "info", "exclude")
        found = [(0, _outer_patterns(exclude, ".git/info/exclude"))]
        for depth, part in enumerate(parts):
            path = os.path.join(self._repository.top, *parts[:depth], ".gitignore")
            found.insert(0, (depth, _outer_patterns(path, os.path.relpath(path, self._top))))
            for start, patterns in found:
                match = PatternList(patterns).last_match(bytewise("/".join(parts[start : depth + 1])), bytewise(part), True)
                if match is not None:
                    if not match.negated:
                        return IgnoreRules()
                    break
        return IgnoreRules(
            tuple(PatternList(patterns, above=bytewise("/".join((*parts[start:], "")))) for start, patterns in found if patterns)
        )

    def inside(self, rules: IgnoreRules, prefix: str, names: Container[str]) -> IgnoreRules:
        """Return the rules with those of the directory's own ignore files before them."""
        if ".gitignore" in names and not rules.ignored:
            rules = replace(rules, git=(*self._ignore_file(prefix, ".gitignore"), *rules.git))
        if ".ceignore" in names:
            rules = replace(rules, ce=(*self._ignore_file(prefix, ".ceignore"), *rules.ce))
        return rules

    def why(self, rules: IgnoreRules, path: str, name: str, is_directory: bool) -> str:
        """Return what ignores the entry, empty when nothing does or when it is a file that git tracks all the same."""
        path_bytes, name_bytes = (path, name) if path.isascii() else (bytewise(path), bytewise(name))
        ruled = _ruling(rules, path_bytes, name_bytes, is_directory)
        if ruled is not None:
            return "" if ruled.negated else f"ignored because of {ruled}"
        reason = rules.ignored
        if not reason:
            for patterns in rules.git:
                found = patterns.last_match(path_bytes, name_bytes, is_directory)
                if found is not None:
                    reason = "" if found.negated else f"ignored because of {found}"
                    break
        return "" if reason and not is_directory and self._tracked_files().holds(self._in_repository(path)) else reason

    def tracks_below(self, rules: IgnoreRules, prefix: str, name: str) -> bool:
        """Return whether git tracks a file in the ignored directory, which must then be entered; never when a `.ceignore` ignores it."""
        ruled = _ruling(rules, bytewise(prefix[:-1]), bytewise(name), True)
        return ruled is None and self._tracked_files().holds_below(self._in_repository(prefix))

    def _in_repository(self, path: str) -> bytes:
        return os.fsencode(self._prefix + path)

    def _tracked_files(self) -> Tracked:
        """Return what git tracks; the index is read when the first ignored entry turns up."""
        if self._tracked is None:
            self._tracked = Tracked(()) if self._repository is None else read_tracked(self._repository)
            if self._tracked.problem:
                self.problems.append(self._tracked.problem)
        return self._tracked

    def _ignore_file(self, prefix: str, name: str) -> tuple[PatternList, ...]:
        path = prefix + name
        data = read_file(self._top, path, limit=_LARGEST)
        if isinstance(data, SkippedFile):
            self.problems.append(f"{path}: not applied, {data.detail}")
            return ()
        return (PatternList(parse_ignore_file(data, path), base=bytewise(prefix)),)


_LARGEST = 1 << 20


def _ruling(rules: IgnoreRules, path: str, name: str, is_directory: bool) -> Pattern | None:
    """Return the line of a `.ceignore` that decides about the entry, None when none does."""
    return next((found for patterns in rules.ce if (found := patterns.last_match(path, name, is_directory)) is not None), None)


def _outer_patterns(path: str, source: str) -> tuple[Pattern, ...]:
    data = read_outer_file(path)
    return () if data is None else parse_ignore_file(data, source)


def read_outer_file(path: str) -> bytes | None:
    """Return the content of a small regular file of the repository, which may stand above the root, None when there is none."""
    data = read_file(os.path.dirname(path), os.path.basename(path), limit=_LARGEST)
    return None if isinstance(data, SkippedFile) else data
