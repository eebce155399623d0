"""The plan as a unified diff: every hunk carries why it is there and the hash of the file it was planned on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from itertools import groupby

from ce.erase.apply import spliced
from ce.erase.model import PlanRow

__all__ = ["plan_diff"]

_CONTEXT = 3


def plan_diff(rows: Sequence[PlanRow], read: Callable[[str], bytes | None]) -> Iterator[str]:
    """Yield the lines of the diff that the eraseable rows make, by path; bytes that are no UTF-8 are shown as surrogate escapes."""
    planned = sorted((row for row in rows if row.eraseable), key=lambda row: (row.path, row.span or (0, 0)))
    for path, group in groupby(planned, key=lambda row: row.path):
        own = list(group)
        for row in own:
            where = "whole file" if row.span is None else f"lines {row.span[0]}-{row.span[1]}"
            yield f"# {row.kind} {where}: {row.provenance}"
        yield f"# blake2b-256 {own[0].hash}"
        data = read(path) or b""
        whole = any(row.span is None for row in own)
        left = b"" if whole else spliced(data, [row.span for row in own if row.span is not None])
        yield from _diff(path, data, left, whole)


def _diff(path: str, before: bytes, after: bytes, whole: bool) -> Iterator[str]:
    old, new = (data.decode("utf-8", "surrogateescape").split("\n") for data in (before, after))
    target = "/dev/null" if whole else f"b/{path}"
    new = [] if whole else new
    for line in unified_diff(old, new, f"a/{path}", target, n=_CONTEXT, lineterm=""):
        yield line.rstrip("\r")
