"""One glob dialect for settings and programs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.diagnostics import CeError
from ce.source.globs import expand, fault_of, matcher

PATHS = ["a.py", "src/a.py", "src/b.txt", "src/x/a.py", "src/x/y/c.py", "test/src/a.py", "été.py", "odd\nname.py", "[id].tsx", "src"]


@pytest.mark.parametrize(
    ("glob", "matched"),
    [
        ("**", PATHS),
        ("*.py", ["a.py", "src/a.py", "src/x/a.py", "src/x/y/c.py", "test/src/a.py", "été.py", "odd\nname.py"]),
        ("/*.py", ["a.py", "été.py", "odd\nname.py"]),
        ("src/*", ["src/a.py", "src/b.txt"]),
        ("src/**", ["src/a.py", "src/b.txt", "src/x/a.py", "src/x/y/c.py"]),
        ("src/", ["src/a.py", "src/b.txt", "src/x/a.py", "src/x/y/c.py"]),
        ("src/**/a.py", ["src/a.py", "src/x/a.py"]),
        ("**/src/a.py", ["src/a.py", "test/src/a.py"]),
        ("src/*/*.py", ["src/x/a.py"]),
        ("a.py", ["a.py", "src/a.py", "src/x/a.py", "test/src/a.py"]),
        ("?t?.py", ["été.py"]),
        ("src/[a-b].*", ["src/a.py", "src/b.txt"]),
        ("src/[!a].*", ["src/b.txt"]),
        ("[[]id].tsx", ["[id].tsx"]),
        ("src", ["src"]),
        ("src/x", []),
    ],
)
def test_a_glob_matches_whole_paths(glob: str, matched: list[str]) -> None:
    assert expand(glob, PATHS) == matched


def test_a_matcher_of_several_globs_matches_what_one_of_them_does() -> None:
    matches = matcher(("src/x/", "*.txt"))
    assert [path for path in PATHS if matches(path)] == ["src/b.txt", "src/x/a.py", "src/x/y/c.py"]
    assert not matcher(())("a.py")


@pytest.mark.parametrize(
    ("glob", "sentence"),
    [
        ("", "it names nothing"),
        ("/", "it names nothing"),
        ("!src/**", "it starts with `!`"),
        ("#src", "it starts with `#`"),
        ("src\\*.py", "it contains a backslash"),
        ("src/[ab", "a set in it is not closed"),
        ("[[:letters:]]", "names an unknown class"),
        ("src/{a,b}/*.py", "braces do not list alternatives here"),
        ("./src/**", "a segment of it is empty, `.` or `..`"),
        ("src//a", "a segment of it is empty, `.` or `..`"),
        ("../x", "a segment of it is empty, `.` or `..`"),
        ("a\nb", "it contains a line break"),
    ],
)
def test_what_is_no_glob_is_refused_with_a_reason(glob: str, sentence: str) -> None:
    fault = fault_of(glob)
    assert fault is not None and sentence in fault[0]
    with pytest.raises(CeError) as refused:
        expand(glob, PATHS)
    assert refused.value.diagnostics[0].code == "CE506"
    assert f"`{glob}` is not a glob" in refused.value.diagnostics[0].message


@given(st.text(st.sampled_from("ab/*?[]!-^.{},:"), max_size=12), st.lists(st.text(st.sampled_from("ab/."), min_size=1, max_size=8)))
def test_any_text_is_a_glob_or_is_refused(glob: str, paths: list[str]) -> None:
    if fault_of(glob) is None:
        expand(glob, paths)
    else:
        with pytest.raises(CeError):
            expand(glob, paths)


def reference(glob: str, path: str) -> bool:
    """Match segment by segment, trying every split, as a second opinion for globs of letters, `?`, `*` and `**`."""

    def segments(pattern: list[str], parts: list[str]) -> bool:
        if not pattern:
            return not parts
        if pattern[0] == "**":
            rest = pattern[1:]
            if not rest:
                return bool(parts) or not pattern
            return any(segments(rest, parts[start:]) for start in range(len(parts) + 1))
        return bool(parts) and segment(pattern[0], parts[0]) and segments(pattern[1:], parts[1:])

    def segment(pattern: str, text: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "*":
            return segment(pattern[1:], text) or (bool(text) and segment(pattern, text[1:]))
        return bool(text) and pattern[0] in ("?", text[0]) and segment(pattern[1:], text[1:])

    return segments(glob.split("/") if "/" in glob else ["**", glob], path.split("/"))


SEGMENT = st.text(st.sampled_from("ab*?"), min_size=1, max_size=5).map(lambda text: text.replace("**", "*"))
GLOB = st.lists(st.one_of(SEGMENT, st.just("**")), min_size=1, max_size=5).map("/".join)
PATH = st.lists(st.text(st.sampled_from("ab"), min_size=1, max_size=5), min_size=1, max_size=5).map("/".join)


@given(GLOB, PATH)
def test_the_compiled_glob_agrees_with_a_plain_matcher(glob: str, path: str) -> None:
    assert bool(expand(glob, [path])) == reference(glob, path)


def test_hostile_globs_take_linear_time() -> None:
    start = time.perf_counter()
    assert expand("*a" * 20 + "*b", ["a" * 5000]) == []
    assert expand("**/a*a*/" * 8 + "b", ["/".join(["aaaa"] * 200)]) == []
    assert time.perf_counter() - start < 2
