"""From the body of a rule to a pipeline: in which order to read relations, and what to do as soon as it can be done.

Filters run as soon as their variables are bound. Among the atoms that are left, the one with the smallest estimated cost comes next; every
atom is tried as the first one. An atom that binds nothing anybody needs becomes an existence test. After a step that drops a variable
while joins are still to come, duplicates are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, RelationType
from ce.datalog.finishing import Reading, finished
from ce.datalog.sorts import comparison_sort
from ce.datalog.steps import (
    Access,
    Apply,
    Assign,
    Compare,
    Exists,
    Expression,
    Fixed,
    Fold,
    Join,
    Operand,
    Pipeline,
    Source,
    Step,
    Test,
    with_keep,
)
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Variable, Wildcard
from ce.datalog.syntax import Expression as Term

__all__ = ["BodyPlanner", "Statistics", "expression_variables", "literal_variables"]

# What it costs, in rows read, to put one row of a relation into an index.
_INDEX_COST = 2.0
# Share of rows that an equality or an order comparison is guessed to keep.
_KEPT_BY_FILTER = 0.5
# In bodies with more atoms than this, not every order is tried that a greedy search could begin with.
_SHORT_BODY = 8
_TRIED_FIRST = 3


class Statistics(Protocol):
    """What is known or guessed about the relations when a stratum starts."""

    def rows(self, predicate: str) -> float:
        """Return how many rows a relation has."""

    def distinct(self, predicate: str, column: int) -> float:
        """Return how many distinct values a column has."""


def _predicate(literal: CoreLiteral) -> str:
    assert isinstance(literal, Atom)
    return literal.predicate


def _stage(literal: CoreLiteral) -> int:
    """Return how late a literal is tried among those that read no new rows: arithmetic may fail, so it comes after what cannot."""
    if isinstance(literal, Comparison):
        return 2 if isinstance(literal.left, Arithmetic) or isinstance(literal.right, Arithmetic) else 0
    if isinstance(literal, Aggregate):
        return 3
    return 1


def _is_generator(literal: CoreLiteral) -> bool:
    return isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS


def expression_variables(expression: Term) -> tuple[str, ...]:
    """Return the variables of an expression, each once, in order."""
    if isinstance(expression, Variable):
        return (expression.name,)
    if isinstance(expression, Arithmetic):
        return tuple(dict.fromkeys(expression_variables(expression.left) + expression_variables(expression.right)))
    return ()


def literal_variables(literal: CoreLiteral) -> tuple[str, ...]:
    """Return the variables by which a literal is tied to the rest of its body: of an aggregate, its groups and its result."""
    if isinstance(literal, Atom):
        return tuple(dict.fromkeys(name for arg in literal.args for name in expression_variables(arg)))
    if isinstance(literal, Comparison):
        return tuple(dict.fromkeys(expression_variables(literal.left) + expression_variables(literal.right)))
    return tuple(dict.fromkeys((*literal.groups, literal.result.name)))


@dataclass(frozen=True, slots=True)
class _State:
    """A partial order: what is done, what is left, and the estimates so far."""

    steps: tuple[Step, ...]
    left: frozenset[int]
    bound: frozenset[str]
    rows: float
    cost: float
    values: Mapping[str, float]  # estimated distinct values of each bound variable


class BodyPlanner:
    """Plans bodies over one set of relations and statistics; `growing` are the relations of the stratum being planned.

    Unless `estimates` are wanted for their own sake, columns are only looked at where there is a choice to make.
    """

    def __init__(
        self,
        relations: Mapping[str, RelationType],
        statistics: Statistics,
        growing: frozenset[str] = frozenset(),
        *,
        estimates: bool = True,
    ) -> None:
        self._relations = relations
        self._statistics = statistics
        self._growing = growing
        self._indexed: set[tuple[str, tuple[int, ...]]] = set()
        self.estimates = estimates

    def plan(
        self,
        body: Sequence[CoreLiteral],
        wanted: Sequence[str],
        *,
        sorts: Mapping[str, str],
        bound: Sequence[str] = (),
        recent: int | None = None,
    ) -> tuple[Pipeline, dict[str, int]]:
        """Return a pipeline that binds the `wanted` variables, and the slot of each variable.

        `bound` variables hold a value before the first step. `recent` is the literal read from the last round's rows, first of all; atoms
        on growing relations before it then see only the rows of earlier rounds, so that no derivation is made twice.
        """
        return _BodyPlan(self, body, wanted, sorts, bound, recent).pipeline()

    def rows(self, predicate: str) -> float:
        """Return the estimated rows of a relation."""
        return max(self._statistics.rows(predicate), 0.0)

    def distinct(self, predicate: str, column: int) -> float:
        """Return the estimated distinct values of a column."""
        return max(self._statistics.distinct(predicate, column), 1.0)

    def note_indexes(self, steps: Iterable[Step]) -> None:
        """Remember which indexes chosen steps look into: rules planned later share them at no cost."""
        self._indexed.update((step.access.predicate, step.access.key_columns) for step in steps if isinstance(step, Join))

    def index_cost(self, predicate: str, key_columns: tuple[int, ...]) -> float:
        """Return what it costs to look into a relation by some columns for the first time."""
        return 0.0 if (predicate, key_columns) in self._indexed else _INDEX_COST * self.rows(predicate)

    def sort(self, predicate: str, column: int) -> str:
        """Return the sort of a column."""
        return self._relations[predicate].sorts[column]

    def arity(self, predicate: str) -> int:
        """Return how many columns a relation has."""
        return len(self._relations[predicate].sorts)

    def grows(self, predicate: str) -> bool:
        """Tell whether a relation belongs to the stratum being planned."""
        return predicate in self._growing


class _BodyPlan:
    """The search for one body."""

    def __init__(
        self,
        planner: BodyPlanner,
        body: Sequence[CoreLiteral],
        wanted: Sequence[str],
        sorts: Mapping[str, str],
        bound: Sequence[str],
        recent: int | None,
    ) -> None:
        self._planner = planner
        self._body = body
        self._wanted = frozenset(wanted)
        self._sorts = sorts
        self._start = tuple(bound)
        self._recent = recent
        self._slots = {name: slot for slot, name in enumerate(bound)}
        for literal in body:
            for name in literal_variables(literal):
                self._slots.setdefault(name, len(self._slots))
        self._uses = [frozenset(literal_variables(literal)) for literal in body]
        self._order = sorted(range(len(body)), key=lambda number: _stage(body[number]))
        self._users: dict[str, list[int]] = {}
        for number, uses in enumerate(self._uses):
            for name in uses:
                self._users.setdefault(name, []).append(number)
        self._generators = frozenset(number for number, literal in enumerate(body) if _is_generator(literal))
        choices = len(self._generators) - (recent is not None)
        self._estimates = planner.estimates or choices > 1

    def pipeline(self) -> tuple[Pipeline, dict[str, int]]:
        """Return the cheapest order found, with what each step keeps."""
        start = _State((), frozenset(self._order), frozenset(self._start), 1.0, 0.0, dict.fromkeys(self._start, 1.0))
        if self._recent is not None:
            best = self._complete(self._read(start, self._recent))
        else:
            start = self._filter(start)
            candidates = [self._complete(self._read(start, first)) for first in self._first_atoms(start)]
            best = min(candidates, key=lambda state: state.cost) if candidates else self._complete(start)
        assert not best.left, "the checks leave no body without a safe order"
        self._planner.note_indexes(best.steps)
        names = tuple(sorted(self._slots, key=self._slots.__getitem__))
        wanted = frozenset(self._slots[name] for name in self._wanted)
        reading = Reading(self._planner, self._recent is not None, self._estimates)
        return Pipeline(finished(best.steps, range(len(self._start)), wanted, reading), names), self._slots

    def _atoms(self, state: _State) -> list[int]:
        return [number for number in self._order if number in state.left and number in self._generators]

    def _first_atoms(self, state: _State) -> list[int]:
        """Return the atoms to try as the first one: all of them in a short body, those of the smallest relations in a long one."""
        atoms = self._atoms(state)
        if len(atoms) <= _SHORT_BODY:
            return atoms
        return sorted(atoms, key=lambda number: (self._planner.rows(_predicate(self._body[number])), number))[:_TRIED_FIRST]

    def _next_atoms(self, state: _State) -> list[int]:
        """Return the atoms to choose from: in a long body only those that share a variable with what is bound, if there are any."""
        atoms = self._atoms(state)
        if len(atoms) <= _SHORT_BODY:
            return atoms
        return [number for number in atoms if not self._uses[number].isdisjoint(state.bound)] or atoms

    def _complete(self, state: _State) -> _State:
        """Order what is left: filters at once, then the atom that is cheapest from here."""
        state = self._filter(state)
        while atoms := self._next_atoms(state):
            choices = [self._read(state, number) for number in atoms]
            state = self._filter(min(choices, key=lambda after: (after.cost, after.rows)) if len(choices) > 1 else choices[0])
        return state

    def _filter(self, state: _State) -> _State:
        """Do all that can be done without reading new rows, in stages: what only drops rows comes before what computes."""
        progress = True
        while progress:
            progress = False
            for number in (number for number in self._order if number in state.left):
                after = self._filter_step(state, number)
                if after is not None:
                    state, progress = after, True
                    break
        return state

    def _filter_step(self, state: _State, number: int) -> _State | None:
        literal = self._body[number]
        if isinstance(literal, Comparison):
            return self._comparison(state, number, literal)
        if isinstance(literal, Aggregate):
            is_due = state.bound.issuperset(literal.groups) and not self._is_idle(state, number, literal.result.name)
            return self._aggregate(state, number, literal) if is_due else None
        if literal.predicate in BUILTIN_TESTS:
            if not state.bound.issuperset(self._uses[number]):
                return None
            left, right = (self._operand(term) for term in literal.args)
            sorts = tuple(self._term_sort(term) for term in literal.args)
            return self._after(state, number, Test(literal.predicate, left, right, (sorts[0], sorts[1]), literal.negated))
        needed = self._needed(state, number)
        if self._uses[number] - state.bound and (literal.negated or self._uses[number] & needed - state.bound):
            return None
        access = self._access(state, number, frozenset())
        if literal.negated or (self._is_existence(state, number) and not (access.equal and self._planner.grows(literal.predicate))):
            cost = _INDEX_COST * self._planner.rows(literal.predicate)
            return self._after(state, number, Exists(access, literal.negated), extra=cost)
        return None

    def _is_existence(self, state: _State, number: int) -> bool:
        """Tell whether an atom binds nothing that is needed later, so that one matching row is as good as many."""
        if number == self._recent:
            return False
        return not (self._uses[number] - state.bound) & self._needed(state, number)

    def _needed(self, state: _State, number: int) -> frozenset[str]:
        """Return the variables of a literal that the head or another open literal uses."""
        return frozenset(name for name in self._uses[number] if self._is_used_later(state, number, name))

    def _is_used_later(self, state: _State, number: int, name: str) -> bool:
        return name in self._wanted or any(other != number and other in state.left for other in self._users[name])

    def _comparison(self, state: _State, number: int, literal: Comparison) -> _State | None:
        if state.bound.issuperset(self._uses[number]):
            sort = comparison_sort(literal, self._sorts)
            step = Compare(literal.operator, self._expression(literal.left, sort), self._expression(literal.right, sort), sort)
            return self._after(state, number, step)
        if literal.operator != "=":
            return None
        for target, source in ((literal.left, literal.right), (literal.right, literal.left)):
            if isinstance(target, Variable) and target.name not in state.bound and state.bound.issuperset(expression_variables(source)):
                if isinstance(source, Arithmetic) and self._is_idle(state, number, target.name):
                    return None
                sort = comparison_sort(literal, self._sorts)
                values = {**state.values, target.name: self._expression_values(state, source)}
                step_assign = Assign(self._slots[target.name], self._expression(source, sort))
                return replace(self._after(state, number, step_assign), bound=state.bound | {target.name}, values=values)
        return None

    def _is_idle(self, state: _State, number: int, name: str) -> bool:
        """Tell whether a result is only for the head while rows may still be dropped: then it is computed last.

        So a number that leaves 64 bits, or a division by zero, is only met where everything else holds.
        """
        if not any(other in self._generators for other in state.left):
            return False
        return not any(other != number and other in state.left for other in self._users[name])

    def _expression_values(self, state: _State, source: Term) -> float:
        values = 1.0
        for name in expression_variables(source):
            values *= state.values.get(name, 1.0)
        return min(values, max(state.rows, 1.0))

    def _aggregate(self, state: _State, number: int, literal: Aggregate) -> _State:
        sorts = dict(self._sorts)
        inner = [part for part in literal.body if isinstance(part, Atom | Comparison | Aggregate)]
        assert len(inner) == len(literal.body), "aggregate bodies are core"
        values = tuple(variable.name for variable in literal.variables)
        pipeline, slots = self._planner.plan(inner, (*literal.groups, *values), sorts=sorts, bound=literal.groups)
        result = literal.result.name
        checked = result in state.bound  # an atom has given the result a value already: compute it aside and compare
        target = f"{result} (computed)" if checked else result
        fold = Fold(
            self._slots.setdefault(target, len(self._slots)),
            literal.function,
            tuple(self._slots[name] for name in literal.groups),
            tuple(slots[name] for name in values),
            tuple(sorts.get(name, "int") for name in values),
            pipeline,
        )
        cost = sum(self._planner.rows(part.predicate) for part in inner if isinstance(part, Atom) and part.predicate not in BUILTIN_TESTS)
        after = self._after(state, number, fold, extra=cost)
        if checked:
            compare = Compare("=", self._slots[result], self._slots[target], sorts.get(result, "int"), rows=after.rows)
            return replace(after, steps=(*after.steps, compare))
        return replace(after, bound=state.bound | {result}, values={**state.values, result: max(state.rows, 1.0)})

    def _after(self, state: _State, number: int, step: Step, extra: float = 0.0) -> _State:
        rows = state.rows * (1.0 if isinstance(step, Assign | Fold) else self._kept(state, step))
        left = state.left - {number}
        steps = (*state.steps, with_keep(step, (), rows))
        return _State(steps, left, state.bound, rows, state.cost + state.rows + extra, state.values)

    def _kept(self, state: _State, step: Step) -> float:
        if isinstance(step, Compare) and step.operator == "=":
            return 0.1
        if isinstance(step, Exists) and not step.negated and self._estimates:
            share = 1.0
            for column, operand in step.access.keys:
                if isinstance(operand, int):
                    name = next(name for name, slot in self._slots.items() if slot == operand)
                    share *= min(1.0, self._planner.distinct(step.access.predicate, column) / max(state.values.get(name, 1.0), 1.0))
            return share
        return _KEPT_BY_FILTER

    def _read(self, state: _State, number: int) -> _State:
        """Return the state after joining an atom."""
        literal = self._body[number]
        assert isinstance(literal, Atom)
        access = self._access(state, number, self._needed(state, number))
        left = state.left - {number}
        bound = state.bound | self._uses[number]
        if not self._estimates:
            return _State((*state.steps, Join(access)), left, bound, 1.0, 0.0, state.values)
        rows = self._planner.rows(literal.predicate)
        matches = rows
        values = dict(state.values)
        for column, operand in access.keys:
            spread = max(self._planner.distinct(literal.predicate, column), 1.0)
            if isinstance(operand, int):
                name = self._name(operand)
                values[name] = min(values.get(name, 1.0), spread)
            matches /= spread
        total = state.rows * matches * _KEPT_BY_FILTER ** len(access.equal)
        for column, slot in access.binds:
            values[self._name(slot)] = max(1.0, min(self._planner.distinct(literal.predicate, column), total))
        scans = not state.steps or number == self._recent or not access.keys
        index = 0.0 if scans else self._planner.index_cost(literal.predicate, access.key_columns)
        steps = (*state.steps, Join(access, (), total))
        return _State(steps, left, bound, total, state.cost + state.rows + total + index, values)

    def _name(self, slot: int) -> str:
        return next(name for name, other in self._slots.items() if other == slot)

    def _access(self, state: _State, number: int, needed: frozenset[str]) -> Access:
        literal = self._body[number]
        assert isinstance(literal, Atom)
        keys: list[tuple[int, Operand]] = []
        binds: list[tuple[int, int]] = []
        equal: list[tuple[int, int]] = []
        names = [arg.name for arg in literal.args if isinstance(arg, Variable)]
        seen: set[str] = set()
        for column, arg in enumerate(literal.args):
            if isinstance(arg, Constant):
                keys.append((column, Fixed(arg.value, self._planner.sort(literal.predicate, column))))
            elif isinstance(arg, Variable):
                slot = self._slots[arg.name]
                if arg.name in state.bound:
                    keys.append((column, slot))
                elif arg.name in seen:
                    equal.append((column, slot))
                elif arg.name in needed or names.count(arg.name) > 1:
                    binds.append((column, slot))
                    seen.add(arg.name)
            else:
                assert isinstance(arg, Wildcard), "arguments of core atoms are terms"
        return Access(literal.predicate, self._source(number, literal), tuple(keys), tuple(binds), tuple(equal))

    def _source(self, number: int, literal: Atom) -> Source:
        if not self._planner.grows(literal.predicate) or self._recent is None:
            return "all"
        if number == self._recent:
            return "recent"
        return "stable" if number < self._recent else "all"

    def _operand(self, term: Term) -> Operand:
        if isinstance(term, Variable):
            return self._slots[term.name]
        assert isinstance(term, Constant)
        return Fixed(term.value, self._term_sort(term))

    def _expression(self, term: Term, sort: str) -> Expression:
        if isinstance(term, Variable):
            return self._slots[term.name]
        if isinstance(term, Arithmetic):
            return Apply(term.operator, self._expression(term.left, "int"), self._expression(term.right, "int"))
        assert isinstance(term, Constant)
        return Fixed(term.value, "int" if isinstance(term.value, int) else sort)

    def _term_sort(self, term: Term) -> str:
        if isinstance(term, Variable):
            return self._sorts.get(term.name, "int")
        if isinstance(term, Constant):
            return "int" if isinstance(term.value, int) else "sym"
        return "int"
