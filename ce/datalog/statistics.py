"""Sizes of relations for the planner: counted where facts are at hand, guessed for what is still to be derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.datalog.database import Database

__all__ = ["GROWTH", "Guesses", "RelationStatistics", "table_statistics"]

# How many rows a recursive relation is guessed to get for each row of the largest relation that its stratum reads.
GROWTH = 10.0
# How many rows a relation is guessed to have about which nothing is known.
_UNKNOWN = 1000.0


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """How many rows a relation has, and how many distinct values each column, if that is known."""

    rows: float
    distinct: tuple[float, ...] = ()


class Guesses:
    """Statistics of some relations; the rest is guessed, or noted when its own rules have been planned."""

    def __init__(self, known: Mapping[str, int | RelationStatistics]) -> None:
        self._known = {name: RelationStatistics(size) if isinstance(size, int) else size for name, size in known.items()}

    def rows(self, predicate: str) -> float:
        """Return how many rows a relation has."""
        found = self._known.get(predicate)
        return _UNKNOWN if found is None else found.rows

    def distinct(self, predicate: str, column: int) -> float:
        """Return how many distinct values a column has."""
        found = self._known.get(predicate)
        if found is not None and column < len(found.distinct):
            return max(1.0, found.distinct[column])
        return max(1.0, float(self.rows(predicate) ** 0.75))

    def with_rows(self, rows: Mapping[str, float]) -> Guesses:
        """Return the statistics with these numbers of rows for relations about which nothing was known."""
        return Guesses({**{name: RelationStatistics(count) for name, count in rows.items()}, **self._known})


def table_statistics(database: Database) -> dict[str, RelationStatistics]:
    """Return the statistics of the facts: exact rows, and distinct values from a sample of each column."""
    from ce.datalog.kernels import distinct_estimate

    return {
        name: RelationStatistics(table.length, tuple(distinct_estimate(column) for column in table.columns))
        for name, table in database.tables.items()
    }
