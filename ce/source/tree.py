"""The outcome of a walk as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ReaderFile", "SkippedFile", "SourceFile", "Tree"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file below the root and the stat values that tell whether it has changed."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """Something seen and not measured; `why` is a word of the vocabulary `skip_reason`. A pruned directory ends in `/`."""

    path: str
    why: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ReaderFile:
    """A file that is never judged but may refer to files that are; `why` is `hidden`, `built_in` or `submodule`."""

    file: SourceFile
    why: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The outcome of a walk; every tuple is sorted, paths are root-relative with `/`."""

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...]
    problems: tuple[str, ...]
    readers: tuple[ReaderFile, ...] = ()
    missing_submodules: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # every symbolic link met, and the path below the root that it ends at
    absent: tuple[str, ...] = ()  # files that git tracks and a sparse checkout leaves out

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of the measured files."""
        return tuple(file.path for file in self.files)
