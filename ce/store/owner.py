"""The key that this user's indexes are sealed with.

A tree can come with a `.ce/` that somebody prepared, to turn a gate green or a live file dead. The key stands outside of every tree, so
what it seals was written by a run of this user; anything else is thrown away.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ce.store.program_cache import cache_directory

__all__ = ["user_key"]

_NAME = "index.key"
_LENGTH = 32


def user_key() -> bytes:
    """Return the key, made on first use; empty when the user's cache directory cannot be written, and then seals only detect damage."""
    directory = cache_directory()
    if directory is None:
        return b""
    path = directory / _NAME
    try:
        key = _read(path)
        if key is None:
            _create(path)
            key = _read(path)
        return key or b""
    except OSError:
        return b""


def _read(path: Path) -> bytes | None:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(key) != _LENGTH:
        path.unlink()
        return None
    return key


def _create(path: Path) -> None:
    """Write a new key unless another process is faster; nobody ever sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{_NAME}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(os.urandom(_LENGTH))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
