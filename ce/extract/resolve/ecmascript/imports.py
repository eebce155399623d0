"""What an import reaches, seen from one file: the rungs of TypeScript's and JavaScript's ladder.

1. A path from the file (`./x`, `../x`): the file, the file with a suffix, a directory's `index`, in the order of `files.py`.
2. The same path with the suffix that a compiler exchanges: `./x.js` means `x.ts` where only that exists.
3. Settings: `paths`, `baseUrl`, `rootDirs` of the nearest compiler settings, aliases of bundlers and frameworks, the output directory.
4. A package of the tree: itself or another member of the workspace, through `exports`, `imports` and `main`.
5. Outside: a module of Node, an address, a dependency that a `package.json` around the file declares or a `node_modules` holds, a module
   that a framework makes.
   The same number marks what is only evidence: a text that spells a file, a pattern, the one source that a package is built from.

The first rung with one candidate answers. A declaration file beside the file that was found is reached too, for types. What a module
takes from another and offers as its own is followed to where it is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ce.extract.resolve.context import Context, directory_of, join, normal_path
from ce.extract.resolve.data.node_builtins import BARE, SCHEME_ONLY
from ce.extract.resolve.ecmascript.aliases import Aliases
from ce.extract.resolve.ecmascript.configs import Config, Configs
from ce.extract.resolve.ecmascript.files import DECLARATIONS, FAMILY, SUFFIXES, TYPED, Files, Hit, is_code
from ce.extract.resolve.ecmascript.found import ELSEWHERE, EVIDENCE, RELATIVE, REWRITTEN, SETTINGS, Found, only_one
from ce.extract.resolve.ecmascript.likeness import Likeness
from ce.extract.resolve.ecmascript.members import Members
from ce.extract.resolve.ecmascript.offers import main_targets
from ce.extract.resolve.ecmascript.outputs import Outputs
from ce.extract.resolve.ecmascript.packages import Package, Packages
from ce.extract.resolve.ecmascript.tools import MADE_BY_FRAMEWORKS

__all__ = ["ModuleTree"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: `c:` is a drive
_ADDRESSES = (
    "http:",
    "https:",
    "data:",
    "blob:",
    "npm:",
    "jsr:",
    "bun:",
    "deno:",
    "cloudflare:",
    "ext:",
    "chrome:",
    "resource:",
    "astro:",
    "//",
)
_LOADER = re.compile(r"^(?:-?!!?)?(?:[\w@./-]+(?:\?[^!]*)?!)+")
_DIRECTORY_ENDS = ("/", "/.", "/..")
_NATIVE = (".native", ".ios", ".android", ".web", ".windows", ".macos")


class ModuleTree:
    """The state of the ladder: the files, packages and settings of a tree."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.files = Files(context)
        self.packages = Packages(context)
        self.configs = Configs(context, self.packages)
        self.outputs = Outputs(context, self.files, self.packages, self.configs)
        self.aliases = Aliases(context, self.packages)
        self.likeness = Likeness(context)
        self.members = Members(self.files, self.packages, self.outputs, self.likeness, lambda path, typed: self.at(path, typed=typed))
        self._found: dict[tuple[str, str, bool, bool], Found] = {}
        self.files.platforms = self._platforms()

    def _platforms(self) -> tuple[str, ...]:
        """Return what a compiler or the bundler of React Native looks for before the suffix of a file."""
        listed = [suffix for config in self.configs.all() for suffix in config.module_suffixes if suffix]
        native = any(self.packages.uses(name, package) for package in self.packages.by_directory for name in ("react-native", "expo"))
        return tuple(dict.fromkeys([*listed, *(_NATIVE if native else ())]))

    # --- one specifier

    def find(self, specifier: str, file: str, *, is_require: bool = False) -> Found:
        """Return what a specifier means in a file."""
        language = self.context.files.get(file, "")
        is_typed = language in TYPED
        # What holds for a file holds for its neighbours, except for settings that cover some files of a directory.
        place = file if self._is_covered_apart(file) else directory_of(file) + "/"
        key = (place, specifier, is_typed, is_require)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._find(specifier, file, is_typed, is_require)
        return known

    def _is_covered_apart(self, file: str) -> bool:
        nearest = self.configs.nearest(directory_of(file))
        return bool(nearest) and bool(self.configs.read(nearest).references)

    def _find(self, specifier: str, file: str, typed: bool, is_require: bool) -> Found:
        text = _without_loaders(specifier)
        if not text:
            return Found(reason="empty")
        if text.startswith(_ADDRESSES):
            return ELSEWHERE
        if text.startswith("node:"):
            name = text.removeprefix("node:")
            return ELSEWHERE if name in BARE or name in SCHEME_ONLY else Found(reason="out_of_scope")
        if text.startswith("file:"):
            return Found(reason="out_of_scope")
        if self._is_made_by_framework(text, file):
            return ELSEWHERE
        if _is_relative(text):
            return self._relative(text, file, typed)
        if text.startswith("/"):
            return self._from_root(text, file, typed)
        if _SCHEME.match(text):
            return self._mapped(text, file, typed) or Found(reason="out_of_scope")
        return self._bare(text, file, typed, is_require)

    def _is_made_by_framework(self, text: str, file: str) -> bool:
        directory = directory_of(file)
        return any(text.startswith(starts) and self.packages.uses(name, directory) for name, starts in MADE_BY_FRAMEWORKS)

    # --- rungs 1 and 2

    def _relative(self, text: str, file: str, typed: bool) -> Found:
        path = normal_path(join(directory_of(file), text))
        if path is None:
            return Found(reason="out_of_scope")
        only_directory = text in (".", "..") or text.endswith(_DIRECTORY_ENDS)
        hit = self.at(path, typed=typed, only_directory=only_directory)
        if hit is not None:
            return Found(REWRITTEN if hit.rewritten else RELATIVE, hit)
        for config in self.configs.of(file):
            found = only_one(
                {found.path: found for root in self._beside(path, config) if (found := self.at(root, typed=typed)) is not None}
            )
            if found is not None:
                return found
        package = self.packages.by_directory.get(path) if only_directory or not path.endswith(SUFFIXES) else None
        if package is not None:
            return self.members.whole(package, main_targets(package), typed=typed)
        return self._built(path) or Found(reason="out_of_scope", could=self._spelled(path) or self.outputs.bundled(path))

    def _beside(self, path: str, config: Config) -> Iterator[str]:
        """Yield the same path under the other directories that the settings lay over each other."""
        for root in config.roots:
            if path.startswith(root + "/") or not root:
                inside = path[len(root) + 1 :] if root else path
                yield from (join(other, inside) for other in config.roots if other != root)

    def _built(self, path: str) -> Found | None:
        """Return the source of a file that a build writes."""
        sources = self.outputs.sources(path)
        if len(sources) == 1:
            return Found(SETTINGS, Hit(sources[0]))
        return Found(reason="ambiguous_paths", candidates=sources, could=sources) if sources else None

    def _spelled(self, path: str) -> tuple[str, ...]:
        """Return the files of that path with whatever suffix, in whatever case."""
        name = path.rpartition("/")[2]
        children = self.context.children.get(directory_of(path), ())
        # A file system that does not tell capitals apart finds a name in another case, too.
        start = f"{path}.".lower()
        return tuple(child for child in children if name and (child.lower().startswith(start) or child.lower() == path.lower()))

    def at(self, path: str, *, typed: bool, only_directory: bool = False) -> Hit | None:
        """Return what a path means, a directory with a `package.json` by its main file."""
        package = self.packages.by_directory.get(path) if path or only_directory else None
        if package is not None and (only_directory or not self.files.exists(path)):
            direct = None if only_directory else self._file_before_directory(path, typed)
            if direct is not None:
                return direct
            runs, types = (self._main_of(package, path, is_types=kind, typed=typed) for kind in (False, True))
            if runs is not None:
                return runs if types is None or runs.types else Hit(runs.path, types.types or types.path, runs.rewritten)
        return self.files.find(path, typed=typed, only_directory=only_directory)

    def _main_of(self, package: Package, path: str, *, is_types: bool, typed: bool) -> Hit | None:
        """Return the file that the first field of a package names which names one of the tree, of those for types or of the others."""
        for target in main_targets(package):
            below = normal_path(join(path, target.path)) if target.is_types == is_types else None
            hit = self.files.find(below, typed=typed) if below is not None and below != path else None
            if hit is not None:
                return hit
        return None

    def _file_before_directory(self, path: str, typed: bool) -> Hit | None:
        hit = self.files.find(path, typed=typed)
        return hit if hit is not None and not hit.path.startswith(path + "/") else None

    # --- rung 3

    def _from_root(self, text: str, file: str, typed: bool) -> Found:
        """A path from `/` is one from the directory that a development server serves, the package's."""
        mapped = self._mapped(text, file, typed)
        if mapped is not None:
            return mapped
        inside = normal_path(text.lstrip("/"))
        package = self.packages.owner(directory_of(file))
        bases = [package.directory] if package is not None else []
        found = {}
        for base in dict.fromkeys([*bases, *(join(base, "public") for base in bases)]):
            hit = self.files.find(join(base, inside or ""), typed=typed) if inside else None
            if hit is not None:
                found[hit.path] = hit
        return only_one(found) or Found(reason="out_of_scope")

    def _mapped(self, text: str, file: str, typed: bool) -> Found | None:
        """Return what the settings map a specifier to."""
        for candidates in (self._by_paths(text, file), self.aliases.targets(text, file), self._by_base(text, file)):
            hits = {}
            for path in candidates:
                hit = self.at(path, typed=typed)
                if hit is None:
                    sources = self.outputs.sources(path)
                    hit = Hit(sources[0]) if len(sources) == 1 else None
                if hit is not None:
                    hits[hit.path] = hit
            found = only_one(hits)
            if found is not None:
                return found
        return None

    def _by_paths(self, text: str, file: str) -> Iterator[str]:
        for config in self.configs.of(file):
            for pattern, targets in config.paths:
                prefix, star, suffix = pattern.partition("*")
                if star and len(text) >= len(prefix) + len(suffix) and text.startswith(prefix) and text.endswith(suffix):
                    captured = text[len(prefix) : len(text) - len(suffix)]
                elif text == pattern:
                    captured = ""
                else:
                    continue
                for target in targets:
                    path = normal_path(target.replace("*", captured, 1))
                    if path is not None:
                        yield path

    def mapped_directories(self, text: str, file: str) -> Iterator[str]:
        """Yield the directories of the tree that the settings map the start of a specifier to."""
        for candidates in (self._by_paths(text + "/", file), self.aliases.targets(text, file), self._by_base(text, file)):
            found = [path for path in dict.fromkeys(candidates) if path in self.context.directories]
            if found:
                yield from found
                return

    def _by_base(self, text: str, file: str) -> Iterator[str]:
        for config in self.configs.of(file):
            if config.base is not None:
                path = normal_path(join(config.base, text))
                if path:
                    yield path

    # --- rungs 3 to 5

    def _bare(self, text: str, file: str, typed: bool, is_require: bool) -> Found:
        mapped = self._mapped(text, file, typed)
        if mapped is not None:
            return self._with_runtime(mapped, text, file, typed, is_require)
        if text in BARE or text.rstrip("/") in BARE or self.aliases.is_outside(text, file):
            return ELSEWHERE
        directory = directory_of(file)
        if text.startswith("#"):
            own = self.members.own_import(text, directory, typed=typed, is_require=is_require)
            # What is mapped to a name with `#` again is mapped to nothing.
            found = self._bare(own, file, typed, is_require) if isinstance(own, str) and not own.startswith("#") else own
        else:
            found = self.members.package(text, directory, typed=typed, is_require=is_require)
        if isinstance(found, Found):
            return found
        if is_code(text):
            # Tools take the name of a file for one from the directory that they are started in.
            package = self.packages.owner(directory)
            for base in dict.fromkeys([package.directory if package is not None else "", ""]):
                if join(base, text) in self.context.files:
                    return Found(EVIDENCE, Hit(join(base, text)))
        ambient = self.ambient_modules.get(text) or self._ambient_pattern(text)
        if ambient:
            return Found(EVIDENCE, Hit("", ambient))
        if any(config.is_broken for config in self.configs.of(file)):
            return Found(reason="config_depth", could=self.likeness.could_mean(text))
        return Found(reason="out_of_scope", could=self.likeness.could_mean(text))

    def _with_runtime(self, mapped: Found, text: str, file: str, typed: bool, is_require: bool) -> Found:
        """Settings that map a package to its declarations say nothing about what runs: that is for the package to say."""
        if mapped.hit is None or not mapped.hit.path.endswith(DECLARATIONS):
            return mapped
        runs = self.members.package(text, directory_of(file), typed=typed, is_require=is_require)
        if runs is None or runs.is_external or (runs.hit is None and not runs.candidates):
            return mapped
        path = "" if runs.hit is None else runs.hit.path
        return Found(mapped.rung, Hit(path, mapped.hit.path), reason=runs.reason, candidates=runs.candidates, could=runs.could)

    # --- what nothing explains

    @cached_property
    def ambient_modules(self) -> dict[str, str]:
        """The declaration file of every module that a script of the tree declares."""
        found: dict[str, str] = {}
        for path in self.context.files_of(*FAMILY):
            names = self.context.extractions[path].extra.get("ambient")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    found.setdefault(name, path)
        return found

    def _ambient_pattern(self, text: str) -> str:
        for name, path in self.ambient_modules.items():
            prefix, star, suffix = name.partition("*")
            if star and text.startswith(prefix) and text.endswith(suffix) and len(text) >= len(prefix) + len(suffix):
                return path
        return ""


def _is_relative(text: str) -> bool:
    return text in (".", "..") or text.startswith(("./", "../"))


def _without_loaders(specifier: str) -> str:
    """Return the specifier without the loaders before it and the query behind it."""
    text = specifier.strip()
    if "!" in text:
        text = _LOADER.sub("", text)
    head = text.partition("?")[0]
    if "#" in head[1:]:
        head = head[0] + head[1:].partition("#")[0]
    return head
