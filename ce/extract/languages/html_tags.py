"""HTML as a stream of tags, as browsers cut it: comments, raw text and quoted attribute values hide what looks like a tag.

An expression of a template engine inside a value hides quotation marks too: the engine reads it before any browser.
One pass from left to right in time linear in the text; what has no end runs to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["CLOSE", "COMMENT", "OPEN", "TEXT", "VOID", "Token", "tokens", "unescaped"]

OPEN, CLOSE, TEXT, COMMENT = range(4)

VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip

# Elements whose content holds no tags.
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "noembed"})

_MARKUP = re.compile(r"<(?:!--|[!?]|(/?)([A-Za-z][^\s/>]*))")
_TEMPLATE = r"\{\{.{0,200}?\}\}|\{%.{0,200}?%\}|<%.{0,200}?%>"
_ATTRIBUTE = re.compile(
    rf"""[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"((?>{_TEMPLATE}|[^"])*+)"|'((?>{_TEMPLATE}|[^'])*+)'|((?>{_TEMPLATE}|[^\s>])++)))?)"""
)
_CHARACTER = re.compile(r"&(?:amp;|#(?:(\d{1,7})|[xX]([0-9A-Fa-f]{1,6}));)")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece: `start` and `end` are offsets; tags have a `name` in lower case, start tags `attributes`, names in lower case."""

    kind: int
    start: int
    end: int
    name: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


def tokens(text: str) -> Iterator[Token]:
    """Yield the pieces of a page in order. The content of a raw element is one text."""
    at = 0
    while (markup := _MARKUP.search(text, at)) is not None:
        start = markup.start()
        if start > at:
            yield Token(TEXT, at, start)
        name = (markup.group(2) or "").lower()
        if not name:
            mark, is_comment = ("-->", True) if markup.group() == "<!--" else (">", False)
            close = text.find(mark, markup.end())
            at = len(text) if close < 0 else close + len(mark)
            if is_comment:
                yield Token(COMMENT, start, at)
            continue
        attributes, at = _attributes(text, markup.end())
        if markup.group(1):
            yield Token(CLOSE, start, at, name)
            continue
        yield Token(OPEN, start, at, name, attributes)
        if name in _RAW:
            close = _end_of_raw(text, at, name)
            if close > at:
                yield Token(TEXT, at, close)
            at = close
    if at < len(text):
        yield Token(TEXT, at, len(text))


def unescaped(value: str) -> str:
    """Return an attribute value with `&amp;` and numeric character escapes undone; names of other characters stay as they are."""
    return _CHARACTER.sub(_character, value) if "&" in value else value


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal = match.groups()
    if decimal is None and hexadecimal is None:
        return "&"
    number = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _attributes(text: str, at: int) -> tuple[dict[str, str], int]:
    """Return the attributes that stand from `at` on, the first of each name, and the offset behind the tag."""
    found: dict[str, str] = {}
    while (part := _ATTRIBUTE.match(text, at)) is not None:
        at = part.end()
        closing, name, one, two, three = part.groups()
        if closing:
            return found, at
        found.setdefault(name.lower(), one or two or three or "")
    return found, len(text)


def _end_of_raw(text: str, at: int, name: str) -> int:
    closing = _CLOSING[name].search(text, at)
    return len(text) if closing is None else closing.start()


_CLOSING = {name: re.compile(rf"</{name}(?=[\s>/])", re.IGNORECASE) for name in _RAW}
