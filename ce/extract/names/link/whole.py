"""Modules of JavaScript as values: whoever hands one on may use all that it exports, whoever calls one uses its default export."""

from __future__ import annotations

from ce.extract.names.link.lookup import Lookup
from ce.extract.names.link.universe import FLAG, KIND

__all__ = ["Whole"]

_EXPORT, _MODULE, _EXPORTED = KIND["export"], KIND["module"], FLAG["exported"]


class Whole:
    """What modules export as a whole; what was asked for once is kept."""

    def __init__(self, lookup: Lookup) -> None:
        """Take the names of modules."""
        self._lookup = lookup
        self._exports: dict[int, tuple[int, ...]] = {}

    def modules_among(self, atoms: frozenset[object]) -> tuple[int, ...]:
        """Return the modules of JavaScript among atoms."""
        universe = self._lookup.universe
        found = (atom >> 2 for atom in atoms if isinstance(atom, int) and not atom & 3)
        return tuple(sorted(gid for gid in found if universe.kind[gid] == _MODULE and not universe.file_of(gid).is_python))

    def default_of(self, module: int) -> tuple[int, ...]:
        """Return the default export of a module, with what it passes on the way."""
        bound = self._lookup.member(module << 2, "default")
        return tuple(dict.fromkeys((*bound.passed, *bound.definitions)))

    def exports_of(self, module: int) -> tuple[int, ...]:
        """Return all that a module exports, over re-exports of all names."""
        known = self._exports.get(module)
        if known is None:
            known = self._exports[module] = self._all(module)
        return known

    def _all(self, module: int) -> tuple[int, ...]:
        universe, lookup = self._lookup.universe, self._lookup
        found: dict[int, None] = {}
        seen = {module}
        work = [module]
        while work:
            at = work.pop()
            for gids in universe.members.get(at, {}).values():
                for gid in gids:
                    if universe.kind[gid] == _EXPORT or universe.flags[gid] & _EXPORTED:
                        found[gid] = None
                        if lookup.is_alias(gid):
                            bound = lookup.imported(gid)
                            found.update(dict.fromkeys((*bound.passed, *bound.definitions)))
            for modules in lookup.stars(universe.file_of(at)):
                for atom in modules:
                    if isinstance(atom, int) and atom >> 2 not in seen:
                        seen.add(atom >> 2)
                        work.append(atom >> 2)
        return tuple(found)
