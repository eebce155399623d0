"""What a specifier means in a file, before it is an answer; the rungs are those of `imports.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ce.extract.resolve.answer import Answer, external, resolved, unresolved
from ce.extract.resolve.ecmascript.files import Hit

__all__ = ["ELSEWHERE", "EVIDENCE", "OUTSIDE", "PACKAGE", "RELATIVE", "REWRITTEN", "SETTINGS", "Found", "answers_of", "only_one"]

RELATIVE, REWRITTEN, SETTINGS, PACKAGE, OUTSIDE = 1, 2, 3, 4, 5
EVIDENCE = OUTSIDE


@dataclass(frozen=True, slots=True)
class Found:
    """A file with the rung that found it, or why there is none and what it could mean. A hit without a path is one for types alone."""

    rung: int = 0
    hit: Hit | None = None
    is_external: bool = False
    reason: str = ""
    candidates: tuple[str, ...] = ()
    could: tuple[str, ...] = ()


ELSEWHERE = Found(OUTSIDE, is_external=True)


def only_one(hits: Mapping[str, Hit]) -> Found | None:
    """Return the only hit of rung 3, that there are several, or None."""
    if len(hits) == 1:
        return Found(SETTINGS, next(iter(hits.values())))
    candidates = tuple(sorted(hits))
    return Found(reason="ambiguous_paths", candidates=candidates, could=candidates) if hits else None


def answers_of(found: Found, names: tuple[str, ...], *, types_only: bool = False) -> Iterator[Answer]:
    """Yield a finding as the frame takes it: the file, its types, or why there is none. A reference for types alone reaches only these."""
    if found.is_external:
        yield external(OUTSIDE)
        return
    if found.hit is not None:
        has_code = bool(found.hit.path) and not (types_only and found.hit.types)
        if has_code:
            yield resolved(found.hit.path, found.rung, names=names)
        if found.hit.types:
            yield resolved(found.hit.types, found.rung, mode="type", names=() if has_code else names)
    if found.reason:
        yield unresolved(found.reason, candidates=found.candidates, could=found.could)
