"""What a pipeline needs once its order is decided: what each step keeps, which filters belong to a relation, where duplicates go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from ce.datalog.steps import (
    Apply,
    Assign,
    ColumnMatch,
    ColumnTest,
    Compare,
    Distinct,
    Exists,
    Expression,
    Fixed,
    Fold,
    Join,
    Operand,
    Step,
    Test,
    with_keep,
)

__all__ = ["Reading", "finished"]

_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Relations(Protocol):
    """What is known of the relations that steps read."""

    def grows(self, predicate: str) -> bool:
        """Tell whether a relation belongs to the stratum being planned."""

    def arity(self, predicate: str) -> int:
        """Return how many columns a relation has."""

    def rows(self, predicate: str) -> float:
        """Return the estimated rows of a relation."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the pipeline reads its relations: `often` when it runs in every round, and whether its steps have estimates."""

    relations: Relations
    often: bool
    has_estimates: bool


def finished(steps: tuple[Step, ...], start: Collection[int], wanted: frozenset[int], reading: Reading) -> tuple[Step, ...]:
    """Return the steps with what each keeps, filters moved into accesses, and duplicates removed where dropping a slot leaves many.

    `start` are the slots bound before the first step, `wanted` those needed after the last.
    """
    steps = _with_filters(steps, reading)
    used_after: list[frozenset[int]] = []
    used = wanted
    for step in reversed(steps):
        used_after.append(used)
        used |= _slots_read(step)
    used_after.reverse()
    bound = set(start)
    result: list[Step] = []
    dirty = False
    for place, (step, needed) in enumerate(zip(steps, used_after, strict=True)):
        bound |= _slots_written(step)
        keep = tuple(sorted(bound & needed))
        kept = _without_idle_binds(step, needed) if isinstance(step, Join) else step
        dirty = dirty or bool(bound - _slots_written(step) - needed) or _leaves_duplicates(kept, reading)
        bound &= needed
        result.append(with_keep(kept, keep, step.rows))
        if dirty and isinstance(step, Join) and keep and any(isinstance(later, Join | Fold) for later in steps[place + 1 :]):
            result.append(Distinct(keep, step.rows))
            dirty = False
    return tuple(result)


def _leaves_duplicates(step: Step, reading: Reading) -> bool:
    """Tell whether a step reads a relation without all its columns; one that is looked up by keys is projected beforehand."""
    if not isinstance(step, Join):
        return False
    access = step.access
    if access.keys and not reading.relations.grows(access.predicate):
        return False
    return len(access.keys) + len(access.binds) + len(access.equal) < reading.relations.arity(access.predicate)


def _with_filters(steps: tuple[Step, ...], reading: Reading) -> tuple[Step, ...]:
    """Move what only concerns one complete relation into its access, where rows are read often enough for that to pay."""
    result: list[Step] = []
    for step in steps:
        at = next((place for place in reversed(range(len(result))) if isinstance(result[place], Join)), None)
        join = None if at is None else result[at]
        if at is None or not isinstance(join, Join) or not _pays(join, reading):
            result.append(step)
            continue
        filtered = _as_filter(step, {slot: column for column, slot in join.access.binds}, reading)
        if filtered is None:
            result.append(step)
        else:
            result[at] = Join(replace(join.access, filters=(*join.access.filters, filtered)), (), step.rows)
    return tuple(result)


def _pays(join: Join, reading: Reading) -> bool:
    """Tell whether filtering a whole relation costs no more than filtering what the join reads: in every round of a recursion."""
    access = join.access
    if not any(isinstance(operand, int) for _, operand in access.keys) or reading.relations.grows(access.predicate):
        return False
    return reading.often or (reading.has_estimates and join.rows >= reading.relations.rows(access.predicate))


def _as_filter(step: Step, columns: Mapping[int, int], reading: Reading) -> ColumnTest | ColumnMatch | None:
    if isinstance(step, Compare):
        for left, right, operator in ((step.left, step.right, step.operator), (step.right, step.left, _MIRRORED[step.operator])):
            if isinstance(left, int) and left in columns and isinstance(right, Fixed):
                return ColumnTest(columns[left], operator, right)
    elif isinstance(step, Exists) and step.access.keys and not reading.relations.grows(step.access.predicate):
        slots = _operands(operand for _, operand in step.access.keys)
        if slots and slots <= columns.keys() and not step.access.equal:
            keys = tuple((column, columns[operand] if isinstance(operand, int) else operand) for column, operand in step.access.keys)
            return ColumnMatch(replace(step.access, keys=keys, binds=()), step.negated)
    return None


def _without_idle_binds(step: Join, needed: frozenset[int]) -> Join:
    """Return the join without the slots that only filters, now applied beforehand, have read."""
    access = step.access
    compared = {slot for _, slot in access.equal}
    binds = tuple((column, slot) for column, slot in access.binds if slot in needed or slot in compared)
    return step if binds == access.binds else Join(replace(access, binds=binds), step.keep, step.rows)


def _operands(operands: Iterable[Operand]) -> frozenset[int]:
    return frozenset(operand for operand in operands if isinstance(operand, int))


def _slots_read(step: Step) -> frozenset[int]:
    if isinstance(step, Join | Exists):
        return _operands(operand for _, operand in step.access.keys)
    if isinstance(step, Compare):
        return _expression_slots(step.left) | _expression_slots(step.right)
    if isinstance(step, Assign):
        return _expression_slots(step.expression)
    if isinstance(step, Test):
        return _operands((step.left, step.right))
    if isinstance(step, Fold):
        return frozenset(step.groups)
    return frozenset(step.keep)


def _slots_written(step: Step) -> set[int]:
    if isinstance(step, Join):
        return {slot for _, slot in step.access.binds}
    if isinstance(step, Assign | Fold):
        return {step.slot}
    return set()


def _expression_slots(expression: Expression) -> frozenset[int]:
    if isinstance(expression, int):
        return frozenset((expression,))
    if isinstance(expression, Apply):
        return _expression_slots(expression.left) | _expression_slots(expression.right)
    return frozenset()
