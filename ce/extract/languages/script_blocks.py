"""Script elements of markup: where their code stands, their attributes, and the text with everything else blanked.

One pass from left to right: comments are skipped, an element without an end runs to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Element", "blanked", "elements", "language_of_scripts"]

_OPENING = re.compile(rb"<!--|<(script|style|template)(?=[\s>/])", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_NOT_LINE_END = re.compile(rb"[^\n]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its content from `start` to `end`; `at` is where its tag opens. Attribute names are in lower case."""

    name: str
    at: int
    start: int
    end: int
    attributes: Mapping[str, str]


def elements(text: bytes) -> list[Element]:
    """Return the script, style and template elements; of a template only the tag is looked at, so scripts inside it count too."""
    found = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        if opening.group() == b"<!--":
            close = text.find(b"-->", opening.end())
            if close < 0:
                break
            at = close + 3
            continue
        end = _end_of_tag(text, opening.end())
        if end < 0:
            break
        name = opening.group(1).lower()
        attributes = _attributes(text[opening.end() : end])
        if name == b"template" or text[end - 1 : end] == b"/":
            content = end + 1
        else:
            closing = _CLOSING[name].search(text, end + 1)
            content = len(text) if closing is None else closing.start()
        found.append(Element(name.decode(), opening.start(), end + 1, content, attributes))
        at = max(content, end + 1)
    return found


def _end_of_tag(text: bytes, at: int) -> int:
    """Return the offset of the `>` that ends a tag, past quoted values, or -1."""
    while True:
        part = _TAG_PART.search(text, at)
        if part is None:
            return -1
        if part.group() == b">":
            return part.start()
        close = text.find(part.group(), part.end())
        if close < 0:
            return -1
        at = close + 1


_TAG_PART = re.compile(rb"[>\"']")
_CLOSING = {name: re.compile(rb"</" + name + rb"(?=[\s>/])", re.IGNORECASE) for name in (b"script", b"style")}


def _attributes(tag: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(tag):
        value = match.group(2) or match.group(3) or match.group(4) or b""
        found.setdefault(match.group(1).decode("utf-8", "replace").lower(), value.decode("utf-8", "replace"))
    return found


def blanked(text: bytes, kept: Sequence[Element]) -> bytes:
    """Return the text with every byte outside of the kept contents as a space, line ends as they are."""
    parts = []
    at = 0
    for element in kept:
        parts.append(_NOT_LINE_END.sub(b" ", text[at : element.start]))
        parts.append(text[element.start : element.end])
        at = element.end
    parts.append(_NOT_LINE_END.sub(b" ", text[at:]))
    return b"".join(parts)


def language_of_scripts(scripts: Sequence[Element]) -> str:
    """Return the language that all scripts of a component are read as."""
    spoken = {script.attributes.get("lang", "").lower() for script in scripts}
    if "tsx" in spoken:
        return "tsx"
    return "typescript" if spoken & {"ts", "typescript"} else "javascript"
