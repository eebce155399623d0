"""The meaning of a surface clause, read straight off its syntax tree by trying every value: slow, small and independent of the engine.

Values are the integers of `VALUES`; a clause whose variables need others is not for this oracle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ce.datalog.syntax import (
    Aggregate,
    Arithmetic,
    Atom,
    Comparison,
    Constant,
    Disjunction,
    Expression,
    Literal,
    NegatedConjunction,
    Rule,
    Variable,
)
from ce.datalog.traverse import direct_variables, names, variables_of

__all__ = ["VALUES", "answers"]

VALUES = range(17)

_Binding = Mapping[str, int]
_Facts = Mapping[str, set[tuple[int, ...]]]


def answers(rule: Rule, facts: _Facts) -> set[tuple[int, ...]]:
    """Return the rows that one application of the rule to the facts derives."""
    outer = set(direct_variables(rule.body)) | {variable.name for argument in rule.head.args for variable in variables_of(argument)}
    found = set()
    for binding in _solutions(rule.body, sorted(outer), {}, facts):
        row = [_value(argument, binding) for argument in rule.head.args]
        found.add(tuple(row))
    return found


def _solutions(body: Sequence[Literal], free: Sequence[str], binding: _Binding, facts: _Facts) -> Iterator[_Binding]:
    """Yield the assignments of values to the free variables that make every literal true."""
    scope = {*binding, *free}
    waiting = [(literal, {name for name in names((literal,)) if name in scope} - binding.keys()) for literal in body]
    yield from _extend(waiting, list(free), binding, facts)


def _extend(waiting: list[tuple[Literal, set[str]]], free: list[str], binding: _Binding, facts: _Facts) -> Iterator[_Binding]:
    ready = [literal for literal, missing in waiting if not missing & set(free)]
    if not all(_holds(literal, binding, facts) for literal in ready):
        return
    if not free:
        yield binding
        return
    rest = [(literal, missing) for literal, missing in waiting if missing & set(free)]
    for value in VALUES:
        yield from _extend(rest, free[1:], {**binding, free[0]: value}, facts)


def _holds(literal: Literal, binding: _Binding, facts: _Facts) -> bool:
    match literal:
        case Atom():
            return literal.negated != any(_matches(literal.args, row, binding) for row in facts[literal.predicate])
        case Comparison():
            return _compare(literal.operator, _value(literal.left, binding), _value(literal.right, binding))
        case Disjunction():
            return any(all(_holds(inner, binding, facts) for inner in alternative) for alternative in literal.alternatives)
        case NegatedConjunction():
            return not any(True for _ in _inside(literal.body, (), binding, facts))
        case Aggregate():
            rows = {
                tuple(inner[variable.name] for variable in literal.variables)
                for inner in _inside(literal.body, literal.variables, binding, facts)
            }
            return binding[literal.result.name] == (len(rows) if literal.function == "count" else sum(row[0] for row in rows))


def _inside(body: Sequence[Literal], listed: Iterable[Variable], binding: _Binding, facts: _Facts) -> Iterator[_Binding]:
    local = {*direct_variables(body), *(variable.name for variable in listed)} - binding.keys()
    return _solutions(body, sorted(local), binding, facts)


def _matches(args: Sequence[Expression], row: Sequence[int], binding: _Binding) -> bool:
    return all(
        not isinstance(a, Variable | Constant | Arithmetic) or _value(a, binding) == value for a, value in zip(args, row, strict=True)
    )


def _value(expression: Expression, binding: _Binding) -> int:
    match expression:
        case Variable():
            return binding[expression.name]
        case Constant() if isinstance(expression.value, int):
            return expression.value
        case Arithmetic(operator="+"):
            return _value(expression.left, binding) + _value(expression.right, binding)
    raise AssertionError("the oracle adds integers, no more")


def _compare(operator: str, left: int, right: int) -> bool:
    return {"=": left == right, "!=": left != right, "<": left < right, ">=": left >= right}[operator]
