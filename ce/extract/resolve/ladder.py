"""What a language brings: how one of its sites resolves, and what its conventions say about the tree.

The package docstring tells how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ce.extract.resolve.answer import Answer
from ce.extract.resolve.context import Context
from ce.facts.records import Edge, EntryPoint, Role, Site

__all__ = ["Conventions", "Ladder"]

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Conventions:
    """What a language adds beside the outcomes of its sites, in any order.

    `edges` are references that no site opens: a dotted text that names a file, a pattern of a dynamic import. `could_name` and
    `could_name_any` are as in `records.Resolution`.
    """

    roles: tuple[Role, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    edges: tuple[Edge, ...] = ()
    could_name: tuple[tuple[str, int, str, str], ...] = ()
    could_name_any: tuple[tuple[str, int, str, str], ...] = ()
    manifest_deps: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ladder(Generic[State]):
    """The ladder of some languages.

    `prepare` builds the state of the ladder once for a tree that holds a file of the languages; `resolve_site` ends every site in at
    least one answer; `conventions` is asked once. `members` says for directories that are packages of the language which files
    they hold; without it, or for any other directory, a package holds every file below it.
    """

    languages: tuple[str, ...]
    prepare: Callable[[Context], State]
    resolve_site: Callable[[Site, str, State], tuple[Answer, ...]]
    conventions: Callable[[State], Conventions]
    members: Callable[[State], Mapping[str, tuple[str, ...]]] | None = None
