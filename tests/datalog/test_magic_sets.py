"""Demand: equal answers with and without, and a cost that follows the question."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ce.datalog.api import solve
from ce.datalog.check import check_proof
from ce.datalog.database import Database, Table
from ce.datalog.evaluate import evaluate
from ce.datalog.limits import Limits
from ce.datalog.model import Model
from ce.datalog.plan import plan
from tests.datalog.evaluation import Facts, checked_program, database, rows_of

LEFT = "depends(X, Y) :- ref(X, Y). depends(X, Y) :- depends(X, Z), ref(Z, Y)."
RIGHT = "depends(X, Y) :- ref(X, Y). depends(X, Y) :- ref(X, Z), depends(Z, Y)."
BOTH = "depends(X, Y) :- ref(X, Y). depends(X, Y) :- depends(X, Z), depends(Z, Y)."


def answer(text: str, facts: Facts, *, demand: bool) -> Model:
    checked = checked_program(text, facts)
    return evaluate(plan(checked, [goal.predicate for goal in checked.goals], demand=demand), database(facts))


def some_edges(seed: int, nodes: int = 30, edges: int = 45) -> Facts:
    choose = random.Random(seed)
    return {"ref": sorted({(choose.randrange(nodes), choose.randrange(nodes)) for _ in range(edges)})}


# Programs with goals on known values, over `ref` on the numbers below 30.
QUESTIONS = [
    LEFT + "?- depends(3, X).",
    LEFT + "?- depends(X, 3).",
    LEFT + "?- depends(3, 7).",
    RIGHT + "?- depends(3, X).",
    RIGHT + "?- depends(X, 3).",
    BOTH + "?- depends(3, X).",
    BOTH + "?- depends(X, 3), depends(3, X).",
    LEFT + "?- S = 3, depends(S, X), X > 4.",
    LEFT + "?- ref(3, Y), depends(Y, X).",
    LEFT + "?- ref(3, Y), not depends(Y, 3), depends(Y, X).",
    LEFT + "?- depends(3, X), N = count(Y : depends(X, Y)).",
    LEFT + "end(X) :- depends(X, _), not ref(X, X). ?- end(3). ?- end(4), depends(4, Y).",
    "even(X, X) :- ref(X, _). even(X, Z) :- odd(X, Y), ref(Y, Z). odd(X, Z) :- even(X, Y), ref(Y, Z). ?- even(3, X). ?- odd(X, 3).",
    "same(X, X) :- ref(X, _). same(X, Y) :- ref(P, X), same(P, Q), ref(Q, Y). ?- same(3, Y).",
    "d(X, Y, 1) :- ref(X, Y). d(X, Z, N) :- d(X, Y, M), ref(Y, Z), M < 5, N = M + 1. ?- d(3, Y, 3). ?- d(3, Y, N), N % 2 = 0.",
    "t(X, Y) :- ref(X, Y). t(X, Y) :- t(Y, X). t(X, Z) :- t(X, Y), t(Y, Z), ref(Z, X). ?- t(3, X).",
    "p(3, 4). p(X, Y) :- ref(X, Y), p(Y, _). p(X, Y) :- p(Y, X). ?- p(3, X).",
    "a() :- ref(3, _). p(X) :- ref(X, _), a(). q(X, Y) :- p(X), ref(X, Y). ?- q(3, Y).",
]


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_answers_are_equal_with_and_without_demand(text: str, seed: int) -> None:
    facts = some_edges(seed)
    with_demand, without = answer(text, facts, demand=True), answer(text, facts, demand=False)
    for goal in without.plan.checked.goals:
        assert rows_of(with_demand, goal.predicate) == rows_of(without, goal.predicate)
    for name in with_demand.partial:
        assert set(rows_of(with_demand, name)) <= set(rows_of(without, name))


@pytest.mark.parametrize("text", QUESTIONS)
def test_proofs_under_demand_are_the_lowest_and_name_the_rules_of_the_user(text: str) -> None:
    facts = some_edges(2)
    checked = checked_program(text, facts)
    goals = [goal.predicate for goal in checked.goals]
    demanded, whole = solve(checked, database(facts), goals=goals), solve(checked, database(facts))
    for goal in goals:
        for row in demanded.values(goal):
            proof = demanded.explain(goal, row)
            assert proof.to_dict() == whole.explain(goal, row).to_dict()
            assert check_proof(checked, database(facts), proof) == []


def test_only_demanded_rows_are_derived() -> None:
    facts: Facts = {"ref": [(number, number + 1) for number in range(100)]}
    model = answer(LEFT + "?- depends(90, X).", facts, demand=True)
    assert model.partial == {"depends"}
    assert model.count("depends") == 10
    assert model.derived() == 20
    assert answer(LEFT + "?- depends(90, X).", facts, demand=False).count("depends") == 5050


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LEFT + "?- depends(X, Y).", "nothing is known"),
        (LEFT + "?- ref(X, _), depends(X, Y).", "a variable that ranges over a relation is no restriction"),
        (LEFT + "?- ref(3, X), not depends(3, X).", "what is negated is computed in full"),
        (LEFT + "?- N = count(X : depends(3, X)).", "what is aggregated is computed in full"),
        (LEFT + "?- depends(3, X), not depends(X, 3).", "it is negated elsewhere"),
    ],
)
def test_what_is_computed_in_full(text: str, why: str) -> None:
    facts = some_edges(1)
    model, whole = answer(text, facts, demand=True), answer(text, facts, demand=False)
    assert not model.partial, why
    assert model.count("depends") == whole.count("depends")


def test_a_relation_that_is_itself_wanted_is_computed_in_full() -> None:
    facts = some_edges(1)
    checked = checked_program(LEFT + "?- depends(3, X).", facts)
    model = evaluate(plan(checked, ["?1", "depends"]), database(facts))
    assert not model.partial


def test_absence_from_a_partly_derived_relation_is_explained_from_all_of_it() -> None:
    facts: Facts = {"ref": [(1, 2), (5, 6)]}
    checked = checked_program(LEFT + "?- depends(1, X).", facts)
    solution = solve(checked, database(facts), goals=["?1"])
    assert solution.count("depends") == 1
    assert "depends has 2 rows" in str(solution.why_not("depends", (1, 6)))
    assert solution.count("depends") == 2


def test_a_question_about_one_node_of_a_large_graph_costs_a_search_from_it() -> None:
    """The closure has billions of rows: a limit far below them is not crossed."""
    nodes, edges = 200_000, 1_000_000
    generator = np.random.default_rng(7)
    keys = np.unique(generator.integers(0, nodes, edges) * nodes + generator.integers(0, nodes, edges))
    facts = Database({"ref": Table("ref", ("int", "int"), (keys // nodes, keys % nodes), keys.size)}, {})
    checked = checked_program(LEFT + "?- depends(7, X).", {"ref": [(1, 1)]})
    model = evaluate(plan(checked, ["?1"]), facts, Limits(max_rows=2 * nodes + 10))
    assert model.degraded is None
    assert model.count("?1") > nodes * 0.9
    assert model.count("depends") == model.count("?1")
