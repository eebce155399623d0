"""One assembled relation as a self-contained buffer: columns, its own symbols, and where each row was read.

Columns hold ids of the tree's domains (`node`, `dir`, `unit`), numbers (`int`), or ranks in the relation's own
symbols (`sym`), so that a relation can be written and read without any other. Rows ascend and none occurs twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from ce.facts.assemble.labels import Labels, Malformed, pack_labels, unpack_labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Coded", "ColumnRows", "PackedTable", "Row", "pack_columns", "pack_table", "unpack_table"]

_MAGIC = b"ce-table1"
_CHUNK = 1 << 16

# The values of a fact in the order of the columns, then the path and the line where it was read (empty and 0 for none).
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PackedTable:
    """A relation as read back: `symbols` are its own, `places[place[row]]` and `line[row]` say where a row was read (-1: nowhere)."""

    sorts: tuple[str, ...]
    columns: tuple[NDArray[np.int64], ...]
    length: int
    symbols: Labels
    places: Labels
    place: NDArray[np.int32]
    line: NDArray[np.int32]

    def at(self, row: int) -> str | None:
        """Return `path:line` (or the path alone) of a row, or None."""
        place, line = int(self.place[row]), int(self.line[row])
        if place < 0:
            return None
        return f"{self.places[place]}:{line}" if line > 0 else self.places[place]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of texts as numbers into `texts`, which may hold more than the column uses, in any order, each once."""

    codes: NDArray[np.int64]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRows:
    """Rows by column, for whoever has many: texts (sorts `sym`, `node` and `dir`) are `Coded`, all else numbers; `lines` are 0 for none."""

    columns: tuple[NDArray[np.int64] | Coded, ...]
    places: Coded
    lines: NDArray[np.int64]


def pack_columns(sorts: Sequence[str], rows: ColumnRows, ids: Mapping[str, Mapping[str, int]]) -> bytes:
    """Return the relation of these rows as a buffer; rows that name a node or directory that `ids` does not have are left out."""
    import numpy as np

    kept = np.ones(len(rows.lines), dtype=np.bool_)
    symbols: dict[str, int] = {}
    columns = []
    for sort, column in zip(sorts, rows.columns, strict=True):
        if not isinstance(column, Coded):
            columns.append(column)
            continue
        used = np.unique(column.codes)
        number = np.full(len(column.texts), -1, dtype=np.int64)
        texts = [column.texts[code] for code in used.tolist()]
        known = ids.get(sort)
        if known is None:
            number[used] = [symbols.setdefault(text, len(symbols)) for text in texts]
        else:
            number[used] = [known.get(text, -1) for text in texts]
        numbered = number[column.codes]
        kept &= numbered >= 0
        columns.append(numbered)
    used = np.unique(rows.places.codes)
    place_of = np.zeros(len(rows.places.texts), dtype=np.int64)
    places = {rows.places.texts[code]: at for at, code in enumerate(used.tolist())}
    place_of[used] = np.arange(len(used))
    return _pack(sorts, [column[kept] for column in columns], place_of[rows.places.codes][kept], rows.lines[kept], symbols, places)


def pack_table(sorts: Sequence[str], rows: Iterable[Row], ids: Mapping[str, Mapping[str, int]]) -> bytes:
    """Return the relation of these rows as a buffer; `ids` numbers the labels of each domain.

    Values of the sorts `node` and `dir` are labels or ids, of the others ids. Of equal rows the first place stays.
    """
    symbols: dict[str, int] = {}
    places: dict[str, int] = {}
    numberings = [symbols if sort == "sym" else ids.get(sort) for sort in sorts]
    *columns, place, line = _columns(rows, [*numberings, places, None], grows=(symbols, places))
    return _pack(sorts, columns, place, line, symbols, places)


def _pack(
    sorts: Sequence[str],
    columns: list[NDArray[np.int64]],
    place: NDArray[np.int64],
    line: NDArray[np.int64],
    symbols: Mapping[str, int],
    places: Mapping[str, int],
) -> bytes:
    """Return numbered rows as a buffer; `symbols` and `places` are numbered in any order."""
    import numpy as np

    symbol_texts, symbol_rank = _ranked(symbols)
    place_texts, place_rank = _ranked(places)
    columns = [symbol_rank[column] if sort == "sym" else column for column, sort in zip(columns, sorts, strict=True)]
    place = place_rank[place]
    if place_texts[:1] == [""]:  # the empty text sorts first: no place
        place_texts = place_texts[1:]
        place = place - 1
    order = np.lexsort((line, place, *reversed(columns)))
    columns = [column[order] for column in columns]
    first = _first_of_equals(columns, len(order))
    columns = [column[first] for column in columns]
    count = len(columns[0])
    offsets, text = pack_labels(symbol_texts)
    place_offsets, place_text = pack_labels(place_texts)
    buffers = [
        *(column.astype("<i8").tobytes() for column in columns),
        place[order][first].astype("<i4").tobytes(),
        line[order][first].astype("<i4").tobytes(),
        offsets,
        text,
        place_offsets,
        place_text,
    ]
    header = json.dumps([list(sorts), count, [len(buffer) for buffer in buffers]]).encode()
    return b"".join([_MAGIC, len(header).to_bytes(4, "little"), header, *buffers])


