"""Who owns a file according to CODEOWNERS: the last line that matches decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from ce.source.globs import wildcard_regex
from ce.source.text import read_file
from ce.source.tree import SkippedFile

__all__ = ["PLACES", "Owners", "owners"]

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that exists counts

_LARGEST = 3 << 20  # GitHub ignores a larger file


@dataclass(frozen=True, slots=True)
class Owners:
    """The rows of `owner` with the line that decided, sorted, and remarks on lines that were not understood."""

    rows: tuple[tuple[str, str, int], ...] = ()
    source: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    matches: Callable[[str], object]
    owners: tuple[str, ...]
    number: int


def owners(root: Path, files: Collection[str]) -> Owners:
    """Return the owners of every file; a tree without CODEOWNERS has none."""
    for place in PLACES:
        data = read_file(root, place, limit=_LARGEST)
        if not isinstance(data, SkippedFile):
            return _owners_by(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape"), place, files)
        if data.why != "vanished":
            return Owners(source=place, problems=(f"{place}: not read, {data.detail}",))
    return Owners()


def _owners_by(text: str, source: str, files: Collection[str]) -> Owners:
    lines: list[_Line] = []
    problems: list[str] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        words = _words(line)
        if not words:
            continue
        regex = _regex_of(words[0])
        if regex is None:
            problems.append(f"{source}:{number}: `{words[0]}` is no pattern of CODEOWNERS")
            continue
        lines.append(_Line(re.compile(regex + r"\Z", re.DOTALL).match, tuple(words[1:]), number))
    lines.reverse()
    rows = []
    for path in files:
        decisive = next((line for line in lines if line.matches(path)), None)
        if decisive is not None:
            rows += [(path, owner, decisive.number) for owner in dict.fromkeys(decisive.owners)]
    return Owners(tuple(sorted(rows)), source, tuple(problems))


def _words(line: str) -> list[str]:
    """Return the pattern and the owners of a line; `\\ ` belongs to a word and ` #` starts a comment."""
    words = re.findall(r"(?:\\.|[^\s\\])+", line)
    comment = next((index for index, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:comment]


def _regex_of(pattern: str) -> str | None:
    """Return the expression of a pattern: a directory stands for all below it, but `docs/*` only for the files right there."""
    if pattern.startswith("!") or "[" in pattern:
        return None
    body = pattern.removesuffix("/").removeprefix("/")
    source = wildcard_regex(body) if body else ""
    if source is None:
        return None
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:[^/]*/)*"
    if not body:
        below = ".*"
    elif pattern.endswith("/"):
        below = "/.*"
    elif body.endswith("/*"):
        below = ""
    else:
        below = "(?:/.*)?"
    return anywhere + source + below
