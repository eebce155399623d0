"""Syntax tree to canonical text; reading the text again gives an equal tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from ce.datalog.lexer import KEYWORDS
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
    Program,
    Query,
    Rule,
    Variable,
    Wildcard,
)

__all__ = ["unparse", "unparse_body", "unparse_clause", "unparse_expression", "unparse_literal"]

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


def unparse(program: Program) -> str:
    """Return the clauses of a program, one paragraph each."""
    return "\n\n".join(unparse_clause(clause) for clause in program.clauses) + ("\n" if program.clauses else "")


def unparse_clause(clause: Clause) -> str:
    """Return one clause with its annotations and its dot; a body stands one literal a line."""
    match clause:
        case Declaration():
            columns = ", ".join(f"{name}: {sort}" for name, sort in clause.columns)
            text = f"decl {clause.predicate}({columns})."
        case Output():
            text = f"output {clause.predicate}."
        case Include():
            text = f'include "{clause.path}".'
        case Query():
            text = f"?- {unparse_body(clause.body)}."
        case Rule() | Assertion():
            head = ("assert " if isinstance(clause, Assertion) else "") + unparse_literal(clause.head)
            text = f"{head} :-\n{_lines(clause.body, 1)}." if clause.body else f"{head}."
    return "".join(f"{_annotation(annotation)}\n" for annotation in getattr(clause, "annotations", ())) + text


def unparse_body(body: Iterable[Literal]) -> str:
    """Return literals on one line."""
    literals = tuple(body)
    if len(literals) == 1 and isinstance(literals[0], Disjunction):
        return _alternatives(literals[0])
    return ", ".join(unparse_literal(literal) for literal in literals)


def unparse_literal(literal: Literal) -> str:
    """Return one literal on one line."""
    match literal:
        case Atom():
            arguments = ", ".join(unparse_expression(argument) for argument in literal.args)
            return f"{'not ' if literal.negated else ''}{literal.predicate}({arguments})"
        case Comparison():
            return f"{unparse_expression(literal.left)} {literal.operator} {unparse_expression(literal.right)}"
        case Aggregate():
            variables = ", ".join(variable.name for variable in literal.variables)
            return f"{literal.result.name} = {literal.function}({variables} : {unparse_body(literal.body)})"
        case Disjunction():
            return f"({_alternatives(literal)})"
        case NegatedConjunction():
            return f"not ({unparse_body(literal.body)})"


def unparse_expression(expression: Expression) -> str:
    """Return an expression with no more parentheses than it needs."""
    match expression:
        case Variable():
            return expression.name
        case Wildcard():
            return "_"
        case Constant():
            return _constant(expression.value)
        case Arithmetic():
            return _arithmetic(expression)


def _arithmetic(expression: Arithmetic) -> str:
    strength = _PRECEDENCE[expression.operator]
    left, right = unparse_expression(expression.left), unparse_expression(expression.right)
    if isinstance(expression.left, Arithmetic) and _PRECEDENCE[expression.left.operator] < strength:
        left = f"({left})"
    if isinstance(expression.right, Arithmetic) and _PRECEDENCE[expression.right.operator] <= strength:
        right = f"({right})"
    return f"{left} {expression.operator} {right}"


def _constant(value: int | str) -> str:
    if isinstance(value, int):
        return str(value)
    return value if _NAME.fullmatch(value) and value not in KEYWORDS else f'"{value}"'


def _alternatives(disjunction: Disjunction) -> str:
    return " ; ".join(unparse_body(_wrapped(alternative)) for alternative in disjunction.alternatives)


def _wrapped(alternative: tuple[Literal, ...]) -> Iterable[Literal]:
    # A lone disjunction inside an alternative keeps its parentheses: without them it would join the outer one.
    return alternative if len(alternative) != 1 else chain(alternative, ())


def _lines(body: tuple[Literal, ...], indent: int) -> str:
    pad = "    " * indent
    if len(body) == 1 and isinstance(body[0], Disjunction):
        return f"\n{pad};\n".join(_lines(alternative, indent) for alternative in body[0].alternatives)
    return ",\n".join(pad + unparse_literal(literal) for literal in body)


def _annotation(annotation: Annotation) -> str:
    argument = annotation.argument
    plain = _NAME.fullmatch(argument) is not None and argument not in KEYWORDS and annotation.name == "severity"
    return f"@{annotation.name}({argument})" if plain else f'@{annotation.name}("{argument}")'
