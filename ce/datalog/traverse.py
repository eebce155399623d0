"""Walks over the syntax tree that several stages share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from ce.datalog.checked import CoreLiteral
from ce.datalog.syntax import (
    Aggregate,
    Arithmetic,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Disjunction,
    Expression,
    Literal,
    NegatedConjunction,
    Query,
    Rule,
    Variable,
)

__all__ = ["atoms", "body_of", "core_body", "direct_variables", "literals", "names", "variables", "variables_of"]


def body_of(clause: Clause) -> tuple[Literal, ...]:
    """Return the body of a clause, empty for those that have none."""
    return clause.body if isinstance(clause, Rule | Query | Assertion) else ()


def core_body(aggregate: Aggregate) -> tuple[CoreLiteral, ...]:
    """Return the body of an aggregate of a core rule, which holds core literals only."""
    return cast("tuple[CoreLiteral, ...]", aggregate.body)


def literals(body: Iterable[Literal]) -> Iterator[Literal]:
    """Yield every literal of a body in textual order, those inside groups, negations and aggregates too."""
    for literal in body:
        yield literal
        match literal:
            case Disjunction():
                for alternative in literal.alternatives:
                    yield from literals(alternative)
            case NegatedConjunction() | Aggregate():
                yield from literals(literal.body)
            case _:
                pass


def atoms(body: Iterable[Literal]) -> Iterator[Atom]:
    """Yield every atom of a body in textual order."""
    return (literal for literal in literals(body) if isinstance(literal, Atom))


def variables_of(expression: Expression) -> Iterator[Variable]:
    """Yield the occurrences of variables in an expression."""
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, Arithmetic):
        yield from variables_of(expression.left)
        yield from variables_of(expression.right)


def variables(body: Iterable[Literal], *, nested: bool = True) -> Iterator[Variable]:
    """Yield the occurrences of variables in a body; with `nested` also those inside negated groups and aggregates.

    An aggregate always yields its result; the aggregated variables belong to its inside.
    """
    for literal in body:
        match literal:
            case Atom():
                for argument in literal.args:
                    yield from variables_of(argument)
            case Comparison():
                yield from variables_of(literal.left)
                yield from variables_of(literal.right)
            case Aggregate():
                yield literal.result
                if nested:
                    yield from literal.variables
                    yield from variables(literal.body)
            case Disjunction():
                for alternative in literal.alternatives:
                    yield from variables(alternative, nested=nested)
            case NegatedConjunction():
                if nested:
                    yield from variables(literal.body)


def direct_variables(body: Iterable[Literal]) -> dict[str, Variable]:
    """Return the variables of this level, the first occurrence of each, in textual order."""
    found: dict[str, Variable] = {}
    for variable in variables(body, nested=False):
        found.setdefault(variable.name, variable)
    return found


def names(body: Iterable[Literal]) -> dict[str, Variable]:
    """Return all variables of a body, the first occurrence of each, in textual order."""
    found: dict[str, Variable] = {}
    for variable in variables(body):
        found.setdefault(variable.name, variable)
    return found
