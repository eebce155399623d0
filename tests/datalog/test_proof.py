"""Proof trees: what they say, how they are written, how high they may be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from ce.datalog.api import Result, run
from ce.datalog.checks import check
from ce.datalog.database import Database, Domain, Table
from ce.datalog.parse import parse_program
from ce.datalog.proof import ProofNode, number_nodes, proof_height

LIVE = """\
live(F) :- entry(F).
live(G) :- live(F), ref(F, G).
dead(F) :- file(F), not live(F).
lone(F) :- dead(F), not (ref(F, G), file(G)), not starts_with(F, "docs/").
size(N) :- N = count(F : dead(F)).
report(F, M) :- size(N), M = N * 10, M >= 20, dead(F).
?- report(F, _), lone(F).
"""
FACTS: dict[str, list[tuple[int | str, ...]]] = {
    "entry": [("main.py",)],
    "file": [("main.py",), ("util.py",), ("old.py",), ("older.py",), ("docs/x.py",)],
    "ref": [("main.py", "util.py"), ("old.py", "older.py"), ("util.py", "main.py")],
}


@pytest.fixture
def result() -> Result:
    return run(LIVE, FACTS)


def test_a_whole_proof_as_text(result: Result, golden: Callable[[str, str], None]) -> None:
    golden("proof.txt", f"{result.why(0, result.answers(0)[0])}\n")


def test_a_whole_proof_as_json(result: Result, golden: Callable[[str, str], None]) -> None:
    document = result.why(0, result.answers(0)[0]).to_dict()
    golden("proof.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def test_a_whole_proof_as_a_graph(result: Result, golden: Callable[[str, str], None]) -> None:
    golden("proof.dot", result.why(0, result.answers(0)[0]).to_dot())


def test_the_root_of_a_goal_has_its_values_and_one_premise_per_literal(result: Result) -> None:
    root = result.why(0, ("older.py",)).to_dict()
    assert (root["kind"], root["predicate"], root["args"], root["id"]) == ("goal", None, ["older.py"], 0)
    assert [premise["predicate"] for premise in premises(root)] == ["report", "lone"]


def test_the_root_of_an_assertion_has_its_name() -> None:
    root = run("assert no_two(X) :- p(X), X = 2.", {"p": [(1,), (2,)]}).why("no_two", (2,)).to_dict()
    assert (root["kind"], root["predicate"], root["args"], root["rule"]) == ("goal", "no_two", [2], "program:1")


def premises(node: dict[str, object]) -> list[dict[str, Any]]:
    found = node["premises"]
    assert isinstance(found, list)
    return found


def test_premises_follow_the_text_whatever_the_join_order() -> None:
    program = "q(X) :- X < Y, not r(X), Y = Z * 2, b(X, Z), a(X), Z > 0."
    root = run(program, {"a": [(1,)], "b": [(1, 5)], "r": []}).explain("q", (1,)).to_dict()
    assert [(node["kind"], node["predicate"], node["args"]) for node in premises(root)] == [
        ("builtin", "<", [1, 10]),
        ("absence", "r", [1]),
        ("builtin", "=", [10, 10]),
        ("fact", "b", [1, 5]),
        ("fact", "a", [1]),
        ("builtin", ">", [5, 0]),
    ]


def test_an_absence_marks_wildcards_and_counts_what_was_searched() -> None:
    root = run("leaf(X) :- node(X), not edge(X, _).", {"node": [(3,)], "edge": [(1, 2), (2, 3)]}).explain("leaf", (3,)).to_dict()
    absence = premises(root)[1]
    assert absence == {
        "id": 2, "kind": "absence", "predicate": "edge", "args": [3, "_"], "rule": None, "at": None, "premises": [], "searched": 2,
    }  # fmt: skip


def test_a_long_group_is_cut_and_counted() -> None:
    result = run("n(N) :- N = sum(X : p(X)).", {"p": [(number,) for number in range(100)]})
    aggregate = premises(result.explain("n", (4950,)).to_dict())[0]
    assert (aggregate["kind"], aggregate["predicate"], aggregate["args"], aggregate["omitted"]) == ("aggregate", "sum", [4950], 90)
    assert [member["args"] for member in aggregate["premises"]] == [[number] for number in range(10)]
    whole = premises(result.solution.explain("n", (4950,), group_rows=1000).to_dict())[0]
    assert "omitted" not in whole
    assert len(whole["premises"]) == 100


def test_a_row_of_a_group_with_several_literals_is_a_goal() -> None:
    result = run("n(N) :- N = count(X : p(X, Y), Y > 1).", {"p": [(1, 1), (2, 2), (2, 3)]})
    member = premises(premises(result.explain("n", (1,)).to_dict())[0])[0]
    assert (member["kind"], member["predicate"], member["args"]) == ("goal", None, [2])
    assert [node["args"] for node in member["premises"]] == [[2, 2], [2, 1]]


def test_a_clause_without_a_body_is_a_fact_at_its_place() -> None:
    proof = run("p(1).\np(2).\nq(X) :- p(X).").explain("q", (2,))
    assert [(node.kind, node.at) for node in proof.premises] == [("fact", "program:2")]


def test_a_fact_of_the_database_has_its_place() -> None:
    import numpy as np

    table = Table("ref", ("sym", "sym"), (np.array([1, 0]), np.array([0, 1])), 2, lambda row: f"file.py:{row + 7}")
    database = Database({"ref": table}, {"sym": Domain("sym", ["a", "b"])})
    checked = check(parse_program([("rules", "q(X) :- ref(X, b).")]), facts={"ref": ("sym", "sym")})
    from ce.datalog.api import solve

    proof = solve(checked, database).explain("q", ("a",))
    assert str(proof) == 'q("a")  (rule rules:1)\n  ref("a", "b")  (fact file.py:8)'


def test_a_row_with_a_fact_needs_no_rule() -> None:
    result = run("p(X) :- q(X).\nr(X) :- p(X).", {"p": [(1,)], "q": [(1,), (2,)]})
    assert result.explain("p", (1,)).kind == "fact"
    assert result.explain("p", (2,)).kind == "rule"
    assert proof_height(result.explain("r", (1,))) == 1


def test_the_lowest_derivation_wins_across_strata() -> None:
    steps = "\n".join(f"s{number + 1}(X) :- s{number}(X)." for number in range(8))
    result = run(f"s0(1).\n{steps}\np(X) :- s8(X).\np(X) :- short(X).\nq(X) :- p(X), not none(X).\nnone(9).", {"short": [(1,)]})
    assert proof_height(result.explain("q", (1,))) == 2


def test_a_shorter_way_round_wins_over_an_earlier_rule() -> None:
    facts = {"edge": [(1, 2), (2, 3), (3, 4), (1, 4)]}
    result = run("path(X, Z) :- path(X, Y), edge(Y, Z).\npath(X, Y) :- edge(X, Y).", facts)
    assert str(result.explain("path", (1, 4))) == "path(1, 4)  (rule program:2)\n  edge(1, 4)  (fact)"


def test_ties_go_to_the_earlier_rule_then_to_the_smaller_rows() -> None:
    result = run("p(X) :- b(X, Y).\np(X) :- a(X, Y).", {"a": [(1, 1)], "b": [(1, 9), (1, 3)]})
    assert str(result.explain("p", (1,))) == "p(1)  (rule program:1)\n  b(1, 3)  (fact)"
    result = run("p() :- a(X), b(Y), X != Y.", {"a": [(2,), (1,)], "b": [(3,), (1,)]})
    assert [node.args for node in result.explain("p", ()).premises] == [(1,), (3,), (1, 3)]


def test_a_shared_sub_proof_is_written_once(result: Result) -> None:
    text = json.dumps(run("p(X) :- q(X), q(X).\nq(X) :- r(X).", {"r": [(1,)]}).explain("p", (1,)).to_dict())
    assert text.count('"kind": "rule"') == 2
    assert text.count('{"ref": 1}') == 1


@pytest.mark.parametrize("name", ['quo"te', "back\\slash", "new\nline", "tab\t", "ünï", ""])
def test_every_name_survives_every_form(name: str) -> None:
    proof = run("q(X) :- p(X).", {"p": [(name,)]}).explain("q", (name,))
    assert len(proof.to_text().split("\n")) == 2
    assert json.loads(json.dumps(proof.to_dict()))["args"] == [name]
    assert len(re.findall(r'label="(?:[^"\\]|\\.)*"', proof.to_dot())) == 2


@pytest.fixture(scope="module")
def chain() -> Result:
    facts: dict[str, list[tuple[int | str, ...]]] = {"start": [(0,)], "edge": [(number, number + 1) for number in range(10_000)]}
    return run("reach(X) :- start(X).\nreach(Y) :- reach(X), edge(X, Y).", facts)


def test_a_proof_may_be_ten_thousand_high(chain: Result) -> None:
    proof = chain.explain("reach", (10_000,))
    assert proof_height(proof) == 10_001
    assert len(number_nodes(proof)) == 20_002
    document = json.loads(json.dumps(proof.to_dict()))
    lemmas = document["lemmas"]
    assert len(lemmas) > 50
    assert max(len(line) - len(line.lstrip()) for line in str(proof).split("\n")) <= 50


def test_a_budget_cuts_a_proof_and_says_so(chain: Result) -> None:
    proof = chain.solution.explain("reach", (10_000,), nodes=20)
    cut = [entry.node for entry in number_nodes(proof) if entry.node.omitted]
    assert [(node.kind, node.omitted, node.premises) for node in cut] == [("rule", 2, ())]
    assert "… 2 more" in str(proof)
    assert len(number_nodes(proof)) <= 20


def test_proofs_are_the_same_on_every_run(result: Result) -> None:
    again = run(LIVE, {name: list(reversed(rows)) for name, rows in FACTS.items()})
    for name in result:
        for row in result[name]:
            assert result.explain(name, row).to_dict() == again.explain(name, row).to_dict()


def test_proof_nodes_are_compared_by_identity() -> None:
    leaf = ProofNode("fact", "p", (1,))
    assert leaf != ProofNode("fact", "p", (1,))
