"""A few relations over a tree, as the fact schema has them, that stay what they are when the schema grows: goldens show them."""

from __future__ import annotations

from ce.datalog.checked import SchemaRelation

__all__ = ["SMALL_SCHEMA"]

_NODE_KINDS = ("file", "pkg", "section", "asset", "prose")
_EDGE_KINDS = ("import", "doc_link", "doc_ref", "asset", "contain", "refdef")
_ROLES = ("entry_named", "entry_dir", "test", "glob", "doc", "allow")
_CLONE_KINDS = ("t1", "t2", "t1t2", "t3")

_Column = tuple[str, str] | tuple[str, str, tuple[str, ...]]


def _relation(name: str, *columns: _Column) -> SchemaRelation:
    vocabularies = tuple(column[2] if len(column) == 3 else None for column in columns)
    return SchemaRelation(name, tuple(column[0] for column in columns), tuple(column[1] for column in columns), "", vocabularies)


SMALL_SCHEMA = (
    _relation("node", ("N", "node"), ("K", "sym", _NODE_KINDS)),
    _relation("file", ("F", "node")),
    _relation("in_dir", ("N", "node"), ("D", "dir")),
    _relation("dir", ("D", "dir")),
    _relation("lang", ("F", "node"), ("L", "sym")),
    _relation("role", ("N", "node"), ("R", "sym", _ROLES)),
    _relation("lines", ("F", "node"), ("N", "int")),
    _relation("ref", ("N", "node"), ("M", "node"), ("K", "sym", _EDGE_KINDS), ("R", "int")),
    _relation("unit", ("U", "unit"), ("F", "node")),
    _relation("named", ("U", "unit"), ("S", "sym")),
    _relation("calls", ("U", "unit"), ("S", "sym")),
    _relation("clone", ("U", "unit"), ("V", "unit"), ("K", "sym", _CLONE_KINDS)),
    _relation("dup", ("F", "node"), ("G", "node"), ("N", "int")),
    _relation("owner", ("F", "node"), ("S", "sym")),
    _relation("set", ("S", "sym"), ("F", "node")),
    _relation("path_of", ("F", "node"), ("S", "sym")),
)
