"""Whatever lies on disk, the walk and the reading end, name what they left out, and stay inside the root."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ce.diagnostics import CeError
from ce.source.anchor import Repository
from ce.source.git_index import read_tracked
from ce.source.settings import Settings, load_settings
from ce.source.text import read_file
from ce.source.tree import SkippedFile
from ce.source.walk import Tree, walk
from tests.fakes.git_sandbox import write


def reasons(tree: Tree) -> dict[str, str]:
    return {skipped.path: skipped.why for skipped in tree.skipped}


def test_links_are_named_and_never_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.py": "1"})
    root = write(tmp_path / "root", {"src/probe/a.py": "", "b.py": ""})
    for place, target in {
        "src/probe/loop": "../probe",
        "src/self": ".",
        "src/up": "../..",
        "itself": "itself",
        "dangling": "nowhere",
        "also_b.py": "b.py",
        "outside": str(outside),
        "outside.py": str(outside / "secret.py"),
    }.items():
        (root / place).symlink_to(target)
    tree = walk(root, Settings())
    assert tree.paths == ("b.py", "src/probe/a.py")
    assert set(reasons(tree).values()) == {"symlink"} and len(tree.skipped) == 8
    assert tree.skipped[0] == SkippedFile("also_b.py", "symlink", "it points at `b.py`")
    assert tree.problems == ()


def test_reading_never_leaves_the_root(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"x.py": "secret", "d/y.py": "secret"})
    root = write(tmp_path / "root", {"a.py": "fine", "d/b.py": "fine"})
    (root / "x.py").symlink_to(outside / "x.py")
    (root / "e").symlink_to(outside / "d")
    (root / "inner").symlink_to("d")
    assert read_file(root, "a.py") == b"fine"
    assert read_file(root, "inner/b.py") == b"fine"
    for path, why in {
        "x.py": "symlink",
        "e/y.py": "symlink",
        "../outside/x.py": "unreadable",
        "d/../../outside/x.py": "unreadable",
        str(outside / "x.py"): "unreadable",
        "a\0b": "unreadable",
        "nowhere.py": "vanished",
        "a.py/x": "vanished",
        "d": "not_regular",
    }.items():
        found = read_file(root, path)
        assert isinstance(found, SkippedFile) and (found.path, found.why) == (path, why), path


def test_a_root_reached_through_a_link_can_be_read(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.py": "1"})
    (tmp_path / "alias").symlink_to("real")
    assert read_file(tmp_path / "alias", "a.py") == b"1"


def test_without_proc_the_place_of_a_file_is_still_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write(tmp_path / "outside", {"y.py": "secret"})
    root = write(tmp_path / "root", {"d/b.py": "fine"})
    (root / "e").symlink_to(outside)

    def refuse(path: str) -> str:
        raise FileNotFoundError(errno.ENOENT, "no /proc here", path)

    monkeypatch.setattr(os, "readlink", refuse)
    assert read_file(root, "d/b.py") == b"fine"
    assert isinstance(read_file(root, "e/y.py"), SkippedFile)


def test_pipes_sockets_and_devices_are_neither_opened_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.py"))
        tree = walk(tmp_path, Settings())
        assert reasons(tree) == {"pipe.py": "not_regular", "socket.py": "not_regular"}
        for name in reasons(tree):
            found = read_file(tmp_path, name)
            assert isinstance(found, SkippedFile) and found.why == "not_regular"


def test_an_ignore_file_that_is_a_pipe_or_a_directory_does_not_stop_the_walk(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    write(tmp_path, {"d/.ceignore/x": "", "a.py": "", ".gitmodules/x": ""})
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("a.py",)
    assert any(".gitignore: not applied" in problem for problem in tree.problems)


def test_a_huge_sparse_file_is_neither_read_nor_measured(tmp_path: Path) -> None:
    with open(tmp_path / "huge.py", "wb") as stream:
        stream.truncate(100 << 20)
    tree = walk(tmp_path, Settings())
    assert tree.paths == ()
    assert tree.skipped == (SkippedFile("huge.py", "too_large", "104857600 bytes, the limit is 33554432"),)
    found = read_file(tmp_path, "huge.py")
    assert isinstance(found, SkippedFile) and found.why == "too_large"


def test_a_file_that_grows_while_it_is_read_is_cut_off() -> None:
    found = read_file("/proc/self", "maps", limit=10)
    assert isinstance(found, SkippedFile)


def test_odd_names_come_through_whole(tmp_path: Path) -> None:
    names = [
        "new\nline.py",
        " space .py",
        "caf\u00e9.py",
        "cafe\u0301.py",
        "\udcff\udcfe.py",
        "quote\"'.py",
        "back\\slash.py",
        "A.py",
        "a.py",
        "\u202e.py",
    ]
    write(tmp_path, {f"{directory}/{name}": name.encode("utf-8", "surrogateescape") for directory in ("d", "d\udcff") for name in names})
    tree = walk(tmp_path, Settings())
    assert list(tree.paths) == sorted(f"{directory}/{name}" for directory in ("d", "d\udcff") for name in names)
    assert all(read_file(tmp_path, path) == path.rpartition("/")[2].encode("utf-8", "surrogateescape") for path in tree.paths)


class _Failing:
    """`os.scandir` in which some directories and files fail as the kernel would let them fail."""

    def __init__(self, faults: dict[str, OSError]) -> None:
        self.faults = faults
        self.real = os.scandir

    def __call__(self, path: str) -> _Failing:
        name = os.path.basename(path.rstrip("/"))
        if name in self.faults:
            raise self.faults[name]
        self.entries = self.real(path)
        return self

    def __enter__(self) -> Iterator[object]:
        return iter([_Entry(entry, self.faults.get(f"stat:{entry.name}")) for entry in self.entries])

    def __exit__(self, *_: object) -> None:
        self.entries.close()


class _Entry:
    def __init__(self, entry: os.DirEntry[str], fault: OSError | None) -> None:
        self.name, self.path, self._entry, self._fault = entry.name, entry.path, entry, fault

    def __getattr__(self, name: str) -> object:
        return getattr(self._entry, name)

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        if self._fault is not None:
            raise self._fault
        return self._entry.stat(follow_symlinks=follow_symlinks)


def test_what_cannot_be_read_or_vanishes_is_skipped_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"closed/a.py": "", "gone/b.py": "", "fine/c.py": "", "fine/flaky.py": "", "fine/lost.py": ""})
    faults: dict[str, OSError] = {
        "closed": PermissionError(errno.EACCES, "Permission denied"),
        "gone": FileNotFoundError(errno.ENOENT, "No such file or directory"),
        "stat:flaky.py": OSError(errno.EIO, "Input/output error"),
        "stat:lost.py": FileNotFoundError(errno.ENOENT, "No such file or directory"),
    }
    monkeypatch.setattr(os, "scandir", _Failing(faults))
    tree = walk(tmp_path, Settings())
    assert tree.paths == ("fine/c.py",)
    assert reasons(tree) == {"closed/": "unreadable", "gone/": "vanished", "fine/flaky.py": "unreadable", "fine/lost.py": "vanished"}
    assert tree.problems == (
        "closed/: not measured, permission denied",
        "fine/flaky.py: not measured, input/output error",
        "fine/lost.py: not measured, it vanished during the walk",
        "gone/: not measured, it vanished during the walk",
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights in a child process")
def test_permissions_are_respected_and_said(tmp_path: Path) -> None:
    write(tmp_path, {"closed/a.py": "", "shut.py": "1", "fine.py": ""})
    (tmp_path / "closed").chmod(0o000)
    (tmp_path / "shut.py").chmod(0o000)
    modes = {directory: directory.stat().st_mode for directory in (tmp_path, *tmp_path.parents)}
    for directory, mode in modes.items():
        directory.chmod(mode | 0o055)
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(65534)
            os.setuid(65534)
            os.write(sending, repr((walk(tmp_path, Settings()), read_file(tmp_path, "shut.py"))).encode())
        finally:
            os._exit(0)
    os.close(sending)
    with open(receiving, encoding="utf-8") as stream:
        found = stream.read()
    os.waitpid(child, 0)
    for directory, mode in modes.items():
        directory.chmod(mode)
    assert "SkippedFile(path='closed/', why='unreadable', detail='permission denied')" in found
    assert "SkippedFile(path='shut.py', why='unreadable', detail='permission denied')" in found
    assert "closed/: not measured, permission denied" in found


def test_a_directory_two_thousand_deep_ends_in_a_row(tmp_path: Path) -> None:
    top = os.open(tmp_path, os.O_RDONLY)
    here = os.dup(top)
    try:
        for depth in range(2000):
            os.mkdir("deep", dir_fd=here)
            below = os.open("deep", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
            if depth % 500 == 0:
                os.close(os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        tree = walk(tmp_path, Settings())
        assert len(tree.paths) == 2
        assert [skipped.why for skipped in tree.skipped] == ["unreadable"]
        assert "file name too long" in tree.problems[0]
    finally:
        os.close(here)
        os.close(top)
        subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)


def test_twenty_thousand_tiny_files_are_walked_quickly(tmp_path: Path) -> None:
    for directory in range(20):
        (tmp_path / f"d{directory}").mkdir()
        for number in range(1000):
            os.close(os.open(tmp_path / f"d{directory}/f{number}.py", os.O_CREAT | os.O_WRONLY))
    start = time.perf_counter()
    tree = walk(tmp_path, Settings())
    assert len(tree.files) == 20_000
    assert time.perf_counter() - start < 5


def test_a_hostile_ignore_file_does_not_hang(tmp_path: Path) -> None:
    lines = "*a*a*a*a*a*a*a*a*a*b\n" + "**/" * 30 + "x\n" + "[" * 200 + "\n" + "?*" * 60 + "\n!" + "*?" * 60 + "z\n"
    write(tmp_path, {".gitignore": lines, "a" * 200: "", "x/" * 40 + "y": ""})
    start = time.perf_counter()
    walk(tmp_path, Settings())
    assert time.perf_counter() - start < 2


def test_a_tree_that_changes_during_the_walk_is_walked_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"d{number}/x.py": "" for number in range(5)})
    real: Callable[[str], object] = os.scandir
    calls: list[str] = []

    def meddling(path: str) -> object:
        calls.append(path)
        if len(calls) == 2:
            for number in range(5):
                os.rename(tmp_path / f"d{number}", tmp_path / f"e{number}")
        return real(path)

    monkeypatch.setattr(os, "scandir", meddling)
    tree = walk(tmp_path, Settings())
    assert set(reasons(tree).values()) == {"vanished"} and len(tree.skipped) == 5


@pytest.mark.parametrize("name", [".git", "inner/.git"])
def test_a_pipe_in_the_place_of_a_git_directory_is_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.py").write_text("x = 1\n")
    os.mkfifo(tmp_path / name)
    assert walk(tmp_path, Settings()).paths == ("inner/a.py",)


def test_a_pipe_in_the_place_of_the_settings_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ce.toml")
    with pytest.raises(CeError, match=r"`ce\.toml` cannot be read: it is no regular file"):
        load_settings(tmp_path)


def test_a_pipe_in_the_place_of_the_index_of_git_is_said_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "index")
    assert "it is no regular file" in read_tracked(Repository(os.fspath(tmp_path), os.fspath(tmp_path), os.fspath(tmp_path))).problem
