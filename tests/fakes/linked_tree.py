"""Small trees whose names are linked through the whole pipeline, for tests that read the rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from ce.app.evaluation import rows_of
from ce.app.index import ProjectIndex
from ce.facts.schema import RELATIONS

__all__ = ["Linked", "link_tree", "write_tree"]

RELATIONS_OF_NAMES = tuple(relation.name for relation in RELATIONS if relation.provider == "symbols")


class Linked:
    """The rows of a tree. A symbol is written `file::name`, and the file may be left out where the name says enough."""

    def __init__(self, rows: Mapping[str, tuple[tuple[int | str, ...], ...]], places: Mapping[str, tuple[str | None, ...]]) -> None:
        """Take the rows by relation and where each was read."""
        self.rows = rows
        self.places = places

    def uses(self, owner: str) -> set[str]:
        """Return what the body of a symbol uses."""
        return {str(target) for source, target, *_ in self.rows["name_ref"] if source == owner}

    def how(self, owner: str, target: str) -> set[str]:
        """Return how it is proved that one symbol uses another."""
        return {str(how) for source, used, _, how in self.rows["name_ref"] if (source, used) == (owner, target)}

    def kinds(self, owner: str, target: str) -> set[str]:
        """Return the kinds of uses that one symbol makes of another."""
        return {str(kind) for source, used, kind, _ in self.rows["name_ref"] if (source, used) == (owner, target)}

    def of(self, relation: str, symbol: str) -> set[str]:
        """Return the second column of the rows about a symbol."""
        return {str(row[1]) for row in self.rows[relation] if row[0] == symbol}


def write_tree(root: Path, files: Mapping[str, str]) -> None:
    """Write the files below a directory."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text).lstrip("\n"), encoding="utf-8")


def link_tree(root: Path, files: Mapping[str, str]) -> Linked:
    """Write the files and return the rows of all relations about names."""
    write_tree(root, files)
    with ProjectIndex(root, on_disk=False, workers=0) as index:
        database = index.database(RELATIONS_OF_NAMES)
    places = {}
    for name, table in database.tables.items():
        assert table.at is not None
        places[name] = tuple(table.at(row) for row in range(table.length))
    return Linked({name: rows_of(database, name) for name in RELATIONS_OF_NAMES}, places)
