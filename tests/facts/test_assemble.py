"""The relations that hand-made extractions and a hand-made resolution become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from ce.datalog.database import Database
from ce.diagnostics import CeError
from ce.facts.assemble.codec import decode_resolution, encode_resolution
from ce.facts.assemble.database import Assembly
from ce.facts.assemble.labels import Malformed
from ce.facts.assemble.providers import Provided
from ce.facts.assemble.tree import TreeFacts
from ce.facts.records import (
    AllowMarker,
    Binding,
    DynamicSite,
    Edge,
    EntryPoint,
    Extraction,
    Outcome,
    Resolution,
    Role,
    Site,
    Unit,
)
from ce.facts.schema import RELATIONS

_EXTRACTIONS = {
    "app/main.py": Extraction(
        "python",
        lines=40,
        units=(
            Unit(
                "fn",
                "run/2",
                "run",
                10,
                20,
                visibility=3,
                params=2,
                cyclomatic=4,
                cognitive=5,
                nesting=1,
                calls=(("helper", 12), ("helper", 14)),
            ),
            Unit("named", "Config", "Config", 1, 8, visibility=1, bases=("Base",), decorators=("dataclass",)),
            Unit("fn", "(anonymous)/1", "", 30, 30, params=1, cyclomatic=1, cognitive=0, nesting=0),
            Unit("fn", "(anonymous)/1", "", 30, 30, nth=1, params=1, cyclomatic=1, cognitive=0, nesting=0),
        ),
        sites=(Site("import_from", "lib", 3), Site("import", "missing", 4), Site("import", "both", 5)),
        dynamic=(DynamicSite(25, "import_module", "plugins.*"),),
        allows=(AllowMarker(33, "deadcode", "loaded by name"),),
        bindings=(Binding("run", 10, "def"),),
        exports=("run",),
    ),
    "docs/page.md": Extraction("markdown", lines=9),
    "lib.py": Extraction("python", lines=3, generated=True),
    "notes.txt": Extraction("text", lines=2),
}
_RESOLUTION = Resolution(
    outcomes=(
        Outcome("app/main.py", 0, "resolved", 2, "file", "lib.py", is_import=True),
        Outcome("app/main.py", 0, "external", 4),
        Outcome("app/main.py", 1, "unresolved", reason="out_of_scope"),
        Outcome("app/main.py", 2, "unresolved", reason="ambiguous_paths", candidates=("lib.py", "app/main.py")),
    ),
    edges=(
        Edge("app/main.py", "lib.py", "import", 2, 3, "lazy"),
        Edge("app/main.py", "lib.py", "import", 2, 9),
        Edge("docs/page.md", "docs/page.md#part", "doc_link", 4, 2),
        Edge("docs/page.md", "img/logo.png", "asset", 1, 4),
        Edge("docs/page.md", "/", "doc_ref", 1, 5),
        Edge("docs/page.md#part", "docs/page.md", "contain", 1),
    ),
    roles=(Role("app/main.py", "script", "main guard", "app/main.py:40"), Role("lib.py", "glob")),
    entry_points=(EntryPoint("app/main.py", "run", "pyproject.toml:7"),),
    imported_names=(("app/main.py", "lib.py", "helper", 3),),
    manifest_deps=(("", "numpy"), ("tools/gen/", "click")),
    could_name=(("app/main.py", 4, "lib.py", "unresolved"), ("app/main.py", 25, "lib.py", "dynamic")),
    could_name_any=(("app/main.py", 25, "python", "import_module"),),
    project_kind=("library", "pyproject.toml:1"),
)


class _Store(dict[str, bytes]):
    """A store in memory."""

    def cached(self, key: str) -> bytes | None:
        return self.get(key)

    def put_many(self, results: Mapping[str, bytes]) -> None:
        self.update(results)


def _facts(extractions: Mapping[str, Extraction] = _EXTRACTIONS, resolution: Resolution = _RESOLUTION) -> TreeFacts:
    def stream() -> Iterator[tuple[str, Extraction]]:
        return iter(sorted(extractions.items()))

    return TreeFacts(
        languages={**{path: extraction.lang for path, extraction in extractions.items()}, "data.json": ""},
        kinds={"app/main.py": "file", "docs/page.md": "file", "lib.py": "file", "notes.txt": "prose"},
        resolution=resolution,
        extractions=stream,
        skipped=(("data.json", "unknown_language"), ("img/logo.png", "binary"), ("vendor/", "built_in")),
        classes=(("docs", ("docs/**",)), ("all", ("**",))),
    )


def _no_facts() -> TreeFacts:
    raise AssertionError("everything was in the store")


def _rows(database: Database, name: str) -> list[tuple[int | str, ...]]:
    table = database.tables[name]
    columns = [[database.decode(sort, int(value)) for value in column] for sort, column in zip(table.sorts, table.columns, strict=True)]
    return list(zip(*columns, strict=True))


def _places(database: Database, name: str) -> list[str | None]:
    table = database.tables[name]
    assert table.at is not None
    return [table.at(row) for row in range(table.length)]


def _all(store: _Store | None = None) -> Database:
    return Assembly("digest", _Store() if store is None else store, _facts).database([known.name for known in RELATIONS], ["*.py"])


_MAIN = "app/main.py:10-20 run/2"
_CLASS = "app/main.py:1-8 Config"
_LAMBDA = "app/main.py:30-30 (anonymous)/1"

_EXPECTED: dict[str, list[tuple[int | str, ...]]] = {
    "node": [
        ("./", "pkg"),
        ("app/main.py", "file"),
        ("docs/page.md", "file"),
        ("docs/page.md#part", "section"),
        ("img/logo.png", "asset"),
        ("lib.py", "file"),
        ("notes.txt", "prose"),
    ],
    "file": [("app/main.py",), ("docs/page.md",), ("lib.py",)],
    "dir": [(".",), ("app",), ("docs",), ("img",), ("tools",), ("tools/gen",)],
    "parent": [("app", "."), ("docs", "."), ("img", "."), ("tools", "."), ("tools/gen", "tools")],
    "dir_name": [(".", "."), ("app", "app"), ("docs", "docs"), ("img", "img"), ("tools", "tools"), ("tools/gen", "gen")],
    "in_dir": [
        ("./", "."),
        ("app/main.py", "app"),
        ("data.json", "."),
        ("docs/page.md", "docs"),
        ("docs/page.md#part", "docs"),
        ("img/logo.png", "img"),
        ("lib.py", "."),
        ("notes.txt", "."),
    ],
    "lang": [
        ("app/main.py", "python"),
        ("data.json", "unknown"),
        ("docs/page.md", "markdown"),
        ("img/logo.png", "unknown"),
        ("lib.py", "python"),
        ("notes.txt", "text"),
    ],
    "role": [("app/main.py", "script"), ("lib.py", "glob")],
    "lines": [("app/main.py", 40), ("docs/page.md", 9), ("lib.py", 3), ("notes.txt", 2)],
    "ref": [
        ("app/main.py", "lib.py", "import", 2),
        ("docs/page.md", "./", "doc_ref", 1),
        ("docs/page.md", "docs/page.md#part", "doc_link", 4),
        ("docs/page.md", "img/logo.png", "asset", 1),
        ("docs/page.md#part", "docs/page.md", "contain", 1),
    ],
    "ref_mode": [
        ("app/main.py", "lib.py", "lazy"),
        ("app/main.py", "lib.py", "runtime"),
        ("docs/page.md", "./", "runtime"),
        ("docs/page.md", "docs/page.md#part", "runtime"),
        ("docs/page.md", "img/logo.png", "runtime"),
    ],
    "unresolved": [("app/main.py", 2)],
    "unit": [(_CLASS, "app/main.py"), (_MAIN, "app/main.py"), (_LAMBDA, "app/main.py"), (f"{_LAMBDA} (2)", "app/main.py")],
    "unit_kind": [(_CLASS, "named"), (_MAIN, "fn"), (_LAMBDA, "fn"), (f"{_LAMBDA} (2)", "fn")],
    "unit_lines": [(_CLASS, 8), (_MAIN, 11), (_LAMBDA, 1), (f"{_LAMBDA} (2)", 1)],
    "unit_at": [(_CLASS, 1), (_MAIN, 10), (_LAMBDA, 30), (f"{_LAMBDA} (2)", 30)],
    "named": [(_CLASS, "Config"), (_MAIN, "run")],
    "exported": [(_CLASS,), (_MAIN,)],
    "visibility": [(_CLASS, 1), (_MAIN, 3), (_LAMBDA, 0), (f"{_LAMBDA} (2)", 0)],
    "coc": [(_MAIN, 5), (_LAMBDA, 0), (f"{_LAMBDA} (2)", 0)],
    "cyclo": [(_MAIN, 4), (_LAMBDA, 1), (f"{_LAMBDA} (2)", 1)],
    "nesting": [(_MAIN, 1), (_LAMBDA, 0), (f"{_LAMBDA} (2)", 0)],
    "params": [(_MAIN, 2), (_LAMBDA, 1), (f"{_LAMBDA} (2)", 1)],
    "calls": [(_MAIN, "helper")],
    "decorated": [(_CLASS, "dataclass")],
    "inherits": [(_CLASS, "Base")],
    "site": [
        ("app/main.py", 3, "import_from", "lib"),
        ("app/main.py", 4, "import", "missing"),
        ("app/main.py", 5, "import", "both"),
    ],
    "outcome": [
        ("app/main.py", 3, "lib", "external", "none"),
        ("app/main.py", 3, "lib", "resolved", "none"),
        ("app/main.py", 4, "missing", "unresolved", "out_of_scope"),
        ("app/main.py", 5, "both", "unresolved", "ambiguous_paths"),
    ],
    "candidate": [("app/main.py", 5, "both", "app/main.py"), ("app/main.py", 5, "both", "lib.py")],
    "names_module": [("app/main.py", 3, "import_from", "lib.py")],
    "imports_name": [("app/main.py", "lib.py", "helper")],
    "exports_name": [("app/main.py", "run")],
    "binds_name": [("app/main.py", "run")],
    "public": [("app/main.py",)],
    "dynamic": [("app/main.py", 25, "import_module")],
    "dynamic_target": [("app/main.py", 25, "lib.py")],
    "dynamic_any": [("app/main.py", 25, "python")],
    "unresolved_target": [("app/main.py", 4, "lib.py")],
    "entry_point": [("app/main.py", "run", "pyproject.toml:7")],
    "allow": [("app/main.py", 33, "deadcode", "loaded by name")],
    "manifest_dep": [(".", "numpy"), ("tools/gen", "click")],
    "project_kind": [("library", "pyproject.toml:1")],
    "skipped": [("data.json", "unknown_language"), ("img/logo.png", "binary"), ("vendor/", "built_in")],
    "generated": [("lib.py",)],
    "class": [
        ("app/main.py", "all"),
        ("data.json", "all"),
        ("docs/page.md", "docs"),
        ("img/logo.png", "all"),
        ("lib.py", "all"),
        ("notes.txt", "all"),
    ],
    "set": [("*.py", "app/main.py"), ("*.py", "lib.py")],
    "ext_of": [
        ("app/main.py", "py"),
        ("data.json", "json"),
        ("docs/page.md", "md"),
        ("docs/page.md#part", "md"),
        ("img/logo.png", "png"),
        ("lib.py", "py"),
        ("notes.txt", "txt"),
    ],
}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_the_rows_of_a_relation(name: str) -> None:
    assert _rows(_all(), name) == _EXPECTED[name]


def test_every_relation_of_the_index_is_assembled() -> None:
    assembled = {known.name for known in RELATIONS if known.provider in ("index", "bodies", "globs", "names")}
    assert set(_all().tables) == assembled
    assert assembled - set(_EXPECTED) == {"path_of", "base_of"}


def test_names_of_nodes() -> None:
    database = _all()
    assert ("docs/page.md#part", "docs/page.md#part") in _rows(database, "path_of")
    assert {node: name for node, name in _rows(database, "base_of")} == {  # noqa: C416  # the type of the rows is too wide for dict()
        "./": ".",
        "app/main.py": "main.py",
        "data.json": "data.json",
        "docs/page.md": "page.md",
        "docs/page.md#part": "page.md",
        "img/logo.png": "logo.png",
        "lib.py": "lib.py",
        "notes.txt": "notes.txt",
        "vendor/": "vendor",
    }


def test_facts_say_where_they_were_read() -> None:
    database = _all()
    assert _places(database, "ref") == ["app/main.py:3", "docs/page.md:5", "docs/page.md:2", "docs/page.md:4", None]
    assert _places(database, "role") == ["app/main.py:40", "lib.py"]
    assert _places(database, "calls") == ["app/main.py:12"]
    assert _places(database, "unit") == ["app/main.py:1", "app/main.py:10", "app/main.py:30", "app/main.py:30"]
    assert _places(database, "entry_point") == ["pyproject.toml:7"]
    assert _places(database, "in_dir")[0] is None


def test_nodes_and_directories_ascend_by_code_point_and_units_by_path_and_span() -> None:
    extractions = {
        path: Extraction("python", units=(Unit("fn", "f/0", "f", 10, 11), Unit("fn", "g/0", "g", 9, 12), Unit("fn", "a/0", "a", 9, 12)))
        for path in ("b.py", "a/z.py", "a.py", "é.py", "\udcff.py", "\U0001f600.py")
    }
    facts = _facts(extractions, replace(_RESOLUTION, outcomes=(), edges=(), roles=(), entry_points=(), imported_names=(), could_name=()))
    database = Assembly("d", _Store(), lambda: replace(facts, kinds={}, skipped=())).database(["lang", "in_dir", "unit"])
    nodes = list(database.domains["node"].labels)
    assert nodes == sorted(nodes) == ["a.py", "a/z.py", "b.py", "data.json", "é.py", "\udcff.py", "\U0001f600.py"]
    units = list(database.domains["unit"].labels)
    assert units[:4] == ["a.py:9-12 a/0", "a.py:9-12 g/0", "a.py:10-11 f/0", "a/z.py:9-12 a/0"]
    assert [database.domains["unit"].lookup(label) for label in units] == list(range(len(units)))
    assert [database.domains["node"].lookup(label) for label in nodes] == list(range(len(nodes)))


def test_symbols_are_one_ascending_domain_over_the_relations_asked_for() -> None:
    database = Assembly("d", _Store(), _facts).database(["role", "calls", "node"])
    assert list(database.domains["sym"].labels) == ["asset", "file", "glob", "helper", "pkg", "prose", "script", "section"]
    assert _rows(database, "calls") == _EXPECTED["calls"]


def test_only_what_is_asked_for_is_built_and_a_second_run_builds_nothing() -> None:
    store = _Store()
    first = Assembly("digest", store, _facts).database(["file", "ref"])
    assert {key.rpartition("/")[2] for key in store} == {"node", "dir", "file", "ref"}
    second = Assembly("digest", store, _no_facts).database(["file", "ref"])
    for name in ("file", "ref"):
        assert _rows(first, name) == _rows(second, name)
        assert _places(first, name) == _places(second, name)


def test_every_relation_reads_the_same_from_the_store() -> None:
    store = _Store()
    first = _all(store)
    second = Assembly("digest", store, _no_facts).database([known.name for known in RELATIONS], ["*.py"])
    for name in first.tables:
        assert _rows(first, name) == _rows(second, name)
        assert _places(first, name) == _places(second, name)


def test_relations_assembled_one_by_one_equal_those_assembled_together() -> None:
    together = _Store()
    _all(together)
    alone = _Store()
    for known in sorted(RELATIONS, key=lambda known: known.name, reverse=True):
        Assembly("digest", alone, _facts).database([known.name], ["*.py"])
    assert alone == together


def test_a_digest_of_another_tree_finds_nothing() -> None:
    store = _Store()
    _all(store)
    with pytest.raises(AssertionError, match="everything was in the store"):
        Assembly("other", store, _no_facts).database(["file"])


@pytest.mark.parametrize("key", ["facts/digest/ref", "facts/digest/domain/node", "facts/digest/domain/unit", "facts/digest/calls"])
def test_a_buffer_that_does_not_fit_is_assembled_anew(key: str) -> None:
    store = _Store()
    expected = {name: _rows(_all(store), name) for name in ("ref", "calls", "unit")}
    store[key] = b"ce-table1 or not"
    database = Assembly("digest", store, _facts).database(["ref", "calls", "unit"])
    assert {name: _rows(database, name) for name in expected} == expected


def test_a_glob_that_is_none_is_an_error() -> None:
    with pytest.raises(CeError):
        Assembly("d", _Store(), _facts).database(["set"], ["[a"])


def test_an_empty_tree_has_empty_relations() -> None:
    empty = TreeFacts({}, {}, Resolution((), (), (), (), (), ()), lambda: iter(()))
    database = Assembly("d", _Store(), lambda: empty).database([known.name for known in RELATIONS], ["*.py"])
    filled = {name: _rows(database, name) for name, table in database.tables.items() if table.length}
    assert filled == {"dir": [(".",)], "dir_name": [(".", ".")], "project_kind": [("application", "")]}


def test_relations_measured_apart_are_kept_under_their_own_digest() -> None:
    store = _Store()
    calls = []

    def provide() -> Provided:
        calls.append(1)
        return Provided({"churn": [("lib.py", 3, 2, 1, "lib.py", 0), ("gone.py", 1, 1, 1, "gone.py", 0)]}, ("a remark",))

    for digest, times in (("one", 1), ("one", 1), ("two", 2), (None, 3), (None, 4)):
        assembly = Assembly("digest", store, _facts)
        assert assembly.add("history", ["churn"], digest, provide) == ("a remark",)
        assert _rows(assembly.database(["churn"]), "churn") == [("lib.py", 3, 2, 1)]
        assert len(calls) == times


def test_units_are_found_by_their_place_in_the_extraction() -> None:
    assembly = Assembly("digest", _Store(), _facts)
    labels = assembly.domain("unit")
    found = [assembly.unit_at("app/main.py", index) for index in range(5)]
    assert [labels[number] for number in found if number is not None] == [_MAIN, _CLASS, _LAMBDA, f"{_LAMBDA} (2)"]
    assert found[4] is None
    assert assembly.unit_at("nowhere.py", 0) is None


def test_a_resolution_survives_its_encoding() -> None:
    assert decode_resolution(encode_resolution(_RESOLUTION)) == _RESOLUTION


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'["resolution/1",[],[]]',
        encode_resolution(_RESOLUTION)[:-5],
        encode_resolution(_RESOLUTION).replace(b"[4,", b'["4",', 1),
        encode_resolution(_RESOLUTION).replace(b"[[0,", b"[[-1,", 1),
        b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_resolution_are_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_resolution(data)
