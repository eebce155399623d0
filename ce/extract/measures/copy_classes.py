"""Pairs of copies become classes: k copies of one function are one class, and nobody has to read k² pairs.

What is equal is joined through and through. What is nearly equal is not transitive: such a class is a star, everything in it is
nearly equal to some copy of its centre.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

__all__ = ["equal_classes", "stars"]

Pair = tuple[int, int]


def equal_classes(count: int, pairs: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return all of 0 … count - 1 as classes of what the pairs join, each ascending, by their first member."""
    parent = list(range(count))

    def find(one: int) -> int:
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for one, two in pairs:
        a, b = find(one), find(two)
        parent[max(a, b)] = min(a, b)
    members: dict[int, list[int]] = {}
    for one in range(count):
        members.setdefault(find(one), []).append(one)
    return tuple(tuple(own) for _, own in sorted(members.items()))


def stars(classes: tuple[tuple[int, ...], ...], pairs: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Return sets of classes, by number, each a centre and what is nearly equal to it; largest first, no class in two sets."""
    of = {member: number for number, own in enumerate(classes) for member in own}
    beside: dict[int, set[int]] = {}
    for one, two in pairs:
        a, b = of[one], of[two]
        if a != b:
            beside.setdefault(a, set()).add(b)
            beside.setdefault(b, set()).add(a)

    def rank(centre: int) -> tuple[int, int]:
        return -sum(len(classes[other]) for other in (centre, *(beside[centre] - taken))), centre

    taken: set[int] = set()
    heap = [rank(centre) for centre in sorted(beside)]
    heapify(heap)
    found = []
    while heap:
        before, centre = heappop(heap)
        if centre in taken:
            continue
        now = rank(centre)
        if now[0] != before:
            heappush(heap, now)
            continue
        star = {centre} | (beside[centre] - taken)
        taken |= star
        if len(star) > 1:
            found.append(tuple(sorted(star)))
    return tuple(found)
