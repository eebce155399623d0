"""The packages of a tree: what each `package.json` names, offers and needs, and which workspace it is a member of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ce.extract.resolve.context import Context, ancestors, directory_of
from ce.extract.resolve.ecmascript.globs import glob_matcher
from ce.facts.manifests import decode, json_document, strings, table, text_at

__all__ = ["NODE_MODULES", "Package", "Packages", "package_name"]

NODE_MODULES = "node_modules"
_DEPENDENCY_KINDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_PNPM_ITEM = re.compile(r"\s*-\s*([\"']?)([^\"'#]+)\1")


@dataclass(frozen=True, slots=True)
class Package:
    """One `package.json`. `needs` maps what it depends on to the version as written there."""

    directory: str
    manifest: str
    name: str
    document: Mapping[str, object]
    needs: Mapping[str, str]

    @property
    def is_published(self) -> bool:
        """Whether others can install it: it has a name and is not private."""
        return bool(self.name) and self.document.get("private") is not True

    @property
    def version(self) -> str:
        """The version it has itself, empty when none is given."""
        return text_at(self.document, "version")


class Packages:
    """The packages of a tree by place and by name."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.by_directory: dict[str, Package] = {}
        self.by_name: dict[str, list[Package]] = {}
        for path in context.manifests_named("package.json"):
            document = json_document(context.manifests[path], path, context.problems)
            package = _package(path, document)
            self.by_directory[package.directory] = package
            if package.name:
                self.by_name.setdefault(package.name, []).append(package)
        self._owners: dict[str, Package | None] = {}

    def owner(self, directory: str) -> Package | None:
        """Return the package whose `package.json` is nearest above a directory."""
        if directory not in self._owners:
            self._owners[directory] = next(self.around(directory), None)
        return self._owners[directory]

    def around(self, directory: str) -> Iterator[Package]:
        """Yield the packages whose directories hold a directory, the innermost first."""
        for above in ancestors(directory):
            package = self.by_directory.get(above)
            if package is not None:
                yield package

    @cached_property
    def workspaces(self) -> Mapping[str, frozenset[str]]:
        """The directories of the members of every workspace, its root among them, by the directory of the root."""
        found: dict[str, frozenset[str]] = {}
        for directory, globs in self._workspace_globs():
            fits = glob_matcher(globs, directory)
            members = {member for member in self.by_directory if member == directory or fits(member)}
            found[directory] = frozenset(members | found.get(directory, frozenset()))
        return found

    @cached_property
    def pnpm_roots(self) -> frozenset[str]:
        """The roots of the workspaces of pnpm, which links a package only when it is asked to."""
        return frozenset(directory_of(path) for path in self.context.manifests_named("pnpm-workspace.yaml"))

    def _workspace_globs(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for package in self.by_directory.values():
            declared = package.document.get("workspaces")
            globs = strings(declared) if isinstance(declared, list) else strings(table(declared).get("packages"))
            if globs:
                yield package.directory, tuple(globs)
        for path in self.context.manifests_named("pnpm-workspace.yaml"):
            yield directory_of(path), tuple(_pnpm_packages(decode(self.context.manifests[path])))
        for path in self.context.manifests_named("lerna.json"):
            document = json_document(self.context.manifests[path], path, self.context.problems)
            yield directory_of(path), tuple(strings(document.get("packages")) or ["packages/*"])

    def workspace_of(self, directory: str) -> str | None:
        """Return the root of the workspace that a package is a member of, the innermost."""
        for above in ancestors(directory):
            if directory in self.workspaces.get(above, ()):
                return above
        return None

    @cached_property
    def installed(self) -> Mapping[str, frozenset[str]]:
        """The names of the packages that are installed, by the directory that holds their `node_modules`."""
        found = {}
        suffix = f"{NODE_MODULES}/"
        for path, data in self.context.manifests.items():
            if path.endswith(suffix):
                found[path.removesuffix(suffix).rstrip("/")] = frozenset(decode(data).splitlines())
        return found

    def is_installed(self, name: str, directory: str) -> bool:
        """Return whether a `node_modules` beside a directory or above it holds a package of that name."""
        return bool(self.installed) and any(name in self.installed.get(above, ()) for above in ancestors(directory))

    def need(self, name: str, directory: str) -> tuple[Package, str] | None:
        """Return the innermost package around a directory that depends on a name, and the version as written there."""
        for package in self.around(directory):
            if name in package.needs:
                return package, package.needs[name]
        return None

    def uses(self, name: str, directory: str) -> bool:
        """Return whether a package around a directory depends on a name, or is it."""
        return any(name in package.needs or package.name == name for package in self.around(directory))


def _package(path: str, document: Mapping[str, object]) -> Package:
    needs: dict[str, str] = {}
    for kind in reversed(_DEPENDENCY_KINDS):
        for name, version in table(document, kind).items():
            needs[name] = version if isinstance(version, str) else ""
    for kind in ("bundledDependencies", "bundleDependencies"):
        for name in strings(document.get(kind)):
            needs.setdefault(name, "")
    return Package(directory_of(path), path, text_at(document, "name"), document, needs)


def _pnpm_packages(text: str) -> Iterator[str]:
    """Yield the items of the list `packages:`; nothing else of the file is read."""
    is_inside = False
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _PNPM_ITEM.match(line)
        if item is None:
            is_inside = line.startswith("packages:")
            inline = re.match(r"packages:\s*\[(.*)\]", line)
            if inline is not None:
                yield from (part.strip().strip("\"'") for part in inline.group(1).split(",") if part.strip())
        elif is_inside:
            yield item.group(2).strip()


def package_name(specifier: str) -> tuple[str, str]:
    """Return the name of the package of a bare specifier, two segments when it has a scope, and the rest behind it."""
    parts = specifier.split("/")
    kept = 2 if specifier.startswith("@") else 1
    return "/".join(parts[:kept]), "/".join(parts[kept:])
