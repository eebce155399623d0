"""Facts from rows of Python values and from tab-separated files, and rows back into files.

`NAME.facts` holds the rows of relation NAME, one a line, values separated by tabs, as other Datalog engines read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ce.datalog.database import Database, Domain, Table
from ce.datalog.interning import HashCollision, Interner
from ce.datalog.kernels import Ints, distinct
from ce.datalog.packing import BitPacking, column_range
from ce.datalog.tsv import BadField, Bytes, blocks, fields, integers, spell
from ce.diagnostics import CeError, Diagnostic, Severity, Span

__all__ = ["database_from_rows", "load_facts", "write_rows"]

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1
# Faults of one file that are listed; the rest would be more of the same.
_LISTED = 5
# Rows that are spelt out at once.
_WRITTEN_ROWS = 1 << 14

Value = int | str


def database_from_rows(facts: Mapping[str, Iterable[tuple[Value, ...]]], sorts: Mapping[str, tuple[str, ...]]) -> Database:
    """Return the database of some rows of numbers and names. Raises CeError for every relation with a row that does not fit its sorts."""
    rows = {name: [tuple(row) for row in given] for name, given in facts.items()}
    problems = [problem for name in rows for problem in _problems(name, rows[name], sorts[name])]
    if problems:
        raise CeError(tuple(problems))
    texts: dict[str, set[str]] = {}
    for name, given in rows.items():
        for place, sort in enumerate(sorts[name]):
            if sort != "int":
                texts.setdefault(sort, set()).update(row[place] for row in given)  # type: ignore[misc]  # `_problems` saw to it that they are names
    domains = {sort: Domain(sort, sorted(found)) for sort, found in texts.items()}
    ids = {sort: {label: number for number, label in enumerate(domain.labels)} for sort, domain in domains.items()}
    tables = {}
    for name, given in rows.items():
        columns = [
            np.array([row[place] if sort == "int" else ids[sort][str(row[place])] for row in given], dtype=np.int64)
            for place, sort in enumerate(sorts[name])
        ]
        tables[name] = _table(name, sorts[name], columns, len(given))
    return Database(tables, domains)


def load_facts(directory: Path, declarations: Mapping[str, tuple[str, ...]], warnings: list[Diagnostic] | None = None) -> Database:
    """Return the database of `NAME.facts` for every declared relation, given by its sorts.

    A relation without a file is empty, which is noted in `warnings`. Raises CeError that names file, line and column of bad rows.
    """
    try:
        return _load(directory, declarations, [] if warnings is None else warnings, Interner)
    except HashCollision:
        return _load(directory, declarations, [], _PlainInterner)


def write_rows(path: Path, columns: Sequence[Ints], length: int, labels: Sequence[Sequence[str] | None]) -> None:
    """Write rows as a tab-separated file; `labels` gives the names of a column of names, None for one of numbers."""
    with path.open("wb") as file:
        if not columns:
            file.write(b"()\n" * length)
        for low in range(0, length if columns else 0, _WRITTEN_ROWS):
            file.write(spell([column[low : low + _WRITTEN_ROWS] for column in columns], labels))


def _load(
    directory: Path,
    declarations: Mapping[str, tuple[str, ...]],
    warnings: list[Diagnostic],
    make: Callable[[], Interner] | type[_PlainInterner],
) -> Database:
    interners: dict[str, Interner | _PlainInterner] = {}
    problems: list[Diagnostic] = []
    read: dict[str, tuple[list[Ints], int]] = {}
    for name, sorts in declarations.items():
        path = directory / f"{name}.facts"
        for sort in sorts:
            if sort != "int" and sort not in interners:
                interners[sort] = make()
        if not path.is_file():
            warnings.append(_remark("CE421", f"no facts for `{name}`: there is no file {path}", None, Severity.WARNING))
            read[name] = ([np.empty(0, dtype=np.int64) for _ in sorts], 0)
            continue
        try:
            read[name] = _read(path, sorts, interners, problems)
        except OSError as error:
            problems.append(_remark("CE422", f"cannot read {path}: {error.strerror}", None))
    if problems:
        raise CeError(tuple(problems))
    finished = {sort: interner.finish() for sort, interner in interners.items()}
    domains = {sort: Domain(sort, labels) for sort, (labels, _) in finished.items()}
    tables = {}
    for name, sorts in declarations.items():
        columns, length = read.pop(name)
        columns = [column if sort == "int" else finished[sort][1].ids(column) for column, sort in zip(columns, sorts, strict=True)]
        tables[name] = _table(name, sorts, columns, length, _locator(directory / f"{name}.facts", sorts, columns, domains))
    return Database(tables, domains)


def _read(
    path: Path, sorts: tuple[str, ...], interners: Mapping[str, Interner | _PlainInterner], problems: list[Diagnostic]
) -> tuple[list[Ints], int]:
    """Return the columns of a file, names as what their interner gives out, and its number of lines."""
    parts: list[list[Ints]] = [[] for _ in sorts]
    lines = 0
    faults = 0
    with path.open("rb") as file:
        for block in blocks(file):
            if not sorts:
                lines = 1
                continue
            try:
                starts, lengths = fields(block, len(sorts))
                _demand_text(block, starts)
                for place, sort in enumerate(sorts):
                    begin, size = np.ascontiguousarray(starts[:, place]), np.ascontiguousarray(lengths[:, place])
                    parts[place].append(_numbers(block, begin, size, place) if sort == "int" else interners[sort].add(block, begin, size))
                lines += len(starts)
            except BadField as bad:
                problems.append(_bad_field(path, block, lines, bad))
                faults += 1
                if faults == _LISTED:
                    break
                lines += int(np.count_nonzero(block == ord("\n")))
    columns = []
    for own in parts:
        columns.append(np.concatenate(own) if own else np.empty(0, dtype=np.int64))
        own.clear()
    return columns, lines


def _numbers(block: Bytes, starts: Ints, lengths: Ints, place: int) -> Ints:
    values, bad = integers(block, starts, lengths)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        text = block[starts[row] : starts[row] + lengths[row]].tobytes().decode(errors="replace")
        is_number = text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()
        what = f"`{text}` does not fit in 64 bits" if is_number else f"`{text}` is not an integer"
        raise BadField(row, place, what)
    return values


def _demand_text(block: Bytes, starts: Ints) -> None:
    if int(block.max()) < 0x80:
        return
    try:
        block.tobytes().decode()
    except UnicodeDecodeError as error:
        at = int(starts.reshape(-1).searchsorted(error.start, side="right")) - 1
        raise BadField(at // starts.shape[1], at % starts.shape[1], f"byte 0x{block[error.start]:02x} is not UTF-8") from None


def _bad_field(path: Path, block: Bytes, lines: int, bad: BadField) -> Diagnostic:
    text = block[:-8].tobytes().split(b"\n")[bad.row]
    column = len(b"\t".join(text.split(b"\t")[: bad.field]).decode(errors="replace")) + (bad.field > 0) + 1
    span = Span(str(path), lines + bad.row + 1, column, lines + bad.row + 1, column + 1)
    return _remark(
        "CE423", bad.message if bad.message.startswith("`") or bad.message.startswith("byte") else f"the row {bad.message}", span
    )


def _locator(path: Path, sorts: tuple[str, ...], columns: Sequence[Ints], domains: Mapping[str, Domain]) -> Callable[[int], str | None]:
    """Return what finds the line of a row, by reading the file again: proofs ask for few."""

    def at(row: int) -> str | None:
        values = (
            str(int(column[row])) if sort == "int" else domains[sort].labels[int(column[row])]
            for sort, column in zip(sorts, columns, strict=True)
        )
        line = "\t".join(values).encode()
        try:
            text = b"\n" + path.read_bytes().replace(b"\r\n", b"\n") + b"\n"
        except OSError:
            return None
        found = text.find(b"\n" + line + b"\n")
        return None if found < 0 else f"{path}:{text.count(bytes((10,)), 0, found) + 1}"

    return at


def _table(name: str, sorts: tuple[str, ...], columns: list[Ints], length: int, at: Callable[[int], str | None] | None = None) -> Table:
    """Return the table of some rows, sorted, each once."""
    if not sorts:
        return Table(name, sorts, (), min(length, 1), at)
    ranges = [column_range(column) for column in columns]
    if sum((high - low).bit_length() for low, high in ranges) <= 63:
        packing = BitPacking(ranges)
        codes = packing.encode(columns, length)
        if not (codes[1:] > codes[:-1]).all():
            codes = distinct(codes)
            for place in range(len(columns)):
                columns[place] = packing.decode(codes, place)
    else:
        order = np.lexsort(columns[::-1])
        ordered = [column[order] for column in columns]
        fresh = np.ones(length, dtype=np.bool_)
        fresh[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
        columns[:] = [column[fresh] for column in ordered]
    return Table(name, sorts, tuple(columns), columns[0].size, at)


class _PlainInterner:
    """Interns through a dictionary: what is used when two names share a hash."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def add(self, buffer: Bytes, starts: Ints, lengths: Ints) -> Ints:
        """Return a number for each name."""
        seen = self._seen
        names = (buffer[start : start + length].tobytes() for start, length in zip(starts.tolist(), lengths.tolist(), strict=True))
        return np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.int64)

    def finish(self) -> tuple[Sequence[str], _Places]:
        """Return the names in order, and what turns numbers into ids."""
        ordered = sorted(self._seen)
        ids = np.empty(len(ordered), dtype=np.int64)
        ids[[self._seen[name] for name in ordered]] = np.arange(len(ordered))
        return [name.decode() for name in ordered], _Places(ids)


