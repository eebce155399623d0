"""The values of all definitions: the least sets that agree with what each was given.

A definition whose value is made from others is worked out again when one of those changes, until none does. The result depends on
neither the order of files nor that of definitions, because sets only grow.
"""

from __future__ import annotations

from collections import deque

from ce.extract.names.link.atoms import Atom
from ce.extract.names.link.evaluate import ANYTHING, MOST_ATOMS, Evaluator
from ce.extract.names.link.universe import Universe
from ce.extract.names.model import USE_KINDS
from ce.extract.names.table import ROOT

__all__ = ["work_out_values"]

_NOTHING: frozenset[Atom] = frozenset()
_WRITE = USE_KINDS.index("write")


def work_out_values(evaluator: Evaluator) -> None:
    """Work out the value of every definition and let the evaluator read them."""
    universe = evaluator.universe
    values: dict[int, frozenset[Atom]] = {}
    for file in universe.files:
        for number in file.table.values:
            values[number + file.first] = _NOTHING
    from_afar = _written_from_afar(universe)
    overfull: set[int] = set()  # what has become too large stays so
    readers: dict[int, set[int]] = {}
    reading: list[set[int]] = []

    def value_of(gid: int) -> frozenset[Atom]:
        known = values.get(gid)
        if known is None:
            return ANYTHING
        if reading:
            reading[-1].add(gid)
        return known

    evaluator.values_of = value_of
    waiting = deque(values)
    queued = set(waiting)
    while waiting:
        gid = waiting.popleft()
        queued.discard(gid)
        reads: set[int] = set()
        reading.append(reads)
        # A step from too many atoms gives less than one from few: sets must not shrink with it, or they would swing for ever.
        found = evaluator.evaluated(gid) | values[gid]
        reading.pop()
        for read in reads:
            readers.setdefault(read, set()).add(gid)
        if len(found) > MOST_ATOMS or gid in overfull:
            overfull.add(gid)
            found = ANYTHING
        elif gid in from_afar:
            found = found | ANYTHING
        if found != values[gid]:
            values[gid] = found
            for reader in readers.get(gid, ()):
                if reader not in queued:
                    queued.add(reader)
                    waiting.append(reader)
    for gid, value in values.items():
        if not value:
            values[gid] = ANYTHING  # nothing but itself


def _written_from_afar(universe: Universe) -> frozenset[int]:
    """Return the definitions of names that somebody writes to through something else than their own class."""
    names: set[str] = set()
    for file in universe.files:
        table = file.table
        for owner, kind, target in zip(table.use_owner, table.use_kind, table.use_target, strict=True):
            if kind == _WRITE and table.before[target] != ROOT:
                root = target
                while table.before[root] != ROOT:
                    root = table.before[root]
                base = table.step[root]
                if base <= 0 or not universe.within(owner + file.first, base + file.first):
                    names.add(table.texts[table.step[target]])
    return frozenset(gid for gid, name in enumerate(universe.name) if name in names)
