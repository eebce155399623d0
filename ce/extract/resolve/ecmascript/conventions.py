"""Which TypeScript and JavaScript files are started from outside of the imports, and why.

| role | files that get it here, beside what `roles.py` gives by path |
|---|---|
| `declared` | what a `package.json` offers or names, files that settings of tools list, declaration files that add to the global scope |
| `script` | a file that starts with `#!`, asks if it is the main module, or can only be run; one that a script or a command file runs |
| `doc` | an MDX page |
| `entry_named`, `test`, `entry_dir` | files that tools and frameworks find by name or place (`tools.py`) |
| `companion` | the declaration file beside an entry |
| `surface` | the modules that a published package without a map of exports installs |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ce.extract.resolve.context import base_name, directory_of
from ce.extract.resolve.ecmascript.evidence import Evidence
from ce.extract.resolve.ecmascript.files import DECLARATIONS, FAMILY
from ce.extract.resolve.ecmascript.found import EVIDENCE
from ce.extract.resolve.ecmascript.imports import ModuleTree
from ce.extract.resolve.ecmascript.starts import (
    command_starts,
    declared_starts,
    installed_files,
    internal_roles,
    listed_starts,
    script_starts,
)
from ce.extract.resolve.ecmascript.tools import CONFIGURED, CONVENTIONS, Convention
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.roles import is_test_path, path_roles
from ce.facts.records import Edge, Extraction, Role

__all__ = ["conventions_of"]

_CONFIGURATION = re.compile(r"(?P<words>.+)\.[cm]?[jt]sx?")
_PASSED_ON = frozenset({"entry_named", "entry_dir", "test", "glob", "declared", "script", "allow", "surface", "foreign"})
_SOURCE_DIRECTORIES = ("src/", "lib/", "app/", "source/", "components/", "pages/", "server/", "client/", "packages/")
_SERVED = re.compile(r"(?:.*/)?(?:public|static|wwwroot)/")


def conventions_of(tree: ModuleTree) -> Conventions:
    """Return the roles, entry points and references that conventions give to a tree."""
    starts = [*declared_starts(tree), *script_starts(tree), *command_starts(tree), *listed_starts(tree)]
    evidence = Evidence(tree)
    roles = [role for _, role in starts]
    roles += _file_roles(tree)
    roles += _surface_roles(tree)
    roles += _page_roles(tree)
    roles += internal_roles(tree)
    return Conventions(
        roles=tuple(_with_companions(roles, tree)),
        entry_points=tuple(point for point, _ in starts),
        edges=(*evidence.edges, *_declaration_edges(tree)),
        could_name=tuple(evidence.could_name),
        could_name_any=tuple(evidence.could_name_any),
        manifest_deps=tuple((package.directory, name) for package in tree.packages.by_directory.values() for name in package.needs),
    )


def _file_roles(tree: ModuleTree) -> Iterator[Role]:
    applicable: dict[str, list[_Applicable]] = {}
    for path in tree.context.files_of(*FAMILY):
        extraction = tree.context.extractions[path]
        directory = directory_of(path)
        package = tree.packages.owner(directory)
        base = "" if package is None else package.directory
        if base not in applicable:
            applicable[base] = _applicable(base, tree)
        yield from _by_convention(path, base, applicable[base])
        if _is_configuration(path, is_beside_manifest=package is not None and directory == base):
            yield Role(path, "entry_named", "a tool reads its settings from it")
        if _SERVED.match(path):
            yield Role(path, "entry_dir", "a server hands it out as it is")
        if extraction.extra.get("shebang"):
            yield Role(path, "script", "it starts with `#!`", f"{path}:1")
        elif extraction.main_guard:
            yield Role(path, "script", "it asks whether it is the main module", path)
        elif _is_program(path[len(base) + 1 :] if base else path, extraction):
            yield Role(path, "script", "it exports nothing and its body does something", path)
        if tree.context.files[path] == "mdx":
            yield Role(path, "doc", "a page that a site generator collects")
        if extraction.extra.get("global") or (path.endswith(DECLARATIONS) and extraction.extra.get("script")):
            yield Role(path, "declared", "it adds to the global scope", path)


def _is_program(inside: str, extraction: Extraction) -> bool:
    """Return whether a module outside of the directories of sources can only be run: it exports nothing, and its body calls something."""
    if extraction.exports is not None or extraction.unreadable_exports or inside.startswith(_SOURCE_DIRECTORIES):
        return False
    if any(site.mode == "reexport" for site in extraction.sites):
        return False
    return bool(extraction.extra.get("runs"))


def _declaration_edges(tree: ModuleTree) -> Iterator[Edge]:
    """Yield an arc from every declaration file to the file whose types it tells: who uses the one means the other."""
    for path in tree.context.files_of("typescript"):
        code = tree.files.code_of(path) if path.endswith(DECLARATIONS) else ""
        if code in tree.context.files:
            yield Edge(path, code, "import", EVIDENCE, 1, "type")


def _page_roles(tree: ModuleTree) -> Iterator[Role]:
    """Yield the pages among the samples of a package."""
    samples = [convention for convention in CONVENTIONS if convention.role == "entry_dir" and not convention.needs]
    for path in tree.context.files_of("html"):
        if tree.packages.owner(directory_of(path)) is not None and any(_regex(sample).fullmatch(path) for sample in samples):
            yield Role(path, "entry_dir", samples[0].why)


@dataclass(frozen=True, slots=True)
class _Applicable:
    """A convention that counts in a package: over the path below the package, or the whole one too, and the role in words."""

    role: str
    why: str
    over_whole: bool
    fits: Callable[[str], object]


def _applicable(base: str, tree: ModuleTree) -> list[_Applicable]:
    """Return the conventions that count in the package of a directory."""
    found = []
    for convention in CONVENTIONS:
        needed = next((name for name in convention.needs if tree.packages.uses(name, base)), "")
        if needed or not convention.needs:
            why = f"{convention.why} (`{needed}`)" if needed else convention.why
            # A place at any depth may lie above the package, and a package in a directory of samples or templates is one.
            found.append(_Applicable(convention.role, why, _is_anywhere(convention), _regex(convention).fullmatch))
    return found


def _by_convention(path: str, base: str, applicable: list[_Applicable]) -> Iterator[Role]:
    """Yield the roles that the conventions of a package give, of each role the first."""
    inside = path[len(base) + 1 :] if base else path
    given = set()
    for convention in applicable:
        if convention.role not in given and (convention.fits(inside) or (convention.over_whole and convention.fits(path))):
            given.add(convention.role)
            yield Role(path, convention.role, convention.why)


def _is_anywhere(convention: Convention) -> bool:
    return convention.pattern.lstrip().startswith("(?:.*/)?") or (convention.role == "entry_dir" and not convention.needs)


@cache
def _regex(convention: Convention) -> re.Pattern[str]:
    return convention.regex


def _is_configuration(path: str, *, is_beside_manifest: bool) -> bool:
    """Return whether a name is `<tool>.config.<suffix>` of a known tool, or of any beside a `package.json`."""
    match = _CONFIGURATION.fullmatch(base_name(path))
    words = match.group("words").split(".") if match is not None else []
    if len(words) < 2 or not {"config", "conf", "workspace"} & set(words[1:]):
        return False
    return is_beside_manifest or words[0].lower() in CONFIGURED or ".".join(words[:2]).lower() in CONFIGURED


def _surface_roles(tree: ModuleTree) -> Iterator[Role]:
    for package in tree.packages.by_directory.values():
        for path in installed_files(package, tree):
            if not is_test_path(path):
                yield Role(path, "surface", f"a module of the package `{package.name}`", package.manifest)


def _with_companions(roles: Iterable[Role], tree: ModuleTree) -> Iterator[Role]:
    """Yield the roles, and `companion` for the declaration file beside an entry; only `surface` is passed on as it is."""
    given: dict[tuple[str, str], Role] = {}
    for role in roles:
        given.setdefault((role.path, role.role), role)
        yield role
    for role in path_roles(tree.context):
        given.setdefault((role.path, role.role), role)
    for path, word in sorted(given):
        types = tree.files.types_of(path) if word in _PASSED_ON and tree.context.files.get(path) in FAMILY else ""
        said = "surface" if word == "surface" else "companion"
        if types in tree.context.files and (types, said) not in given:
            yield Role(types, said, f"the types of {path}")
