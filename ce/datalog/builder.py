"""From reductions of the grammar to nodes of the syntax tree; the methods are named as in `grammar.lark`.

The builder keeps no state, so that one parser serves every source and thread. What the grammar cannot say
(an aggregate stands only as `Variable = aggregate`) is raised as a `ShapeFault`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ce.datalog.codes import CHECKS
from ce.datalog.lexer import Token
from ce.datalog.syntax import (
    Aggregate,
    Annotation,
    Arithmetic,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Constant,
    Declaration,
    Disjunction,
    Expression,
    Include,
    Literal,
    NegatedConjunction,
    Output,
    Query,
    Rule,
    Variable,
    Wildcard,
)
from ce.diagnostics import Diagnostic, Span

__all__ = ["Builder", "ShapeFault"]


class ShapeFault(Exception):
    """A clause that the grammar accepts and the language does not."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


class _AggregateCall(NamedTuple):
    function: str
    variables: tuple[Variable, ...]
    body: tuple[Literal, ...]
    span: Span


class Builder:
    """The callbacks of the parser: each takes the children of one reduction and returns their node."""

    def start(self, children: Sequence[Any]) -> Clause:
        annotations, clause, dot = children
        # A clause stands where its head stands: proofs name that line, not the one of an annotation.
        span = clause.span.to(dot.span)
        if isinstance(clause, Rule | Query | Assertion | Declaration):
            return replace(clause, annotations=tuple(annotations), span=span)
        assert isinstance(clause, Output | Include), "the grammar has no other clause"
        return replace(clause, span=span)

    def no_annotations(self, _: Sequence[Any]) -> list[Annotation]:
        return []

    def more_annotations(self, children: Sequence[Any]) -> list[Annotation]:
        children[0].append(children[1])
        return children[0]  # type: ignore[no-any-return]  # the children of a reduction have no static type

    def annotation(self, children: Sequence[Any]) -> Annotation:
        at, name, _, value, close = children
        return Annotation(name.text, value, span=at.span.to(close.span))

    def annotation_value(self, children: Sequence[Token]) -> str:
        return _name(children[0])

    def first(self, children: Sequence[Any]) -> list[Any]:
        return [children[0]]

    def more(self, children: Sequence[Any]) -> list[Any]:
        children[0].append(children[2])
        return children[0]  # type: ignore[no-any-return]  # the children of a reduction have no static type

    def fact(self, children: Sequence[Any]) -> Rule:
        return Rule(children[0], (), span=children[0].span)

    def rule(self, children: Sequence[Any]) -> Rule:
        return Rule(children[0], children[2], span=children[0].span)

    def query(self, children: Sequence[Any]) -> Query:
        return Query(children[1], span=children[0].span)

    def assertion(self, children: Sequence[Any]) -> Assertion:
        return Assertion(children[1], children[3], span=children[0].span)

    def empty_declaration(self, children: Sequence[Token]) -> Declaration:
        return Declaration(children[1].text, (), span=children[0].span)

    def declaration(self, children: Sequence[Any]) -> Declaration:
        return Declaration(children[1].text, tuple(children[3]), span=children[0].span)

    def column(self, children: Sequence[Token]) -> tuple[str, str]:
        return (children[0].text, children[2].text)

    def output(self, children: Sequence[Token]) -> Output:
        return Output(children[1].text, span=children[0].span)

    def include(self, children: Sequence[Token]) -> Include:
        return Include(_name(children[1]), span=children[0].span)

    def body(self, children: Sequence[Any]) -> tuple[Literal, ...]:
        alternatives = children[0]
        if len(alternatives) == 1:
            return tuple(alternatives[0])
        span = alternatives[0][0].span.to(alternatives[-1][-1].span)
        return (Disjunction(tuple(tuple(alternative) for alternative in alternatives), span=span),)

    def conjunction_first(self, children: Sequence[Any]) -> list[Literal]:
        return list(children[0])

    def conjunction_more(self, children: Sequence[Any]) -> list[Literal]:
        children[0].extend(children[2])
        return children[0]  # type: ignore[no-any-return]  # the children of a reduction have no static type

    def plain(self, children: Sequence[Atom]) -> tuple[Literal, ...]:
        return (children[0],)

    def negated(self, children: Sequence[Any]) -> tuple[Literal, ...]:
        return (replace(children[1], negated=True, span=children[0].span.to(children[1].span)),)

    def negated_group(self, children: Sequence[Any]) -> tuple[Literal, ...]:
        return (NegatedConjunction(children[2], span=children[0].span.to(children[3].span)),)

    def group(self, children: Sequence[Any]) -> tuple[Literal, ...]:
        # Parentheses around a mere conjunction mean nothing: its literals stand in the body themselves.
        return children[1]  # type: ignore[no-any-return]  # the children of a reduction have no static type

    def comparison(self, children: Sequence[Any]) -> tuple[Literal, ...]:
        left, operator, right = children
        if isinstance(right, _AggregateCall) and operator.text == "=" and isinstance(left, Variable):
            span = left.span.to(right.span)
            return (Aggregate(left, right.function, right.variables, right.body, span=span),)
        for side in (left, right):
            if isinstance(side, _AggregateCall):
                raise _aggregate_elsewhere(side)
        return (Comparison(operator.text, left, right, span=left.span.to(right.span)),)

    def empty_atom(self, children: Sequence[Token]) -> Atom:
        return Atom(children[0].text, (), span=children[0].span.to(children[2].span))

    def atom(self, children: Sequence[Any]) -> Atom:
        for argument in children[2]:
            if isinstance(argument, _AggregateCall):
                raise _aggregate_elsewhere(argument)
        return Atom(children[0].text, tuple(children[2]), span=children[0].span.to(children[3].span))

    def arithmetic(self, children: Sequence[Any]) -> Arithmetic:
        left, operator, right = children
        for side in (left, right):
            if isinstance(side, _AggregateCall):
                raise _aggregate_elsewhere(side)
        return Arithmetic(operator.text, left, right, span=left.span.to(right.span))

    def variable(self, children: Sequence[Token]) -> Variable:
        return Variable(children[0].text, span=children[0].span)

    def wildcard(self, children: Sequence[Token]) -> Wildcard:
        return Wildcard(span=children[0].span)

    def integer(self, children: Sequence[Token]) -> Constant:
        return Constant(int(children[0].text), span=children[0].span)

    def string(self, children: Sequence[Token]) -> Constant:
        return Constant(_name(children[0]), span=children[0].span)

    def name(self, children: Sequence[Token]) -> Constant:
        return Constant(children[0].text, span=children[0].span)

    def parenthesised(self, children: Sequence[Any]) -> Expression:
        inner = children[1]
        span = children[0].span.to(children[2].span)
        if isinstance(inner, _AggregateCall):
            return inner._replace(span=span)  # type: ignore[return-value]  # `comparison` and the others refuse it
        return replace(inner, span=span)  # type: ignore[no-any-return]  # the children of a reduction have no static type

    def aggregate(self, children: Sequence[Any]) -> _AggregateCall:
        function, _, variables, _, body, close = children
        named = tuple(Variable(token.text, span=token.span) for token in variables)
        return _AggregateCall(function.text, named, body, function.span.to(close.span))


def _aggregate_elsewhere(call: _AggregateCall) -> ShapeFault:
    note = f"name the result first: `N = {call.function}(…)`, then use `N`"
    return ShapeFault(
        CHECKS.AGGREGATE.at(call.span, what=f"`{call.function}(…)` stands only as `Variable = {call.function}(…)`", notes=[note])
    )


def _name(token: Token) -> str:
    return token.text[1:-1] if token.type == "STRING" else token.text
