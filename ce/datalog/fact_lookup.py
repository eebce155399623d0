"""Facts of the database by value, with the places where they were read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce.datalog.database import Database, Table
from ce.datalog.semantics import Row, Value

__all__ = ["FactLookup"]


class FactLookup:
    """Finds rows of the tables; the rows of a table are put in the order of their first column once."""

    def __init__(self, database: Database) -> None:
        """Look rows up in the tables of the database."""
        self._database = database
        self._orders: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def places(self, predicate: str, row: Row) -> list[str | None]:
        """Return the place of the row in a list (None for a fact without a place), or an empty list when it is no fact."""
        table = self._database.tables.get(predicate)
        if table is None or len(table.sorts) != len(row) or not table.length:
            return []
        codes = [self._encode(value, sort) for value, sort in zip(row, table.sorts, strict=True)]
        if None in codes:
            return []
        number = self._number(table, [code for code in codes if code is not None])
        return [] if number is None else [table.at(number) if table.at is not None else None]

    def _number(self, table: Table, codes: list[int]) -> int | None:
        if not codes:
            return 0
        if table.name not in self._orders:
            order = np.argsort(table.columns[0], kind="stable")
            self._orders[table.name] = (order, table.columns[0][order])
        order, values = self._orders[table.name]
        candidates = order[values.searchsorted(codes[0]) : values.searchsorted(codes[0], side="right")]
        for column, code in zip(table.columns[1:], codes[1:], strict=True):
            candidates = candidates[column[candidates] == code]
        return int(candidates[0]) if candidates.size else None

    def _encode(self, value: Value, sort: str) -> int | None:
        if isinstance(value, int):
            return value if sort == "int" and -(2**63) <= value < 2**63 else None
        domain = self._database.domains.get(sort)
        return None if sort == "int" or domain is None else domain.lookup(value)
