"""Demand: derive only what the goals ask for (magic sets, supplementary form).

    ?- depends("a.py", X).         depends?10("a.py").
                                   depends(X, Y) :- depends?10(X), ref(X, Y).
                                   depends(X, Z) :- depends?10(X), depends(X, Y), ref(Y, Z).

A *demand* relation `p?10` holds the values for which rows of `p` are wanted, bound columns marked 1; each rule of `p` runs for them
only. The relations keep their names and every derived row is a row of the original program, derived by the same rule; but of a relation
in `partial` not all rows are derived. Facts, also those that the program states, need no demand.

Soundness under negation: what is negated or aggregated, and all that it rests on, is computed in full. So demand flows only through
positive atoms above that part, and the rewritten program is stratified whenever the original is.

A binding restricts demand only if it goes back to a constant, through atoms joined with it; a variable that ranges over a whole relation
does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, RelationType
from ce.datalog.ordering import expression_variables, literal_variables
from ce.datalog.rules import PlannedRule
from ce.datalog.sorts import all_literals, variable_sorts
from ce.datalog.syntax import Aggregate, Atom, Comparison, Constant, Variable

__all__ = ["Adornment", "MagicProgram", "magic_sets"]

# Which columns of a relation are bound, ascending.
Adornment = tuple[int, ...]

# A relation that is asked for in more ways than this is computed in full.
_MOST_ADORNMENTS = 3


@dataclass(frozen=True, slots=True)
class MagicProgram:
    """The rewritten rules, the types of all relations with those of demand, and the relations of which not all rows are derived."""

    rules: tuple[PlannedRule, ...]
    relations: Mapping[str, RelationType]
    partial: frozenset[str]


def magic_sets(rules: Sequence[PlannedRule], relations: Mapping[str, RelationType], goals: Collection[str]) -> MagicProgram | None:
    """Return the rules rewritten to derive what the goals demand, or None where that would restrict nothing."""
    program = _Program(rules, relations, goals)
    full = program.must_be_full()
    while True:
        demands = program.demands(full)
        unrestricted = {predicate for predicate, adornments in demands.items() if () in adornments or len(adornments) > _MOST_ADORNMENTS}
        if not unrestricted:
            break
        full = program.closure(full | unrestricted)
    if not demands:
        return None
    return program.rewrite(full, demands)


@dataclass(frozen=True, slots=True)
class _Ordered:
    """A body in the order in which bindings pass sideways, and for each literal the columns bound by then, if it is demanded."""

    literals: tuple[CoreLiteral, ...]
    adornments: tuple[Adornment | None, ...]


class _Program:
    def __init__(self, rules: Sequence[PlannedRule], relations: Mapping[str, RelationType], goals: Collection[str]) -> None:
        self._rules = rules
        self._relations = relations
        self._goals = frozenset(goals)
        self._by_head: dict[str, list[PlannedRule]] = {}
        for rule in rules:
            self._by_head.setdefault(rule.head.predicate, []).append(rule)

    def must_be_full(self) -> frozenset[str]:
        """Return what is negated or aggregated, and all that it rests on."""
        roots: set[str] = set()
        for rule in self._rules:
            for literal in rule.body:
                if isinstance(literal, Aggregate):
                    roots.update(inner.predicate for inner in all_literals(literal.body) if isinstance(inner, Atom))
                elif isinstance(literal, Atom) and literal.negated:
                    roots.add(literal.predicate)
        return self.closure(roots)

    def closure(self, roots: Collection[str]) -> frozenset[str]:
        """Return the derived predicates among the roots and all that they rest on."""
        found: set[str] = set()
        waiting = list(roots)
        while waiting:
            predicate = waiting.pop()
            if predicate in self._by_head and predicate not in found:
                found.add(predicate)
                for rule in self._by_head[predicate]:
                    waiting += [literal.predicate for literal in all_literals(rule.body) if isinstance(literal, Atom)]
        return frozenset(found)

    def demands(self, full: frozenset[str]) -> dict[str, set[Adornment]]:
        """Return in which ways each predicate is asked for, starting from the goals; those in `full` are not listed."""
        found: dict[str, set[Adornment]] = {}
        waiting: list[tuple[str, Adornment | None]] = [(goal, None) for goal in sorted(self._goals - full)]
        while waiting:
            predicate, adornment = waiting.pop()
            for rule in self._by_head.get(predicate, ()):
                ordered = self._order(rule, adornment or (), full)
                for literal, bound in zip(ordered.literals, ordered.adornments, strict=True):
                    if bound is None:
                        continue
                    assert isinstance(literal, Atom)
                    known = found.setdefault(literal.predicate, set())
                    if bound not in known:
                        known.add(bound)
                        waiting.append((literal.predicate, bound))
        for goal in self._goals & set(found):
            found[goal].add(())
        return found

    def rewrite(self, full: frozenset[str], demands: Mapping[str, Collection[Adornment]]) -> MagicProgram:
        """Return the program with a guard before every rule of a demanded predicate, and the rules that spread demand."""
        output = _Output(self._relations)
        for number, rule in enumerate(self._rules):
            predicate = rule.head.predicate
            if predicate in full or not rule.body:
                output.rules.append(rule)
            elif predicate in demands:
                for adornment in sorted(demands[predicate]):
                    output.guarded(number, rule, adornment, self._order(rule, adornment, full))
            elif predicate in self._goals:
                output.guarded(number, rule, None, self._order(rule, (), full))
        return MagicProgram(tuple(dict.fromkeys(output.rules)), output.relations, frozenset(demands))

    def _order(self, rule: PlannedRule, bound_columns: Adornment, full: frozenset[str]) -> _Ordered:
        """Order a body so that bindings from the head's bound columns and from constants reach as far as they can."""
        head_terms = [rule.head.args[column] for column in bound_columns]
        bound = {name for term in head_terms for name in expression_variables(term)}
        given = frozenset(bound)
        restricted = set(bound)
        left = list(rule.body)
        literals: list[CoreLiteral] = []
        adornments: list[Adornment | None] = []
        while left:
            literal = max(left, key=lambda candidate: (self._rank(candidate, bound, restricted, given, full), -_place(left, candidate)))
            left = [other for other in left if other is not literal]
            adornment = None
            if self._is_demanded(literal, full):
                assert isinstance(literal, Atom)
                adornment = _bound_columns(literal, restricted)
            variables = set(literal_variables(literal))
            if self._restricts(literal, restricted):
                restricted |= variables
            bound |= variables
            literals.append(literal)
            adornments.append(adornment)
        return _Ordered(tuple(literals), tuple(adornments))

    def _rank(
        self, literal: CoreLiteral, bound: Collection[str], restricted: Collection[str], given: Collection[str], full: frozenset[str]
    ) -> tuple[int, int]:
        """Return how early a literal should come.

        What can be tested comes first. A demanded atom with a column that is given (a constant or what the head was asked with) is asked
        for that alone, before others restrict it further: one search from a known node is better than many to the nodes of a list. Then
        comes what is restricted, relations at hand before demanded ones.
        """
        if not isinstance(literal, Atom) or literal.negated or literal.predicate in BUILTIN_TESTS:
            return (6, 0) if _is_ready(literal, bound) else (0, 0)
        width = len(_bound_columns(literal, restricted))
        if self._is_demanded(literal, full):
            return (5 if _bound_columns(literal, given) else 3 if width else 1, width)
        return (4 if width else 2, width)

    def _is_demanded(self, literal: CoreLiteral, full: frozenset[str]) -> bool:
        if not isinstance(literal, Atom) or literal.negated:
            return False
        return literal.predicate in self._by_head and literal.predicate not in full

    def _restricts(self, literal: CoreLiteral, restricted: Collection[str]) -> bool:
        """Tell whether the variables of a literal are restricted after it."""
        if isinstance(literal, Comparison):
            return literal.operator == "=" and _one_side_bound(literal, restricted)
        return isinstance(literal, Atom) and not literal.negated and bool(_bound_columns(literal, restricted))


