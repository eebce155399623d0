"""The columnar evaluator: what it derives, in which rounds, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from ce.datalog.arithmetic import Overflow, apply, total
from ce.datalog.evaluate import evaluate
from ce.datalog.growing import FACT
from ce.datalog.kernels import CHUNK, Ints
from ce.datalog.plan import plan
from ce.diagnostics import CeError, Severity
from tests.datalog.evaluation import Facts, Row, checked_program, database, derive, model_of, rows_of

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1

CHAIN = {"edge": [(number, number + 1) for number in range(6)]}
CLOSURE = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


def ints(*numbers: int) -> Ints:
    return np.array(numbers, dtype=np.int64)


def test_closure_of_a_chain() -> None:
    assert derive(CLOSURE, CHAIN, wanted="path") == [(low, high) for low in range(7) for high in range(low + 1, 7)]


def test_the_round_of_a_row_is_its_least_height_in_the_stratum() -> None:
    model = model_of(CLOSURE + " edge(9, 1).", CHAIN)
    distances = {(low, high): round_ for (low, high), round_ in zip(rows_of(model, "path"), model.rounds("path").tolist(), strict=True)}
    assert distances[(0, 1)] == 1
    assert distances[(0, 6)] == 6
    assert distances[(9, 6)] == 6


def test_a_row_remembers_the_first_of_the_rules_that_derive_it_in_its_round() -> None:
    model = model_of("p(X) :- b(X). p(X) :- a(X). p(3). p(X) :- a(X), b(X).", {"a": [(1,), (2,)], "b": [(2,), (3,)], "p": [(4,)]})
    assert rows_of(model, "p") == [(1,), (2,), (3,), (4,)]
    assert [model.rule_of("p", number) for number in range(4)] == [1, 0, 2, FACT]
    assert model.rounds("p").tolist() == [1, 1, 0, 0]
    assert model.round_of("p", 3) == 0
    assert model.derived() == 3


def test_nothing_derived_in_a_round_is_read_in_it() -> None:
    """Otherwise `b` would come at round 1, through the `a` of the same round."""
    model = model_of("a(X) :- e(X). b(X) :- a(X). a(Y) :- b(X), next(X, Y).", {"e": [(0,)], "next": [(0, 1), (1, 2)]})
    assert model.rounds("a").tolist() == [1, 3, 5]
    assert model.rounds("b").tolist() == [2, 4, 6]


def test_rules_with_several_recursive_atoms_meet_every_pair_of_rows() -> None:
    facts = {"edge": [(number, (number * 7 + 3) % 40) for number in range(40)] + [(number, (number * number) % 40) for number in range(40)]}
    left = derive(CLOSURE, facts, wanted="path")
    assert derive("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).", facts, wanted="path") == left
    three = "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), edge(Y, Z). path(W, Z) :- path(W, X), path(X, Y), path(Y, Z)."
    assert derive(three, facts, wanted="path") == left


def test_points_to_through_views_equals_points_to_without() -> None:
    generator = np.random.default_rng(3)

    def some(count: int) -> list[Row]:
        return [(int(a), int(b)) for a, b in generator.integers(0, 30, (count, 2))]

    facts = {"addr": some(15), "assign": some(20), "ld": some(8), "st": some(8)}
    split = """
        pt(Y, X) :- addr(Y, X).  pt(Y, X) :- assign(Y, Z), pt(Z, X).
        pt(Y, W) :- ld(Y, X), pt(X, Z), pt(Z, W).  pt(Z, W) :- st(Y, X), pt(Y, Z), pt(X, W)."""
    whole = """
        pt(Y, X) :- addr(Y, X).  pt(Y, X) :- assign(Y, Z), pt(Z, X).
        one(Y, Z) :- ld(Y, X), pt(X, Z).  pt(Y, W) :- one(Y, Z), pt(Z, W).
        two(X, Z) :- st(Y, X), pt(Y, Z).  pt(Z, W) :- two(X, Z), pt(X, W)."""
    model = model_of(split, facts)
    assert rows_of(model, "pt") == derive(whole, facts, wanted="pt")
    assert model.count("pt") > 50
    assert not any("~" in name for name in model.plan.relations), "views belong to the stratum, not to the model"


def test_a_relation_may_have_facts_and_rules() -> None:
    assert derive("p(2). p(X) :- q(X). q(Y) :- p(X), Y = X + 1, Y < 6.", {"p": [(0,)]}) == [(number,) for number in range(6)]


def test_repeated_variables_and_constants_select_rows_of_fixed_and_growing_relations() -> None:
    facts: Facts = {"e": [(1, 1), (1, 2), (2, 2), (2, 3)]}
    assert derive("p(X) :- e(X, X).", facts) == [(1,), (2,)]
    assert derive("p(X) :- e(X, 2), e(1, X).", facts) == [(1,), (2,)]
    assert derive("p(X, Y) :- e(X, Y). p(Y, X) :- p(X, X), p(X, Y). p(X, X) :- p(2, X), p(_, 3).", facts) == [
        (1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)
    ]  # fmt: skip


def test_wildcards_under_negation_mean_no_row_at_all() -> None:
    facts: Facts = {"n": [(1,), (2,), (3,)], "e": [(1, 2)]}
    assert derive("p(X) :- n(X), not e(X, _).", facts) == [(2,), (3,)]
    assert derive("p(X) :- n(X), not e(_, _).", facts) == []
    assert derive("p(X) :- n(X), not e(7, _).", facts) == [(1,), (2,), (3,)]


def test_a_relation_without_columns_holds_or_does_not() -> None:
    assert derive("p() :- e(_, 2).", {"e": [(1, 2)]}) == [()]
    assert derive("p() :- e(_, 3).", {"e": [(1, 2)]}) == []
    assert derive("q() :- e(_, 2). p(X) :- e(X, _), q(). p(X) :- e(_, X), not q().", {"e": [(1, 2)]}) == [(1,)]


def test_rows_of_twelve_columns() -> None:
    row = tuple(range(12))
    names = ", ".join(f"V{number}" for number in range(12))
    shifted = ", ".join(f"V{(number + 1) % 12}" for number in range(12))
    assert derive(f"p({names}) :- e({names}). p({shifted}) :- p({names}).", {"e": [row]}) == sorted(
        row[shift:] + row[:shift] for shift in range(12)
    )


def test_values_at_both_ends_of_64_bits_join_negate_and_aggregate() -> None:
    edges: list[Row] = [(LEAST, GREATEST), (GREATEST, 0), (0, LEAST), (-1, -1)]
    facts = {"e": edges}
    closure = derive("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", facts)
    cycle = [LEAST, 0, GREATEST]
    assert closure == sorted([(a, b) for a in cycle for b in cycle] + [(-1, -1)])
    assert derive("p(X) :- e(X, _), not e(_, X).", facts) == []
    assert derive("p(X, N) :- e(X, _), N = count(Y : e(Y, X)).", facts) == [(LEAST, 1), (-1, 1), (0, 1), (GREATEST, 1)]
    assert derive("p(A, B) :- A = min(X : e(X, _)), B = max(X : e(X, _)).", facts) == [(LEAST, GREATEST)]


def test_wide_rows_of_a_recursive_relation_join_on_wide_keys() -> None:
    facts = {"e": [(LEAST, GREATEST, 1), (1, LEAST, GREATEST), (GREATEST, 1, LEAST)]}
    program = "p(X, Y, Z) :- e(X, Y, Z). p(Y, Z, X) :- p(X, Y, Z), e(X, Y, Z). q(X) :- p(X, Y, Z), p(Z, X, Y), p(X, Y, _)."
    assert derive(program, facts) == sorted(facts["e"])
    assert derive(program, facts, wanted="q") == [(LEAST,), (1,), (GREATEST,)]


def test_more_rows_than_a_piece_holds() -> None:
    size = 700
    assert size * size > CHUNK
    facts = {"a": [(number,) for number in range(size)]}
    model = model_of("p(X, Y) :- a(X), a(Y). q(X) :- p(X, Y), p(Y, X), X != Y.", facts)
    assert model.count("p") == size * size
    assert model.count("q") == size
    assert model.contains("p", (3, 699))
    assert not model.contains("p", (3, 700))


@pytest.mark.parametrize(
    ("left", "operator", "right", "value"),
    [
        (7, "/", 2, 3), (-7, "/", 2, -3), (7, "/", -2, -3), (-7, "/", -2, 3),
        (7, "%", 2, 1), (-7, "%", 2, -1), (7, "%", -2, 1), (-7, "%", -2, -1),
    ],
)  # fmt: skip
def test_division_truncates_toward_zero(left: int, operator: str, right: int, value: int) -> None:
    assert derive(f"p(X) :- X = {left} {operator} {right}.") == [(value,)]
    assert derive(f"p(X) :- n(A, B), X = A {operator} B.", {"n": [(left, right)]}) == [(value,)]


def test_operators_bind_as_usual() -> None:
    program = "p(X, Y, Z) :- n(A, B, C), X = A + B * C, Y = (A + B) * C, Z = A - B - C."
    assert derive(program, {"n": [(2, 3, 4)]}) == [(14, 20, -5)]


@pytest.mark.parametrize(
    ("operator", "left", "right"),
    [
        ("+", GREATEST, 1),
        ("-", LEAST, 1),
        ("*", 1 << 32, 1 << 31),
        ("/", LEAST, -1),
        ("*", LEAST, -1),
        ("+", LEAST, -1),
        ("*", 3037000500, 3037000500),
    ],
)
def test_a_result_that_leaves_64_bits_names_the_rule(operator: str, left: int, right: int) -> None:
    with pytest.raises(CeError) as raised:
        model_of(f"q(1).\np(X) :- n(A, B), X = A {operator} B.", {"n": [(left, right), (1, 1)]})
    assert [(diagnostic.code, str(diagnostic.span)) for diagnostic in raised.value.diagnostics] == [("CE401", "test:2:1")]
    assert "test:2" in str(raised.value)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%"])
def test_column_arithmetic_agrees_with_that_of_single_numbers(operator: str) -> None:
    edges = [LEAST, LEAST + 1, -(1 << 32), -7, -1, 0, 1, 2, 7, 1 << 31, 1 << 32, GREATEST - 1, GREATEST]
    for left in edges:
        for right in edges:
            try:
                expected, exists = apply(operator, left, right)
            except Overflow:
                with pytest.raises(Overflow):
                    apply(operator, ints(left, 1), ints(right, 1))
                continue
            value, found = apply(operator, ints(left, 1), ints(right, 1))
            assert isinstance(value, np.ndarray)
            assert bool(np.broadcast_to(found, 2)[0]) == exists
            if exists:
                assert int(value[0]) == expected


def test_sums_are_exact_up_to_64_bits_and_refused_beyond() -> None:
    assert total(ints(GREATEST, LEAST, GREATEST, 1), np.array([0, 2, 3])).tolist() == [-1, GREATEST, 1]
    with pytest.raises(Overflow):
        total(ints(GREATEST, 1, 0), np.array([0, 2]))
    with pytest.raises(CeError, match="CE401"):
        derive("p(N) :- N = sum(X : e(X)).", {"e": [(GREATEST,), (1,)]})


def test_a_division_by_zero_derives_nothing_and_is_remarked_once() -> None:
    model = model_of("p(X, Z) :- n(X, Y), Z = X / Y. q(X) :- n(X, Y), X % Y = 0.", {"n": [(6, 2), (6, 0), (5, 0)]})
    assert rows_of(model, "p") == [(6, 3)]
    assert rows_of(model, "q") == [(6,)]
    assert [(warning.code, warning.severity, str(warning.span)) for warning in model.warnings] == [
        ("CE402", Severity.WARNING, "test:1:1"),
        ("CE402", Severity.WARNING, "test:1:32"),
    ]


def test_names_compare_by_code_point_also_those_that_no_fact_holds() -> None:
    facts = {"e": [("b",), ("d",), ("ä",), ("Z",)]}
    assert derive('p(X) :- e(X), X < "c".', facts) == [("Z",), ("b",)]
    assert derive('p(X) :- e(X), X >= "d".', facts) == [("d",), ("ä",)]
    assert derive('p("c"). p(X) :- e(X).', facts) == [("Z",), ("b",), ("c",), ("d",), ("ä",)]
    assert derive('q("c"). p(X) :- q(X), not e(X), X != "d".', facts) == [("c",)]
    assert derive('p(X, Y) :- e(X), q(Y), X < Y. q("c"). q("a").', facts) == [("Z", "a"), ("Z", "c"), ("b", "c")]


def test_inserted_names_leave_the_database_of_the_facts_alone() -> None:
    facts = {"e": [("b", 1), ("d", 2)]}
    given = database(facts)
    model = evaluate(plan(checked_program('p("a"). p("c"). p(X) :- e(X, _).', facts)), given)
    assert [list(domain.labels) for domain in given.domains.values()] == [["b", "d"]]
    labels = model.database.domains["sym"].labels
    assert [labels[number] for number in range(len(labels))] == ["a", "b", "c", "d"]
    assert labels[-1] == "d"
    assert list(labels[1:3]) == ["b", "c"]
    assert rows_of(model, "e") == [("b", 1), ("d", 2)]
    assert model.database.domains["sym"].lookup("c") == 2
    assert sorted(model.database.tables) == ["e"]


AGGREGATED: Facts = {"e": [(1, 5), (1, 7), (2, 5), (4, 9)], "n": [(1,), (2,), (3,)]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("n(X), V = count(Y : e(X, Y))", [(1, 2), (2, 1), (3, 0)]),
        ("n(X), V = sum(Y : e(X, Y))", [(1, 12), (2, 5), (3, 0)]),
        ("n(X), V = min(Y : e(X, Y))", [(1, 5), (2, 5)]),
        ("n(X), V = max(Y : e(X, Y))", [(1, 7), (2, 5)]),
        ("n(X), V = count(Y : e(_, Y), Y > X)", [(1, 3), (2, 3), (3, 3)]),
        ("n(X), V = count(Y, Z : e(Z, Y), Z < X)", [(1, 0), (2, 2), (3, 3)]),
        ("n(X), V = count(Y : e(X, Y), not e(2, Y))", [(1, 1), (2, 0), (3, 0)]),
        ("n(X), V = sum(C : n(Z), C = count(Y : e(Z, Y)), Z <= X)", [(1, 2), (2, 3), (3, 3)]),
        ("n(X), V = count(Y : e(X, Y)), V > 0, W = count(Z : n(Z), Z <= V), W = V", [(1, 2), (2, 1)]),
        ("n(X), e(X, V), V = max(Y : e(_, Y), Y < 9)", [(1, 7)]),
        ("V = count(Y : e(_, Y)), X = 0", [(0, 3)]),
        ("n(X), V = sum(A, B : e(A, B), A <= X)", [(1, 2), (2, 4), (3, 4)]),
        ("n(X), V = sum(B, A : e(A, B), A <= X)", [(1, 12), (2, 17), (3, 17)]),
    ],
)
def test_aggregates(body: str, expected: list[Row]) -> None:
    assert derive(f"p(X, V) :- {body}.", AGGREGATED) == expected


def test_aggregates_over_groups_of_several_columns_and_of_names() -> None:
    facts = {"h": [("a", 1, 10), ("a", 1, 20), ("a", 2, 30), ("b", 1, 40)]}
    assert derive("p(G, K, N) :- h(G, K, _), N = sum(V : h(G, K, V)).", facts) == [("a", 1, 30), ("a", 2, 30), ("b", 1, 40)]
    assert derive("p(G, N) :- h(G, _, _), N = count(K, V : h(G, K, V)).", facts) == [("a", 3), ("b", 1)]
    assert derive("p(N) :- N = count(G : h(G, _, _)).", facts) == [(2,)]


def test_an_empty_relation_counts_as_zero_and_has_no_least() -> None:
    program = "decl e(X: int). n(1). p(N) :- n(_), N = count(X : e(X)). p(N) :- N = min(X : e(X))."
    assert derive(program, {}) == [(0,)]


def test_relations_that_occur_nowhere_are_empty() -> None:
    model = model_of("p(X) :- e(X).", {"e": [(1,)]})
    assert model.count("nothing") == 0
    assert model.columns("nothing") == ()


def test_columns_are_sorted_and_facts_are_rows_like_others() -> None:
    model = model_of("p(Y, X) :- e(X, Y).", {"e": [(3, 1), (1, 2), (2, 1)]})
    assert [column.tolist() for column in model.columns("p")] == [[1, 1, 2], [2, 3, 1]]
    assert [column.tolist() for column in model.columns("e")] == [[1, 2, 3], [2, 1, 1]]
    assert model.rules("e").tolist() == [FACT] * 3
    assert model.row_number("p", (1, 3)) == 1
    assert model.row_number("p", (9, 9)) is None


def test_long_chains_of_tiny_rounds() -> None:
    size = 3000
    facts = {"edge": [(number, number + 1) for number in range(size)]}
    model = model_of("p(0). p(Y) :- p(X), edge(X, Y). d(0, 0). d(Y, M) :- d(X, N), edge(X, Y), M = N + 1.", facts)
    assert model.rounds("p").tolist() == list(range(size + 1))
    assert rows_of(model, "d") == [(number, number) for number in range(size + 1)]


def test_a_profile_counts_rows_per_rule_and_round() -> None:
    checked = checked_program(CLOSURE, CHAIN)
    model = evaluate(plan(checked), database(CHAIN), profile=True)
    assert model.profile is not None
    assert [(entry.round, entry.rule, entry.rows) for entry in model.profile.entries] == [
        (1, 0, 6), (2, 1, 5), (3, 1, 4), (4, 1, 3), (5, 1, 2), (6, 1, 1), (7, 1, 0)
    ]  # fmt: skip
    rounds, rows, seconds = model.profile.by_rule()[1]
    assert (rounds, rows) == (6, 15)
    assert seconds > 0
    assert model_of(CLOSURE, CHAIN).profile is None


@pytest.mark.parametrize("atoms", [50, 300])
def test_bodies_of_hundreds_of_atoms(atoms: int) -> None:
    facts = {"e": [(number, number + 1) for number in range(atoms + 1)]}
    body = ", ".join(f"e(X{number}, X{number + 1})" for number in range(atoms))
    assert derive(f"p(X0, X{atoms}) :- {body}.", facts) == [(0, atoms), (1, atoms + 1)]
    ordered = ", ".join(f"X{number} < X{number + 1}" for number in range(atoms))
    assert derive(f"p(X0) :- {ordered}, {body}.", facts) == [(0,), (1,)]
    recursive = f"p(X, Y) :- e(X, Y). p(X0, X{atoms}) :- {body.replace('e(', 'p(')}."
    assert derive(recursive, {"e": [(0, 0)]}) == [(0, 0)]
