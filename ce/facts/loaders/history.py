"""What the git history says about the files of a tree: how often they change, with which others, and how long ago.

Nothing here reads a clock: ages count from the newest commit, and the window is a number of commits. A file that was
renamed inside the window keeps its history. Merges add nothing of their own and are left out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from ce.source.anchor import Repository, find_repository
from ce.source.git import GitFailure, run_git
from ce.source.settings import History as HistorySettings

__all__ = ["History", "history", "history_stamp"]

_DAY = 86_400
_TIMEOUT = 120.0
_LARGEST = 1 << 48
_OLDEST = 200_000  # commits that are looked through for the last change of a file
_HEADER = b"/"  # no path starts with it


@dataclass(frozen=True, slots=True)
class History:
    """The rows of `churn`, `cochange` and `age_days`, sorted, and remarks on what they do not cover."""

    churn: tuple[tuple[str, int, int, int], ...] = ()
    cochange: tuple[tuple[str, str, int], ...] = ()
    age_days: tuple[tuple[str, int], ...] = ()
    problems: tuple[str, ...] = ()


def history(root: Path, files: Collection[str], settings: HistorySettings) -> History:
    """Return what the newest commits say about the files; without a repository or a commit nothing, and a remark."""
    repository = find_repository(os.fspath(root))
    if repository is None:
        return History(problems=("the tree is in no git repository: it has no history",))
    head = _head(repository)
    if isinstance(head, GitFailure):
        return History(problems=(f"the git repository has no history to read: {head.message}",))
    output = _log(repository, root, ("--numstat", "--find-renames", f"--max-count={settings.commits}"))
    if isinstance(output, GitFailure):
        return History(problems=(f"the git history cannot be read: {output.message}",))
    wanted = frozenset(os.fsencode(path) for path in files)
    window = _window(_commits(output), wanted, settings.cochange_files)
    last = dict(window.last)
    problems = _remarks(repository, window, settings)
    if window.commits >= settings.commits:
        older = _last_times(repository, root, settings.commits, wanted - last.keys())
        if isinstance(older, GitFailure):
            problems.append(f"the age of files that no commit of the window touches is unknown: {older.message}")
        else:
            last |= older
    return History(
        tuple(sorted((os.fsdecode(path), *row) for path, row in window.churn.items())),
        tuple(sorted(_pair(os.fsdecode(left), os.fsdecode(right), count) for (left, right), count in window.together.items())),
        tuple(sorted((os.fsdecode(path), (window.newest - time) // _DAY) for path, time in last.items())),
        tuple(problems),
    )


def history_stamp(root: Path, settings: HistorySettings) -> str:
    """Return a text that changes whenever the history of the same files can."""
    repository = find_repository(os.fspath(root))
    head = "" if repository is None else _head(repository)
    return f"{head if isinstance(head, str) else ''} {settings.commits} {settings.cochange_files}"


def _head(repository: Repository) -> str | GitFailure:
    found = run_git(repository.top, ("rev-parse", "--verify", "HEAD^{commit}"))
    return found if isinstance(found, GitFailure) else found.decode("ascii", "replace").strip()


def _log(repository: Repository, root: Path, options: tuple[str, ...]) -> bytes | GitFailure:
    """Return the commits that are no merges, newest first; paths are relative to the root and nothing outside it is listed."""
    command = ("log", "-z", "--no-merges", "--no-ext-diff", "--no-textconv", "--format=/%ct", *options, "HEAD")
    place = () if os.path.realpath(root) == repository.top else ("--relative", "--", ".")
    return run_git(os.path.realpath(root), (*command, *place), timeout=_TIMEOUT)


@dataclass(frozen=True, slots=True)
class _Change:
    """What a commit did to one file; `before` is its path until then when the commit renamed it, else empty."""

    path: bytes
    before: bytes
    added: int
    deleted: int


@dataclass(frozen=True, slots=True)
class _Commit:
    time: int
    changes: tuple[_Change, ...]


def _commits(output: bytes) -> Iterator[_Commit]:
    """Yield the commits of a log with numbers of lines."""
    time = 0
    changes: list[_Change] = []
    started = False
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        if token.startswith(_HEADER):
            if started:
                yield _Commit(time, tuple(changes))
            started, time, changes = True, _count(token[1:]), []
            continue
        added, _, rest = token.removeprefix(b"\n").partition(b"\t")
        deleted, separator, path = rest.partition(b"\t")
        if separator:
            before = b"" if path else next(tokens, b"")
            changes.append(_Change(path or next(tokens, b""), before, _count(added), _count(deleted)))
    if started:
        yield _Commit(time, tuple(changes))


def _count(text: bytes) -> int:
    """Return the number of lines or seconds; git prints `-` for the lines of a binary file."""
    return min(int(text), _LARGEST) if text.isdigit() and len(text) < 20 else 0


@dataclass(slots=True)
class _Window:
    """What the commits read so far say about the files of now."""

    commits: int = 0
    crowded: int = 0  # commits that touch too many files to say anything about co-change
    newest: int = 0
    churn: dict[bytes, tuple[int, int, int]] = field(default_factory=dict)
    last: dict[bytes, int] = field(default_factory=dict)
    together: Counter[tuple[bytes, bytes]] = field(default_factory=Counter)


def _window(commits: Iterator[_Commit], files: frozenset[bytes], cochange_files: int) -> _Window:
    """Return the sums over the commits, which come newest first."""
    window = _Window()
    today: dict[bytes, bytes] = {}  # path in the commit at hand → path now; empty when the file of now got this path later
    for commit in commits:
        window.commits += 1
        window.newest = max(window.newest, commit.time)
        touched = {path: change for change in commit.changes if (path := today.get(change.path, change.path)) in files}
        for path, change in touched.items():
            count, added, deleted = window.churn.get(path, (0, 0, 0))
            window.churn[path] = (count + 1, added + change.added, deleted + change.deleted)
            window.last[path] = max(window.last.get(path, commit.time), commit.time)
        if len(commit.changes) > cochange_files:
            window.crowded += 1
        else:
            window.together.update(combinations(sorted(touched), 2))
        renames = [(change.before, change.path, today.get(change.path, change.path)) for change in commit.changes if change.before]
        today.update((path, b"") for _, path, _ in renames)
        today.update((before, now) for before, _, now in renames)
    return window


def _remarks(repository: Repository, window: _Window, settings: HistorySettings) -> list[str]:
    remarks = []
    if os.path.exists(os.path.join(repository.common_directory, "shallow")):
        remarks.append("the clone is shallow: its history ends early")
    if window.commits >= settings.commits:
        remarks.append(f"only the newest {settings.commits} commits count for churn and co-change (`[history] commits`)")
    if window.crowded:
        remarks.append(f"{window.crowded} commits touch more than {settings.cochange_files} files and do not count for co-change")
    return remarks


def _last_times(repository: Repository, root: Path, skipped: int, files: frozenset[bytes]) -> dict[bytes, int] | GitFailure:
    """Return the time of the last commit of each file, from the commits behind the first `skipped` ones."""
    if not files:
        return {}
    output = _log(repository, root, ("--name-only", "--no-renames", f"--skip={skipped}", f"--max-count={_OLDEST}"))
    if isinstance(output, GitFailure):
        return output
    found: dict[bytes, int] = {}
    time = 0
    for token in output.split(b"\0"):
        if token.startswith(_HEADER):
            time = _count(token[1:])
        elif (path := token.removeprefix(b"\n")) in files:
            found[path] = max(found.get(path, time), time)
    return found


def _pair(left: str, right: str, count: int) -> tuple[str, str, int]:
    return (left, right, count) if left < right else (right, left, count)
