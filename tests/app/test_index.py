"""The index of a project from end to end: what is measured again, and that a warm run gives what a cold one does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ce.app import workers
from ce.app.index import ProjectIndex
from ce.datalog.database import Database
from ce.facts.schema import RELATIONS
from ce.source.settings import Graph, Settings
from ce.store.index import Index

_NAMES = [known.name for known in RELATIONS]
_GLOBS = ["*.py", "docs/**"]
_FILES = {
    "pyproject.toml": '[project]\nname = "demo"\n[project.scripts]\ndemo = "demo.cli:main"\n',
    "README.md": "# Demo\n\nSee [the guide](docs/guide.md#use).\n",
    "docs/guide.md": "# Guide\n\n## Use\n\n![logo](logo.png)\n",
    "docs/logo.png": "\x00\x01not really",
    "demo/__init__.py": "",
    "demo/cli.py": "from demo import tools\n\n\ndef main():\n    return tools.run(1)\n",
    "demo/tools.py": "import os\n\n\ndef run(value):\n    if value:\n        return os.sep\n    return None\n",
    "demo/dead.py": "def unused():\n    return 1\n",
    "data.json": "{}",
    "LICENSE": "words\n",
}


def _write(root: Path, path: str, text: str, age: float = 3600.0) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", errors="surrogateescape")
    then = time.time() - age
    os.utime(target, (then, then))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project."""
    for path, text in _FILES.items():
        _write(tmp_path / "project", path, text)
    return tmp_path / "project"


def _content(database: Database) -> dict[str, object]:
    """Return everything a database says, in its order."""
    content: dict[str, object] = {sort: list(domain.labels) for sort, domain in database.domains.items()}
    for name, table in database.tables.items():
        at = [table.at(row) for row in range(table.length)] if table.at is not None else []
        content[f"{name}/{len(table.sorts)}"] = ([column.tolist() for column in table.columns], at)
    return content


def _run(root: Path, *, on_disk: bool = True, workers: int | None = 0) -> tuple[dict[str, int], dict[str, object], tuple[str, ...]]:
    with ProjectIndex(root, on_disk=on_disk, workers=workers) as index:
        index.refresh(_NAMES)
        database = index.database(_NAMES, _GLOBS)
        return index.counts, _content(database), index.problems


def _rows(database: Database, name: str) -> set[tuple[int | str, ...]]:
    table = database.tables[name]
    columns = [[database.decode(sort, int(value)) for value in column] for sort, column in zip(table.sorts, table.columns, strict=True)]
    return set(zip(*columns, strict=True))


def test_the_second_run_measures_nothing_and_says_the_same(root: Path) -> None:
    cold_counts, cold, cold_problems = _run(root)
    warm_counts, warm, warm_problems = _run(root)
    assert cold_counts["extracted"] == cold_counts["files"] > 0
    assert (warm_counts["extracted"], warm_counts["reused"]) == (0, cold_counts["files"])
    assert warm_counts["skipped"] == cold_counts["skipped"]
    assert warm == cold
    assert warm_problems == cold_problems


def test_a_run_without_the_disk_says_the_same_and_leaves_nothing(root: Path) -> None:
    _, memory, _ = _run(root, on_disk=False)
    assert not (root / ".ce").exists()
    _, disk, _ = _run(root)
    assert memory == disk


def test_editing_one_file_measures_that_file_alone(root: Path) -> None:
    _run(root)
    _write(root, "demo/tools.py", "def run(value):\n    return value\n")
    counts, warm, _ = _run(root)
    assert (counts["extracted"], counts["removed"]) == (1, 0)
    assert warm == _run(root, on_disk=False)[1]


def test_moving_a_package_measures_nothing(root: Path) -> None:
    before, _, _ = _run(root)
    os.rename(root / "demo", root / "renamed")
    counts, warm, _ = _run(root)
    assert (counts["extracted"], counts["files"], counts["removed"]) == (0, before["files"], 4)
    assert warm == _run(root, on_disk=False)[1]


