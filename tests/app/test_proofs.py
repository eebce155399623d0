"""Many proofs within one budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ce.app.evaluation import Options, evaluate
from ce.app.project import open_project
from ce.app.proofs import Proofs
from ce.app.query import report
from ce.datalog.proof import number_nodes


def test_a_proof_is_whole_or_left_out_and_no_answer_is_dropped(tree: Callable[..., Path]) -> None:
    root = tree({f"m{number}.py": "def _a():\n    return 1\n" for number in range(10)})
    evaluation = evaluate(open_project(str(root)), (), "dead(F)", options=Options())
    (goal,) = evaluation.goals
    rows = evaluation.solution.values(goal.predicate)
    size = len(number_nodes(evaluation.solution.explain(goal.predicate, rows[0])))
    proofs = Proofs(evaluation.solution, budget=3 * size)
    found = [proofs.explain(goal.predicate, row) for row in rows]
    assert [proof is not None for proof in found] == [True] * 3 + [False] * 7
    assert proofs.omitted == 7
    assert {len(number_nodes(proof)) for proof in found if proof is not None} == {size}


def test_a_report_within_the_budget_omits_nothing(tree: Callable[..., Path]) -> None:
    root = tree({"a.py": "def _a():\n    return 1\n"})
    project = open_project(str(root))
    asked = report(project, evaluate(project, (), "dead(F)", options=Options()), why=True)
    assert asked.counts["proofs_omitted"] == 0
    assert all(answer.proof is not None for goal in asked.goals for answer in goal.answers)
