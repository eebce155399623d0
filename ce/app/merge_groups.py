"""Pairs of copied functions as groups, by the labels of the functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ce.app.copies import unit_of

__all__ = ["CopyGroup", "copy_groups", "enclosing_groups"]


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Functions by label, in order of their places. `kind` is `T2`, or `T3` when some of them are nearly equal only."""

    kind: str
    units: tuple[str, ...]


def copy_groups(pairs: Iterable[tuple[str, str, str]]) -> tuple[CopyGroup, ...]:
    """Return the groups of pairs (unit, unit, `same` or `nearly`): every class of equal copies, and every star of nearly equal ones."""
    from ce.extract.measures.copy_classes import equal_classes, stars

    rows = sorted(pairs)
    units = sorted({unit for row in rows for unit in row[:2]}, key=lambda unit: (*_order(unit), unit))
    number = {unit: index for index, unit in enumerate(units)}
    classes = equal_classes(len(units), [(number[u], number[v]) for u, v, how in rows if how == "same"])
    found = [CopyGroup("T2", tuple(units[one] for one in own)) for own in classes if len(own) > 1]
    for star in stars(classes, [(number[u], number[v]) for u, v, how in rows if how != "same"]):
        members = sorted(one for own in star for one in classes[own])
        found.append(CopyGroup("T3", tuple(units[one] for one in members)))
    return tuple(found)


def enclosing_groups(groups: Sequence[CopyGroup]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return (group, other) where every copy of the group stands inside a copy of the other, and where it is one of the other's."""
    around: dict[str, set[int]] = {}
    by_path: dict[str, list[tuple[int, int, str]]] = {}
    for number, group in enumerate(groups):
        for unit in group.units:
            if unit not in around:
                path, start, end = _order(unit)
                by_path.setdefault(path, []).append((start, -end, unit))
            around.setdefault(unit, set()).add(number)
    outer: dict[str, set[int]] = {unit: set() for unit in around}
    for places in by_path.values():
        open_: list[tuple[int, str]] = []
        for start, end, unit in sorted(places):
            while open_ and open_[-1][0] < start:
                open_.pop()
            for last, other in open_:
                if -end <= last:
                    outer[unit] |= around[other]
            open_.append((-end, unit))
    inside, part = [], []
    for number, group in enumerate(groups):
        both = set.intersection(*(outer[unit] for unit in group.units))
        inside += [(number, other) for other in sorted(both) if other != number]
        same = set.intersection(*(around[unit] for unit in group.units))
        part += [(number, other) for other in sorted(same) if len(groups[other].units) > len(group.units)]
    return inside, part


def _order(unit: str) -> tuple[str, int, int]:
    place, _ = unit_of(unit)
    return place.path, place.start, place.end
