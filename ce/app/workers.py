"""Measuring many files: in this process when they are few, in worker processes when they are many.

Invariant: every request has exactly one result, whatever happens to the workers, and no result depends on how many there are.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ce.app.worker import READY, measure_files
from ce.source.text import read_file
from ce.source.tree import SkippedFile
from ce.store.values import Measured, Request, content_hash

__all__ = ["MANY_BYTES", "MANY_FILES", "default_workers", "measure_all"]

MANY_FILES = 200
MANY_BYTES = 4 << 20  # a few large files are measured apart too: they are the ones that can go wrong
_CHUNK_BYTES = 512 << 10
_CHUNK_FILES = 64
_FILE_SECONDS = 120.0  # of wall time without an answer; the worker bounds its processor time itself
_START_SECONDS = 60.0
_POLL_SECONDS = 1.0

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from ce.app.worker import main; main()"

Progress = Callable[[int, int], None]


def default_workers() -> int:
    """Return how many worker processes this machine should have: one per processor, from two to four."""
    return max(2, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2))


def measure_all(
    root: Path, requests: Sequence[Request], sizes: Mapping[str, int], *, workers: int | None = None, progress: Progress | None = None
) -> Generator[Measured]:
    """Yield one result per request, in no particular order; `workers` 0 stays in this process, None decides by their number and size."""
    total = len(requests)
    if workers is None:
        many = total >= MANY_FILES or sum(sizes.get(request.path, 0) for request in requests) >= MANY_BYTES
        workers = default_workers() if many else 0
    results = _measure_apart(os.fspath(root), requests, sizes, workers) if workers else _measure_here(os.fspath(root), requests)
    try:
        for count, measured in enumerate(results, 1):
            yield measured
            if progress is not None:
                progress(count, total)
    finally:
        results.close()


def _measure_here(root: str, requests: Sequence[Request]) -> Generator[Measured]:
    yield from measure_files(root, ((request.path, request.layers) for request in requests))


class _WorkerDied(Exception):
    """The process ended, or was ended because it gave no answer; the message says how."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process: the requests it has not answered yet, what it wrote so far, and until when the next answer has to come."""

    process: subprocess.Popen[bytes]
    pending: deque[Request] = field(default_factory=deque)
    buffer: bytearray = field(default_factory=bytearray)
    is_ready: bool = False
    deadline: float = 0.0

    @classmethod
    def start(cls) -> _Worker:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, json.dumps(_import_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return cls(process, deadline=time.monotonic() + _START_SECONDS)

    @property
    def output(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def give(self, root: str, requests: Sequence[Request]) -> None:
        """Hand over a chunk; a worker that is already dead is noticed when its output is read."""
        assert self.process.stdin is not None
        self.pending.extend(requests)
        self.deadline = time.monotonic() + _FILE_SECONDS
        line = json.dumps([root, [[request.path, request.layers] for request in requests]]).encode() + b"\n"
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError:
            return

    def read(self) -> list[Measured]:
        """Return the results that have arrived, or raise _WorkerDied."""
        data = os.read(self.output, 1 << 18)
        if not data:
            raise _WorkerDied(_end_of(self.process.wait()))
        self.buffer += data
        self.deadline = time.monotonic() + _FILE_SECONDS
        if not self.is_ready:
            if len(self.buffer) < len(READY):
                return []
            if not self.buffer.startswith(READY):
                raise _WorkerDied("it does not speak the protocol")
            del self.buffer[: len(READY)]
            self.is_ready = True
        results = []
        while self.pending and (measured := _take_measured(self.buffer)) is not None:
            self.pending.popleft()
            results.append(measured)
        return results

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue


def _measure_apart(root: str, requests: Sequence[Request], sizes: Mapping[str, int], count: int) -> Generator[Measured]:
    chunks = _chunks(requests, sizes, count)
    selector = selectors.DefaultSelector()
    workers: set[_Worker] = set()

    def start() -> None:
        worker = _Worker.start()
        workers.add(worker)
        selector.register(worker.output, selectors.EVENT_READ, worker)
        worker.give(root, chunks.popleft())

    def end(worker: _Worker) -> None:
        selector.unregister(worker.output)
        workers.discard(worker)
        worker.stop()

    try:
        while chunks or workers:
            while chunks and len(workers) < count:
                try:
                    start()
                except OSError:  # no process to be had
                    yield from _measure_here(root, chunks.popleft())
            ready = {key.data for key, _ in selector.select(_POLL_SECONDS)}
            for worker in list(workers):
                try:
                    if worker in ready:
                        yield from worker.read()
                    elif time.monotonic() > worker.deadline:
                        raise _WorkerDied(f"no answer within {_FILE_SECONDS:.0f} seconds")
                except _WorkerDied as death:
                    lost = list(worker.pending)
                    end(worker)
                    if not worker.is_ready:
                        yield from _measure_here(root, lost)  # workers cannot be had here at all
                        continue
                    if lost:
                        yield _given_up(root, lost[0].path, str(death))
                    if lost[1:]:
                        chunks.appendleft(lost[1:])
                    continue
                if not worker.pending:
                    if chunks:
                        worker.give(root, chunks.popleft())
                    else:
                        end(worker)
    finally:
        for worker in list(workers):
            end(worker)
        selector.close()


def _chunks(requests: Sequence[Request], sizes: Mapping[str, int], workers: int) -> deque[list[Request]]:
    """Return the requests in runs of about equal weight, several for each worker."""
    total = sum(sizes.get(request.path, 0) for request in requests)
    bound = max(1, min(_CHUNK_BYTES, total // (8 * workers)))
    chunks: deque[list[Request]] = deque()
    weight = 0
    for request in requests:
        if not chunks or weight >= bound or len(chunks[-1]) >= _CHUNK_FILES:
            chunks.append([])
            weight = 0
        chunks[-1].append(request)
        weight += sizes.get(request.path, 0)
    return chunks


def _take_measured(buffer: bytearray) -> Measured | None:
    end = buffer.find(b"\n")
    if end < 0:
        return None
    path, digest, why, detail, layers = json.loads(bytes(buffer[:end]))
    start = end + 1
    if len(buffer) < start + sum(length for _, length in layers):
        return None
    values = {}
    for name, length in layers:
        values[name] = bytes(buffer[start : start + length])
        start += length
    del buffer[:start]
    return Measured(path, bytes.fromhex(digest), values, why, detail)


def _given_up(root: str, path: str, how: str) -> Measured:
    data = read_file(root, path)
    if isinstance(data, SkippedFile):
        return Measured(path, b"", {}, data.why, data.detail)
    return Measured(path, content_hash(data), {}, "parse_limit", f"the process that measured it was lost: {how}")


def _end_of(code: int) -> str:
    import signal

    if code >= 0:
        return f"it ended with exit code {code}"
    name = signal.Signals(-code).name if -code in signal.Signals._value2member_map_ else str(-code)
    return "it took too much processor time" if name == "SIGPROF" else f"it was ended by {name}"


def _import_path() -> list[str]:
    """Return where this process imports from, without the current directory: the tree must not be imported."""
    package = os.fspath(Path(__file__).resolve().parent.parent.parent)
    paths = [path for path in sys.path if path]
    return paths if package in paths else [*paths, package]
