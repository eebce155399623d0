"""From a checked program to a plan: which rules run, in which strata, and each rule as a pipeline of steps.

A plan knows relations, rows and estimates, never arrays; the same plan could be run by another back end. The join order of a stratum is
decided when the stratum starts, because only then the sizes of what it reads are known: `plan` decides all that does not depend on
sizes, `plan_stratum` the rest.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ce.datalog.checked import CheckedProgram, RelationType, Stratum
from ce.datalog.ordering import BodyPlanner, Statistics
from ce.datalog.rules import PlannedRule, strata_of
from ce.datalog.sorts import all_literals, variable_sorts
from ce.datalog.statistics import Guesses, RelationStatistics
from ce.datalog.steps import Fixed, Operand, Pipeline
from ce.datalog.syntax import Atom, Constant, Variable
from ce.datalog.transform.fold_constants import fold_constants
from ce.datalog.transform.magic_sets import magic_sets
from ce.datalog.views import renamed, renamed_body, split_body, view_pattern

__all__ = [
    "Plan",
    "PlannedRule",
    "RulePlan",
    "StratumPlan",
    "StratumRules",
    "Variant",
    "fixed_term",
    "plan",
    "plan_stratum",
    "stratum_rules",
]


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be run: the rules that the goals need, by the predicate of their head, and the strata in order.

    `relations` has the types of all relations, those that the plan adds included. Of those in `partial` only the rows that the goals
    demand are derived, and a row's round counts from when it was demanded.
    """

    checked: CheckedProgram
    rules_of: Mapping[str, tuple[PlannedRule, ...]]
    strata: tuple[Stratum, ...]
    relations: Mapping[str, RelationType]
    statistics: Statistics = field(compare=False, repr=False)
    partial: frozenset[str] = frozenset()

    @property
    def rules(self) -> tuple[PlannedRule, ...]:
        """Return all rules, in the order of the program; rules that the plan adds stand beside those they serve."""
        return tuple(sorted((rule for rules in self.rules_of.values() for rule in rules), key=lambda rule: rule.origin))

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
    """The rules of a stratum, planned with the sizes known when it starts.

    `views` define helper relations of the stratum, by name with their sorts, each reading only earlier ones; see `ce.datalog.views`.
    """

    stratum: Stratum
    rules: tuple[RulePlan, ...]
    views: tuple[RulePlan, ...] = ()


def plan(
    checked: CheckedProgram,
    goals: Sequence[str] | None = None,
    statistics: Mapping[str, int | RelationStatistics] | Mapping[str, int] | Statistics | None = None,
    *,
    demand: bool = True,
) -> Plan:
    """Return the plan that computes the wanted relations (all of them by default), and no rule they do not need.

    With `demand`, relations that the wanted ones only read for known values are computed only for those.
    """
    known = statistics if statistics is not None and not isinstance(statistics, Mapping) else Guesses(dict(statistics or {}))
    rules = fold_constants([PlannedRule(rule.head, rule.body, number) for number, rule in enumerate(checked.rules)])
    if goals is None:
        return Plan(checked, _by_head(rules), _strata_of_heads(checked.strata, rules), checked.relations, known)
    needed = _needed(rules, goals)
    rules = tuple(rule for rule in rules if rule.head.predicate in needed)
    magic = magic_sets(rules, checked.relations, goals) if demand else None
    if magic is not None:
        return Plan(checked, _by_head(magic.rules), strata_of(magic.rules), magic.relations, known, magic.partial)
    return Plan(checked, _by_head(rules), _strata_of_heads(checked.strata, rules), checked.relations, known)


@dataclass(frozen=True, slots=True)
class StratumRules:
    """The rules of a stratum with bodies, recursive ones split into views, and the relations of the plan and the views."""

    stratum: Stratum
    rules: tuple[PlannedRule, ...]
    views: tuple[PlannedRule, ...]
    relations: Mapping[str, RelationType]


def stratum_rules(plan: Plan, stratum: Stratum) -> StratumRules:
    """Return what has to be run for a stratum."""
    growing = frozenset(stratum.predicates)
    rules = [rule for name in stratum.predicates for rule in plan.rules_of.get(name, ()) if rule.body]
    rules.sort(key=lambda rule: rule.origin)
    if not stratum.recursive:
        return StratumRules(stratum, tuple(rules), (), plan.relations)
    split: list[PlannedRule] = []
    views: list[PlannedRule] = []
    relations = dict(plan.relations)
    shared: dict[Hashable, str] = {}
    for number, rule in enumerate(rules):
        body, own_views = split_body(rule.body, _head_variables(rule.head), growing, f"{rule.head.predicate}~{number + 1}")
        sorts = variable_sorts(plan.relations, rule.head, rule.body)
        names: dict[str, str] = {}
        for view in own_views:
            view = renamed(view, names)
            name = names[view.head.predicate] = shared.setdefault(view_pattern(view), view.head.predicate)
            if name == view.head.predicate:
                views.append(PlannedRule(view.head, view.body, rule.origin))
                columns = tuple(sorts[variable] for variable in _head_variables(view.head))
                relations[name] = RelationType(name, columns, edb=False, idb=True, auxiliary=True)
        split.append(PlannedRule(rule.head, renamed_body(body, names), rule.origin))
    return StratumRules(stratum, tuple(split), tuple(views), relations)


def plan_stratum(rules: StratumRules, statistics: Statistics, *, estimates: bool = True) -> StratumPlan:
    """Return the pipelines of the rules of a stratum, ordered by the given sizes; without `estimates` only as far as there is a choice."""
    growing = frozenset((*rules.stratum.predicates, *(view.head.predicate for view in rules.views)))
    planner = BodyPlanner(rules.relations, statistics, growing, estimates=estimates)
    return StratumPlan(
        rules.stratum,
        tuple(_plan_rule(rules.relations, planner, rule) for rule in rules.rules),
        tuple(_plan_rule(rules.relations, planner, view) for view in rules.views),
    )


def fixed_term(term: object, sort: str) -> Fixed:
    """Return the constant that stands in a column of the sort."""
    assert isinstance(term, Constant), "a term of a head is a variable or a constant"
    return Fixed(term.value, "int" if isinstance(term.value, int) else sort)


def _by_head(rules: Sequence[PlannedRule]) -> dict[str, tuple[PlannedRule, ...]]:
    found: dict[str, list[PlannedRule]] = {}
    for rule in rules:
        found.setdefault(rule.head.predicate, []).append(rule)
    return {name: tuple(own) for name, own in found.items()}


def _strata_of_heads(strata: Sequence[Stratum], rules: Sequence[PlannedRule]) -> tuple[Stratum, ...]:
    """Return the strata without the predicates that no rule defines."""
    heads = {rule.head.predicate for rule in rules}
    kept = (tuple(predicate for predicate in stratum.predicates if predicate in heads) for stratum in strata)
    return tuple(Stratum(predicates, stratum.recursive) for predicates, stratum in zip(kept, strata, strict=True) if predicates)


def _head_variables(head: Atom) -> list[str]:
    return [term.name for term in head.args if isinstance(term, Variable)]


def _plan_rule(relations: Mapping[str, RelationType], planner: BodyPlanner, rule: PlannedRule) -> RulePlan:
    sorts = variable_sorts(relations, rule.head, rule.body)
    wanted = _head_variables(rule.head)
    head_sorts = relations[rule.head.predicate].sorts

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
