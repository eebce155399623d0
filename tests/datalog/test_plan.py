"""Plans: goldens in `fixtures/datalog/plans/<case>/`, and what holds for all of them.

A case is `program.dl`, whose first lines give the sizes of the facts (and the goals, if not all relations are wanted), and `plan.txt`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ce.datalog.checked import CheckedProgram
from ce.datalog.checks import check
from ce.datalog.parse import parse
from ce.datalog.plan import Plan, plan, plan_stratum, stratum_rules
from ce.datalog.rules import PlannedRule, strata_of
from ce.datalog.statistics import Guesses, RelationStatistics, table_statistics
from ce.datalog.steps import Distinct, Fold, Join, Pipeline
from tests.datalog.evaluation import Facts, checked_program, database

CASES = sorted(path.parent for path in (Path(__file__).parents[2] / "fixtures" / "datalog" / "plans").glob("*/program.dl"))

# Columns of the relations that the cases take as facts.
FACTS = {
    "addr": "ii", "assign": "ii", "bad": "i", "deref": "ii", "edge": "ii", "entry": "s", "file": "ii", "hidden": "s", "lang": "ss",
    "ld": "ii", "node": "i", "parent": "ii", "st": "ii", "team": "ii",
}  # fmt: skip
REF = {"smallest-first": "iis", "recursion-filters": "sssi", "demand": "ss", "demand-right-linear": "ss"}


def _plan(case: Path) -> Plan:
    text = (case / "program.dl").read_text(encoding="utf-8")
    sizes = {name: int(rows) for name, rows in re.findall(r"(\w+)=(\d+)", text.splitlines()[0])}
    goals = re.search(r"^# goals: (.*)$", text, re.MULTILINE)
    return plan(_checked(case, text), goals.group(1).split() if goals else None, sizes)


def _checked(case: Path, text: str) -> CheckedProgram:
    columns = {**FACTS, "ref": REF.get(case.name, "ii")}
    sorts = {name: tuple("int" if column == "i" else "sym" for column in known) for name, known in columns.items()}
    return check(parse(text, "program.dl"), facts=sorts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_plans_are_as_recorded(case: Path, golden: Callable[[str, str], None]) -> None:
    golden(str(case / "plan.txt"), _plan(case).describe())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_every_slot_is_bound_before_it_is_read_and_kept_while_it_is_needed(case: Path) -> None:
    planned = _plan(case)
    for stratum in planned.strata:
        rules = plan_stratum(stratum_rules(planned, stratum), planned.statistics)
        for rule in (*rules.views, *rules.rules):
            for variant in rule.variants:
                kept = _kept_at_the_end(variant.pipeline, frozenset())
                assert kept >= {operand for operand in variant.head if isinstance(operand, int)}


def _kept_at_the_end(pipeline: Pipeline, bound: frozenset[int]) -> frozenset[int]:
    for step in pipeline.steps:
        if isinstance(step, Join):
            assert bound >= {operand for _, operand in step.access.keys if isinstance(operand, int)}
            bound |= {slot for _, slot in step.access.binds}
        elif isinstance(step, Fold):
            assert bound >= set(step.groups)
            _kept_at_the_end(step.body, frozenset(range(len(step.groups))))
            bound |= {step.slot}
        elif not isinstance(step, Distinct) and hasattr(step, "slot"):
            bound |= {step.slot}
        assert bound >= set(step.keep)
        bound = frozenset(step.keep)
    return bound


def test_the_order_of_a_body_does_not_change_the_plan() -> None:
    facts: Facts = {"big": [(1, 1)], "small": [(1, 1)], "one": [(1,)]}
    sizes = {"big": 100_000, "small": 100, "one": 10}

    def steps(body: str) -> list[str]:
        described = plan(checked_program(f"p(X, Z) :- {body}.", facts), None, sizes).describe()
        return [line for line in described.splitlines() if line.startswith("    ")]

    first = steps("big(X, Y), small(Y, Z), one(Z), X < Z")
    assert first == steps("X < Z, one(Z), small(Y, Z), big(X, Y)")
    assert first == steps("small(Y, Z), X < Z, big(X, Y), one(Z)")


def test_distinct_counts_decide_where_row_counts_cannot() -> None:
    checked = checked_program("p(X, Z) :- a(X, Y), left(Y, Z), right(Y, Z).", {"a": [(1, 1)], "left": [(1, 1)], "right": [(1, 1)]})
    sizes: dict[str, int | RelationStatistics] = {
        "a": 10,
        "left": RelationStatistics(1000, (10, 1000)),
        "right": RelationStatistics(1000, (1000, 1000)),
    }
    text = plan(checked, None, sizes).describe()
    assert text.index("join right") < text.index("left(")
    swapped = plan(checked, None, {**sizes, "left": sizes["right"], "right": sizes["left"]}).describe()
    assert swapped.index("join left") < swapped.index("right(")


def test_statistics_of_facts_are_counted() -> None:
    known = table_statistics(database({"e": [(number, number % 3) for number in range(100)]}))
    assert known == {"e": RelationStatistics(100, (100, 3))}
    guesses = Guesses(known)
    assert (guesses.rows("e"), guesses.distinct("e", 1)) == (100, 3)
    assert guesses.rows("other") == 1000
    assert guesses.with_rows({"other": 7.0, "e": 1.0}).rows("other") == 7
    assert guesses.with_rows({"other": 7.0, "e": 1.0}).rows("e") == 100


def test_rules_that_no_goal_needs_are_dropped() -> None:
    checked = checked_program("p(X) :- e(X). q(X) :- p(X). r(X) :- e(X). s(N) :- N = count(X : r(X)).", {"e": [(1,)]})
    assert {rule.head.predicate for rule in plan(checked, ["q"]).rules} == {"p", "q"}
    assert {rule.head.predicate for rule in plan(checked, ["s"]).rules} == {"r", "s"}
    assert {rule.head.predicate for rule in plan(checked).rules} == {"p", "q", "r", "s"}


def test_components_come_after_what_they_read() -> None:
    checked = checked_program("a(X) :- b(X). b(X) :- a(X), c(X). c(X) :- e(X), not d(X). d(X) :- e(X), d(X). f(X) :- a(X).", {"e": [(1,)]})
    rules = [PlannedRule(rule.head, rule.body, number) for number, rule in enumerate(checked.rules)]
    assert [(sorted(stratum.predicates), stratum.recursive) for stratum in strata_of(rules)] == [
        (["d"], True),
        (["c"], False),
        (["a", "b"], True),
        (["f"], False),
    ]


def test_planning_imports_no_numpy() -> None:
    script = "import sys, ce.datalog.plan, ce.datalog.describe, ce.datalog.limits, ce.datalog.builtins; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
