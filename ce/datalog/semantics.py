"""What rules, bodies and literals mean, over rows of numbers and names: the definition of the language as code.

Invariant: nothing here knows how rows are found or in which order literals are best read. The plain evaluator, the proof builder, the
explanation of absences and the proof checker all read a body through this one module; the columnar engine has its own kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from ce.datalog.builtins import test_holds
from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreRule
from ce.datalog.database import Domain
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Expression, Literal, Variable, Wildcard
from ce.diagnostics import CeError, Diagnostic, Severity, Span

__all__ = [
    "Binding",
    "Evaluator",
    "Row",
    "RowSource",
    "Value",
    "agree",
    "has_plain_members",
    "is_bound",
    "known_positions",
    "ready",
    "term_value",
    "textual_order",
]

Value = int | str
Row = tuple[Value, ...]
Binding = dict[str, Value]

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


class RowSource(Protocol):
    """Relations, complete as far as the reader is concerned."""

    def rows_with(self, predicate: str, positions: tuple[int, ...], values: Row) -> Iterable[Row]:
        """Return the rows that hold these values at these positions."""


class Evaluator:
    """Reads literals from left to right as the literals of one rule at a time: its variables have their sorts, faults name it."""

    def __init__(self, checked: CheckedProgram, domains: Mapping[str, Domain], source: RowSource) -> None:
        """Read rows from the source; the domains give the order of names."""
        self.source = source
        self.warnings: dict[Span, Diagnostic] = {}
        self._relation_sorts = {name: relation.sorts for name, relation in checked.relations.items()}
        self._domains = domains
        self._rule: CoreRule | None = None
        self._sorts: Mapping[str, str] = {}
        self._inner_sorts: dict[int, Mapping[str, str]] = {}

    def enter(self, rule: CoreRule) -> None:
        """Read literals as literals of this rule from now on."""
        if rule is not self._rule:
            self._rule, self._sorts = rule, _variable_sorts((rule.head, *rule.body), self._relation_sorts, {})

    def derive(self, rule: CoreRule) -> Iterator[Row]:
        """Yield the head for every substitution that satisfies the body."""
        self.enter(rule)
        for binding in self.solutions(rule.body, {}):
            yield tuple(term_value(term, binding) for term in rule.head.args)

    def solutions(self, body: Sequence[Literal], binding: Binding) -> Iterator[Binding]:
        """Yield the extensions of a binding that satisfy all literals, read from left to right."""
        # One iterator for each literal read so far, not one call inside the other: a body may be longer than Python's stack is high.
        found = [iter((binding,))]
        while found:
            extended = next(found[-1], None)
            if extended is None:
                found.pop()
            elif len(found) > len(body):
                yield extended
            else:
                found.append(self.extensions(body[len(found) - 1], extended))

    def extensions(self, literal: Literal, binding: Binding) -> Iterator[Binding]:
        """Yield the extensions of a binding that satisfy one literal."""
        if isinstance(literal, Atom):
            yield from self._extensions_of_atom(literal, binding)
        elif isinstance(literal, Comparison):
            yield from self._extensions_of_comparison(literal, binding)
        elif isinstance(literal, Aggregate):
            value = self.aggregate(literal, binding)
            if value is not None and binding.get(literal.result.name, value) == value:
                yield {**binding, literal.result.name: value}
        else:
            raise AssertionError("the checks leave no surface literal in a core body")

    def _extensions_of_atom(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        if atom.predicate in BUILTIN_TESTS:
            left, right = (str(term_value(term, binding)) for term in atom.args)
            if test_holds(atom.predicate, left, right) != atom.negated:
                yield binding
        elif not atom.negated:
            yield from self.matches(atom, binding)
        elif next(self.matches(atom, binding), None) is None:
            yield binding

    def matches(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        """Yield the extensions under which the atom, taken positively, is a row of its relation."""
        known = known_positions(atom, binding)
        for row in self.source.rows_with(atom.predicate, tuple(p for p, _ in known), tuple(v for _, v in known)):
            extended = dict(binding)
            if all(agree(term, value, extended) for term, value in zip(atom.args, row, strict=True)):
                yield extended

    def _extensions_of_comparison(self, comparison: Comparison, binding: Binding) -> Iterator[Binding]:
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if comparison.operator == "=" and isinstance(side, Variable) and side.name not in binding:
                value = self.value(other, binding)
                if value is not None:
                    yield {**binding, side.name: value}
                return
        left, right = self.value(comparison.left, binding), self.value(comparison.right, binding)
        if left is not None and right is not None and self._compare(comparison, left, right):
            yield binding

    def _compare(self, comparison: Comparison, left: Value, right: Value) -> bool:
        """Compare numbers by size, names by code point, labels of other sorts by the order of their domain."""
        names = [side.name for side in (comparison.left, comparison.right) if isinstance(side, Variable)]
        sort = next((self._sorts[name] for name in names if name in self._sorts), "sym")
        return _COMPARE[comparison.operator](self.order(left, sort), self.order(right, sort))

    def order(self, value: Value, sort: str) -> tuple[int, Value]:
        """Return what `<` compares; a label that its domain lacks comes after all others."""
        domain = self._domains.get(sort)
        if isinstance(value, int) or domain is None or domain.textual:
            return (0, value)
        position = domain.lookup(value)
        return (1, value) if position is None else (0, position)

    def aggregate(self, literal: Aggregate, binding: Binding) -> int | None:
        """Return the value of an aggregate for the group of the binding, or None where it has none."""
        return self.fold(literal.function, self.group(literal, binding))

    def fold(self, function: str, rows: Collection[Row]) -> int | None:
        """Return the value of a function over the distinct rows of a group: `min`, `max` and `sum` read the first value of each."""
        if function == "count":
            return len(rows)
        numbers = [number for row in rows if isinstance(number := row[0], int)]
        if function == "sum":
            return self._fit(sum(numbers))
        if not numbers:
            return None
        return min(numbers) if function == "min" else max(numbers)

    def group(self, literal: Aggregate, binding: Binding) -> set[Row]:
        """Return the distinct projections of the aggregate's body onto its variables, for the group of the binding."""
        outer = {name: binding[name] for name in literal.groups}
        with self.inside(literal):
            return {tuple(found[variable.name] for variable in literal.variables) for found in self.solutions(literal.body, outer)}

    def sorted_group(self, literal: Aggregate, binding: Binding) -> list[Row]:
        """Return the rows of the group in row order."""
        group = self.group(literal, binding)
        with self.inside(literal):
            sorts = [self._sorts.get(variable.name, "sym") for variable in literal.variables]
        return sorted(group, key=lambda row: [self.order(value, sort) for value, sort in zip(row, sorts, strict=True)])

    @contextmanager
    def inside(self, literal: Aggregate) -> Iterator[None]:
        """Read literals as literals of the aggregate's body: what is not a group is a variable of its own."""
        outer = self._sorts
        if id(literal) not in self._inner_sorts:
            given = {name: outer[name] for name in literal.groups if name in outer}
            self._inner_sorts[id(literal)] = _variable_sorts(literal.body, self._relation_sorts, given)
        self._sorts = self._inner_sorts[id(literal)]
        try:
            yield
        finally:
            self._sorts = outer

    def value(self, expression: Expression, binding: Binding) -> Value | None:
        """Return the value of an expression whose variables are bound, or None after a division by zero."""
        if not isinstance(expression, Arithmetic):
            return term_value(expression, binding)
        left, right = self.value(expression.left, binding), self.value(expression.right, binding)
        if left is None or right is None:
            return None
        assert isinstance(left, int) and isinstance(right, int), "the checks allow arithmetic on numbers only"
        if expression.operator in "/%":
            return self._divide(expression.operator, left, right)
        return self._fit(_ARITHMETIC[expression.operator](left, right))

    def _divide(self, operator: str, left: int, right: int) -> int | None:
        """Truncate toward zero, so that `left = (left / right) * right + left % right`."""
        assert self._rule is not None
        if right == 0:
            self.warnings.setdefault(self._rule.span, division_by_zero(self._rule))
            return None
        quotient = abs(left) // abs(right)
        if (left < 0) != (right < 0):
            quotient = -quotient
        return self._fit(quotient) if operator == "/" else left - quotient * right

    def _fit(self, value: int) -> int:
        assert self._rule is not None
        if not _INT_MIN <= value <= _INT_MAX:
            raise overflow(self._rule)
        return value


