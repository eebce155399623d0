"""What the index writes down: file rows, seals, and the state of a whole tree; and the statements that keep it small."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from ce.source.tree import SourceFile, Tree
from ce.store.values import Counts, LayerSpec, Refreshed

__all__ = [
    "FileRow",
    "Stat",
    "decode_reason",
    "decode_state",
    "encode_state",
    "encoded",
    "evict",
    "fingerprint",
    "is_racy",
    "layer_seal",
    "name_of",
    "record",
    "seal",
    "stat_of",
]

_RACY_NS = 2_000_000_000  # the coarsest clock of a file system in use (FAT) ticks every two seconds
_CACHE_BYTES = 256 << 20
_SPARE_LAYERS = 512  # measured contents kept although no file has them now: a branch switched back and forth
_WORD = (1 << 63) - 1  # what SQLite holds; of a stat only equality counts

Stat = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was last read: at `seen_at` its bytes had the hash, and shortly before that the stat."""

    path: bytes
    stat: Stat
    hash: bytes
    seen_at: int


def is_racy(stat: Stat, seen_at: int) -> bool:
    """Tell whether a change after the reading could have left the stat as it is, because the clock had not ticked on."""
    _, mtime, ctime, _ = stat
    return max(mtime, ctime) + _RACY_NS >= seen_at


def record(connection: sqlite3.Connection, fresh: list[FileRow], removed: list[bytes], layers: Mapping[str, LayerSpec]) -> None:
    """Write file rows, remove those of vanished files, and let go of layers that nothing needs."""
    connection.executemany("DELETE FROM file WHERE path = ?", [(path,) for path in removed])
    connection.executemany(
        "INSERT OR REPLACE INTO file (path, name, size, mtime_ns, ctime_ns, inode, hash, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(row.path, row.path.rpartition(b"/")[2], *row.stat, row.hash, row.seen_at) for row in fresh],
    )
    connection.executemany(
        "DELETE FROM layer WHERE layer = ? AND revision != ?", [(name, layer.revision) for name, layer in layers.items()]
    )
    connection.execute(
        "DELETE FROM layer WHERE number IN (SELECT number FROM layer WHERE (hash, name) NOT IN (SELECT hash, name FROM file) "
        "ORDER BY number DESC LIMIT -1 OFFSET ?)",
        (_SPARE_LAYERS,),
    )


def evict(connection: sqlite3.Connection) -> None:
    """Let the oldest results go when all together are too large."""
    (total,) = connection.execute("SELECT sum(size) FROM cache").fetchone()
    if not isinstance(total, int) or total <= _CACHE_BYTES:
        return
    for number, size in connection.execute("SELECT number, length(value) FROM cache ORDER BY number").fetchall():
        connection.execute("DELETE FROM cache WHERE number = ?", (number,))
        total -= size
        if total <= _CACHE_BYTES:
            return


def fingerprint(tree: Tree, layers: Mapping[str, LayerSpec]) -> str:
    """Return a text that tells apart trees whose stats differ."""
    state = blake2b(digest_size=32)
    revisions = [(name, layer.revision) for name, layer in layers.items()]
    state.update(json.dumps([revisions, len(tree.skipped)]).encode())
    lines = [f"{file.path}\0{file.size} {file.mtime_ns} {file.ctime_ns} {file.inode}\0" for file in tree.files]
    state.update(encoded("".join(lines)))
    return state.hexdigest()


def encode_state(refreshed: Refreshed, known_as: str) -> bytes:
    """Return what a refresh found, under the fingerprint of the tree, as bytes."""
    counts = refreshed.counts
    return json.dumps([known_as, dict(refreshed.digests), counts.files, counts.skipped, refreshed.skipped]).encode()


def decode_state(value: bytes | None, known_as: str, layers: set[str]) -> Refreshed | None:
    """Return what an earlier refresh found if it was about the same tree and layers, else None."""
    if value is None:
        return None
    try:
        known, digests, files, skipped_count, skipped = json.loads(value)
        if known != known_as or set(digests) != layers:
            return None
        rows = tuple((str(path), str(why), str(detail)) for path, why, detail in skipped)
        counts = Counts(int(files), 0, int(files), 0, int(skipped_count))
        return Refreshed(counts, {str(name): str(digest) for name, digest in digests.items()}, rows)
    except (ValueError, TypeError, RecursionError):
        return None


def decode_reason(value: object) -> tuple[str, str]:
    """Return reason and detail of the value of a skipped file."""
    try:
        why, detail = json.loads(value[1:]) if isinstance(value, bytes) else ("", "")
        return str(why), str(detail)
    except (ValueError, TypeError, RecursionError):
        return "unreadable", "the index does not say why"


def stat_of(file: SourceFile) -> tuple[int, int, int, int]:
    """Return the stat of a file in the form that rows hold."""
    return (file.size, file.mtime_ns & _WORD, file.ctime_ns & _WORD, file.inode & _WORD)


def name_of(path: str) -> bytes:
    """Return the last segment of a path as rows hold it."""
    return os.fsencode(path.rpartition("/")[2])


def encoded(text: str) -> bytes:
    """Return the text as bytes; stray bytes of paths survive."""
    return text.encode("utf-8", "surrogatepass")


def layer_seal(key: bytes, layer: str, revision: str, digest: bytes, name: bytes, value: bytes) -> bytes:
    """Return the seal of a value of a layer."""
    return seal(key, value, layer.encode(), revision.encode(), digest, name)


def seal(key: bytes, value: bytes, *context: bytes) -> bytes:
    """Return a keyed checksum of the value in its place: a broken, misplaced or foreign row does not fit it."""
    state = blake2b(digest_size=16, key=key)
    for part in context:
        state.update(len(part).to_bytes(8, "little") + part)
    state.update(value)
    return state.digest()
