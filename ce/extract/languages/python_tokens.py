"""The tokens of Python without a parse: the leaves that the grammar's tree has, at a small part of the cost.

Invariant: `lex_all` returns what a walk over the tree of a file without syntax errors returns, or None. Where the kind of a token depends
on more than its neighbours (soft keywords, odd operators, strings inside strings) it does not guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.languages.python_strings import IS_WORD, PADDING, Literals, literals_of
from ce.extract.leaves import IDENTIFIER, LITERAL, Leaves, fnv1a

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["lex", "lex_all"]

_KEYWORDS = (
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
    "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
)  # fmt: skip
_CONSTANTS = {"True": "true", "False": "false", "None": "none"}
_SOFT = ("match", "case", "type", "print", "exec")
_SINGLE = tuple("()[]{},;.:=+-*/%&|^<>@~")
_DOUBLE = ("==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "**", "//", "<<", ">>")
_TRIPLE = ("**=", "//=", "<<=", ">>=")
_OTHERS = ["ellipsis", "escape_interpolation", "type_conversion", "__future__"]

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


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Several texts one behind the other: `text` is all of them, `bounds[n]` to `bounds[n + 1]` the n-th with its padding.

    `code` are its bytes with literals and comments as blanks, `classes` what kind of byte each is, `slots` the kinds of the tokens known so
    far by offset. `left` tells the texts that are left to the parser; what is found in them does not matter.
    """

    text: bytes
    bounds: NDArray[np.int64]
    code: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    slots: NDArray[np.uint8]
    left: NDArray[np.bool_]

    def leave(self, offsets: NDArray[np.int64] | list[int]) -> None:
        """Leave the texts that hold the offsets to the parser."""
        if len(offsets):
            self.left[self.bounds.searchsorted(offsets, "right") - 1] = True


def lex(text: bytes) -> Leaves | None:
    """Return the leaves of a Python text (UTF-8, LF), or None when only the parser can tell."""
    return lex_all([text])[0]


def lex_all(texts: Sequence[bytes]) -> list[Leaves | None]:
    """Return the leaves of each text as `lex` does. Many at once cost less: most of what a short text costs is the start of each step."""
    if not texts:
        return []
    told = [text if b"\0" not in text and b"\r" not in text else b"" for text in texts]
    whole = b"".join(part for text in told for part in (text, PADDING))
    bounds = np.cumsum([0, *(len(text) + len(PADDING) for text in told)])
    literals, left = literals_of(whole, bounds.tolist())
    batch = _marked(whole, bounds, literals, left)
    _continue_lines(batch)
    _mark_words(batch)
    _mark_signs(batch)
    starts = (batch.slots != 0).nonzero()[0]  # several times faster than asking numbers
    kinds = batch.slots[starts]
    firsts = starts.searchsorted(bounds)
    statements = _statements(batch, kinds, starts, firsts)
    _check_names(batch, kinds, starts, statements, firsts)
    imports = _imported(kinds, statements)
    tails = starts.copy()
    tails[starts.searchsorted(literals.starts)] = np.array(literals.ends, np.int64) - 1
    pieces = np.array(literals.pieces, np.int64).reshape(-1, 2)
    tails[starts.searchsorted(pieces[:, 0])] = pieces[:, 1] - 1
    comments = np.array(literals.comments, np.int64).reshape(-1, 2)
    cuts = comments[:, 0].searchsorted(bounds)
    leaves: list[Leaves | None] = []
    for number, (text, base) in enumerate(zip(told, bounds.tolist(), strict=False)):
        if batch.left[number] or text is not texts[number]:
            leaves.append(None)
            continue
        own = slice(int(firsts[number]), int(firsts[number + 1]))
        noted = (comments[cuts[number] : cuts[number + 1]] - base).tolist()
        leaves.append(Leaves(_HASHES, kinds[own], starts[own] - base, tails[own] - base, imports[own], [(x, y) for x, y in noted]))
    return leaves


def _marked(text: bytes, bounds: NDArray[np.int64], literals: Literals, left: list[int]) -> _Batch:
    """Return the batch with its literals marked and hidden."""
    code = np.frombuffer(text, np.uint8).copy()
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
    np.copyto(code, 32, where=steps.cumsum(dtype=np.int8).view(np.bool_))
    is_left = np.zeros(len(bounds) - 1, np.bool_)
    for number in left:
        is_left[number] = True
        code[bounds[number] : bounds[number + 1]] = 32
    return _Batch(text, bounds, code, _CLASSES.take(code), slots, is_left)


