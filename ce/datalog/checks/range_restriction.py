"""Safety: every rule has an order in which each variable has a value before it is needed, and aggregates are well formed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule
from ce.datalog.codes import CHECKS
from ce.datalog.excerpt import shown
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Expression, Term, Wildcard
from ce.datalog.transform.safe_order import Need, Ordering, order_body
from ce.datalog.traverse import core_body, names, variables_of
from ce.diagnostics import Diagnostic, Span

__all__ = ["check_range_restriction"]


def check_range_restriction(rule: CoreRule, sources: Mapping[str, str]) -> tuple[CoreRule, list[Diagnostic]]:
    """Return the rule with its body in safe order, and a diagnostic for every variable and aggregate that prevents one."""
    faults = [*_wildcard_faults(rule.body, sources), *_shape_faults(rule.body)]
    if faults:
        return rule, faults
    ordering = order_body(rule.body)
    faults = [_taken(aggregate) for aggregate in ordering.taken]
    faults += _inner_results(rule.body)
    faults += [_unsafe(need, sources) for need in ordering.unbound]
    faults += _head_faults(rule, ordering)
    positions = tuple(rule.positions[index] for index in ordering.order)
    return replace(rule, body=ordering.body, positions=positions), faults


def _unsafe(need: Need, sources: Mapping[str, str]) -> Diagnostic:
    literal = need.literal
    notes = []
    if isinstance(literal, Aggregate):
        where = f", and `{shown(literal, sources)}` is taken for each of its values"
        notes.append("an aggregate does not bind the variables it shares with its clause: bind them outside it as well")
    else:
        where = f" where `{shown(literal, sources)}` needs it"
        notes.append("give it a value with a positive literal or an equation")
    return CHECKS.UNSAFE.at(need.variable.span, variable=need.variable.name, where=where, notes=notes)


def _head_faults(rule: CoreRule, ordering: Ordering) -> Iterator[Diagnostic]:
    """Yield a fault for every head variable without a value, unless the fault of another variable explains it."""
    if ordering.taken:
        return
    explained = (
        {name for literal in rule.body if isinstance(literal, Comparison | Aggregate) for name in names((literal,))}
        if ordering.unbound
        else set()
    )
    reported = {need.variable.name for need in ordering.unbound}
    for variable in {variable.name: variable for argument in rule.head.args for variable in variables_of(argument)}.values():
        if variable.name in ordering.bound or variable.name in reported or variable.name in explained or variable.name.startswith("_"):
            continue
        inside = any(variable.name in names((literal,)) for literal in rule.body if isinstance(literal, Aggregate))
        notes = []
        if not rule.body:
            where, advice = "", "a fact has constants only; write a rule to say more"
        elif rule.head.predicate.startswith("?"):
            where, advice = " in every alternative", "bind it in each alternative, or write `_` where its value does not matter"
        else:
            where, advice = " by the body", "bind it in a positive literal of the body"
        if inside:
            notes.append("an aggregate does not bind the variables it shares with its clause: bind them outside it as well")
        yield CHECKS.UNSAFE.at(variable.span, variable=variable.name, where=where, notes=[*notes, advice])


def _taken(aggregate: Aggregate) -> Diagnostic:
    name = aggregate.result.name
    what = f"`{name}` has a value before `{aggregate.function}` gives it one"
    return CHECKS.AGGREGATE.at(
        aggregate.span,
        what=what,
        notes=[f"give the aggregate a result of its own, `M = {aggregate.function}(…)`, and compare `{name} = M`"],
    )


def _shape_faults(body: tuple[CoreLiteral, ...]) -> Iterator[Diagnostic]:
    for literal in body:
        if not isinstance(literal, Aggregate):
            continue
        function = literal.function
        listed = [variable.name for variable in literal.variables]
        if literal.result.name in literal.groups or literal.result.name in listed:
            what = f"`{literal.result.name}` is the result of `{function}` and stands inside it"
            yield CHECKS.AGGREGATE.at(literal.result.span, what=what, notes=["give the result a name of its own"])
        for variable in literal.variables:
            if variable.name in literal.groups and variable.name != literal.result.name:
                what = f"`{variable.name}` is aggregated by `{function}` and used outside it"
                yield CHECKS.AGGREGATE.at(variable.span, what=what, notes=["give the aggregated variable a name of its own"])
        yield from _shape_faults(core_body(literal))


def _inner_results(body: tuple[CoreLiteral, ...]) -> Iterator[Diagnostic]:
    """Yield a fault for every aggregated variable that the inside of its aggregate does not bind."""
    for literal in body:
        if not isinstance(literal, Aggregate):
            continue
        inner = order_body(core_body(literal), literal.groups)
        if not inner.is_safe:
            continue
        for variable in literal.variables:
            if variable.name not in inner.bound:
                what = f"`{variable.name}` is aggregated by `{literal.function}` and its body does not bind it"
                yield CHECKS.AGGREGATE.at(
                    variable.span, what=what, notes=[f"write `{literal.function}({variable.name} : p({variable.name}))`"]
                )
        yield from _inner_results(core_body(literal))


def _wildcard_faults(body: tuple[CoreLiteral, ...], sources: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield a fault for every `_` where a value is needed: comparisons, arithmetic, built-in tests."""
    for literal in body:
        if isinstance(literal, Aggregate):
            yield from _wildcard_faults(core_body(literal), sources)
            continue
        if isinstance(literal, Atom):
            needed: list[Expression | Term] = list(literal.args) if literal.predicate in BUILTIN_TESTS else []
        else:
            needed = [literal.left, literal.right]
        for span in (span for expression in needed for span in _wildcards(expression)):
            where = f" where `{shown(literal, sources)}` needs a value"
            yield CHECKS.UNSAFE.at(span, variable="_", where=where, notes=["name the variable and give it a value in a positive literal"])


def _wildcards(expression: Expression) -> Iterator[Span]:
    if isinstance(expression, Wildcard):
        yield expression.span
    elif isinstance(expression, Arithmetic):
        yield from _wildcards(expression.left)
        yield from _wildcards(expression.right)
