"""From a file that a build writes to the file that it is made from.

`package.json` names `dist/index.js`, and the tree holds `src/index.ts`. The settings of the compiler say how the one becomes the other:
`outDir` is laid out as `rootDir` is. Without them, or for a bundler's output, the usual names of output and source directories are
tried. Only a single file that fits is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ce.extract.resolve.context import Context, directory_of, join
from ce.extract.resolve.ecmascript.configs import Configs
from ce.extract.resolve.ecmascript.files import DECLARATIONS, Files
from ce.extract.resolve.ecmascript.packages import Package, Packages

__all__ = ["Outputs"]

# Directories that builds write, at any depth below a package, and what they are made from.
_OUTPUT = re.compile(
    r"(?:dist|build|built|lib|libs|out|output|es|esm|cjs|umd|iife|amd|mjs|commonjs|module|modules|types|typings|dts|bundles?|release|target"
    r"|lib-esm|lib-cjs|esnext|es5|es6|es20\d\d|node|web|browser|server|\.svelte-kit|package|_esm|_cjs|prod|dev|production|development)"
)
_OUTPUT_TOP = re.compile(
    r"(?:dist|build|built|lib|libs|out|output|es|esm|cjs|umd|types|typings|dts|bundles?|release|_esm|_cjs|lib-esm|lib-cjs)"
)
_SOURCES = ("src", "source", "sources", "lib", "app", "ts", "")
_BUILT = re.compile(
    r"(?P<stem>.+?)(?:[.-](?:min|esm|cjs|umd|iife|mjs|es|es5|es6|prod|production|dev|development|bundler|browser|global|runtime|node|module"
    r"|common|bundle|modern|legacy|server|client|development\.min|production\.min|slim))*(?P<suffix>\.d\.[cm]?ts|\.[cm]?jsx?|\.css)"
)


class Outputs:
    """The way back from outputs to sources."""

    def __init__(self, context: Context, files: Files, packages: Packages, configs: Configs) -> None:
        self.context = context
        self.files = files
        self.packages = packages
        self.configs = configs
        self._sources: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _layouts(self) -> list[tuple[str, str]]:
        """Pairs of an output directory and the directory that is laid out like it, as compilers are told."""
        found: dict[tuple[str, str], None] = {}
        for config in self.configs.all():
            own = directory_of(config.path)
            for out in config.out_directories:
                sources = join(own, "src")
                root = config.root_directory
                if root is None:
                    root = sources if sources in self.context.directories else own
                if root != out:
                    found[out, root] = None
        return list(found)

    def sources(self, path: str) -> tuple[str, ...]:
        """Return the files that an output can be made from: one when the way back is clear, several when it is not, none if unknown."""
        known = self._sources.get(path)
        if known is None:
            known = self._sources[path] = self._find(path)
        return known

    def _find(self, path: str) -> tuple[str, ...]:
        for candidates in (self._by_settings(path), self._by_names(path)):
            found = tuple(dict.fromkeys(candidates))
            if found:
                return found
        return ()

    def _by_settings(self, path: str) -> Iterator[str]:
        for out, root in self._layouts:
            if path.startswith(out + "/"):
                found = self._source(join(root, path[len(out) + 1 :]))
                if found:
                    yield found

    def _by_names(self, path: str) -> Iterator[str]:
        package = self.packages.owner(directory_of(path))
        base = package.directory if package is not None else ""
        inside = path[len(base) + 1 :] if base else path
        parts = inside.split("/")
        if len(parts) < 2 or not _OUTPUT_TOP.fullmatch(parts[0]):
            return
        # The more of the path counts as the place of the output, the less is left to find.
        for cut in range(1, len(parts)):
            if cut > 1 and not _OUTPUT.fullmatch(parts[cut - 1]):
                break
            rest = "/".join(parts[cut:])
            found = [source for top in _SOURCES if top != parts[0] and (source := self._source(join(join(base, top), rest)))]
            if found:
                yield from found
                return

    def source_directories(self, path: str, others: Iterable[str]) -> tuple[str, ...]:
        """Return the directories that an output directory is laid out like.

        Without settings that say so, a directory of sources is taken for it only if one of the `others`, outputs that are known by
        their names, has a source there at the same place: what a bundler writes is not laid out like anything.
        """
        found: dict[str, None] = {}
        for out, root in self._layouts:
            if path == out or path.startswith(out + "/"):
                found[join(root, path[len(out) + 1 :])] = None
        package = self.packages.owner(path)
        base = package.directory if package is not None else ""
        rest = _without_outputs(path[len(base) :].lstrip("/"))
        if not found and rest is not None:
            for other in others:
                plain = _without_outputs(_without_suffix(other)[len(base) :].lstrip("/"))
                for top in _SOURCES if plain else ():
                    if top and self.files.find(join(join(base, top), plain or ""), typed=True) is not None:
                        found[join(join(base, top), rest)] = None
        return tuple(directory for directory in found if directory in self.context.directories)

    def _source(self, path: str) -> str:
        """Return the source of an output that is laid out at a path, with any of the marks that bundlers add left out."""
        match = _BUILT.fullmatch(path)
        stem = _without_suffix(path)
        for candidate in dict.fromkeys((stem, match.group("stem") if match else stem)):
            hit = self.files.find(candidate, typed=True)
            if hit is not None and not hit.path.endswith((".json", *DECLARATIONS)) and hit.path != path:
                return hit.path
        return ""

    def bundled(self, path: str) -> tuple[str, ...]:
        """Return what a file in an output directory is bundled from, as far as convention tells: the main source of the package."""
        package = self.packages.owner(directory_of(path))
        if package is None or any(path.startswith(out + "/") for out, _ in self._layouts):
            return ()
        inside = path[len(package.directory) :].lstrip("/")
        source = self.main_source(package) if _OUTPUT_TOP.fullmatch(inside.partition("/")[0]) and "/" in inside else ""
        return (source,) if source else ()

    def main_source(self, package: Package) -> str:
        """Return the one file that a package without a way back is built from by convention: `src/index`, else `index`, else `src/main`."""
        for stem in ("src/index", "index", "src/main", "source/index", "lib/index", f"src/{package.name.rpartition('/')[2]}"):
            hit = self.files.find(join(package.directory, stem), typed=True)
            if hit is not None and not hit.path.endswith((".json", *DECLARATIONS)):
                return hit.path
        return ""


def _without_outputs(path: str) -> str | None:
    """Return a path below a package without the directories of outputs that it starts with, None when it starts with none."""
    parts = path.split("/")
    if not _OUTPUT_TOP.fullmatch(parts[0]):
        return None
    cut = 1
    while cut < len(parts) and _OUTPUT.fullmatch(parts[cut]):
        cut += 1
    return "/".join(parts[cut:])


def _without_suffix(path: str) -> str:
    for suffix in (*DECLARATIONS, ".mjs", ".cjs", ".js", ".jsx"):
        if path.endswith(suffix):
            return path.removesuffix(suffix)
    return path
