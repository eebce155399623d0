"""Warnings about programs: what they claim is true, and silence where nothing is wrong. The texts are in `fixtures/datalog/lint`."""

from __future__ import annotations

from hypothesis import given, settings

import ce.datalog
from ce.datalog.checked import CoreRule
from ce.datalog.checks import check
from ce.datalog.emptiness import find_emptiness
from ce.datalog.lint import lint
from ce.datalog.parse import parse, parse_program
from ce.datalog.subsumption import subsumes
from ce.datalog.syntax import Program
from ce.diagnostics import CeError, Severity
from ce.facts.schema import schema
from tests.datalog.programs import rule_texts

_FACTS: dict[str, list[tuple[int | str, ...]]] = {
    "p": [(1,), (2,)],
    "q": [(1, 2), (2, 3), (2, 2)],
    "r": [(2, 3), (3, 1)],
    "s": [(3,), (1,)],
}
_SORTS = {name: ("int",) * len(rows[0]) for name, rows in _FACTS.items()}


def _rules(text: str) -> tuple[CoreRule, ...]:
    return check(parse(text, "p.dl"), facts=_SORTS).rules


def _codes(text: str, counts: dict[str, int] | None = None) -> list[str]:
    program = parse(text, "p.dl")
    return [warning.code for warning in lint(program, check(program, schema()), schema(), counts)]


def test_a_tidy_program_has_no_warnings() -> None:
    assert (
        _codes("reaches(F, G) :- ref(F, G, _, _). reaches(F, H) :- reaches(F, G), ref(G, H, _, _). ?- reaches(F, _), role(F, test).") == []
    )


def test_warnings_are_warnings_sorted_by_place() -> None:
    program = parse("b(F) :- lines(F, N). a(F) :- file(F), dir(_X), node(_X, _).", "p.dl")
    warnings = lint(program, None)
    assert [(warning.code, warning.severity) for warning in warnings] == [("CE302", Severity.WARNING), ("CE304", Severity.WARNING)]


def test_a_program_without_goals_is_a_library_whose_relations_are_all_used() -> None:
    assert _codes("a(F) :- file(F).") == []


def test_included_sources_are_not_reported_unless_asked_for() -> None:
    files = {"lib.dl": "l(F) :- lines(F, N)."}
    program = parse_program([("p.dl", 'include "lib.dl". ?- l(F).')], lambda path, _: (path, files[path]))
    checked = check(program, schema())
    assert lint(program, checked, schema()) == []
    assert [warning.code for warning in lint(program, checked, schema(), sources=["lib.dl"])] == ["CE302"]


def test_an_assertion_over_absent_facts_is_vacuous_only_where_the_facts_are_absent() -> None:
    text = "copied(F) :- dup(F, _, _). assert no_copies(F) :- copied(F)."
    assert _codes(text) == []
    assert _codes(text, {"dup": 3}) == []
    assert _codes(text, {"dup": 0}) == ["CE309"]
    assert _codes("assert few(N) :- N = count(F : dup(F, _, _)), N > 3.", {"dup": 0}) == []
    assert _codes("assert no_owner(F) :- file(F), not owner(F, _).", {"owner": 0}) == []


def test_a_more_general_rule_subsumes_and_shows_its_substitution() -> None:
    general, special = _rules("t(X) :- q(X, Y), p(Y). t(A) :- p(B), q(A, B), A < 3.")
    assert subsumes(general, special) == {"X": "A", "Y": "B"}
    assert subsumes(special, general) is None


def test_two_wildcards_are_not_one_value() -> None:
    general, special = _rules("t(X) :- q(X, Y), p(Y). t(X) :- q(X, _), p(_).")
    assert subsumes(general, special) is None
    assert subsumes(special, general) == {"X": "X"}


def test_a_search_for_a_substitution_ends() -> None:
    hard = ", ".join(f"q(X{i}, X{i + 1})" for i in range(40))
    dense = ", ".join(f"q(Y{i}, Y{j})" for i in range(7) for j in range(7) if i != j)
    general, special = _rules(f"t(X0) :- {hard}, q(X40, X40). t(Y0) :- {dense}.")
    assert subsumes(general, special) is None


@settings(max_examples=150, deadline=None)
@given(rule_texts(("t(X)", "t(Y)")), rule_texts(("t(X)", "t(Y)")))
def test_a_subsumed_rule_can_be_removed(one: str, other: str) -> None:
    try:
        rules = [_rules(text) for text in (one, other)]
        rows = [set(ce.datalog.run(text, _FACTS)["t"]) for text in (one, other)]
    except CeError:
        return
    # Auxiliary relations of two programs may share a name and mean different things, so only whole rules are compared.
    if len(rules[0]) == len(rules[1]) == 1 and subsumes(rules[0][0], rules[1][0]) is not None:
        assert rows[1] <= rows[0]


@settings(max_examples=150, deadline=None)
@given(rule_texts())
def test_a_relation_that_is_said_to_be_empty_is_empty(text: str) -> None:
    try:
        checked = check(parse(text, "p.dl"), facts=_SORTS)
        result = ce.datalog.run(text, _FACTS)
    except CeError:
        return
    for name in find_emptiness(checked).relations:
        if not name.startswith("~"):
            assert result[name] == []


@settings(deadline=None)
@given(rule_texts())
def test_linting_never_fails(text: str) -> None:
    program = parse(text, "p.dl")
    try:
        checked = check(program, facts=_SORTS)
    except CeError:
        checked = None
    lint(program, checked, (), {"p": 0})
    lint(Program(program.clauses), checked)
