"""Which patterns another pattern covers: every name that the one matches, the other matches too.

Both patterns are run side by side as automata over the characters that tell them apart; a name that the covered pattern accepts and
the covering one does not would be met on the way. The answer "no" is also given when the two are too large to compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ce.source.exclude import Pattern
from ce.source.globs import glob_tokens, pattern_tokens

__all__ = ["Needless", "covers", "needless_globs", "needless_patterns"]

# Pairs of state sets that are looked at before the comparison is given up.
_MAX_PAIRS = 5_000

_STAR, _SEGMENTS, _ANYTHING = "[^/]*", "(?:[^/]*/)*?", ".*?"

States = frozenset[tuple[int, bool]]


@dataclass(frozen=True, slots=True)
class Needless:
    """The entry at `index` changes nothing because of the one at `because`."""

    index: int
    because: int


def covers(covering: Sequence[str], covered: Sequence[str]) -> bool:
    """Tell whether every path that the tokens of `covered` match is matched by those of `covering`."""
    alphabet = _alphabet(covering, covered)
    wide, narrow = _Automaton(covering), _Automaton(covered)
    pending = [(wide.start, narrow.start)]
    seen = set(pending)
    while pending:
        outer, inner = pending.pop()
        if narrow.accepts(inner) and not wide.accepts(outer):
            return False
        for character in alphabet:
            after = narrow.step(inner, character)
            pair = (wide.step(outer, character), after)
            if after and pair not in seen:
                if len(seen) >= _MAX_PAIRS:
                    return False
                seen.add(pair)
                pending.append(pair)
    return True


def needless_globs(globs: Sequence[str]) -> list[Needless]:
    """Return the globs of a list that another one of it covers; of two that cover each other the later one."""
    tokens = [glob_tokens(glob) for glob in globs]
    found: list[Needless] = []
    gone: set[int] = set()
    for index, one in enumerate(tokens):
        for other, wide in enumerate(tokens):
            if other != index and other not in gone and covers(wide, one) and (other < index or not covers(one, wide)):
                found.append(Needless(index, other))
                gone.add(index)
                break
    return found


def needless_patterns(patterns: Sequence[Pattern]) -> list[Needless]:
    """Return the lines of an ignore file that change nothing there, whatever the tree holds: the last line that matches decides.

    A line is needless when a later one matches all that it matches, when an earlier one does and says the same with nothing to the contrary
    between them, or, in a file without exceptions, when it names what stands below an ignored directory.
    """
    tokens = [_tokens(pattern) for pattern in patterns]
    plain = not any(pattern.negated for pattern in patterns)
    found = []
    gone: set[int] = set()
    for index, one in enumerate(patterns):
        for other, wide in enumerate(patterns):
            if other == index or other in gone or not _decides(patterns, other, index):
                continue
            same = covers(tokens[other], tokens[index]) and (one.only_directories or not wide.only_directories)
            if same or (plain and covers([*tokens[other], "/", _ANYTHING], tokens[index])):
                found.append(Needless(index, other))
                gone.add(index)
                break
    return found


def _decides(patterns: Sequence[Pattern], other: int, index: int) -> bool:
    """Tell whether `other` has the say over `index` for all that both match."""
    if other > index:
        return True
    return all(pattern.negated == patterns[index].negated for pattern in patterns[other:index])


def _tokens(pattern: Pattern) -> list[str]:
    body = pattern.text.removeprefix("!").removesuffix("/")
    return pattern_tokens(body.removeprefix("/"), anywhere=not pattern.whole_path)


def _alphabet(*patterns: Sequence[str]) -> list[str]:
    """Return one character for each way in which the tokens tell characters apart."""
    sets = list(dict.fromkeys(token for tokens in patterns for token in tokens if token not in (_STAR, _SEGMENTS, _ANYTHING)))
    tests = [re.compile(token, re.DOTALL) for token in sets]
    own = {character for token in sets for character in token}
    kinds: dict[tuple[bool, ...], str] = {}
    for character in (*map(chr, range(1, 256)), *sorted(own), "\u0101"):
        kind = (character == "/", *(test.fullmatch(character) is not None for test in tests))
        kinds.setdefault(kind, character)
    return list(kinds.values())


class _Automaton:
    """Positions between tokens; the flag says that a `**/` is inside a segment."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._tests: dict[str, Callable[[str], object]] = {}
        self.start = self._closed({(0, False)})

    def accepts(self, states: States) -> bool:
        return (len(self._tokens), False) in states

    def step(self, states: States, character: str) -> States:
        after: set[tuple[int, bool]] = set()
        for position, inside in states:
            if position == len(self._tokens):
                continue
            token = self._tokens[position]
            if token == _SEGMENTS:
                after.add((position, character != "/"))
            elif token == _ANYTHING or (token == _STAR and character != "/"):
                after.add((position, inside))
            elif token != _STAR and self._matches(token, character):
                after.add((position + 1, False))
        return self._closed(after)

    def _closed(self, states: set[tuple[int, bool]]) -> States:
        pending = list(states)
        while pending:
            position, inside = pending.pop()
            if position < len(self._tokens) and self._tokens[position] in (_STAR, _SEGMENTS, _ANYTHING) and not inside:
                following = (position + 1, False)
                if following not in states:
                    states.add(following)
                    pending.append(following)
        return frozenset(states)

    def _matches(self, token: str, character: str) -> bool:
        test = self._tests.get(token)
        if test is None:
            test = self._tests[token] = re.compile(token, re.DOTALL).fullmatch
        return test(character) is not None
