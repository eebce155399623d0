"""How many rows the relations of a program have on a tree, for those who are writing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.app.program import needed_facts
from ce.app.project import Project

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram

__all__ = ["RowCounts", "count_rows"]

# An editor waits for this, not for more.
_TIMEOUT_S = 10.0
_MAX_ROWS = 5_000_000


@dataclass(frozen=True, slots=True)
class RowCounts:
    """The rows of relations and the violations of assertions, by name; what is too costly to know is left out."""

    relations: Mapping[str, int] = field(default_factory=dict)
    violations: Mapping[str, int] = field(default_factory=dict)


def count_rows(project: Project, checked: CheckedProgram) -> RowCounts:
    """Return the counts for every relation and assertion of a program that rests on no costly fact.

    Raises CeError for settings that cannot be used or arithmetic that overflows.
    """
    from ce.app.index import ProjectIndex
    from ce.datalog.api import solve
    from ce.datalog.limits import Limits

    cheap = [name for name, known in checked.relations.items() if known.idb and not known.auxiliary and _is_cheap(checked, name)]
    relations, globs = needed_facts(checked, cheap)
    with ProjectIndex(project.root) as index:
        index.refresh()
        database = index.database(relations, globs)
    solution = solve(checked, database, limits=Limits(max_rows=_MAX_ROWS, timeout_s=_TIMEOUT_S), goals=cheap)
    if solution.degraded is not None:
        return RowCounts()
    facts = {name: table.length for name, table in database.tables.items() if name != "set"}
    rows = {name: solution.count(name) for name in cheap if not name.startswith(("?", "!"))}
    violations = {
        str(goal.name): solution.count(goal.predicate) for goal in checked.goals if goal.kind == "assert" and goal.predicate in cheap
    }
    return RowCounts(facts | rows, violations)


def _is_cheap(checked: CheckedProgram, name: str) -> bool:
    from ce.facts.schema import Cost, relation

    relations, _ = needed_facts(checked, [name])
    return all(known.cost != Cost.COSTLY for each in relations if (known := relation(each)) is not None)
