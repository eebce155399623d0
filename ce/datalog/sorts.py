"""The sort of every variable of a rule, and a walk over all its literals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, RelationType
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Variable
from ce.datalog.syntax import Expression as Term

__all__ = ["all_literals", "comparison_sort", "variable_sorts"]


def all_literals(body: Iterable[object]) -> Iterable[CoreLiteral]:
    """Yield the literals of a body and of the aggregates in it."""
    for literal in body:
        if isinstance(literal, Aggregate):
            yield literal
            yield from all_literals(literal.body)
        elif isinstance(literal, Atom | Comparison):
            yield literal


def comparison_sort(literal: Comparison, sorts: Mapping[str, str]) -> str:
    """Return the sort of both sides of a comparison."""
    for term in (literal.left, literal.right):
        if isinstance(term, Variable) and sorts.get(term.name, "open") != "open":
            return sorts[term.name]
        if isinstance(term, Arithmetic) or (isinstance(term, Constant) and isinstance(term.value, int)):
            return "int"
    return "sym"


def variable_sorts(relations: Mapping[str, RelationType], head: Atom, body: Iterable[CoreLiteral]) -> dict[str, str]:
    """Return the sort of every variable of a rule, those of aggregate bodies included."""
    sorts: dict[str, str] = {}
    literals = list(all_literals(body))
    for atom in [part for part in literals if isinstance(part, Atom) and part.predicate not in BUILTIN_TESTS] + [head]:
        for term, sort in zip(atom.args, relations[atom.predicate].sorts, strict=True):
            if isinstance(term, Variable) and sorts.get(term.name, "open") == "open":
                sorts[term.name] = sort
    changed = True
    while changed:
        changed = False
        for literal in literals:
            for name, sort in _implied_sorts(literal, sorts):
                if sorts.get(name, "open") == "open" and sort != "open":
                    sorts[name] = sort
                    changed = True
    return sorts


def _implied_sorts(literal: CoreLiteral, sorts: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if isinstance(literal, Comparison):
        left, right = _term_sort(literal.left, sorts), _term_sort(literal.right, sorts)
        if isinstance(literal.left, Variable):
            yield literal.left.name, right
        if isinstance(literal.right, Variable):
            yield literal.right.name, left
    elif isinstance(literal, Aggregate):
        first = sorts.get(literal.variables[0].name, "open") if literal.variables else "int"
        yield literal.result.name, first if literal.function in ("min", "max") else "int"


def _term_sort(term: Term, sorts: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        return sorts.get(term.name, "open")
    if isinstance(term, Constant):
        return "int" if isinstance(term.value, int) else "open"
    return "int" if isinstance(term, Arithmetic) else "open"
