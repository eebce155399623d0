"""Touching one file below the root: every component is opened without following a link, so nothing outside can be reached."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from ce.erase.model import content_hash

__all__ = ["Place", "forbidden", "move", "open_parent", "read_place", "remove", "replace"]

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
# Directories that hold a tool's own state; no target ever lies below one.
_CLOSED = frozenset({".git", ".ce"})


@dataclass(frozen=True, slots=True)
class Place:
    """A file as it is now: its bytes and its permission bits."""

    data: bytes
    mode: int

    @property
    def hash(self) -> str:
        """Return the content hash."""
        return content_hash(self.data)


def forbidden(path: str) -> str | None:
    """Return why a path may not be a target, or None. Looks at the text alone."""
    parts = path.split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "is no path below the root"
    if "\0" in path:
        return "holds a NUL"
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return "holds what no file name can hold"
    closed = next((part for part in parts if part.lower() in _CLOSED), None)
    return f"lies in `{closed}`" if closed else None


@contextlib.contextmanager
def open_parent(root: int, path: str) -> Iterator[tuple[int, str]]:
    """Give a descriptor of the directory of a path and the path's last name. Raises OSError; a link on the way is ELOOP or ENOTDIR."""
    why = forbidden(path)
    if why is not None:
        raise OSError(errno.EINVAL, why, path)
    *folders, name = path.split("/")
    descriptor = os.dup(root)
    try:
        for folder in folders:
            inner = os.open(folder, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


def read_place(root: int, path: str) -> Place | None:
    """Return what stands at a path, None when nothing does. Raises OSError when it is no plain file or cannot be read."""
    try:
        with open_parent(root, path) as (directory, name):
            descriptor = os.open(name, _READ, dir_fd=directory)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is no plain file", path)
        return Place(stream.read(), stat.S_IMODE(status.st_mode))


def replace(root: int, path: str, data: bytes, mode: int, temporary: str, expected: str | None) -> None:
    """Put bytes at a path in one step: write beside it, then rename over it.

    `expected` is the hash that must stand there in the moment before (None: nothing may stand there). Raises OSError.
    """
    with open_parent(root, path) as (directory, name):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fchmod(stream.fileno(), mode)
                os.fsync(stream.fileno())
            _expect(root, path, expected)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise
        os.fsync(directory)


def move(directory: int, name: str, root: int, path: str, expected: str | None) -> bool:
    """Move a file of an open directory to a path; return False when the two are on different file systems.

    `expected` is as for `replace`. Raises OSError.
    """
    with open_parent(root, path) as (target, last):
        _expect(root, path, expected)
        try:
            os.rename(name, last, src_dir_fd=directory, dst_dir_fd=target)
        except OSError as error:
            if error.errno == errno.EXDEV:
                return False
            raise
        os.fsync(target)
        return True


def remove(root: int, path: str, expected: str) -> None:
    """Delete a file whose hash is `expected`. Raises OSError."""
    with open_parent(root, path) as (directory, name):
        _expect(root, path, expected)
        os.unlink(name, dir_fd=directory)
        os.fsync(directory)


def _expect(root: int, path: str, expected: str | None) -> None:
    place = read_place(root, path)
    if (None if place is None else place.hash) != expected:
        raise OSError(errno.EBUSY, "changed between the check and the write", path)
