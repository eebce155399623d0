"""What stands where in a term: names that are bound, called or read, names of parts, types, statements.

One table per language says which fields of which nodes bind, call and name parts; everything else is the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from ce.extract.measures.position_tables import TABLES, PositionTable
from ce.extract.measures.terms import Term

__all__ = ["Position", "Role", "Zone", "below", "is_name", "named_leaves", "start", "table_of"]


class Role(StrEnum):
    """What a node is to the code around it."""

    CODE = "expression"
    CALLEE = "callee"
    STATEMENT = "statement"
    BINDING = "binding"
    TARGET = "target"
    IMPORT = "import"
    MEMBER = "member"
    TYPE = "type"
    LABEL = "label"
    MACRO = "macro"
    GLOBAL = "global"
    DECORATED = "decorated"  # a definition that a decorator gets, and its name: the decorator may use the name


class Zone(StrEnum):
    """Which part of a function a node stands in."""

    HEAD = "head"
    SIGNATURE = "signature"
    BODY = "body"
    CLASS = "class"  # a class or an object inside of it, whose names are those of members


@dataclass(frozen=True, slots=True)
class Position:
    """The role of a node and the zone it stands in."""

    role: Role
    zone: Zone


_STICKY = frozenset({Role.TYPE, Role.MACRO, Role.LABEL, Role.IMPORT, Role.GLOBAL})
_TYPE = re.compile(
    r"type|.*_type|type_(?!conversion|spec|switch)\w+|.*type_identifier|lifetime|trait_bounds|.*_type_specifier|dotted_type|throws"
)
_THROUGH = re.compile(r".*(pattern|_list|declarator|_target|_name|tuple|parameters?)|list|parens|(typed|default)_\w+")


def table_of(language: str) -> PositionTable:
    """Return the table of a language; one without a table has no bindings."""
    return TABLES.get(language, PositionTable())


def start() -> Position:
    """Return the position of a function itself."""
    return Position(Role.STATEMENT, Zone.HEAD)


def below(table: PositionTable, at: Position, parent: Term, child: Term) -> Position:
    """Return the position of a child of a node at a position."""
    operator = ""
    if parent.kind in table.written:
        operator = next((other.text for other in parent.children if other.field == "operator"), "")
    return _below(table, at, parent.kind, operator, child.field, child.kind, child.named)


def named_leaves(table: PositionTable, root: Term, at: Position) -> Iterator[tuple[Term, Position]]:
    """Yield the leaves of a term that are names, in order, with their positions."""
    pending = [(root, at)]
    while pending:
        term, here = pending.pop()
        if term.children:
            pending.extend((child, below(table, here, term, child)) for child in reversed(term.children))
        elif is_name(table, term):
            yield term, here


def is_name(table: PositionTable, leaf: Term) -> bool:
    """Tell whether a leaf is a name."""
    return leaf.named and (leaf.kind.endswith("identifier") or leaf.kind in table.names)


@lru_cache(maxsize=1 << 14)
def _below(table: PositionTable, at: Position, parent: str, operator: str, field: str, kind: str, named: bool) -> Position:
    role = _role(table, at, parent, operator, field, kind, named)
    if role is Role.BINDING and at.zone is Zone.CLASS:
        role = Role.MEMBER
    return Position(role, _zone(table, at.zone, parent, field, kind))


def _role(table: PositionTable, at: Position, parent: str, operator: str, field: str, kind: str, named: bool) -> Role:
    if at.role in _STICKY:
        return at.role
    given = table.roles.get(f"{parent}.{field}") or table.roles.get(f"{parent}>{kind}")
    if at.role is Role.DECORATED and field == "name":
        return at.role
    if given is not None:
        return Role(given)
    if named and (field in ("type", "return_type") or _TYPE.fullmatch(kind)):
        return Role.TYPE
    written = table.written.get(parent, {}).get((field, operator))
    if written is not None:
        return Role(written)
    if parent in table.roles:
        return Role(table.roles[parent])
    if parent in table.blocks:
        return Role.STATEMENT
    if at.role in (Role.BINDING, Role.TARGET) and (_THROUGH.fullmatch(parent) or parent in table.patterns):
        return at.role
    return Role.CODE


def _zone(table: PositionTable, zone: Zone, parent: str, field: str, kind: str) -> Zone:
    if zone is not Zone.HEAD:
        if (parent == "class_definition" and field == "body") or kind in ("class_body", "object"):
            return Zone.CLASS
        return Zone.BODY if zone is Zone.CLASS and field in ("parameters", "parameter", "body") else zone
    if kind.endswith("declarator"):
        return zone
    if kind in table.signatures or field in ("parameters", "parameter", "receiver"):
        return Zone.SIGNATURE
    return Zone.BODY if field == "body" or kind in table.bodies else Zone.HEAD
