"""What a program asks of a tree that the tree cannot give: assertions that cannot fire there, patterns that match no file.

A rule that names a directory which has moved is silent for ever; that has to be said aloud.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from ce.app.unknown_places import unknown_places
from ce.datalog.format import unparse_expression, unparse_literal
from ce.datalog.lint import vacuous
from ce.datalog.syntax import Atom, Constant
from ce.datalog.traverse import atoms
from ce.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram
    from ce.datalog.database import Database

__all__ = ["missing_facts", "row_counts", "silences", "unmatched", "unmatched_patterns"]

_SET = "set"


def silences(checked: CheckedProgram, database: Database, sources: Collection[str]) -> tuple[Diagnostic, ...]:
    """Return the warnings about assertions that cannot fire on these facts and, in `sources`, about patterns and paths without a file."""
    found = [*vacuous(checked, row_counts(database), missing_facts(database)), *unmatched(checked, database, sources)]
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))


def unmatched(checked: CheckedProgram, database: Database, sources: Collection[str]) -> tuple[Diagnostic, ...]:
    """Return the warnings about patterns and paths of the sources that nothing in the tree has."""
    found = [*unmatched_patterns(checked, database, sources), *unknown_places(checked, database, sources)]
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))


def row_counts(database: Database) -> Mapping[str, int]:
    """Return the number of rows of every relation that was loaded; the others may have any."""
    return {name: table.length for name, table in database.tables.items()}


def unmatched_patterns(checked: CheckedProgram, database: Database, sources: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for every `in(F, "glob")` of the sources whose glob no file matches."""
    missing = missing_facts(database)
    seen: set[object] = set()
    for rule in checked.rules:
        for atom in atoms(rule.body):
            if atom.predicate == _SET and atom.span.source in sources and atom.span not in seen and missing(atom) is not None:
                seen.add(atom.span)
                yield Diagnostic(
                    "CE951",
                    f"{_shown(atom)} matches no file of this tree",
                    atom.span,
                    ("correct the pattern, or remove what it is for",),
                    severity=Severity.WARNING,
                )


def missing_facts(database: Database) -> Callable[[Atom], str | None]:
    """Return what tells why no loaded fact matches the constants of an atom; None when one does or the relation is not loaded."""
    known: dict[Atom, str | None] = {}

    def missing(atom: Atom) -> str | None:
        if atom not in known:
            known[atom] = (
                None if _may_match(database, atom) else f"{_shown(atom)} matches no {'file' if atom.predicate == _SET else 'fact'} here"
            )
        return known[atom]

    return missing


def _may_match(database: Database, atom: Atom) -> bool:
    table = database.tables.get(atom.predicate)
    if table is None or table.length == 0:
        # An empty relation is told by its count.
        return table is None or atom.predicate != _SET
    mask = None
    for sort, column, argument in zip(table.sorts, table.columns, atom.args, strict=True):
        if isinstance(argument, Constant):
            code = argument.value if sort == "int" else database.domains[sort].lookup(str(argument.value))
            if code is None:
                return False
            mask = column == code if mask is None else mask & (column == code)
    return mask is None or bool(mask.any())


def _shown(atom: Atom) -> str:
    if atom.predicate == _SET and len(atom.args) == 2:
        return f"`in({unparse_expression(atom.args[1])}, {unparse_expression(atom.args[0])})`"
    return f"`{unparse_literal(atom)}`"
