"""A resolution as bytes and back, every value checked: the bytes may come from a cache that anybody wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from ce.facts.assemble.labels import Malformed
from ce.facts.records import Edge, EntryPoint, Outcome, Resolution, Role

__all__ = ["decode_resolution", "encode_resolution"]

_FORMAT = "resolution/1"
_RECORDS: dict[str, type] = {"outcomes": Outcome, "edges": Edge, "roles": Role, "entry_points": EntryPoint}
_ROWS: dict[str, tuple[type, ...]] = {
    "imported_names": (str, str, str, int),
    "manifest_deps": (str, str),
    "unit_refs": (str, int, str, int, str),
    "could_name": (str, int, str, str),
    "could_name_any": (str, int, str, str),
}
_T = TypeVar("_T")


def encode_resolution(resolution: Resolution) -> bytes:
    """Return the resolution as bytes."""
    document: list[object] = [_FORMAT]
    for name, record in _RECORDS.items():
        names = [field.name for field in fields(record)]
        values = getattr(resolution, name)
        document.append([[getattr(value, field) for value in values] for field in names])
    document += [getattr(resolution, name) for name in _ROWS]
    document += [resolution.problems, resolution.project_kind]
    return json.dumps(document, separators=(",", ":")).encode()


def decode_resolution(data: bytes) -> Resolution:
    """Return the resolution that was encoded, or raise Malformed."""
    try:
        document = json.loads(data)
        if not isinstance(document, list) or len(document) != 3 + len(_RECORDS) + len(_ROWS) or document[0] != _FORMAT:
            raise Malformed("not a resolution")
        parts = iter(document[1:])
        values: dict[str, Any] = {name: _records(record, next(parts)) for name, record in _RECORDS.items()}
        values |= {name: _rows(types, next(parts)) for name, types in _ROWS.items()}
        values["problems"] = tuple(text for (text,) in _rows((str,), [[text] for text in next(parts)]))
        (values["project_kind"],) = _rows((str, str), [next(parts)])
        return Resolution(**values)
    except (ValueError, TypeError, RecursionError) as error:
        raise Malformed(f"not a resolution: {error}") from error


def _records(record: type[_T], columns: Sequence[Sequence[Any]]) -> tuple[_T, ...]:
    kinds = [(field.name, field.type) for field in fields(record)]  # type: ignore[arg-type]  # only dataclasses are in the table
    if len(columns) != len(kinds):
        raise Malformed("a record has other fields")
    return tuple(record(*row) for row in zip(*map(_column, kinds, columns), strict=True))


def _column(kind: tuple[str, Any], column: Sequence[Any]) -> Sequence[Any]:
    name, declared = kind
    if declared == "tuple[str, ...]":
        shared: dict[tuple[str, ...], tuple[str, ...]] = {}
        tuples = [shared.setdefault(row, row) for row in map(tuple, column)]
        if all(type(text) is str for row in shared for text in row):
            return tuples
    elif set(map(type, column)) <= {{"str": str, "int": int, "bool": bool}[declared]}:
        return column
    raise Malformed(f"the field {name} holds something else")


def _rows(types: tuple[type, ...], rows: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    if any(len(row) != len(types) for row in rows):
        raise Malformed("a row has another length")
    for position, kind in enumerate(types):
        if not {type(row[position]) for row in rows} <= {kind}:
            raise Malformed("a row holds something else")
    return tuple(map(tuple, rows))
