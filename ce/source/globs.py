"""One glob dialect for every list of patterns: that of gitignore, over root-relative paths with `/`.

`*` and `?` stay inside a segment, `**` spans segments, `[a-z]`, `[!a]` and `[[:alpha:]]` are sets. A glob without a `/` is
compared with the last segment at any depth, one with a `/` with the whole path; `dir/` stands for `dir/**`.

A translated pattern is matched without exponential backtracking: what follows a star is found at its first place and kept
(an atomic group), which is enough because the next star takes whatever is left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from ce.diagnostics import CeError

__all__ = ["expand", "fault_of", "glob_tokens", "matcher", "pattern_tokens", "wildcard_regex"]

_IN_SEGMENT = "[^/]*"
_IN_SEGMENT_LAZY = "[^/]*?"
_SEGMENTS = "(?:[^/]*/)*?"
_ANYTHING = ".*?"
_NEVER = "(?!)"

# The POSIX classes over ASCII, as git reads them whatever the locale is.
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r" \t\n\v\f\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def expand(glob: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that the glob matches, in their order; raise `CeError` when it is not a glob."""
    matches = matcher((glob,))
    return [path for path in paths if matches(path)]


@lru_cache(maxsize=1024)
def matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a function that says whether a path matches one of the globs; raise `CeError` naming the first that is not a glob."""
    sources = []
    for glob in globs:
        fault = fault_of(glob)
        if fault is not None:
            raise CeError.of("CE506", f"`{glob}` is not a glob: {fault[0]}", notes=fault[1:])
        sources.append(_path_regex(glob))
    if not sources:
        return lambda path: False
    match = re.compile(f"(?:{'|'.join(sources)})\\Z", re.DOTALL).match
    return lambda path: match(path) is not None


def fault_of(glob: str) -> tuple[str, ...] | None:
    """Return what makes the text no glob, followed by notes, or None when it is one."""
    for starts, sentence, note in _REFUSED_STARTS:
        if glob.startswith(starts):
            return (sentence, note)
    if not glob.strip("/"):
        return ("it names nothing", "write `**` for every file")
    if "\\" in glob:
        return ("it contains a backslash", "separate directories with `/`; put a special character into brackets, as in `[*]`")
    if "\n" in glob or "\0" in glob:
        return ("it contains a line break or a NUL",)
    if re.search(r"\{[^{}/]*,[^{}]*\}", glob):
        return ("braces do not list alternatives here", "write one glob for each alternative, or `[{]` for the character itself")
    if any(part in ("", ".", "..") for part in glob.strip("/").split("/")):
        return ("a segment of it is empty, `.` or `..`", "paths are relative to the root, as in `src/**`")
    if wildcard_regex(glob) is None:
        return ("a set in it is not closed or names an unknown class", "write `[[]` for the character itself")
    return None


_REFUSED_STARTS = (
    ("!", "it starts with `!`", "negation is not available here; put a leading `!` into brackets, as in `[!]name`"),
    ("#", "it starts with `#`", "write `[#]` for the character itself"),
)


def glob_tokens(glob: str) -> list[str]:
    """Return the parts of a glob over whole paths, each a regular expression of one character or of a run of them."""
    body = glob + "**" if glob.endswith("/") else glob
    return pattern_tokens(body.removeprefix("/"), anywhere="/" not in body)


def pattern_tokens(pattern: str, *, anywhere: bool) -> list[str]:
    """Return the parts of a pattern; one that stands `anywhere` may have any directories before it."""
    tokens = _tokens(pattern, 0)
    if tokens is None:
        return [_NEVER]
    return [_SEGMENTS, *tokens] if anywhere else tokens


def _path_regex(glob: str) -> str:
    body = glob + "**" if glob.endswith("/") else glob
    source = wildcard_regex(body.removeprefix("/"))
    assert source is not None, "a glob without a fault has a translation"
    return source if "/" in body else f"(?:[^/]*/)*{source}"


def wildcard_regex(pattern: str, *, leading: int = 0) -> str | None:
    """Return the regular expression of a gitignore pattern without its anchors, None when no name can match it.

    A `**` at the offset `leading` counts as standing at the start of a segment, as one at offset 0 does.
    """
    tokens = _tokens(pattern, leading)
    if tokens is None:
        return None
    spans: list[tuple[str, list[str]]] = [("", [])]
    for token in tokens:
        if token in (_SEGMENTS, _ANYTHING):
            spans.append((token, []))
        else:
            spans[-1][1].append(token)
    parts = [f"(?>{before}{_span_regex(span, closed=True)})" if before else _span_regex(span, closed=True) for before, span in spans[:-1]]
    before, span = spans[-1]
    return "".join(parts) + before + _span_regex(span, closed=False)


def _span_regex(tokens: list[str], *, closed: bool) -> str:
    """Return the expression of the tokens between two `**`; the last star of an open span may give back what it took."""
    chunks: list[list[str]] = [[]]
    for token in tokens:
        if token == _IN_SEGMENT:
            chunks.append([])
        else:
            chunks[-1].append(token)
    texts = ["".join(chunk) for chunk in chunks]
    parts = [texts[0]]
    parts += [f"(?>{_IN_SEGMENT_LAZY}{text})" for text in texts[1:-1]]
    if len(texts) > 1:
        parts.append(f"(?>{_IN_SEGMENT_LAZY}{texts[-1]})" if closed else _IN_SEGMENT + texts[-1])
    return "".join(parts)


def _tokens(pattern: str, leading: int) -> list[str] | None:
    tokens: list[str] = []
    at, end = 0, len(pattern)
    while at < end:
        char = pattern[at]
        if char == "*":
            after = at
            while after < end and pattern[after] == "*":
                after += 1
            token, at = _stars(pattern, at, after, leading)
            tokens.append(token)
        elif char == "?":
            tokens.append("[^/]")
            at += 1
        elif char == "[":
            found = _set(pattern, at + 1)
            if found is None:
                return None
            token, at = found
            tokens.append(token)
        elif char == "\\":
            if at + 1 == end:
                return None
            tokens.append(re.escape(pattern[at + 1]))
            at += 2
        else:
            tokens.append(re.escape(char))
            at += 1
    return tokens


def _stars(pattern: str, at: int, after: int, leading: int) -> tuple[str, int]:
    """Return the token of the stars in `pattern[at:after]` and where the pattern goes on."""
    opens = at in (0, leading) or pattern[at - 1] == "/"
    if after - at == 1 or not opens:
        return _IN_SEGMENT, after
    if after == len(pattern) or pattern.startswith("\\/", after):
        return _ANYTHING, after
    if pattern[after] == "/":
        return _SEGMENTS, after + 1
    return _IN_SEGMENT, after


def _set(pattern: str, at: int) -> tuple[str, int] | None:
    """Return the character set whose content starts at `at` and the offset behind its `]`, None when it is broken."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    items: list[str] = []
    previous = ""
    first = True
    while True:
        char = pattern[at : at + 1]
        if not char:
            return None
        if char == "]" and not first:
            break
        first = False
        if char == "\\":
            at += 1
            char = pattern[at : at + 1]
            if not char:
                return None
        elif char == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1
            if pattern[at] == "\\":
                at += 1
            last = pattern[at : at + 1]
            if not last:
                return None
            if previous <= last:
                items.append(f"{re.escape(previous)}-{re.escape(last)}")
            previous = ""
            at += 1
            continue
        elif char == "[" and pattern[at + 1 : at + 2] == ":":
            close = pattern.find("]", at + 2)
            if close < 0:
                return None
            if close > at + 2 and pattern[close - 1] == ":":
                members = _CLASSES.get(pattern[at + 2 : close - 1])
                if members is None:
                    return None
                items.append(members)
                previous = ""
                at = close + 1
                continue
        items.append(re.escape(char))
        previous = char
        at += 1
    if negated:
        return f"[^/{''.join(items)}]", at + 1
    return (f"(?!/)[{''.join(items)}]" if items else _NEVER), at + 1
