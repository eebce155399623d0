"""What longer texts spell: code that is run later, settings, templates, names that are put together. Nothing tells what becomes of them.

So what they spell is no use of anything, and yet nobody may be certain that it is dead. A dotted name that stands in quotes in a text is
noted whole, as the constant of that text would be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.extract.names.python_state import State

__all__ = ["mention_doctests", "mention_texts"]

_MAX_TEXT = 20_000  # bytes of one text that are looked at
_MAX_WORDS = 200  # of one text
_MAX_NAMESAKES = 100
_WORD = re.compile(rb"\\[nrt]|([^\W\d]\w*)")
_BEHIND_PLACE = re.compile(rb"(?:%s|%\(\w+\)s|\})\.([^\W\d]\w*)(?![\w(.])")  # `"%s.Name"`, `f"{module}.Name"`
_QUOTED = re.compile(rb"""(["'])([^\W\d]\w*(?:\.[^\W\d]\w*)+(?::[^\W\d]\w*)?)\1""")
_TEMPLATE = re.compile(rb"\{\{(.{1,300}?)\}\}|\{%(.{1,300}?)%\}", re.DOTALL)
_IMPORTS = re.compile(rb"""(?:["'\n;]|\\n)\s*(?:from\s+[\w.{}]+\s+import|import)\s+[\w{]""")
_DOCTEST = re.compile(rb"^[ \t]*(?:>>>|\.\.\.)[ \t]([^\n]*)", re.MULTILINE)


def mention_texts(state: State, start: int, end: int) -> None:
    """Note what the string literal of this extent spells beside a name of its own."""
    text = state.text
    end = min(end, start + _MAX_TEXT)
    if text.find(b".", start, end) >= 0:
        for match in _BEHIND_PLACE.finditer(text, start, end):
            _note(state, match.group(1), match.start(1))
        for match in _QUOTED.finditer(text, start + 1, end - 1):
            _note(state, match.group(2), match.start(2))
    if text.find(b"{{", start, end) >= 0 or text.find(b"{%", start, end) >= 0:
        for match in _TEMPLATE.finditer(text, start, end):
            _note_words(state, *match.span())
    if text.find(b"import ", start, end) >= 0 and _IMPORTS.search(text, start, end):
        first = min(at for quote in (b'"', b"'") if (at := text.find(quote, start, end)) >= 0)  # behind the letters of the kind
        _note_words(state, first, end)


def mention_doctests(state: State) -> None:
    """Note the names in examples of documentation, `>>> area(2)`, but not those of the definitions that they stand in."""
    extents: dict[bytes, list[tuple[int, int]]] = {}
    for draft in state.drafts:
        extents.setdefault(draft.name.encode(), []).append((draft.start, draft.end))
    for match in _DOCTEST.finditer(state.text):
        at = match.start()
        for word in _WORD.findall(match.group(1))[:_MAX_WORDS]:
            if word and not any(start <= at < end for start, end in extents.get(word, ())[:_MAX_NAMESAKES]):
                _note(state, word, at)


def _note_words(state: State, start: int, end: int) -> None:
    for number, match in enumerate(_WORD.finditer(state.text, start, end)):
        if number == _MAX_WORDS:
            return
        if match.group(1):
            _note(state, match.group(1), match.start())


def _note(state: State, word: bytes, start: int) -> None:
    state.mentions.setdefault((state.owner, word.decode("utf-8", "replace")), start)
