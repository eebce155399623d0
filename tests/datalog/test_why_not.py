"""Why a row is not there: the furthest point of each rule, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ce.datalog.api import run

Facts = dict[str, list[tuple[int | str, ...]]]


def attempts(program: str, facts: Facts, name: str, row: Iterable[Any]) -> list[tuple[list[str], str, str]]:
    """Return what each rule satisfied, what is missing, and why."""
    found = run(program, facts).why_not(name, tuple(row))
    assert not found.holds
    return [(list(attempt.satisfied), attempt.missing, attempt.reason) for attempt in found.attempts]


def test_every_rule_tells_how_far_it_got() -> None:
    facts: Facts = {"edge": [(1, 2), (2, 3), (5, 6)]}
    program = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z)."
    assert attempts(program, facts, "path", (1, 6)) == [
        ([], "edge(1, 6)", "no row of edge matches (1, 6)"),
        (["edge(5, 6)"], "path(1, 5)", "no row of path matches (1, 5)"),
    ]
    assert attempts(program, facts, "path", (1, 9))[1] == (["path(1, 2)"], "edge(2, 9)", "no row of edge matches (_, 9)")


def test_the_substitution_that_satisfies_most_is_kept() -> None:
    facts: Facts = {"a": [(1,), (2,), (3,)], "b": [(2,), (3,)], "c": [(3,)], "d": [(9,)]}
    assert attempts("q() :- a(X), b(X), c(X), d(X).", facts, "q", ()) == [(["a(3)", "b(3)", "c(3)"], "d(3)", "no row of d matches (3)")]


@pytest.mark.parametrize(
    ("body", "missing", "reason"),
    [
        ("p(X), not r(X)", "not r(4)", "r(4) holds"),
        ("p(X), X > 5", "4 > 5", "4 and 5: > is false"),
        ("p(X), X > 8 / (X - 4)", "4 > 8 / (4 - 4)", "a division by zero has no value"),
        ("p(X), N = count(Y : s(X, Y)), N > 1", "1 > 1", "1 and 1: > is false"),
        ("p(X), N = max(Y : t(X, Y)), N > 1", "N = max(Y : t(4, Y))", "max of nothing has no value"),
        ("p(X), not (r(X), s(X, Y))", "not (r(X), s(X, Y)) with (4)", "(r(X), s(X, Y)) with (4) holds"),
    ],
)
def test_each_kind_of_literal_says_what_is_wrong(body: str, missing: str, reason: str) -> None:
    facts: Facts = {"p": [(4,)], "r": [(4,)], "s": [(4, 7)], "t": []}
    ((satisfied, found, why),) = attempts(f"q(X) :- {body}.", facts, "q", (4,))
    assert satisfied[0] == "p(4)"
    assert (found, why) == (missing, reason)


def test_a_failed_test_is_false() -> None:
    facts: Facts = {"f": [("a.py",)]}
    assert attempts('q(F) :- f(F), ends_with(F, ".md").', facts, "q", ("a.py",)) == [
        (['f("a.py")'], 'ends_with("a.py", ".md")', 'ends_with("a.py", ".md") is false')
    ]
    assert attempts('q(F) :- f(F), not ends_with(F, ".py").', facts, "q", ("a.py",))[0][2] == 'ends_with("a.py", ".py") is true'


def test_a_head_that_cannot_be_the_row_says_so() -> None:
    why = run("q(X, low) :- p(X).", {"p": [(1,)]}).why_not("q", (1, "high"))
    assert why.attempts[0].position is None
    assert "rule program:1 gives q(X, low): the head cannot be this row" in str(why)


def test_facts_name_the_nearest_rows() -> None:
    facts: Facts = {"ref": [("a", "b", 1), ("a", "c", 2), ("d", "b", 3), ("e", "f", 4)]}
    why = run("q(X) :- ref(X, _, _).", facts).why_not("ref", ("a", "b", 9))
    assert why.attempts == ()
    assert why.nearest == (("a", "b", 1),)
    assert "no rule derives it" in str(why)


def test_a_row_that_holds_is_said_to_hold() -> None:
    why = run("q(X) :- p(X).", {"p": [(1,)]}).why_not("q", (1,))
    assert why.holds
    assert str(why) == "q(1) holds"


def test_any_value_may_stand_for_none() -> None:
    result = run("q(X, Y) :- p(X), r(X, Y).", {"p": [(1,), (2,)], "r": [(3, 4)]})
    assert str(result.why_not("q")).startswith("q(_, _) does not hold: q has 0 rows")
    assert result.why_not("q", (None, 4)).attempts[0].missing in ("p(3)", "r(1, 4)")


def test_a_query_without_answers_is_explained() -> None:
    result = run("?- p(X), r(X).", {"p": [(1,), (2,)], "r": [(3,)]})
    why = result.solution.why_not("?1")
    assert why.predicate == "?-"
    assert why.attempts[0].satisfied == ("r(3)",)
    assert why.attempts[0].missing == "p(3)"


def test_a_large_relation_is_searched_only_so_far() -> None:
    facts: Facts = {"a": [(number,) for number in range(300)], "b": [(number,) for number in range(300, 600)]}
    why = run("q() :- a(X), b(Y), X + Y < 0.", facts).why_not("q", ())
    assert not why.attempts[0].complete
    assert "20,000 substitutions were tried" in str(why)


def test_an_explanation_as_json() -> None:
    why = run("q(X) :- p(X), X > 1.", {"p": [(1,)]}).why_not("q", (1,))
    assert why.to_dict() == {
        "kind": "why_not", "predicate": "q", "args": [1], "holds": False, "rows": 0, "nearest": [],
        "attempts": [
            {"rule": "program:1", "satisfied": ["p(1)"], "missing": "1 > 1", "reason": "1 and 1: > is false", "position": 1,
             "literals": 2, "substitution": {"X": 1}, "complete": True},
        ],
    }  # fmt: skip


def test_a_whole_explanation_as_text(golden: Callable[[str, str], None]) -> None:
    program = 'path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).\npath(home, Y) :- edge(Y, "away"), not closed().'
    facts: Facts = {"edge": [("home", "inn"), ("inn", "mill"), ("pier", "away")], "closed": [()]}
    golden("why_not.txt", f"{run(program, facts).why_not('path', ('home', 'pier'))}\n")
