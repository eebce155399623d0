"""Surface clauses to core rules: no disjunction, no negated conjunction, no arithmetic inside atoms.

Each alternative of a body becomes one rule. A negated conjunction becomes the negation of an auxiliary predicate, or, when
its inside is unsafe alone, an aggregate that counts its solutions and must be 0. Arithmetic in an argument becomes
a variable that no text can spell (`_1`, `_2`, …) and an equation. `not (X < Y)` becomes `X >= Y`. Every rule keeps the
index of its clause; `Normalised.origins` tells what an auxiliary predicate stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule
from ce.datalog.codes import CHECKS
from ce.datalog.syntax import (
    Aggregate,
    Arithmetic,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Constant,
    Disjunction,
    Expression,
    Literal,
    NegatedConjunction,
    Query,
    Rule,
    Term,
    Variable,
    Wildcard,
)
from ce.datalog.transform.safe_order import order_body
from ce.datalog.traverse import direct_variables, names, variables, variables_of
from ce.diagnostics import Diagnostic, Span

__all__ = ["MAX_ALTERNATIVES", "Normalised", "normalise"]

MAX_ALTERNATIVES = 1000
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(slots=True)
class Normalised:
    """Core rules in clause order, bodies in textual order; the predicate of each query and assertion by clause."""

    rules: list[CoreRule] = field(default_factory=list)
    goals: dict[int, str] = field(default_factory=dict)
    origins: dict[str, Literal] = field(default_factory=dict)
    faults: list[Diagnostic] = field(default_factory=list)
    faulty: set[int] = field(default_factory=set)


def normalise(clauses: Sequence[tuple[int, Clause]], *, in_is_sugar: bool = False) -> Normalised:
    """Return the core rules of the clauses, given with their indexes; `in_is_sugar` turns `in(F, glob)` into `set(glob, F)`."""
    result = Normalised()
    queries = assertions = 0
    for index, clause in clauses:
        match clause:
            case Rule():
                head = clause.head
            case Query():
                queries += 1
                head = Atom(f"?{queries}", tuple(direct_variables(clause.body).values()), span=clause.span)
                result.goals[index] = head.predicate
            case Assertion():
                assertions += 1
                head = replace(clause.head, predicate=f"!{assertions}")
                result.goals[index] = head.predicate
            case _:
                continue
        try:
            result.rules += _Clause(index, clause.span, result, in_is_sugar).rules(head, clause.body)
        except _TooManyError:
            result.faults.append(CHECKS.TOO_MANY_ALTERNATIVES.at(clause.span, limit=MAX_ALTERNATIVES))
            result.faulty.add(index)
    return result


class _TooManyError(Exception):
    """The alternatives of one clause multiply past the limit."""


_Item = tuple[int, CoreLiteral]


class _Clause:
    """The normalisation of one clause: numbers its literals and its fresh variables."""

    def __init__(self, index: int, span: Span, result: Normalised, in_is_sugar: bool) -> None:
        self.index, self.span, self.result, self.in_is_sugar = index, span, result, in_is_sugar
        self.fresh = self.position = 0
        self.auxiliary: list[CoreRule] = []

    def rules(self, head: Atom, body: tuple[Literal, ...]) -> list[CoreRule]:
        scope = set(direct_variables(body)) | {variable.name for argument in head.args for variable in variables_of(argument)}
        alternatives = self._alternatives(body, scope)
        args, equations = self._plain_arguments(head.args)
        tail = [(self._next(), equation) for equation in equations]
        core = [
            self._rule(replace(head, args=args), [*alternative, *tail], auxiliary=False)
            for alternative in alternatives
        ]  # fmt: skip
        return [*self.auxiliary, *core]

    def _rule(self, head: Atom, items: Sequence[_Item], *, auxiliary: bool) -> CoreRule:
        body = tuple(literal for _, literal in items)
        return CoreRule(head, body, tuple(position for position, _ in items), self.index, auxiliary, self.span)

    def _next(self) -> int:
        self.position += 1
        return self.position - 1

    def _variable(self, span: Span) -> Variable:
        self.fresh += 1
        return Variable(f"_{self.fresh}", span=span)

    def _alternatives(self, body: Iterable[Literal], scope: Collection[str]) -> list[list[_Item]]:
        """Return the disjunctive normal form of a body whose enclosing levels hold the variables of `scope`."""
        found: list[list[_Item]] = [[]]
        for literal in body:
            if isinstance(literal, Disjunction):
                parts = [part for alternative in literal.alternatives for part in self._alternatives(alternative, scope)]
                if len(found) * len(parts) > MAX_ALTERNATIVES:
                    raise _TooManyError
                found = [[*start, *part] for start in found for part in parts]
            else:
                items = [(self._next(), core) for core in self._lower(literal, scope)]
                for start in found:
                    start += items
        return found

    def _lower(self, literal: Atom | Comparison | Aggregate | NegatedConjunction, scope: Collection[str]) -> list[CoreLiteral]:
        match literal:
            case Atom():
                return self._lower_atom(literal)
            case Comparison():
                return [literal]
            case Aggregate():
                return [self._lower_aggregate(literal, scope)]
            case NegatedConjunction():
                return self._lower_negation(literal, scope)

    def _lower_atom(self, atom: Atom) -> list[CoreLiteral]:
        if self.in_is_sugar and atom.predicate == "in" and atom.arity == 2:
            atom = replace(atom, predicate="set", args=(atom.args[1], atom.args[0]))
        args, equations = self._plain_arguments(atom.args)
        return [replace(atom, args=args) if equations else atom, *equations]

    def _plain_arguments(self, args: Iterable[Expression]) -> tuple[tuple[Term, ...], list[Comparison]]:
        terms: list[Term] = []
        equations: list[Comparison] = []
        for argument in args:
            if isinstance(argument, Arithmetic):
                variable = self._variable(argument.span)
                equations.append(Comparison("=", variable, argument, span=argument.span))
                terms.append(variable)
            else:
                terms.append(argument)
        return tuple(terms), equations

    def _lower_aggregate(self, aggregate: Aggregate, scope: Collection[str]) -> Aggregate:
        inside = names(aggregate.body) | {variable.name: variable for variable in aggregate.variables}
        groups = tuple(name for name in inside if name in scope)
        inner_scope = {*scope, *direct_variables(aggregate.body), *(variable.name for variable in aggregate.variables)}
        alternatives = self._inside(aggregate.body, inner_scope)
        if len(alternatives) == 1:
            return replace(aggregate, body=alternatives[0], groups=groups)
        wanted = dict.fromkeys([*(variable.name for variable in aggregate.variables), *groups])
        args = tuple(inside[name] for name in wanted)
        atom = self._auxiliary(aggregate, args, alternatives)
        return replace(aggregate, body=(atom,), groups=groups)

    def _lower_negation(self, negation: NegatedConjunction, scope: Collection[str]) -> list[CoreLiteral]:
        found: list[CoreLiteral] = []
        inner_scope = {*scope, *direct_variables(negation.body)}
        for body in self._inside(negation.body, inner_scope):
            lone = self._lone_negation(body, scope, negation.span)
            if lone is not None:
                found.append(lone)
                continue
            shared = tuple(variable for name, variable in _core_names(body).items() if name in scope)
            ordering = order_body(body)
            if ordering.is_safe and all(variable.name in ordering.bound for variable in shared):
                found.append(replace(self._auxiliary(negation, shared, [body]), negated=True))
            else:
                found += self._counted(body, shared, negation.span)
        return found

    def _inside(self, body: Iterable[Literal], scope: Collection[str]) -> list[tuple[CoreLiteral, ...]]:
        position = self.position
        alternatives = self._alternatives(body, scope)
        self.position = position
        return [tuple(literal for _, literal in alternative) for alternative in alternatives]

    def _lone_negation(self, body: tuple[CoreLiteral, ...], scope: Collection[str], span: Span) -> CoreLiteral | None:
        """Return the negation of a body of one literal when the core language has it."""
        if len(body) != 1:
            return None
        literal = body[0]
        if isinstance(literal, Comparison):
            plain = not (_divides(literal.left) or _divides(literal.right))
            return replace(literal, operator=_OPPOSITE[literal.operator], span=span) if plain and _all_in(literal, scope) else None
        if not isinstance(literal, Atom) or literal.negated:
            return None
        occurrences = [variable.name for variable in variables(body)]
        local = {name for name in occurrences if name not in scope}
        if any(occurrences.count(name) > 1 for name in local) or (local and literal.predicate in BUILTIN_TESTS):
            return None
        args = tuple(Wildcard(span=a.span) if isinstance(a, Variable) and a.name in local else a for a in literal.args)
        return replace(literal, args=args, negated=True, span=span)

    def _auxiliary(self, origin: Literal, args: tuple[Variable, ...], alternatives: Iterable[tuple[CoreLiteral, ...]]) -> Atom:
        """Define a predicate that holds the solutions of the alternatives; return its atom."""
        name = f"~{len(self.result.origins) + 1}"
        self.result.origins[name] = origin
        head = Atom(name, args, span=origin.span)
        for body in alternatives:
            self.auxiliary.append(self._rule(head, list(enumerate(body)), auxiliary=True))
        return head

    def _counted(self, body: tuple[CoreLiteral, ...], shared: Iterable[Variable], span: Span) -> list[CoreLiteral]:
        """Return `N = count(C : body, C = 0), N = 0`: the inside reads variables that only the outside binds."""
        result, marker, zero = self._variable(span), self._variable(span), Constant(0, span=span)
        groups = tuple(variable.name for variable in shared)
        inside = (*self._with_own_results(body, groups), Comparison("=", marker, zero, span=span))
        return [
            Aggregate(result, "count", (marker,), inside, groups, span=span),
            Comparison("=", result, zero, span=span),
        ]

    def _with_own_results(self, body: Iterable[CoreLiteral], taken: Collection[str]) -> Iterator[CoreLiteral]:
        """Yield the literals; an aggregate whose result has a value outside gets one of its own, which is compared with that."""
        for literal in body:
            if isinstance(literal, Aggregate) and literal.result.name in taken:
                own = self._variable(literal.span)
                yield replace(literal, result=own)
                yield Comparison("=", own, literal.result, span=literal.span)
            else:
                yield literal


def _core_names(body: Iterable[CoreLiteral]) -> dict[str, Variable]:
    """Return the variables that a core body shares with its outside or holds itself: of aggregates, result and groups."""
    found: dict[str, Variable] = {}
    for literal in body:
        if isinstance(literal, Aggregate):
            found.setdefault(literal.result.name, literal.result)
            inside = names((literal,))
            for name in literal.groups:
                found.setdefault(name, inside[name])
        else:
            for variable in variables((literal,)):
                found.setdefault(variable.name, variable)
    return found


def _divides(expression: Expression) -> bool:
    if not isinstance(expression, Arithmetic):
        return False
    return expression.operator in ("/", "%") or _divides(expression.left) or _divides(expression.right)


def _all_in(literal: Comparison, scope: Collection[str]) -> bool:
    has_wildcard = isinstance(literal.left, Wildcard) or isinstance(literal.right, Wildcard)
    return not has_wildcard and all(variable.name in scope for variable in variables((literal,)))
