"""Semi-naive evaluation, stratum by stratum, over columns.

Invariant: a round reads only rows of earlier rounds, so the round of a row is the least height, within its stratum, of a derivation of it.
Every derivation is made once: a rule with several atoms on its own stratum runs once per atom, from the recent rows of that one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ce.datalog.arithmetic import Overflow
from ce.datalog.checked import BUILTIN_TESTS, Stratum
from ce.datalog.database import Database
from ce.datalog.filters import AssignOperator, CompareOperator, TestOperator
from ce.datalog.folds import CountOperator, FoldOperator, counts_directly
from ce.datalog.frames import Frame, Operator
from ce.datalog.growing import FACT, GrowingRelation
from ce.datalog.kernels import Ints
from ce.datalog.limits import LimitExceeded, Limits, Meter
from ce.datalog.model import Model
from ce.datalog.operators import DistinctOperator, Emit, ExistsOperator, JoinOperator, Relay, Staged
from ce.datalog.packing import Range, column_range
from ce.datalog.plan import Plan, RulePlan, StratumPlan, StratumRules, Variant, fixed_term, plan_stratum, stratum_rules
from ce.datalog.profile import Profile
from ce.datalog.ranges import Bound, column_ranges
from ce.datalog.relation import FixedRelation
from ce.datalog.rules import PlannedRule
from ce.datalog.sorts import all_literals
from ce.datalog.statistics import GROWTH
from ce.datalog.steps import Assign, Compare, Distinct, Exists, Fixed, Join, Pipeline, Step, Test
from ce.datalog.symbols import Symbols
from ce.datalog.syntax import Atom
from ce.diagnostics import CeError, Diagnostic, Severity

__all__ = ["evaluate"]

# Steps of a body that run as one stage.
_STAGE_STEPS = 64
# Rounds between two looks at the clock and at the memory in use, however small they are.
_WEIGHED_ROUNDS = 8


def evaluate(plan: Plan, database: Database, limits: Limits | None = None, *, profile: bool = False) -> Model:
    """Return the least model of the planned rules over the database, or a degraded model when a limit was crossed.

    Raises CeError when arithmetic leaves 64 bits or a pattern cannot be read.
    """
    evaluation = _Evaluation(plan, database, limits or Limits(), Profile() if profile else None)
    try:
        for stratum in plan.strata:
            evaluation.run(stratum)
    except LimitExceeded as crossed:
        return Model(plan, database, {}, (), crossed.degraded, evaluation.profile)
    return evaluation.model()


@dataclass(frozen=True, slots=True)
class _Task:
    """A rule variant ready to run: push a frame of one empty row into `first`."""

    rule: PlannedRule
    variant: Variant
    first: Operator
    target: GrowingRelation

    @property
    def width(self) -> int:
        return len(self.variant.pipeline.names)


class _Evaluation:
    """The state of one evaluation: complete relations by name, and those of the stratum at work."""

    def __init__(self, plan: Plan, database: Database, limits: Limits, profile: Profile | None) -> None:
        self.profile = profile
        self._plan = plan
        self._symbols = Symbols(database, plan)
        self._meter = Meter(limits)
        self._complete: dict[str, FixedRelation] = {}
        self._growing: dict[str, GrowingRelation] = {}
        self._finished: dict[str, GrowingRelation] = {}
        self._warned: dict[int, Diagnostic] = {}
        self._origin = 0
        self._guess = 1.0

    # What operators ask for (operators.Context).

    def fixed(self, predicate: str) -> FixedRelation | None:
        if predicate in self._growing:
            return None
        relation = self._complete.get(predicate)
        if relation is None:
            finished = self._finished.get(predicate)
            relation = finished.freeze() if finished is not None else self._facts(predicate)
            self._complete[predicate] = relation
        return relation

    def growing(self, predicate: str) -> GrowingRelation:
        return self._growing[predicate]

    def constant(self, fixed: Fixed) -> int:
        return self._symbols.constant(fixed)

    def labels(self, sort: str, values: Ints) -> list[str]:
        return self._symbols.labels(sort, values)

    def tick(self) -> None:
        self._meter.tick()

    def weigh(self) -> None:
        self._meter.tick()
        self._meter.memory(sum(relation.bytes() for relation in self._growing.values()))

    def room(self) -> float:
        return self._meter.room

    def crowded(self) -> None:
        self._meter.crowded()

    def divided_by_zero(self) -> None:
        rule = self._plan.checked.rules[self._origin]
        if self._origin not in self._warned:
            self._warned[self._origin] = Diagnostic(
                "CE402", f"the rule at {rule.at} divides by zero; where it does, it derives nothing", rule.span, severity=Severity.WARNING
            )

    # What the planner asks for (ordering.Statistics).

    def rows(self, predicate: str) -> float:
        if predicate in self._growing:
            return max(self._growing[predicate].count, self._guess)
        relation = self.fixed(predicate)
        return float(relation.length) if relation is not None else 0.0

    def distinct(self, predicate: str, column: int) -> float:
        if predicate in self._growing:
            low, high = self._growing[predicate].ranges[column]
            return max(1.0, min(self.rows(predicate), high - low + 1.0))
        relation = self.fixed(predicate)
        return float(relation.distinct(column)) if relation is not None else 1.0

    # The evaluation proper.

    def run(self, stratum: Stratum) -> None:
        """Compute the relations of a stratum."""
        rules = stratum_rules(self._plan, stratum)
        self._start(rules)
        planned = plan_stratum(rules, self, estimates=False)
        needed = _index_keys(planned)
        for name, relation in self._growing.items():
            relation.add_indexes(sorted(needed.get(name, ())))
        views = [(view.rule.head.predicate, [self._task(view, variant) for variant in view.variants]) for view in planned.views]
        tasks = [self._task(rule, variant) for rule in planned.rules for variant in rule.variants]
        round_number = 0
        active = True
        while active:
            round_number += 1
            self._meter.round(round_number)
            for name, view_tasks in views:
                self._round(view_tasks, round_number)
                self._growing[name].advance(round_number)
            self._round(tasks, round_number)
            active = False
            for name in stratum.predicates:
                relation = self._growing[name]
                before = relation.count
                active |= relation.advance(round_number)
                self._meter.rows(relation.count - before)
            if round_number % _WEIGHED_ROUNDS == 1:
                self.weigh()
            active &= stratum.recursive
        for name in stratum.predicates:
            self._finished[name] = self._growing[name]
            self._growing[name].close()
            self._meter.bytes += self._growing[name].bytes()
        self._growing = {}

    def model(self) -> Model:
        """Return the model of the strata run so far."""
        warnings = [self._warned[origin] for origin in sorted(self._warned)]
        return Model(self._plan, self._symbols.database, self._finished, warnings, None, self.profile)

    def _round(self, tasks: list[_Task], round_number: int) -> None:
        for task in tasks:
            trigger = task.variant.trigger
            if (not self._growing[trigger].recent.size) if trigger is not None else round_number > 1:
                continue
            started = time.perf_counter() if self.profile is not None else 0.0
            before = task.target.waiting
            self._run(task)
            if self.profile is not None:
                seconds = time.perf_counter() - started
                self.profile.add(len(self._finished), round_number, task.rule.origin, task.target.waiting - before, seconds)

    def _run(self, task: _Task) -> None:
        self._origin = task.rule.origin
        rule = self._plan.checked.rules[self._origin]
        self._meter.rule = rule
        frame: Frame = [None] * task.width
        try:
            task.first.push(frame, 1)
        except Overflow:
            raise CeError.of("CE401", f"the rule at {rule.at} computes a number that does not fit in 64 bits", span=rule.span) from None
        except CeError as error:
            raise CeError(tuple(replace(diagnostic, span=diagnostic.span or rule.span) for diagnostic in error.diagnostics)) from None
        task.target.finish(self._origin)

    def _start(self, rules: StratumRules) -> None:
        """Make the growing relations of a stratum, with their facts as the recent rows."""
        bodies = (*rules.views, *rules.rules)
        names = (*(view.head.predicate for view in rules.views), *rules.stratum.predicates)
        given = {name: self._given(rules, name) for name in names}
        start: dict[str, list[Bound] | None] = {
            name: None if facts is None else [column_range(column) for column in facts[0]] for name, facts in given.items()
        }
        growing = frozenset(names)

        def complete(predicate: str, column: int) -> Range:
            relation = self.fixed(predicate)
            assert relation is not None
            return relation.range(column)

        def size(predicate: str) -> int:
            if predicate in growing:
                return 1 << 62
            relation = self.fixed(predicate)
            return relation.length if relation is not None else 0

        bounds = column_ranges(bodies, start, rules.relations, complete, size, self._symbols.constant)
        read = {literal.predicate for rule in bodies for literal in all_literals(rule.body) if isinstance(literal, Atom)}
        sizes = [size(predicate) for predicate in read - growing - set(BUILTIN_TESTS)]
        self._guess = GROWTH * max([1, *sizes, *(facts[2] for facts in given.values() if facts is not None)])
        for name in names:
            relation = self._growing[name] = GrowingRelation(bounds[name])
            facts = given[name]
            if facts is not None:
                relation.seed(facts[0], facts[1])
                self._meter.rows(relation.count)

    def _given(self, rules: StratumRules, name: str) -> tuple[list[Ints], int | Ints, int] | None:
        """Return the facts of a relation: columns, the rule of all or of each, how many. Those of the database come first."""
        table = self._symbols.database.tables.get(name)
        length = 0 if table is None else table.length
        stated = [rule for rule in self._plan.rules_of.get(name, ()) if not rule.body]
        if not stated:
            return (list(table.columns), FACT, length) if table is not None and length else None
        sorts = rules.relations[name].sorts
        columns = []
        for place, sort in enumerate(sorts):
            terms = [rule.head.args[place] for rule in stated]
            values = [self._symbols.constant(fixed_term(term, sort)) for term in terms]
            own = np.array(values, dtype=np.int64)
            columns.append(own if table is None else np.concatenate((table.columns[place], own)))
        stating = np.concatenate((np.full(length, FACT, dtype=np.int64), np.array([rule.origin for rule in stated], dtype=np.int64)))
        return (columns, stating, stating.size) if columns else ([], stating[:1], 1)

    def _facts(self, predicate: str) -> FixedRelation:
        table = self._symbols.database.tables.get(predicate)
        arity = len(self._plan.relations[predicate].sorts)
        if table is None:
            return FixedRelation(arity, 0, [np.empty(0, dtype=np.int64)] * arity)
        return FixedRelation(arity, table.length, table.columns)

    # From plans to operators.

    def _task(self, planned: RulePlan, variant: Variant) -> _Task:
        target = self._growing[planned.rule.head.predicate]
        end = Emit(self, variant.head, target, planned.rule.origin)
        return _Task(planned.rule, variant, self._operators(variant.pipeline, end), target)

    def _operators(self, pipeline: Pipeline, end: Operator) -> Operator:
        bounds = self._bounds_before(pipeline)
        width = len(pipeline.names)
        firsts: list[Operator] = []
        relays: list[Relay] = []
        following = end
        for place in reversed(range(len(pipeline.steps))):
            following = self._operator(pipeline.steps[place], following, width, bounds[place])
            if place and place % _STAGE_STEPS == 0:
                firsts.append(following)
                following = Relay()
                relays.append(following)
        return Staged([following, *reversed(firsts)], relays[::-1]) if relays else following

    def _bounds_before(self, pipeline: Pipeline) -> list[dict[int, Range]]:
        """Return for every step between which values the slots lie that it reads; a slot that is not listed may hold anything."""
        known: dict[int, Range] = {}
        before = []
        for step in pipeline.steps:
            before.append(dict(known))
            if isinstance(step, Join):
                relation = self.fixed(step.access.predicate)
                growing = self._growing.get(step.access.predicate)
                for column, slot in step.access.binds:
                    if relation is not None:
                        known[slot] = relation.range(column)
                    elif growing is not None and growing.is_bounded:
                        known[slot] = growing.ranges[column]
        return before

    def _operator(self, step: Step, following: Operator, width: int, bounds: Mapping[int, Range]) -> Operator:
        if isinstance(step, Join):
            return JoinOperator(self, step, following, width, bounds)
        if isinstance(step, Exists):
            return ExistsOperator(self, step, following)
        if isinstance(step, Compare):
            return CompareOperator(self, step, following)
        if isinstance(step, Assign):
            return AssignOperator(self, step, following)
        if isinstance(step, Test):
            return TestOperator(self, step, following)
        if isinstance(step, Distinct):
            return DistinctOperator(step, following)
        counted = counts_directly(self, step)
        if counted is not None:
            return CountOperator(counted, step, following)
        return FoldOperator(step, lambda collector: self._operators(step.body, collector), following)


def _index_keys(planned: StratumPlan) -> dict[str, set[tuple[int, ...]]]:
    """Return by which columns the rules of a stratum look into its own relations."""
    keys: dict[str, set[tuple[int, ...]]] = {}
    for rule in (*planned.views, *planned.rules):
        for variant in rule.variants:
            for step in variant.pipeline.steps:
                if isinstance(step, Join | Exists) and step.access.source != "recent":
                    keys.setdefault(step.access.predicate, set()).add(step.access.key_columns)
    return keys
