"""The journal of an apply: `.ce/erase-journal/`, complete before the first user file is touched, gone when all is settled.

It holds the old bytes of every target and a manifest. It appears by one rename, so it is whole or not there. While it is
there without the mark `committed`, the tree is taken back to the old state; with the mark, the new state stands.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ce.erase.apply.files import Place, forbidden, move, read_place
from ce.erase.model import CLASSES, PlanRow, content_hash

__all__ = [
    "Edit",
    "JournalBroken",
    "begin",
    "commit",
    "discard",
    "is_there",
    "load",
    "lock",
    "old_bytes",
    "open_state",
    "put_back",
    "temporary_name",
]

_JOURNAL = "erase-journal"
_STAGED = "erase-journal.new"
_SETTLED = "erase-journal.done"
_MANIFEST = "manifest.json"
_COMMITTED = "committed"
_LOCK = "erase.lock"
_VERSION = 1
_HEX = frozenset("0123456789abcdef")


class JournalBroken(Exception):
    """The journal cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one file: `new` are its bytes afterwards, None when it goes. `rows` are the plan's rows behind it."""

    path: str
    old_hash: str
    new_hash: str | None
    mode: int
    rows: tuple[PlanRow, ...]
    new: bytes | None = None


@contextlib.contextmanager
def open_state(root: Path) -> Iterator[tuple[int, int]]:
    """Give descriptors of the root and of its `.ce/`, which is made when it is missing. Raises OSError when `.ce` is a link."""
    top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(".ce", 0o755, dir_fd=top)
            descriptor = os.open(".ce/.gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=top)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(b"*\n")
        state = os.open(".ce", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
        try:
            yield top, state
        finally:
            os.close(state)
    finally:
        os.close(top)


@contextlib.contextmanager
def lock(state: int) -> Iterator[bool]:
    """Hold the eraser's lock for the time of the block; gives False when another process holds it."""
    descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=state)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def begin(state: int, plan: str, edits: Sequence[Edit], old: Sequence[Place]) -> None:
    """Write the journal of an apply whole, then make it appear. Raises OSError, and then nothing has happened."""
    _delete_tree(state, _STAGED)
    _delete_tree(state, _SETTLED)
    try:
        os.mkdir(_STAGED, 0o700, dir_fd=state)
        _fill(state, plan, edits, old)
        os.rename(_STAGED, _JOURNAL, src_dir_fd=state, dst_dir_fd=state)
    except OSError:
        # A full disk stays full for as long as half a journal lies on it.
        with contextlib.suppress(OSError):
            _delete_tree(state, _STAGED)
        raise
    os.fsync(state)


def is_there(root: Path) -> bool:
    """Return whether a journal lies in the tree: an apply did not end. Nothing is made or opened."""
    return os.path.lexists(root / ".ce" / _JOURNAL)


def load(state: int) -> tuple[str, tuple[Edit, ...], bool] | None:
    """Return (plan digest, edits, committed) of the journal that is there, or None.

    Raises JournalBroken when its content is not what `begin` writes: a tree may ship a `.ce/` of its own.
    """
    try:
        directory = _open_directory(state, _JOURNAL)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalBroken(f"`.ce/{_JOURNAL}` is no directory: {error.strerror}") from None
    try:
        place = read_place(directory, _MANIFEST)
        if place is None:
            raise JournalBroken("the manifest is missing")
        committed = read_place(directory, _COMMITTED) is not None
        plan, edits = _manifest(place.data)
        return plan, edits, committed
    except OSError as error:
        raise JournalBroken(f"it cannot be read: {error.strerror}") from None
    finally:
        os.close(directory)


def old_bytes(state: int, number: int, edit: Edit) -> bytes:
    """Return the bytes that an edit's file had. Raises JournalBroken when they are missing or not those of the manifest."""
    directory = _open_directory(state, _JOURNAL)
    try:
        place = read_place(directory, f"{number}.old")
    finally:
        os.close(directory)
    if place is None or place.hash != edit.old_hash:
        raise JournalBroken(f"the kept bytes of `{edit.path}` are damaged")
    return place.data


def put_back(state: int, number: int, edit: Edit, top: int, expected: str | None) -> bool:
    """Move the kept bytes of an edit's file to its place; return False when they must be copied instead.

    A move needs no room, so that a disk that has become full cannot keep the old state from coming back. `expected` is the hash that
    must stand there in the moment before. Raises OSError.
    """
    directory = _open_directory(state, _JOURNAL)
    try:
        descriptor = os.open(f"{number}.old", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=directory)
        try:
            os.fchmod(descriptor, edit.mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return move(directory, f"{number}.old", top, edit.path, expected)
    finally:
        os.close(directory)


def commit(state: int) -> None:
    """Mark the new state as the one that stands."""
    directory = _open_directory(state, _JOURNAL)
    try:
        _write(directory, _COMMITTED, b"")
        os.fsync(directory)
    finally:
        os.close(directory)


def discard(state: int) -> None:
    """Remove the journal: the rename settles it, what a crash leaves of the rest is swept by the next apply."""
    _delete_tree(state, _SETTLED)
    os.rename(_JOURNAL, _SETTLED, src_dir_fd=state, dst_dir_fd=state)
    os.fsync(state)
    _delete_tree(state, _SETTLED)


def temporary_name(plan: str, number: int) -> str:
    """Return the name under which an edit's new bytes stand beside the target until they are renamed over it."""
    return f".ce-erase-{plan[:16]}-{number}"


def _fill(state: int, plan: str, edits: Sequence[Edit], old: Sequence[Place]) -> None:
    directory = _open_directory(state, _STAGED)
    try:
        for number, place in enumerate(old):
            _write(directory, f"{number}.old", place.data)
        manifest = {"version": _VERSION, "plan": plan, "edits": [_edit_to_json(edit) for edit in edits]}
        _write(directory, _MANIFEST, json.dumps(manifest, ensure_ascii=True, separators=(",", ":")).encode())
        os.fsync(directory)
    finally:
        os.close(directory)


def _open_directory(parent: int, name: str) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


def _write(directory: int, name: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=directory), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _delete_tree(parent: int, name: str) -> None:
    try:
        shutil.rmtree(name, dir_fd=parent)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno != errno.ENOTDIR:
            raise
        os.unlink(name, dir_fd=parent)


def _edit_to_json(edit: Edit) -> dict[str, object]:
    rows = [[row.kind, None if row.span is None else list(row.span), row.provenance, row.hash, row.sites] for row in edit.rows]
    return {"path": edit.path, "old": edit.old_hash, "new": edit.new_hash, "mode": edit.mode, "rows": rows}


def _manifest(data: bytes) -> tuple[str, tuple[Edit, ...]]:
    try:
        value = json.loads(data)
        if value["version"] != _VERSION:
            raise JournalBroken(f"it has version {value['version']!r}, not {_VERSION}")
        plan = value["plan"]
        if not _is_hash(plan):
            raise JournalBroken("the plan has no hash")
        return plan, tuple(_edit_from_json(edit) for edit in value["edits"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise JournalBroken(f"the manifest is damaged: {error}") from None


def _edit_from_json(value: dict[str, object]) -> Edit:
    path, old, new, mode, rows = (value[name] for name in ("path", "old", "new", "mode", "rows"))
    if not isinstance(path, str) or (why := forbidden(path)) is not None:
        raise JournalBroken(f"`{path}` {why if isinstance(path, str) else 'is no text'}")
    if not _is_hash(old) or not (new is None or _is_hash(new)) or type(mode) is not int or not isinstance(rows, list):
        raise JournalBroken(f"the record of `{path}` is damaged")
    return Edit(path, str(old), None if new is None else str(new), mode & 0o777, tuple(_row_from_json(path, row) for row in rows))


def _row_from_json(path: str, value: list[object]) -> PlanRow:
    kind, span, provenance, hash_, sites = value
    if kind not in CLASSES or not isinstance(provenance, str) or not _is_hash(hash_) or type(sites) is not int:
        raise JournalBroken(f"a row of `{path}` is damaged")
    where = None
    if span is not None:
        if not (isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)):
            raise JournalBroken(f"a span of `{path}` is damaged")
        where = (span[0], span[1])
    return PlanRow(str(kind), path, where, True, "eraseable", provenance, sites, str(hash_))


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == len(content_hash(b"")) and set(value) <= _HEX
