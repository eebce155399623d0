"""Packages by their names: which one a bare specifier means in a directory, and what it offers under a subpath."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ce.extract.resolve.context import join, normal_path
from ce.extract.resolve.ecmascript.files import Files, Hit
from ce.extract.resolve.ecmascript.found import ELSEWHERE, EVIDENCE, PACKAGE, Found
from ce.extract.resolve.ecmascript.likeness import Likeness
from ce.extract.resolve.ecmascript.offers import Target, exported, has_exports, imported, main_targets
from ce.extract.resolve.ecmascript.outputs import Outputs
from ce.extract.resolve.ecmascript.packages import Package, Packages, package_name

__all__ = ["Members"]

_LINKED = ("workspace:", "link:", "file:", "portal:")
_ANY_VERSION = frozenset({"", "*", "x", "latest", "next"})
_MAJOR = re.compile(r"[~^>=v\s]*(\d+)")


class Members:
    """The packages of a tree as imports name them. `at(path, typed)` is what a path means."""

    def __init__(
        self, files: Files, packages: Packages, outputs: Outputs, likeness: Likeness, at: Callable[[str, bool], Hit | None]
    ) -> None:
        self.files = files
        self.packages = packages
        self.outputs = outputs
        self.likeness = likeness
        self.at = at

    def own_import(self, text: str, directory: str, *, typed: bool, is_require: bool) -> Found | str | None:
        """Return what `imports` of the package around a directory maps a specifier to: a finding, or another specifier."""
        for package in self.packages.around(directory):
            if package.document.get("imports") is not None:
                targets = imported(package, text, is_require=is_require)
                inner = [target for target in targets if target.path.startswith(".")]
                if inner or not targets:
                    return self._offered(package, inner, typed)
                return targets[0].path
        return None

    def package(self, text: str, directory: str, *, typed: bool, is_require: bool) -> Found | None:
        """Return what a bare specifier means in a directory, None when no package of the tree or outside of it has the name."""
        name, rest = package_name(text)
        candidates = self._packages_named(name, directory)
        if len(candidates) > 1:
            manifests = tuple(sorted(package.manifest for package in candidates))
            could = tuple(path for package in candidates for path in self._entries(package, rest, typed, is_require))
            return Found(reason="ambiguous_workspace", candidates=manifests, could=tuple(sorted(set(could))))
        if candidates:
            return self._subpath(candidates[0], rest, typed, is_require)
        if self.packages.need(name, directory) or self.packages.need(_types_package(name), directory):
            return ELSEWHERE
        return ELSEWHERE if self.packages.is_installed(name, directory) else None

    def _packages_named(self, name: str, directory: str) -> list[Package]:
        """Return the packages of the tree that a name means in a directory: none when it means one from a registry."""
        named = self.packages.by_name.get(name, [])
        need = self.packages.need(name, directory)
        version = need[1] if need is not None else ""
        if version.startswith(("file:", "link:", "portal:")) and need is not None:
            path = normal_path(join(need[0].directory, version.partition(":")[2]))
            package = self.packages.by_directory.get(path) if path is not None else None
            return [package] if package is not None else named
        if version.startswith(("workspace:", "npm:")) and "@" in (renamed := version.partition(":")[2])[1:]:
            other = renamed.rpartition("@")[0]
            return self.packages.by_name.get(other, []) if version.startswith("workspace:") else []
        if not named:
            return []
        own = next((package for package in self.packages.around(directory) if package.name == name), None)
        if own is not None and need is None:
            return [own]
        if need is not None and not version.startswith(_LINKED):
            return self._linked(named, need[0], version)
        workspaces = {self.packages.workspace_of(package.directory) for package in self.packages.around(directory)} - {None}
        members = [package for package in named if self.packages.workspace_of(package.directory) in workspaces] if workspaces else []
        return members or named

    def _linked(self, named: list[Package], needing: Package, version: str) -> list[Package]:
        """Return the members of the workspace that a package manager links for a version as written."""
        workspace = self.packages.workspace_of(needing.directory)
        if workspace is None:
            return named if not self.packages.workspaces and version in _ANY_VERSION else []
        members = [package for package in named if self.packages.workspace_of(package.directory) == workspace]
        return [package for package in members if _satisfies(version, package.version)]

    def _subpath(self, package: Package, rest: str, typed: bool, is_require: bool) -> Found:
        if has_exports(package):
            targets = exported(package, f"./{rest}" if rest else ".", is_require=is_require)
            return self._offered(package, targets, typed) if rest else self.whole(package, targets, typed=typed)
        if not rest:
            return self.whole(package, main_targets(package), typed=typed)
        path = normal_path(join(package.directory, rest))
        hit = self.at(path, typed) if path else None
        if hit is not None:
            return Found(PACKAGE, hit)
        sources = self.outputs.sources(path) if path else ()
        if len(sources) == 1:
            return Found(PACKAGE, Hit(sources[0]))
        if sources:
            return Found(reason="ambiguous_paths", candidates=sources, could=sources)
        return Found(reason="out_of_scope", could=self.likeness.could_mean(rest))

    def whole(self, package: Package, targets: list[Target], *, typed: bool) -> Found:
        """Return what the targets of a package as a whole lead to, the source that it is made from by convention when nowhere."""
        found = self._offered(package, targets, typed)
        if found.hit is not None or found.candidates:
            return found
        source = self.outputs.main_source(package)
        return Found(EVIDENCE, Hit(source)) if source else found

    def _offered(self, package: Package, targets: list[Target], typed: bool) -> Found:
        """Return the one file that the targets of a package lead to: files that exist first, else what outputs are made from.

        What a condition of somebody's own leads to counts when nothing else exists.
        """
        hits: dict[str, Hit] = {}
        custom: dict[str, Hit] = {}
        types = ""
        missing = []
        for target in targets:
            path = normal_path(join(package.directory, target.path))
            hit = self.files.find(path, typed=typed) if path else None
            if hit is None:
                missing.append(path or "")
            elif target.is_types:
                types = types or (hit.types or hit.path)
            else:
                (custom if target.is_custom else hits)[hit.path] = hit
        hits = hits or custom
        if not hits:
            for source in {source for path in missing for source in self.outputs.sources(path)}:
                hits[source] = Hit(source)
        if len(hits) == 1:
            hit = next(iter(hits.values()))
            return Found(PACKAGE, hit if hit.types or types in ("", hit.path) else Hit(hit.path, types))
        if hits:
            candidates = tuple(sorted(hits))
            return Found(reason="ambiguous_exports", candidates=candidates, could=candidates)
        return Found(PACKAGE, Hit("", types)) if types else Found(reason="out_of_scope")

    def _entries(self, package: Package, rest: str, typed: bool, is_require: bool) -> Iterator[str]:
        found = self._subpath(package, rest, typed, is_require)
        if found.hit is not None and found.hit.path:
            yield found.hit.path
        yield from found.candidates


def _types_package(name: str) -> str:
    return "@types/" + name.removeprefix("@").replace("/", "__")


def _satisfies(version: str, own: str) -> bool:
    """Return whether a package manager links a member for a version: any version, or the same major number."""
    if version in _ANY_VERSION or version.startswith(("catalog:", "||")) or not own or own.startswith("0.0.0"):
        return True
    wanted, has = _MAJOR.match(version), _MAJOR.match(own)
    return (
        wanted is None
        or has is None
        or any((match := _MAJOR.match(part)) is not None and match.group(1) == has.group(1) for part in version.split("||"))
    )
