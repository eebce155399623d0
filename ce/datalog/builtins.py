"""The built-in tests on two names: what each means, for every engine.

`glob` compares the whole name: `*` and `?` stay within a path segment, `**` crosses segments, `[…]` is one character of a class.
`matches` looks for a match of a regular expression anywhere in the name; anchor it with `^` and `$` to compare the whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import methodcaller

from ce.datalog.linear_regex import BadPattern, compile_pattern
from ce.diagnostics import CeError

__all__ = ["PLAIN_TESTS", "glob_pattern", "matcher", "test_holds"]

# The tests that compare texts and need no automaton.
PLAIN_TESTS = frozenset({"starts_with", "ends_with", "has_substring"})


def test_holds(name: str, subject: str, pattern: str) -> bool:
    """Tell whether a built-in test holds; raises CeError for an unreadable pattern."""
    return matcher(name, pattern)(subject)


test_holds.__test__ = False  # type: ignore[attr-defined]  # not a test for pytest to collect


@lru_cache(maxsize=4096)
def matcher(name: str, pattern: str) -> Callable[[str], bool]:
    """Return the test of a subject against one pattern; raises CeError for an unreadable pattern."""
    if name in PLAIN_TESTS:
        return methodcaller({"starts_with": "startswith", "ends_with": "endswith", "has_substring": "__contains__"}[name], pattern)
    try:
        automaton = compile_pattern(glob_pattern(pattern) if name == "glob" else pattern)
    except BadPattern as error:
        raise CeError.of("CE403", f"the pattern `{pattern}` of `{name}` cannot be used: {error}") from None
    return automaton.search


def glob_pattern(glob: str) -> str:
    """Return the regular expression of a glob, anchored at both ends."""
    parts = ["\\A"]
    place = 0
    while place < len(glob):
        character = glob[place]
        if glob.startswith("**", place):
            place, part = _double_star(glob, place)
        elif character == "*":
            place, part = place + 1, "[^/]*"
        elif character == "?":
            place, part = place + 1, "[^/]"
        elif character == "[":
            place, part = _character_class(glob, place)
        else:
            place, part = place + 1, re.escape(character)
        parts.append(part)
    return "(?s)" + "".join(parts) + "\\Z"


def _double_star(glob: str, place: int) -> tuple[int, str]:
    """Read `**`: with slashes around it, any number of whole segments; elsewhere any characters."""
    after = place
    while after < len(glob) and glob[after] == "*":
        after += 1
    opens = place == 0 or glob[place - 1] == "/"
    if opens and after < len(glob) and glob[after] == "/":
        return after + 1, "(?:.*/)?"
    if opens and after == len(glob) and place:
        return after, ".+"
    return after, ".*"


def _character_class(glob: str, place: int) -> tuple[int, str]:
    negated = place + 1 < len(glob) and glob[place + 1] in "!^"
    start = place + 2 if negated else place + 1
    end = glob.find("]", start + 1)
    if end < 0:
        return place + 1, "\\["
    inside = glob[start:end].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    inside = "".join("\\" + character if character in "&~|^" else character for character in inside)
    return end + 1, f"[{'^/' if negated else ''}{inside}]"
