"""The built-in tests on names."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.datalog import builtins, filters
from ce.datalog.linear_regex import BadPattern, compile_pattern
from ce.diagnostics import CeError
from tests.datalog.evaluation import Row, derive


@pytest.mark.parametrize(
    ("test", "subject", "pattern", "holds"),
    [
        ("starts_with", "src/a.py", "src/", True),
        ("starts_with", "src/a.py", "a.py", False),
        ("ends_with", "src/a.py", ".py", True),
        ("ends_with", "src/a.py", "src", False),
        ("has_substring", "src/a.py", "c/a", True),
        ("has_substring", "src/a.py", "x", False),
        ("has_substring", "src/a.py", "", True),
        ("glob", "src/a.py", "src/*.py", True),
        ("glob", "src/b/a.py", "src/*.py", False),
        ("glob", "src/b/c/a.py", "src/**/*.py", True),
        ("glob", "src/a.py", "src/**/*.py", True),
        ("glob", "a.py", "**/*.py", True),
        ("glob", "src/a/b", "src/**", True),
        ("glob", "src", "src/**", False),
        ("glob", "any/thing at all", "**", True),
        ("glob", "a", "?", True),
        ("glob", "/", "?", False),
        ("glob", "b", "[abc]", True),
        ("glob", "d", "[abc]", False),
        ("glob", "d", "[!abc]", True),
        ("glob", "/", "[!abc]", False),
        ("glob", "m", "[a-z]", True),
        ("glob", "[x", "[x", True),
        ("glob", "a.py", "a?py", True),
        ("glob", "axpy", "a.py", False),
        ("glob", "a+b", "a+b", True),
        ("glob", "a\nb", "a*b", True),
        ("matches", "src/test_a.py", "test_", True),
        ("matches", "src/test_a.py", "^test_", False),
        ("matches", "src/test_a.py", r"^src/.*\.py$", True),
        ("matches", "abab", "^(ab)*$", True),
        ("matches", "aba", "^(ab)*$", False),
        ("matches", "a1", r"^[a-z]\d$", True),
        ("matches", "a b", r"\bb\b", True),
        ("matches", "ab", r"\bb\b", False),
        ("matches", "aaa", "^a{2,3}$", True),
        ("matches", "aaaa", "^a{2,3}$", False),
        ("matches", "ABC", "(?i)abc", True),
        ("matches", "ABC", "abc", False),
        ("matches", "x", "", True),
    ],
)
def test_what_each_test_means(test: str, subject: str, pattern: str, holds: bool) -> None:
    assert builtins.test_holds(test, subject, pattern) == holds


# Patterns made of what the two matchers share.
_pieces = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", r"\w", r"\d", "a*", "b+?", "(a|b)", "(ab)*", "(?:a|bb){1,2}", "^", "$", r"\b", r"\B", "c?"]
)
_patterns = st.lists(_pieces, min_size=1, max_size=6).map("".join)


# Whether `\B` matches the empty text differs between versions of Python.
@given(_patterns, st.text("abc1 \n", min_size=1, max_size=8))
def test_expressions_mean_what_the_standard_library_means(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).search(text) == (re.search(pattern, text) is not None)


@given(_patterns, st.text("aBA\n", min_size=1, max_size=6))
def test_flags_mean_what_the_standard_library_means(pattern: str, text: str) -> None:
    assert compile_pattern("(?ims)" + pattern).search(text) == (re.search("(?ims)" + pattern, text) is not None)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(x+x+)+y"])
def test_patterns_that_trap_backtracking_take_linear_time(pattern: str) -> None:
    started = time.process_time()
    compile_pattern(pattern).search("a" * 20_000 + "!" + "x" * 20_000)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", "a back-reference"),
        ("(?P<x>a)(?P=x)", "a back-reference"),
        ("(?=a)", "look-around"),
        ("(?<!a)b", "look-around"),
        ("(a)?(?(1)b|c)", "a conditional group"),
        ("a++", "a possessive repetition"),
        ("(?>a|ab)c", "an atomic group"),
        ("(", "not a regular expression"),
        ("*", "not a regular expression"),
        ("((a{100}){100}){100}", "too large"),
        ("(?a)a", "only the flags"),
    ],
)
def test_what_cannot_run_in_linear_time_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(BadPattern, match=re.escape(reason)):
        compile_pattern(pattern)


def test_an_unreadable_pattern_from_a_fact_is_an_error_at_the_rule() -> None:
    with pytest.raises(CeError) as raised:
        derive("p(X) :- n(X, P), matches(X, P).", {"n": [("abc", "("), ("abc", "b")]})
    assert [(diagnostic.code, str(diagnostic.span)) for diagnostic in raised.value.diagnostics] == [("CE403", "test:1:1")]


NAMES: dict[str, list[Row]] = {"f": [("a.py",), ("b.txt",), ("test_a.py",)], "g": [("a",), ("b",)]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('f(X), ends_with(X, ".py")', ["a.py", "test_a.py"]),
        ('f(X), not ends_with(X, ".py")', ["b.txt"]),
        ("f(X), g(Y), starts_with(X, Y)", ["a.py", "b.txt"]),
        ('f(X), g(Y), has_substring("abc", Y), starts_with(X, Y)', ["a.py", "b.txt"]),
        ('f(X), starts_with("abc", "ab")', ["a.py", "b.txt", "test_a.py"]),
        ('f(X), starts_with("abc", "b")', []),
        ('f(X), not starts_with("abc", "b"), glob(X, "*.txt")', ["b.txt"]),
    ],
)
def test_tests_in_rules_on_constants_and_variables_on_either_side(body: str, expected: list[str]) -> None:
    assert derive(f"p(X) :- {body}.", NAMES) == [(name,) for name in expected]


def test_each_name_is_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def matcher(name: str, pattern: str) -> object:
        def holds(subject: str) -> bool:
            seen.append(subject)
            return subject.startswith(pattern)

        return holds

    monkeypatch.setattr(filters, "matcher", matcher)
    facts: dict[str, list[Row]] = {"f": [(name, number) for name in ("a", "b") for number in range(1000)]}
    assert derive('p(N) :- f(X, N), starts_with(X, "a").', facts) == [(number,) for number in range(1000)]
    assert sorted(seen) == ["a", "b"]
