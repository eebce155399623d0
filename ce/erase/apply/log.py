"""The audit log `.ce/erase-log.ndjson`: one line a row, appended as the row is carried out or taken back, never rewritten."""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ce.erase.model import CLASSES, PlanRow

__all__ = ["LOG_NAME", "SCHEMA", "LogRow", "Trail", "append", "encode_row", "read_trail"]

LOG_NAME = "erase-log.ndjson"
SCHEMA = "ce.erase-log/1"
_FIELDS = ("ts", "class", "path", "span", "provenance", "hash", "plan")
_LINE_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class LogRow:
    """One line of the log. `ts` is UTC to the second; `provenance` begins with `rolled back: ` on a line that takes one back."""

    ts: str
    kind: str
    path: str
    span: tuple[int, int] | None
    provenance: str
    hash: str
    plan: str

    def to_dict(self) -> dict[str, object]:
        """Return the line's seven fields."""
        span = None if self.span is None else list(self.span)
        return dict(zip(_FIELDS, (self.ts, self.kind, self.path, span, self.provenance, self.hash, self.plan), strict=True))


@dataclass(frozen=True, slots=True)
class Trail:
    """The log as read: whether it exists, its rows in order, and (line number, why) of what is unreadable."""

    present: bool
    rows: tuple[LogRow, ...]
    unreadable: tuple[tuple[int, str], ...]

    def to_dict(self) -> dict[str, object]:
        """Return the document `ce.erase-log/1`."""
        by_class: dict[str, int] = {}
        for row in self.rows:
            by_class[row.kind] = by_class.get(row.kind, 0) + 1
        return {
            "schema": SCHEMA,
            "present": self.present,
            "rows": [row.to_dict() for row in self.rows],
            "unreadable": [{"line": line, "why": why} for line, why in self.unreadable],
            "counts": {"rows": len(self.rows), "unreadable": len(self.unreadable), "by_class": dict(sorted(by_class.items()))},
        }


def encode_row(row: PlanRow, plan: str, *, taken_back: str = "") -> bytes:
    """Return the line that records a row; the clock is read here and nowhere else in the eraser."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    provenance = f"rolled back: {taken_back}: {row.provenance}" if taken_back else row.provenance
    logged = LogRow(stamp, row.kind, row.path, row.span, provenance, row.hash, plan)
    return json.dumps(logged.to_dict(), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def append(directory: int, line: bytes) -> None:
    """Append one line durably to the log in an open directory. Raises OSError; a log that is no plain file is refused."""
    # Opening a pipe that nobody reads would wait for ever, in the middle of an apply.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(LOG_NAME, flags, 0o644, dir_fd=directory)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is no plain file", LOG_NAME)
        size = status.st_size
        if size and not _ends_with_newline(directory, size):
            # A crash may have cut the last line; it stays unreadable and must not take the next one with it.
            os.write(descriptor, b"\n")
        if os.write(descriptor, line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), LOG_NAME)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_trail(path: Path) -> Trail:
    """Return the log of a file; a missing file is an absent trail, an unreadable line is named by its number."""
    try:
        data = _read(path)
    except FileNotFoundError:
        return Trail(False, (), ())
    except OSError as error:
        return Trail(True, (), ((0, f"cannot be read: {error.strerror or error}"),))
    rows: list[LogRow] = []
    unreadable: list[tuple[int, str]] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        parsed = _parse(line)
        if isinstance(parsed, str):
            unreadable.append((number, parsed))
        else:
            rows.append(parsed)
    return Trail(True, tuple(rows), tuple(unreadable))


def _read(path: Path) -> bytes:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        return stream.read()


def _ends_with_newline(directory: int, size: int) -> bool:
    descriptor = os.open(LOG_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        return os.pread(descriptor, 1, size - 1) == b"\n"
    finally:
        os.close(descriptor)


def _parse(line: bytes) -> LogRow | str:
    if len(line) > _LINE_LIMIT:
        return "the line is too long"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(value, dict):
        return "not a mapping"
    if set(value) != set(_FIELDS):
        odd = sorted(set(value) ^ set(_FIELDS))
        return f"fields missing or unknown: {', '.join(map(str, odd))}"
    span = value["span"]
    texts = [value[name] for name in _FIELDS if name != "span"]
    if not all(isinstance(text, str) for text in texts) or value["class"] not in CLASSES:
        return "a field has a value of another kind"
    if span is not None and not (isinstance(span, list) and len(span) == 2 and all(type(end) is int and end > 0 for end in span)):
        return "the span is no pair of lines"
    where = None if span is None else (span[0], span[1])
    return LogRow(value["ts"], value["class"], value["path"], where, value["provenance"], value["hash"], value["plan"])