def test_a_changed_manifest_changes_what_is_derived_from_it_without_measuring_anything(root: Path) -> None:
    with ProjectIndex(root) as index:
        assert ("demo/cli.py", "main") in {row[:2] for row in _rows(index.database(["entry_point"]), "entry_point")}
    _write(root, "pyproject.toml", '[project]\nname = "demo"\n')
    with ProjectIndex(root) as index:
        database = index.database(["entry_point"])
        assert index.counts["extracted"] == 0
        assert _rows(database, "entry_point") == set()


def test_changed_settings_change_what_is_derived_from_them(root: Path) -> None:
    _run(root)
    with ProjectIndex(root, settings=Settings(graph=Graph(entry_globs=("demo/dead.py",)))) as index:
        assert ("demo/dead.py", "glob") in _rows(index.database(["role"]), "role")
        assert index.counts["extracted"] == 0


def test_nodes_are_what_the_graph_judges_and_what_it_refers_to(root: Path) -> None:
    with ProjectIndex(root) as index:
        database = index.database(["node", "skipped", "lang"])
    kinds = {node: kind for node, kind in _rows(database, "node")}  # noqa: C416  # the rows are too wide a type for dict()
    assert kinds["demo/cli.py"] == kinds["docs/guide.md"] == "file"
    assert kinds["docs/logo.png"] == "asset"
    assert "data.json" not in kinds
    assert {("data.json", "unknown_language"), ("LICENSE", "unknown_language")} <= _rows(database, "skipped")
    assert ("data.json", "unknown") in _rows(database, "lang")


def test_a_file_that_is_only_read_keeps_alive_what_it_refers_to(root: Path) -> None:
    _write(root, "demo/migrations/0001_first.py", "from demo import dead\n")
    _write(root, ".hidden/script.py", "import demo.cli\n")
    with ProjectIndex(root) as index:
        database = index.database(["node", "role", "ref", "file", "skipped"])
    assert ("demo/migrations/0001_first.py", "demo/dead.py") in {row[:2] for row in _rows(database, "ref")}
    assert {("demo/migrations/0001_first.py", "foreign"), (".hidden/script.py", "foreign")} <= _rows(database, "role")
    assert ("demo/migrations/0001_first.py", "asset") in _rows(database, "node")
    assert ("demo/migrations/0001_first.py",) not in _rows(database, "file")


def test_every_relation_can_be_asked_for_alone(root: Path) -> None:
    with ProjectIndex(root) as index:
        together = index.database(_NAMES, _GLOBS)
    for name in _NAMES:
        with ProjectIndex(root, on_disk=False, workers=0) as index:
            assert _rows(index.database([name], _GLOBS), name) == _rows(together, name) if name in together.tables else True


def test_names_and_contents_of_every_kind_survive(root: Path) -> None:
    odd = [os.fsdecode(b"stray\xff.py"), "new\nline.py", "sp ace.py", "#hash.py", "a#b.md", "é.py", "\U0001f600.py", "q'uo\"te.py"]
    for number, name in enumerate(odd):
        _write(root, f"odd/{name}", f"x = {number}\n" if name.endswith("py") else f"# {number}\n")
    (root / "odd" / "latin.py").write_bytes(b"# coding: latin-1\nname = '\xe9'\n")
    (root / "odd" / "bom.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    (root / "odd" / "nul.py").write_bytes(b"x = 1\0\n")
    (root / "odd" / "empty.py").write_bytes(b"")
    (root / "odd" / "broken.py").write_bytes(b"def oops(:\n    pass\n")
    _, cold, problems = _run(root)
    _, warm, warm_problems = _run(root)
    assert warm == cold
    assert warm_problems == problems
    nodes = cold["node"]
    assert isinstance(nodes, list)
    assert {f"odd/{name}" for name in odd} <= set(nodes)
    assert any(problem.startswith("odd/broken.py: ") for problem in problems)


def test_an_empty_tree_and_a_tree_of_one_empty_file(tmp_path: Path) -> None:
    for _ in range(2):
        counts, content, _ = _run(tmp_path)
        assert counts == {"files": 0, "extracted": 0, "reused": 0, "removed": 0, "skipped": 0}
        assert content["node"] == []
    (tmp_path / "a.py").write_text("")
    assert _run(tmp_path)[0]["extracted"] == 1


_PATHS = st.sampled_from(["a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/sub/c.py", "doc.md", "pkg/doc.md", "x.json"])
_TEXTS = st.sampled_from(
    [
        "",
        "import a\n",
        "import b\nfrom pkg import a, doc\n",
        "from . import c\n__all__ = ['f']\n\n\ndef f(x):\n    return a.g(x)\n",
        "def g(x, y):\n    if x:\n        return y\n    return g(y, x)\n",
        "class A(B):\n    @property\n    def f(self):\n        return 1\n",
        "import importlib\nimportlib.import_module('pkg.' + name)\n",
        "[doc](doc.md#part) and ![x](x.json)\n\n# Part\n",
        "# ce:allow(deadcode) -- kept\nimport missing\n",
        "def broken(:\n",
    ]
)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _PATHS, _TEXTS),
        st.tuples(st.just("delete"), _PATHS, st.just("")),
        st.tuples(st.just("move"), _PATHS, _PATHS),
        st.tuples(st.just("touch"), _PATHS, st.just("")),
        st.tuples(st.just("index"), st.sampled_from(["file", "ref", "unit", "calls", "mention"]), st.just("")),
    ),
    min_size=1,
    max_size=10,
)


