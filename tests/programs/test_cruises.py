"""The rules of dependency-cruiser, as the manual writes them, beside what dependency-cruiser said about the same small tree.

Its report is recorded: `depcruise --config .dependency-cruiser.json --output-type json src/` with `configuration(CRUISE)` in the tree.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.rules.cruises import RULES, configuration, judged_by_manual, read_report

FIXTURE = Path(__file__).parents[2] / "fixtures" / "dependency-cruiser"
CRUISE = {
    "src": "src/",
    "from": "src/core/",
    "to": "src/pages/",
    "reach_from": "src/main.ts",
    "reach_to": "src/lib/",
    "main": "src/main.ts",
    "core": "punycode|url|querystring",
}

Ce = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_of_the_manual_says_what_dependency_cruiser_said(rule: str, tmp_path: Path, ce: Ce) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(FIXTURE / "tree", tree)

    def run(words: list[str]) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(ce(*words)[1])
        return document

    theirs = read_report((FIXTURE / "report.json").read_text(encoding="utf-8"), CRUISE["src"])
    assert theirs[rule]
    assert judged_by_manual(rule, CRUISE, tree, run) == theirs[rule]


def test_the_recorded_report_answers_the_configuration_of_today() -> None:
    asked = json.loads((FIXTURE / "report.json").read_text(encoding="utf-8"))["summary"]["ruleSetUsed"]["forbidden"]
    assert [{key: rule[key] for key in rule if key != "scope"} for rule in asked] == configuration(CRUISE)["forbidden"]
