"""What every checked program keeps, as one function: for programs that come back from a cache nobody trusts, and for tests."""

from __future__ import annotations

from collections.abc import Iterable

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreLiteral
from ce.datalog.syntax import Aggregate, Assertion, Atom, Comparison, Constant, Query, Variable, Wildcard
from ce.datalog.transform.safe_order import gives, is_ready
from ce.datalog.traverse import core_body, variables_of

__all__ = ["require", "validate"]

_TERMS = (Variable, Wildcard, Constant)
_CORE_LITERALS = (Atom, Comparison, Aggregate)


def validate(checked: CheckedProgram) -> None:
    """Raise ValueError unless the program keeps what the checks promise to the later stages."""
    for rule in checked.rules:
        head = rule.head
        require(not head.negated and head.predicate not in BUILTIN_TESTS, "a head is a plain atom")
        _validate_atom(head, checked)
        bound = _validate_body(rule.body, set(), checked)
        require(all(variable.name in bound for argument in head.args for variable in variables_of(argument)), "a head is bound")
        require(not any(isinstance(argument, Wildcard) for argument in head.args), "a head is named")
    for name, relation in checked.relations.items():
        require(name == relation.name, "a relation has its own name")
    _validate_strata(checked)
    for goal in checked.goals:
        relation_type = checked.relations[goal.predicate]
        require(len(goal.columns) == len(goal.sorts) == len(relation_type.sorts), "a goal has the columns of its relation")
        wanted = Query if goal.kind == "query" else Assertion
        require(isinstance(checked.program.clauses[goal.clause], wanted), "a goal comes from its clause")
    require(all(name in checked.relations for name in checked.outputs), "an output is a relation")


def _validate_atom(atom: Atom, checked: CheckedProgram) -> None:
    require(all(isinstance(argument, _TERMS) for argument in atom.args), "an argument of a core atom is a term")
    arity = 2 if atom.predicate in BUILTIN_TESTS else len(checked.relations[atom.predicate].sorts)
    require(arity == len(atom.args), "an atom has the arity of its relation")


def _validate_body(body: Iterable[CoreLiteral], bound: set[str], checked: CheckedProgram) -> set[str]:
    """Return the variables that the body binds; its literals are safe in the order given."""
    for literal in body:
        require(is_ready(literal, bound), "a body stands in a safe order")
        if isinstance(literal, Atom):
            _validate_atom(literal, checked)
        elif isinstance(literal, Aggregate):
            require(literal.result.name not in bound, "the result of an aggregate is new")
            require(all(isinstance(inner, _CORE_LITERALS) for inner in literal.body), "the body of a core aggregate is core")
            inside = _validate_body(core_body(literal), set(literal.groups), checked)
            listed = {variable.name for variable in literal.variables}
            require(listed <= inside and not listed & set(literal.groups), "an aggregate binds its variables")
        bound |= gives(literal)
    return bound


def _validate_strata(checked: CheckedProgram) -> None:
    level = {name: number for number, stratum in enumerate(checked.strata) for name in stratum.predicates}
    heads = {rule.head.predicate for rule in checked.rules}
    require(sum(len(stratum.predicates) for stratum in checked.strata) == len(level), "a relation has one stratum")
    require(heads == level.keys() == {name for name, relation in checked.relations.items() if relation.idb}, "every head has a stratum")

    def walk(body: Iterable[CoreLiteral], head: int, complete: bool) -> None:
        for literal in body:
            if isinstance(literal, Aggregate):
                walk(core_body(literal), head, True)
            elif isinstance(literal, Atom):
                lower = level.get(literal.predicate, -1)
                require(lower < head if complete or literal.negated else lower <= head, "strata go upwards")
                recursive = lower == head and not checked.strata[head].recursive
                require(not recursive, "a recursive stratum says so")

    for rule in checked.rules:
        walk(rule.body, level[rule.head.predicate], False)


def require(holds: bool, what: str) -> None:
    """Raise ValueError unless the statement holds."""
    if not holds:
        raise ValueError(f"no checked program: {what}")
