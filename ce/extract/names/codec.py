"""The names layer as bytes: compact JSON of columns, and the way back with every value checked.

A cache may have been written by anybody, so decoding trusts nothing: a blob that `encode_names` could not have written is a `ValueError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ce.extract.names.model import DEFINITION_KINDS, FLAGS, UNSCOPED, USE_KINDS, FileNames
from ce.extract.names.table import ROOT, NamesTable, file_names, names_table

__all__ = ["FORMAT", "decode_names", "decode_names_table", "encode_names", "encode_names_table"]

FORMAT = "names/1"
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_LARGEST = 2**31  # of any line or count
_INT = frozenset({int})
_TEXT = frozenset({str})
_PARTS = 26


def encode_names(names: FileNames) -> bytes:
    """Return the blob of the names of a file."""
    return encode_names_table(names_table(names))


def encode_names_table(table: NamesTable) -> bytes:
    """Return the blob of the columns of a file."""
    document = [
        FORMAT, table.texts, table.before, table.step, table.def_name, table.def_kind, table.def_parent, table.def_line, table.def_end,
        table.def_name_line, table.def_flags, table.use_owner, table.use_kind, table.use_line, table.use_target, table.use_argument,
        *([list(kept), list(kept.values())] for kept in (table.parameters, table.bases, table.decorators, table.values, table.imported)),
        table.strings, table.opaque, table.stars, table.problems, table.has_unreadable_exports,
    ]  # fmt: skip
    return _ENCODER.encode(document).encode("utf-8", "surrogatepass")


def decode_names(blob: bytes) -> FileNames:
    """Return the names that were encoded; any other bytes are a `ValueError`."""
    return file_names(decode_names_table(blob))


def decode_names_table(blob: bytes) -> NamesTable:
    """Return the columns that were encoded; any other bytes are a `ValueError`."""
    try:
        document = json.loads(blob.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not the names of a file: {error}") from None
    if not isinstance(document, list) or len(document) != _PARTS or document[0] != FORMAT:
        raise ValueError(f"not names of the format {FORMAT}")
    _, texts, before, step, *rest = document
    definitions, uses, kept, (strings, opaque, stars, problems, unreadable) = rest[:7], rest[7:12], rest[12:17], rest[17:]
    if not isinstance(texts, list) or not set(map(type, texts)) <= _TEXT or type(unreadable) is not bool:
        raise ValueError("a text is not a text")
    text_count = len(texts)
    count = len(definitions[0]) if isinstance(definitions[0], list) else 0
    if not count:
        raise ValueError("a file has no definition that stands for itself")
    _check_nodes(before, step, count, text_count)
    limits = ((0, text_count), (0, len(DEFINITION_KINDS)), (-1, count), (0, _LARGEST), (0, _LARGEST), (0, _LARGEST), (0, 1 << len(FLAGS)))
    _check_columns(definitions, limits)
    if any(parent >= number for number, parent in enumerate(definitions[2])) or min(definitions[2][1:], default=0) < 0:
        raise ValueError("a definition stands in one that does not come before it")
    nodes = len(before)
    _check_columns(uses, ((0, count), (0, len(USE_KINDS)), (0, _LARGEST), (0, nodes), (-1, text_count)))
    parameters, bases, decorators, values = (
        _keyed(part, count, most) for part, most in zip(kept[:4], (text_count, nodes, nodes, nodes), strict=True)
    )
    imported = _keyed(kept[4], count, _LARGEST)
    _check_imports([*imported.values()], text_count)
    _check_rows(strings, ((0, _LARGEST), (0, count), (0, text_count)))
    _check_rows(opaque, ((0, _LARGEST), (0, text_count), (0, text_count)))
    _check_imports(stars, text_count)
    _check(problems, 0, text_count)
    columns = [texts, before, step, *definitions, *uses, parameters, bases, decorators, values, imported, strings, opaque, stars, problems]
    table = NamesTable(*columns)
    table.has_unreadable_exports = unreadable
    return table


def _check_nodes(before: object, step: object, definitions: int, texts: int) -> None:
    _check(before, ROOT, _LARGEST)
    _check(step, UNSCOPED, _LARGEST)
    assert isinstance(before, list) and isinstance(step, list)
    if len(before) != len(step) or any(above >= number for number, above in enumerate(before)):
        raise ValueError("a path steps from one that does not come before it")
    if any(at >= (definitions if above == ROOT else texts) or (at < 0 and above != ROOT) for above, at in zip(before, step, strict=True)):
        raise ValueError("a path has a base or a step that does not exist")


def _check(column: object, low: int, high: int) -> None:
    if not isinstance(column, list) or not set(map(type, column)) <= _INT or (column and not low <= min(column) <= max(column) < high):
        raise ValueError("a column holds something else than its numbers")


def _check_columns(columns: Sequence[object], limits: Iterable[tuple[int, int]]) -> None:
    for column, (low, high) in zip(columns, limits, strict=True):
        _check(column, low, high)
        if len(column) != len(columns[0]):  # type: ignore[arg-type]  # both are lists: checked before
            raise ValueError("columns differ in length")


def _check_rows(rows: object, limits: Sequence[tuple[int, int]]) -> None:
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(limits) for row in rows):
        raise ValueError("rows are not of one length")
    if rows:
        _check_columns([list(column) for column in zip(*rows, strict=True)], limits)


def _check_imports(rows: object, texts: int) -> None:
    _check_rows(rows, ((0, texts), (0, _LARGEST), (0, texts), (0, _LARGEST)))


def _keyed(part: object, definitions: int, high: int) -> dict[int, list[int]]:
    """Return lists of numbers by definition."""
    if not isinstance(part, list) or len(part) != 2:
        raise ValueError("lists by definition are not two columns")
    keys, lists = part
    _check(keys, 0, definitions)
    if not isinstance(lists, list) or len(lists) != len(keys) or not all(isinstance(one, list) for one in lists):
        raise ValueError("lists by definition are not two columns")
    _check([number for one in lists for number in one], 0, high)
    return dict(zip(keys, lists, strict=True))
