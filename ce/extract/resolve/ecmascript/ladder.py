"""The ladder of TypeScript, TSX, JavaScript, Vue and Svelte, put together from its modules; `imports.py` says what the rungs mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ce.extract.resolve.answer import Answer, external, resolved, unresolved
from ce.extract.resolve.context import Context, directory_of, join, normal_path
from ce.extract.resolve.ecmascript.conventions import conventions_of
from ce.extract.resolve.ecmascript.exports import Exports
from ce.extract.resolve.ecmascript.files import FAMILY
from ce.extract.resolve.ecmascript.found import EVIDENCE, OUTSIDE, RELATIVE, answers_of
from ce.extract.resolve.ecmascript.imports import ModuleTree
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.facts.records import Site

__all__ = ["LADDER", "Modules", "prepare", "resolve_site"]


class Modules:
    """The state of the ladder: how specifiers are found, what modules offer, and the answers that were given."""

    def __init__(self, context: Context) -> None:
        self.tree = ModuleTree(context)
        self.exports = Exports(self.tree)


def prepare(context: Context) -> Modules:
    """Return the state of the ladder for a tree."""
    return Modules(context)


def resolve_site(site: Site, file: str, state: Modules) -> tuple[Answer, ...]:
    """Return every file that a reference reaches."""
    return tuple(dict.fromkeys(_answers(site, file, state)))


def _answers(site: Site, file: str, state: Modules) -> Iterator[Answer]:
    if site.kind == "include" or site.kind == "src":
        yield _path_answer(site, file, state)
        return
    if site.kind == "library":
        yield from _types_answers(site, file, state)
        return
    found = state.tree.find(site.spec, file, is_require=site.kind == "require")
    names = tuple(dict.fromkeys(name for name, _ in site.names))
    target = "" if found.hit is None else found.hit.path or found.hit.types
    behind = []
    if target and found.rung != OUTSIDE:
        for name in names if names != ("*",) else ():
            behind += [
                Answer(
                    "resolved", found.rung, "file", path, via_reexport=True, mode="reexport", names=(original,), no_arc_to_itself=True
                )
                for path, original in state.exports.definitions(target, name)
            ]  # fmt: skip
    yield from answers_of(found, names, types_only=site.mode == "type")
    yield from behind
    for variant in state.tree.files.variants(target) if target else ():
        yield replace(resolved(variant, EVIDENCE), is_written=False)


def _path_answer(site: Site, file: str, state: Modules) -> Answer:
    """Return the file of a path that is relative to the file, with or without a dot."""
    if ":" in site.spec or site.spec.startswith("//"):
        return external(OUTSIDE)
    if site.kind == "src" and not site.spec.startswith("."):
        found = state.tree.find(site.spec, file)
        if found.hit is not None:
            return resolved(found.hit.path or found.hit.types, found.rung)
    path = normal_path(join(directory_of(file), site.spec.partition("?")[0]))
    hit = state.tree.files.find(path, typed=True) if path else None
    return resolved(hit.path, RELATIVE) if hit is not None else unresolved("empty" if not site.spec else "out_of_scope")


def _types_answers(site: Site, file: str, state: Modules) -> Iterator[Answer]:
    """Yield what `/// <reference types="x" />` means: a package, or a directory of declarations of the settings."""
    for config in state.tree.configs.of(file):
        for root in config.types:
            hit = state.tree.files.find(join(root, site.spec), typed=True)
            if hit is not None:
                yield resolved(hit.types or hit.path, OUTSIDE)
                return
    yield from answers_of(state.tree.find(site.spec, file), (), types_only=True)


def conventions(state: Modules) -> Conventions:
    """Return what conventions say about the tree."""
    return conventions_of(state.tree)


LADDER: Ladder[Modules] = Ladder(FAMILY, prepare, resolve_site, conventions)
