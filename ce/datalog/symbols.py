"""The constants of a program as values: ids of names, also of names that no fact holds.

A name that is in no fact is inserted where its domain's order wants it, and ids move up to make room; so an id always compares as its
name does. Facts are numbered anew on first use, and only those of a sort that grew. Where the order is not that of text, new names go to
the end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import overload

import numpy as np

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, RelationType
from ce.datalog.database import Database, Domain, Table
from ce.datalog.kernels import Ints
from ce.datalog.plan import Plan
from ce.datalog.rules import PlannedRule
from ce.datalog.sorts import all_literals, comparison_sort, variable_sorts
from ce.datalog.steps import Fixed
from ce.datalog.syntax import Atom, Comparison, Constant
from ce.datalog.syntax import Expression as Term

__all__ = ["Symbols"]


# When the names asked for are more than one in so many, all of the domain are decoded at once.
_MANY = 8


class Symbols:
    """The database of an evaluation: that of the facts, with every name of the program in its domains."""

    def __init__(self, database: Database, plan: Plan) -> None:
        missing: dict[str, set[str]] = {}
        for sort, text in _names(plan):
            domain = database.domains.get(sort)
            if domain is None or domain.lookup(text) is None:
                missing.setdefault(sort, set()).add(text)
        self.database = _extended(database, {sort: sorted(texts) for sort, texts in missing.items()}) if missing else database
        self._ids: dict[tuple[str, str], int] = {}
        self._texts: dict[str, list[str]] = {}  # domains that were asked for as a whole, or nearly so

    def constant(self, fixed: Fixed) -> int:
        """Return the number, or the id of the name."""
        if isinstance(fixed.value, int):
            return fixed.value
        key = (fixed.sort, fixed.value)
        found = self._ids.get(key)
        if found is None:
            found = self.database.domains[fixed.sort].lookup(fixed.value)
            assert found is not None, "every name of the program is in its domain"
            self._ids[key] = found
        return found

    def labels(self, sort: str, values: Ints) -> list[str]:
        """Return the texts of ids, or the digits of numbers."""
        if sort == "int":
            return [str(value) for value in values.tolist()]
        labels = self.database.domains[sort].labels
        if sort not in self._texts and len(values) * _MANY < len(labels):
            return [labels[value] for value in values.tolist()]
        texts = self._texts.get(sort) or self._texts.setdefault(sort, list(labels))
        return [texts[value] for value in values.tolist()]


def _names(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield every name of the planned rules with the sort of its place; patterns of tests are no values."""
    for rule in plan.rules:
        yield from _rule_names(plan.relations, rule)


def _rule_names(relations: Mapping[str, RelationType], rule: PlannedRule) -> Iterator[tuple[str, str]]:
    literals: list[CoreLiteral] = list(all_literals(rule.body))
    for atom in [rule.head, *(literal for literal in literals if isinstance(literal, Atom))]:
        if atom.predicate not in BUILTIN_TESTS:
            for term, sort in zip(atom.args, relations[atom.predicate].sorts, strict=True):
                if isinstance(term, Constant) and isinstance(term.value, str):
                    yield sort, term.value
    compared = [literal for literal in literals if isinstance(literal, Comparison) and (_name(literal.left) or _name(literal.right))]
    if compared:
        sorts = variable_sorts(relations, rule.head, rule.body)
        for literal in compared:
            for text in (_name(literal.left), _name(literal.right)):
                if text:
                    yield comparison_sort(literal, sorts), text[0]


def _name(term: Term) -> tuple[str] | None:
    return (term.value,) if isinstance(term, Constant) and isinstance(term.value, str) else None


def _extended(database: Database, missing: Mapping[str, Sequence[str]]) -> Database:
    domains = dict(database.domains)
    places: dict[str, Ints] = {}
    for sort, texts in missing.items():
        domain = domains.get(sort)
        if domain is None:
            domains[sort] = Domain(sort, texts)
            continue
        size = len(domain.labels)
        at = [bisect_left(domain.labels, text) if domain.textual else size for text in texts]
        domains[sort] = replace(domain, labels=_Inserted(domain.labels, at, texts), _ids={})
        places[sort] = np.array(at, dtype=np.int64)
    return Database(_Renumbered(database.tables, places), domains)


class _Inserted(Sequence[str]):
    """A sequence of labels with some more, `texts[i]` before position `at[i]` of the original."""

    def __init__(self, labels: Sequence[str], at: Sequence[int], texts: Sequence[str]) -> None:
        self._labels = labels
        self._texts = texts
        self._places = [position + number for number, position in enumerate(at)]

    def __len__(self) -> int:
        return len(self._labels) + len(self._texts)

    def __iter__(self) -> Iterator[str]:
        labels = iter(self._labels)
        place = 0
        for position, text in zip(self._places, self._texts, strict=True):
            yield from islice(labels, position - place)
            yield text
            place = position + 1
        yield from labels

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        before = bisect_right(self._places, index)
        if before and self._places[before - 1] == index:
            return self._texts[before - 1]
        return self._labels[index - before]


class _Renumbered(Mapping[str, Table]):
    """Tables whose ids make room for inserted names; a table is numbered anew when it is first asked for."""

    def __init__(self, tables: Mapping[str, Table], places: Mapping[str, Ints]) -> None:
        self._tables = tables
        self._places = places
        self._done: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._done:
            table = self._tables[name]
            columns = tuple(self._column(sort, column) for sort, column in zip(table.sorts, table.columns, strict=True))
            self._done[name] = replace(table, columns=columns)
        return self._done[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def _column(self, sort: str, column: Ints) -> Ints:
        places = self._places.get(sort)
        return column if places is None else column + places.searchsorted(column, side="right")
