"""Proofs rebuilt on demand from a model: for each row the derivation of smallest height, ties by rule order, then by row order.

Invariant: each row is proved once, from rows of strictly smaller height or of lower strata, so the graph has no cycle. Proofs cite the
rules of the checked program, whatever the engine ran instead of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreRule
from ce.datalog.fact_lookup import FactLookup
from ce.datalog.heights import Heights
from ce.datalog.model_rows import Model, ModelRows, Numbers
from ce.datalog.origin_names import origin_names, origin_places
from ce.datalog.proof import Kind, ProofNode
from ce.datalog.semantics import Binding, Evaluator, Row, agree, has_plain_members, known_positions, ready, term_value, textual_order
from ce.datalog.syntax import Aggregate, Atom, Comparison, Literal, Wildcard
from ce.diagnostics import CeError

__all__ = ["GROUP_ROWS", "PROOF_NODES", "Prover"]

# Rows of an aggregate's group that a proof shows, and steps of a proof before it is cut.
GROUP_ROWS = 10
PROOF_NODES = 100_000

# Derivations of one row that are compared when the row order has to decide and the search did not follow the text.
_COMPARED = 2_000


class Prover:
    """Builds the proofs of one model; what it finds out about heights and indexes is kept between proofs."""

    def __init__(self, checked: CheckedProgram, model: Model, heights: Heights) -> None:
        """Prove rows of the model from the rules and facts."""
        self._heights = heights
        self._rows = ModelRows(model, {name: relation.sorts for name, relation in checked.relations.items()})
        self._facts = FactLookup(model.database)
        self._evaluator = Evaluator(checked, model.database.domains, self._rows)
        self._names = origin_names(checked)
        self._places = origin_places(checked)
        self._goals = {goal.predicate: goal for goal in checked.goals}
        self._rules: dict[str, list[CoreRule]] = {}
        self._stated: dict[tuple[str, Row], str] = {}
        for rule in checked.rules:
            if rule.body:
                self._rules.setdefault(rule.head.predicate, []).append(rule)
            else:
                row = tuple(term_value(term, {}) for term in rule.head.args)
                self._stated.setdefault((rule.head.predicate, row), rule.at)

    def holds(self, predicate: str, row: Row) -> bool:
        """Return whether the relation has the row."""
        return self._rows.number_of(predicate, row) is not None

    def prove(self, predicate: str, row: Row, *, nodes: int = PROOF_NODES, group_rows: int = GROUP_ROWS) -> ProofNode:
        """Return the proof of a row of the model; beyond so many nodes, premises are left out and counted."""
        drafts: dict[tuple[str, Row], _Draft] = {}
        pending: deque[_Draft] = deque()

        def draft_of(predicate: str, row: Row) -> _Draft:
            known = drafts.get((predicate, row))
            if known is None:
                known = drafts[predicate, row] = _Draft("rule", predicate, row)
                pending.append(known)
            return known

        root = draft_of(predicate, row)
        made = 1
        while pending:
            draft = pending.popleft()
            derivation = self._settle(draft)
            if derivation is None:
                continue
            if made + len(derivation.rule.body) > nodes:
                draft.omitted = len(derivation.rule.body)
                continue
            for index in derivation.rule.textual_order:
                premise = self._premise(derivation.rule.body[index], derivation, index, draft_of, group_rows)
                draft.premises.append(premise)
                made += 1 + len(premise.premises)
        return _freeze(root)

    def _settle(self, draft: _Draft) -> _Derivation | None:
        """Let the draft say how its row comes about; return the derivation when a rule with a body makes it."""
        assert draft.predicate is not None
        predicate = draft.predicate
        places = self._facts.places(predicate, draft.args)
        if places:
            draft.kind, draft.at = "fact", places[0]
            return None
        if (predicate, draft.args) in self._stated:
            draft.kind, draft.at = "fact", self._stated[predicate, draft.args]
            return None
        derivation = self._derivation(predicate, draft.args)
        draft.rule = derivation.rule.at
        draft.predicate = self._names.get(predicate, predicate)
        goal = self._goals.get(predicate)
        if goal is not None:
            draft.kind = "goal"
            draft.predicate = goal.name if goal.kind == "assert" else None
        return derivation

    def _derivation(self, predicate: str, row: Row) -> _Derivation:
        """Return the first derivation, in rule order, whose premises are as low as any derivation of the row allows."""
        ceiling = self._ceiling(predicate, row)
        for rule, binding in self._instances(predicate, row):
            found = self._best(rule.body, rule.textual_order, binding, ceiling)
            if found is not None:
                return _Derivation(rule, *found)
        raise AssertionError(f"no rule derives {predicate}{row} within its height")

    def _instances(self, predicate: str, row: Row) -> Iterator[tuple[CoreRule, Binding]]:
        """Yield the rules whose head can be the row, with the variables that the row binds; literals are read as theirs."""
        for rule in self._rules.get(predicate, ()):
            binding: Binding = {}
            if all(agree(term, value, binding) for term, value in zip(rule.head.args, row, strict=True)):
                self._evaluator.enter(rule)
                yield rule, binding

    def _ceiling(self, predicate: str, row: Row) -> int:
        """Return how high the premises of the lowest proof of a row are."""
        if predicate not in self._goals:
            number = self._rows.number_of(predicate, row)
            assert number is not None, "only rows of the model have proofs"
            return self._heights.height(predicate, number) - 1
        # Nothing reads a goal, so its own heights are found by bisection, without running all of it again.
        low, high = 0, self._highest_premise(predicate, row, None)
        assert high is not None, "only rows of the model have proofs"
        while low < high:
            middle = (low + high) // 2
            found = self._highest_premise(predicate, row, middle)
            low, high = (middle + 1, high) if found is None else (low, min(middle, found))
        return high

    def _highest_premise(self, predicate: str, row: Row, ceiling: int | None) -> int | None:
        """Return the height of the highest premise of some derivation under the ceiling, or None when there is none."""
        for rule, binding in self._instances(predicate, row):
            for _, picked in self._solutions(rule.body, binding, ceiling):
                return self._highest(rule.body, picked)
        return None

    def _highest(self, body: Sequence[Literal], picked: Mapping[int, int]) -> int:
        return max((self._heights.height(_predicate(body[index]), number) for index, number in picked.items()), default=0)

    def _premise(self, literal: Literal, found: _Derivation, index: int, draft_of: _DraftOf, group_rows: int) -> _Draft:
        """Return the draft of the premise that stands for a literal."""
        if isinstance(literal, Comparison):
            values = [self._evaluator.value(side, found.binding) for side in (literal.left, literal.right)]
            return _Draft("builtin", literal.operator, tuple(value for value in values if value is not None))
        if isinstance(literal, Aggregate):
            return self._group(literal, found, draft_of, group_rows)
        assert isinstance(literal, Atom)
        if index in found.picked:
            return draft_of(literal.predicate, self._rows.row(literal.predicate, found.picked[index]))
        args = tuple("_" if isinstance(term, Wildcard) else term_value(term, found.binding) for term in literal.args)
        if literal.predicate in BUILTIN_TESTS:
            return _Draft("builtin", f"not {literal.predicate}" if literal.negated else literal.predicate, args)
        searched = self._rows.relation(literal.predicate).length
        name = self._names.get(literal.predicate, literal.predicate)
        return _Draft("absence", name, args, rule=self._places.get(literal.predicate), searched=searched)

    def _group(self, literal: Aggregate, found: _Derivation, draft_of: _DraftOf, group_rows: int) -> _Draft:
        """Return the draft of an aggregate with the first rows of its group, each shown by its lowest derivation."""
        group = self._evaluator.sorted_group(literal, found.binding)
        draft = _Draft("aggregate", literal.function, (found.binding[literal.result.name],), omitted=max(0, len(group) - group_rows))
        for row in group[:group_rows]:
            binding = {name: found.binding[name] for name in literal.groups}
            binding.update(zip((variable.name for variable in literal.variables), row, strict=True))
            with self._evaluator.inside(literal):
                solution = self._best(literal.body, textual_order(literal.body), binding, None)
                assert solution is not None, "every row of a group satisfies the body"
                inner = _Derivation(found.rule, *solution)
                premises = [self._premise(literal.body[i], inner, i, draft_of, group_rows) for i in textual_order(literal.body)]
            draft.premises += premises if has_plain_members(literal) else [_Draft("goal", None, row, premises=premises)]
        return draft

    def _best(self, body: Sequence[Literal], order: Sequence[int], binding: Binding, ceiling: int | None) -> _Solution | None:
        """Return the solution of a body with the smallest rows in textual order; without a ceiling, lower rows go first."""
        reading_order = [index for index in order if _is_positive(body[index])]
        solutions = self._solutions(body, binding, ceiling)
        best: _Solution | None = None
        best_rank: tuple[int, list[int]] = (0, [])
        for solution in islice(solutions, _COMPARED):
            _, picked = solution
            if best is None and ceiling is not None and list(picked) == reading_order:
                return solution  # the search read the text in its order, so nothing smaller can follow
            rank = (self._highest(body, picked) if ceiling is None else 0, [picked[index] for index in reading_order])
            if best is None or rank < best_rank:
                best, best_rank = solution, rank
        return best

    def _solutions(self, body: Sequence[Literal], binding: Binding, ceiling: int | None) -> Iterator[_Solution]:
        """Yield solutions with the row numbers of their positive atoms; what can be decided is, then the atom with the fewest rows."""
        states = [iter([_State(tuple(range(len(body))), binding, {})])]
        while states:
            state = next(states[-1], None)
            if state is None:
                states.pop()
            elif state.left:
                states.append(self._extended(body, state, ceiling))
            else:
                yield state.binding, state.picked

    def _extended(self, body: Sequence[Literal], state: _State, ceiling: int | None) -> Iterator[_State]:
        """Yield the states after one more literal."""
        index, numbers = self._next(body, state.left, state.binding, ceiling)
        left = tuple(other for other in state.left if other != index)
        literal = body[index]
        if numbers is None:
            for extended in self._decided(literal, state.binding):
                yield _State(left, extended, state.picked)
            return
        assert isinstance(literal, Atom)
        for number in numbers:
            extended = dict(state.binding)
            row = self._rows.row(literal.predicate, int(number))
            if all(agree(term, value, extended) for term, value in zip(literal.args, row, strict=True)):
                yield _State(left, extended, {**state.picked, index: int(number)})

    def _next(self, body: Sequence[Literal], left: tuple[int, ...], binding: Binding, ceiling: int | None) -> tuple[int, Numbers | None]:
        """Return the literal to read next, with the rows it may take when it is a positive atom."""
        best: tuple[int, Numbers] | None = None
        for index in left:
            literal = body[index]
            if not _is_positive(literal):
                if ready(literal, binding):
                    return index, None
                continue
            assert isinstance(literal, Atom)
            known = known_positions(literal, binding)
            numbers = self._rows.find(literal.predicate, [position for position, _ in known], [value for _, value in known])
            if best is None or len(numbers) < len(best[1]):
                best = (index, numbers)
            if len(numbers) <= 1:
                break
        assert best is not None, "a safe body always has a literal that can be read"
        index, numbers = best
        return index, numbers if ceiling is None else self._heights.at_most(_predicate(body[index]), numbers, ceiling)

    def _decided(self, literal: Literal, binding: Binding) -> list[Binding]:
        """Return the extensions under a literal that finds no rows; what overflows here lies off the derivation and fails."""
        try:
            return list(self._evaluator.extensions(literal, binding))
        except CeError:
            return []


_Solution = tuple[Binding, dict[int, int]]


@dataclass(frozen=True, slots=True)
class _State:
    """A body partly read: the literals that are left, the substitution so far, the row numbers taken so far."""

    left: tuple[int, ...]
    binding: Binding
    picked: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Derivation:
    """A rule, a substitution that satisfies it, and the row number that each positive atom takes."""

    rule: CoreRule
    binding: Binding
    picked: dict[int, int]


@dataclass(slots=True, eq=False)
class _Draft:
    """A proof node whose premises are still being found."""

    kind: Kind
    predicate: str | None
    args: Row
    rule: str | None = None
    at: str | None = None
    premises: list[_Draft] = field(default_factory=list)
    searched: int | None = None
    omitted: int = 0


_DraftOf = Callable[[str, Row], _Draft]


def _freeze(root: _Draft) -> ProofNode:
    """Return the finished proof; premises are frozen before what they support."""
    frozen: dict[int, ProofNode] = {}
    pending = [root]
    while pending:
        draft = pending[-1]
        waiting = [premise for premise in draft.premises if id(premise) not in frozen]
        if waiting and id(draft) not in frozen:
            pending += waiting
            continue
        pending.pop()
        if id(draft) not in frozen:
            premises = tuple(frozen[id(premise)] for premise in draft.premises)
            frozen[id(draft)] = ProofNode(
                draft.kind, draft.predicate, draft.args, draft.rule, draft.at, premises, draft.searched, draft.omitted
            )
    return frozen[id(root)]


def _is_positive(literal: Literal) -> bool:
    return isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS


def _predicate(literal: Literal) -> str:
    assert isinstance(literal, Atom)
    return literal.predicate
