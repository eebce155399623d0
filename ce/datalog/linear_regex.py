"""Regular expressions in time linear in the text.

The pattern is read by the parser of Python's `re`, so the syntax is the familiar one; it is then run as an automaton, by following all
its states at once, never by backtracking. What cannot be run so is refused: back-references, look-around, conditionals, atomic groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["Automaton", "BadPattern", "compile_pattern"]

# The parser of `re` is not part of its interface, but stable and complete.
_parser: Any = import_module("re._parser")
_sre: Any = import_module("re._constants")

# More states than this mean counted repetitions nested too deeply.
_MAX_STATES = 20_000
_MAX_CACHE = 50_000

Predicate = Callable[[str], bool]


class BadPattern(ValueError):
    """A pattern that is not a regular expression, or not one that runs in linear time."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """States with a test on the next character, and moves that read nothing; state 0 is the start."""

    moves: tuple[tuple[tuple[Predicate, int], ...], ...]
    silent: tuple[tuple[tuple[str, int], ...], ...]
    final: int
    _cache: dict[tuple[frozenset[int], str | None, str | None, bool], tuple[bool, frozenset[int]]]

    def search(self, text: str) -> bool:
        """Tell whether some part of the text matches."""
        states: frozenset[int] = frozenset((0,))
        before: str | None = None
        # `$` also matches before a newline that ends the text: that newline is told apart from others.
        final_newline = len(text) - 1 if text.endswith("\n") else -1
        for place, character in enumerate((*text, None)):
            accepts, states = self._step(states, before, character, place == final_newline)
            if accepts:
                return True
            before = character
        return False

    def _step(self, states: frozenset[int], before: str | None, after: str | None, ends: bool) -> tuple[bool, frozenset[int]]:
        key = (states, _kind(before), after, ends)
        known = self._cache.get(key)
        if known is None:
            if len(self._cache) > _MAX_CACHE:
                self._cache.clear()
            closed = self._closure(states, before, after, ends)
            reached = {0} if after is not None else set()
            if after is not None:
                reached.update(target for state in closed for test, target in self.moves[state] if test(after))
            known = self._cache[key] = (self.final in closed, frozenset(reached))
        return known

    def _closure(self, states: Iterable[int], before: str | None, after: str | None, ends: bool) -> set[int]:
        closed = set(states)
        waiting = list(closed)
        while waiting:
            for condition, target in self.silent[waiting.pop()]:
                if target not in closed and _holds(condition, before, after, ends):
                    closed.add(target)
                    waiting.append(target)
        return closed


def compile_pattern(pattern: str) -> Automaton:
    """Return the automaton of a pattern, or raise BadPattern."""
    try:
        tree = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"not a regular expression: {error}") from None
    unsupported = tree.state.flags & ~(re.IGNORECASE | re.DOTALL | re.MULTILINE | re.UNICODE | re.VERBOSE)
    if unsupported:
        raise BadPattern("only the flags i, s, m and x are supported")
    builder = _Builder(tree.state.flags)
    try:
        final = builder.sequence(tree, builder.state())
    except RecursionError:
        raise BadPattern("nested too deeply") from None
    return Automaton(tuple(map(tuple, builder.moves)), tuple(map(tuple, builder.silent)), final, {})


class _Builder:
    """Thompson's construction: each part of the pattern goes from one state to another."""

    def __init__(self, flags: int) -> None:
        self.moves: list[list[tuple[Predicate, int]]] = []
        self.silent: list[list[tuple[str, int]]] = []
        self._flags = flags

    def state(self) -> int:
        if len(self.moves) >= _MAX_STATES:
            raise BadPattern("its counted repetitions make it too large")
        self.moves.append([])
        self.silent.append([])
        return len(self.moves) - 1

    def sequence(self, items: Iterable[tuple[Any, Any]], start: int) -> int:
        for operation, argument in items:
            start = self._item(operation, argument, start)
        return start

    def _item(self, operation: Any, argument: Any, start: int) -> int:
        if operation in (_sre.LITERAL, _sre.NOT_LITERAL, _sre.ANY, _sre.IN):
            end = self.state()
            self.moves[start].append((self._test(operation, argument), end))
            return end
        if operation is _sre.BRANCH:
            return self._branch(argument[1], start)
        if operation is _sre.SUBPATTERN:
            return self._group(argument, start)
        if operation in (_sre.MAX_REPEAT, _sre.MIN_REPEAT):
            least, most, items = argument
            return self._repeat(least, most, items, start)
        if operation is _sre.AT:
            end = self.state()
            self.silent[start].append((self._anchor(argument), end))
            return end
        raise BadPattern(f"{_REFUSED.get(str(operation), str(operation).lower())} cannot be matched in linear time")

    def _branch(self, alternatives: Sequence[Any], start: int) -> int:
        end = self.state()
        for alternative in alternatives:
            first = self.state()
            self.silent[start].append(("", first))
            self.silent[self.sequence(alternative, first)].append(("", end))
        return end

    def _group(self, argument: Any, start: int) -> int:
        _, added, removed, items = argument
        flags = self._flags
        self._flags = (flags | added) & ~removed
        end = self.sequence(items, start)
        self._flags = flags
        return end

    def _repeat(self, least: int, most: Any, items: Any, start: int) -> int:
        for _ in range(least):
            start = self.sequence(items, start)
        if most is _sre.MAXREPEAT:
            loop, end = self.state(), self.state()
            self.silent[start].append(("", loop))
            self.silent[loop].append(("", end))
            self.silent[self.sequence(items, loop)].append(("", loop))
            return end
        end = self.state()
        for _ in range(int(most) - least):
            self.silent[start].append(("", end))
            start = self.sequence(items, start)
        self.silent[start].append(("", end))
        return end

    def _anchor(self, where: Any) -> str:
        multiline = self._flags & re.MULTILINE
        if where is _sre.AT_BEGINNING:
            return "line start" if multiline else "start"
        if where is _sre.AT_END:
            return "line end" if multiline else "end or last newline"
        return {
            "AT_BEGINNING_STRING": "start", "AT_END_STRING": "end", "AT_BOUNDARY": "boundary", "AT_NON_BOUNDARY": "no boundary"
        }[str(where)]  # fmt: skip

    def _test(self, operation: Any, argument: Any) -> Predicate:
        if operation is _sre.ANY:
            return (lambda _: True) if self._flags & re.DOTALL else (lambda character: character != "\n")
        if operation is _sre.IN:
            return self._class(argument)
        test = _fold_case(chr(argument).__eq__, bool(self._flags & re.IGNORECASE))
        return test if operation is _sre.LITERAL else lambda character: not test(character)

    def _class(self, items: Sequence[tuple[Any, Any]]) -> Predicate:
        negated = bool(items) and items[0][0] is _sre.NEGATE
        tests = [_class_item(operation, argument) for operation, argument in items[negated:]]
        anyone = _fold_case(lambda character: any(test(character) for test in tests), bool(self._flags & re.IGNORECASE))
        return (lambda character: not anyone(character)) if negated else anyone


