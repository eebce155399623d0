"""Whatever happens to `.ce/`, the run goes on, says so once, and gives the same answers."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ce.store import shelf, sqlite
from ce.store.index import Index
from ce.store.owner import user_key
from ce.store.values import TreeMoved
from tests.store.conftest import Workshop


def _database(shop: Workshop) -> Path:
    return shop.root / ".ce" / "index.db"


def _filled(shop: Workshop) -> None:
    with Index.open(shop.root) as index:
        shop.run(index)
        index.put("key", b"value")


def _works(shop: Workshop, problems: int) -> tuple[str, ...]:
    """Run over the tree as it is, check the answer, and return the problems, of which there must be so many."""
    with Index.open(shop.root) as index:
        shop.run(index)
        loaded = index.load("core")
        assert loaded == shop.expected()
        assert index.cached("key") in (b"value", None)
        assert len(index.problems) == problems, index.problems
        return index.problems


def _catch_up(shop: Workshop, index: Index) -> None:
    """Do what a run does when rows are missing."""
    try:
        if index.restore(shop.measure):
            return
    except TreeMoved:
        pass
    shop.run(index, thorough=True)


def test_the_directory_hides_itself_from_git(workshop: Workshop) -> None:
    _filled(workshop)
    assert (workshop.root / ".ce" / ".gitignore").read_text().splitlines()[-1] == "*"


def _make_file(shop: Workshop) -> None:
    (shop.root / ".ce").write_text("mine")


def _make_link_out(shop: Workshop) -> None:
    outside = shop.root.parent / "outside"
    outside.mkdir()
    (shop.root / ".ce").symlink_to(outside)


def _make_dangling_link(shop: Workshop) -> None:
    (shop.root / ".ce").symlink_to(shop.root / "nowhere")


def _make_database_link(shop: Workshop) -> None:
    (shop.root / ".ce").mkdir()
    (shop.root.parent / "precious").write_text("precious")
    _database(shop).symlink_to(shop.root.parent / "precious")


def _make_database_directory(shop: Workshop) -> None:
    _database(shop).mkdir(parents=True)


def _make_hard_link(shop: Workshop) -> None:
    (shop.root / ".ce").mkdir()
    os.link(shop.root / "a.py", _database(shop))


def _make_lock_link(shop: Workshop) -> None:
    (shop.root / ".ce").mkdir()
    (shop.root / ".ce" / "lock").symlink_to(shop.root / "a.py")


def _make_lock_fifo(shop: Workshop) -> None:
    (shop.root / ".ce").mkdir()
    os.mkfifo(shop.root / ".ce" / "lock")


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (_make_file, "`.ce` is not a directory"),
        (_make_link_out, "`.ce` is a symbolic link, which is not followed"),
        (_make_dangling_link, "`.ce` is a symbolic link, which is not followed"),
        (_make_database_link, "`.ce/index.db` is a symbolic link, which is not followed"),
        (_make_database_directory, "`.ce/index.db` is not a plain file of its own"),
        (_make_hard_link, "`.ce/index.db` is not a plain file of its own"),
        (_make_lock_link, "`.ce/lock` is a symbolic link, which is not followed"),
        (_make_lock_fifo, "`.ce/lock` is not a plain file"),
    ],
)
def test_a_place_that_is_not_ours_is_left_alone(workshop: Workshop, prepare: Callable[[Workshop], None], says: str) -> None:
    prepare(workshop)
    before = _snapshot(workshop.root.parent)
    assert _works(workshop, 1) == (f"{says}; working in memory",)
    after = _snapshot(workshop.root.parent)
    assert {path: after[path] for path in before} == before
    assert {os.path.basename(path) for path in after.keys() - before.keys()} <= {"lock", ".gitignore"}


def _snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_read_only_root_is_worked_on_in_memory(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    monkeypatch.setattr(os, "mkdir", refuse)
    assert _works(workshop, 1) == ("`.ce` cannot be written (read-only file system); working in memory",)


def _garbage(shop: Workshop) -> None:
    _database(shop).write_bytes(b"this is not a database" * 1000)


def _empty(shop: Workshop) -> None:
    _database(shop).write_bytes(b"")


def _truncated(shop: Workshop) -> None:
    data = _database(shop).read_bytes()
    _database(shop).write_bytes(data[: len(data) // 2])


def _other_version(shop: Workshop) -> None:
    with sqlite3.connect(_database(shop)) as connection:
        connection.execute("PRAGMA user_version = 4711")
    connection.close()


def _with_trigger(shop: Workshop) -> None:
    with sqlite3.connect(_database(shop)) as connection:
        connection.execute("CREATE TRIGGER evil AFTER INSERT ON cache BEGIN DELETE FROM file; END")
    connection.close()


def _with_view(shop: Workshop) -> None:
    with sqlite3.connect(_database(shop)) as connection:
        connection.execute("DROP TABLE cache")
        connection.execute("CREATE VIEW cache AS SELECT 1 AS number, 'key' AS key, 1 AS size, 'x' AS seal, 'y' AS value")
    connection.close()


def _with_journal(shop: Workshop) -> None:
    Path(f"{_database(shop)}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))


@pytest.mark.parametrize("spoil", [_garbage, _empty, _truncated, _other_version, _with_trigger, _with_view, _with_journal])
def test_a_database_that_is_not_ours_is_replaced_and_that_is_said_once(workshop: Workshop, spoil: Callable[[Workshop], None]) -> None:
    _filled(workshop)
    spoil(workshop)
    (problem,) = _works(workshop, 1)
    assert problem.startswith("the index was unusable (") and problem.endswith(") and is built anew")
    assert _works(workshop, 0) == ()


def test_an_index_that_came_with_the_tree_is_thrown_away(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else a repository could bring its own answers, and a gate would pass."""
    with monkeypatch.context() as stranger:
        stranger.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
        _filled(workshop)
        assert _works(workshop, 0) == ()
    (problem,) = _works(workshop, 1)
    assert problem == "the index was unusable (another user or another machine wrote it) and is built anew"
    assert _works(workshop, 0) == ()


