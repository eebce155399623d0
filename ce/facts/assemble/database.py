"""From a tree to a database: each relation is read from the cache, or assembled once and kept.

Invariant: what is read back equals what assembling would give, because every key names the digest of all that the relation
depends on; a buffer that does not fit is assembled anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ce.datalog.database import Database, Domain, Table
from ce.facts.assemble.graph import GRAPH_RELATIONS, rows_of_globs
from ce.facts.assemble.labels import Labels, Malformed, merge, pack_label_table, unpack_label_table
from ce.facts.assemble.providers import Provided
from ce.facts.assemble.table import ColumnRows, PackedTable, Row, pack_columns, pack_table, unpack_table
from ce.facts.assemble.tree import Nodes, TreeFacts
from ce.facts.assemble.units import PASS_RELATIONS, UNIT_INDEX, walk_extractions
from ce.facts.schema import RELATIONS

__all__ = ["Assembly", "ResultStore"]

_DOMAINS = ("node", "dir", "unit", "symbol")
_OWN = ("symbol",)  # the domains that come with relations measured apart
_LABELLED: tuple[str, ...] = ("node", "dir")  # the sorts whose values rows spell out
_SORTS = {known.name: known.sorts for known in RELATIONS} | {UNIT_INDEX: ("node", "int", "unit")}


class ResultStore(Protocol):
    """Where buffers are kept between runs."""

    def cached(self, key: str) -> bytes | None:
        """Return what was put under the key, or None."""

    def put_many(self, results: Mapping[str, bytes]) -> None:
        """Keep each buffer under its key."""


@dataclass(slots=True)
class Assembly:
    """The relations of one tree. `facts` is called only when something has to be assembled."""

    digest: str
    store: ResultStore
    facts: Callable[[], TreeFacts]
    _domains: dict[str, Labels] = field(default_factory=dict)
    _tables: dict[str, PackedTable] = field(default_factory=dict)
    _nodes: Nodes | None = None
    _units: dict[tuple[str, int], int] = field(default_factory=dict)

    def database(self, names: Collection[str], globs: Collection[str] = ()) -> Database:
        """Return the named relations as one database; `set` expands the globs. Relations measured apart must have been added.

        Raises CeError for a glob that is none.
        """
        wanted = sorted(set(names) & _SORTS.keys())
        self.require([name for name in wanted if _is_assembled(name)])
        tables = {name: self._tables[name] for name in wanted if name in self._tables}
        if "set" in wanted:
            tables["set"] = self._set(globs)
        return self._joined(tables)

    def require(self, names: Collection[str]) -> None:
        """Have the named relations at hand, assembling together what the cache lacks."""
        missing = [name for name in names if name not in self._tables and not self._read(name, self.digest)]
        if missing:
            self._assemble(missing)

    def table(self, name: str) -> PackedTable:
        """Return one relation as it is packed."""
        self.require([name])
        return self._tables[name]

    def unit_at(self, path: str, index: int) -> int | None:
        """Return the id of the unit at a position of a file's extraction, or None when there is none."""
        if not self._units:
            files, positions, units = (column.tolist() for column in self.table(UNIT_INDEX).columns)
            paths = list(self.domain("node"))
            self._units.update(zip(zip((paths[file] for file in files), positions, strict=True), units, strict=True))
        return self._units.get((path, index))

    def domain(self, sort: str) -> Labels:
        """Return the labels of a domain."""
        if sort not in self._domains:
            labels = None if sort in _OWN else self._read_domain(sort, self.digest)
            if sort in _OWN:
                self._domains[sort] = unpack_label_table(pack_label_table(()))
            elif labels is None:
                self._assemble(["unit"] if sort == "unit" else [])
            else:
                self._domains[sort] = labels
        return self._domains[sort]

    def add(self, source: str, names: Collection[str], digest: str | None, provide: Callable[[], Provided]) -> tuple[str, ...]:
        """Have the relations of a source at hand that are measured apart, and return the remarks that came with them.

        They are kept under the digest, or with None for this run only. Rows about files that the tree does not have are left out.
        A provider may give more relations of its source than were asked for; they are kept too.
        """
        if digest is not None and self._has_own_domains(names, digest) and all(n in self._tables or self._read(n, digest) for n in names):
            return _decode_remarks(self.store.cached(f"facts/{digest}/remarks/{source}"))
        provided = provide()
        results = {}
        for sort, labels in provided.domains.items():
            results[_domain_key(sort)] = pack_label_table(labels)
            self._domains[sort] = unpack_label_table(results[_domain_key(sort)])
        for name in sorted({*names, *provided.rows}):
            sorts = _SORTS[name]
            ids = {sort: _ids(self.domain(sort)) for sort in _LABELLED if sort in sorts}
            found = provided.rows.get(name, ())
            if isinstance(found, ColumnRows):
                results[name] = pack_columns(sorts, found, ids)
            else:
                results[name] = pack_table(sorts, (row for row in found if _speaks_of_known(row, sorts, ids)), ids)
        self._take(results, digest)
        remarks = tuple(provided.problems)
        if digest is not None:
            self.store.put_many({f"facts/{digest}/remarks/{source}": json.dumps(remarks).encode()})
        return remarks

    def _has_own_domains(self, names: Collection[str], digest: str) -> bool:
        """Tell whether the domains are at hand that came with these relations, reading them when they are not."""
        for sort in _OWN:
            if sort not in self._domains and any(sort in _SORTS[name] for name in names):
                labels = self._read_domain(sort, digest)
                if labels is None:
                    return False
                self._domains[sort] = labels
        return True

    def _set(self, globs: Collection[str]) -> PackedTable:
        nodes = self.domain("node")
        files = {nodes[number]: number for number in self.table("lang").columns[0].tolist()}
        rows = rows_of_globs(globs, files)
        return unpack_table(pack_table(_SORTS["set"], rows, {"node": files}), _SORTS["set"], {"node": len(nodes)})

    def _assemble(self, names: Collection[str]) -> None:
        facts = self.facts()
        nodes = self._nodes or Nodes(facts)
        self._nodes = nodes
        results = {}
        domains: dict[str, tuple[str, ...]] = {"node": nodes.labels, "dir": nodes.directory_labels}
        for sort, labels in domains.items():
            if sort not in self._domains:
                results[_domain_key(sort)] = pack_label_table(labels)
        ids = {sort: _ids(labels) for sort, labels in domains.items()}
        for name in names:
            if name in GRAPH_RELATIONS:
                results[name] = pack_table(_SORTS[name], GRAPH_RELATIONS[name](nodes), ids)
        passed = [name for name in names if name in PASS_RELATIONS]
        if passed:
            walked = walk_extractions(facts, passed)
            if "unit" not in self._domains:
                results[_domain_key("unit")] = pack_label_table(walked.unit_labels)
            for name in passed:
                results[name] = pack_table(_SORTS[name], walked.rows.pop(name), ids)
        self._take(results, self.digest)

    def _take(self, results: Mapping[str, bytes], digest: str | None) -> None:
        """Keep new buffers, domains first, and read them as a later run will."""
        if digest is not None:
            self.store.put_many({f"facts/{digest}/{name}": data for name, data in results.items()})
        for sort in _DOMAINS:
            if _domain_key(sort) in results:
                self._domains[sort] = unpack_label_table(results[_domain_key(sort)])
        for name, data in results.items():
            if name in _SORTS:
                self._tables[name] = unpack_table(data, _SORTS[name], self._sizes(_SORTS[name]))

    def _read(self, name: str, digest: str) -> bool:
        data = self.store.cached(f"facts/{digest}/{name}")
        if data is None:
            return False
        sorts = _SORTS[name]
        try:
            self._tables[name] = unpack_table(data, sorts, self._sizes(sorts))
        except Malformed:
            return False
        return True

    def _read_domain(self, sort: str, digest: str) -> Labels | None:
        data = self.store.cached(f"facts/{digest}/{_domain_key(sort)}")
        if data is None:
            return None
        try:
            return unpack_label_table(data)
        except Malformed:
            return None

    def _sizes(self, sorts: tuple[str, ...]) -> dict[str, int]:
        return {sort: len(self.domain(sort)) for sort in sorts if sort in _DOMAINS}

    def _joined(self, tables: Mapping[str, PackedTable]) -> Database:
        symbols, renumbered = merge([table.symbols for table in tables.values()])
        joined = {}
        for (name, table), rank in zip(tables.items(), renumbered, strict=True):
            columns = table.columns
            if rank is not None:
                columns = tuple(rank[column] if sort == "sym" else column for column, sort in zip(columns, table.sorts, strict=True))
            joined[name] = Table(name, table.sorts, columns, table.length, table.at)
        domains = {"sym": Domain("sym", symbols)}
        used = {sort for table in tables.values() for sort in table.sorts}
        for sort in _DOMAINS:
            if sort in used:
                domains[sort] = Domain(sort, self.domain(sort), textual=sort != "unit")
        return Database(joined, domains)


def _is_assembled(name: str) -> bool:
    return name in GRAPH_RELATIONS or name in PASS_RELATIONS


def _decode_remarks(data: bytes | None) -> tuple[str, ...]:
    try:
        return tuple(str(text) for text in json.loads(data or b"[]"))
    except (ValueError, TypeError, RecursionError):
        return ()


def _domain_key(sort: str) -> str:
    return f"domain/{sort}"


def _ids(labels: Iterable[str]) -> dict[str, int]:
    return {label: number for number, label in enumerate(labels)}


def _speaks_of_known(row: Row, sorts: tuple[str, ...], ids: Mapping[str, Mapping[str, int]]) -> bool:
    return all(sort not in ids or isinstance(value, int) or value in ids[sort] for value, sort in zip(row, sorts, strict=False))
