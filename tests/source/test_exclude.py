"""Ignore files mean what git takes them to mean."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ce.source.exclude import PatternList, build_output_of, parse_ignore_file, pattern_list
from ce.source.settings import Settings
from ce.source.walk import walk
from tests.fakes.git_sandbox import init, listed, write

NAMES = (
    "a", "b", "ab", "ba", "abb", "a b", "a ", "é", "[a]", "a\\b", "!a", "#a", "a*", "-", "]", "A", "a.py", "a\nb", "\udcff", "^", "ab.c",
    "a-b", "c", "0", "_",
)  # fmt: skip
DIRECTORIES = ("", "d/", "d/e/", "e/", "e/d/", "e/d/e/", "a b.d/", "ad/", "dd/")

ATOMS = (
    "a", "b", "c", "d", "e", "d/", "e/", "/", "*", "**", "?", "**/", "/**", "/**/", "*/", "***", "a**/", "d**/", "[ab]", "[!a]",
    "[^a-c]", "\\", "\\*", "\\/", "\\d", "[", "[]]", "[a", "[[:alpha:]]", "[[:foo:]]", "[a-]", "[\\]]", "[!]a]", "[]-a]", "[z-a]",
    "[a-\\c]", "[[:alpha:]-z]", "[[:space:]]", "[[:a]", "-", " ", "\\ ", "!", "#", "é", "\udcff", ".py", "A", "\t", "||",
)  # fmt: skip


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = init(tmp_path_factory.mktemp("awkward"))
    return write(root, {directory + name: "" for directory in DIRECTORIES for name in NAMES})


def pattern() -> st.SearchStrategy[str]:
    body = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join)
    return st.tuples(st.sampled_from(("", "", "!")), body, st.sampled_from(("", "", "/"))).map("".join)


def ignore_file() -> st.SearchStrategy[bytes]:
    lines = st.lists(pattern(), min_size=1, max_size=4).map("\n".join)
    ends = st.sampled_from((b"", b"\n", b"\r\n", b" \n"))
    return st.tuples(st.sampled_from((b"", b"\xef\xbb\xbf")), lines.map(os.fsencode), ends).map(b"".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(("", "d/", "d/e/", "e/")), ignore_file(), min_size=1))
def test_generated_ignore_files_leave_what_git_leaves(awkward: Path, ignore_files: dict[str, bytes]) -> None:
    for found in awkward.rglob(".gitignore"):
        found.unlink()
    write(awkward, {f"{directory}.gitignore": content for directory, content in ignore_files.items()})
    expected = [path for path in listed(awkward) if not path.endswith(".gitignore")]
    assert list(walk(awkward, Settings()).paths) == expected


def decisions(text: str | bytes, *paths: str) -> Iterator[bool]:
    data = text if isinstance(text, bytes) else text.encode()
    patterns = PatternList(parse_ignore_file(data, ".gitignore"))
    for path in paths:
        found = patterns.last_match(path.rstrip("/"), path.rstrip("/").rpartition("/")[2], path.endswith("/"))
        yield found is not None and not found.negated


@pytest.mark.parametrize(
    ("text", "ignored", "kept"),
    [
        ("*.log\n!keep.log\n", ["a.log", "d/b.log"], ["keep.log", "d/keep.log", "a.txt"]),
        ("/only_here\n", ["only_here"], ["d/only_here"]),
        ("build/\n", ["build/", "d/build/"], ["build", "d/build"]),
        ("d/*.py\n", ["d/a.py"], ["a.py", "d/e/a.py"]),
        ("d/**/x\n", ["d/x", "d/e/x", "d/e/f/x"], ["x", "e/d/x"]),
        ("**/x\n", ["x", "d/e/x"], ["xx"]),
        ("d/**\n", ["d/x", "d/e/x"], ["d", "x"]),
        ("a  \nb\\ \n", ["a", "b "], ["a  ", "b"]),
        ("\\#a\n\\!b\n#c\n", ["#a", "!b"], ["#c", "c"]),
        ("[a-c]x\n[!a]y\n", ["ax", "by"], ["dx", "ay"]),
        ("a\r\nb\r\n", ["a", "b"], ["a\r"]),
        (b"\xef\xbb\xbfa\n", ["a"], []),
        ("a||b\n||\n", ["a||b", "||"], ["a", "b"]),
        ("", [], ["a"]),
        ("!\n/\n\n \n", [], ["a", " "]),
        ("[\nx\\\n", [], ["[", "x", "x\\"]),
    ],
)
def test_a_line_ignores_what_its_words_say(text: str | bytes, ignored: list[str], kept: list[str]) -> None:
    assert all(decisions(text, *ignored))
    assert not any(decisions(text, *kept))


def test_a_pattern_says_where_it_stands() -> None:
    patterns = PatternList(parse_ignore_file(b"# one\n\n*.pyc\n", "src/.gitignore"))
    assert str(patterns.last_match("a.pyc", "a.pyc", False)) == "src/.gitignore:3"


def test_many_stars_take_linear_time() -> None:
    hostile = PatternList(parse_ignore_file(b"*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n/**/a*a*/**/a*a*/**/a*a*/**/*b\n", ".gitignore"))
    name = "a" * 4000
    path = "/".join(["a" * 30] * 120)
    start = time.perf_counter()
    assert hostile.last_match(name, name, False) is None
    assert hostile.last_match(path, path.rpartition("/")[2], False) is None
    assert time.perf_counter() - start < 2


def test_a_build_output_needs_its_project_file() -> None:
    assert build_output_of("target", ["Cargo.toml", "src"]) == "Cargo.toml"
    assert build_output_of("dist", ["x.cabal"]) == "x.cabal"
    assert build_output_of("build", ["setup.py", "pyproject.toml"]) == "pyproject.toml"
    assert build_output_of("target", ["pyproject.toml"]) is None
    assert build_output_of("build", []) is None
    assert build_output_of("src", ["Cargo.toml"]) is None


def test_patterns_of_the_settings_compare_characters() -> None:
    patterns = pattern_list(["caf?"], "ce.toml")
    assert patterns.last_match("café", "café", False) is not None


@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=8).map("".join))
def test_every_text_has_a_translation_or_none(text: str) -> None:
    for one in parse_ignore_file(os.fsencode(text), ".gitignore"):
        if one.regex is not None:
            re.compile(one.regex)
