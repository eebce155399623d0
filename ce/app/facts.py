"""The relations a program may read: what they mean, and the rows of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ce.app.project import Project
from ce.diagnostics import CeError
from ce.facts.schema import RELATIONS, FactRelation, relation

__all__ = ["FactsReport", "dump_relation", "known_relation", "list_relations"]


@dataclass(frozen=True, slots=True)
class FactsReport:
    """The rows of one relation as labels, in the order of the engine."""

    root: str
    relation: FactRelation
    rows: tuple[tuple[int | str, ...], ...]
    index: Mapping[str, int]
    notes: tuple[str, ...] = ()


def list_relations() -> tuple[FactRelation, ...]:
    """Return every relation of the schema, in the order of the schema."""
    return RELATIONS


def known_relation(name: str) -> FactRelation:
    """Return the relation of that name; raises CeError with the nearest name when there is none."""
    found = relation(name)
    if found is not None:
        return found
    from difflib import get_close_matches

    near = get_close_matches(name, [known.name for known in RELATIONS], 1)
    notes = [f"did you mean `{near[0]}`?"] if near else []
    raise CeError.of("CE930", f"there is no relation `{name}`", notes=(*notes, "`ce facts` lists the relations"))


def dump_relation(project: Project, name: str, globs: tuple[str, ...] = ()) -> FactsReport:
    """Return every row of a relation; `set` holds the rows of `globs` and nothing else."""
    from ce.app.index import ProjectIndex

    wanted = known_relation(name)
    with ProjectIndex(project.root) as index:
        index.refresh()
        database = index.database((name,), globs)
        counts, problems = index.counts, index.problems
    table = database.tables.get(name)
    rows: tuple[tuple[int | str, ...], ...] = ()
    if table is not None and table.length:
        columns = (
            [database.decode(sort, value) for value in column.tolist()] for sort, column in zip(table.sorts, table.columns, strict=True)
        )
        rows = tuple(zip(*columns, strict=True))
    return FactsReport(project.shown, wanted, rows, counts, problems)
