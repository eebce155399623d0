"""Where symbols stand, looked up by their labels when a report needs a place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.datalog.database import Database

__all__ = ["SPANS", "Span", "span_finder"]

SPANS = "symbol_span"

Span = tuple[int, int]


def span_finder(database: Database) -> Callable[[str], Span | None]:
    """Return what gives the first and last line of a symbol by its label; `database` holds the relation of spans."""
    table = database.tables[SPANS]
    symbols, starts, ends = table.columns
    domain = database.domains["symbol"]

    def span(label: str) -> Span | None:
        import numpy as np

        number = domain.lookup(label)
        if number is None:
            return None
        row = int(np.searchsorted(symbols, number))  # rows ascend, and a symbol has one span
        return (int(starts[row]), int(ends[row])) if row < table.length and symbols[row] == number else None

    return span
