"""Syntax tree to canonical text, and text to canonical layout; reading the result again gives an equal tree."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ce.datalog.layout import layout
from ce.datalog.lexer import KEYWORDS, tokenize
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

__all__ = ["format_source", "unparse", "unparse_body", "unparse_clause", "unparse_expression", "unparse_literal"]

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


def format_source(text: str, source: str = "program") -> str:
    """Return the text of a program in canonical layout, comments kept; raises CeError when it is no program."""
    from ce.datalog.parse import parse

    program = parse(text, source, loader=lambda *_: (source, text))
    return layout(tokenize(source, program.sources[source]))


def unparse(program: Program) -> str:
    """Return the clauses of a program, one paragraph each."""
    return "\n\n".join(unparse_clause(clause) for clause in program.clauses) + ("\n" if program.clauses else "")


def unparse_clause(clause: Clause) -> str:
    """Return one clause with its annotations and its dot, laid out as `format_source` does."""
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
            text = f"{head} :- {unparse_body(clause.body)}." if clause.body else f"{head}."
    annotations = () if isinstance(clause, Output | Include) else clause.annotations
    return layout(tokenize("", "".join(f"{_annotation(annotation)}\n" for annotation in annotations) + text)).rstrip("\n")


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
    return " ; ".join(_alternative(alternative) for alternative in disjunction.alternatives)


def _alternative(literals: tuple[Literal, ...]) -> str:
    # A lone disjunction inside an alternative keeps its parentheses: without them it would join the outer one.
    return ", ".join(unparse_literal(literal) for literal in literals)


def _annotation(annotation: Annotation) -> str:
    argument = annotation.argument
    plain = _NAME.fullmatch(argument) is not None and argument not in KEYWORDS and annotation.name == "severity"
    return f"@{annotation.name}({argument})" if plain else f'@{annotation.name}("{argument}")'
