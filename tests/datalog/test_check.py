"""The proof checker: accepts what follows, refuses everything else, and owes nothing to the engine."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ce.datalog.check
from ce.datalog import ProofNode, Result, check_proof, run
from ce.datalog.check import ProofChecker
from ce.datalog.checked import CheckedProgram
from ce.datalog.database import Database
from ce.datalog.naive import evaluate_naively
from tests.fakes.corruptions import corruptions

PROGRAM = """\
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z), X != Z.
far(X, Y) :- path(X, Y), not edge(X, Y).
hub(X, N) :- node(X), N = count(Y : path(X, Y)), N > 1.
sum(N) :- N = max(M, X : hub(X, M), X < 3).
quiet(X) :- node(X), not (edge(X, Y), edge(Y, _)), not starts_with("b", "a").
twice(X) :- far(X, Y), far(X, Y).
stated(1, "a").
uses(Y) :- stated(X, Y), X = 3 - 2.
?- far(X, Y), hub(X, _).
assert loud(X) :- node(X), not quiet(X).
""".replace("sum(", "top(", 1)
FACTS: dict[str, list[tuple[int | str, ...]]] = {
    "edge": [(1, 2), (2, 3), (3, 1), (3, 4)],
    "node": [(1,), (2,), (3,), (4,)],
}


@pytest.fixture(scope="module")
def result() -> Result:
    return run(PROGRAM, FACTS)


@pytest.fixture(scope="module")
def checker(result: Result) -> ProofChecker:
    return ProofChecker(result.solution.checked, result.solution.database)


def every_proof(result: Result) -> list[ProofNode]:
    names = (*result, *(goal.predicate for goal in result.goals))
    return [result.solution.explain(name, row) for name in names for row in result.solution.values(name)]


def test_every_proof_of_the_engine_is_valid(result: Result, checker: ProofChecker) -> None:
    proofs = every_proof(result)
    assert {entry.kind for proof in proofs for entry in (proof, *proof.premises)} == {
        "goal", "rule", "fact", "builtin", "aggregate", "absence",
    }  # fmt: skip
    for proof in proofs:
        assert checker.check(proof) == []
        assert checker.check(json.loads(json.dumps(proof.to_dict()))) == []


def test_every_single_corruption_is_rejected(result: Result, checker: ProofChecker) -> None:
    places = tuple(sorted({rule.at for rule in result.solution.checked.rules}))
    tried = 0
    for proof in every_proof(result):
        for what, corrupted in corruptions(proof.to_dict(), places):
            assert checker.check(corrupted), f"{what}: {corrupted}"
            tried += 1
    assert tried > 5_000


def document(result: Result, name: str, row: tuple[int | str, ...]) -> dict[str, Any]:
    return result.explain(name, row).to_dict()


def faults(result: Result, corrupted: dict[str, Any]) -> str:
    return "\n".join(check_proof(result.solution.checked, result.solution.database, corrupted))


def test_each_fault_names_its_node_and_what_is_wrong(result: Result) -> None:
    proof = document(result, "path", (1, 3))
    proof["premises"][1]["args"] = [2, 4]
    found = faults(result, proof)
    assert "node 0, path(1, 3): edge(2, 4) is no instance of the literal" in found
    assert "node 3, edge(2, 4): no such fact" in found


def test_an_absence_that_is_none_is_found_by_deriving_again(result: Result) -> None:
    proof = document(result, "far", (1, 3))
    proof["args"] = proof["premises"][1]["args"] = [1, 2]
    proof["premises"][0] = document(result, "path", (1, 2)) | {"id": 1}
    proof["premises"][0]["premises"][0]["id"] = 2
    proof["premises"][1]["id"] = 3
    assert faults(result, proof) == "node 0, far(1, 2): edge has such a row"


def test_a_group_that_is_not_whole_is_found_by_deriving_again(result: Result, checker: ProofChecker) -> None:
    proof = result.explain("hub", (2, 3))
    node, group, comparison = proof.premises
    assert len(group.premises) == 3
    smaller = replace(group, args=(2,), premises=group.premises[:2])
    forged = replace(proof, args=(2, 2), premises=(node, smaller, replace(comparison, args=(2, 1))))
    assert checker.check(forged) == ["node 0, hub(2, 2): the aggregate has no value, or another one"]


def test_a_proof_that_is_cut_proves_nothing(result: Result) -> None:
    cut = result.solution.explain("path", (1, 3), nodes=3)
    assert check_proof(result.solution.checked, result.solution.database, cut)[0].endswith("the proof is cut here")


def test_a_shown_part_of_a_group_is_enough_when_the_rest_is_counted() -> None:
    result = run("n(N) :- N = count(X : p(X)).", {"p": [(number,) for number in range(50)]})
    proof = document(result, "n", (50,))
    assert faults(result, proof) == ""
    proof["premises"][0]["premises"].pop()
    proof["premises"][0]["omitted"] += 1
    assert faults(result, proof) == ""
    proof["premises"][0]["omitted"] += 1
    assert "the group has 50 rows" in faults(result, proof)


def test_a_proof_that_rests_on_itself_is_refused(result: Result) -> None:
    proof = document(result, "path", (1, 3))
    proof["premises"][0] = {"ref": 0}
    assert faults(result, proof) == "node 0 rests on itself"


@pytest.mark.parametrize(
    "broken",
    [
        {}, {"id": 0}, {"ref": 0}, {"id": 0, "kind": [], "predicate": None, "args": [], "rule": None, "at": None, "premises": []},
        {"id": 0, "kind": "rule", "predicate": "path", "args": {}, "rule": None, "at": None, "premises": []},
        {"id": 0, "kind": "rule", "predicate": "path", "args": [1, 2], "rule": "program:1", "at": None, "premises": "none"},
        {"id": 0, "kind": "rule", "predicate": "path", "args": [1, 2], "rule": "program:1", "at": None, "premises": [None]},
        {"id": 0, "kind": "rule", "predicate": "path", "args": [1, [2]], "rule": "program:1", "at": None, "premises": []},
        {"id": 0, "kind": "fact", "predicate": "edge", "args": [1, 2], "rule": None, "at": None, "premises": [], "lemmas": 3},
        {"id": 0, "kind": "fact", "predicate": "edge", "args": [1, 2], "rule": None, "at": None, "premises": [], "lemmas": [{}]},
        {"id": 0, "kind": "absence", "predicate": "edge", "args": [9, 9], "rule": None, "at": None, "premises": [], "searched": 4},
    ],
)  # fmt: skip
def test_a_document_that_is_no_proof_is_refused_without_a_fault_of_ours(result: Result, broken: dict[str, Any]) -> None:
    assert len(check_proof(result.solution.checked, result.solution.database, broken)) == 1


def test_a_proof_nested_twenty_thousand_deep_is_refused_not_crashed_on(result: Result) -> None:
    node: dict[str, Any] = {"id": 20_000, "kind": "fact", "predicate": "edge", "args": [1, 2], "rule": None, "at": None, "premises": []}
    for number in reversed(range(20_000)):
        node = {
            "id": number, "kind": "rule", "predicate": "path", "args": [1, 2], "rule": "program:2", "at": None, "premises": [node],
        }  # fmt: skip
    assert faults(result, node)
    while node["premises"]:  # taken apart by hand: Python frees nested containers recursively
        node = node["premises"].pop()


def test_values_of_the_wrong_sort_are_refused(result: Result) -> None:
    proof = document(result, "uses", ("a",))
    proof["args"] = [1]
    assert "1 cannot stand in a column of sort sym" in faults(result, proof)


def test_a_second_engine_that_gives_up_is_said(result: Result) -> None:
    from ce.datalog.limits import Limits

    def exhausted(checked: CheckedProgram, database: Database, wanted: object) -> Any:
        return evaluate_naively(checked, database, Limits(max_rows=1))

    checker = ProofChecker(result.solution.checked, result.solution.database, exhausted)
    (fault,) = checker.check(result.explain("quiet", (4,)))
    assert fault.startswith("the second engine gave up: more than 1 rows were derived")


def test_the_checker_imports_nothing_of_the_engine() -> None:
    """Follows the imports at module level from the checker: it reaches the plain evaluator, and no part of the columnar engine."""
    directory = Path(ce.datalog.check.__file__).parent
    seen: set[str] = set()
    pending = ["check"]
    while pending:
        module = pending.pop()
        if module not in seen and (directory / f"{module}.py").exists():
            seen.add(module)
            statements = ast.parse((directory / f"{module}.py").read_text(encoding="utf-8")).body
            names = [node.module for node in statements if isinstance(node, ast.ImportFrom) and node.module]
            pending += [name.split(".")[2] for name in names if name.startswith("ce.datalog.")]
    assert "naive" in seen
    assert seen.isdisjoint(
        {"plan", "evaluate", "relation", "operators", "kernels", "runs", "folds", "ordering", "symbols", "model", "provenance", "heights"}
    )
