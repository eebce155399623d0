"""The plain evaluator: what a program means, in the simplest code that says it. Kept as the oracle.

Invariant: at the end of round n of a stratum, a relation holds exactly the rows that have a derivation of at most n steps inside
the stratum. A round applies rules to all rows known at its start, so nothing here depends on deltas, plans, packed words or join
orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from ce.datalog.checked import CheckedProgram, CoreRule
from ce.datalog.database import Database
from ce.datalog.limits import Degraded, LimitExceeded, Limits, Meter
from ce.datalog.semantics import Evaluator, Row, term_value
from ce.datalog.syntax import Aggregate, Atom, Literal
from ce.diagnostics import Diagnostic

__all__ = ["FACT", "NaiveModel", "Origin", "Relations", "evaluate_naively", "fact_rows", "needed_predicates"]


@dataclass(frozen=True, slots=True)
class Origin:
    """How a row first came: the index of its rule and the round of the stratum. Round 0 are facts; those of the database have rule -1."""

    rule: int
    round: int


FACT = Origin(-1, 0)


@dataclass(frozen=True, slots=True, eq=False)
class NaiveModel:
    """All rows of every needed relation, each with its origin; when degraded, no rows at all."""

    relations: Mapping[str, Mapping[Row, Origin]]
    warnings: tuple[Diagnostic, ...] = ()
    degraded: Degraded | None = None


def evaluate_naively(
    checked: CheckedProgram, database: Database, limits: Limits | None = None, wanted: Iterable[str] | None = None
) -> NaiveModel:
    """Return the least model of the wanted relations (default: all) and of those that they depend on."""
    needed = needed_predicates(checked.rules, checked.relations if wanted is None else wanted)
    relations = Relations({name: dict.fromkeys(fact_rows(database, name), FACT) for name in sorted(needed)})
    for index, rule in enumerate(checked.rules):
        if not rule.body and rule.head.predicate in needed:
            relations.state(rule, Origin(index, 0))
    evaluator = Evaluator(checked, database.domains, relations)
    meter = Meter(limits or Limits())
    try:
        for stratum in checked.strata:
            heads = needed.intersection(stratum.predicates)
            rules = [(index, rule) for index, rule in enumerate(checked.rules) if rule.head.predicate in heads and rule.body]
            _saturate(rules, relations, evaluator, meter)
    except LimitExceeded as exceeded:
        return NaiveModel({}, tuple(evaluator.warnings.values()), exceeded.degraded)
    return NaiveModel(relations.rows, tuple(evaluator.warnings.values()))


def needed_predicates(rules: Iterable[CoreRule], wanted: Iterable[str]) -> set[str]:
    """Return the wanted predicates and all that their rules read, negated and aggregated ones included."""
    reads: dict[str, set[str]] = {}
    for rule in rules:
        reads.setdefault(rule.head.predicate, set()).update(_predicates(rule.body))
    needed: set[str] = set()
    pending = list(wanted)
    while pending:
        predicate = pending.pop()
        if predicate not in needed:
            needed.add(predicate)
            pending += reads.get(predicate, ())
    return needed


def fact_rows(database: Database, name: str) -> Iterator[Row]:
    """Yield the facts of a relation, decoded, in the order of its table."""
    table = database.tables.get(name)
    if table is None:
        return
    columns = [[database.decode(sort, value) for value in column.tolist()] for sort, column in zip(table.sorts, table.columns, strict=True)]
    yield from zip(*columns, strict=True) if columns else [()] * table.length


class Relations:
    """Relations as sets of rows, found through dictionaries that are built when first asked for."""

    def __init__(self, rows: Mapping[str, Mapping[Row, Origin]]) -> None:
        """Start from these rows."""
        self.rows: dict[str, dict[Row, Origin]] = {name: dict(origins) for name, origins in rows.items()}
        self._indexes: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def rows_with(self, predicate: str, positions: tuple[int, ...], values: Row) -> Iterable[Row]:
        """Return the rows that hold these values at these positions."""
        index = self._indexes.get((predicate, positions))
        if index is None:
            index = self._indexes[predicate, positions] = {}
            for row in self.rows.get(predicate, ()):
                index.setdefault(tuple(row[position] for position in positions), []).append(row)
        return index.get(values, ())

    def state(self, rule: CoreRule, origin: Origin) -> None:
        """Let the relation hold the row that a rule without a body states."""
        row = tuple(term_value(term, {}) for term in rule.head.args)
        self.rows.setdefault(rule.head.predicate, {}).setdefault(row, origin)

    def add(self, predicate: str, rows: Mapping[Row, Origin]) -> None:
        """Let the relation hold the rows too."""
        self.rows.setdefault(predicate, {}).update(rows)
        for key in [key for key in self._indexes if key[0] == predicate]:
            del self._indexes[key]


def _saturate(rules: Sequence[tuple[int, CoreRule]], relations: Relations, evaluator: Evaluator, meter: Meter) -> None:
    """Add what the rules derive, round by round, until a round brings nothing new; a rule whose relations did not grow can rest."""
    reads = {index: set(_predicates(rule.body)) for index, rule in rules}
    grown: set[str] | None = None
    for number in count(1):
        meter.round(number)
        derived: dict[str, dict[Row, Origin]] = {}
        for index, rule in rules:
            if grown is not None and grown.isdisjoint(reads[index]):
                continue
            meter.rule = rule
            known = relations.rows.get(rule.head.predicate, {})
            fresh = derived.setdefault(rule.head.predicate, {})
            for row in evaluator.derive(rule):
                meter.tick()
                if row not in known and row not in fresh:
                    fresh[row] = Origin(index, number)
                    meter.rows(1)
        grown = {predicate for predicate, rows in derived.items() if rows}
        if not grown:
            return
        for predicate, rows in derived.items():
            relations.add(predicate, rows)


def _predicates(body: Sequence[Literal]) -> Iterator[str]:
    for literal in body:
        if isinstance(literal, Atom):
            yield literal.predicate
        elif isinstance(literal, Aggregate):
            yield from _predicates(literal.body)
