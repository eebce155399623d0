"""What Cargo builds, and what is a program by itself.

| role | files |
|---|---|
| `declared`, `test`, `entry_dir` | the crate roots of packages, by the kind of their target; roots that the settings name |
| `script` | a file outside of every module tree that defines `main`: somebody hands it to the compiler |
"""

from __future__ import annotations

from collections.abc import Iterator

from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.rust.uses import LANGUAGE, RustTree
from ce.facts.records import Role

__all__ = ["conventions"]


def conventions(tree: RustTree) -> Conventions:
    """Return the roles of crate roots, dependencies, and places where macros declare modules under names of their own."""
    return Conventions(
        roles=tuple(_roles(tree)),
        manifest_deps=tuple((package.directory, needed.package) for package in tree.packages for needed in package.dependencies.values()),
        could_name_any=tuple(_macros(tree)),
    )


def _roles(tree: RustTree) -> Iterator[Role]:
    for package in tree.packages:
        for root in package.roots:
            yield Role(root.path, root.role, root.why, root.at)
    for path in tree.crate_roots:
        if path in tree.context.inputs.crate_roots:
            yield Role(path, "declared", "a crate root by the settings", "ce.toml")
        elif not tree.packages:
            yield Role(path, "declared", "a crate root by its name")
    for path in tree.files:
        line = tree.context.extractions[path].extra.get("main")
        if path not in tree.modules.roots_of and isinstance(line, int):
            yield Role(path, "script", "no module, and it defines `main`", f"{path}:{line}")


def _macros(tree: RustTree) -> Iterator[tuple[str, int, str, str]]:
    for path in tree.files:
        for site in tree.context.extractions[path].dynamic:
            if site.why == "macro":
                yield path, site.line, LANGUAGE, site.why
