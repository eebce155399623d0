"""Checked programs kept between runs, in the cache directory of the user.

It is a cache: any entry may vanish or be wrong, the caller verifies what it reads. It stands outside
the analysed tree, so that no repository can ship a program of its own under the name of ours.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

__all__ = ["cache_directory", "code_stamp", "get", "put"]

_MOST_ENTRIES = 400


def cache_directory() -> Path | None:
    """Return `$XDG_CACHE_HOME/codeeraser`, by default `~/.cache/codeeraser`; None when the user has no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "codeeraser"
    home = os.path.expanduser("~")
    return Path(home) / ".cache" / "codeeraser" if os.path.isabs(home) else None


def get(key: str) -> bytes | None:
    """Return what was put under the key, or None."""
    directory = cache_directory()
    if directory is None:
        return None
    try:
        return (directory / f"{key}.json").read_bytes()
    except OSError:
        return None


def put(key: str, data: bytes) -> None:
    """Keep the data under the key if the directory can be written; the write is atomic."""
    directory = cache_directory()
    if directory is None:
        return
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, directory / f"{key}.json")
        except OSError:
            os.unlink(temporary)
            raise
        _prune(directory)


def code_stamp() -> str:
    """Return a text that changes when the code that makes or reads checked programs is edited."""
    package = Path(__file__).resolve().parent.parent
    files = [package / "facts" / "schema.py", *(package / "datalog").glob("*.*"), *(package / "datalog").glob("*/*.py")]
    rows = sorted((str(file.relative_to(package)), file.stat()) for file in files if file.is_file())
    return ",".join(f"{name}:{stat.st_mtime_ns}:{stat.st_size}" for name, stat in rows)


def _prune(directory: Path) -> None:
    """Remove the oldest half once there are too many entries."""
    entries = [entry for entry in os.scandir(directory) if entry.name.endswith(".json")]
    if len(entries) <= _MOST_ENTRIES:
        return
    entries.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name))
    for entry in entries[: len(entries) // 2]:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)