class _Output:
    """The rules of the rewritten program as they come about."""

    def __init__(self, relations: Mapping[str, RelationType]) -> None:
        self.rules: list[PlannedRule] = []
        self.relations = dict(relations)

    def guarded(self, number: int, rule: PlannedRule, adornment: Adornment | None, ordered: _Ordered) -> None:
        """Add a rule that runs for what is demanded, and the rules by which it demands more; `None` marks a goal's rule, run in any case.

        What stands before a demanded atom is joined once, into a supplementary relation, for the demand and for the rule itself.
        """
        sorts = variable_sorts(self.relations, rule.head, rule.body)
        prefix: list[CoreLiteral] = [] if adornment is None else [self._demand(rule.head, adornment)]
        for place, (literal, bound) in enumerate(zip(ordered.literals, ordered.adornments, strict=True)):
            if bound is not None and bound:
                assert isinstance(literal, Atom)
                rest = ordered.literals[place:]
                if len(prefix) > 1:
                    label = "goal" if adornment is None else _bits(adornment, rule.head.arity)
                    prefix = [self._supplement(f"{rule.head.predicate}?{label}.{number}.{place}", prefix, rest, rule, sorts)]
                demand = self._demand(literal, bound)
                if prefix != [demand]:
                    self.rules.append(PlannedRule(demand, tuple(prefix), rule.origin))
            prefix.append(literal)
        self.rules.append(PlannedRule(rule.head, tuple(prefix), rule.origin))

    def _demand(self, atom: Atom, adornment: Adornment) -> Atom:
        name = f"{atom.predicate}?{_bits(adornment, atom.arity)}"
        sorts = self.relations[atom.predicate].sorts
        self.relations.setdefault(
            name, RelationType(name, tuple(sorts[column] for column in adornment), edb=False, idb=True, auxiliary=True)
        )
        return Atom(name, tuple(atom.args[column] for column in adornment), span=atom.span)

    def _supplement(
        self, name: str, prefix: Sequence[CoreLiteral], rest: Sequence[CoreLiteral], rule: PlannedRule, sorts: Mapping[str, str]
    ) -> Atom:
        later = set(literal_variables(rule.head)).union(*(literal_variables(literal) for literal in rest))
        known = dict.fromkeys(variable for literal in prefix if _binds(literal) for variable in literal_variables(literal))
        columns = [variable for variable in known if variable in later]
        head = Atom(name, tuple(Variable(variable, span=rule.head.span) for variable in columns), span=rule.head.span)
        self.relations[name] = RelationType(
            name, tuple(sorts.get(column, "int") for column in columns), edb=False, idb=True, auxiliary=True
        )
        self.rules.append(PlannedRule(head, tuple(prefix), rule.origin))
        return head


