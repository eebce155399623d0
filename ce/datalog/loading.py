"""Facts from rows and from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ce.datalog.database import Database, Domain, Table
from ce.diagnostics import CeError, Diagnostic

__all__ = ["database_from_rows"]

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def database_from_rows(facts: Mapping[str, Iterable[tuple[int | str, ...]]], sorts: Mapping[str, tuple[str, ...]]) -> Database:
    """Return the database of some rows of numbers and names. Raises CeError for every relation with a row that does not fit its sorts."""
    rows = {name: list(given) for name, given in facts.items()}
    problems = [problem for name in rows for problem in _problems(name, rows[name], sorts[name])]
    if problems:
        raise CeError(tuple(problems))
    texts: dict[str, set[str]] = {}
    for name, given in rows.items():
        for place, sort in enumerate(sorts[name]):
            if sort != "int":
                texts.setdefault(sort, set()).update(str(row[place]) for row in given)
    domains = {sort: Domain(sort, sorted(found)) for sort, found in texts.items()}
    ids = {sort: {label: number for number, label in enumerate(domain.labels)} for sort, domain in domains.items()}
    tables = {name: _table(name, given, sorts[name], ids) for name, given in rows.items()}
    return Database(tables, domains)


def _table(name: str, rows: list[tuple[int | str, ...]], sorts: tuple[str, ...], ids: Mapping[str, Mapping[str, int]]) -> Table:
    encoded = sorted(
        {tuple(value if isinstance(value, int) else ids[sort][value] for value, sort in zip(row, sorts, strict=True)) for row in rows}
    )
    columns = tuple(np.array([row[place] for row in encoded], dtype=np.int64) for place in range(len(sorts)))
    return Table(name, sorts, columns, len(encoded))


def _problems(name: str, rows: Sequence[tuple[int | str, ...]], sorts: tuple[str, ...]) -> Iterable[Diagnostic]:
    """Yield what is wrong with the first row that does not fit."""
    for number, row in enumerate(rows, start=1):
        if len(row) != len(sorts):
            yield Diagnostic("CE411", f"row {number} of `{name}` has {len(row)} values, not {len(sorts)}")
            return
        for place, (value, sort) in enumerate(zip(row, sorts, strict=True), start=1):
            if isinstance(value, bool) or isinstance(value, str) == (sort == "int") or not isinstance(value, int | str):
                yield Diagnostic(
                    "CE412", f"column {place} of row {number} of `{name}` is {value!r}, not {'an integer' if sort == 'int' else 'a name'}"
                )
                return
            if isinstance(value, int) and not _LEAST <= value <= _GREATEST:
                yield Diagnostic("CE413", f"column {place} of row {number} of `{name}` is {value}, which does not fit in 64 bits")
                return
