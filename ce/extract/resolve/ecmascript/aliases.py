"""Names that bundlers, test runners and frameworks put in the place of directories.

A configuration file of a package lists them under `alias` or `moduleNameMapper`; some frameworks bring their own. They hold for the
files of the package, and of the packages inside it that list none. The import maps of Deno hold for all below their directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.extract.resolve.ecmascript.packages import Package, Packages
from ce.facts.manifests import json_document, table

__all__ = ["Aliases"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
# What a framework maps by itself: dependency, name, directory of the package.
_OF_FRAMEWORKS = (
    ("@sveltejs/kit", "$lib", "src/lib"),
    ("nuxt", "~~", ""), ("nuxt", "@@", ""), ("nuxt", "~", ""), ("nuxt", "@", ""), ("nuxt", "~", "app"), ("nuxt", "@", "app"),
    ("nuxt", "~", "src"), ("nuxt", "@", "src"), ("nuxt", "#shared", "shared"),
    ("@vue/cli-service", "@", "src"),
    ("quasar", "src", "src"), ("quasar", "components", "src/components"), ("quasar", "layouts", "src/layouts"),
    ("quasar", "pages", "src/pages"), ("quasar", "boot", "src/boot"), ("quasar", "stores", "src/stores"),
    ("quasar", "assets", "src/assets"),
    ("umi", "@", "src"), ("@umijs/max", "@", "src"), ("@tarojs/taro", "@", "src"),
    ("@docusaurus/core", "@site", ""),
    ("@redwoodjs/core", "src", "web/src"), ("@redwoodjs/core", "src", "api/src"),
    ("@ice/app", "@", "src"), ("ice", "@", "src"),
)  # fmt: skip


class Aliases:
    """The aliases of a tree by the package that has them."""

    def __init__(self, context: Context, packages: Packages) -> None:
        self.context = context
        self.packages = packages
        self._for: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}

    def targets(self, text: str, file: str) -> Iterator[str]:
        """Yield the paths that the aliases of a file's package put in the place of a specifier; only those of the longest name."""
        best = -1
        for name, targets in self._of(directory_of(file)):
            if len(name) < best:
                return
            rest = _rest(text, name)
            if rest is not None:
                best = len(name)
                for target in targets:
                    path = normal_path(target.replace("*", rest) if "*" in target else join(target, rest))
                    if path is not None:
                        yield path

    def is_outside(self, text: str, file: str) -> bool:
        """Return whether an import map around a file says that a specifier means an address or a package of a registry."""
        for directory in ancestors(directory_of(file)) if self._import_maps else ():
            for name, target in self._import_maps.get(directory, ()):
                if _SCHEME.match(target) and (text == name or (text.startswith(name.rstrip("/") + "/"))):
                    return True
        return False

    @cached_property
    def _import_maps(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for path in self.context.manifests_named("deno.json", "deno.jsonc", "import_map.json"):
            document = json_document(self.context.manifests[path], path, self.context.problems)
            pairs = [(name, target) for name, target in sorted(table(document, "imports").items()) if isinstance(target, str)]
            found.setdefault(directory_of(path), []).extend(pairs)
        return found

    def _of(self, directory: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the aliases that hold in a directory, the longest names first."""
        owner = self.packages.owner(directory)
        # Import maps lie anywhere, so with one each directory has its own answer.
        key = directory if self._import_maps else "" if owner is None else owner.manifest
        known = self._for.get(key)
        if known is None:
            found: dict[str, list[str]] = {}
            for above in ancestors(directory) if self._import_maps else ():
                for name, target in self._import_maps.get(above, ()):
                    path = normal_path(join(above, target)) if target.startswith(".") else None
                    if path is not None:
                        found.setdefault(name, []).append(path)
            listed = next((own for package in self.packages.around(directory) if (own := self._listed.get(package.directory))), None)
            for name, targets in [*(listed or self._listed.get("", [])), *self._of_frameworks(owner)]:
                found.setdefault(name, []).extend(targets)
            known = self._for[key] = tuple((name, tuple(found[name])) for name in sorted(found, key=lambda name: (-len(name), name)))
        return known

    def _of_frameworks(self, owner: Package | None) -> Iterator[tuple[str, list[str]]]:
        if owner is not None:
            for dependency, name, target in _OF_FRAMEWORKS:
                if self.packages.uses(dependency, owner.directory):
                    yield name, [join(owner.directory, target)]

    @cached_property
    def _listed(self) -> dict[str, list[tuple[str, list[str]]]]:
        found: dict[str, list[tuple[str, list[str]]]] = {}
        for path in sorted(self.context.extractions):
            listed = self.context.extractions[path].extra.get("aliases")
            if not isinstance(listed, list):
                continue
            owner = self.packages.owner(directory_of(path))
            base = "" if owner is None else owner.directory
            for pair in listed:
                if isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair):
                    targets = _targets(pair[1], directory_of(path), base)
                    if targets:
                        found.setdefault(base, []).append((pair[0], targets))
        return found


def _targets(text: str, directory: str, base: str) -> list[str]:
    """Return where an alias leads: a path from the file when it says so, else from the package, else from the file."""
    if text.startswith(("./", "../")) or text == ".":
        starts = [directory]
    elif text.startswith("<rootDir>"):
        starts, text = [base], text.removeprefix("<rootDir>").lstrip("/")
    else:
        starts, text = list(dict.fromkeys((base, directory))), text.lstrip("/")
    paths = [normal_path(join(start, text)) for start in starts]
    return [path for path in paths if path is not None]


def _rest(text: str, name: str) -> str | None:
    """Return what is left of a specifier behind an alias, None when the alias is not at its start."""
    if name.endswith("$"):
        return "" if text == name[:-1] else None
    if name.endswith("/*"):
        name = name[:-2]
    elif "*" in name:
        prefix, _, suffix = name.partition("*")
        fits = text.startswith(prefix) and text.endswith(suffix) and len(text) >= len(prefix) + len(suffix)
        return text[len(prefix) : len(text) - len(suffix)] if fits else None
    name = name.rstrip("/")
    if not name:
        return None
    return text[len(name) + 1 :] if text.startswith(name + "/") else "" if text == name else None
