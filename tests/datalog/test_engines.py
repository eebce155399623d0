"""pyDatalog behind the common protocol: its quirks stay inside."""

from __future__ import annotations

import pytest

from ce.datalog.api import run

pyDatalog = pytest.importorskip("pyDatalog.pyDatalog")


def test_a_program_of_the_user_in_pydatalog_survives() -> None:
    pyDatalog.clear()
    pyDatalog.assert_fact("mine", 1)
    run("mine(X) :- p(X).", {"p": [(2,), (3,)]}, engine="pydatalog")
    assert pyDatalog.ask("mine(X)").answers == [(1,)]
    pyDatalog.clear()


@pytest.mark.parametrize("name", ["__import__('os').system('true')", "X", "_pyD_class", "True", "1", "", "~p", "a\nb", "'", "%s", "{0}"])
def test_names_are_never_read_as_code(name: str) -> None:
    result = run('q(X) :- p(X), X != "other".\nr(X) :- p(X), not q(X).', {"p": [(name,), ("other",)]}, engine="pydatalog")
    assert result["q"] == [(name,)]
    assert result["r"] == [("other",)]


def test_circles_of_calls_end() -> None:
    closure = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y), path(Y, Z).\n"
    program = closure + "odd(Y) :- even(X), edge(X, Y).\neven(1).\neven(Y) :- odd(X), edge(X, Y)."
    circle = [(n, n % 6 + 1) for n in range(1, 7)]
    result = run(program, {"edge": circle}, engine="pydatalog")
    assert len(result["path"]) == 36
    assert result["even"] == [(1,), (3,), (5,)]


def test_an_aggregate_may_follow_its_own_recursion() -> None:
    program = "r(X) :- s(X).\nr(Y) :- r(X), e(X, Y), N = count(Z : e(Y, Z), M = count(W : e(Z, W)), M > 0), N < 2."
    facts: dict[str, list[tuple[int | str, ...]]] = {"s": [(1,)], "e": [(1, 2), (2, 3), (2, 4), (3, 3), (4, 1), (1, 5), (5, 3)]}
    assert run(program, facts, engine="pydatalog")["r"] == run(program, facts)["r"] == [(1,), (3,), (5,)]


def test_a_body_may_be_longer_than_the_stack_of_python_is_high() -> None:
    body = ", ".join(f"p(X, {number % 3})" for number in range(1_200))
    result = run(f"q(X) :- {body}.", {"p": [(1, 0), (1, 1), (1, 2), (2, 0)]}, engine="naive")
    assert result["q"] == [(1,)]
    assert len(result.explain("q", (1,)).premises) == 1_200
    assert result.why_not("q", (2,)).attempts[0].missing == "p(2, 1)"
