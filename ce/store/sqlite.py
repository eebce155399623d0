"""The SQLite file behind the index: opened only when it is ours to the letter, otherwise made anew.

Invariant: an open connection has exactly the schema below, in write-ahead mode, and the seal of its owner. A file that a
stranger made (triggers, views, other tables, a rollback journal that names files to delete) is never worked on; it
is removed and replaced.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

from ce.store.location import IndexUnavailable, LockedDirectory

__all__ = ["DATABASE", "FAULTS", "Damaged", "Fault", "fault_of", "open_database", "replace_database"]

DATABASE = "index.db"
_APPLICATION = 0x43454931  # "CEI1"
_VERSION = 1
_BUSY_MILLISECONDS = 3000
_SIDE_FILES = ("-journal", "-wal", "-shm")

_SCHEMA = (
    "CREATE TABLE owner (seal BLOB NOT NULL)",
    "CREATE TABLE file (path BLOB PRIMARY KEY, name BLOB NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, "
    "ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, hash BLOB NOT NULL, seen_at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE layer (number INTEGER PRIMARY KEY, hash BLOB NOT NULL, name BLOB NOT NULL, layer TEXT NOT NULL, "
    "revision TEXT NOT NULL, seal BLOB NOT NULL, value BLOB NOT NULL)",
    "CREATE UNIQUE INDEX layer_of_content ON layer (layer, revision, hash, name)",
    "CREATE TABLE cache (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, "
    "size INTEGER NOT NULL, seal BLOB NOT NULL, value BLOB NOT NULL)",
)


# What working on a file can raise; the message of a fault in a broken file need not even be text.
FAULTS = (sqlite3.Error, UnicodeDecodeError)


class Damaged(Exception):
    """The file is not a database, not ours, or broken inside; the message is a clause that says which."""


class Fault:
    """What a fault of SQLite means for the index."""

    DAMAGED = "damaged"
    BUSY = "busy"
    UNWRITABLE = "unwritable"


def fault_of(error: Exception) -> str:
    """Return the kind of a fault, by SQLite's own code where it gives one."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Fault.BUSY
    if primary in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return Fault.UNWRITABLE
    return Fault.DAMAGED


def open_database(directory: LockedDirectory, owner: bytes) -> sqlite3.Connection | None:
    """Return a connection to the index, or None when there is none yet; raise Damaged when what is there is not the owner's."""
    path = directory.path / DATABASE
    if not _is_plain(path):
        return None
    if _is_plain(Path(f"{path}-journal")):
        raise Damaged("a journal lies beside it that the index never leaves")
    for suffix in _SIDE_FILES:
        _is_plain(Path(f"{path}{suffix}"))
    try:
        connection = _connect(path)
        try:
            _check(connection, owner)
        except BaseException:
            connection.close()
            raise
    except FAULTS as error:
        if fault_of(error) == Fault.DAMAGED:
            raise Damaged("it is no database or a broken one") from error
        raise IndexUnavailable(f"`{directory.path.name}/{DATABASE}` cannot be used ({error})") from error
    return connection


def replace_database(directory: LockedDirectory, owner: bytes, seconds: float, *, even_usable: bool = False) -> sqlite3.Connection:
    """Return a connection to a new, empty index, made while no other process has one open.

    An index that can be opened is taken as it is, because another process was faster, unless `even_usable`. Raises IndexUnavailable.
    """
    path = directory.path / DATABASE
    directory.exclude(seconds)
    try:
        connection = None if even_usable else _open_if_usable(directory, owner)
        if connection is None:
            for suffix in ("", *_SIDE_FILES):
                if _is_plain(Path(f"{path}{suffix}")):
                    os.unlink(f"{path}{suffix}")
            connection = _connect(path)
            try:
                _create(connection, owner)
            except BaseException:
                connection.close()
                raise
        return connection
    except FAULTS as error:
        raise IndexUnavailable(f"`{path.parent.name}/{DATABASE}` cannot be written ({error})") from error
    except OSError as error:
        raise IndexUnavailable(f"`{path.parent.name}/{DATABASE}` cannot be written ({error.strerror})") from error
    finally:
        directory.share()


def _open_if_usable(directory: LockedDirectory, owner: bytes) -> sqlite3.Connection | None:
    with contextlib.suppress(Damaged):
        return open_database(directory, owner)
    return None


def _is_plain(path: Path) -> bool:
    """Tell whether the file exists; raise IndexUnavailable for anything that could lead to another file."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    name = f"`{path.parent.name}/{path.name}`"
    if stat.S_ISLNK(status.st_mode):
        raise IndexUnavailable(f"{name} is a symbolic link, which is not followed")
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise IndexUnavailable(f"{name} is not a plain file of its own")
    return True


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_MILLISECONDS / 1000, cached_statements=32)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")
    return connection


def _check(connection: sqlite3.Connection, owner: bytes) -> None:
    identity = (_pragma(connection, "application_id"), _pragma(connection, "user_version"), _pragma(connection, "journal_mode"))
    schema = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    if identity[:2] != (_APPLICATION, _VERSION):
        raise Damaged("another version of the index wrote it")
    if identity[2] != "wal" or schema != [(text,) for text in _SCHEMA]:
        raise Damaged("its tables are not those of the index")
    if connection.execute("SELECT seal FROM owner").fetchall() != [(owner,)]:
        raise Damaged("another user or another machine wrote it")


def _create(connection: sqlite3.Connection, owner: bytes) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO owner (seal) VALUES (?)", (owner,))
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _pragma(connection: sqlite3.Connection, name: str) -> object:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return value
