"""Measuring one file, and the process that does so for a stream of files.

The process is the safety net: a parser that crashes, hangs or takes all memory costs the one file it was at. It speaks lines of
JSON and raw bytes on its standard streams, and ends when its input does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import BinaryIO

from ce.source.text import read_file
from ce.source.tree import SkippedFile
from ce.store.values import Measured, content_hash

__all__ = ["READY", "main", "measure_file", "measure_files", "write_measured"]

READY = b"ready\n"
_FILE_CPU_SECONDS = 20.0
_AHEAD = 16  # files that are read together before each is measured
_MEMORY_BYTES = 4 << 30


def measure_files(root: str, requests: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Measured]:
    """Yield the layers of each file, given by path and layers, in order."""
    pending = iter(requests)
    while part := list(islice(pending, _AHEAD)):
        contents = [read_file(root, path) for path, _ in part]
        for (path, layers), data, ahead in zip(part, contents, _read_ahead(part, contents), strict=True):
            yield measure_file(root, path, layers, data, ahead)


def measure_file(
    root: str, path: str, layers: Sequence[str], data: bytes | SkippedFile | None = None, ahead: Mapping[str, bytes] | None = None
) -> Measured:
    """Return the layers of one file; a fault of the extraction is a reason to skip the file, never an exception.

    `data` are its bytes where they have been read, `ahead` the layers that have been measured.
    """
    data = read_file(root, path) if data is None else data
    if isinstance(data, SkippedFile):
        return Measured(path, b"", {}, data.why, data.detail)
    from ce.extract.extractor import extract

    digest = content_hash(data)
    try:
        return Measured(path, digest, extract(path, data, layers, ahead))
    except RecursionError:
        return Measured(path, digest, {}, "parse_limit", "nested too deeply")
    except MemoryError:
        return Measured(path, digest, {}, "parse_limit", "not enough memory")
    except Exception as error:  # whatever a hostile file provokes, the other files must not suffer
        return Measured(path, digest, {}, "parse_limit", f"the extraction failed: {type(error).__name__}: {error}")


def _read_ahead(part: Sequence[tuple[str, Sequence[str]]], contents: Sequence[bytes | SkippedFile]) -> Sequence[Mapping[str, bytes] | None]:
    from ce.extract.extractor import read_ahead

    files = [(path, data if isinstance(data, bytes) else b"", layers) for (path, layers), data in zip(part, contents, strict=True)]
    try:
        return read_ahead(files)
    except Exception:  # whichever file it was, each is measured by itself then
        return [None] * len(part)


def write_measured(stream: BinaryIO, measured: Measured) -> None:
    """Write one result: a line that says what follows, then the values of the layers one after the other."""
    layers = sorted(measured.layers.items())
    header = [measured.path, measured.digest.hex(), measured.why, measured.detail, [[name, len(value)] for name, value in layers]]
    stream.write(json.dumps(header).encode() + b"\n" + b"".join(value for _, value in layers))
    stream.flush()


def main() -> None:
    """Measure what standard input asks for, one JSON line `[root, [path, layers]…]` at a time."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    _bound_memory()
    import ce.extract.extractor  # noqa: F401  # so that being ready includes it

    answers = sys.stdout.buffer
    answers.write(READY)
    answers.flush()
    for line in sys.stdin.buffer:
        root, requests = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, _FILE_CPU_SECONDS)  # nobody handles the signal: it ends the process
        for measured in measure_files(root, requests):
            write_measured(answers, measured)
            signal.setitimer(signal.ITIMER_PROF, _FILE_CPU_SECONDS)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _bound_memory() -> None:
    import contextlib
    import resource

    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
