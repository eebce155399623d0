"""Classes and their bases: resolution orders, subclasses, and members found along them.

The order is that of Python (C3), which for single inheritance is the chain of prototypes too. What stands outside of the tree has its
place in the order like any class; None stands for a base that nothing resolves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ce.extract.names.link.universe import KIND, Universe

__all__ = ["CLASSES", "Base", "Hierarchy"]

CLASSES = frozenset({KIND["class"], KIND["interface"], KIND["enum"]})

Base = int | str | None


class Hierarchy:
    """The classes of a tree. `bases_of(gid)` gives the bases of a class in order; it may itself ask for members found so far."""

    def __init__(self, universe: Universe, bases_of: Callable[[int], Sequence[Base]]) -> None:
        """Work out the bases of every class."""
        self._universe = universe
        self._bases_of = bases_of
        self._active: set[int] = set()
        self._orders: dict[int, tuple[Base, ...]] = {}
        self.bases: dict[int, tuple[Base, ...]] = {}
        self.below: dict[int, frozenset[int]] = {}

    def work_out(self) -> None:
        """Find the bases of all classes, then the orders and the subclasses."""
        kind = self._universe.kind
        classes = [gid for gid in range(len(kind)) if kind[gid] in CLASSES]
        for gid in classes:
            self._find_bases(gid)
        self._orders.clear()  # those made on the way knew some bases only
        self.below = _subclasses({gid: self.bases[gid] for gid in classes})

    def order(self, gid: int) -> tuple[Base, ...]:
        """Return the class and what it inherits from, the nearest first."""
        known = self._orders.get(gid)
        if known is None:
            if gid in self._active:
                return (gid,)
            self._active.add(gid)
            bases = self.bases.get(gid)
            if bases is None:
                bases = self._find_bases(gid)
            orders: list[list[Base]] = [list(self.order(base)) if isinstance(base, int) else [base] for base in bases]
            known = (gid, *_merged([*orders, list(bases)]))
            self._active.discard(gid)
            self._orders[gid] = known
        return known

    def own(self, gid: int, name: str) -> tuple[int, ...]:
        """Return the members of that name in the body of a class."""
        return self._universe.members.get(gid, {}).get(name, ())

    def find(self, order: Iterable[Base], name: str) -> tuple[tuple[int, ...], tuple[Base, ...]]:
        """Return the members of the first class in an order that has one, and the classes outside and unknown bases before it."""
        before: list[Base] = []
        for base in order:
            if isinstance(base, int):
                found = self.own(base, name)
                if found:
                    return found, tuple(before)
            else:
                before.append(base)
        return (), tuple(before)

    def redefined_below(self, gid: int, name: str) -> tuple[int, ...]:
        """Return the members of that name in the bodies of the subclasses of a class."""
        below = self.below.get(gid)
        if not below:
            return ()
        named = self._universe.members_named.get(name, ())
        if len(named) < len(below):
            parent = self._universe.parent
            return tuple(member for member in named if parent[member] in below)
        return tuple(member for sub in sorted(below) for member in self.own(sub, name))

    def mixed_in(self, gid: int, name: str) -> tuple[int, ...]:
        """Return the members of that name which instances of subclasses have, where the class has none itself."""
        below = self.below.get(gid)
        if not below:
            return ()
        parent = self._universe.parent
        found = []
        for member in self._universe.members_named.get(name, ()):
            holder = parent[member]
            if holder in below or not below.isdisjoint(self.below.get(holder, ())):
                found.append(member)
        return tuple(found)

    def after(self, gid: int, name: str) -> tuple[tuple[int, ...], tuple[Base, ...]]:
        """Return the members that `super()` in the body of a class can mean, for the class and each subclass, and what is outside."""
        found: dict[int, None] = {}
        outside: dict[Base, None] = {}
        for sub in (gid, *sorted(self.below.get(gid, ()))):
            order = self.order(sub)
            at = order.index(gid) if gid in order else -1
            if at >= 0:
                members, before = self.find(order[at + 1 :], name)
                found.update(dict.fromkeys(members))
                if sub == gid or not members:
                    outside.update(dict.fromkeys(before))
        return tuple(found), tuple(outside)

    def _find_bases(self, gid: int) -> tuple[Base, ...]:
        known = self.bases.get(gid)
        if known is None:
            self.bases[gid] = ()  # what a cycle sees of it
            known = self.bases[gid] = tuple(dict.fromkeys(base for base in self._bases_of(gid) if base != gid))
        return known


def _merged(orders: list[list[Base]]) -> list[Base]:
    """Merge orders so that each is kept; where they contradict each other, the first ones are."""
    merged: list[Base] = []
    orders = [order for order in orders if order]
    while orders:
        for order in orders:
            head = order[0]
            if not any(head in other[1:] for other in orders):
                break
        else:
            head = orders[0][0]
        merged.append(head)
        orders = [rest for order in orders if (rest := [base for base in order if base != head])]
    return merged


def _subclasses(bases: Mapping[int, Sequence[Base]]) -> dict[int, frozenset[int]]:
    """Return all classes below each class."""
    direct: dict[int, list[int]] = {}
    for gid, above in bases.items():
        for base in above:
            if isinstance(base, int):
                direct.setdefault(base, []).append(gid)
    found: dict[int, frozenset[int]] = {}
    for gid in direct:
        seen: set[int] = set()
        work = list(direct[gid])
        while work:
            sub = work.pop()
            if sub not in seen:
                seen.add(sub)
                work += direct.get(sub, ())
        found[gid] = frozenset(seen)
    return found
