"""Canonical text: reading it gives the same program, writing it again changes nothing, comments survive."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.datalog.format import format_source, unparse, unparse_clause
from ce.datalog.lexer import tokenize
from ce.datalog.parse import parse
from ce.datalog.syntax import Clause, Program
from ce.diagnostics import CeError
from tests.datalog.programs import clauses


def _read(text: str) -> Program:
    return parse(text, "p.dl", loader=lambda *_: ("p.dl", text))


@settings(deadline=None)
@given(st.lists(clauses, max_size=3))
def test_reading_what_is_written_gives_the_same_program(given_clauses: list[Clause]) -> None:
    program = Program(tuple(given_clauses))
    assert _read(unparse(program)) == program


@settings(deadline=None)
@given(clauses)
def test_a_written_clause_is_in_canonical_layout(clause: Clause) -> None:
    text = unparse_clause(clause) + "\n"
    assert format_source(text) == text


@st.composite
def _scattered(draw: st.DrawFn) -> str:
    """Return a program whose tokens stand anywhere, with comments between them."""
    text = unparse(Program(tuple(draw(st.lists(clauses, min_size=1, max_size=2)))))
    gaps = st.sampled_from([" ", "\n", "  # why\n", "\n# own\n", "\n\n\n", "\t# a\n# b\n"])
    glue = {"PREDICATE", "ADDITIVE"}
    # A comment between a relation and its `(`, or none after an operator, would change the tokens.
    return "".join(token.text + (" " if token.type in glue else draw(gaps)) for token in tokenize("p.dl", text).tokens)


@settings(max_examples=200, deadline=None)
@given(_scattered())
def test_formatting_changes_only_white_space(text: str) -> None:
    formatted = format_source(text)
    assert _read(formatted) == _read(text)
    before, after = tokenize("p.dl", text), tokenize("p.dl", formatted)
    assert [token.text for token in after.tokens] == [token.text for token in before.tokens]
    assert Counter(comment.text for comment in after.comments) == Counter(comment.text for comment in before.comments)
    assert format_source(formatted) == formatted
    assert all(line == line.rstrip() for line in formatted.split("\n"))


def test_comments_stay_with_what_they_stand_at() -> None:
    text = (
        "# about p\np(X):-q(X), # why q\n  # about the group\n  not(a(X,_ # inside\n  ),b(X)), N=count(Z : e(Z,X)). # the end\n"
        "\n\n\nq( 1 ). q(2). # both\n# last"
    )
    assert format_source(text) == (
        "# about p\n"
        "p(X) :-\n"
        "    q(X),  # why q\n"
        "    # about the group\n"
        "    not (\n"
        "        # inside\n"
        "        a(X, _),\n"
        "        b(X)\n"
        "    ),\n"
        "    N = count(Z : e(Z, X)).  # the end\n"
        "\n"
        "q(1).\n"
        "q(2).  # both\n"
        "# last\n"
    )


@pytest.mark.parametrize("text", ["p(X) :- q(X).\n", "?- q(X), p(X).\n", "p(X) :-\n    q(X).\n", "", "# only a comment\n"])
def test_what_is_canonical_stays(text: str) -> None:
    assert format_source(text) == text


def test_a_rule_of_two_literals_has_one_a_line() -> None:
    assert format_source("p(X) :- q(X), r(X).") == "p(X) :-\n    q(X),\n    r(X).\n"


def test_a_group_that_is_too_long_for_a_line_is_broken_at_its_literals() -> None:
    long = "a" * 50
    assert format_source(f"p(X) :- q(X), ({long}(X) ; {long}b(X)).") == (
        f"p(X) :-\n    q(X),\n    (\n        {long}(X) ;\n        {long}b(X)\n    ).\n"
    )


def test_a_text_that_is_no_program_is_refused() -> None:
    with pytest.raises(CeError, match="CE105"):
        format_source("p(1)")
