"""Which columns of a goal hold lines of a file: such numbers say where a witness lies, not which witness it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ce.datalog.syntax import Atom, Comparison, Constant, Variable
from ce.facts.schema import RELATIONS

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram, CoreRule, Goal

__all__ = ["directions", "line_columns"]

_LINE = re.compile(r"L|G?(Start|End)")

# What a growing number means for a violation: `N > 500` gets worse, `N < 2` gets better.
_WORSE = {">": 1, ">=": 1, "<": -1, "<=": -1}


def line_columns(checked: CheckedProgram) -> Mapping[str, frozenset[int]]:
    """Return the columns of every relation whose values are lines: those of the facts, and those that rules copy from them."""
    found: dict[str, set[int]] = {
        relation.name: {at for at, (name, sort, _) in enumerate(relation.columns) if sort == "int" and _LINE.fullmatch(name)}
        for relation in RELATIONS
    }
    changed = True
    while changed:
        changed = False
        for rule in checked.rules:
            lines = _line_variables(rule, found)
            columns = {at for at, argument in enumerate(rule.head.args) if isinstance(argument, Variable) and argument.name in lines}
            known = found.setdefault(rule.head.predicate, set())
            if not columns <= known:
                known |= columns
                changed = True
    return {name: frozenset(columns) for name, columns in found.items() if columns}


def directions(checked: CheckedProgram, goal: Goal) -> tuple[int, ...]:
    """Return for each column of a goal whether its numbers get worse by growing (1), by shrinking (-1), or may not move at all (0)."""
    found: list[set[int]] = [set() for _ in goal.columns]
    for rule in checked.rules:
        if rule.head.predicate == goal.predicate:
            signs = _signs(rule)
            for column, argument in zip(found, rule.head.args, strict=True):
                column |= signs.get(argument.name, {0}) if isinstance(argument, Variable) else {0}
    return tuple(column.pop() if len(column) == 1 else 0 for column in found)


def _line_variables(rule: CoreRule, lines: Mapping[str, set[int]]) -> set[str]:
    found = set()
    for literal in rule.body:
        if isinstance(literal, Atom) and not literal.negated:
            columns = lines.get(literal.predicate, set())
            found |= {argument.name for at, argument in enumerate(literal.args) if at in columns and isinstance(argument, Variable)}
    return found


def _signs(rule: CoreRule) -> dict[str, set[int]]:
    """Return the directions of the variables that the body compares; a bound stays where it is."""
    found: dict[str, set[int]] = {}
    for literal in rule.body:
        if not isinstance(literal, Comparison) or literal.operator not in _WORSE:
            continue
        sign = _WORSE[literal.operator]
        for side, other, worse in ((literal.left, literal.right, sign), (literal.right, literal.left, -sign)):
            if isinstance(side, Variable) and isinstance(other, Variable | Constant):
                found.setdefault(side.name, set()).add(worse)
    return found
