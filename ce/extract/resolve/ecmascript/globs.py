"""The globs of package managers, compilers and bundlers: the dialect of `ce.source.globs` with braces, and `!(…)` read as anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from ce.extract.resolve.context import join, normal_path
from ce.source.globs import wildcard_regex

__all__ = ["glob_matcher", "is_glob"]

_MAX_EXPANSIONS = 64
_MAX_GLOB = 1_000
_EXTENDED = re.compile(r"[@+?*!]\(([^()]*)\)")
_BRACES = re.compile(r"\{([^{}]*)\}")


def is_glob(text: str) -> bool:
    """Return whether the text has a wildcard."""
    return any(character in text for character in "*?[{") or _EXTENDED.search(text) is not None


@lru_cache(maxsize=2048)
def glob_matcher(globs: tuple[str, ...], directory: str) -> Callable[[str], bool]:
    """Return a function that says whether a root-relative path fits the globs of a directory.

    A later glob decides over an earlier one, and one with `!` takes away. A glob that is none fits nothing.
    """
    lines: list[tuple[bool, Callable[[str], object]]] = []
    for glob in globs:
        taken = not glob.startswith("!")
        sources = list(_regexes(glob.lstrip("!"), directory))
        if sources:
            lines.append((taken, re.compile(f"(?:{'|'.join(sources)})\\Z", re.DOTALL).match))

    def fits(path: str) -> bool:
        fitting = False
        for taken, match in lines:
            if fitting != taken and match(path):
                fitting = taken
        return fitting

    return fits


def _regexes(glob: str, directory: str) -> Iterator[str]:
    if len(glob) > _MAX_GLOB:
        return
    for plain in _expanded(glob):
        whole = normal_path(join(directory, plain))
        regex = wildcard_regex(whole) if whole else None
        if regex is not None:
            yield regex


def _expanded(glob: str) -> Iterable[str]:
    """Return the globs without braces that the glob stands for."""
    pending = [_EXTENDED.sub(_extended, glob)]
    done: list[str] = []
    while pending and len(pending) + len(done) <= _MAX_EXPANSIONS:
        text = pending.pop()
        match = _BRACES.search(text)
        if match is None:
            done.append(text)
        else:
            pending += [text[: match.start()] + choice + text[match.end() :] for choice in _choices(match.group(1))]
    return done


def _extended(match: re.Match[str]) -> str:
    return "*" if match.group().startswith(("!", "+", "*")) else "{" + match.group(1).replace("|", ",") + "}"


def _choices(inside: str) -> list[str]:
    range_ = re.fullmatch(r"(\d{1,3})\.\.(\d{1,3})", inside)
    if range_ is not None:
        first, last = int(range_.group(1)), int(range_.group(2))
        return [str(number) for number in range(first, last + 1)][:_MAX_EXPANSIONS]
    return inside.split(",")