_REFUSED = {
    "GROUPREF": "a back-reference",
    "GROUPREF_IGNORE": "a back-reference",
    "GROUPREF_EXISTS": "a conditional group",
    "ASSERT": "look-around",
    "ASSERT_NOT": "look-around",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repetition",
}


def _class_item(operation: Any, argument: Any) -> Predicate:
    if operation is _sre.LITERAL:
        return lambda character: ord(character) == argument
    if operation is _sre.RANGE:
        return lambda character: argument[0] <= ord(character) <= argument[1]
    name = str(argument).removeprefix("CATEGORY_")
    test = _CATEGORIES[name.removeprefix("NOT_")]
    return (lambda character: not test(character)) if name.startswith("NOT_") else test


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES: dict[str, Predicate] = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": _is_word}


def _fold_case(test: Predicate, fold: bool) -> Predicate:
    return (lambda character: test(character) or test(character.lower()) or test(character.upper())) if fold else test


def _kind(character: str | None) -> str | None:
    """Return a character that stands for all that anchors cannot tell from this one."""
    if character is None or character == "\n":
        return character
    return "a" if _is_word(character) else " "


def _holds(condition: str, before: str | None, after: str | None, ends: bool) -> bool:
    if not condition:
        return True
    if condition in ("start", "line start"):
        return before is None or (condition == "line start" and before == "\n")
    if condition in ("end", "line end", "end or last newline"):
        return after is None or (condition == "line end" and after == "\n") or (condition == "end or last newline" and ends)
    at_boundary = (before is not None and _is_word(before)) != (after is not None and _is_word(after))
    return at_boundary == (condition == "boundary")
