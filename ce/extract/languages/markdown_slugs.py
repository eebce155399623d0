"""The anchors that a hosting site gives to headings: the rendered text, lower case, blanks as hyphens, numbered when they repeat."""

from __future__ import annotations

import html
import re

__all__ = ["Slugs", "rendered"]

_CODE = re.compile(r"(`+)(.+?)\1")
_IMAGE = re.compile(r"!\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_STARS = re.compile(r"(?<!\\)\*+")
_UNDERSCORES = re.compile(r"(?<![\w\\])(_{1,3})(?=\S)(.*?)(?<=\S)\1(?!\w)")
_STRIKE = re.compile(r"~~(.*?)~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_DROPPED = re.compile(r"[^\w\- ]")
_MAX_TEXT = 1_000
_HELD = "\ue000"  # stands for a code span or an escaped character while markers are removed


class Slugs:
    """The slugs of one page, in order."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def slug(self, heading: str) -> str:
        """Return the anchor of the next heading."""
        base = _DROPPED.sub("", rendered(heading).strip().lower()).replace(" ", "-")
        slug, number = base, self._taken.get(base, 0)
        while slug in self._taken:
            number += 1
            slug = f"{base}-{number}"
        self._taken[base] = number
        self._taken.setdefault(slug, 0)
        return slug


def rendered(heading: str) -> str:
    """Return the text of a heading as a reader sees it."""
    held: list[str] = []

    def hold(text: str) -> str:
        held.append(text)
        return _HELD

    text = heading[:_MAX_TEXT].replace(_HELD, "")
    text = _CODE.sub(lambda match: hold(match.group(2).strip()), text)
    text = _ESCAPE.sub(lambda match: hold(match.group(1)), text)
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    text = _STRIKE.sub(r"\1", _UNDERSCORES.sub(r"\2", _STARS.sub("", text)))
    pieces = html.unescape(text).split(_HELD)
    return "".join(piece + kept for piece, kept in zip(pieces, [*held, ""], strict=False))
