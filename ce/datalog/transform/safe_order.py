"""The safe order of a body nearest to its text.

A body is safe when some order of its literals is: read left to right, whatever a literal needs has a value before it.
Taking, again and again, the first literal of the text that has all it needs finds such an order whenever there is one,
because a literal that is ready stays ready; only the result of an aggregate must still be new, so every literal
that mentions the result waits for its aggregate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral
from ce.datalog.syntax import Aggregate, Atom, Comparison, Variable
from ce.datalog.traverse import core_body, variables, variables_of

__all__ = ["Need", "Ordering", "gives", "is_ready", "needed_by", "order_body"]


@dataclass(frozen=True, slots=True)
class Need:
    """A variable that a literal needs and nothing gives; the literal is the first of the text that needs it."""

    variable: Variable
    literal: CoreLiteral


@dataclass(frozen=True, slots=True)
class Ordering:
    """The outcome: `order` are indexes of the given body and `body` the literals in that order, aggregates inside too.

    The body is safe when `unbound` and `taken` are empty; `taken` are aggregates whose result other literals must give first.
    """

    order: tuple[int, ...]
    body: tuple[CoreLiteral, ...]
    bound: frozenset[str]
    unbound: tuple[Need, ...] = ()
    taken: tuple[Aggregate, ...] = ()

    @property
    def is_safe(self) -> bool:
        """Tell whether every literal found its place."""
        return not self.unbound and not self.taken


def order_body(body: Sequence[CoreLiteral], bound: Collection[str] = ()) -> Ordering:
    """Return the safe order of the body when the variables in `bound` have values already."""
    strict = _place(body, bound, results_are_new=True)
    unbound: list[Need] = []
    taken: list[Aggregate] = []
    if len(strict.order) < len(body):
        loose = _place(body, bound, results_are_new=False)
        if len(loose.order) == len(body):
            taken = _taken(body, strict.order)
        else:
            unbound = _roots(body, loose)
    ordered: list[CoreLiteral] = []
    for index in strict.order:
        literal = body[index]
        if isinstance(literal, Aggregate):
            inner = order_body(core_body(literal), literal.groups)
            unbound += inner.unbound
            taken += inner.taken
            literal = replace(literal, body=inner.body)
        ordered.append(literal)
    return Ordering(strict.order, tuple(ordered), strict.bound, tuple(unbound), tuple(taken))


@dataclass(frozen=True, slots=True)
class _Placement:
    order: tuple[int, ...]
    bound: frozenset[str]


def _place(body: Sequence[CoreLiteral], already: Collection[str], *, results_are_new: bool) -> _Placement:
    bound = set(already)
    missing = [needed_by(literal) - bound for literal in body]
    results: dict[str, set[int]] = {}
    if results_are_new:
        for index, literal in enumerate(body):
            if isinstance(literal, Aggregate):
                results.setdefault(literal.result.name, set()).add(index)
    waiting: dict[str, list[int]] = {}
    blocked: list[set[int]] = []
    blocks: dict[int, list[int]] = {}
    for index, literal in enumerate(body):
        for name in missing[index]:
            waiting.setdefault(name, []).append(index)
        blockers = {other for name in _mentions(literal) & results.keys() for other in results[name]} - {index} if results else set()
        blocked.append(blockers)
        for other in blockers:
            blocks.setdefault(other, []).append(index)
    queued = [False] * len(body)

    def can_stand(index: int) -> bool:
        if queued[index] or blocked[index]:
            return False
        return not missing[index] or (len(missing[index]) == 1 and missing[index] <= _targets(body[index]))

    ready = [index for index in range(len(body)) if can_stand(index)]
    for index in ready:
        queued[index] = True
    heapify(ready)
    order: list[int] = []
    while ready:
        index = heappop(ready)
        order.append(index)
        touched = blocks.get(index, [])
        for other in touched:
            blocked[other].discard(index)
        touched = list(touched)
        for name in gives(body[index]) - bound:
            bound.add(name)
            for other in waiting.get(name, ()):
                missing[other].discard(name)
                touched.append(other)
        for other in touched:
            if can_stand(other):
                queued[other] = True
                heappush(ready, other)
    return _Placement(tuple(order), frozenset(bound))


def needed_by(literal: CoreLiteral) -> set[str]:
    """Return the variables that must have a value; a lone side of `=` may be given by the literal itself."""
    if isinstance(literal, Aggregate):
        return set(literal.groups)
    if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
        return set()
    return {variable.name for variable in variables((literal,))}


def gives(literal: CoreLiteral) -> set[str]:
    """Return the variables that have a value once the literal holds."""
    if isinstance(literal, Aggregate):
        return {literal.result.name}
    if isinstance(literal, Atom):
        return set() if literal.negated else {variable.name for variable in variables((literal,))}
    return {variable.name for variable in variables((literal,))} if literal.operator == "=" else set()


def is_ready(literal: CoreLiteral, bound: Collection[str]) -> bool:
    """Tell whether the literal has all it needs when these variables have values."""
    missing = needed_by(literal) - set(bound)
    return not missing or (len(missing) == 1 and missing <= _targets(literal))


def _targets(literal: CoreLiteral) -> set[str]:
    """Return the variables that an equation can give a value: those that are a side of it and not in the other side."""
    if not isinstance(literal, Comparison) or literal.operator != "=":
        return set()
    found = set()
    for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(side, Variable) and all(variable.name != side.name for variable in variables_of(other)):
            found.add(side.name)
    return found


def _mentions(literal: CoreLiteral) -> set[str]:
    if isinstance(literal, Aggregate):
        return {literal.result.name, *literal.groups}
    return {variable.name for variable in variables((literal,))}


def _taken(body: Sequence[CoreLiteral], placed: Sequence[int]) -> list[Aggregate]:
    """Return the aggregates left over whose result is mentioned by another literal that is left over; the last of equals."""
    rest = [index for index in range(len(body)) if index not in set(placed)]
    found: dict[str, Aggregate] = {}
    for index in rest:
        literal = body[index]
        if isinstance(literal, Aggregate) and any(literal.result.name in _mentions(body[other]) for other in rest if other != index):
            found[literal.result.name] = literal
    return list(found.values())


def _roots(body: Sequence[CoreLiteral], placement: _Placement) -> list[Need]:
    """Return the variables without a value that no literal left over could give; all of them when they need each other."""
    placed = set(placement.order)
    rest = [literal for index, literal in enumerate(body) if index not in placed]
    possible: set[str] = set()
    needs: dict[str, Need] = {}
    for literal in rest:
        possible |= _targets(literal) | ({literal.result.name} if isinstance(literal, Aggregate) else set())
        for name in sorted(needed_by(literal) - placement.bound):
            occurrence = next(variable for variable in variables((literal,)) if variable.name == name)
            needs.setdefault(name, Need(occurrence, literal))
    roots = [need for name, need in needs.items() if name not in possible]
    return roots or [need for name, need in needs.items() if not name.startswith("_")]