def _continue_lines(batch: _Batch) -> None:
    """Take lines that a backslash continues as one; all else that is no code of Python is left to the parser."""
    code, classes, slots = batch.code, batch.classes, batch.slots
    odd = (classes == _ODD).nonzero()[0]
    if not len(odd):
        return
    ends = batch.bounds[batch.bounds.searchsorted(odd, "right")] - len(PADDING)
    continues = (code[odd] == 92) & (code[odd + 1] == 10) & (odd + 1 < ends)
    batch.leave(odd[~continues])
    is_blank = (classes == _BLANK) & (slots == 0)
    for place in odd[continues].tolist():
        after = place + 2
        while is_blank[after] and after < len(code) - 1:
            after += 1
        if classes[after] == _BREAK or classes[after] == _ODD:
            batch.leave([place])
    classes[odd] = _BLANK
    classes[odd[continues] + 1] = _BLANK


def _mark_words(batch: _Batch) -> None:
    code, classes, slots = batch.code, batch.classes, batch.slots
    within = classes == _WORD
    edges = (within[1:] != within[:-1]).nonzero()[0] + 1
    if within[0]:
        edges = np.concatenate((np.zeros(1, np.int64), edges))
    starts, ends = edges[::2], edges[1::2]
    # Words up to eight bytes as one number.
    packed = np.ndarray(len(code) - 7, "<u8", code.data, strides=(1,))[starts] & _BYTES[np.minimum(ends - starts, 9)]
    places = np.minimum(_SPELLED.searchsorted(packed), len(_SPELLED) - 1)
    slots[starts] = np.where(_SPELLED[places] == packed, _SPELLED_KIND[places], _ID)
    numbers = _DIGIT.take(code[starts]).nonzero()[0]
    if not len(numbers):
        return
    starts, ends = starts[numbers], ends[numbers]
    slots[starts] = _LIT
    # A point before a number belongs to it.
    pointed = (code[starts - 1] == 46) & (starts > 0)
    behind = code[ends]
    signed = ((behind == 43) | (behind == 45)) & _EXPONENT[code[ends - 1]]
    hard = (pointed | (behind == 46) | signed | ~_are_digits(packed[numbers], ends - starts)).nonzero()[0]
    if not len(hard):
        return
    source = code.tobytes()
    reached = 0
    left = []
    for start, end, dotted in zip(starts[hard].tolist(), ends[hard].tolist(), pointed[hard].tolist(), strict=True):
        if start < reached:  # the exponent or the fraction of the number before
            continue
        first = start - dotted
        match = _NUMBER.match(source, first)
        follows_name = dotted and first > 0 and (IS_WORD[source[first - 1]] or source[first - 1] in b").]}")
        if follows_name or match is None or match.end() < end:
            left.append(start)
            continue
        reached = match.end()
        if IS_WORD[source[reached]] or (source[reached] == 46 and reached > end):
            left.append(start)
        classes[first:reached] = _BLANK
        slots[first:reached] = 0
        slots[first] = _LIT
    batch.leave(left)


