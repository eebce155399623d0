"""Where the literals and the comments of a Python text stand, and what an f-string holds between its constant pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from ce.extract.leaves import Range

__all__ = ["IS_WORD", "PADDING", "Literals", "literals_of"]

PADDING = b"\n" + bytes(8)  # behind each text, so that nothing looks from one into the next

_STRING = (
    rb'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'''"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
    rb"|[\"']"
)
# Comments, strings without their prefix, and quotes that nothing closes.
_SCAN = re.compile(rb"#[^\n]*|" + _STRING, re.DOTALL)
_OPENING = np.array([chr(byte) in "#\"'" for byte in range(256)])
# For each byte whether it can be part of a name.
IS_WORD = bytes(byte >= 128 or chr(byte).isalnum() or byte == 95 for byte in range(256))
_PREFIXES = frozenset({b"r", b"u", b"b", b"f", b"br", b"rb", b"fr", b"rf"})
_DEEPEST = 3


@dataclass(slots=True)
class Literals:
    """What a text holds beside code, by offset.

    `starts` and `ends` are those of strings without code. Of strings with code, `pieces` are the literal tokens, `others` further tokens
    with their kinds, `hidden` what is no code.
    """

    text: bytes
    comments: list[Range] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    pieces: list[Range] = field(default_factory=list)
    others: list[tuple[int, str]] = field(default_factory=list)
    hidden: list[Range] = field(default_factory=list)


def literals_of(text: bytes, bounds: list[int]) -> tuple[Literals, list[int]]:
    """Return the literals of all texts, and the numbers of the texts whose literals are not certain; of these there are none."""
    found = Literals(text)
    left = []
    openings = _OPENING.take(np.frombuffer(text, np.uint8)).nonzero()[0]
    cuts = openings.searchsorted(bounds).tolist()
    for number, end in enumerate(bounds[1:]):
        own = Literals(text)
        if _scan(own, openings[cuts[number] : cuts[number + 1]].tolist(), end - len(PADDING)):
            found.starts += own.starts
            found.ends += own.ends
            found.comments += own.comments
            found.pieces += own.pieces
            found.others += own.others
            found.hidden += own.hidden
        else:
            left.append(number)
    return found, left


def _scan(found: Literals, openings: list[int], end: int) -> bool:
    """Note the literals and comments that begin at some of the places; False when one does not end before the end of the text."""
    text, starts, ends = found.text, found.starts, found.ends
    find = text.find
    reached = 0
    for start in openings:
        if start < reached:
            continue
        opening = text[start]
        if opening == 35:
            reached = find(b"\n", start)  # there is one behind each text
            found.comments.append((start, reached))
            continue
        # Most strings end at the next quote of their kind: no escape, no break, and not three quotes.
        reached = find(b'"' if opening == 34 else b"'", start + 1, end) + 1
        is_simple = reached - start > 2 and not IS_WORD[text[start - 1]]
        if is_simple and find(b"\\", start, reached) < 0 and find(b"\n", start, reached) < 0:
            starts.append(start)
            ends.append(reached)
            continue
        match = _SCAN.match(text, start, end)
        if match is None or not _read_string(found, start, match.end(), 0):
            return False
        reached = match.end()
    return True


def _read_string(found: Literals, start: int, end: int, level: int) -> bool:
    """Note the string whose quotes span the range, its prefix before it; False when it is not certain how to read it."""
    text = found.text
    if end - start == 1 or (end - start == 2 and text[start : start + 1] == text[end : end + 1]):
        return False  # not closed
    opened = start
    if start and IS_WORD[text[start - 1]]:
        opened = _prefix(text, start)
        if opened < 0:
            return False
        if text[opened] in b"fF" or (text[start - 1] in b"fF" and opened < start):
            quotes = 3 if end - start >= 6 and text[start : start + 3] in (b'"""', b"'''") else 1
            if text.find(b"{", start, end) >= 0 or text.find(b"}", start, end) >= 0:
                return level < _DEEPEST and _read_holes(found, opened, start + quotes, end - quotes, end, level)
    found.starts.append(opened)
    found.ends.append(end)
    return True


