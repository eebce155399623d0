"""What modules offer as their own, and where it is defined when they take it from another module.

`import { a } from "./barrel"` reaches the module behind `export { a } from "./a"`, behind `export * from "./a"`, and behind an import
whose name is exported again, over as many modules as it takes. A star offers every name but `default`; of several stars all count
that lead to a definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ce.extract.resolve.ecmascript.imports import ModuleTree
from ce.facts.records import Extraction, Site

__all__ = ["Exports"]

_MAX_HOPS = 32  # a longer chain is cut, which loses only the definition at its end
_MAX_STARS = 512  # modules behind the stars of one module that are looked at for one name
_IMPORTS = frozenset({"import", "require"})
_WHOLE = "*"

_Source = tuple[Site, str]  # an import and the name there


@dataclass(frozen=True, slots=True)
class _Surface:
    """What a module offers: names of its own, names it takes from elsewhere, modules that it offers all names of."""

    defined: frozenset[str]
    taken: Mapping[str, tuple[_Source, ...]]
    stars: tuple[Site, ...]


class Exports:
    """The surfaces of the modules of a tree."""

    def __init__(self, tree: ModuleTree) -> None:
        self.tree = tree
        self._surfaces: dict[str, _Surface] = {}
        self._definitions: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def offers(self, file: str, name: str) -> bool:
        """Return whether the module itself says that it offers the name, be it its own or another module's."""
        surface = self.surface(file)
        return name in surface.defined or name in surface.taken

    def surface(self, file: str) -> _Surface:
        """Return what a module offers; nothing for a file that was not measured."""
        known = self._surfaces.get(file)
        if known is None:
            known = self._surfaces[file] = _surface(self.tree.context.extractions.get(file))
        return known

    def definitions(self, file: str, name: str) -> tuple[tuple[str, str], ...]:
        """Return the modules that define what a module offers as `name`, each with the name there; none when it does so itself."""
        key = (file, name)
        known = self._definitions.get(key)
        if known is None:
            found: dict[tuple[str, str], None] = {}
            self._follow(file, name, found, {key}, _MAX_HOPS)
            known = self._definitions[key] = tuple(target for target in found if target[0] != file)
        return known

    def _follow(self, file: str, name: str, found: dict[tuple[str, str], None], seen: set[tuple[str, str]], hops: int) -> bool:
        """Add the definitions behind a name of a module; return whether the module offers it for certain."""
        surface = self.surface(file)
        if name in surface.defined:
            return True
        sources = surface.taken.get(name, ())
        if not sources:
            sources = tuple((site, name) for site in surface.stars if name != "default" or site.kind == "require")
        is_offered = name in surface.taken
        for site, original in sources:
            target = self.target(site, file)
            step = (target, original)
            if not target or step in seen or hops <= 0 or len(seen) > _MAX_STARS:
                continue
            seen.add(step)
            if original == _WHOLE:
                found[target, _WHOLE] = None
            elif self._follow(target, original, found, seen, hops - 1):
                is_offered = True
                if original in self.surface(target).defined:
                    found[target, original] = None
        return is_offered

    def target(self, site: Site, file: str) -> str:
        """Return the file that a site means, empty when it means none of the tree."""
        hit = self.tree.find(site.spec, file, is_require=site.kind == "require").hit
        return "" if hit is None else hit.path or hit.types


def _surface(extraction: Extraction | None) -> _Surface:
    if extraction is None:
        return _Surface(frozenset(), {}, ())
    imported: dict[str, list[_Source]] = {}
    taken: dict[str, list[_Source]] = {}
    stars = []
    for site in extraction.sites:
        if site.kind in ("export_from", "export_star") or (site.kind == "require" and site.mode == "reexport"):
            for name, alias in site.names:
                if alias == _WHOLE:
                    stars.append(site)
                else:
                    taken.setdefault(alias, []).append((site, name))
        elif site.kind in _IMPORTS and site.owner < 0:
            for name, local in site.names:
                imported.setdefault(local, []).append((site, name))
    renamed = extraction.extra.get("exported")
    locals_of = renamed if isinstance(renamed, dict) else {}
    defined = set()
    for name in extraction.exports or ():
        local = locals_of.get(name, name)
        if name in taken:
            continue
        if isinstance(local, str) and local in imported:
            taken[name] = imported[local]
        else:
            defined.add(name)
    return _Surface(frozenset(defined), {name: tuple(sources) for name, sources in taken.items()}, tuple(stars))