class _Places:
    def __init__(self, ids: Ints) -> None:
        self._ids = ids

    def ids(self, numbers: Ints) -> Ints:
        """Return the ids of numbers given out."""
        found: Ints = self._ids[numbers]
        return found


def _remark(code: str, message: str, span: Span | None, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(code, message, span, severity=severity)


def _problems(name: str, rows: Sequence[tuple[Value, ...]], sorts: tuple[str, ...]) -> Iterable[Diagnostic]:
    """Yield what is wrong with the first row that does not fit."""
    for number, row in enumerate(rows, start=1):
        if len(row) != len(sorts):
            yield Diagnostic("CE411", f"row {number} of `{name}` has {len(row)} value{'s' if len(row) != 1 else ''}, not {len(sorts)}")
            return
        for place, (value, sort) in enumerate(zip(row, sorts, strict=True), start=1):
            if type(value) is not (int if sort == "int" else str):
                wanted = "an integer" if sort == "int" else "a name"
                yield Diagnostic("CE412", f"column {place} of row {number} of `{name}` is {value!r}, not {wanted}")
                return
            if isinstance(value, int) and not _LEAST <= value <= _GREATEST:
                yield Diagnostic("CE413", f"column {place} of row {number} of `{name}` is {value}, which does not fit in 64 bits")
                return
