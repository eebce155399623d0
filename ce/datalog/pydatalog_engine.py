"""A second opinion from pyDatalog, an independent top-down engine.

pyDatalog does what is hard to get right: joins, recursion, negation. Each stratum is one pyDatalog program over the finished rows of the
strata below it. The predicates of a stratum share one relation, which rules call with nothing bound: calls with different values that
wait for each other in a circle, as in the closure of a cycle, make pyDatalog run forever. What its language lacks is brought in from
outside:

- comparisons, arithmetic (64 bits, truncating division) and tests on names are resolvers, functions that pyDatalog calls with the
  arguments it has bound;
- an aggregate becomes three relations: the groups that the literals before it bind, the rows of its body in each group (both derived by
  pyDatalog), and its values (folded here). As new groups may appear through recursion, this is repeated until none does.

pyDatalog keeps its program in one global place, so one evaluation runs at a time, and the state it finds is put back. No text is
ever parsed or evaluated by it: clauses are built from its own objects, under generated names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pyDatalog import Logic, pyEngine

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreRule
from ce.datalog.database import Database
from ce.datalog.limits import LimitExceeded, Limits, Meter
from ce.datalog.naive import FACT, NaiveModel, Origin, Relations, fact_rows, needed_predicates
from ce.datalog.semantics import Binding, Evaluator, Row, Value
from ce.datalog.syntax import Aggregate, Atom, Comparison, Constant, Literal, Variable, Wildcard
from ce.datalog.traverse import variables_of

__all__ = ["evaluate_with_pydatalog"]

_LOCK = threading.Lock()


def evaluate_with_pydatalog(
    checked: CheckedProgram, database: Database, limits: Limits | None = None, wanted: Sequence[str] | None = None
) -> NaiveModel:
    """Return the least model of the wanted relations (default: all) and of those that they depend on; rows carry no real origin."""
    needed = needed_predicates(checked.rules, checked.relations if wanted is None else wanted)
    rows = {name: set(fact_rows(database, name)) for name in sorted(needed)}
    evaluator = Evaluator(checked, database.domains, Relations({}))
    meter = Meter(limits or Limits())
    try:
        for stratum in checked.strata:
            heads = [predicate for predicate in stratum.predicates if predicate in needed]
            rules = [rule for rule in checked.rules if rule.head.predicate in heads]
            if rules:
                known = sum(len(rows[predicate]) for predicate in heads)
                rows.update(_StratumRun(rules, rows, evaluator, meter, limits or Limits()).finish())
                meter.rows(sum(len(rows[predicate]) for predicate in heads) - known)
    except LimitExceeded as exceeded:
        return NaiveModel({}, tuple(evaluator.warnings.values()), exceeded.degraded)
    derived = Origin(-1, 1)
    origins = {name: dict.fromkeys(found, derived) | dict.fromkeys(fact_rows(database, name), FACT) for name, found in rows.items()}
    return NaiveModel(origins, tuple(evaluator.warnings.values()))


@dataclass(slots=True)
class _AggregateTable:
    """The three relations of one aggregate: names in pyDatalog, and the values folded so far."""

    literal: Aggregate
    rule: CoreRule
    groups: str
    members: str
    values: str
    folded: dict[Row, int | None] = field(default_factory=dict)


class _StratumRun:
    """One stratum as pyDatalog clauses."""

    def __init__(
        self,
        rules: Sequence[CoreRule],
        rows: Mapping[str, set[Row]],
        evaluator: Evaluator,
        meter: Meter,
        limits: Limits,
    ) -> None:
        self._rows = rows
        self._evaluator = evaluator
        self._meter = meter
        self._computed = Meter(limits)
        self._own = {rule.head.predicate: rule.head.arity for rule in rules}
        self._tags = {predicate: number for number, predicate in enumerate(sorted(self._own))}
        self._width = max(self._own.values())
        self._names: dict[tuple[str, int], str] = {}
        self._fresh = count()
        self._tables: list[_AggregateTable] = []
        self._resolvers: dict[str, Callable[..., Iterator[Row | bool]]] = {}
        self._clauses: list[tuple[_Literal, Sequence[_Literal]]] = []
        for rule in rules:
            head = self._padded(rule.head.predicate, [_plain(term) for term in rule.head.args])
            self._clauses.append(((_OWN, head), self._body(rule, rule.body)))

    def finish(self) -> dict[str, set[Row]]:
        """Return all rows of the stratum's relations."""
        while True:
            with self._program():
                # Stops at the first table that grew: those after it may rest on its values, which pyDatalog must see first.
                if not any(self._fold(table) for table in self._tables):
                    found: dict[str, set[Row]] = {predicate: set() for predicate in self._own}
                    predicates = sorted(self._own)
                    for tag, *row in self._ask(_OWN, self._width + 1):
                        predicate = predicates[int(tag)]
                        found[predicate].add(tuple(row[: self._own[predicate]]))
                    return found

    def _fold(self, table: _AggregateTable) -> bool:
        """Fold the groups that are new; return whether there are any."""
        width = len(table.literal.groups)
        fresh = self._ask(table.groups, width) - table.folded.keys()
        if not fresh:
            return False
        members: dict[Row, set[Row]] = {group: set() for group in fresh}
        for row in self._ask(table.members, width + len(table.literal.variables)):
            if row[:width] in members:
                members[row[:width]].add(row[width:])
        self._evaluator.enter(table.rule)
        for group, found in members.items():
            table.folded[group] = self._evaluator.fold(table.literal.function, found)
        return True

    @contextmanager
    def _program(self) -> Iterator[None]:
        """Make pyDatalog's global state this stratum's program, and put back what was there."""
        with _LOCK:
            before = getattr(Logic.tl, "logic", None)
            Logic()
            pyEngine.Python_resolvers.update(self._resolvers)
            try:
                self._state()
                yield
            finally:
                for name in self._resolvers:
                    del pyEngine.Python_resolvers[name]
                if before is not None:
                    Logic.tl.logic = before

    def _state(self) -> None:
        """State every relation, fact and clause."""
        pyEngine.insert(pyEngine.Pred(_OWN, self._width + 1))
        for predicate in self._own:
            for row in self._rows.get(predicate, ()):
                _state_fact(_OWN, [term.id for term in self._padded(predicate, list(map(pyEngine.Const, row)))])
        for (predicate, arity), name in self._names.items():
            pyEngine.insert(pyEngine.Pred(name, arity))
            for row in self._rows.get(predicate, ()):
                _state_fact(name, row)
        for table in self._tables:
            pyEngine.insert(pyEngine.Pred(table.values, len(table.literal.groups) + 1))
            for group, value in table.folded.items():
                if value is not None:
                    _state_fact(table.values, (*group, value))
        for head, body in self._clauses:
            pyEngine.assert_(pyEngine.Clause(_pydatalog(head), [_pydatalog(literal) for literal in body]))

    def _ask(self, name: str, arity: int) -> set[Row]:
        self._meter.tick()
        answer = pyEngine.Literal(name, [pyEngine.Var(f"A{number}") for number in range(arity)]).ask()
        return {()} if answer is True else set(answer)

    def _name(self, atom: Atom) -> str:
        return self._names.setdefault((atom.predicate, atom.arity), f"p{len(self._names)}")

    def _body(self, rule: CoreRule, body: Sequence[Literal], before: Sequence[_Literal] = ()) -> list[_Literal]:
        """Return the literals of a body, in its safe order, after those that are already read."""
        own = [literal for literal in body if self._is_recursive(literal)]
        read = [part for literal in own if isinstance(literal, Atom) for part in self._open_call(literal)]
        read += before
        for literal in body:
            if literal in own:
                continue
            if isinstance(literal, Aggregate):
                read.append(self._aggregate(rule, literal, read))
            elif isinstance(literal, Comparison) or (isinstance(literal, Atom) and literal.predicate in BUILTIN_TESTS):
                read.append(self._resolved(rule, literal))
            else:
                assert isinstance(literal, Atom)
                name = ("~" if literal.negated else "") + self._name(literal)
                read.append((name, [f"_{next(self._fresh)}" if isinstance(term, Wildcard) else _plain(term) for term in literal.args]))
        return read

    def _is_recursive(self, literal: Literal) -> bool:
        return isinstance(literal, Atom) and not literal.negated and literal.predicate in self._own

    def _padded(self, predicate: str, terms: Sequence[Any]) -> list[Any]:
        """Return the arguments of the one relation of the stratum that stand for these of one of its predicates."""
        padding = [pyEngine.Const(0)] * (self._width - len(terms))
        return [pyEngine.Const(self._tags[predicate]), *terms, *padding]

    def _open_call(self, atom: Atom) -> list[_Literal]:
        """Return a call of the stratum's one relation with nothing bound, and the equations that its arguments must satisfy."""
        fresh = [f"_{next(self._fresh)}" for _ in range(self._width + 1)]
        wanted = [pyEngine.Const(self._tags[atom.predicate]), *atom.args]
        equal = [(name, term) for name, term in zip(fresh, wanted, strict=False) if not isinstance(term, Wildcard)]
        return [(_OWN, fresh), *(("==", [name, _plain(term)]) for name, term in equal)]

    def _aggregate(self, rule: CoreRule, literal: Aggregate, before: Sequence[_Literal]) -> _Literal:
        """Return a literal on the aggregate's values; the clauses that find groups and members are added."""
        number = next(self._fresh)
        table = _AggregateTable(literal, rule, f"g{number}", f"m{number}", f"v{number}")
        groups = (table.groups, list(literal.groups))
        self._clauses.append((groups, list(before)))
        members = (table.members, [*literal.groups, *(variable.name for variable in literal.variables)])
        self._clauses.append((members, self._body(rule, literal.body, [groups])))
        self._tables.append(table)
        return table.values, [*literal.groups, literal.result.name]

    def _resolved(self, rule: CoreRule, literal: Atom | Comparison) -> _Literal:
        """Return a literal that pyDatalog decides by asking what the literal means for the values it has."""
        sides = literal.args if isinstance(literal, Atom) else (literal.left, literal.right)
        names = list(dict.fromkeys(variable.name for side in sides for variable in variables_of(side)))
        name = f"r{next(self._fresh)}"

        def resolve(*terms: Any) -> Iterator[Row | bool]:
            self._meter.tick()
            self._evaluator.enter(rule)
            binding: Binding = {variable: term.id for variable, term in zip(names, terms, strict=True) if term.is_const()}
            for extended in self._evaluator.extensions(literal, binding):
                self._computed.rows(1)
                yield tuple(extended[variable] for variable in names) if names else True

        self._resolvers[f"{name}/{len(names)}"] = resolve
        return name, list(names)


# A name in pyDatalog and its arguments: variables by name, constants as pyDatalog has them.
_Literal = tuple[str, Sequence[Any]]

# The relation of pyDatalog that holds the rows of all predicates of a stratum, told apart by the first column.
_OWN = "own"


def _plain(term: Any) -> Any:
    if isinstance(term, Constant):
        return pyEngine.Const(term.value)
    return term.name if isinstance(term, Variable) else term


def _pydatalog(literal: _Literal) -> Any:
    name, terms = literal
    return pyEngine.Literal(name, [pyEngine.Var(term) if isinstance(term, str) else term for term in terms])


def _state_fact(name: str, row: Sequence[Value]) -> None:
    pyEngine.assert_(pyEngine.Clause(pyEngine.Literal(name, [pyEngine.Const(value) for value in row]), []))
