"""Parts of recursive bodies that are kept as relations of their own: the *views* of a stratum.

    pt(Y, W) :- ld(Y, X), pt(X, Z), pt(Z, W).     becomes     view(Y, Z) :- ld(Y, X), pt(X, Z).     pt(Y, W) :- view(Y, Z), pt(Z, W).

A rule with several atoms on its own stratum would otherwise join the same old rows again in every round, and pass on every value of a
variable that only connects two atoms. A view eliminates such a variable: its rows are distinct, and only new ones are joined further.
Views are brought up to date at the start of a round from rows of earlier rounds, so that they do not change the round of any row.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral
from ce.datalog.ordering import literal_variables
from ce.datalog.syntax import Atom, Variable

__all__ = ["View", "renamed", "renamed_body", "split_body", "view_pattern"]

_FEWEST_ATOMS = 3
_MOST_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class View:
    """A part of a body, projected to the variables that the rest needs. No text can spell its name."""

    head: Atom
    body: tuple[Atom, ...]


def split_body(
    body: Sequence[CoreLiteral], wanted: Collection[str], growing: Collection[str], prefix: str
) -> tuple[tuple[CoreLiteral, ...], tuple[View, ...]]:
    """Return the body with some of its atoms replaced by views, and those views; a body that gains nothing stays as it is."""
    views: list[View] = []
    current = tuple(body)
    while (
        view := _best_view(current, wanted, {*growing, *(view.head.predicate for view in views)}, f"{prefix}~{len(views) + 1}")
    ) is not None:
        first = min(place for place, literal in enumerate(current) if any(literal is atom for atom in view.body))
        rest = [literal for literal in current if not any(literal is atom for atom in view.body)]
        current = (*rest[:first], view.head, *rest[first:])
        views.append(view)
    return current, tuple(views)


def view_pattern(view: View) -> Hashable:
    """Return what two views have in common that hold the same rows: their atoms with variables numbered as they appear."""
    numbers: dict[str, int] = {}
    atoms = tuple(
        (
            atom.predicate,
            tuple(numbers.setdefault(term.name, len(numbers)) if isinstance(term, Variable) else (term,) for term in atom.args),
        )
        for atom in view.body
    )
    return atoms, tuple(numbers[name] for name in literal_variables(view.head))


def renamed(view: View, names: Mapping[str, str]) -> View:
    """Return the view with other names for the views that it reads."""
    return View(view.head, tuple(_renamed_atom(atom, names) for atom in view.body))


def renamed_body(body: Sequence[CoreLiteral], names: Mapping[str, str]) -> tuple[CoreLiteral, ...]:
    """Return the body with other names for the views that it reads."""
    return tuple(_renamed_atom(literal, names) if isinstance(literal, Atom) else literal for literal in body)


def _renamed_atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    name = names.get(atom.predicate, atom.predicate)
    return atom if name == atom.predicate else Atom(name, atom.args, atom.negated, span=atom.span)


def _best_view(body: Sequence[CoreLiteral], wanted: Collection[str], growing: Collection[str], name: str) -> View | None:
    atoms = [literal for literal in body if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS]
    own = sum(atom.predicate in growing for atom in atoms)
    if len(atoms) < _FEWEST_ATOMS or own < 2:
        return None
    others = [literal for literal in body if not (isinstance(literal, Atom) and not literal.negated) or literal.predicate in BUILTIN_TESTS]
    needed = set(wanted).union(*map(literal_variables, others))
    holders: dict[str, list[Atom]] = {}
    for atom in atoms:
        for variable in literal_variables(atom):
            holders.setdefault(variable, []).append(atom)
    candidates = []
    for variable, inside in holders.items():
        inside_own = sum(atom.predicate in growing for atom in inside)
        if variable not in needed and len(inside) >= 2 and 0 < inside_own < own:
            view = _eliminate(inside, holders, needed, name)
            if view is not None:
                candidates.append(view)
    return min(candidates, key=lambda view: (view.head.arity, -sum(atom.predicate not in growing for atom in view.body)), default=None)


def _eliminate(inside: Sequence[Atom], holders: Mapping[str, Sequence[Atom]], needed: Collection[str], name: str) -> View | None:
    """Return the view over some atoms: its columns are the variables that the head or an atom outside uses."""
    uses: dict[str, int] = {}
    for atom in inside:
        for variable in literal_variables(atom):
            uses[variable] = uses.get(variable, 0) + 1
    columns = [variable for variable, count in uses.items() if variable in needed or len(holders[variable]) > count]
    if not 0 < len(columns) <= _MOST_COLUMNS:
        return None
    span = inside[0].span
    return View(Atom(name, tuple(Variable(column, span=span) for column in columns), span=span), tuple(inside))
