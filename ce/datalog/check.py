"""The proof checker: says what is wrong with a proof, node by node, without asking the engine that made it.

It shares the syntax tree with the engine and nothing else. Facts are looked up in the database, rules are instantiated anew,
comparisons and tests are computed again; what a proof cannot show (that a relation lacks a row, that a group has no further rows) is
derived again by the second engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreRule
from ce.datalog.database import Database
from ce.datalog.fact_lookup import FactLookup
from ce.datalog.naive import NaiveModel, Relations, evaluate_naively
from ce.datalog.origin_names import origin_names, origin_places
from ce.datalog.proof import ProofNode, number_nodes, statement
from ce.datalog.proof_document import ProofFormatError, read_proof
from ce.datalog.semantics import Binding, Evaluator, Row, agree, has_plain_members, term_value, textual_order
from ce.datalog.syntax import Aggregate, Atom, Comparison, Literal, Wildcard
from ce.diagnostics import CeError

__all__ = ["ProofChecker", "SecondEngine", "check_proof"]

SecondEngine = Callable[[CheckedProgram, Database, Iterable[str]], NaiveModel]


def check_proof(checked: CheckedProgram, database: Database, proof: ProofNode | Mapping[str, object]) -> list[str]:
    """Return what is wrong with the proof, a tree of nodes or its JSON form; empty when it is valid."""
    return ProofChecker(checked, database).check(proof)


def _naively(checked: CheckedProgram, database: Database, wanted: Iterable[str]) -> NaiveModel:
    return evaluate_naively(checked, database, wanted=tuple(wanted))


class ProofChecker:
    """Checks many proofs of one program over one database; what the second engine derives is kept between them."""

    def __init__(self, checked: CheckedProgram, database: Database, second_engine: SecondEngine = _naively) -> None:
        """Check against these rules and facts."""
        self._checked = checked
        self._database = database
        self._second_engine = second_engine
        self._facts = FactLookup(database)
        self._relations = Relations({})
        self._evaluator = Evaluator(checked, database.domains, self._relations)
        self._derived: set[str] = set()
        self._names = origin_names(checked)
        self._places = origin_places(checked)
        self._rules_at: dict[str, list[CoreRule]] = {}
        for rule in checked.rules:
            self._rules_at.setdefault(rule.at, []).append(rule)

    def check(self, proof: ProofNode | Mapping[str, object]) -> list[str]:
        """Return what is wrong with the proof; empty when it is valid."""
        try:
            root = proof if isinstance(proof, ProofNode) else read_proof(proof)
            numbered = number_nodes(root)
            self._derive_again([entry.node for entry in numbered])
        except ProofFormatError as error:
            return [str(error)]
        except CeError as error:
            return [f"the second engine refuses the program: {error}"]
        problems = []
        if root.kind not in ("goal", "rule", "fact"):
            problems.append(f"node 0: a proof proves a goal or a row, not a node of kind {root.kind}")
        for number, entry in enumerate(numbered):
            if any(type(value) not in (int, str) for value in entry.node.args):
                return [f"node {number}: an argument is a number or a name"]
        for number, entry in enumerate(numbered):
            inside_group = number > 0 and entry.node.kind == "goal"
            reason = None if inside_group else self._fault(entry.node)
            if reason is not None:
                problems.append(f"node {number}, {statement(entry.node)}: {reason}")
        return problems

    def _derive_again(self, nodes: Sequence[ProofNode]) -> None:
        """Let the evaluator hold the relations that the cited rules negate or aggregate."""
        cited = {node.rule for node in nodes if node.rule is not None}
        wanted = {predicate for place in cited for rule in self._rules_at.get(place, ()) for predicate in _closed_world(rule.body)}
        if wanted <= self._derived:
            return
        model = self._second_engine(self._checked, self._database, sorted(wanted | self._derived))
        if model.degraded is not None:
            raise ProofFormatError(f"the second engine gave up: {model.degraded.message}")
        self._derived |= wanted
        self._relations = Relations(model.relations)
        self._evaluator = Evaluator(self._checked, self._database.domains, self._relations)

    def _fault(self, node: ProofNode) -> str | None:
        """Return what is wrong with a node by itself, given that its premises hold."""
        try:
            if node.kind == "fact":
                self._check_fact(node)
            elif node.kind in ("rule", "goal"):
                self._check_derivation(node)
        except _Fault as fault:
            return str(fault)
        except CeError as error:
            return error.diagnostics[0].message
        return None

    def _check_fact(self, node: ProofNode) -> None:
        bare = not node.premises and node.searched is None and not node.omitted and node.rule is None
        _require(bare, "a fact has a place and nothing else")
        stated = [rule.at for rule in self._checked.rules if not rule.body and _ground_head(rule) == (node.predicate, node.args)]
        found = self._facts.places(node.predicate or "", node.args)
        _require(bool(stated or found), "no such fact")
        _require(node.at in stated or node.at in found, f"the fact stands at {', '.join(map(str, [*found, *stated]))}, not at {node.at}")

    def _check_derivation(self, node: ProofNode) -> None:
        _require(node.at is None and node.searched is None, "a derived row has a rule and premises only")
        _require(not node.omitted, "the proof is cut here")
        candidates = list(self._candidates(node))
        _require(bool(candidates), f"no rule of {node.predicate or 'a query'} stands at {node.rule}")
        faults = []
        for rule in candidates:
            try:
                self._check_instance(rule, node)
                return
            except _Fault as fault:
                faults.append(str(fault))
        raise _Fault("; ".join(dict.fromkeys(faults)))

    def _candidates(self, node: ProofNode) -> Iterator[CoreRule]:
        """Yield the rules that the node may cite: those of its relation, or of a goal of its name, at the place it gives."""
        goals = {goal.predicate: goal.name if goal.kind == "assert" else None for goal in self._checked.goals}
        for rule in self._rules_at.get(node.rule or "", ()):
            predicate = rule.head.predicate
            is_goal = predicate in goals
            name = goals[predicate] if is_goal else self._shown(predicate)
            if rule.body and is_goal == (node.kind == "goal") and name == node.predicate:
                yield rule

    def _check_instance(self, rule: CoreRule, node: ProofNode) -> None:
        """Require one substitution under which the head is the node's row and each body literal its premise."""
        binding: Binding = {}
        self._require_sorts(rule.head.predicate, node.args)
        for term, value in zip(rule.head.args, node.args, strict=True):
            _require(agree(term, value, binding), "the row is no instance of the head")
        _require(len(node.premises) == len(rule.body), f"{len(node.premises)} premises for {len(rule.body)} literals")
        premises = dict(zip(rule.textual_order, node.premises, strict=True))
        self._evaluator.enter(rule)
        for index, literal in enumerate(rule.body):
            binding = self._check_premise(literal, premises[index], binding)

    def _check_premise(self, literal: Literal, premise: ProofNode, binding: Binding) -> Binding:
        """Return the binding under which the premise is an instance of the literal."""
        if isinstance(literal, Comparison):
            return self._check_comparison(literal, premise, binding)
        if isinstance(literal, Aggregate):
            return self._check_aggregate(literal, premise, binding)
        assert isinstance(literal, Atom)
        if literal.predicate in BUILTIN_TESTS:
            self._check_test(literal, premise, binding)
        elif literal.negated:
            self._check_absence(literal, premise, binding)
        else:
            return self._row_of(literal, premise, binding)
        return binding

    def _row_of(self, literal: Atom, premise: ProofNode, binding: Binding) -> Binding:
        name = self._shown(literal.predicate)
        _require(premise.kind in ("rule", "fact") and premise.predicate == name, f"the literal reads {name}")
        self._require_sorts(literal.predicate, premise.args)
        extended = dict(binding)
        for term, value in zip(literal.args, premise.args, strict=True):
            _require(agree(term, value, extended), f"{statement(premise)} is no instance of the literal")
        return extended

    def _check_comparison(self, literal: Comparison, premise: ProofNode, binding: Binding) -> Binding:
        _require(_is_builtin(premise, literal.operator), f"the literal is a comparison with {literal.operator}")
        extended = next(self._evaluator.extensions(literal, binding), None)
        _require(extended is not None, "the comparison does not hold")
        assert extended is not None
        values = tuple(self._evaluator.value(side, extended) for side in (literal.left, literal.right))
        _require(premise.args == values, f"the values compared are {values}, not {premise.args}")
        return extended

    def _check_test(self, literal: Atom, premise: ProofNode, binding: Binding) -> None:
        name = f"not {literal.predicate}" if literal.negated else literal.predicate
        _require(_is_builtin(premise, name), f"the literal is the test {name}")
        _require(premise.args == _values(literal, binding), "the test is made on other values")
        _require(next(self._evaluator.extensions(literal, binding), None) is not None, "the test does not hold")

    def _check_absence(self, literal: Atom, premise: ProofNode, binding: Binding) -> None:
        plain = premise.kind == "absence" and not premise.premises and premise.at is None and not premise.omitted
        name = self._shown(literal.predicate)
        _require(plain and premise.predicate == name, f"the literal says that {name} has no such row")
        _require(premise.args == _values(literal, binding), "the absence of another row is stated")
        _require(premise.rule == self._places.get(literal.predicate), "the negated conjunction stands elsewhere")
        _require(next(self._evaluator.matches(literal, binding), None) is None, f"{name} has such a row")
        searched = len(self._relations.rows.get(literal.predicate, ()))
        _require(premise.searched == searched, f"the relation has {searched} rows, not {premise.searched}")

    def _require_sorts(self, predicate: str, args: Row) -> None:
        sorts = self._checked.relations[predicate].sorts
        _require(len(args) == len(sorts), f"{self._shown(predicate)} has {len(sorts)} columns")
        for value, sort in zip(args, sorts, strict=True):
            _require(sort == "open" or isinstance(value, int) == (sort == "int"), f"{value!r} cannot stand in a column of sort {sort}")

    def _shown(self, predicate: str) -> str:
        return self._names.get(predicate, predicate)

    def _check_aggregate(self, literal: Aggregate, premise: ProofNode, binding: Binding) -> Binding:
        plain = premise.kind == "aggregate" and premise.rule is None and premise.at is None and premise.searched is None
        _require(plain and premise.predicate == literal.function, f"the literal is the aggregate {literal.function}")
        extended = next(self._evaluator.extensions(literal, binding), None)
        _require(extended is not None, "the aggregate has no value, or another one")
        assert extended is not None
        value = extended[literal.result.name]
        _require(premise.args == (value,), f"the aggregate is {value}, not {premise.args}")
        group = self._evaluator.sorted_group(literal, binding)
        shown = group[: len(premise.premises)]
        _require(len(premise.premises) + premise.omitted == len(group), f"the group has {len(group)} rows")
        for row, member in zip(shown, premise.premises, strict=True):
            self._check_member(literal, row, member, binding)
        return extended

    def _check_member(self, literal: Aggregate, row: Row, member: ProofNode, binding: Binding) -> None:
        """Require that a premise of an aggregate shows this row of the group."""
        inner = {name: binding[name] for name in literal.groups}
        premises: tuple[ProofNode, ...] = (member,)
        if not has_plain_members(literal):
            bare = member.kind == "goal" and member.predicate is None and member.rule is None and member.at is None
            _require(bare and member.searched is None and not member.omitted, "a row of the group is a bare goal")
            _require(member.args == row, f"the next row of the group is {row}")
            premises = member.premises
            _require(len(premises) == len(literal.body), f"{len(premises)} premises for {len(literal.body)} literals of the aggregate")
        placed = dict(zip(textual_order(literal.body), premises, strict=True))
        inner.update(zip((variable.name for variable in literal.variables), row, strict=True))
        with self._evaluator.inside(literal):
            for index, part in enumerate(literal.body):
                inner = self._check_premise(part, placed[index], inner)


class _Fault(Exception):
    """What is wrong with one node."""


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Fault(otherwise)


def _is_builtin(premise: ProofNode, name: str) -> bool:
    bare = premise.rule is None and premise.at is None and premise.searched is None and not premise.omitted and not premise.premises
    return bare and premise.kind == "builtin" and premise.predicate == name


def _values(literal: Atom, binding: Binding) -> Row:
    return tuple("_" if isinstance(term, Wildcard) else term_value(term, binding) for term in literal.args)


def _ground_head(rule: CoreRule) -> tuple[str, Row]:
    return rule.head.predicate, tuple(term_value(term, {}) for term in rule.head.args)


def _closed_world(body: Sequence[Literal], inside: bool = False) -> Iterator[str]:
    """Yield the predicates whose absence or totality the body speaks about."""
    for literal in body:
        if isinstance(literal, Atom) and (literal.negated or inside):
            yield literal.predicate
        elif isinstance(literal, Aggregate):
            yield from _closed_world(literal.body, inside=True)