def _prefix(text: bytes, start: int) -> int:
    """Return where the prefix of the string begins, its start when the word before is none, -1 when that is not certain."""
    at = start - 1
    while at and IS_WORD[text[at - 1]] and start - at < 3:
        at -= 1
    word = text[at:start].lower()
    if word in _PREFIXES:
        return at
    return start if len(word) > 1 and word != b"ur" and word.isalpha() else -1


def _read_holes(found: Literals, opened: int, first: int, last: int, end: int, level: int) -> bool:
    """Note the pieces of an f-string from `first` to `last` and what its holes hold; `opened` and `end` are those of the whole."""
    text = found.text
    if text.find(b"\\N{", first, last) >= 0:
        return False
    piece = opened  # where the constant piece that is being read begins, -1 when a token of another kind came since
    shown = opened  # from where on nothing is hidden yet
    at = segment = first
    escapes = 0
    while True:
        brace = _BRACE.search(text, at, last)
        stop = last if brace is None else brace.start()
        if brace is not None and brace.group() in (b"{{", b"}}"):
            if not escapes and piece >= 0:
                if piece < segment:
                    found.pieces.append((piece, segment))
                piece = -1
            found.others.append((stop, "escape_interpolation"))
            escapes += 1
            at = stop + 2
            continue
        if escapes and b"\\" in text[segment:stop]:
            return False
        if brace is None:
            break
        if brace.group() == b"}":
            return False
        if not escapes and stop > segment and piece < 0:
            piece = segment
        if piece >= 0 and piece < stop and not escapes:
            found.pieces.append((piece, stop))
        if shown < stop:
            found.hidden.append((shown, stop))
        at = _read_hole(found, stop, last, level)
        if at < 0:
            return False
        piece, escapes = -1, 0
        segment = shown = at
    if escapes:
        piece = last
    elif piece < 0:
        piece = segment if segment < last else last
    found.pieces.append((piece, end))
    if shown < end:
        found.hidden.append((shown, end))
    return True


def _read_hole(found: Literals, start: int, last: int, level: int) -> int:
    """Read one hole from its brace on; return the offset behind it, -1 when it is not certain how to read it."""
    text = found.text
    depth, at = 0, start + 1
    while True:
        mark = _MARK.search(text, at, last)
        if mark is None:
            return -1
        at = mark.start()
        byte = text[at]
        if byte in b"\"'":
            string = _SCAN.match(text, at, last)
            if string is None or not _read_string(found, at, string.end(), level + 1):
                return -1
            at = string.end()
            continue
        if byte in b"([{":
            depth += 1
        elif byte in b")]":
            depth -= 1
        elif byte == 125:
            if depth == 0:
                return at + 1
            depth -= 1
        elif byte == 33 and depth == 0 and text[at + 1] != 61:
            if text[at + 1 : at + 2] not in (b"r", b"s", b"a") or text[at + 2] not in b":}":
                return -1
            found.others.append((at, "type_conversion"))
            found.hidden.append((at, at + 2))
            at += 1
        elif byte == 58 and depth == 0:
            return _read_format(found, at + 1, last, level)
        elif byte in b"\\#\n":
            return -1
        at += 1


def _read_format(found: Literals, at: int, last: int, level: int) -> int:
    """Read a format from behind its colon on; return the offset behind the brace that closes the hole, -1 as above."""
    text = found.text
    while True:
        brace = _FORMAT.search(text, at, last)
        if brace is None or brace.group() not in (b"{", b"}"):
            return -1
        stop = brace.start()
        if at < stop:
            found.hidden.append((at, stop))
        if text[stop] == 125:
            return stop + 1
        if level >= _DEEPEST:
            return -1
        at = _read_hole(found, stop, last, level + 1)
        if at < 0:
            return -1


_BRACE = re.compile(rb"\{\{|\}\}|[{}]")
_MARK = re.compile(rb"[\"'\[\](){}:!\\#\n]")
_FORMAT = re.compile(rb"\{\{|[{}\\\n\"']")
