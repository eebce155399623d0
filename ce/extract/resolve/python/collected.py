"""The metadata of one directory as it is collected, and how its spellings of roots and packages are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ce.extract.resolve.context import join, normal_path
from ce.facts.manifests import FindPackages

__all__ = [
    "Installed",
    "Metadata",
    "Root",
    "Script",
    "note_find",
    "note_modules",
    "note_package_dirs",
    "note_packages",
    "note_path",
    "note_root",
    "package_root",
    "whole_package",
]


@dataclass(frozen=True, slots=True, order=True)
class Root:
    """A directory from which dotted names are looked up. With a `prefix`, the directory is the package of that path."""

    directory: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """Packages that are installed from a root: names and patterns of dotted package names, and top-level modules."""

    root: Root
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """A name that an installer binds to `module:attribute`; `group` is `console_scripts`, `gui_scripts` or an entry point group."""

    group: str
    name: str
    target: str
    at: str


@dataclass(slots=True)
class Metadata:
    """The metadata of one directory, filled from all of its manifests. `packaged` says that some of it describes a distribution."""

    directory: str
    name: str = ""
    packaged: bool = False
    manifest: str = ""
    backend: str = ""
    library: str = ""  # `path:line` of the classifier that publishes it as a library, or as the framework of its own name
    typed: str = ""  # `path:line` of the classifier that offers its annotations to importers
    roots: list[Root] = field(default_factory=list)
    installed: list[Installed] = field(default_factory=list)
    dependencies: set[str] = field(default_factory=set)
    scripts: list[Script] = field(default_factory=list)
    started: list[tuple[str, str]] = field(default_factory=list)  # texts that name a file, module or attribute; `path:line`
    python_files: tuple[str, ...] = ()
    testpaths: list[str] = field(default_factory=list)
    pythonpath: list[str] = field(default_factory=list)
    used_fixtures: list[tuple[str, str]] = field(default_factory=list)  # that every test uses; `path:line`


def note_package_dirs(found: Metadata, directories: Mapping[str, str]) -> None:
    """Note the directories of a `package_dir` table: `""` is a root, any other name the package that the directory is."""
    for name, value in sorted(directories.items()):
        path = normal_path(join(found.directory, value))
        if path is not None:
            found.roots.append(package_root(name.replace(".", "/"), path))


def package_root(package: str, path: str) -> Root:
    """Return the root under which a directory is the package; without a prefix where the paths agree."""
    if package and (path == package or path.endswith("/" + package)):
        return Root(path[: -len(package)].rstrip("/"))
    return Root(path, package)


def note_packages(found: Metadata, names: list[str], directories: Mapping[str, str]) -> None:
    """Note a list of packages by their dotted names."""
    grouped: dict[Root, list[str]] = {}
    for name in names:
        parts = name.split(".")
        # The longest prefix of the name that has a directory of its own decides, as in distutils.
        at = next((n for n in range(len(parts), -1, -1) if ".".join(parts[:n]) in directories), -1)
        path = normal_path(join(found.directory, directories[".".join(parts[:at])])) if at >= 0 else found.directory
        if path is not None:
            grouped.setdefault(package_root("/".join(parts[: max(at, 0)]), path), []).append(name)
    for root, members in grouped.items():
        found.roots.append(root)
        found.installed.append(Installed(root, tuple(members)))


def note_find(found: Metadata, find: FindPackages) -> None:
    """Note a search for packages below a directory."""
    root = note_root(found, find.where)
    if root is not None:
        found.installed.append(Installed(root, find.include, find.exclude))


def note_modules(found: Metadata, names: list[str], directories: Mapping[str, str]) -> None:
    """Note top-level modules."""
    root = note_root(found, directories.get("", "."))
    if names and root is not None:
        found.installed.append(Installed(root, modules=tuple(names)))


def whole_package(root: Root, package: str) -> Installed:
    """Return a package, or a module, with everything in it."""
    name = package.removesuffix(".py").replace("/", ".")
    return Installed(root, (name, name + ".*"), (), (name,))


def note_path(found: Metadata, include: str) -> None:
    """Note a package given as the path of its directory, as Hatch, PDM and scikit-build take it."""
    directory, _, name = include.strip("/").removesuffix("/**").rpartition("/")
    root = note_root(found, directory)
    if name and "*" not in name and root is not None:
        found.installed.append(whole_package(root, name))


def note_root(found: Metadata, directory: str) -> Root | None:
    """Note a directory of the distribution as a root, unless it is its own; return it, None when it lies outside of the tree."""
    path = normal_path(join(found.directory, directory))
    if path is None:
        return None
    root = Root(path)
    if directory:
        found.roots.append(root)
    return root
