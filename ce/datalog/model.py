"""The result of an evaluation: relations as sorted columns, and for every derived row the rule and round it came from first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ce.datalog.database import Database
from ce.datalog.growing import FACT, GrowingRelation
from ce.datalog.kernels import Ints
from ce.datalog.limits import Degraded
from ce.datalog.packing import BitPacking
from ce.datalog.plan import Plan
from ce.datalog.profile import Profile
from ce.diagnostics import Diagnostic

__all__ = ["Model"]


class Model:
    """The least model of a program over a database.

    Rows of a relation are numbered in ascending order of their values, column by column. `degraded` is set when a limit was crossed; every
    derived relation is then empty. A relation that occurs nowhere is empty.
    """

    def __init__(
        self,
        plan: Plan,
        database: Database,
        derived: Mapping[str, GrowingRelation],
        warnings: Sequence[Diagnostic],
        degraded: Degraded | None,
        profile: Profile | None,
    ) -> None:
        self.plan = plan
        self.database = database
        self.warnings = tuple(warnings)
        self.degraded = degraded
        self.profile = profile
        self._derived = derived
        self._columns: dict[str, tuple[Ints, ...]] = {}
        self._origins: dict[str, tuple[Ints, Ints]] = {}

    @property
    def partial(self) -> frozenset[str]:
        """Return the relations of which only the rows that the goals demand were derived; their rounds are no heights."""
        return self.plan.partial

    def count(self, name: str) -> int:
        """Return the number of rows of a relation."""
        if name in self._derived:
            return self._derived[name].count
        table = None if self._is_emptied(name) else self.database.tables.get(name)
        return 0 if table is None else table.length

    def columns(self, name: str) -> tuple[Ints, ...]:
        """Return the columns of a relation, rows ascending."""
        if name not in self._columns:
            self._load(name)
        return self._columns[name]

    def contains(self, name: str, row: Sequence[int]) -> bool:
        """Tell whether a relation holds a row of encoded values."""
        return self.row_number(name, row) is not None

    def row_number(self, name: str, row: Sequence[int]) -> int | None:
        """Return the number of a row, or None when the relation lacks it."""
        low, high = 0, self.count(name)
        for column, value in zip(self.columns(name), row, strict=True):
            part = column[low:high]
            low, high = low + int(part.searchsorted(value)), low + int(part.searchsorted(value, side="right"))
        return low if low < high else None

    def rule_of(self, name: str, row: int) -> int:
        """Return the rule that derived a row first, as an index into `CheckedProgram.rules`; -1 for a fact of the database."""
        return int(self.rules(name)[row])

    def round_of(self, name: str, row: int) -> int:
        """Return the round of its stratum in which a row was derived first; 0 for facts."""
        return int(self.rounds(name)[row])

    def rules(self, name: str) -> Ints:
        """Return for each row the rule that derived it first; -1 for facts of the database."""
        return self._origin(name)[0]

    def rounds(self, name: str) -> Ints:
        """Return for each row the round of its stratum in which it was derived first; 0 for facts."""
        return self._origin(name)[1]

    def derived(self) -> int:
        """Return how many rows the rules derived, facts of the database not counted."""
        own = (relation for name, relation in self._derived.items() if name in self.plan.checked.relations)
        return sum(segment.derived for relation in own for segment in relation.log)

    def _is_emptied(self, name: str) -> bool:
        relation = self.plan.relations.get(name)
        return self.degraded is not None and relation is not None and relation.idb

    def _load(self, name: str) -> None:
        relation = self._derived.get(name)
        if relation is None:
            self._columns[name] = self._fact_columns(name)
            return
        codes = relation.codes()
        codes = np.sort(codes) if isinstance(relation.packing, BitPacking) else codes[_ascending_order(relation, codes)]
        self._columns[name] = tuple(relation.packing.decode(codes, column) for column in range(relation.arity))

    def _fact_columns(self, name: str) -> tuple[Ints, ...]:
        table = None if self._is_emptied(name) else self.database.tables.get(name)
        if table is None:
            known = self.plan.relations.get(name)
            return tuple(np.empty(0, dtype=np.int64) for _ in (known.sorts if known is not None else ()))
        if not table.columns:
            return ()
        order = np.lexsort(table.columns[::-1])
        return tuple(column[order] for column in table.columns)

    def _origin(self, name: str) -> tuple[Ints, Ints]:
        if name not in self._origins:
            relation = self._derived.get(name)
            if relation is None or not relation.log:
                count = self.count(name)
                self._origins[name] = (np.full(count, FACT, dtype=np.int64), np.zeros(count, dtype=np.int64))
            else:
                order = _ascending_order(relation, relation.codes())
                rules = [np.broadcast_to(np.asarray(segment.rule, dtype=np.int64), segment.codes.shape) for segment in relation.log]
                rounds = [np.full(segment.codes.size, segment.round, dtype=np.int64) for segment in relation.log]
                self._origins[name] = (np.concatenate(rules)[order], np.concatenate(rounds)[order])
        return self._origins[name]


def _ascending_order(relation: GrowingRelation, codes: Ints) -> Ints:
    if isinstance(relation.packing, BitPacking):
        return np.argsort(codes)
    return np.lexsort([relation.packing.decode(codes, column) for column in reversed(range(relation.arity))])
