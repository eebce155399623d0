"""Every shipped rules file over small trees of `fixtures/rules/`: cases that fire, cases that stay silent, near misses."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ce.app.evaluation import Options
from ce.app.project import open_project
from ce.app.report import Report
from ce.app.rules import judge
from ce.faces.annotations import violation_text
from ce.verdicts.family import find_rules, rules_names

CASES = sorted((Path(__file__).parents[2] / "fixtures" / "rules").glob("*/*"))

# Files whose assertions are about one repository only.
OF_THIS_REPOSITORY = {"codeeraser.rules"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_rules_file_gives_the_expected_violations(case: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    report = judged(case, tmp_path)
    told = "".join(sorted(f"{goal.name}: {violation_text(goal, answer)}\n" for goal, answer in report.violations))
    if request.config.getoption("--rewrite-goldens"):
        (case / "expected.txt").write_text(told, encoding="utf-8")
    assert told == (case / "expected.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_every_violation_of_a_shipped_rule_has_a_proof_and_a_place(case: Path, tmp_path: Path) -> None:
    for goal, answer in judged(case, tmp_path).violations:
        assert answer.proof is not None, goal.name
        assert answer.proof.premises, goal.name
        assert answer.place is not None, goal.name


@pytest.mark.parametrize("name", [name for name in rules_names() if name not in OF_THIS_REPOSITORY])
def test_a_shipped_rules_file_has_a_case_for_each_assertion_that_fires_and_one_that_stays_silent(name: str, tmp_path: Path) -> None:
    cases = [case for case in CASES if case.parent.name == name.removesuffix(".rules")]
    asserted: set[str | None] = set()
    fired: set[str | None] = set()
    silent = 0
    for number, case in enumerate(cases):
        report = judged(case, tmp_path / str(number))
        asserted |= {goal.name for goal in report.goals if goal.kind == "assert"}
        fired |= {goal.name for goal, _ in report.violations}
        silent += not report.violations
    assert asserted
    assert fired == asserted
    assert silent


@pytest.mark.parametrize("name", rules_names())
def test_every_assertion_of_a_shipped_rules_file_says_what_it_wants_and_what_is_wrong(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    report = judge(open_project(str(tmp_path)), [name], options=Options())
    for goal in report.goals:
        template = find_rules(tmp_path, name).text
        assert goal.doc, goal.name
        assert "@message" in template.partition(f"assert {goal.name}(")[0].rpartition("@doc")[2], goal.name


def judged(case: Path, scratch: Path) -> Report:
    """Return the report of the rules file that the case belongs to over a copy of its tree."""
    root = scratch / "copy"
    shutil.copytree(case / "tree", root)
    if (case / "history.txt").exists():
        _commit(root, (case / "history.txt").read_text(encoding="utf-8").splitlines())
    return judge(open_project(str(root)), [f"{case.parent.name}.rules"], options=Options())


def _commit(root: Path, history: list[str]) -> None:
    """Make a repository of the tree: one commit for each line, which holds a day and the files that it adds."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], cwd=root, check=True)
    for line in history:
        day, *files = line.split()
        dated = os.environ | {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
        subprocess.run([*git, "add", *files], cwd=root, check=True)
        subprocess.run([*git, "commit", "-q", "-m", day], cwd=root, env=dated, check=True)
