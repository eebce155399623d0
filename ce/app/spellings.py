"""Every line on which a file spells the path, the name or the module of another: one pass over the text of each.

A name stands between other characters than those of paths. So the text is cut into runs of such characters, and each run, and each part
of it up to a dot, is looked up: the time does not depend on how many files there are to find.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ce.app.mentions import names_of, needles_of

__all__ = ["spellings"]

_RUN = re.compile(rb"[\w./-]+")
# Only what stands before the name is consumed, so that `'-m name` is found behind the quote too.
_BARE = re.compile(rb"(?:-m\s+|[\"'])(?=([\w./-]+)(?:[\"':\s]|$))", re.MULTILINE)


def spellings(root: Path, targets: Iterable[str], files: Iterable[str], limit: int) -> Iterator[tuple[str, str, int]]:
    """Yield (file, other, line) for every line on which the file spells the other; what cannot be read as text spells nothing."""
    from ce.source.text import decode, read_file

    names = _Names(targets)
    for path in files:
        data = read_file(root, path, limit=limit)
        if isinstance(data, bytes):
            text = decode(data).text_bytes
            ends = [match.start() for match in re.finditer(b"\n", text)]
            found = {(target, bisect_left(ends, place) + 1) for target, place in names.find(text) if target != path}
            yield from ((path, target, line) for target, line in sorted(found))


class _Names:
    """What means each target: whole runs in `alone`, runs that must be quoted or follow `-m` in `bare`, anything else in `odd`."""

    def __init__(self, targets: Iterable[str]) -> None:
        alone: dict[bytes, list[str]] = {}
        bare: dict[bytes, list[str]] = {}
        self.odd: list[tuple[str, re.Pattern[bytes]]] = []
        for target in targets:
            texts, module = names_of(target)
            spelled = [os.fsencode(text) for text in (*texts, module) if text]
            if not all(_RUN.fullmatch(text) for text in spelled):
                self.odd.append((target, re.compile(b"|".join(map(os.fsencode, needles_of(target))), re.MULTILINE)))
                continue
            for text in texts:
                alone.setdefault(os.fsencode(text), []).append(target)
            if module:
                bare.setdefault(os.fsencode(module), []).append(target)
        self.alone: Mapping[bytes, list[str]] = alone
        self.bare: Mapping[bytes, list[str]] = bare

    def find(self, text: bytes) -> Iterator[tuple[str, int]]:
        """Yield targets and the places where the text spells them."""
        alone, bare = self.alone, self.bare
        for match in _RUN.finditer(text):
            run = match.group()
            end = len(run)
            while end > 0:
                if run[:end] in alone:
                    yield from ((target, match.start()) for target in alone[run[:end]])
                end = run.rfind(b".", 0, end)
        for match in _BARE.finditer(text):
            yield from ((target, match.start()) for target in bare.get(match.group(1), ()))
        for target, expression in self.odd:
            yield from ((target, match.start()) for match in expression.finditer(text))
