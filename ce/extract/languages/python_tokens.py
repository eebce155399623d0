"""The tokens of Python without a parse: the leaves that the grammar's tree has, at a small part of the cost.

Invariant: `lex` returns what a walk over the tree of a file without syntax errors returns, or None. Where the kind of a token depends
on more than its neighbours (soft keywords, odd operators, strings inside strings) it does not guess.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.languages.python_strings import IS_WORD, SCAN, Literals, read_string
from ce.extract.leaves import IDENTIFIER, LITERAL, Leaves, fnv1a

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["lex"]

_KEYWORDS = (
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
    "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
)  # fmt: skip
_CONSTANTS = {"True": "true", "False": "false", "None": "none"}
_SOFT = ("match", "case", "type", "print", "exec")
_SINGLE = tuple("()[]{},;.:=+-*/%&|^<>@~")
_DOUBLE = ("==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "**", "//", "<<", ">>")
_TRIPLE = ("**=", "//=", "<<=", ">>=")
_OTHERS = ["ellipsis", "line_continuation", "escape_interpolation", "type_conversion", "__future__"]

# Numbers of kinds of tokens; 0 is no token. Soft keywords are identifiers, told apart only to be looked at.
_NAMES = ["", "ID", "LIT", *_KEYWORDS, *_CONSTANTS.values(), *_SINGLE, *_DOUBLE, *_TRIPLE, *_OTHERS]
_KIND = {name: number for number, name in enumerate(_NAMES)}
_ID, _LIT = _KIND["ID"], _KIND["LIT"]
_SOFT_KIND = {name: len(_NAMES) + number for number, name in enumerate(_SOFT)}
_COUNT = len(_NAMES) + len(_SOFT)

# Bounds below which no tree is so deep that the walk over it would stop.
_MOST_NESTED = 200
_MOST_CHAINED = 4000

_BLANK, _WORD, _SIGN, _BREAK, _ODD = range(5)


def lex(text: bytes) -> Leaves | None:
    """Return the leaves of a Python text (UTF-8, LF), or None when only the parser can tell."""
    if b"\0" in text or b"\r" in text:
        return None
    literals = _literals(text)
    if literals is None:
        return None
    code, slots = _marked(text, literals)
    classes = _CLASSES[code]
    if classes.max(initial=0) == _ODD and not _continue_lines(code, classes, slots):
        return None
    if not (_mark_words(code, classes, slots) and _mark_signs(code, classes, slots)):
        return None
    starts = slots.nonzero()[0]
    kinds = slots[starts]
    statements = _statements(kinds, starts, (classes == _BREAK).nonzero()[0])
    if statements is None or not _is_plain(text, kinds, starts, statements):
        return None
    tails = starts.copy()
    for opens, closes in ((literals.starts, literals.ends), tuple(zip(*literals.pieces, strict=True)) or ((), ())):
        if opens:
            tails[starts.searchsorted(opens)] = np.array(closes) - 1
    return Leaves(_HASHES, kinds, starts, tails, _imported(kinds, statements), literals.comments)


def _literals(text: bytes) -> Literals | None:
    found = Literals(text)
    starts, ends, comments, find = found.starts, found.ends, found.comments, text.find
    reached = 0
    for start in _OPENING[np.frombuffer(text, np.uint8)].nonzero()[0].tolist():
        if start < reached:
            continue
        opening = text[start]
        if opening == 35:
            reached = find(b"\n", start)
            reached = reached if reached >= 0 else len(text)
            comments.append((start, reached))
            continue
        # Most strings end at the next quote of their kind: no escape, no break, and not three quotes.
        reached = find(b'"' if opening == 34 else b"'", start + 1) + 1
        is_simple = reached - start > 2 and not IS_WORD[text[start - 1]]
        if is_simple and find(b"\\", start, reached) < 0 and find(b"\n", start, reached) < 0:
            starts.append(start)
            ends.append(reached)
            continue
        match = SCAN.match(text, start)
        if match is None or not read_string(found, start, match.end(), 0):
            return None
        reached = match.end()
    return found


def _marked(text: bytes, literals: Literals) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the code with literals and comments as blanks, and the kinds of the tokens known so far by offset."""
    code = np.frombuffer(text + b"\n\0\0\0\0\0\0\0\0", np.uint8).copy()
    slots = np.zeros(len(code), np.uint8)
    steps = np.zeros(len(code), np.int8)
    steps[literals.starts] += 1
    steps[literals.ends] -= 1
    slots[literals.starts] = _LIT
    for ranges in (literals.comments, literals.hidden):
        steps[[start for start, _ in ranges]] += 1
        steps[[end for _, end in ranges]] -= 1
    slots[[start for start, _ in literals.pieces]] = _LIT
    for offset, name in literals.others:
        slots[offset] = _KIND[name]
    code[steps.cumsum(dtype=np.int8).view(np.bool_)] = 32
    return code, slots


