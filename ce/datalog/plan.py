"""From a checked program to a plan: which rules run, in which strata, and each rule as a pipeline of steps.

A plan knows relations, rows and estimates, never arrays; the same plan could be run by another back end. The join order of a stratum is
decided when the stratum starts, because only then the sizes of what it reads are known: `plan` decides all that does not depend on
sizes, `plan_stratum` the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ce.datalog.checked import CheckedProgram, CoreLiteral, RelationType, Stratum
from ce.datalog.ordering import BodyPlanner, Statistics
from ce.datalog.sorts import all_literals, variable_sorts
from ce.datalog.steps import Fixed, Operand, Pipeline
from ce.datalog.syntax import Atom, Constant, Variable

__all__ = ["Plan", "PlannedRule", "RulePlan", "StratumPlan", "Variant", "fixed_term", "plan", "plan_stratum"]


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule as it is run. `origin` is the number of the user's rule that it stands for, in `CheckedProgram.rules`."""

    head: Atom
    body: tuple[CoreLiteral, ...]
    origin: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be run: the rules that the goals need, by stratum, and the facts among them."""

    checked: CheckedProgram
    rules: tuple[PlannedRule, ...]
    strata: tuple[Stratum, ...]
    relations: Mapping[str, RelationType]
    statistics: Statistics = field(compare=False, repr=False)

    def describe(self) -> str:
        """Return the plan as text: per stratum and rule the steps in order, with estimated rows."""
        from ce.datalog.describe import describe_plan

        return describe_plan(self)


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule as a pipeline. `trigger` is the relation whose recent rows it starts from, or None: it then runs once."""

    pipeline: Pipeline
    head: tuple[Operand, ...]
    trigger: str | None


@dataclass(frozen=True, slots=True)
class RulePlan:
    """The pipelines of one rule: one, or one for every atom on a relation of the rule's own stratum."""

    rule: PlannedRule
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """The rules of a stratum, planned with the sizes known when it starts."""

    stratum: Stratum
    rules: tuple[RulePlan, ...]


def plan(checked: CheckedProgram, goals: Sequence[str] | None = None, statistics: Mapping[str, int] | Statistics | None = None) -> Plan:
    """Return the plan that computes the wanted relations (all of them by default), and no rule they do not need."""
    rules = tuple(PlannedRule(rule.head, rule.body, number) for number, rule in enumerate(checked.rules))
    if goals is not None:
        needed = _needed(rules, goals)
        rules = tuple(rule for rule in rules if rule.head.predicate in needed)
    heads = {rule.head.predicate for rule in rules}
    strata = tuple(
        Stratum(kept, stratum.recursive)
        for stratum in checked.strata
        if (kept := tuple(predicate for predicate in stratum.predicates if predicate in heads))
    )
    known = statistics if statistics is not None and not isinstance(statistics, Mapping) else _Guesses(statistics or {})
    return Plan(checked, rules, strata, checked.relations, known)


def plan_stratum(plan: Plan, stratum: Stratum, statistics: Statistics) -> StratumPlan:
    """Return the pipelines of the rules of a stratum, ordered by the given sizes."""
    growing = frozenset(stratum.predicates)
    planner = BodyPlanner(plan.relations, statistics, growing)
    rules = [rule for rule in plan.rules if rule.head.predicate in growing and rule.body]
    return StratumPlan(stratum, tuple(_plan_rule(plan, planner, rule) for rule in rules))


def fixed_term(term: object, sort: str) -> Fixed:
    """Return the constant that stands in a column of the sort."""
    assert isinstance(term, Constant), "a term of a head is a variable or a constant"
    return Fixed(term.value, "int" if isinstance(term.value, int) else sort)


def _plan_rule(plan: Plan, planner: BodyPlanner, rule: PlannedRule) -> RulePlan:
    sorts = variable_sorts(plan.relations, rule.head, rule.body)
    wanted = [term.name for term in rule.head.args if isinstance(term, Variable)]
    head_sorts = plan.relations[rule.head.predicate].sorts

    def variant(recent: int | None, trigger: str | None) -> Variant:
        pipeline, slots = planner.plan(rule.body, wanted, sorts=sorts, recent=recent)
        return Variant(pipeline, _head(rule.head, slots, head_sorts), trigger)

    own = [
        (number, literal.predicate)
        for number, literal in enumerate(rule.body)
        if isinstance(literal, Atom) and not literal.negated and planner.grows(literal.predicate)
    ]
    variants = tuple(variant(number, predicate) for number, predicate in own) if own else (variant(None, None),)
    return RulePlan(rule, variants)


def _head(head: Atom, slots: Mapping[str, int], sorts: Sequence[str]) -> tuple[Operand, ...]:
    operands: list[Operand] = []
    for term, sort in zip(head.args, sorts, strict=True):
        if isinstance(term, Variable):
            operands.append(slots[term.name])
        else:
            operands.append(fixed_term(term, sort))
    return tuple(operands)


def _needed(rules: Sequence[PlannedRule], goals: Sequence[str]) -> set[str]:
    reads: dict[str, set[str]] = {}
    for rule in rules:
        reads.setdefault(rule.head.predicate, set()).update(
            literal.predicate for literal in all_literals(rule.body) if isinstance(literal, Atom)
        )
    needed: set[str] = set()
    waiting = list(goals)
    while waiting:
        predicate = waiting.pop()
        if predicate not in needed:
            needed.add(predicate)
            waiting += reads.get(predicate, ())
    return needed


class _Guesses:
    """Statistics from row counts alone; columns are guessed to repeat values a little, unknown relations to be middling."""

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows

    def rows(self, predicate: str) -> float:
        return float(self._rows.get(predicate, 1000))

    def distinct(self, predicate: str, column: int) -> float:
        return max(1.0, float(self.rows(predicate) ** 0.75))
