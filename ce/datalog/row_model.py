"""The model of an engine that works on rows of numbers and names, in the columns that every reader of models expects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ce.datalog.checked import RelationType
from ce.datalog.database import Database
from ce.datalog.limits import Degraded
from ce.datalog.naive import FACT, NaiveModel, Origin, fact_rows
from ce.datalog.semantics import Row
from ce.diagnostics import Diagnostic

__all__ = ["RowModel"]

Ints = NDArray[np.int64]


class RowModel:
    """Encodes a relation when it is first asked for; `database` has the names of the program in its domains."""

    def __init__(self, model: NaiveModel, relations: Mapping[str, RelationType], database: Database) -> None:
        """Hold the rows of the model."""
        self.database = database
        self._model = model
        self._relations = relations
        self._encoded: dict[str, tuple[tuple[Ints, ...], Ints]] = {}

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return what was remarked during the evaluation."""
        return self._model.warnings

    @property
    def degraded(self) -> Degraded | None:
        """Return the limit that was crossed, if any."""
        return self._model.degraded

    @property
    def partial(self) -> frozenset[str]:
        """Return the relations that are incomplete: none."""
        return frozenset()

    def columns(self, name: str) -> tuple[Ints, ...]:
        """Return the columns of a relation, rows ascending."""
        return self._encode(name)[0]

    def count(self, name: str) -> int:
        """Return the number of rows of a relation."""
        return len(self._origins(name))

    def rounds(self, name: str) -> Ints:
        """Return for each row the round of its stratum in which it came first; 0 for facts."""
        return self._encode(name)[1]

    def derived(self) -> int:
        """Return how many rows the rules derived, facts of the database not counted."""
        return sum(origin != FACT for origins in self._model.relations.values() for origin in origins.values())

    def _encode(self, name: str) -> tuple[tuple[Ints, ...], Ints]:
        if name not in self._encoded:
            origins = self._origins(name)
            sorts = self._relations[name].sorts if name in self._relations else ()
            coded = sorted((self._codes(row, sorts), origin.round) for row, origin in origins.items())
            columns = tuple(np.array([codes[position] for codes, _ in coded], dtype=np.int64) for position in range(len(sorts)))
            self._encoded[name] = (columns, np.array([number for _, number in coded], dtype=np.int64))
        return self._encoded[name]

    def _origins(self, name: str) -> Mapping[Row, Origin]:
        """Return the rows; a relation that was not evaluated has its facts, unless it has rules too."""
        known = self._model.relations.get(name)
        if known is None and not (name in self._relations and self._relations[name].idb):
            return dict.fromkeys(fact_rows(self.database, name), FACT)
        return known or {}

    def _codes(self, row: Row, sorts: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(self._code(value, sort) for value, sort in zip(row, sorts, strict=True))

    def _code(self, value: int | str, sort: str) -> int:
        if isinstance(value, int):
            return value
        code = self.database.domains[sort].lookup(value)
        assert code is not None, "every name of a model is in its domain"
        return code