def _continue_lines(code: NDArray[np.uint8], classes: NDArray[np.uint8], slots: NDArray[np.uint8]) -> bool:
    """Take lines that a backslash continues as one; False when there is anything else that is no code of Python."""
    odd = np.flatnonzero(classes == _ODD)
    if not ((code[odd] == 92) & (code[odd + 1] == 10) & (odd < len(code) - 10)).all():
        return False
    is_blank = (classes == _BLANK) & (slots == 0)
    for place in odd.tolist():
        after = place + 2
        while is_blank[after] and after < len(code) - 9:
            after += 1
        if classes[after] == _BREAK or classes[after] == _ODD:
            return False
        # Where a string follows the parser reads over the mark, otherwise it is a token.
        if slots[after] != _LIT:
            slots[place] = _KIND["line_continuation"]
    classes[odd] = classes[odd + 1] = _BLANK
    return True


def _mark_words(code: NDArray[np.uint8], classes: NDArray[np.uint8], slots: NDArray[np.uint8]) -> bool:
    within = classes == _WORD
    edges = (within[1:] != within[:-1]).nonzero()[0] + 1
    if within[0]:
        edges = np.concatenate((np.zeros(1, np.int64), edges))
    starts, ends = edges[::2], edges[1::2]
    # Words up to eight bytes as one number.
    packed = np.ndarray(len(code) - 7, "<u8", code.data, strides=(1,))[starts] & _BYTES[np.minimum(ends - starts, 9)]
    places = np.minimum(np.searchsorted(_SPELLED, packed), len(_SPELLED) - 1)
    kinds = np.where(_SPELLED[places] == packed, _SPELLED_KIND[places], _ID).astype(np.uint8)
    slots[starts] = kinds
    numbers = _DIGIT[code[starts]].nonzero()[0]
    if not len(numbers):
        return True
    starts, ends = starts[numbers], ends[numbers]
    slots[starts] = _LIT
    # A point before a number belongs to it.
    pointed = (code[starts - 1] == 46) & (starts > 0)
    behind = code[ends]
    signed = ((behind == 43) | (behind == 45)) & _EXPONENT[code[ends - 1]]
    hard = (pointed | (behind == 46) | signed | ~_are_digits(packed[numbers], ends - starts)).nonzero()[0]
    if not len(hard):
        return True
    source = code.tobytes()
    reached = 0
    for start, end, dotted in zip(starts[hard].tolist(), ends[hard].tolist(), pointed[hard].tolist(), strict=True):
        if start < reached:  # the exponent or the fraction of the number before
            continue
        start -= dotted
        if dotted and start and (IS_WORD[source[start - 1]] or source[start - 1] in b").]}"):
            return False
        match = _NUMBER.match(source, start)
        if match is None or match.end() < end or IS_WORD[source[match.end()]] or (source[match.end()] == 46 and match.end() > end):
            return False
        reached = match.end()
        classes[start:reached] = _BLANK
        slots[start:reached] = 0
        slots[start] = _LIT
    return True


