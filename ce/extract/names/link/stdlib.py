"""What the standard library of Python has: its modules, its classes, and their members; read from a table on first use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["is_stdlib_class", "is_stdlib_module", "is_stdlib_name", "stdlib_has", "stdlib_members"]


@dataclass(frozen=True, slots=True)
class _Table:
    modules: frozenset[str]
    tops: frozenset[str]
    members: tuple[str, ...]
    classes: dict[str, int]


@cache
def _table() -> _Table:
    document = json.loads(files("ce.extract.names.data").joinpath("stdlib_members.json").read_text(encoding="utf-8"))
    modules = frozenset(document["modules"].split())
    return _Table(modules, frozenset(name for name in modules if "." not in name), tuple(document["members"]), document["classes"])


def is_stdlib_name(name: str) -> bool:
    """Tell whether a dotted name starts with a module of the standard library."""
    return name.partition(".")[0] in _table().tops


def is_stdlib_module(name: str) -> bool:
    """Tell whether a dotted name is a module of the standard library."""
    return name in _table().modules


def is_stdlib_class(name: str) -> bool:
    """Tell whether a dotted name is a public class of the standard library."""
    return name in _table().classes


@cache
def stdlib_members(name: str) -> frozenset[str] | None:
    """Return the members of a public class of the standard library, None of anything else."""
    number = _table().classes.get(name)
    return None if number is None else frozenset(_table().members[number].split())


def stdlib_has(name: str, member: str) -> bool | None:
    """Tell whether a public class of the standard library has a member; None when it is no such class."""
    members = stdlib_members(name)
    return None if members is None else member in members
