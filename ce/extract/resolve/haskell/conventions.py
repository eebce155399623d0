"""What Cabal builds and test frameworks discover without an import.

| role | files |
|---|---|
| `declared` | main files of executables, modules that a library exposes, the setup script of a package |
| `test`, `entry_dir` | main files of test suites and of benchmarks |
| `script` | a file of the module `Main` that no description names: somebody runs it |

A file that a preprocessor such as `hspec-discover` fills refers to the modules that it finds below its directory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ce.extract.resolve.context import base_name, directory_of, join
from ce.extract.resolve.haskell.cabal import Package, Stanza
from ce.extract.resolve.haskell.imports import LANGUAGE, SETUP_SCRIPTS, HaskellTree, module_file
from ce.extract.resolve.ladder import Conventions
from ce.facts.records import Edge, Role

__all__ = ["conventions"]

_MAIN_ROLES = {"executable": "declared", "foreign-library": "declared", "test-suite": "test", "benchmark": "entry_dir"}
_DISCOVERERS = {"hspec-discover": "Spec.hs", "sydtest-discover": "Spec.hs", "tasty-discover": ".hs", "hedgehog-discover": ".hs"}


def conventions(tree: HaskellTree) -> Conventions:
    """Return the roles of components, dependencies, and the modules that discoverers find."""
    needs = {
        (package.directory, need)
        for package in tree.packages
        for stanza in package.stanzas
        for need in stanza.needs
        if ":" not in need and need not in (package.name, *(library.name for library in package.libraries))
    }
    return Conventions(roles=tuple(_roles(tree)), edges=tuple(_discovered(tree)), manifest_deps=tuple(sorted(needs)))


def _roles(tree: HaskellTree) -> Iterator[Role]:
    named = set()
    for package in tree.packages:
        for stanza in package.stanzas:
            for role in _component(package, stanza, tree):
                named.add(role.path)
                yield role
        for script in SETUP_SCRIPTS:
            setup = join(package.directory, script)
            if tree.context.files.get(setup) == LANGUAGE:
                yield Role(setup, "declared", f"the setup script of `{package.name}`", f"{package.manifest}:1")
    for path in tree.files:
        extraction = tree.context.extractions[path]
        # Without a header a file is a program, unless it holds none: then it is included somewhere.
        has_main = any(unit.name == "main" and unit.parent < 0 for unit in extraction.units)
        if path not in named and extraction.extra.get("module") in ("", "Main") and has_main:
            yield Role(path, "script", "a program by itself: the module `Main`", f"{path}:1")


def _component(package: Package, stanza: Stanza, tree: HaskellTree) -> Iterator[Role]:
    def at(item: str) -> str:
        return f"{package.manifest}:{stanza.lines.get(item, stanza.line)}"

    role = _MAIN_ROLES.get(stanza.kind)
    if role is not None and stanza.main:
        for root in stanza.roots:
            path = join(root, stanza.main)
            if tree.context.files.get(path) == LANGUAGE:
                yield Role(path, role, f"the main file of the {stanza.kind} `{stanza.name or package.name}`", at(stanza.main))
    if stanza.kind not in ("library", "foreign-library"):
        return
    why = f"a module that the library `{stanza.name or package.name}` exposes"
    for name in sorted(stanza.exposed):
        for root in stanza.roots:
            file = module_file(root, name, tree.context)
            if file is not None and file in tree.context.files:
                yield Role(file, "declared", why, at(name))
    if stanza.takes_all:
        for root in stanza.roots:
            for path in tree.context.below(root):
                if tree.context.files[path] == LANGUAGE:
                    yield Role(path, "declared", why, at(""))


def _discovered(tree: HaskellTree) -> Iterator[Edge]:
    for path in tree.files:
        program = tree.context.extractions[path].extra.get("preprocessor")
        end = _DISCOVERERS.get(program) if isinstance(program, str) else None
        if end is None:
            continue
        for other in tree.context.below(directory_of(path)):
            if other != path and tree.context.files[other] == LANGUAGE and base_name(other).endswith(end):
                yield Edge(path, other, "import", 5, 1)
