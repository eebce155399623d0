"""The index of a tree: what was measured of each file, kept by content, and results about the whole tree, kept by key.

Invariants. A value is handed out only when its seal fits, so a broken row is a missing row. Whatever cannot be
written stays in memory for this run, and the answers are the same. A file counts as unchanged only when its stat is the
one of the last reading and was old enough by then that a later change must have altered it.

A measure may depend on the file's name (its language does) but not on its directory: a moved file is measured once.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from ce.source.tree import SkippedFile, Tree
from ce.store.rows import (
    FileRow,
    decode_reason,
    decode_state,
    encode_state,
    encoded,
    evict,
    fingerprint,
    is_racy,
    layer_seal,
    name_of,
    record,
    seal,
    stat_of,
)
from ce.store.shelf import Shelf
from ce.store.values import Counts, LayerSpec, Measure, Measured, Refreshed, Request, TreeMoved, content_hash

__all__ = ["Index"]

_FLUSH_BYTES = 4 << 20
_LOOKUP = 256

# The first byte of a stored layer value.
_MEASURED, _ABSENT, _SKIPPED = b"+", b".", b"-"

_Content = tuple[bytes, bytes]  # content hash, file name
_Read = Callable[[str], bytes | SkippedFile]


class Index:
    """Measured layers and cached results of one tree; close it when done."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._layers: dict[str, LayerSpec] = {}
        self._paths: tuple[str, ...] = ()
        self._refreshed = Refreshed(Counts(), {})
        self._hashes: dict[str, bytes] | None = None
        self._unwritten: dict[tuple[str, bytes, bytes], bytes] = {}  # layer, content hash, file name
        self._unwritten_bytes = 0
        self._results: dict[str, bytes] = {}

    @classmethod
    def open(cls, root: Path) -> Index:
        """Return the index of the tree at `root`; one that lives in memory when `.ce/` cannot be used, with the reason in `problems`."""
        return cls(Shelf(root))

    @classmethod
    def in_memory(cls) -> Index:
        """Return an index that reads and writes nothing on disk."""
        return cls(Shelf(None))

    @property
    def problems(self) -> tuple[str, ...]:
        """Return what went wrong with keeping the index, each thing once."""
        return tuple(self._shelf.problems)

    def close(self) -> None:
        """Give up the files; what was not written is lost."""
        self._shelf.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self, tree: Tree, layers: Mapping[str, LayerSpec], measure: Measure, read: _Read, *, thorough: bool = False) -> Refreshed:
        """Make the layers present of every file of the tree that they want, measuring what is not, and return what was done.

        The counts are about the files that the first layer wants. `read` gives the bytes of a path or why there are none; it is
        called for files whose stat does not settle whether they changed. A tree with the stats of an earlier run is known as a
        whole; `thorough` compares file by file even then.
        """
        self._layers = dict(layers)
        self._paths = tree.paths
        self._hashes = None
        known_as = fingerprint(tree, self._layers)
        key = f"state/{','.join(self._layers)}"  # in their order: the counts are about the first
        known = None if thorough else decode_state(self.cached(key), known_as, set(self._layers))
        if known is not None:
            self._refreshed = known
            return known
        self._refreshed, is_settled = self._compare(tree, measure, read)
        if is_settled:
            self.put(key, encode_state(self._refreshed, known_as))
        return self._refreshed

    def load(self, layer: str) -> dict[str, bytes]:
        """Return the values of a layer by path, for the files that have one."""
        return dict(self.stream(layer))

    def stream(self, layer: str) -> Iterator[tuple[str, bytes]]:
        """Yield path and value of a layer in the order of the paths, a few at a time.

        Raises TreeMoved when rows are missing, which `restore` puts back, or newer contents took their place.
        """
        hashes = self._contents()
        paths = [path for path in sorted(hashes) if self._layers[layer].wants(path)]
        for start in range(0, len(paths), _LOOKUP):
            chunk = paths[start : start + _LOOKUP]
            found = self._values(layer, [hashes[path] for path in chunk])
            for path in chunk:
                value = found.get((hashes[path], name_of(path)))
                if value is None:
                    raise TreeMoved(f"`{path}` is missing in the index")
                if value[:1] == _MEASURED:
                    yield path, value[1:]

    def restore(self, measure: Measure) -> int:
        """Measure what the index has lost since the refresh (to a fault or another process) and return how many files that were.

        Raises TreeMoved when the bytes of a file are no longer those this run is about.
        """
        hashes = self._contents()
        requests = self._requests(hashes, self._available())
        if not requests:  # rows that a scan shows and a look-up misses: the file is broken in a way that SQLite does not notice
            self._shelf.rebuild("it is broken inside")
            requests = self._requests(hashes, self._available())
        by_path = {request.path: request for request in requests}
        for result in measure(requests):
            if result.digest != hashes[result.path]:
                raise TreeMoved(f"`{result.path}` was changed")
            self._keep(result, by_path[result.path])
        self._flush()
        return len(requests)

    def cached(self, key: str) -> bytes | None:
        """Return the result kept under the key, or None."""
        if key in self._results:
            return self._results[key]
        name = encoded(key)
        for found, value in self._shelf.rows("SELECT seal, value FROM cache WHERE key = ?", (name,)):
            if isinstance(value, bytes) and found == seal(self._shelf.key, value, name):
                return value
            self._shelf.say("a result in the index was damaged and is computed anew")
        return None

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under the key, replacing what was there."""
        self.put_many({key: value})

    def put_many(self, results: Mapping[str, bytes]) -> None:
        """Keep several results at once; the oldest go when all together grow past a bound."""
        named = [(encoded(key), value) for key, value in sorted(results.items())]
        rows = [(name, len(value), seal(self._shelf.key, value, name), value) for name, value in named]

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO cache (key, size, seal, value) VALUES (?, ?, ?, ?)", rows)
            evict(connection)

        if not self._shelf.write(write):
            self._results.update(results)

    def _compare(self, tree: Tree, measure: Measure, read: _Read) -> tuple[Refreshed, bool]:
        clock = self._shelf.clock_ns()
        rows = self._file_rows()
        available = self._available()
        is_empty = not any(available.values())
        files = {file.path: file for file in tree.files if self._wanted(file.path)}
        fresh: list[FileRow] = []
        hashes: dict[str, bytes] = {}
        unhashed: list[Request] = []
        unreadable: list[tuple[str, str, str]] = []
        for path, file in files.items():
            row = rows.get(os.fsencode(path))
            if row is not None and row.stat == stat_of(file) and not is_racy(row.stat, row.seen_at):
                hashes[path] = row.hash
                continue
            if is_empty:
                unhashed.append(Request(path, self._wanted(path)))  # one reading gives hash and measure
                continue
            data = read(path)
            if isinstance(data, SkippedFile):
                unreadable.append((path, data.why, data.detail))
                continue
            hashes[path] = content_hash(data)
            renewed = FileRow(os.fsencode(path), stat_of(file), hashes[path], clock)
            if row is None or row.stat != renewed.stat or row.hash != renewed.hash or not is_racy(renewed.stat, clock):
                fresh.append(renewed)
        requests = unhashed + self._requests(hashes, available)
        by_path = {request.path: request for request in requests}
        done: set[str] = set()
        for result in measure(requests) if requests else ():
            if not result.digest:
                hashes.pop(result.path, None)
                unreadable.append((result.path, result.why, result.detail))
                continue
            done.add(result.path)
            if hashes.get(result.path) != result.digest:
                fresh.append(FileRow(os.fsencode(result.path), stat_of(files[result.path]), result.digest, clock))
                hashes[result.path] = result.digest
            self._keep(result, by_path[result.path])
        self._flush()
        self._hashes = hashes
        present = {os.fsencode(file.path) for file in tree.files}
        removed = [path for path in rows if path not in present]
        if fresh or removed or requests:
            self._shelf.write(lambda connection: record(connection, fresh, removed, self._layers))
        skipped = tuple(sorted([*unreadable, *self._marked(hashes, _SKIPPED)]))
        counted = {path for path in files if self._primary.wants(path)}
        counted -= {path for path, _, _ in [*skipped, *self._marked(hashes, _ABSENT)]}
        extracted = len(done & counted)
        left_out = len(tree.skipped) + len(tree.files) - len(counted)
        counts = Counts(len(counted), extracted, len(counted) - extracted, len(removed), left_out)
        is_settled = not unreadable and not any(is_racy(stat_of(file), clock) for file in tree.files)
        return Refreshed(counts, self._digests(hashes), skipped), is_settled

    @property
    def _primary(self) -> LayerSpec:
        return next(iter(self._layers.values()))

    def _wanted(self, path: str) -> tuple[str, ...]:
        return tuple(name for name, layer in self._layers.items() if layer.wants(path))

    def _requests(self, hashes: Mapping[str, bytes], available: Mapping[str, set[_Content]]) -> list[Request]:
        """Return what has to be measured of files whose contents are known."""
        requests = []
        for path, digest in hashes.items():
            content = (digest, name_of(path))
            lacking = tuple(name for name in self._wanted(path) if content not in available[name])
            if lacking:
                requests.append(Request(path, lacking))
        return requests

    def _contents(self) -> dict[str, bytes]:
        """Return the content hash of every path of this run that a layer wants."""
        if self._hashes is None:
            rows = self._file_rows()
            found = ((path, rows.get(os.fsencode(path))) for path in self._paths if self._wanted(path))
            hashes = {path: row.hash for path, row in found if row is not None}
            if self._digests(hashes) != self._refreshed.digests:
                raise TreeMoved("the index is about other contents")
            self._hashes = hashes
        return self._hashes

    def _digests(self, hashes: Mapping[str, bytes]) -> dict[str, str]:
        paths = sorted(hashes)
        digests = {}
        for name, layer in self._layers.items():
            state = blake2b(digest_size=32)
            for path in paths:
                if layer.wants(path):
                    state.update(os.fsencode(path) + b"\0" + hashes[path])
            digests[name] = state.hexdigest()
        return digests

    def _file_rows(self) -> dict[bytes, FileRow]:
        rows = {}
        for path, digest, seen_at, *stat in self._shelf.rows("SELECT path, hash, seen_at, size, mtime_ns, ctime_ns, inode FROM file"):
            if isinstance(path, bytes) and isinstance(digest, bytes) and all(isinstance(number, int) for number in (seen_at, *stat)):
                size, mtime, ctime, inode = stat
                rows[path] = FileRow(path, (size, mtime, ctime, inode), digest, seen_at)
        return rows

    def _available(self) -> dict[str, set[_Content]]:
        """Return per layer the contents that have been measured."""
        available = {}
        for name, layer in self._layers.items():
            rows = self._shelf.rows("SELECT hash, name FROM layer WHERE layer = ? AND revision = ?", (name, layer.revision))
            available[name] = {*rows, *((digest, base) for kind, digest, base in self._unwritten if kind == name)}
        return available

    def _values(self, layer: str, digests: list[bytes]) -> dict[_Content, bytes]:
        found: dict[_Content, bytes] = {}
        revision = self._layers[layer].revision
        marks = ", ".join("?" * len(digests))
        broken = []
        for number, digest, name, found_seal, value in self._shelf.rows(
            f"SELECT number, hash, name, seal, value FROM layer WHERE layer = ? AND revision = ? AND hash IN ({marks})",
            (layer, revision, *digests),
        ):
            if (
                isinstance(value, bytes)
                and isinstance(name, bytes)
                and found_seal == layer_seal(self._shelf.key, layer, revision, digest, name, value)
            ):
                found[digest, name] = value
            else:
                broken.append((number,))
        if broken:
            self._shelf.say("a row of the index was damaged and is measured anew")
            self._shelf.write(lambda connection: connection.executemany("DELETE FROM layer WHERE number = ?", broken))
        if self._unwritten:
            wanted = set(digests)
            found.update({(d, name): value for (kind, d, name), value in self._unwritten.items() if kind == layer and d in wanted})
        return found

    def _marked(self, hashes: Mapping[str, bytes], mark: bytes) -> list[tuple[str, str, str]]:
        """Return path, reason and detail of the files whose value in the first layer has the mark."""
        layer = next(iter(self._layers))
        rows = self._shelf.rows(
            "SELECT hash, name, value FROM layer WHERE layer = ? AND revision = ? AND substr(value, 1, 1) = ?",
            (layer, self._layers[layer].revision, mark),
        )
        found = {(digest, name): value for digest, name, value in rows}
        for (kind, digest, name), value in self._unwritten.items():
            if kind == layer and value[:1] == mark:
                found[digest, name] = value
        reasons = {content: decode_reason(value) for content, value in found.items()}
        contents = ((path, (digest, name_of(path))) for path, digest in hashes.items()) if reasons else ()
        return [(path, *reasons[content]) for path, content in contents if content in reasons]

    def _keep(self, result: Measured, request: Request) -> None:
        for layer in request.layers:
            if result.why:
                value = _SKIPPED + json.dumps([result.why, result.detail]).encode()
            else:
                value = _MEASURED + result.layers[layer] if layer in result.layers else _ABSENT
            self._unwritten[layer, result.digest, name_of(result.path)] = value
            self._unwritten_bytes += len(value)
        if self._unwritten_bytes >= _FLUSH_BYTES:
            self._flush()

    def _flush(self) -> None:
        self._unwritten_bytes = 0
        if not self._shelf.is_writable or not self._unwritten:
            return
        rows = []
        for (layer, digest, name), value in self._unwritten.items():
            revision = self._layers[layer].revision
            rows.append((digest, name, layer, revision, layer_seal(self._shelf.key, layer, revision, digest, name, value), value))
        statement = "INSERT OR REPLACE INTO layer (hash, name, layer, revision, seal, value) VALUES (?, ?, ?, ?, ?, ?)"
        if self._shelf.write(lambda connection: connection.executemany(statement, rows)):
            self._unwritten.clear()
