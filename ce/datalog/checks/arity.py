"""Every atom has as many arguments as its relation has columns."""

from __future__ import annotations

from collections.abc import Iterator

from ce.datalog.checks.signatures import Finding, Shape, Signatures, plural
from ce.datalog.codes import CHECKS
from ce.datalog.syntax import Atom, Declaration, Program, Rule
from ce.datalog.traverse import atoms, body_of
from ce.diagnostics import Diagnostic, Related

__all__ = ["check_arity"]


def check_arity(program: Program, signatures: Signatures) -> Iterator[Finding]:
    """Yield a diagnostic for every atom with another number of arguments than its relation has columns.

    The columns are those of the schema, the declaration, the loaded facts or the first rule; of an unknown relation, those of
    its first use. An assertion's head only names the assertion and may have any number.
    """
    first_uses: dict[str, Shape] = {}
    for index, clause in enumerate(program.clauses):
        uses = list(atoms(body_of(clause)))
        if isinstance(clause, Rule):
            uses.insert(0, clause.head)
        if isinstance(clause, Declaration):
            continue
        for atom in uses:
            shape = signatures.shape(atom.predicate) or first_uses.get(atom.predicate)
            if shape is None:
                first_uses[atom.predicate] = Shape(atom.arity, "its first use", atom.span)
            elif shape.arity != atom.arity:
                yield index, _mismatch(atom, shape, signatures)


def _mismatch(atom: Atom, shape: Shape, signatures: Signatures) -> Diagnostic:
    name = atom.predicate
    related = [Related(shape.span, f"{shape.said_by} has {plural(shape.arity, 'column')}")] if shape.span is not None else []
    notes = []
    columns: tuple[str, ...] = ()
    if name in signatures.schema:
        columns = tuple(f"{c}: {s}" for c, s in zip(signatures.schema[name].columns, signatures.schema[name].sorts, strict=False))
    elif name in signatures.declared:
        columns = tuple(f"{column}: {sort}" for column, sort in signatures.declared[name].columns)
    if columns:
        notes.append(f"it is `{name}({', '.join(columns)})`; write `_` for columns that do not matter")
    elif not related:
        notes.append(f"{shape.said_by} has {plural(shape.arity, 'column')}")
    return CHECKS.ARITY.at(
        atom.span, predicate=name, expected=plural(shape.arity, "argument"), found=str(atom.arity), related=related, notes=notes
    )
