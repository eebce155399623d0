"""What the prover proves, and that whatever it proves really holds on sampled strings."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ce.clauses import cover, emit, matches, split_patterns
from ce.clauses.prover import Shape, prove, shape_of

HEAD = r'/"command"\s*:\s*"'
TAIL = r'(?=[\s"\\])/'


def call(command: str) -> str:
    return "Bash " + json.dumps({"command": command})


def test_a_command_literal_is_emitted_in_the_one_anchored_form() -> None:
    assert emit("npm test") == r'/"command"\s*:\s*"npm\s+test(?=[\s"\\])/'


@pytest.mark.parametrize("literal", ["npm test", "a.b*c+d?e^f$g{h}i(j)k|l[m]n\\o", "rm -rf /", 'say "x"', "a  \t b"])
def test_an_emitted_matcher_parses_back_to_its_literal(literal: str) -> None:
    assert shape_of(emit(literal)) == Shape("command", " ".join(literal.split()))


def test_an_empty_command_is_refused() -> None:
    with pytest.raises(ValueError, match="not empty"):
        emit("")


def test_the_literal_is_pinned_to_the_start_of_the_command_and_to_a_token_boundary() -> None:
    assert matches(emit("npm test"), call("npm test --watch"))
    assert matches(emit("npm test"), call("npm  test"))
    assert not matches(emit("npm test"), call("rm -rf / # npm test"))
    assert not matches(emit("git s"), call("git stash"))
    assert matches(emit("git s"), call("git s\nrm"))


@pytest.mark.parametrize(
    ("covering", "covered", "label"),
    [
        ("npm", "npm", "identical"),
        ("NPM  test", "npm test", "identical"),
        ("npm", "run npm test", "substring"),
        ("npm", emit("npm test"), "substring"),
        (emit("npm"), emit("npm test"), "command-prefix"),
        (emit("np"), emit("npm test"), None),
        (emit("npm test"), emit("npm"), None),
        (emit("npm"), "npm test", None),
        ("npm test", emit("npm test"), "substring"),
        ("command", emit("npm test"), None),
        ("/npm.*/", "/npm.*/", None),
        ("", "npm", None),
        ("npm", "", None),
    ],
)
def test_two_matchers_and_what_is_proved_of_them(covering: str, covered: str, label: str | None) -> None:
    assert cover(covering, covered) == label


@pytest.mark.parametrize("body", [r"npm\s+|rm", r"npm\S+x", "npm.test", "npm(?:x)", r"npm\d", "", "npm test"])
def test_a_body_that_is_no_escaped_literal_is_no_anchored_matcher(body: str) -> None:
    """T1: what looks anchored at both ends but holds a regular expression has no shape."""
    assert shape_of(HEAD + body + TAIL) is None


def test_the_escapes_are_not_text() -> None:
    """T2: the `s` of an escaped space is no letter."""
    assert cover("s", "a b") is None
    assert cover("s", emit("a b")) is None


@pytest.mark.parametrize(("flags", "understood"), [("", True), ("i", True), ("y", False), ("g", False), ("ii", False), ("im", False)])
def test_only_the_emitted_flags_are_understood(flags: str, understood: bool) -> None:
    """T3: a flag that could change the language leaves no shape."""
    assert (shape_of(emit("npm test") + flags) is not None) is understood


def test_equal_text_of_two_shapes_is_not_identical() -> None:
    """T4: free text and an anchored literal are not one language."""
    assert cover("npm test", emit("npm test")) == "substring"
    assert cover(emit("npm test"), "npm test") is None


def test_a_literal_beyond_ascii_proves_equality_only() -> None:
    assert cover("é", "é") == "identical"
    assert cover("é", "éa") is None
    assert cover(emit("é"), emit("é a")) is None


def test_a_certificate_can_be_checked_without_the_prover() -> None:
    proof = prove("stash", emit("git stash pop"))
    assert proof is not None
    assert proof.covered.text[proof.offset :].startswith(proof.covering.text)
    prefix = prove(emit("git"), emit("git stash"))
    assert prefix is not None
    assert prefix.covered.text[: prefix.offset] == prefix.covering.text
    assert prefix.covered.text[prefix.offset] == " "


def test_match_lines_give_backticked_pieces_first() -> None:
    assert split_patterns("npm, `a, b`, , yarn,`c`") == ("a, b", "c", "npm", "yarn")


_WORD = st.text("abcnpst.*+$|()[]{}^?\\-/'\" \t", min_size=1, max_size=8)
_PATTERN = st.one_of(_WORD, _WORD.map(emit), st.sampled_from(["/a.*/", emit("a") + "y", "/x/g", HEAD + r"a\s+|b" + TAIL]))
_FILL = st.text('abcnpst.* \t\\"', max_size=6)


@st.composite
def _related(draw: st.DrawFn) -> tuple[str, str]:
    """Draw two matchers of which the second is often built around the first one's text."""
    text = draw(_WORD)
    around = draw(_WORD) + text + draw(_WORD) if draw(st.booleans()) else text + draw(st.sampled_from(["", " ", "x"])) + draw(_WORD)
    covering = emit(text) if draw(st.booleans()) else text
    return covering, emit(around) if draw(st.booleans()) else around


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(pair=_related(), before=_FILL, after=_FILL, spaces=st.sampled_from([" ", "  ", "\t "]), upper=st.booleans())
def test_whatever_is_proved_contained_really_is(pair: tuple[str, str], before: str, after: str, spaces: str, upper: bool) -> None:
    covering, covered = pair
    assume(cover(covering, covered) is not None)
    shape = shape_of(covered)
    assert shape is not None
    text = shape.text.replace(" ", spaces)
    text = text.upper() if upper else text
    for haystack in (
        before + text + after,
        call(text + " " + after),
        call(text),
        f'T {{"command" : "{text}"}}',
        f'T {{"x":"{before}","command":"{text}\\n{after}"}}',
    ):
        if matches(covered, haystack):
            assert matches(covering, haystack)


@given(st.lists(_PATTERN, min_size=3, max_size=3))
def test_containment_is_transitive(patterns: list[str]) -> None:
    a, b, c = patterns
    if cover(a, b) and cover(b, c):
        assert cover(a, c) is not None


@given(_PATTERN)
def test_matching_never_raises(pattern: str) -> None:
    assert matches(pattern, call("npm test")) in (True, False)
    assert re.escape(pattern)
