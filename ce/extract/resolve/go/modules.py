"""`go.mod` and `go.work` as values: the path of a module, what it needs, what it replaces, which modules a workspace uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ce.extract.resolve.context import Context, directory_of, join, normal_path
from ce.facts.manifests import decode

__all__ = ["Module", "Replacement", "Workspace", "read_modules", "read_workspaces"]

_WORD = re.compile(r'"((?:\\.|[^"\\])*)"|`([^`]*)`|(//.*)|([^\s"`]+)')
_LOCAL = ("./", "../", "/")


@dataclass(frozen=True, slots=True)
class Replacement:
    """`replace old => new`: `directory` is set when the new one is in the tree, `path` when it is another module."""

    old: str
    path: str
    directory: str | None


@dataclass(frozen=True, slots=True)
class Module:
    """One `go.mod`. `needs` are the paths of the modules it requires."""

    directory: str
    manifest: str
    path: str
    needs: tuple[str, ...]
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Workspace:
    """One `go.work`: the directories of the modules it uses."""

    directory: str
    uses: frozenset[str]
    replacements: tuple[Replacement, ...]


def read_modules(context: Context) -> tuple[Module, ...]:
    """Return the modules of the tree that have a path, those nearer to the root first."""
    found = []
    for manifest in context.manifests_named("go.mod"):
        directory = directory_of(manifest)
        lines = list(_lines(context.manifests[manifest]))
        path = next((words[1] for words in lines if words[0] == "module" and len(words) > 1), "")
        if not path:
            context.problems.append(f"{manifest}: names no module")
            continue
        needs = tuple(words[1] for words in lines if words[0] == "require" and len(words) > 1)
        found.append(Module(directory, manifest, path.strip("/"), needs, tuple(_replacements(lines, directory))))
    return tuple(found)


def read_workspaces(context: Context) -> tuple[Workspace, ...]:
    """Return the workspaces of the tree, those nearer to the root first."""
    found = []
    for manifest in context.manifests_named("go.work"):
        directory = directory_of(manifest)
        lines = list(_lines(context.manifests[manifest]))
        used = [normal_path(join(directory, words[1])) for words in lines if words[0] == "use" and len(words) > 1]
        uses = frozenset(path for path in used if path is not None)
        found.append(Workspace(directory, uses, tuple(_replacements(lines, directory))))
    return tuple(found)


def _lines(data: bytes) -> Iterator[list[str]]:
    """Yield the words of every directive; a line in a block has the word of its block first."""
    block = ""
    for line in decode(data).splitlines():
        words = []
        for quoted, raw, comment, plain in _WORD.findall(line):
            if comment or plain.startswith("//"):
                break
            words.append(quoted or raw or plain)
        if not words:
            continue
        if block and words == [")"]:
            block = ""
        elif block:
            yield [block, *words]
        elif words[-1] == "(" and len(words) == 2:
            block = words[0]
        else:
            yield words


def _replacements(lines: list[list[str]], directory: str) -> Iterator[Replacement]:
    for words in lines:
        if words[0] != "replace" or "=>" not in words:
            continue
        arrow = words.index("=>")
        if arrow < 2 or arrow + 1 >= len(words):
            continue
        old, new = words[1], words[arrow + 1]
        if new.startswith(_LOCAL) or new in (".", ".."):
            # A directory outside of the tree is one that holds nothing here.
            yield Replacement(old, "", normal_path(join(directory, new)) if not new.startswith("/") else None)
        else:
            yield Replacement(old, new, None)