def test_without_a_place_for_the_key_an_index_is_kept_all_the_same(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    _filled(workshop)
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert (workshop.measured, index.problems) == ([], ())


def test_the_key_is_made_once_and_a_broken_one_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    key = user_key()
    assert (len(key), user_key()) == (32, key)
    path = tmp_path / "codeeraser" / "index.key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"short")
    assert len(user_key()) == 32
    assert [entry.name for entry in path.parent.iterdir()] == ["index.key"]


def test_replacing_the_database_keeps_whatever_else_is_in_the_directory(workshop: Workshop) -> None:
    _filled(workshop)
    log = workshop.root / ".ce" / "erase-log.ndjson"
    log.write_text("history\n")
    _garbage(workshop)
    _works(workshop, 1)
    assert log.read_text() == "history\n"


def test_a_hostile_journal_deletes_nothing(workshop: Workshop) -> None:
    """A rollback journal can name another file that SQLite would remove after playing it back."""
    _filled(workshop)
    precious = workshop.root / "precious"
    precious.write_bytes(b"")
    name = os.fsencode(precious)
    trailer = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    header = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(16) + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    Path(f"{_database(workshop)}-journal").write_bytes(header.ljust(512, b"\0") + trailer)
    with Index.open(workshop.root) as index:
        workshop.run(index)
    assert precious.exists()


class _Filled:
    """A tree, and its index as it was when it was whole; no dataclass, whose bytes would be printed."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.database = _database(shop).read_bytes()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> _Filled:
    shop = Workshop(tmp_path_factory.mktemp("damaged"))
    for number in range(40):
        shop.write(f"dir{number % 4}/file{number}.py", f"text {number} " * (number * 7 + 1))
    _filled(shop)
    return _Filled(shop)


_PLACES = st.floats(0, 1, allow_nan=False)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.tuples(_PLACES, st.binary(min_size=1, max_size=64)), min_size=1, max_size=6), cut=st.none() | _PLACES)
def test_corrupt_bytes_anywhere_cost_nothing_but_time(filled: _Filled, pieces: list[tuple[float, bytes]], cut: float | None) -> None:
    shop, good = filled.shop, filled.database
    damaged = bytearray(good)
    for place, piece in pieces:
        start = int(place * (len(good) - 1))
        damaged[start : start + len(piece)] = piece
    if cut is not None:
        del damaged[int(cut * len(good)) :]
    shutil.rmtree(shop.root / ".ce")
    (shop.root / ".ce").mkdir()
    _database(shop).write_bytes(damaged)
    with Index.open(shop.root) as index:
        shop.run(index)
        for _ in range(3):
            try:
                loaded = index.load("core")
                break
            except TreeMoved:
                _catch_up(shop, index)
        assert loaded == shop.expected()
        assert index.cached("key") in (b"value", None)
        assert len(index.problems) <= 3
    with Index.open(shop.root) as index:
        shop.run(index)
        assert set(index.load("core")) == set(shop.expected())


def test_a_full_disk_is_said_once_and_the_run_goes_on(workshop: Workshop) -> None:
    for number in range(30):
        workshop.write(f"big{number}.py", f"{number}" * 20_000)
    with Index.open(workshop.root) as index:
        index._shelf.rows("PRAGMA max_page_count = 20")
        counts = workshop.run(index).counts
        assert counts.extracted == 33
        assert index.load("core") == workshop.expected()
        index.put("key", b"x" * 1_000_000)
        assert index.cached("key") == b"x" * 1_000_000
        assert index.problems == ("the index cannot be written (database or disk is full); working in memory",)
    assert _works(workshop, 0) == ()


def test_a_process_that_finds_the_index_locked_works_in_memory_without_a_word(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_MILLISECONDS", 50)
    _filled(workshop)
    writer = sqlite3.connect(_database(workshop), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    workshop.write("a.py", "changed")
    assert _works(workshop, 0) == ()
    writer.execute("ROLLBACK")
    writer.close()
    with Index.open(workshop.root) as index:
        assert workshop.run(index).counts.extracted == 1


def test_a_broken_index_that_others_use_is_not_replaced_under_them(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_REBUILD_WAIT", 0.05)
    _filled(workshop)
    with Index.open(workshop.root):
        _other_version(workshop)
        problems = _works(workshop, 2)
    assert problems[1] == "other processes keep the index busy; working in memory"


_CHILD = """
import sys
from pathlib import Path
from ce.store.index import Index
from ce.store.owner import user_key
from tests.store.conftest import LAYERS, Workshop
shop = Workshop(Path(sys.argv[1]))
with Index.open(shop.root) as index:
    for number in range(int(sys.argv[2])):
        shop.run(index, thorough=True)
        index.put(f"key {number}", bytes(200_000))
    assert index.load("core") == shop.expected()
    print(sorted(shop.run(index).digests.items()), index.problems)
"""


def _child(shop: Workshop, rounds: int) -> subprocess.Popen[str]:
    repository = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(shop.root), str(rounds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=repository,
    )


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06, 0.1, 0.2])
def test_a_process_killed_while_it_writes_leaves_a_usable_index(workshop: Workshop, delay: float) -> None:
    for number in range(60):
        workshop.write(f"more{number}.py", f"{number} " * 9_000)
    child = _child(workshop, 1000)
    deadline = time.monotonic() + 20
    while not _database(workshop).exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert index.load("core") == workshop.expected()
        assert len(index.problems) <= 1  # a first creation that was cut short is replaced
    assert _works(workshop, 0) == ()


def test_two_processes_at_once_give_the_same_and_neither_fails(workshop: Workshop) -> None:
    for number in range(60):
        workshop.write(f"more{number}.py", f"{number} " * 9_000)
    children = [_child(workshop, 5) for _ in range(3)]
    results = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], results
    assert len({out for out, _ in results}) == 1
    assert results[0][0].endswith("()\n")
