"""Which files git tracks, read from its index file; git itself is asked only where the index has an unusual form."""

from __future__ import annotations

import os
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

from ce.source.anchor import Repository
from ce.source.git import GitFailure, run_git
from ce.source.plain import open_plain

__all__ = ["Tracked", "read_tracked"]


@dataclass(frozen=True, slots=True)
class Tracked:
    """The paths of the index, relative to the top of the working tree, sorted by their bytes; `problem` is empty when all is well."""

    paths: tuple[bytes, ...]
    problem: str = ""

    def holds(self, path: bytes) -> bool:
        """Return whether git tracks the file."""
        at = bisect_left(self.paths, path)
        return at < len(self.paths) and self.paths[at] == path

    def holds_below(self, prefix: bytes) -> bool:
        """Return whether git tracks some file whose path starts with `prefix`."""
        at = bisect_left(self.paths, prefix)
        return at < len(self.paths) and self.paths[at].startswith(prefix)


def read_tracked(repository: Repository) -> Tracked:
    """Return the files that git tracks in the working tree; a repository without an index tracks none."""
    try:
        with open_plain(os.path.join(repository.git_directory, "index")) as stream:
            data = stream.read()
    except FileNotFoundError:
        return Tracked(())
    except OSError as error:
        return Tracked((), f"the index of git cannot be read ({error.strerror}): files that are tracked and ignored count as ignored")
    paths = _paths_of(data)
    if paths is not None:
        return Tracked(tuple(paths))
    listed = run_git(repository.top, ("ls-files", "-z", "--cached"))
    if isinstance(listed, GitFailure):
        return Tracked((), f"the index of git cannot be read ({listed.message}): files that are tracked and ignored count as ignored")
    return Tracked(tuple(sorted(set(listed.split(b"\0")) - {b""})))


_HEADER = 12
_HASH = 20
_FLAGS = 40 + _HASH
_NAME = _FLAGS + 2
_EXTENDED = 0x4000
_LENGTH = 0x0FFF
_PLAIN_KINDS = frozenset({0o10, 0o12, 0o16})  # regular file, symbolic link, submodule


def _paths_of(data: bytes) -> list[bytes] | None:
    """Return the sorted paths of an index of version 2 to 4 with SHA-1 names, None for every other form."""
    if len(data) < _HEADER + _HASH or data[:4] != b"DIRC":
        return None
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4):
        return None
    paths: list[bytes] = []
    at, path = _HEADER, b""
    try:
        for _ in range(count):
            flags = data[at + _FLAGS] << 8 | data[at + _FLAGS + 1]
            if data[at + 26] >> 4 not in _PLAIN_KINDS:
                return None
            name = at + _NAME + (2 if flags & _EXTENDED else 0)
            if version == 4:
                cut, name = _variable_width(data, name)
                end = data.index(b"\0", name)
                path = path[: len(path) - cut] + data[name:end]
                at = end + 1
            else:
                length = flags & _LENGTH
                end = name + length if length < _LENGTH else data.index(b"\0", name)
                path = data[name:end]
                if data[end] or not path:
                    return None
                at += (end - at + 8) & ~7
            paths.append(path)
    except (IndexError, ValueError):
        return None
    if _is_split(data, at):
        return None
    return paths if all(left <= right for left, right in pairwise(paths)) else None


def _variable_width(data: bytes, at: int) -> tuple[int, int]:
    """Return the number in git's offset encoding that starts at `at`, and the offset behind it."""
    byte = data[at]
    value = byte & 0x7F
    at += 1
    while byte & 0x80:
        byte = data[at]
        value = (value + 1) << 7 | byte & 0x7F
        at += 1
    return value, at


def _is_split(data: bytes, at: int) -> bool:
    """Return whether an extension behind the entries says that more entries stand elsewhere, or that there are none but directories."""
    while at + 8 <= len(data) - _HASH:
        if data[at : at + 4] in (b"link", b"sdir"):
            return True
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    return at != len(data) - _HASH
