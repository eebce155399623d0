"""The directory `<root>/.ce/`: made on first use, ignored by git through a file of its own, never followed out of the root.

A tree may ship a `.ce/` of its own. So nothing here follows a symbolic link, and whatever is not a plain file or
a plain directory is left alone: the caller works in memory instead and says why.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DIRECTORY", "IndexUnavailable", "LockedDirectory", "open_directory"]

DIRECTORY = ".ce"
_LOCK = "lock"
_IGNORE_ALL = b"# Written by ce: the index is a cache, not a source.\n*\n"
_POLL_SECONDS = 0.02


class IndexUnavailable(Exception):
    """The index cannot be kept on disk; the message is a clause that says why."""


class LockedDirectory:
    """`.ce/` with a lock on it: shared as long as somebody uses the index, exclusive while it is built anew."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def share(self) -> None:
        """Hold the lock together with every other user of the index."""
        self._acquire(fcntl.LOCK_SH, 2.0)

    def exclude(self, seconds: float) -> None:
        """Hold the lock alone, or raise IndexUnavailable when others keep using the index for that long."""
        self._acquire(fcntl.LOCK_UN, 0.0)  # two sharers that both wait to be alone would wait for each other
        self._acquire(fcntl.LOCK_EX, seconds)

    def clock_ns(self) -> int:
        """Return the time as the file system of the tree keeps it, or the machine's if that is earlier."""
        now = time.time_ns()
        with contextlib.suppress(OSError):
            os.utime(self._descriptor)
            return min(now, os.fstat(self._descriptor).st_mtime_ns)
        return now

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)

    def _acquire(self, operation: int, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(self._descriptor, operation | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise IndexUnavailable("other processes keep the index busy") from None
                time.sleep(_POLL_SECONDS)
            except OSError as error:
                raise IndexUnavailable(f"the file system cannot lock it ({_reason(error)})") from error


def open_directory(root: Path) -> LockedDirectory:
    """Return `.ce/` under the root, made if need be, with a shared lock; raise IndexUnavailable when it cannot be used."""
    path = root / DIRECTORY
    with _faults_explained(f"`{DIRECTORY}`"):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.mkdir(path)
            mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            raise IndexUnavailable(f"`{DIRECTORY}` is a symbolic link, which is not followed")
        if not stat.S_ISDIR(mode):
            raise IndexUnavailable(f"`{DIRECTORY}` is not a directory")
        _write_ignore_file(path / ".gitignore")
    with _faults_explained(f"`{DIRECTORY}/{_LOCK}`"):
        descriptor = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise IndexUnavailable(f"`{DIRECTORY}/{_LOCK}` is not a plain file")
    directory = LockedDirectory(path, descriptor)
    try:
        directory.share()
    except IndexUnavailable:
        directory.close()
        raise
    return directory


def _write_ignore_file(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return
    with open(descriptor, "wb") as file:
        file.write(_IGNORE_ALL)


@contextlib.contextmanager
def _faults_explained(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise IndexUnavailable(f"{name} is a symbolic link, which is not followed") from error
        raise IndexUnavailable(f"{name} cannot be written ({_reason(error)})") from error


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