def _apply(root: Path, step: tuple[str, str, str], age: float) -> None:
    kind, path, other = step
    if kind == "write":
        _write(root, path, other, age)
    elif kind == "index":
        with ProjectIndex(root, workers=0) as index:
            index.database([path])
    elif (root / path).exists():
        if kind == "delete":
            (root / path).unlink()
        elif kind == "touch":
            os.utime(root / path)
        elif path != other:
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            os.replace(root / path, root / other)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(_STEPS, min_size=1, max_size=3), age=st.sampled_from([0.0, 3600.0]))
def test_after_any_edits_a_warm_index_says_what_a_cold_one_says(
    tmp_path: Path, rounds: list[list[tuple[str, str, str]]], age: float
) -> None:
    root = tmp_path / "edited"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for steps in rounds:
        for step in steps:
            _apply(root, step, age)
        _, warm, problems = _run(root)
        _, cold, cold_problems = _run(root, on_disk=False)
        assert warm == cold
        assert problems == cold_problems


def _many(root: Path, count: int = 260) -> None:
    for number in range(count):
        _write(root, f"many/module{number:03}.py", f"import many.module{number // 2:03}\n\n\ndef f{number}(x):\n    return x\n")


def test_worker_processes_give_what_this_process_gives(root: Path) -> None:
    _many(root)
    here = _run(root, on_disk=False, workers=0)
    for count in (None, 1, 3):
        assert _run(root, on_disk=False, workers=count) == here


def test_progress_is_told_up_to_the_number_of_files(root: Path) -> None:
    told: list[tuple[int, int]] = []
    with ProjectIndex(root, progress=lambda done, total: told.append((done, total))) as index:
        index.refresh()
        files = told[-1][1]
        assert told == [(done, files) for done in range(1, files + 1)]
        assert files >= index.counts["files"]


_BOMB = """
import json, sys, os, time
sys.path[:] = json.loads(sys.argv[1])
import ce.app.worker as worker
measure = worker.measure_file
def bomb(root, path, layers, *known):
    if path.endswith("killed.py"):
        os.kill(os.getpid(), 9)
    if path.endswith("exits.py"):
        os._exit(3)
    if path.endswith("hangs.py"):
        time.sleep(60)
    if path.endswith("spins.py"):
        while True:
            pass
    return measure(root, path, layers, *known)
worker.measure_file = bomb
worker._FILE_CPU_SECONDS = 0.2
worker.main()
"""


