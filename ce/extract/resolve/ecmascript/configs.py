"""Compiler settings: `tsconfig.json` and `jsconfig.json` with all that they extend and refer to.

A field is that of the nearest file that defines it; `paths` replace, never merge. Extended lists are read in order, the later over the
earlier. A base that is a package outside of the tree is left out; a base that is missing, a cycle or a base that is no text breaks the
settings: then nothing that only they could explain is explained.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.extract.resolve.ecmascript.files import SUFFIXES
from ce.extract.resolve.ecmascript.globs import glob_matcher
from ce.extract.resolve.ecmascript.packages import Packages, package_name
from ce.facts.manifests import json_document, strings, table, tables, text_at

__all__ = ["Config", "Configs"]

_NAMES = ("tsconfig.json", "jsconfig.json")
_MAX_CHAIN = 1_000  # files that extend one another; more only to be hostile
_CONFIG_DIR = "${configDir}"
_TYPESCRIPT_SUFFIX = re.compile(r"\.[cm]?tsx?$")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one file, everything it extends folded in; paths are root-relative.

    `paths` are patterns with their targets. `covers` tells whether the settings are those of a path.
    """

    path: str
    is_broken: bool
    base: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...]
    roots: tuple[str, ...]
    out_directories: tuple[str, ...]
    root_directory: str | None
    files: tuple[str, ...]
    references: tuple[str, ...]
    covers: Callable[[str], bool]
    types: tuple[str, ...]
    module_suffixes: tuple[str, ...] = ()


class Configs:
    """The settings of a tree, read when they are first asked for."""

    def __init__(self, context: Context, packages: Packages) -> None:
        self.context = context
        self.packages = packages
        self._read: dict[str, Config] = {}
        self._of: dict[str, tuple[Config, ...]] = {}
        self._nearest: dict[str, str] = {}

    def all(self) -> list[Config]:
        """Return the settings of every file that is named like some."""
        names = [path for path in self.context.manifests if re.fullmatch(r"(?:ts|js)config[^/]*\.json", path.rpartition("/")[2])]
        return [self.read(path) for path in sorted(names)]

    def of(self, file: str) -> tuple[Config, ...]:
        """Return the settings that count for a file: the nearest ones, or those that these refer to when they cover the file.

        Several only when it cannot be told which of them covers the file.
        """
        nearest = self.nearest(directory_of(file))
        if not nearest:
            return ()
        own = self.read(nearest)
        if not own.references:
            return (own,)
        known = self._of.get(file)
        if known is None:
            referred = self._referred(own)
            covering = [config for config in (own, *referred) if config.covers(file)]
            known = self._of[file] = (covering[0],) if covering else (own, *referred)
        return known

    def nearest(self, directory: str) -> str:
        """Return the path of the nearest settings above a directory, empty when there are none."""
        known = self._nearest.get(directory)
        if known is None:
            candidates = (join(above, name) for above in ancestors(directory) for name in _NAMES)
            known = self._nearest[directory] = next((path for path in candidates if path in self.context.manifests), "")
        return known

    def _referred(self, config: Config) -> list[Config]:
        found: dict[str, Config] = {}
        pending = list(config.references)
        while pending:
            path = pending.pop(0)
            if path not in found and path != config.path and path in self.context.manifests:
                found[path] = self.read(path)
                pending += found[path].references
        return list(found.values())

    def read(self, path: str) -> Config:
        """Return the settings of a file of the tree."""
        known = self._read.get(path)
        if known is None:
            reader = _Reader(self.context, self.packages)
            reader.take(path)
            known = self._read[path] = _config(path, reader)
        return known


class _Reader:
    """Fields as they are found along the chain of bases, each with the file that defines it; the first definition stays."""

    def __init__(self, context: Context, packages: Packages) -> None:
        self.context = context
        self.packages = packages
        self.fields: dict[str, tuple[object, str]] = {}
        self.is_broken = False

    def take(self, path: str) -> None:
        """Add the fields of a file and of all its bases, depth first, of several bases the last first."""
        pending: list[tuple[str, tuple[str, ...]]] = [(path, ())]
        taken: set[str] = set()
        while pending:
            at, above = pending.pop()
            if at in above or len(above) > _MAX_CHAIN:
                self.is_broken = True
                continue
            if at in taken:
                continue
            taken.add(at)
            document = json_document(self.context.manifests[at], at, self.context.problems)
            fields = table(document, "compilerOptions")
            fields = {**fields, **{name: document[name] for name in ("files", "include", "exclude") if name in document}}
            for name, value in fields.items():
                self.fields.setdefault(name, (value, at))
            if not above:
                self.fields["references"] = (document.get("references"), at)
            pending += [(base, (*above, at)) for base in self._bases(document.get("extends"), at)]

    def _bases(self, listed: object, path: str) -> Iterator[str]:
        """Yield the files that one extends, those of packages outside of the tree left out."""
        for base in listed if isinstance(listed, list) else [listed] if listed is not None else []:
            if not isinstance(base, str):
                self.is_broken = True
            elif base.startswith("."):
                target = normal_path(join(directory_of(path), base))
                found = self._existing(target) if target is not None else None
                self.is_broken = self.is_broken or found is None
                if found is not None:
                    yield found
            else:
                name, rest = package_name(base)
                for package in self.packages.by_name.get(name, ()):
                    found = self._existing(join(package.directory, rest or text_at(package.document, "tsconfig") or "tsconfig.json"))
                    if found is not None:
                        yield found
                        break

    def _existing(self, path: str) -> str | None:
        return next((name for name in _spellings(path) if name in self.context.manifests), None)


