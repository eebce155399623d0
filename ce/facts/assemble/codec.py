"""A resolution as bytes and back, every value checked: the bytes may come from a cache that anybody wrote."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from ce.facts.assemble.labels import Malformed
from ce.facts.records import Edge, EntryPoint, Outcome, Resolution, Role

__all__ = ["decode_resolution", "encode_resolution"]

_FORMAT = "resolution/2"
_RECORDS: dict[str, type] = {"outcomes": Outcome, "edges": Edge, "roles": Role, "entry_points": EntryPoint}
_ROWS: dict[str, tuple[str, ...]] = {
    "imported_names": ("str", "str", "str", "int"),
    "manifest_deps": ("str", "str"),
    "unit_refs": ("str", "int", "str", "int", "str"),
    "could_name": ("str", "int", "str", "str"),
    "could_name_any": ("str", "int", "str", "str"),
}


def encode_resolution(resolution: Resolution) -> bytes:
    """Return the resolution as bytes. Texts are numbered, because few of them are repeated many times."""
    numbers: dict[str, int] = {}
    columns: list[list[object]] = []
    for name in _RECORDS:
        values = getattr(resolution, name)
        columns += [_numbered(kind, [getattr(value, field) for value in values], numbers) for field, kind in _fields(name)]
    for name, kinds in _ROWS.items():
        rows = getattr(resolution, name)
        columns += [_numbered(kind, [row[position] for row in rows], numbers) for position, kind in enumerate(kinds)]
    columns += [_numbered("str", [*resolution.problems], numbers), _numbered("str", [*resolution.project_kind], numbers)]
    return json.dumps([_FORMAT, list(numbers), columns], separators=(",", ":")).encode()


def decode_resolution(data: bytes) -> Resolution:
    """Return the resolution that was encoded, or raise Malformed."""
    try:
        form, texts, encoded = json.loads(data)
        if form != _FORMAT or not _all_of(str, texts):
            raise Malformed("not a resolution")
        columns = iter(encoded)
        values: dict[str, Any] = {}
        for name, record in _RECORDS.items():
            parts = [_restored(kind, next(columns), texts) for _, kind in _fields(name)]
            values[name] = tuple(record(*row) for row in zip(*parts, strict=True))
        for name, kinds in _ROWS.items():
            values[name] = tuple(zip(*[_restored(kind, next(columns), texts) for kind in kinds], strict=True))
        values["problems"] = tuple(_restored("str", next(columns), texts))
        kind, why = _restored("str", next(columns), texts)
        return Resolution(**values, project_kind=(kind, why))
    except (ValueError, TypeError, IndexError, StopIteration, RecursionError) as error:
        raise Malformed(f"not a resolution: {error}") from error


def _fields(name: str) -> list[tuple[str, str]]:
    return [(field.name, str(field.type)) for field in fields(_RECORDS[name])]


def _numbered(kind: str, column: list[Any], numbers: dict[str, int]) -> list[object]:
    if kind == "str":
        return [numbers.setdefault(text, len(numbers)) for text in column]
    if kind == "tuple[str, ...]":
        return [[numbers.setdefault(text, len(numbers)) for text in texts] for texts in column]
    return column


def _restored(kind: str, column: list[Any], texts: list[str]) -> list[Any]:
    """Return the values of a column; a negative number would count from the end, so the least is looked at."""
    if kind in ("int", "bool"):
        if _all_of({"int": int, "bool": bool}[kind], column):
            return column
    elif kind == "str":
        if _all_of(int, column) and min(column, default=0) >= 0:
            return [texts[number] for number in column]
    elif all(_all_of(int, numbers) and min(numbers, default=0) >= 0 for numbers in column):
        return [tuple(texts[number] for number in numbers) for numbers in column]
    raise Malformed(f"a column of {kind} holds something else")


def _all_of(kind: type, values: Any) -> bool:
    return isinstance(values, list) and set(map(type, values)) <= {kind}
