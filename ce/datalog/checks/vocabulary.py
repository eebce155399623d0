"""Closed vocabularies: a constant that meets a column of listed names is one of them.

Vocabularies flow: from a schema column into variables, through rule heads into derived columns, across equations. A constant
is compared with all names that can reach its place, so that a typo such as `K != aset` is an error.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule
from ce.datalog.checks.signatures import Signatures, nearest
from ce.datalog.codes import CHECKS
from ce.datalog.syntax import Atom, Comparison, Constant, Expression, Variable
from ce.datalog.traverse import core_body
from ce.diagnostics import Diagnostic

__all__ = ["check_vocabulary"]


@dataclass(frozen=True, slots=True)
class _Names:
    """What a place can hold: the listed names, and whether a vocabulary (not only constants of the program) says so."""

    names: frozenset[str]
    listed: bool

    def __or__(self, other: _Names) -> _Names:
        return _Names(self.names | other.names, self.listed or other.listed)


_Column = tuple[str, int]
# A column or variable that is absent holds nothing yet; None means that anything may stand there.
_Holdings = dict[_Column, _Names | None]


def check_vocabulary(rules: Sequence[CoreRule], signatures: Signatures) -> Iterator[tuple[int, Diagnostic]]:
    """Yield (clause, diagnostic) for every constant outside the names that can stand in its place."""
    if not any(any(relation.vocabularies) for relation in signatures.schema.values()):
        return
    columns = _columns(rules, signatures)
    for rule in rules:
        for fault in _faults(rule.body, {}, columns, signatures):
            yield rule.clause, fault


def _columns(rules: Sequence[CoreRule], signatures: Signatures) -> _Holdings:
    columns: _Holdings = {}
    for relation in signatures.schema.values():
        for place in range(len(relation.sorts)):
            names = relation.vocabularies[place] if place < len(relation.vocabularies) else None
            columns[relation.name, place] = _Names(frozenset(names), True) if names is not None else None
    outside = {*signatures.facts, *signatures.declared} - signatures.schema.keys()
    readers: dict[str, list[CoreRule]] = {}
    for rule in rules:
        for predicate in dict.fromkeys(literal.predicate for literal in rule.body if isinstance(literal, Atom)):
            readers.setdefault(predicate, []).append(rule)
    pending = deque(rules)
    while pending:
        rule = pending.popleft()
        predicate = rule.head.predicate
        scope = _scope(rule.body, columns, {}) if predicate not in signatures.schema else {}
        changed = False
        for place, argument in enumerate(rule.head.args):
            before = columns.get((predicate, place), _NOTHING)
            if before is None or predicate in signatures.schema:
                continue
            after = None if predicate in outside else _joined(before, _held(argument, scope))
            changed |= after != before
            columns[predicate, place] = after
        if changed:
            pending.extend(readers.get(predicate, ()))
    return columns


_NOTHING = _Names(frozenset(), False)
# Past so many constants of a program's own a column is no list that somebody misspells.
_MAX_CONSTANTS = 500


def _joined(before: _Names, new: _Names | None) -> _Names | None:
    joined = None if new is None else before | new
    return None if joined is not None and not joined.listed and len(joined.names) > _MAX_CONSTANTS else joined


def _held(expression: Expression, scope: Mapping[str, _Names | None]) -> _Names | None:
    if isinstance(expression, Constant):
        return _Names(frozenset((expression.value,)), False) if isinstance(expression.value, str) else None
    return scope.get(expression.name) if isinstance(expression, Variable) else None


def _scope(body: Sequence[CoreLiteral], columns: _Holdings, outer: Mapping[str, _Names | None]) -> dict[str, _Names | None]:
    """Return what the variables of a body can hold: the union over the positive places, across equations, where a list is known."""
    same = _equal_variables(body)
    held: dict[str, _Names | None] = {}
    for name, names in outer.items():
        _learn(held, same.get(name, name), names)
    for literal in body:
        if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
            for place, argument in enumerate(literal.args):
                if isinstance(argument, Variable):
                    _learn(held, same.get(argument.name, argument.name), columns.get((literal.predicate, place), _NOTHING))
        elif isinstance(literal, Comparison) and literal.operator == "=":
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, Variable) and isinstance(other, Constant):
                    _learn(held, same.get(side.name, side.name), _held(other, {}))
    return held | {name: held[representative] for name, representative in same.items() if representative in held}


def _equal_variables(body: Iterable[CoreLiteral]) -> dict[str, str]:
    """Return, for every variable that an equation makes equal to another, the one that stands for them all."""
    same: dict[str, str] = {}
    for literal in body:
        if not isinstance(literal, Comparison) or literal.operator != "=":
            continue
        if isinstance(literal.left, Variable) and isinstance(literal.right, Variable):
            left, right = (same.get(side.name, side.name) for side in (literal.left, literal.right))
            same |= dict.fromkeys([right, *(name for name, other in same.items() if other == right)], left)
    return same


def _learn(held: dict[str, _Names | None], name: str, new: _Names | None) -> None:
    known = held.get(name)
    if known is None:
        held[name] = new
    elif new is not None:
        held[name] = known | new


def _faults(
    body: Sequence[CoreLiteral], outer: Mapping[str, _Names | None], columns: _Holdings, signatures: Signatures
) -> Iterator[Diagnostic]:
    scope = _scope(body, columns, outer)
    for literal in body:
        if isinstance(literal, Atom):
            for place, argument in enumerate(literal.args):
                if isinstance(argument, Constant):
                    yield from _fault(argument, columns.get((literal.predicate, place)), _column(literal.predicate, place, signatures))
        elif isinstance(literal, Comparison):
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, Variable) and isinstance(other, Constant):
                    without = _scope_without(body, literal, columns, scope, outer)
                    yield from _fault(other, without.get(side.name), f"`{side.name}`")
        else:
            inner = {name: names for name, names in scope.items() if name in literal.groups}
            yield from _faults(core_body(literal), inner, columns, signatures)


def _column(predicate: str, place: int, signatures: Signatures) -> str:
    return (
        f"`{signatures.schema[predicate].columns[place]}` of `{predicate}`"
        if predicate in signatures.schema
        else f"column {place + 1} of `{predicate}`"
    )


def _scope_without(
    body: Sequence[CoreLiteral],
    literal: Comparison,
    columns: _Holdings,
    scope: Mapping[str, _Names | None],
    outer: Mapping[str, _Names | None],
) -> Mapping[str, _Names | None]:
    # `K = aset` must not make `aset` a name of its own variable.
    if literal.operator != "=":
        return scope
    return _scope([other for other in body if other is not literal], columns, outer)


def _fault(constant: Constant, holds: _Names | None, what: str) -> Iterator[Diagnostic]:
    if holds is None or not holds.listed or not isinstance(constant.value, str) or constant.value in holds.names:
        return
    near = nearest(constant.value, holds.names)
    notes = [f"did you mean `{near}`?"] if near else []
    notes.append(f"it is one of {', '.join(f'`{name}`' for name in sorted(holds.names))}")
    yield CHECKS.VOCABULARY.at(constant.span, name=constant.value, what=f"a value of {what}", notes=notes)
