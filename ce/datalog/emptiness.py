"""Which relations can never hold a row, and why: the fixpoint of "some rule can fire" over rules, facts and row counts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreLiteral
from ce.datalog.format import unparse_expression, unparse_literal
from ce.datalog.syntax import Aggregate, Atom, Comparison, Constant, Variable, Wildcard
from ce.datalog.traverse import core_body

__all__ = ["Emptiness", "find_emptiness"]

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Emptiness:
    """Why each relation is empty, by name, and why each rule of `CheckedProgram.rules` never fires, by index."""

    relations: Mapping[str, str]
    rules: Mapping[int, str]


def find_emptiness(
    checked: CheckedProgram, counts: Mapping[str, int] | None = None, missing: Callable[[Atom], str | None] | None = None
) -> Emptiness:
    """Return what can never hold; `counts` are the rows of the fact relations, those that are absent may have any.

    `missing` says why no fact matches an atom over a fact relation, None when one may.
    """
    columns = _constant_columns(checked)
    contradictions = {place: _contradiction(rule.body, columns) for place, rule in enumerate(checked.rules)}
    if missing is not None:
        for place, rule in enumerate(checked.rules):
            contradictions[place] = contradictions[place] or _unmatched(checked, rule.body, missing)
    facts = {name for name, relation in checked.relations.items() if relation.edb and (counts is None or counts.get(name, 1) > 0)}
    needs = {place: set(_positive(checked.rules[place].body)) - facts for place, why in contradictions.items() if why is None}
    possible = facts | _derivable(checked, needs)
    waiting = [place for place, lacking in needs.items() if lacking]
    reasons = {name: "it has no facts here" for name, relation in checked.relations.items() if relation.edb and name not in possible}
    rules = {place: why for place, why in contradictions.items() if why is not None}
    for place in waiting:
        first = next(name for name in _positive(checked.rules[place].body) if name not in possible)
        rules[place] = f"`{first}` has no facts here" if first in reasons else f"`{first}` never holds"
    for place, why in sorted(rules.items()):
        name = checked.rules[place].head.predicate
        if name not in possible:
            reasons.setdefault(name, why)
    for name in checked.relations.keys() - possible - reasons.keys():
        reasons[name] = "it has no rules"
    return Emptiness(reasons, rules)


def _unmatched(checked: CheckedProgram, body: Iterable[CoreLiteral], missing: Callable[[Atom], str | None]) -> str | None:
    """Return why no fact matches some atom that the body needs; None when each may have one."""
    for literal in body:
        found = None
        if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
            relation = checked.relations[literal.predicate]
            found = missing(literal) if relation.edb and not relation.idb else None
        elif isinstance(literal, Aggregate) and literal.function in ("min", "max"):
            found = _unmatched(checked, core_body(literal), missing)
        if found is not None:
            return found
    return None


def _derivable(checked: CheckedProgram, needs: Mapping[int, set[str]]) -> set[str]:
    """Return the relations that some rule can derive; what each rule still needs is taken out of `needs` on the way."""
    readers: dict[str, list[int]] = {}
    for place, missing in needs.items():
        for name in missing:
            readers.setdefault(name, []).append(place)
    found: set[str] = set()
    pending = [checked.rules[place].head.predicate for place, missing in needs.items() if not missing]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        for place in readers.get(name, ()):
            needs[place].discard(name)
            if not needs[place]:
                pending.append(checked.rules[place].head.predicate)
    return found


def _positive(body: Iterable[CoreLiteral]) -> list[str]:
    """Return the relations that must hold a row; an aggregate over nothing can still have a value."""
    found = []
    for literal in body:
        if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
            found.append(literal.predicate)
        elif isinstance(literal, Aggregate) and literal.function in ("min", "max"):
            found += _positive(core_body(literal))
    return found


def _constant_columns(checked: CheckedProgram) -> dict[tuple[str, int], set[int | str]]:
    """Return the constants that a column can hold where all rules of its relation write one there, and no facts do."""
    found: dict[tuple[str, int], set[int | str]] = {}
    free: set[tuple[str, int]] = set()
    for rule in checked.rules:
        for place, argument in enumerate(rule.head.args):
            key = (rule.head.predicate, place)
            if isinstance(argument, Constant) and not checked.relations[key[0]].edb:
                found.setdefault(key, set()).add(argument.value)
            else:
                free.add(key)
    return {key: values for key, values in found.items() if key not in free}


def _contradiction(body: tuple[CoreLiteral, ...], columns: Mapping[tuple[str, int], set[int | str]]) -> str | None:
    """Return why no row can satisfy the body, whatever the relations hold; None when one could."""
    positive = [literal for literal in body if isinstance(literal, Atom) and not literal.negated]
    for literal in body:
        if isinstance(literal, Atom) and literal.negated:
            same = next((atom for atom in positive if _covers(literal, atom)), None)
            if same is not None:
                return f"`{unparse_literal(same)}` and `{unparse_literal(literal)}` exclude each other"
        elif isinstance(literal, Comparison) and not _can_hold(literal):
            return f"`{unparse_literal(literal)}` is false"
    for atom in positive:
        for place, argument in enumerate(atom.args):
            values = columns.get((atom.predicate, place))
            if values is not None and isinstance(argument, Constant) and argument.value not in values:
                shown = f"column {place + 1} of `{atom.predicate}` is never `{unparse_expression(argument)}`"
                return f"`{unparse_literal(atom)}` is never true: {shown}"
    return _conflict(body)


def _covers(negated: Atom, positive: Atom) -> bool:
    """Tell whether the negated atom excludes the positive one: equal but for the wildcards of the negated one."""
    if negated.predicate != positive.predicate:
        return False
    return all(isinstance(one, Wildcard) or one == other for one, other in zip(negated.args, positive.args, strict=True))


def _can_hold(comparison: Comparison) -> bool:
    left, right, sign = comparison.left, comparison.right, comparison.operator
    if isinstance(left, Constant) and isinstance(right, Constant):
        if isinstance(left.value, int) and isinstance(right.value, int):
            return _COMPARE[sign](left.value, right.value)
        return (left == right) if sign == "=" else (left != right) if sign == "!=" else True
    return left != right or sign in ("=", "<=", ">=")


def _conflict(body: Iterable[CoreLiteral]) -> str | None:
    """Return two comparisons of one variable with constants that cannot both hold."""
    known: dict[str, list[tuple[str, int | str, Comparison]]] = {}
    for literal in body:
        if not isinstance(literal, Comparison):
            continue
        for sign, side, other in (
            (literal.operator, literal.left, literal.right),
            (_MIRRORED[literal.operator], literal.right, literal.left),
        ):
            if isinstance(side, Variable) and isinstance(other, Constant):
                for earlier_sign, earlier, comparison in known.get(side.name, ()):
                    if not _agree(earlier_sign, earlier, sign, other.value):
                        return f"`{unparse_literal(comparison)}` and `{unparse_literal(literal)}` exclude each other"
                known.setdefault(side.name, []).append((sign, other.value, literal))
    return None


def _agree(first: str, one: int | str, second: str, other: int | str) -> bool:
    """Tell whether some value stands in the first relation to one constant and in the second to the other."""
    if isinstance(one, int) and isinstance(other, int):
        # The values around both constants stand for all others.
        return any(
            _COMPARE[first](value, one) and _COMPARE[second](value, other) for base in (one, other) for value in (base - 1, base, base + 1)
        )
    if first == "=" and second == "=":
        return one == other
    return not (one == other and {first, second} == {"=", "!="})
