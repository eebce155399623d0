"""Plans as text, for `--plan` and for the golden tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.ordering import Statistics
from ce.datalog.plan import Plan, RulePlan, StratumPlan, StratumRules, Variant, plan_stratum, stratum_rules
from ce.datalog.sorts import all_literals
from ce.datalog.statistics import GROWTH, Guesses
from ce.datalog.steps import (
    Access,
    Apply,
    Assign,
    ColumnMatch,
    ColumnTest,
    Compare,
    Distinct,
    Exists,
    Expression,
    Fixed,
    Fold,
    Join,
    Operand,
    Pipeline,
    Step,
    Test,
)
from ce.datalog.syntax import Atom

__all__ = ["describe_plan"]


def describe_plan(plan: Plan) -> str:
    """Return the plan as text: per stratum and rule the steps in order, with the rows estimated to be left after each.

    Sizes of derived relations are estimated from the rules before them; when the plan runs, each stratum is planned again with true ones.
    """
    lines: list[str] = []
    statistics = plan.statistics
    for number, stratum in enumerate(plan.strata, start=1):
        kind = "recursive stratum" if stratum.recursive else "stratum"
        lines.append(f"{kind} {number}: {', '.join(stratum.predicates)}")
        for name in stratum.predicates:
            stated = sum(not rule.body for rule in plan.rules_of.get(name, ()))
            if stated:
                lines.append(f"  {name}: {stated} stated fact{'s' if stated > 1 else ''}")
        rules = stratum_rules(plan, stratum)
        if stratum.recursive:
            largest = _largest_read(rules, statistics)
            statistics = _noted(statistics, {name: largest**0.5 if "?" in name else GROWTH * largest for name in _growing(rules)})
        planned = plan_stratum(rules, statistics)
        for rule in (*planned.views, *planned.rules):
            lines += _rule(plan, rule)
        if not stratum.recursive:
            statistics = _noted(statistics, {name: _derived(plan, planned, name) for name in stratum.predicates})
    return "\n".join(lines) + "\n"


def _noted(statistics: Statistics, rows: Mapping[str, float]) -> Statistics:
    return statistics.with_rows(rows) if isinstance(statistics, Guesses) else statistics


def _growing(rules: StratumRules) -> list[str]:
    return [*rules.stratum.predicates, *(view.head.predicate for view in rules.views)]


def _largest_read(rules: StratumRules, statistics: Statistics) -> float:
    own = _growing(rules)
    read = {literal.predicate for rule in rules.rules for literal in all_literals(rule.body) if isinstance(literal, Atom)}
    return max((statistics.rows(name) for name in read.difference(own, BUILTIN_TESTS)), default=1.0)


def _derived(plan: Plan, planned: StratumPlan, name: str) -> float:
    """Return about how many rows the rules of a relation derive."""
    rows = float(sum(not rule.body for rule in plan.rules_of.get(name, ())))
    for rule in planned.rules:
        if rule.rule.head.predicate == name:
            rows += sum(variant.pipeline.steps[-1].rows if variant.pipeline.steps else 1.0 for variant in rule.variants)
    return rows


def _rule(plan: Plan, rule: RulePlan) -> Iterator[str]:
    for variant in rule.variants:
        when = f" on new {variant.trigger}" if variant.trigger is not None else ""
        kind = "view for rule" if "~" in rule.rule.head.predicate else "rule"
        yield f"  {kind} {rule.rule.origin + 1} ({plan.checked.rules[rule.rule.origin].at}){when}"
        yield from _steps(variant.pipeline, "    ")
        yield f"    derive {_head(rule, variant)}"


def _head(rule: RulePlan, variant: Variant) -> str:
    return f"{rule.rule.head.predicate}({', '.join(_operand(operand, variant.pipeline.names) for operand in variant.head)})"


def _steps(pipeline: Pipeline, indent: str) -> Iterator[str]:
    for step in pipeline.steps:
        yield f"{indent}{_step(step, pipeline.names)}"
        if isinstance(step, Fold):
            yield from _steps(step.body, indent + "  ")


def _step(step: Step, names: Sequence[str]) -> str:
    rows = f"  ~{step.rows:.0f} rows" if step.rows < 1e15 else f"  ~{step.rows:.0e} rows"
    if isinstance(step, Join):
        looks_up = any(isinstance(operand, int) for _, operand in step.access.keys)
        return f"{'join' if looks_up else 'scan'} {_access(step.access, names)}{rows}"
    if isinstance(step, Exists):
        return f"{'unless' if step.negated else 'if'} {_access(step.access, names)}{rows}"
    if isinstance(step, Compare):
        return f"keep {_expression(step.left, names)} {step.operator} {_expression(step.right, names)}{rows}"
    if isinstance(step, Assign):
        return f"let {names[step.slot]} = {_expression(step.expression, names)}{rows}"
    if isinstance(step, Test):
        call = f"{step.name}({_operand(step.left, names)}, {_operand(step.right, names)})"
        return f"keep {'not ' if step.negated else ''}{call}{rows}"
    if isinstance(step, Distinct):
        return f"distinct {', '.join(names[slot] for slot in step.keep)}"
    groups = ", ".join(names[slot] for slot in step.groups)
    values = ", ".join(step.body.names[slot] for slot in step.values)
    return f"let {names[step.slot]} = {step.function} of {values}{f' per {groups}' if groups else ''}{rows}"


def _access(access: Access, names: Sequence[str]) -> str:
    columns: dict[int, str] = {column: _operand(operand, names) for column, operand in access.keys}
    columns |= {column: f"{names[slot]}?" for column, slot in access.binds}
    columns |= {column: names[slot] for column, slot in access.equal}
    width = max(columns, default=-1) + 1
    source = "" if access.source == "all" else f"{access.source} "
    filters = [_filter(condition) for condition in access.filters]
    where = f" where {' and '.join(filters)}" if filters else ""
    return f"{source}{access.predicate}({', '.join(columns.get(column, '_') for column in range(width))}){where}"


def _filter(condition: ColumnTest | ColumnMatch) -> str:
    if isinstance(condition, ColumnTest):
        return f"column {condition.column + 1} {condition.operator} {_operand(condition.value, ())}"
    columns = {
        column: f"column {operand + 1}" if isinstance(operand, int) else _operand(operand, ()) for column, operand in condition.access.keys
    }
    matched = ", ".join(columns.get(column, "_") for column in range(max(columns) + 1))
    return f"{'no ' if condition.negated else ''}{condition.access.predicate}({matched})"


def _operand(operand: Operand, names: Sequence[str]) -> str:
    if isinstance(operand, int):
        return names[operand]
    return str(operand.value) if isinstance(operand.value, int) else f'"{operand.value}"'


def _expression(expression: Expression, names: Sequence[str]) -> str:
    if isinstance(expression, Apply):
        return f"({_expression(expression.left, names)} {expression.operator} {_expression(expression.right, names)})"
    assert isinstance(expression, int | Fixed)
    return _operand(expression, names)