def overflow(rule: CoreRule) -> CeError:
    """Return the error for a result that 64 bits cannot hold."""
    return CeError.of("CE401", f"the rule at {rule.at} computes a number that does not fit in 64 bits", span=rule.span)


def division_by_zero(rule: CoreRule) -> Diagnostic:
    """Return the warning for a literal that failed because it divides by zero."""
    message = f"the rule at {rule.at} divides by zero; where it does, it derives nothing"
    return Diagnostic("CE402", message, rule.span, severity=Severity.WARNING)


def term_value(term: Expression, binding: Binding) -> Value:
    """Return the value of a constant or of a bound variable."""
    if isinstance(term, Constant):
        return term.value
    assert isinstance(term, Variable), "a safe order binds every variable before it is needed"
    return binding[term.name]


def agree(term: Expression, value: Value, binding: Binding) -> bool:
    """Return whether the term can stand for the value; a new variable is bound to it."""
    if isinstance(term, Wildcard):
        return True
    if isinstance(term, Variable):
        return binding.setdefault(term.name, value) == value
    return isinstance(term, Constant) and term.value == value


def known_positions(atom: Atom, binding: Binding) -> list[tuple[int, Value]]:
    """Return the positions of the atom whose value is known, with the value."""
    return [(position, value) for position, term in enumerate(atom.args) if (value := _known(term, binding)) is not None]