def _spellings(path: str) -> tuple[str, ...]:
    return (path, f"{path}.json", join(path, "tsconfig.json"))


def _config(path: str, reader: _Reader) -> Config:
    directory = directory_of(path)

    def located(name: str) -> str | None:
        """Return a field that is a path, from the root of the tree."""
        value, at = reader.fields.get(name, (None, ""))
        return _path(value, directory_of(at), directory)

    def listed(name: str) -> tuple[str, ...]:
        value, at = reader.fields.get(name, (None, ""))
        paths = (_path(item, directory_of(at), directory) for item in strings(value) if isinstance(value, list))
        return tuple(item for item in paths if item is not None)

    base = located("baseUrl")
    value, at = reader.fields.get("paths", (None, ""))
    anchor = base if base is not None else directory_of(at)
    paths = tuple((pattern, _targets(targets, anchor, directory)) for pattern, targets in sorted(table(value).items()))
    out = [found for name in ("outDir", "declarationDir") if (found := located(name)) is not None]
    references, at = reader.fields.get("references", (None, ""))
    targets = (normal_path(join(directory, text_at(reference, "path"))) for reference in tables(references))
    return Config(
        path=path,
        is_broken=reader.is_broken,
        base=base,
        paths=paths,
        roots=listed("rootDirs"),
        out_directories=tuple(out),
        root_directory=located("rootDir"),
        files=listed("files"),
        references=tuple(
            name for target in targets if target is not None for name in _spellings(target) if name in reader.context.manifests
        ),
        covers=_covers(reader.fields, directory),
        types=listed("typeRoots"),
        module_suffixes=tuple(strings(reader.fields.get("moduleSuffixes", (None, ""))[0])),
    )


def _path(value: object, declared_in: str, own: str) -> str | None:
    if not isinstance(value, str):
        return None
    if value.startswith(_CONFIG_DIR):
        return normal_path(join(own, value.removeprefix(_CONFIG_DIR).lstrip("/")))
    return None if value.startswith("/") else normal_path(join(declared_in, value))


def _targets(targets: object, anchor: str, own: str) -> tuple[str, ...]:
    found = (_path(target, anchor, own) for target in strings(targets) if isinstance(targets, list))
    return tuple(target for target in found if target is not None)


def _covers(fields: Mapping[str, tuple[object, str]], directory: str) -> Callable[[str], bool]:
    files, files_at = fields.get("files", (None, ""))
    include, include_at = fields.get("include", (None, ""))
    exclude, exclude_at = fields.get("exclude", (None, ""))
    named = frozenset(filter(None, (normal_path(join(directory_of(files_at), item)) for item in strings(files) if isinstance(files, list))))
    globs = tuple(_as_globs(strings(include))) if isinstance(include, list) else () if isinstance(files, list) else ("**/*",)
    fits = glob_matcher(globs, directory_of(include_at) if isinstance(include, list) else directory)
    without = glob_matcher(tuple(_as_globs(strings(exclude))), directory_of(exclude_at)) if isinstance(exclude, list) else None
    allows_javascript = fields.get("allowJs", (False, ""))[0] is True or fields.get("checkJs", (False, ""))[0] is True

    def covers(path: str) -> bool:
        if path in named:
            return True
        if not allows_javascript and not _TYPESCRIPT_SUFFIX.search(path) and not path.endswith((".vue", ".svelte")):
            return False
        return fits(path) and not (without is not None and without(path))

    return covers


def _as_globs(items: list[str]) -> list[str]:
    """Return the globs of a list in which a directory stands for all below it."""
    found = []
    for item in items:
        item = item.replace(_CONFIG_DIR + "/", "")
        found.append(item)
        last = item.rstrip("/").rpartition("/")[2]
        if "*" not in last and not item.endswith(SUFFIXES):
            found.append(item.rstrip("/") + "/**")
    return found