def _are_digits(packed: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which words of up to eight bytes are decimal digits alone."""
    nibbles = (packed ^ _ZEROS) & _BYTES[np.minimum(lengths, 9)]
    return np.asarray(((nibbles | (nibbles + _SIXES)) & _HIGH == 0) & (lengths <= 8), np.bool_)


def _mark_signs(code: NDArray[np.uint8], classes: NDArray[np.uint8], slots: NDArray[np.uint8]) -> bool:
    places = (classes == _SIGN).nonzero()[0]
    here, then = _SIGN_INDEX[code[places]], np.where(classes[places + 1] == _SIGN, _SIGN_INDEX[code[places + 1]], 0)
    double = _DOUBLE_KIND[here, then]
    kinds = np.where(double > 0, double, _SINGLE_KIND[here])
    pairs = double.nonzero()[0]
    if len(pairs):
        first = places[pairs]
        third = np.where(classes[first + 2] == _SIGN, _SIGN_INDEX[code[first + 2]], 0)
        triple = _TRIPLE_KIND[double[pairs], third]
        kinds[pairs] = np.where(triple > 0, triple, double[pairs])
        ends = first + 2 + (triple > 0)
        # Of signs that overlap the first counts; three in a row are not taken apart.
        overlapped = np.concatenate(([False], first[1:] < ends[:-1]))
        if (overlapped[1:] & overlapped[:-1]).any():
            return False
        firsts = ~overlapped
        kinds[pairs[overlapped]] = _SINGLE_KIND[here[pairs[overlapped]]]
        kinds[pairs[firsts] + 1] = 0
        kinds[pairs[firsts & (triple > 0)] + 2] = 0
    if (kinds == _ALONE).any():
        return False
    slots[places] = kinds
    dots = places[(kinds == _KIND["."])]
    rows = np.flatnonzero(np.diff(dots) == 1)
    return not len(rows) or _mark_dots(dots, rows, slots)


def _mark_dots(dots: NDArray[np.int64], rows: NDArray[np.int64], slots: NDArray[np.uint8]) -> bool:
    """Tell three points that are an ellipsis from those of a relative import; False for other rows of points."""
    at = dots.tolist()
    row = 0
    while row < len(rows):
        first = int(rows[row])
        length = 2
        while row + 1 < len(rows) and rows[row + 1] == rows[row] + 1:
            row += 1
            length += 1
        row += 1
        start = at[first]
        before = slots[max(0, start - 64) : start]
        known = np.flatnonzero(before)
        if len(known) and before[known[-1]] == _KIND["from"]:
            continue
        if length != 3 or not len(known):
            return False
        slots[start] = _KIND["ellipsis"]
        slots[start + 1] = slots[start + 2] = 0
    return True


def _statements(kinds: NDArray[np.uint8], starts: NDArray[np.int64], breaks: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Tell which tokens begin a statement or follow a colon outside brackets; None when brackets do not match or nest too deeply."""
    steps = _NESTING[kinds]
    depths = np.cumsum(steps, dtype=np.int32)
    if not len(kinds):
        return np.zeros(0, np.bool_)
    if depths[-1] or depths.min() < 0 or depths.max() > _MOST_NESTED:
        return None
    outside = np.concatenate((np.zeros(1, np.int32), depths[:-1])) == 0
    lines = np.searchsorted(breaks, starts)
    first = np.concatenate(([True], lines[1:] != lines[:-1]))
    # Behind a line that a backslash continues the next token is on the same line here, because its break is none.
    before = np.concatenate((np.zeros(1, np.uint8), kinds[:-1]))
    return np.asarray(outside & (first | (before == _KIND[";"]) | (before == _KIND[":"])), np.bool_)


def _is_plain(text: bytes, kinds: NDArray[np.uint8], starts: NDArray[np.int64], statements: NDArray[np.bool_]) -> bool:
    """Tell whether every token is what it seems to be; soft keywords that are identifiers become so."""
    counts = np.bincount(kinds, minlength=_COUNT).tolist()
    end = np.zeros(1, np.uint8)
    if any(counts[len(_NAMES) :]):
        soft = (kinds >= len(_NAMES)).nonzero()[0]
        follows = np.concatenate((kinds[1:], end))[soft]
        is_last = np.concatenate((statements[1:], np.ones(1, np.bool_)))[soft]
        is_called = (follows == _KIND["("]) & (kinds[soft] >= _SOFT_KIND["print"])
        if (statements[soft] & ~(_AFTER_NAME[follows] | is_last | is_called)).any():
            return False
        kinds[soft] = _ID
    after = np.concatenate((kinds[1:], end))
    # Numbers that are statements one after the other are pieces of one literal to the walk.
    for index in ((kinds == _LIT) & (after == _LIT)).nonzero()[0].tolist():
        if text[starts[index]] in b".0123456789" and text[starts[index + 1]] in b".0123456789":
            return False
    if counts[_KIND["async"]] or counts[_KIND["await"]]:
        turns = ((kinds == _KIND["async"]) | (kinds == _KIND["await"])).nonzero()[0]
        if not _AFTER_ASYNC[kinds[turns], after[turns]].all():
            return False
    if counts[_KIND["from"]]:
        origins = (kinds == _KIND["from"]).nonzero()[0]
        if ((after[origins] == _KIND["."]) & ~statements[origins]).any():
            return False
        for index in (origins[statements[origins]] + 1).tolist():
            if index < len(kinds) and text.startswith(b"__future__", starts[index]) and not IS_WORD[text[starts[index] + 10]]:
                kinds[index] = _KIND["__future__"]
    if sum(count for count, chains in zip(counts, _MAY_CHAIN, strict=False) if chains) < _MOST_CHAINED:
        return True
    links = np.cumsum(_CHAINS[kinds].astype(np.int64) + (_OPENS[after] & _ENDS[kinds]))
    at = np.concatenate((links[statements], links[-1:]))
    return bool(len(at) < 2 or np.diff(at).max() < _MOST_CHAINED)


def _imported(kinds: NDArray[np.uint8], statements: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell the tokens of import statements: from their keyword up to the next statement or semicolon."""
    turns = (statements | (kinds == _KIND[";"])).nonzero()[0]
    begins = _IMPORTS[kinds[turns]]
    if not begins.any():
        return np.zeros(len(kinds), np.bool_)
    within = np.repeat(begins, np.diff(turns, append=len(kinds)))
    return np.concatenate((np.zeros(turns[0], np.bool_), within))


_NUMBER = re.compile(
    rb"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*)?)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?[jJ]?"
)


def _class_table() -> NDArray[np.uint8]:
    table = np.full(256, _ODD, np.uint8)
    table[[0, 9, 12, 32]] = _BLANK
    table[10] = _BREAK
    for byte in range(128):
        if IS_WORD[byte]:
            table[byte] = _WORD
        elif chr(byte) in "()[]{},;.:=+-*/%&|^<>@~!":
            table[byte] = _SIGN
    return table


def _flags(names: list[str]) -> NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[[_KIND[name] for name in names]] = True
    return table


_CLASSES = _class_table()
_OPENING = np.array([chr(byte) in "#\"'" for byte in range(256)])
_DIGIT = np.array([chr(byte) in "0123456789" for byte in range(256)])
_EXPONENT = np.array([chr(byte) in "eE" for byte in range(256)])
_BYTES = np.array([0, *((1 << 8 * width) - 1 for width in range(1, 9)), 0], np.uint64)
_ZEROS, _SIXES, _HIGH = np.uint64(0x3030303030303030), np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
_spelled = sorted(
    [(int.from_bytes(name.encode(), "little"), _KIND[name]) for name in _KEYWORDS]
    + [(int.from_bytes(name.encode(), "little"), _KIND[kind]) for name, kind in _CONSTANTS.items()]
    + [(int.from_bytes(name.encode(), "little"), kind) for name, kind in _SOFT_KIND.items()]
)
_SPELLED = np.array([word for word, _ in _spelled], np.uint64)
_SPELLED_KIND = np.array([kind for _, kind in _spelled], np.uint8)
_SIGNS = "()[]{},;.:=+-*/%&|^<>@~!"
_SIGN_INDEX = np.zeros(256, np.uint8)
_SIGN_INDEX[[ord(sign) for sign in _SIGNS]] = np.arange(1, len(_SIGNS) + 1)
_ALONE = 255  # a sign that is none by itself
_SINGLE_KIND = np.array([0, *(_KIND.get(sign, _ALONE) for sign in _SIGNS)], np.uint8)
_DOUBLE_KIND = np.zeros((len(_SIGNS) + 1, len(_SIGNS) + 1), np.uint8)
for _name in _DOUBLE:
    _DOUBLE_KIND[_SIGN_INDEX[ord(_name[0])], _SIGN_INDEX[ord(_name[1])]] = _KIND[_name]
_DOUBLE_KIND[_SIGN_INDEX[ord("<")], _SIGN_INDEX[ord(">")]] = _ALONE
_TRIPLE_KIND = np.zeros((256, len(_SIGNS) + 1), np.uint8)
for _name in _TRIPLE:
    _TRIPLE_KIND[_KIND[_name[:2]], _SIGN_INDEX[ord(_name[2])]] = _KIND[_name]
_NESTING = np.zeros(256, np.int8)
_NESTING[[_KIND[name] for name in "([{"]] = 1
_NESTING[[_KIND[name] for name in ")]}"]] = -1
# What follows an identifier that stands where a statement begins, and no soft keyword.
_AFTER_NAME = _flags(["=", ".", ",", ")", ":", *(name for name in _DOUBLE + _TRIPLE if name.endswith("="))])
_CHAINS = _flags([*"+-*/%&|^<>@~.", "**", "//", "<<", ">>", "and", "or", "not", "if", "else", "lambda", "await", "elif"])
_OPENS = _flags(["(", "["])
_MAY_CHAIN = (_CHAINS | _OPENS).tolist()
_IMPORTS = _flags(["import", "from"])
_ENDS = _flags(["ID", "LIT", ")", "]", "}"])
_AFTER_ASYNC = np.zeros((256, 256), np.bool_)
_AFTER_ASYNC[_KIND["async"], [_KIND["def"], _KIND["for"], _KIND["with"]]] = True
_AFTER_ASYNC[_KIND["await"], [_ID, _LIT, _KIND["("], _KIND["["], _KIND["{"]]] = True


@cache
def _hashes() -> NDArray[np.uint64]:
    named = {_ID: IDENTIFIER, _LIT: LITERAL}
    return np.array([fnv1a(named.get(number, name.encode())) for number, name in enumerate(_NAMES)], np.uint64)


_HASHES = _hashes()
