"""The index on disk with its faults dealt with: readers see rows or nothing, writers learn whether it was kept.

Invariant: no fault of the file system or of SQLite leaves this module as an exception. A broken file is replaced by an empty
one, a file that cannot be written is only read, and each is said once in `problems`.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ce.store.location import IndexUnavailable, LockedDirectory, open_directory
from ce.store.owner import user_key
from ce.store.rows import seal
from ce.store.sqlite import FAULTS, Damaged, Fault, fault_of, open_database, replace_database

__all__ = ["Shelf"]

_FIRST_WAIT = 5.0  # seconds to wait for another process that is making the index
_REBUILD_WAIT = 0.5  # seconds to wait until no other process uses an index that we found broken


class Shelf:
    """An open index file, or none; then nothing is found and nothing is kept. `key` is what its rows are sealed with."""

    def __init__(self, root: Path | None) -> None:
        """Open the index under the root, made if need be; with None there is none."""
        self.problems: list[str] = []
        self.is_writable = False
        self.key = b"" if root is None else user_key()
        self._owner = seal(self.key, b"", b"owner")
        self._directory: LockedDirectory | None = None
        self._connection: sqlite3.Connection | None = None
        if root is not None:
            self._open(root)

    def rows(self, statement: str, parameters: tuple[object, ...] = ()) -> list[Any]:
        """Return all rows of a query; none when there is no index or it turned out to be broken. The caller checks their types."""
        if self._connection is None:
            return []
        try:
            return self._connection.execute(statement, parameters).fetchall()
        except FAULTS as error:
            self._after_fault(error)
        return []

    def write(self, action: Callable[[sqlite3.Connection], object]) -> bool:
        """Run the action in one transaction and tell whether its effect is kept."""
        if self._connection is None or not self.is_writable:
            return False
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            action(self._connection)
            self._connection.execute("COMMIT")
            return True
        except FAULTS as error:
            self._after_fault(error)
        return False

    def clock_ns(self) -> int:
        """Return the time as the file system of the tree keeps it."""
        return self._directory.clock_ns() if self._directory is not None else time.time_ns()

    def say(self, problem: str) -> None:
        """Add a problem unless it was said already."""
        if problem not in self.problems:
            self.problems.append(problem)

    def rebuild(self, why: str) -> None:
        """Put an empty index in the place of one that proved unusable although it could be opened."""
        if self._directory is not None:
            self._disconnect()
            self._replace(why, even_usable=True)

    def close(self) -> None:
        """Give up the files."""
        self._disconnect()
        if self._directory is not None:
            self._directory.close()
            self._directory = None

    def _open(self, root: Path) -> None:
        try:
            self._directory = open_directory(root)
            self._connection = open_database(self._directory, self._owner) or replace_database(self._directory, self._owner, _FIRST_WAIT)
            self.is_writable = True
        except Damaged as error:
            self._replace(str(error), even_usable=False)
        except IndexUnavailable as error:
            self.say(f"{error}; working in memory")

    def _replace(self, why: str, *, even_usable: bool) -> None:
        assert self._directory is not None
        self.say(f"the index was unusable ({why}) and is built anew")
        try:
            self._connection = replace_database(self._directory, self._owner, _REBUILD_WAIT, even_usable=even_usable)
            self.is_writable = True
        except IndexUnavailable as error:
            self.say(f"{error}; working in memory")

    def _after_fault(self, error: Exception) -> None:
        connection = self._connection
        assert connection is not None
        with contextlib.suppress(*FAULTS):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        kind = fault_of(error)
        if kind == Fault.DAMAGED:
            self.rebuild("it is broken inside")
            return
        self.is_writable = False  # reading goes on; when another process is just busy writing there is nothing to say
        if kind == Fault.UNWRITABLE:
            self.say(f"the index cannot be written ({error}); working in memory")

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(*FAULTS):
                self._connection.close()
        self._connection = None
        self.is_writable = False
