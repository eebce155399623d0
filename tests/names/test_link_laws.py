"""Laws of linking: no order matters, what has nothing to do with it changes nothing, and every name in a row exists."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ce.app.evaluation import rows_of
from ce.app.index import ProjectIndex
from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.names.codec import decode_names_table
from ce.extract.names.link.linker import DataFile, link
from ce.extract.names.link.relations import relations_of
from ce.extract.resolve.tree import resolve
from ce.facts.assemble.table import pack_columns, unpack_table
from ce.facts.records import TreeInputs
from ce.facts.schema import RELATIONS, relation
from tests.fakes.linked_tree import RELATIONS_OF_NAMES, link_tree, write_tree

_TREE = {
    "pkg/__init__.py": "from .core import Engine as Motor, run\nfrom .cycle import *\n__all__ = ['Motor', 'run']\n",
    "pkg/core.py": """
        from pkg.cycle import Part
        import os.path
        class Base:
            def go(self):
                return self.part.turn()
        class Engine(Base):
            part: Part
            def __init__(self):
                self.part = Part()
            def go(self):
                return super().go()
        def run(engine=None):
            for one in [Engine(), Motor()]:
                one.go()
            return os.path.join("a")
    """,
    "pkg/cycle.py": """
        from pkg import *
        class Part:
            def turn(self):
                return left(self)
        def left(x):
            return right(x)
        def right(x):
            return left(x) or Part()
    """,
    "web/app.ts": "import { helper } from './util';\nexport class App { start() { helper().done(); } }\n",
    "web/util.ts": "export * from './deep';\nexport const unused = 1;\n",
    "web/deep.ts": "export function helper() { return { done() {} }; }\n",
    "conf.toml": 'entry = "pkg.core:run"\n',
}
_UNRELATED = {"zz/alone.py": "class Lonely:\n    def sigh(self):\n        return self.sigh()\nlonely_value = Lonely()\n"}


def _linked(order: list[str]) -> dict[str, bytes]:
    """Return every relation of the tree as bytes, its files given in an order."""
    texts = {path: text for path, text in _dedented().items() if not path.endswith(".toml")}
    blobs = {path: extract(path, text.encode(), ("core", "names")) for path, text in texts.items()}
    extractions = {path: decode_extraction(blob["core"]) for path, blob in blobs.items()}
    resolution = resolve(TreeInputs({path: extraction.lang for path, extraction in extractions.items()}), extractions)
    tables = [(path, path.endswith(".py"), decode_names_table(blobs[path]["names"])) for path in order if path in blobs]
    ordered = [(path, extractions[path]) for path in order if path in extractions]
    outcomes = [outcome for path in order for outcome in resolution.outcomes if outcome.path == path]
    linked = link(tables, ordered, outcomes, [DataFile("conf.toml", ((1, "pkg.core:run"),))])
    labels, rows = relations_of(linked, lambda path, position: None)
    nodes = {path: number for number, path in enumerate(sorted(_TREE))}
    packed = {name: pack_columns(_sorts(name), found, {"node": nodes}) for name, found in rows.items()}
    for name, data in packed.items():
        unpack_table(data, _sorts(name), {"symbol": len(labels), "node": len(nodes), "unit": 0})  # every id has a label
    return packed | {"labels": "\n".join(labels).encode()}


def _sorts(name: str) -> tuple[str, ...]:
    found = relation(name)
    assert found is not None
    return found.sorts


def _dedented() -> dict[str, str]:
    from textwrap import dedent

    return {path: dedent(text).lstrip("\n") for path, text in _TREE.items()}


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_files_does_not_matter(seed: int) -> None:
    paths = sorted(_TREE)
    shuffled = list(paths)
    random.Random(seed).shuffle(shuffled)
    assert _linked(shuffled) == _linked(paths)


def test_a_file_that_has_nothing_to_do_with_others_changes_no_row_of_theirs(tmp_path: Path) -> None:
    plain = link_tree(tmp_path / "plain", _TREE)
    more = link_tree(tmp_path / "more", _TREE | _UNRELATED)
    for name in RELATIONS_OF_NAMES:
        others = [row for row in more.rows[name] if not any(str(value).startswith("zz/") for value in row)]
        assert others == list(plain.rows[name]), name


def test_every_symbol_of_a_row_is_one(tmp_path: Path) -> None:
    linked = link_tree(tmp_path, _TREE)
    symbols = {row[0] for row in linked.rows["symbol"]}
    for known in RELATIONS:
        for at, (_, sort, _) in enumerate(known.columns):
            if sort == "symbol" and known.provider == "symbols":
                assert {row[at] for row in linked.rows[known.name]} <= symbols, known.name


def test_every_use_has_a_place_in_the_file_of_its_user(tmp_path: Path) -> None:
    linked = link_tree(tmp_path, _TREE)
    for row, place in zip(linked.rows["name_ref"], linked.places["name_ref"], strict=True):
        path, _, line = str(place).rpartition(":")
        assert path == str(row[0]).partition("::")[0]
        assert line.isdigit() and int(line) > 0


def test_an_index_that_saw_an_edit_gives_the_rows_of_a_new_one(tmp_path: Path) -> None:
    write_tree(tmp_path, _TREE)
    with ProjectIndex(tmp_path, workers=0) as index:
        index.database(RELATIONS_OF_NAMES)
    edited = {"pkg/cycle.py": "class Part:\n    def turn(self): ...\n    def more(self): ...\n"}
    write_tree(tmp_path, edited)
    with ProjectIndex(tmp_path, workers=0) as index:
        kept = index.database(RELATIONS_OF_NAMES)
        assert index.counts["extracted"] == 1
    with ProjectIndex(tmp_path, on_disk=False, workers=0) as index:
        fresh = index.database(RELATIONS_OF_NAMES)
    for name in RELATIONS_OF_NAMES:
        assert rows_of(kept, name) == rows_of(fresh, name), name


def test_the_rows_of_a_tree_that_did_not_change_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(tmp_path, _TREE)
    with ProjectIndex(tmp_path, workers=0) as index:
        first = index.database(("name_ref",))
    monkeypatch.setattr("ce.extract.names.link.linker.link", None)
    with ProjectIndex(tmp_path, workers=0) as index:
        again = index.database(("name_ref", "overrides"))
    assert rows_of(again, "name_ref") == rows_of(first, "name_ref")
