"""The Python interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import ce

Tree = Callable[[Mapping[str, str | bytes]], Path]

FILES: dict[str, str | bytes] = {"__main__.py": "import used\n", "used.py": "A = 1\n", "lone.py": "def _a():\n    return 1\n"}


def test_a_row_is_a_tuple_with_a_name_for_each_column(tree: Tree) -> None:
    answers = ce.open(tree(FILES)).query("ref(From, To, Kind, _)")
    assert answers.columns == ("From", "To", "Kind")
    (row,) = answers
    assert tuple(row) == ("__main__.py", "used.py", "import")
    assert (row.From, row.To) == ("__main__.py", "used.py")
    with pytest.raises(AttributeError, match="no column `Form`; its columns are From, To, Kind"):
        _ = row.Form


def test_a_row_knows_why(tree: Tree) -> None:
    (row,) = ce.open(tree(FILES)).query("dead(F)")
    proof = row.why()
    assert proof.kind == "goal"
    assert 'dead("lone.py")' in str(proof)
    assert proof.to_dict()["args"] == ["lone.py"]


def test_a_question_without_variables_is_true_or_false(tree: Tree) -> None:
    project = ce.open(tree(FILES))
    assert project.query('dead("lone.py")')
    assert not project.query('dead("used.py")')


def test_a_project_sees_the_tree_as_it_is_now(tree: Tree) -> None:
    root = tree(FILES)
    project = ce.open(root)
    assert len(project.query("dead(F)")) == 1
    (root / "__main__.py").write_text("import used\nimport lone\n")
    assert len(project.query("dead(F)")) == 0


def test_rules_and_verdicts_are_values(tree: Tree) -> None:
    project = ce.open(tree({**FILES, "ce.rules": "assert none(F) :- dead(F).\n"}))
    ((goal, answer),) = project.rules().violations
    assert (goal.name, answer.values) == ("none", ("lone.py",))
    (file,) = project.deadcode().dead
    assert (file.path, file.verdict) == ("lone.py", "unref_private")


def test_a_fault_is_one_kind_of_error(tree: Tree) -> None:
    with pytest.raises(ce.CeError) as caught:
        ce.open(tree(FILES)).query("ded(F)")
    assert [diagnostic.code[:3] for diagnostic in caught.value.diagnostics] == ["CE2"]
    assert "^^^" in str(caught.value)
    with pytest.raises(ce.CeError):
        ce.open("/nonexistent")


def test_a_limit_is_an_error_and_never_a_partial_answer(tree: Tree) -> None:
    with pytest.raises(ce.CeError, match="not judged"):
        ce.open(tree(FILES)).query("depends(A, B), reach(A)", max_rows=1)


def test_relations_of_a_rules_file_can_be_asked(tree: Tree) -> None:
    project = ce.open(tree({**FILES, "mine.dl": "twice(F, M) :- lines(F, N), M = 2 * N.\n"}))
    assert [tuple(row) for row in project.query("twice(F, M), M > 3", files=["mine.dl"])] == [("lone.py", 4)]
