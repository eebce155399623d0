"""Which patterns another one covers: what is claimed holds for every path."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.source.coverage import covers, needless_globs, needless_patterns
from ce.source.exclude import Pattern, PatternList, parse_ignore_file
from ce.source.globs import fault_of, glob_tokens, matcher

_GLOBS = st.lists(st.sampled_from(["a", "b", "*", "?", "**", "/", "[ab]", "[!a]", "."]), min_size=1, max_size=6).map("".join)
_PATHS = st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("src/**", "src/a/b.py"),
        ("src/", "src/*.py"),
        ("*.py", "src/**/*.py"),
        ("**/*.py", "*.py"),
        ("*", "src/**"),
        ("src/[a-z]*", "src/[b-d]?"),
        ("**/tests/**", "a/tests/b"),
    ],
)
def test_a_wider_glob_covers_a_narrower_one(wide: str, narrow: str) -> None:
    assert covers(glob_tokens(wide), glob_tokens(narrow))


@pytest.mark.parametrize(
    ("one", "other"),
    [("src/*", "src/**"), ("*.py", "*.pyi"), ("src/**", "source/**"), ("[!a]", "?"), ("a/*", "a/b/c"), ("*/b", "b")],
)
def test_a_glob_does_not_cover_what_it_does_not_match(one: str, other: str) -> None:
    assert not covers(glob_tokens(one), glob_tokens(other))


@settings(max_examples=400, deadline=None)
@given(_GLOBS, _GLOBS, st.lists(_PATHS, max_size=8))
def test_what_is_covered_is_matched(wide: str, narrow: str, paths: list[str]) -> None:
    if fault_of(wide) is None and fault_of(narrow) is None and covers(glob_tokens(wide), glob_tokens(narrow)):
        assert not [path for path in paths if matcher((narrow,))(path) and not matcher((wide,))(path)]


@settings(max_examples=400, deadline=None)
@given(_GLOBS, st.lists(_PATHS, max_size=8))
def test_the_automaton_of_a_glob_matches_what_the_glob_matches(glob: str, paths: list[str]) -> None:
    if fault_of(glob) is None:
        for path in paths:
            assert covers(glob_tokens(glob), glob_tokens("".join(f"[{c}]" if c != "/" else "/" for c in "/" + path))) == matcher((glob,))(
                path
            )


def test_of_two_globs_that_mean_the_same_the_later_is_needless() -> None:
    assert [(each.index, each.because) for each in needless_globs(["src/**", "docs/*", "src/", "src/a.py"])] == [(2, 0), (3, 0)]


@pytest.mark.parametrize(
    ("text", "needless"),
    [
        ("*.log\na.log\n", [(1, 0)]),
        ("a.log\n*.log\n", [(0, 1)]),
        ("build/\nbuild/x.py\n", [(1, 0)]),
        ("build/\nbuild\n", [(0, 1)]),
        ("*.log\n!keep.log\nkeep.log\n", [(1, 2)]),
        ("*.log\n!keep.log\n", []),
        ("*.log\n!keep.log\na.log\n", []),
        ("build/\n!build/x.py\nbuild/y.py\n", []),
        ("a\nb\n", []),
    ],
)
def test_a_needless_line_of_an_ignore_file_is_told_with_the_line_that_makes_it_so(text: str, needless: list[tuple[int, int]]) -> None:
    patterns = parse_ignore_file(text.encode(), ".ceignore")
    assert [(each.index, each.because) for each in needless_patterns(patterns)] == needless


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["", "!"]), _GLOBS, st.sampled_from(["", "/"])), min_size=2, max_size=4),
    st.lists(_PATHS, max_size=8),
)
def test_removing_a_needless_line_changes_nothing(lines: list[tuple[str, str, str]], paths: list[str]) -> None:
    patterns = parse_ignore_file("\n".join(map("".join, lines)).encode(), "x")
    for needless in needless_patterns(patterns):
        rest = [pattern for index, pattern in enumerate(patterns) if index != needless.index]
        for path in paths:
            for kind in (False, True):
                assert _ignored(patterns, path, kind) == _ignored(rest, path, kind)


def _ignored(patterns: Sequence[Pattern], path: str, is_directory: bool) -> bool:
    """Tell whether the path or a directory above it is ignored."""
    listed = PatternList(patterns)
    parts = path.split("/")
    for length in range(1, len(parts) + 1):
        above = "/".join(parts[:length])
        found = listed.last_match(above, parts[length - 1], is_directory if length == len(parts) else True)
        if found is not None and not found.negated:
            return True
    return False