def unpack_table(data: bytes, sorts: Sequence[str], sizes: Mapping[str, int]) -> PackedTable:
    """Return the relation of a buffer, or raise Malformed; `sizes` counts the labels of each domain."""
    import numpy as np

    count, buffers = _buffers(data, sorts)
    arity = len(sorts)
    if any(len(buffer) != 8 * count for buffer in buffers[:arity]) or any(
        len(buffer) != 4 * count for buffer in buffers[arity : arity + 2]
    ):
        raise Malformed("the columns of a relation differ in length")
    columns = tuple(np.frombuffer(buffer, dtype="<i8").astype(np.int64, copy=False) for buffer in buffers[:arity])
    place, line = (np.frombuffer(buffer, dtype="<i4").astype(np.int32, copy=False) for buffer in buffers[arity : arity + 2])
    symbols = unpack_labels(buffers[arity + 2], buffers[arity + 3])
    places = unpack_labels(buffers[arity + 4], buffers[arity + 5])
    for column, sort in zip(columns, sorts, strict=True):
        size = len(symbols) if sort == "sym" else sizes.get(sort)
        if size is not None and not _within(column, 0, size):
            raise Malformed("a relation names an id that its domain does not have")
    if not _within(place, -1, len(places)):
        raise Malformed("a relation names a place that it does not have")
    return PackedTable(tuple(sorts), columns, count, symbols, places, place, line)


def _buffers(data: bytes, sorts: Sequence[str]) -> tuple[int, list[memoryview]]:
    start = len(_MAGIC) + 4
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start:
        raise Malformed("not a relation")
    end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    try:
        found_sorts, count, lengths = json.loads(data[start:end])
        plain = found_sorts == list(sorts) and isinstance(count, int) and all(isinstance(length, int) and length >= 0 for length in lengths)
    except (ValueError, TypeError, RecursionError) as error:
        raise Malformed("the header of a relation is unreadable") from error
    if not plain or len(lengths) != len(sorts) + 6 or end + sum(lengths) != len(data):
        raise Malformed("the header of a relation does not fit it")
    view = memoryview(data)
    buffers = []
    for length in lengths:
        buffers.append(view[end : end + length])
        end += length
    return count, buffers


def _columns(
    rows: Iterable[Row], numberings: Sequence[dict[str, int] | Mapping[str, int] | None], grows: tuple[dict[str, int], ...]
) -> list[NDArray[np.int64]]:
    """Return the columns of the rows as numbers, a part of the rows at a time; a numbering in `grows` takes up new texts."""
    import numpy as np

    parts: list[list[NDArray[np.int64]]] = [[np.zeros(0, dtype=np.int64)] for _ in numberings]
    iterator = iter(rows)
    while chunk := list(islice(iterator, _CHUNK)):
        for column, numbering, collected in zip(zip(*chunk, strict=True), numberings, parts, strict=True):
            numbers: Iterable[int] = cast(Iterable[int], column)
            if any(numbering is growing for growing in grows):
                known = cast(dict[str, int], numbering)
                numbers = (known.setdefault(text, len(known)) for text in cast(Iterable[str], column))
            elif numbering is not None:
                fixed = numbering
                numbers = (value if isinstance(value, int) else fixed[cast(str, value)] for value in column)
            collected.append(np.fromiter(numbers, dtype=np.int64, count=len(chunk)))
    return [np.concatenate(collected) for collected in parts]


def _ranked(numbers: Mapping[str, int]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the texts in ascending order, and for each number the rank of its text."""
    import numpy as np

    texts = sorted(numbers)
    rank = np.zeros(len(texts), dtype=np.int64)
    rank[np.fromiter((numbers[text] for text in texts), dtype=np.int64, count=len(texts))] = np.arange(len(texts))
    return texts, rank


def _first_of_equals(columns: Sequence[NDArray[np.int64]], length: int) -> NDArray[np.bool_]:
    """Tell for each row of sorted columns whether it differs from the row before."""
    import numpy as np

    first = np.zeros(length, dtype=np.bool_)
    first[:1] = True
    for column in columns:
        first[1:] |= column[1:] != column[:-1]
    return first


def _within(column: NDArray[np.int64] | NDArray[np.int32], low: int, high: int) -> bool:
    return not len(column) or (int(column.min()) >= low and int(column.max()) < high)