@pytest.fixture
def bomb(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Workers that certain file names are deadly for."""
    monkeypatch.setattr(workers, "_BOOT", _BOMB)
    monkeypatch.setattr(workers, "_FILE_SECONDS", 3.0)
    monkeypatch.setattr(workers, "_POLL_SECONDS", 0.05)
    yield


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("killed.py", "it was ended by SIGKILL"),
        ("exits.py", "it ended with exit code 3"),
        ("spins.py", "it took too much processor time"),
        ("hangs.py", "no answer within 3 seconds"),
    ],
)
def test_a_file_that_is_deadly_for_its_worker_is_skipped_and_all_others_are_measured(
    root: Path, bomb: None, name: str, detail: str
) -> None:
    _many(root, 20)
    _write(root, f"many/{name}", "x = 1\n")
    with ProjectIndex(root, workers=2) as index:
        database = index.database(["skipped", "file"])
        assert index.tree.files
        assert f"many/{name}: parse limit, the process that measured it was lost: {detail}" in index.problems
        assert (f"many/{name}", "parse_limit") in _rows(database, "skipped")
        assert (f"many/{name}",) not in _rows(database, "file")
        assert {(f"many/module{number:03}.py",) for number in range(20)} <= _rows(database, "file")
        cold = index.problems
    with ProjectIndex(root, workers=2) as index:  # remembered, not tried again
        index.refresh()
        assert index.counts["extracted"] == 0
        index.database(["skipped"])
        assert index.problems == cold


def test_workers_that_cannot_start_are_done_without(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_BOOT", "raise SystemExit(1)")
    assert _run(root, on_disk=False, workers=2) == _run(root, on_disk=False, workers=0)
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert _run(root, on_disk=False, workers=2) == _run(root, on_disk=False, workers=0)


def test_an_extraction_that_raises_costs_its_file_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ce.extract import extractor

    extract = extractor.extract

    def fail(path: str, data: bytes, layers: tuple[str, ...], ahead: dict[str, bytes]) -> dict[str, bytes]:
        if path == "demo/dead.py":
            raise ValueError("a defect")
        return extract(path, data, layers, ahead)

    monkeypatch.setattr(extractor, "extract", fail)
    _, _, problems = _run(root)
    assert "demo/dead.py: parse limit, the extraction failed: ValueError: a defect" in problems


def test_a_tree_is_never_imported(root: Path) -> None:
    """A worker must not pick up modules that stand in the current directory."""
    for name in ("json.py", "signal.py", "sitecustomize.py", "ce/__init__.py"):
        _write(root, name, "raise SystemExit('imported from the tree')\n")
    code = (
        "import sys; from pathlib import Path\n"
        "from ce.app.index import ProjectIndex\n"
        "index = ProjectIndex(Path(sys.argv[1]), workers=1)\n"
        "index.database(['file'])\n"
        "print(index.counts['extracted'], index.problems)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, os.fspath(root)], cwd=root, capture_output=True, text=True, check=True)
    extracted, _, problems = done.stdout.strip().partition(" ")
    assert int(extracted) > 8
    assert problems == "()"


def test_what_others_removed_from_the_index_is_measured_again(root: Path) -> None:
    _, expected, _ = _run(root)
    with Index.open(root) as other:
        other._shelf.write(lambda connection: connection.execute("DELETE FROM layer"))
        other._shelf.write(lambda connection: connection.execute("DELETE FROM cache WHERE CAST(key AS TEXT) NOT LIKE 'state/%'"))
    assert _run(root)[1] == expected


def test_an_index_that_keeps_losing_rows_is_given_up_for_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _run(root, on_disk=False)[1]

    def nothing(index: Index, layer: str, digests: list[bytes]) -> dict[tuple[bytes, bytes], bytes]:
        return dict(values(index, layer, digests)) if index._shelf._directory is None else {}

    values = Index._values
    monkeypatch.setattr(Index, "_values", nothing)
    _, content, problems = _run(root)
    assert content == expected
    assert any("working in memory" in problem for problem in problems)


def test_two_processes_at_once_say_the_same(root: Path) -> None:
    _many(root, 120)
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.app.test_index import _run\n"
        "import hashlib\n"
        "print(hashlib.sha256(repr(_run(Path(sys.argv[1]))[1:]).encode()).hexdigest())\n"
    )
    repository = Path(__file__).resolve().parents[2]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, os.fspath(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=repository
        )
        for _ in range(3)
    ]
    outputs = [child.communicate(timeout=120) for child in children]
    assert all(child.returncode == 0 for child in children), outputs
    assert len({out for out, _ in outputs}) == 1
