"""How high the lowest proof of each row is.

Invariant: the height of a fact is 0, that of any other row one more than its highest premise in its lowest proof; absences, tests and
aggregates count as facts. Heights come from running the rules once more, all positive recursion and all layers in one stratum, over
the finished model for what is negated or aggregated: then the round in which a row appears is its height. Where everything
that a relation rests on lies in one stratum already, the rounds of the model are the heights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreLiteral, CoreRule, RelationType, Stratum
from ce.datalog.database import Database, Table
from ce.datalog.model_rows import Model, Numbers, RecordedModel
from ce.datalog.syntax import Aggregate, Atom, Literal

__all__ = ["Evaluate", "Heights"]

Ints = NDArray[np.int64]
Evaluate = Callable[[CheckedProgram, Database], RecordedModel]

_L = TypeVar("_L", bound=Literal)

# Before the name of a relation: its finished rows. No text can spell such a predicate.
_FINISHED = "="


class Heights:
    """Heights by predicate and row number, found out for a predicate and all that it rests on when first asked for."""

    def __init__(self, checked: CheckedProgram, model: RecordedModel, evaluate: Evaluate, *, trust_rounds: bool = True) -> None:
        """Find heights of the rows; `evaluate` is an engine that notes rounds, `trust_rounds` says that the model's own are real."""
        self._trust_rounds = trust_rounds
        self._checked = checked
        self._model = model
        self._evaluate = evaluate
        self._derived = {rule.head.predicate for rule in checked.rules if rule.body}
        self._heights: dict[str, Ints] = {}

    def height(self, predicate: str, number: int) -> int:
        """Return the height of a row."""
        heights = self._of(predicate)
        return 0 if heights is None else int(heights[number])

    def at_most(self, predicate: str, numbers: Numbers, ceiling: int) -> Numbers:
        """Return those of the row numbers whose rows are not higher than the ceiling."""
        heights = self._of(predicate)
        if heights is None or not len(numbers):
            return numbers if ceiling >= 0 else numbers[:0]
        chosen = np.asarray(numbers, dtype=np.int64)
        return chosen[heights[chosen] <= ceiling]

    def _of(self, predicate: str) -> Ints | None:
        """Return the heights of a relation, or None when all its rows are facts."""
        if predicate not in self._derived:
            return None
        if predicate not in self._heights:
            cone = _positive_cone(self._checked.rules, predicate)
            trusted = self._trust_rounds and self._model.partial.isdisjoint(cone)
            if trusted and any(set(cone) <= set(stratum.predicates) for stratum in self._checked.strata):
                self._heights.update((name, self._model.rounds(name)) for name in cone)
                return self._heights[predicate]
            replayed = self._evaluate(*replay_program(self._checked, self._model, cone))
            for name in cone:
                assert replayed.count(name) == self._model.count(name), f"a replay derives other rows of {name}"
                self._heights[name] = replayed.rounds(name)
        return self._heights[predicate]


def replay_program(checked: CheckedProgram, model: Model, predicates: Collection[str]) -> tuple[CheckedProgram, Database]:
    """Return the rules of the predicates as one stratum, and a database that holds what they negate or aggregate, finished.

    Of a relation of which the model has not all rows, the rules derive no others.
    """
    finished: set[str] = set()
    rules = [
        replace(rule, body=tuple(_closed(literal, finished, checked.relations) for literal in rule.body))
        for rule in checked.rules
        if rule.head.predicate in predicates
    ]
    rules = [_within_model(rule, finished, checked.relations) if rule.head.predicate in model.partial else rule for rule in rules]
    relations: dict[str, RelationType] = dict(checked.relations)
    tables = dict(model.database.tables)
    for name in sorted(finished):
        relations[_FINISHED + name] = replace(checked.relations[name], name=_FINISHED + name, edb=True, idb=False)
        tables[_FINISHED + name] = Table(_FINISHED + name, checked.relations[name].sorts, model.columns(name), model.count(name))
    stratum = Stratum(tuple(sorted(predicates)), recursive=True)
    program = replace(checked, rules=tuple(rules), goals=(), relations=relations, strata=(stratum,), outputs=(), warnings=())
    return program, Database(tables, model.database.domains)


def _within_model(rule: CoreRule, finished: set[str], relations: Mapping[str, RelationType]) -> CoreRule:
    """Return the rule for the rows that the model has; what is stated stays stated."""
    if not rule.body:
        return rule
    return replace(rule, body=(_finished_atom(rule.head, finished, relations), *rule.body), positions=(-1, *rule.positions))


def _closed(literal: CoreLiteral, finished: set[str], relations: Mapping[str, RelationType]) -> CoreLiteral:
    """Return the literal reading finished relations where it speaks about all rows of one, and note which."""
    if isinstance(literal, Aggregate):
        body = tuple(_finished_atom(inner, finished, relations) for inner in literal.body)
        return replace(literal, body=body)
    return _finished_atom(literal, finished, relations) if isinstance(literal, Atom) and literal.negated else literal


def _finished_atom(literal: _L, finished: set[str], relations: Mapping[str, RelationType]) -> _L:
    if isinstance(literal, Aggregate):
        return replace(literal, body=tuple(_finished_atom(inner, finished, relations) for inner in literal.body))
    if not isinstance(literal, Atom) or literal.predicate in BUILTIN_TESTS or not relations[literal.predicate].idb:
        return literal
    finished.add(literal.predicate)
    return replace(literal, predicate=_FINISHED + literal.predicate)


def _positive_cone(rules: Sequence[CoreRule], predicate: str) -> tuple[str, ...]:
    """Return the derived predicates whose rows may stand in a proof of a row of the predicate, below no aggregate."""
    reads: dict[str, set[str]] = {}
    for rule in rules:
        atoms = (literal.predicate for literal in rule.body if isinstance(literal, Atom) and not literal.negated)
        reads.setdefault(rule.head.predicate, set()).update(atoms)
    cone: set[str] = set()
    pending = [predicate]
    while pending:
        name = pending.pop()
        if name in reads and name not in cone:
            cone.add(name)
            pending += reads[name]
    return tuple(sorted(cone))