def _binds(literal: CoreLiteral) -> bool:
    return not isinstance(literal, Atom) or not (literal.negated or literal.predicate in BUILTIN_TESTS)


def _bound_columns(atom: Atom, known: Collection[str]) -> Adornment:
    return tuple(column for column, term in enumerate(atom.args) if _is_bound(term, known))


def _is_bound(term: object, known: Collection[str]) -> bool:
    return isinstance(term, Constant) or (isinstance(term, Variable) and term.name in known)


def _is_ready(literal: CoreLiteral, bound: Collection[str]) -> bool:
    """Tell whether a literal that reads no rows can be evaluated."""
    known = set(bound)
    if isinstance(literal, Aggregate):
        return known.issuperset(literal.groups)
    if known.issuperset(literal_variables(literal)):
        return True
    if not isinstance(literal, Comparison) or literal.operator != "=":
        return False
    return any(
        isinstance(side, Variable) and known.issuperset(expression_variables(other))
        for side, other in ((literal.left, literal.right), (literal.right, literal.left))
    )


def _one_side_bound(comparison: Comparison, known: Collection[str]) -> bool:
    return any(set(expression_variables(side)) <= set(known) for side in (comparison.left, comparison.right))


def _place(literals: Sequence[CoreLiteral], wanted: CoreLiteral) -> int:
    return next(place for place, literal in enumerate(literals) if literal is wanted)


def _bits(adornment: Adornment, arity: int) -> str:
    return "".join("1" if column in adornment else "0" for column in range(arity))
