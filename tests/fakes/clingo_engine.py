"""A third opinion, for tests only: core rules as a program for clingo, an answer set solver. Stratified programs have one answer set."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import clingo

from ce.datalog.builtins import test_holds
from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreRule
from ce.datalog.database import Database
from ce.datalog.naive import fact_rows
from ce.datalog.semantics import Row
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Expression, Literal, Variable

__all__ = ["solve_with_clingo"]


def solve_with_clingo(checked: CheckedProgram, database: Database) -> dict[str, set[Row]]:
    """Return the rows of every relation. Numbers must fit in 32 bits; aggregates must not be nested."""
    names = {predicate: f"p{number}" for number, predicate in enumerate(sorted({*checked.relations, *database.tables}))}
    lines = [f"{names[name]}{_tuple(map(_constant, row))}." for name in database.tables for row in fact_rows(database, name)]
    lines += [_rule(rule, names) for rule in checked.rules]
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(lines))
    control.ground([("base", [])], context=_Tests())
    found: dict[str, set[Row]] = {predicate: set() for predicate in names}
    predicates = {name: predicate for predicate, name in names.items()}
    with control.solve(yield_=True) as handle:
        for model in handle:
            for symbol in model.symbols(atoms=True):
                found[predicates[symbol.name]].add(tuple(map(_value, symbol.arguments)))
    return found


class _Tests:
    """The built-in tests, as functions that clingo calls while it grounds; each gives 1 or 0."""

    def __getattr__(self, name: str) -> Callable[[clingo.Symbol, clingo.Symbol], clingo.Symbol]:
        return lambda left, right: clingo.Number(int(test_holds(name, left.string, right.string)))


def _rule(rule: CoreRule, names: dict[str, str]) -> str:
    head = _atom(rule.head, names)
    return f"{head} :- {', '.join(part for literal in rule.body for part in _literal(literal, names))}." if rule.body else f"{head}."


def _literal(literal: Literal, names: dict[str, str]) -> Iterator[str]:
    if isinstance(literal, Comparison):
        yield f"{_expression(literal.left)} {literal.operator} {_expression(literal.right)}"
    elif isinstance(literal, Aggregate):
        variables = ", ".join(map(_expression, literal.variables))
        body = ", ".join(part for inner in literal.body for part in _literal(inner, names))
        result = _expression(literal.result)
        yield f"{result} = #{literal.function} {{ {variables} : {body} }}"
        if literal.function in ("min", "max"):
            yield f"{result} != #sup, {result} != #inf"
    else:
        assert isinstance(literal, Atom)
        if literal.predicate in BUILTIN_TESTS:
            yield f"{int(not literal.negated)} = @{literal.predicate}({', '.join(map(_expression, literal.args))})"
        else:
            yield ("not " if literal.negated else "") + _atom(literal, names)


def _atom(atom: Atom, names: dict[str, str]) -> str:
    return names[atom.predicate] + _tuple(map(_expression, atom.args))


def _expression(expression: Expression) -> str:
    if isinstance(expression, Variable):
        return f"V{expression.name}"
    if isinstance(expression, Constant):
        return _constant(expression.value)
    if isinstance(expression, Arithmetic):
        operator = "\\" if expression.operator == "%" else expression.operator
        return f"({_expression(expression.left)} {operator} {_expression(expression.right)})"
    return "_"


def _tuple(arguments: Iterator[str]) -> str:
    shown = ", ".join(arguments)
    return f"({shown})" if shown else ""


def _constant(value: int | str) -> str:
    if isinstance(value, int):
        return f"({value})" if value < 0 else str(value)
    return '"' + value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') + '"'


def _value(symbol: clingo.Symbol) -> int | str:
    return symbol.number if symbol.type == clingo.SymbolType.Number else symbol.string