def _are_digits(packed: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which words of up to eight bytes are decimal digits alone."""
    nibbles = (packed ^ _ZEROS) & _BYTES[np.minimum(lengths, 9)]
    return np.asarray(((nibbles | (nibbles + _SIXES)) & _HIGH == 0) & (lengths <= 8), np.bool_)


def _mark_signs(batch: _Batch) -> None:
    code, classes, slots = batch.code, batch.classes, batch.slots
    places = (classes == _SIGN).nonzero()[0]
    here, then = _SIGN_INDEX.take(code[places]), np.where(classes[places + 1] == _SIGN, _SIGN_INDEX.take(code[places + 1]), 0)
    double = _DOUBLE_KIND[here, then]
    kinds = np.where(double > 0, double, _SINGLE_KIND.take(here))
    pairs = double.nonzero()[0]
    if len(pairs):
        first = places[pairs]
        third = np.where(classes[first + 2] == _SIGN, _SIGN_INDEX[code[first + 2]], 0)
        triple = _TRIPLE_KIND[double[pairs], third]
        kinds[pairs] = np.where(triple > 0, triple, double[pairs])
        ends = first + 2 + (triple > 0)
        # Of signs that overlap the first counts; three in a row are not taken apart.
        overlapped = np.concatenate(([False], first[1:] < ends[:-1]))
        batch.leave(first[1:][overlapped[1:] & overlapped[:-1]])
        firsts = ~overlapped
        kinds[pairs[overlapped]] = _SINGLE_KIND[here[pairs[overlapped]]]
        kinds[pairs[firsts] + 1] = 0
        kinds[pairs[firsts & (triple > 0)] + 2] = 0
    batch.leave(places[kinds == _ALONE])
    slots[places] = kinds
    dots = places[kinds == _KIND["."]]
    rows = (np.diff(dots) == 1).nonzero()[0]
    if len(rows):
        batch.leave(_mark_dots(dots, rows, slots, batch.bounds))


def _mark_dots(dots: NDArray[np.int64], rows: NDArray[np.int64], slots: NDArray[np.uint8], bounds: NDArray[np.int64]) -> list[int]:
    """Tell three points that are an ellipsis from those of a relative import; return where other rows of points begin."""
    at = dots.tolist()
    left = []
    row = 0
    while row < len(rows):
        first = int(rows[row])
        length = 2
        while row + 1 < len(rows) and rows[row + 1] == rows[row] + 1:
            row += 1
            length += 1
        row += 1
        start = at[first]
        begin = int(bounds[int(bounds.searchsorted(start, "right")) - 1])  # what other texts end with does not matter
        before = slots[max(begin, start - 64) : start]
        known = before.nonzero()[0]
        if len(known) and before[known[-1]] == _KIND["from"]:
            continue
        if length != 3 or (start - begin >= 64 and not len(known)):
            left.append(start)
        slots[start] = _KIND["ellipsis"]
        slots[start + 1 : start + length] = 0
    return left


def _statements(batch: _Batch, kinds: NDArray[np.uint8], starts: NDArray[np.int64], firsts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which tokens begin a statement or follow a colon outside brackets.

    A text whose brackets do not match or nest too deeply is left to the parser.
    """
    depths = np.concatenate((np.zeros(1, np.int64), np.cumsum(_NESTING.take(kinds), dtype=np.int64)))
    counts = np.diff(firsts)
    # Of each text on its own.
    before = depths[:-1] - np.repeat(depths[firsts[:-1]], counts)
    numbers = counts.nonzero()[0]
    opens = firsts[numbers]
    if len(numbers):
        unmatched = depths[firsts[numbers + 1]] != depths[opens]
        least, most = np.minimum.reduceat(before, opens), np.maximum.reduceat(before, opens)
        batch.left[numbers[unmatched | (least < 0) | (most >= _MOST_NESTED)]] = True
    lines = (batch.classes == _BREAK).nonzero()[0].searchsorted(starts)
    begins = np.concatenate((np.ones(len(kinds[:1]), np.bool_), lines[1:] != lines[:-1]))
    begins[1:] |= (kinds[:-1] == _KIND[";"]) | (kinds[:-1] == _KIND[":"])
    begins &= before == 0
    begins[opens] = True
    return begins


def _check_names(
    batch: _Batch, kinds: NDArray[np.uint8], starts: NDArray[np.int64], statements: NDArray[np.bool_], firsts: NDArray[np.int64]
) -> None:
    """Leave texts to the parser in which a token may not be what it seems to be; soft keywords that are identifiers become so."""
    counts = np.bincount(kinds, minlength=_COUNT).tolist()
    lasts = firsts[1:][np.diff(firsts) > 0] - 1
    after = _following(kinds, lasts)
    if any(counts[len(_NAMES) :]):
        soft = (kinds >= len(_NAMES)).nonzero()[0]
        is_last = np.concatenate((statements[1:], np.ones(1, np.bool_)))[soft]
        is_called = (after[soft] == _KIND["("]) & (kinds[soft] >= _SOFT_KIND["print"])
        batch.leave(starts[soft[statements[soft] & ~(_AFTER_NAME[after[soft]] | is_last | is_called)]])
        kinds[soft] = _ID
        after = _following(kinds, lasts)
    # Numbers that are statements one after the other are pieces of one literal to the walk.
    for index in ((kinds == _LIT) & (after == _LIT)).nonzero()[0].tolist():
        if batch.text[starts[index]] in b".0123456789" and batch.text[starts[index + 1]] in b".0123456789":
            batch.leave([int(starts[index])])
    if counts[_KIND["async"]] or counts[_KIND["await"]]:
        turns = ((kinds == _KIND["async"]) | (kinds == _KIND["await"])).nonzero()[0]
        batch.leave(starts[turns[~_AFTER_ASYNC[kinds[turns], after[turns]]]])
    if counts[_KIND["from"]]:
        origins = (kinds == _KIND["from"]).nonzero()[0]
        batch.leave(starts[origins[(after[origins] == _KIND["."]) & ~statements[origins]]])
        for index in (origins[statements[origins] & (after[origins] == _ID)] + 1).tolist():
            if batch.text.startswith(b"__future__", starts[index]) and not IS_WORD[batch.text[starts[index] + 10]]:
                kinds[index] = _KIND["__future__"]
    if sum(count for count, chains in zip(counts, _MAY_CHAIN, strict=False) if chains) < _MOST_CHAINED:
        return
    links = np.cumsum(_CHAINS[kinds].astype(np.int64) + (_OPENS[after] & _ENDS[kinds]))
    at = statements.nonzero()[0]
    batch.leave(starts[at[np.diff(links[at], append=links[-1:]) >= _MOST_CHAINED]])


def _following(kinds: NDArray[np.uint8], lasts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the kind of the next token of the same text, 0 for none."""
    after = np.concatenate((kinds[1:], np.zeros(len(kinds[:1]), np.uint8)))
    after[lasts] = 0
    return after


def _imported(kinds: NDArray[np.uint8], statements: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell the tokens of import statements: from their keyword up to the next statement or semicolon."""
    turns = (statements | (kinds == _KIND[";"])).nonzero()[0]
    begins = _IMPORTS.take(kinds[turns])
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
