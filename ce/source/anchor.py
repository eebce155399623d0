"""Where a project begins, and which git repository holds it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ce.diagnostics import CeError
from ce.source.plain import open_plain

__all__ = ["Repository", "explicit_root", "find_repository", "find_root", "git_directory_of"]

SETTINGS_FILE = "ce.toml"


@dataclass(frozen=True, slots=True)
class Repository:
    """A git working tree: its top directory, its own git directory, and the one it shares with other working trees."""

    top: str
    git_directory: str
    common_directory: str


def find_root(start: Path) -> Path:
    """Return the nearest directory at or above `start` that holds `ce.toml` or a real `.git`, `start` itself when none does."""
    directory = explicit_root(start)
    for candidate in (directory, *directory.parents):
        if (candidate / SETTINGS_FILE).is_file() or git_directory_of(os.fspath(candidate)) is not None:
            return candidate
    return directory


def explicit_root(path: Path) -> Path:
    """Return the absolute path of a directory that the user named; raise `CeError` naming it when it is none."""
    try:
        absolute = Path(os.path.abspath(path))
    except FileNotFoundError:
        raise CeError.of("CE501", f"`{_shown(path)}`: the current directory does not exist any more") from None
    except ValueError:
        raise CeError.of("CE501", f"`{_shown(path)}` is not a path") from None
    try:
        mode_is_directory = os.path.isdir(absolute)
        exists = mode_is_directory or os.path.lexists(absolute)
    except ValueError:
        raise CeError.of("CE501", f"`{_shown(path)}` is not a path") from None
    if mode_is_directory:
        return absolute
    if exists:
        raise CeError.of(
            "CE502", f"`{_shown(path)}` is not a directory", notes=(f"name the directory that holds it: `{_shown(absolute.parent)}`",)
        )
    raise CeError.of("CE501", f"no such directory: `{_shown(path)}`")


def find_repository(root: str) -> Repository | None:
    """Return the git working tree that holds the directory, None when there is none."""
    directory = os.path.realpath(root)
    while True:
        git_directory = git_directory_of(directory)
        if git_directory is not None:
            return Repository(directory, git_directory, _common_directory(git_directory))
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def git_directory_of(directory: str) -> str | None:
    """Return the git directory of a working tree whose top is `directory`: `.git` itself, or what a `.git` file points at."""
    path = os.path.join(directory, ".git")
    try:
        if os.path.isdir(path):
            return path if _is_git_directory(path) else None
        with open_plain(path) as stream:
            content = stream.read(8192)
    except (OSError, ValueError):
        return None
    if not content.startswith(b"gitdir:"):
        return None
    target = os.path.join(directory, os.fsdecode(content[len(b"gitdir:") :].strip(b" \t\r\n")))
    return target if _is_git_directory(target) else None


def _is_git_directory(path: str) -> bool:
    common = _common_directory(path)
    try:
        return os.path.lexists(os.path.join(path, "HEAD")) and all(
            os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs")
        )
    except ValueError:
        return False


def _common_directory(git_directory: str) -> str:
    try:
        with open_plain(os.path.join(git_directory, "commondir")) as stream:
            return os.path.join(git_directory, os.fsdecode(stream.read(8192).strip(b"\r\n")))
    except (OSError, ValueError):
        return git_directory


def _shown(path: Path) -> str:
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()
