"""θ-subsumption: one rule derives all that another derives, when a substitution turns its head into the other's and its body into a part.

Beyond equal literals, `not p(X, _)` implies `not p(X, Y)`, and a comparison with a number implies the wider one, `N > 5` that of `N > 3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule
from ce.datalog.format import unparse_expression
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Expression, Variable, Wildcard
from ce.datalog.traverse import core_body

__all__ = ["subsumes"]

_MAX_STEPS = 20_000
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

# Variables of the general rule to expressions of the special one. A wildcard of the special rule is a value like any other.
_Substitution = dict[str, Expression]


def subsumes(general: CoreRule, special: CoreRule) -> dict[str, str] | None:
    """Return the substitution, as texts, under which the general rule derives all of the special one; None when there is none.

    The search gives up, and returns None, after a bounded number of steps.
    """
    start = _match_atom(general.head, special.head, {})
    if start is None:
        return None
    # Few candidates first: the search then fails early.
    needed = sorted(general.body, key=lambda literal: sum(_candidate(literal, other) for other in special.body))
    found = _Search(needed, special.body).run(start)
    return None if found is None else {name: unparse_expression(value) for name, value in sorted(found.items()) if not name.startswith("_")}


class _Search:
    """Backtracking over the literals of the general rule, with a budget."""

    def __init__(self, needed: Sequence[CoreLiteral], given: Sequence[CoreLiteral]) -> None:
        self.needed, self.given, self.steps = needed, given, 0

    def run(self, start: _Substitution) -> _Substitution | None:
        """Return a substitution that maps every needed literal to a given one that implies it; without recursion."""
        choices = [self._options(0, start)] if self.needed else []
        if not choices:
            return start
        while choices:
            if not choices[-1]:
                choices.pop()
                continue
            chosen = choices[-1].pop()
            if len(choices) == len(self.needed):
                return chosen
            self.steps += 1
            if self.steps > _MAX_STEPS:
                return None
            choices.append(self._options(len(choices), chosen))
        return None

    def _options(self, place: int, substitution: _Substitution) -> list[_Substitution]:
        options = (_match(self.needed[place], literal, substitution) for literal in self.given)
        return [option for option in options if option is not None][::-1]


def _candidate(needed: CoreLiteral, given: CoreLiteral) -> bool:
    if isinstance(needed, Atom) and isinstance(given, Atom):
        return needed.predicate == given.predicate and needed.negated == given.negated
    return type(needed) is type(given)


def _match(needed: CoreLiteral, given: CoreLiteral, substitution: _Substitution) -> _Substitution | None:
    """Return the substitution, extended so that the given literal implies the needed one."""
    if isinstance(needed, Atom) and isinstance(given, Atom):
        if needed.predicate != given.predicate or needed.negated != given.negated:
            return None
        return _match_negated(needed, given, substitution) if needed.negated else _match_atom(needed, given, substitution)
    if isinstance(needed, Comparison) and isinstance(given, Comparison):
        return _match_comparison(needed, given, substitution)
    if isinstance(needed, Aggregate) and isinstance(given, Aggregate):
        return _match_aggregate(needed, given, substitution)
    return None


def _match_atom(needed: Atom, given: Atom, substitution: _Substitution) -> _Substitution | None:
    if needed.predicate != given.predicate or needed.arity != given.arity:
        return None
    extended: _Substitution | None = dict(substitution)
    for left, right in zip(needed.args, given.args, strict=True):
        if isinstance(left, Wildcard):
            continue
        extended = _match_expression(left, right, extended)
        if extended is None:
            return None
    return extended


def _match_negated(needed: Atom, given: Atom, substitution: _Substitution) -> _Substitution | None:
    extended: _Substitution | None = dict(substitution)
    for left, right in zip(needed.args, given.args, strict=True):
        if isinstance(right, Wildcard) and given.predicate not in BUILTIN_TESTS:
            continue
        if isinstance(left, Wildcard):
            return None
        extended = _match_expression(left, right, extended)
        if extended is None:
            return None
    return extended


def _match_expression(needed: Expression, given: Expression, substitution: _Substitution | None) -> _Substitution | None:
    if substitution is None:
        return None
    if isinstance(needed, Variable):
        known = substitution.get(needed.name)
        if known is None:
            return {**substitution, needed.name: given}
        # Two wildcards are two values; the same one, met again, is itself.
        same = known is given if isinstance(known, Wildcard) else known == given
        return substitution if same else None
    if isinstance(needed, Constant):
        return substitution if needed == given else None
    if isinstance(needed, Arithmetic) and isinstance(given, Arithmetic) and needed.operator == given.operator:
        return _match_expression(needed.right, given.right, _match_expression(needed.left, given.left, substitution))
    return None


def _match_comparison(needed: Comparison, given: Comparison, substitution: _Substitution) -> _Substitution | None:
    for operator, left, right in ((given.operator, given.left, given.right), (_MIRRORED[given.operator], given.right, given.left)):
        if operator == needed.operator:
            found = _match_expression(needed.right, right, _match_expression(needed.left, left, substitution))
            if found is not None:
                return found
        found = _match_expression(needed.left, left, substitution)
        if found is not None and _is_wider(needed, operator, right):
            return found
    return None


def _is_wider(needed: Comparison, operator: str, right: Expression) -> bool:
    """Tell whether `X operator right` implies `X needed.operator needed.right`, for numbers."""
    limit = needed.right
    if not (isinstance(limit, Constant) and isinstance(right, Constant) and isinstance(limit.value, int) and isinstance(right.value, int)):
        return False
    low, high = _interval(operator, right.value)
    if needed.operator == "!=":
        return (low is not None and limit.value < low) or (high is not None and limit.value > high)
    wide_low, wide_high = _interval(needed.operator, limit.value)
    if operator == "!=":
        return False
    above = wide_low is None or (low is not None and low >= wide_low)
    below = wide_high is None or (high is not None and high <= wide_high)
    return above and below


def _interval(operator: str, value: int) -> tuple[int | None, int | None]:
    low = {"=": value, ">": value + 1, ">=": value}.get(operator)
    high = {"=": value, "<": value - 1, "<=": value}.get(operator)
    return low, high


def _match_aggregate(needed: Aggregate, given: Aggregate, substitution: _Substitution) -> _Substitution | None:
    """Match aggregates that are equal literal by literal up to the names of their variables."""
    if needed.function != given.function or len(needed.variables) != len(given.variables) or len(needed.body) != len(given.body):
        return None
    outer = set(needed.groups)
    inner: _Substitution | None = {name: value for name, value in substitution.items() if name in outer}
    for left, right in zip(needed.variables, given.variables, strict=True):
        inner = _match_expression(left, right, inner)
    for one, other in zip(core_body(needed), core_body(given), strict=True):
        inner = _match_equal(one, other, inner) if inner is not None else None
    if inner is None or not _is_renaming(inner, outer, given):
        return None
    shared = {name: value for name, value in inner.items() if name in outer}
    return _match_expression(needed.result, given.result, {**substitution, **shared})


def _match_equal(needed: CoreLiteral, given: CoreLiteral, substitution: _Substitution) -> _Substitution | None:
    if isinstance(needed, Atom) and isinstance(given, Atom):
        if (needed.predicate, needed.negated, needed.arity) != (given.predicate, given.negated, given.arity):
            return None
        extended: _Substitution | None = substitution
        for left, right in zip(needed.args, given.args, strict=True):
            if isinstance(left, Wildcard) != isinstance(right, Wildcard):
                return None
            extended = extended if isinstance(left, Wildcard) else _match_expression(left, right, extended)
        return extended
    if isinstance(needed, Comparison) and isinstance(given, Comparison) and needed.operator == given.operator:
        return _match_expression(needed.right, given.right, _match_expression(needed.left, given.left, substitution))
    return None


def _is_renaming(inner: Mapping[str, Expression], outer: set[str], given: Aggregate) -> bool:
    """Tell whether local variables go to different local variables, so that both aggregates range over the same rows."""
    local = [value for name, value in inner.items() if name not in outer]
    names = [value.name for value in local if isinstance(value, Variable)]
    return len(names) == len(local) == len(set(names)) and not set(names) & set(given.groups)
