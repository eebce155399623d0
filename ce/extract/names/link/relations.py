"""What linking found as relations of the schema, by column.

Symbols are numbered by their labels in code-point order; a file of data that names something of the tree is a symbol too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ce.extract.names.link.linker import Linked
from ce.extract.names.link.rows import Rows
from ce.extract.names.link.stdlib import stdlib_members
from ce.extract.names.link.universe import KIND
from ce.extract.names.model import DEFINITION_KINDS, FLAGS, USE_KINDS
from ce.facts.assemble.table import Coded, ColumnRows
from ce.facts.schema import VOCABULARIES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

__all__ = ["relations_of"]

_Key = TypeVar("_Key", bound=tuple[int, ...])

_HOW = VOCABULARIES["how"]


def relations_of(linked: Linked, unit: Callable[[str, int], int | None]) -> tuple[list[str], Mapping[str, ColumnRows]]:
    """Return the labels of the symbols in order, and the rows of every relation; `unit` is the id of a unit by path and position."""
    return _Relations(linked, unit).all()


class _Relations:
    def __init__(self, linked: Linked, unit: Callable[[str, int], int | None]) -> None:
        import numpy as np

        self.linked = linked
        self.unit = unit
        universe = linked.universe
        labels = [*linked.labels.labels, *(f"{path}::" for path in linked.data_files)]
        order = sorted(range(len(labels)), key=labels.__getitem__)
        self.labels = [labels[number] for number in order]
        self.number = np.empty(len(labels), dtype=np.int64)  # gid (after the last one, files of data) to symbol
        self.number[np.array(order, dtype=np.int64)] = np.arange(len(labels))
        self.paths = [*(file.path for file in universe.files), *linked.data_files]
        self.count = len(universe.name)
        self.file = np.array(
            [*universe.file, *range(len(universe.files), len(self.paths))],
            dtype=np.int64,
        )
        lines = [line for file in universe.files for line in file.table.def_line]
        self.line = np.array([*lines, *(0 for _ in linked.data_files)], dtype=np.int64)

    def all(self) -> tuple[list[str], Mapping[str, ColumnRows]]:
        found = {**self._definitions(), **self._uses(), **self._declarations(), **self._texts()}
        symbol_unit, unit_ref = self._units()
        return self.labels, found | {"symbol_unit": symbol_unit, "unit_ref": unit_ref}

    # --- definitions

    def _definitions(self) -> dict[str, ColumnRows]:
        import numpy as np

        universe, linked = self.linked.universe, self.linked
        data = len(linked.data_files)
        gids = np.arange(self.count + data)
        kinds = np.array([*universe.kind, *(KIND["module"] for _ in range(data))], dtype=np.int64)
        names, name_codes = _distinct(universe.name)
        named = np.array([gid for gid, name in enumerate(universe.name) if name and universe.parent[gid] >= 0], dtype=np.int64)
        parents = np.array(universe.parent, dtype=np.int64)
        inner = np.flatnonzero(parents >= 0)
        ends = np.array([*(end for file in universe.files for end in file.table.def_end), *(0 for _ in range(data))], dtype=np.int64)
        full, full_codes = _distinct(linked.labels.full_names())
        flags = np.array(universe.flags, dtype=np.int64)
        flagged = [np.flatnonzero(flags & 1 << number) for number in range(len(FLAGS))]
        flag_codes = np.repeat(np.arange(len(FLAGS)), [len(one) for one in flagged])
        with_flags = np.concatenate(flagged)
        return {
            "symbol": self._at(gids, Coded(self.file, self.paths)),
            "symbol_kind": self._at(gids, Coded(kinds, DEFINITION_KINDS)),
            "symbol_name": self._at(named, Coded(name_codes[named], names)),
            "symbol_in": self._at(inner, self.number[parents[inner]]),
            "symbol_span": self._at(gids[: self.count], self.line[: self.count], ends[: self.count]),
            "qualified": self._at(gids[: self.count], Coded(full_codes, full)),
            "symbol_flag": self._at(with_flags, Coded(flag_codes, FLAGS)),
            "parameter": self._parameters(),
        }

    def _parameters(self) -> ColumnRows:
        import numpy as np

        gids, places, texts = [], [], []
        for file in self.linked.universe.files:
            for number, parameters in file.table.parameters.items():
                for at, text in enumerate(parameters):
                    gids.append(number + file.first)
                    places.append(at)
                    texts.append(file.table.texts[text])
        names, codes = _distinct(texts)
        return self._at(np.array(gids, dtype=np.int64), np.array(places, dtype=np.int64), Coded(codes, names))

    def _at(self, gids: Numbers, *columns: Numbers | Coded) -> ColumnRows:
        """Return rows about definitions, each at the place of its definition."""
        return ColumnRows((self.number[gids], *columns), Coded(self.file[gids], self.paths), self.line[gids])

    # --- uses

    def _uses(self) -> dict[str, ColumnRows]:
        uses = self.linked.uses
        texts = uses.texts.texts
        first, second, third, file, line = uses.names.columns()
        kinds, how = Coded(third >> 3, USE_KINDS), Coded(third & 7, _HOW)
        return {
            "name_ref": ColumnRows((self.number[first], self.number[second], kinds, how), Coded(file, self.paths), line),
            "member_ref": self._with_texts(uses.members, texts, USE_KINDS),
            "external_ref": self._with_texts(uses.outside, texts, USE_KINDS),
            "member_glob": self._with_texts(uses.member_globs, texts),
            "name_glob": self._keyed(uses.name_globs, (self.number, self.number, texts)),
            "whole_ref": self._keyed(uses.wholes, (self.number, self.number)),
            "call_argument": self._keyed(uses.arguments, (self.number, texts, texts)),
        }

    def _with_texts(self, rows: Rows, texts: Sequence[str], kinds: Sequence[str] = ()) -> ColumnRows:
        first, second, third, file, line = rows.columns()
        more = (Coded(third, kinds),) if kinds else ()
        return ColumnRows((self.number[first], Coded(second, texts), *more), Coded(file, self.paths), line)

    def _pairs(self, rows: Rows) -> ColumnRows:
        first, second, _, file, line = rows.columns()
        return ColumnRows((self.number[first], self.number[second]), Coded(file, self.paths), line)

    def _keyed(self, rows: Mapping[_Key, int], columns: Sequence[Numbers | Sequence[str]]) -> ColumnRows:
        """Return rows with their place as value; a column is a numbering of definitions or texts."""
        import numpy as np

        keys = np.array(list(rows), dtype=np.int64).reshape(len(rows), len(columns))
        places = np.fromiter(rows.values(), dtype=np.int64, count=len(rows))
        coded = tuple(
            column[keys[:, at]] if isinstance(column, np.ndarray) else Coded(keys[:, at], column) for at, column in enumerate(columns)
        )
        return ColumnRows(coded, Coded(places >> 32, self.paths), places & 0xFFFFFFFF)

    # --- declarations and texts

    def _declarations(self) -> dict[str, ColumnRows]:
        rows, texts = self.linked.declarations, self.linked.uses.texts.texts
        return {
            "base": self._pairs(rows.bases),
            "external_base": self._with_texts(rows.outside_bases, texts),
            "unknown_base": self._keyed({(gid,): place for gid, place in rows.unknown_bases.items()}, (self.number,)),
            "decorated_by": self._with_texts(rows.decorated_by, texts),
            "decorated_with": self._pairs(rows.decorated_with),
            "overrides": self._pairs(rows.overrides),
            "external_member": self._external_members(),
        }

    def _external_members(self) -> ColumnRows:
        import numpy as np

        _, second, *_ = self.linked.declarations.outside_bases.columns()
        texts = self.linked.uses.texts.texts
        bases = sorted({texts[number] for number in second.tolist()})
        pairs = [(name, member) for name in bases for member in sorted(stdlib_members(name) or ())]
        classes, class_codes = _distinct([name for name, _ in pairs])
        members, member_codes = _distinct([member for _, member in pairs])
        nowhere = np.zeros(len(pairs), dtype=np.int64)
        return ColumnRows((Coded(class_codes, classes), Coded(member_codes, members)), Coded(nowhere, [""]), nowhere)

    def _texts(self) -> dict[str, ColumnRows]:
        linked, texts = self.linked, self.linked.uses.texts.texts
        files = len(linked.universe.files)
        refs = {
            (first, second): place if first >= 0 else files + ~first << 32 | place for (first, second), place in linked.string_refs.items()
        }  # fmt: skip
        refs = {(first if first >= 0 else self.count + ~first, second): place for (first, second), place in refs.items()}
        spelled = {(file, text): file << 32 | line for (file, text), line in linked.spelled.items()}
        opaque = {(file, why, pattern): file << 32 | line for (file, why, pattern), line in linked.opaque.items()}
        return {
            "string_ref": self._keyed(refs, (self.number, self.number)),
            "spelled": self._keyed(spelled, (self.paths, texts)),
            "opaque_zone": self._keyed(opaque, (self.paths, texts, texts)),
        }

    # --- units

    def _units(self) -> tuple[ColumnRows, ColumnRows]:
        import numpy as np

        unit_of = np.full(self.count, -1, dtype=np.int64)
        for gid, path, position in self.linked.units:
            number = self.unit(path, position)
            if number is not None:
                unit_of[gid] = number
        gids = np.flatnonzero(unit_of >= 0)
        first, second, third, file, line = self.linked.uses.names.columns()
        user, used = unit_of[first], unit_of[second]
        kept = (user >= 0) & (used >= 0) & (user != used)
        unit_ref = ColumnRows((user[kept], used[kept], Coded(third[kept] >> 3, USE_KINDS)), Coded(file[kept], self.paths), line[kept])
        return self._at(gids, unit_of[gids]), unit_ref


def _distinct(texts: Sequence[str]) -> tuple[list[str], Numbers]:
    """Return the distinct texts, and for each place the number of its text."""
    import numpy as np

    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), dtype=np.int64, count=len(texts))
    return list(numbers), codes
