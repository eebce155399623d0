"""What definitions are called: labels that tell namesakes apart, and the full names that people write."""

from __future__ import annotations

from ce.extract.names.link.modules import Modules
from ce.extract.names.link.universe import Universe

__all__ = ["Labels"]


class Labels:
    """The names of all definitions of a tree."""

    def __init__(self, universe: Universe, modules: Modules) -> None:
        """Name every definition."""
        self._universe = universe
        self._modules = modules
        self.labels: list[str] = []
        inner: list[str] = []
        parents = universe.parent
        seen: dict[tuple[int, str], int] = {}
        path = ""
        for gid, name in enumerate(universe.name):
            parent = parents[gid]
            if parent < 0:
                path = universe.path_of(gid)
                inner.append("")
                self.labels.append(f"{path}::")
                continue
            count = seen[parent, name] = seen.get((parent, name), 0) + 1
            above = inner[parent]
            own = f"{above}.{name}" if above else name
            if count > 1:
                own = f"{own} ({count})"
            inner.append(own)
            self.labels.append(f"{path}::{own}")

    def full_name(self, gid: int) -> str:
        """Return `pkg.mod.Class.method` for Python, `src/util.ts:Class.method` for other languages."""
        universe = self._universe
        parts = []
        while universe.parent[gid] >= 0:
            parts.append(universe.name[gid])
            gid = universe.parent[gid]
        inner = ".".join(reversed(parts))
        module = self._modules.names.get(gid)
        if module is None:
            return f"{universe.path_of(gid)}:{inner}" if inner else universe.path_of(gid)
        return f"{module}.{inner}" if inner and module else inner or module

    def full_names(self) -> list[str]:
        """Return the full names of all definitions."""
        universe = self._universe
        found: list[str] = []
        for gid, name in enumerate(universe.name):
            parent = universe.parent[gid]
            if parent < 0:
                found.append(self.full_name(gid))
            elif universe.parent[parent] >= 0 or parent in self._modules.names:
                found.append(f"{found[parent]}.{name}" if found[parent] else name)
            else:
                found.append(f"{found[parent]}:{name}")
        return found