def ready(literal: Literal, binding: Binding) -> bool:
    """Return whether a literal other than a positive atom can be decided: all it needs is bound."""
    if isinstance(literal, Aggregate):
        return all(name in binding for name in literal.groups)
    if isinstance(literal, Comparison):
        open_sides = [side for side in (literal.left, literal.right) if not is_bound(side, binding)]
        return not open_sides or (literal.operator == "=" and len(open_sides) == 1 and isinstance(open_sides[0], Variable))
    return isinstance(literal, Atom) and all(isinstance(term, Wildcard) or is_bound(term, binding) for term in literal.args)


def has_plain_members(literal: Aggregate) -> bool:
    """Return whether each row of the group is shown by the row of one atom, not by a goal with premises."""
    only = literal.body[0]
    return len(literal.body) == 1 and isinstance(only, Atom) and not only.negated and only.predicate not in BUILTIN_TESTS


def textual_order(body: Sequence[Literal]) -> list[int]:
    """Return the indexes of the literals of an aggregate's body as the text orders them."""
    return sorted(range(len(body)), key=lambda index: (body[index].span.line, body[index].span.column, index))


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def is_bound(expression: Expression, binding: Binding) -> bool:
    """Return whether every variable of an expression has a value."""
    if isinstance(expression, Arithmetic):
        return is_bound(expression.left, binding) and is_bound(expression.right, binding)
    return isinstance(expression, Constant) or (isinstance(expression, Variable) and expression.name in binding)


def _known(term: Expression, binding: Binding) -> Value | None:
    if isinstance(term, Constant):
        return term.value
    return binding.get(term.name) if isinstance(term, Variable) else None


def _variable_sorts(
    literals: Iterable[Literal], relation_sorts: Mapping[str, Sequence[str]], given: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the sort of every variable that stands in an atom, or is equal to one that does; aggregate bodies are not read."""
    sorts = dict(given)
    equal: list[tuple[str, str]] = []
    for literal in literals:
        if isinstance(literal, Atom):
            for term, sort in zip(literal.args, relation_sorts.get(literal.predicate, ()), strict=False):
                if isinstance(term, Variable):
                    sorts.setdefault(term.name, sort)
        elif isinstance(literal, Comparison) and isinstance(literal.left, Variable) and isinstance(literal.right, Variable):
            equal += [(literal.left.name, literal.right.name), (literal.right.name, literal.left.name)]
    for _ in equal:
        sorts.update((right, sorts[left]) for left, right in equal if left in sorts and right not in sorts)
    return sorts
