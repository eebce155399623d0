"""The paths that git tracks, from every form of its index."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ce.source import git_index
from ce.source.anchor import find_repository
from ce.source.git import GitFailure, run_git
from ce.source.git_index import Tracked, read_tracked
from tests.fakes.git_sandbox import commit, git, init, write

NAMES = {
    "a", "a/b/c.py", "é", "x\ny", "\udcff", "d" * 200 + "/" + "e" * 200, "z/" * 100 + "deep", *(f"many/{n:05}.txt" for n in range(300)),
    "d-", "d/a", "d.x", "n" * 7, "n" * 8, "n" * 9, "n" * 10,
} - {"a"}  # fmt: skip


def tracked(root: Path) -> Tracked:
    repository = find_repository(str(root))
    assert repository is not None
    return read_tracked(repository)


@pytest.fixture
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(directory: str, arguments: object) -> GitFailure:
        return GitFailure("git is not to be asked here")

    monkeypatch.setattr(git_index, "run_git", refuse)


@pytest.mark.usefixtures("no_git")
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_an_index_of_each_version_is_read_without_git(tmp_path: Path, version: str) -> None:
    root = write(init(tmp_path), dict.fromkeys(NAMES, ""))
    git(root, "add", "-A")
    if version == "3":
        git(root, "update-index", "--skip-worktree", "many/00007.txt")
    git(root, "update-index", "--index-version", version)
    found = tracked(root)
    assert found.problem == ""
    assert list(found.paths) == sorted(os.fsencode(name) for name in NAMES)


@pytest.mark.usefixtures("no_git")
def test_a_conflicted_path_is_tracked_once_or_more(tmp_path: Path) -> None:
    root = write(init(tmp_path), {"a": "1\n"})
    commit(root)
    git(root, "checkout", "-q", "-b", "side")
    commit(write(root, {"a": "2\n"}))
    git(root, "checkout", "-q", "main")
    commit(write(root, {"a": "3\n"}))
    with pytest.raises(Exception, match="returned non-zero"):
        git(root, "merge", "-q", "side")
    assert set(tracked(root).paths) == {b"a"}


def test_a_split_index_is_read_by_asking_git(tmp_path: Path) -> None:
    root = write(init(tmp_path), {"a": "", "b": ""})
    commit(root)
    git(root, "update-index", "--split-index")
    commit(write(root, {"c": ""}))
    assert tracked(root) == Tracked((b"a", b"b", b"c"))


def test_an_index_with_long_hashes_is_read_by_asking_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    write(tmp_path, {"a": "", "dir/b": ""})
    git(tmp_path, "add", "-A")
    assert tracked(tmp_path) == Tracked((b"a", b"dir/b"))


def test_a_broken_index_is_a_problem_and_not_a_traceback(tmp_path: Path) -> None:
    root = write(init(tmp_path), {"a": "", "b": ""})
    git(root, "add", "-A")
    data = (root / ".git/index").read_bytes()
    for broken in (data[:-1], data[:70], data[:12] + b"\xff" * 200):
        (root / ".git/index").write_bytes(broken)
        assert isinstance(tracked(root), Tracked)
    for broken in (b"DIRC", bytes(range(256))):
        (root / ".git/index").write_bytes(broken)
        found = tracked(root)
        assert found.paths == () and "the index of git cannot be read" in found.problem


def test_a_repository_without_an_index_tracks_nothing(tmp_path: Path) -> None:
    assert tracked(init(tmp_path)) == Tracked(())


def test_directories_are_found_by_their_prefix() -> None:
    found = Tracked((b"a", b"d-", b"d.x", b"d/e/f"))
    assert found.holds(b"d.x") and not found.holds(b"d") and not found.holds(b"zz")
    assert found.holds_below(b"d/") and found.holds_below(b"d/e/") and not found.holds_below(b"d/f/") and not found.holds_below(b"z/")


def test_nothing_that_a_repository_configures_is_run(tmp_path: Path) -> None:
    root = init(tmp_path)
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    commit(write(root, {"a.txt": "1\n", ".gitattributes": "*.txt diff=trap\n"}))
    commit(write(root, {"a.txt": "2\n"}))
    for name in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "core.sshCommand",
    ):
        git(root, "config", name, str(trap))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "gpg.program", str(trap))
    assert isinstance(run_git(str(root), ("ls-files", "-z")), bytes)
    assert isinstance(run_git(str(root), ("log", "--numstat", "--no-ext-diff", "--no-textconv")), bytes)
    assert not (tmp_path / "sprung").exists()


def test_a_git_that_fails_hangs_or_talks_too_much_is_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = init(tmp_path / "r")
    missing = run_git(str(root), ("rev-parse", "--verify", "HEAD"))
    assert missing == GitFailure("Needed a single revision")
    assert run_git(str(root), ("version",), output_limit=3) == GitFailure("git printed more than 3 bytes")
    assert isinstance(run_git(str(tmp_path / "nowhere"), ("version",)), GitFailure)
    slow = tmp_path / "bin/git"
    write(tmp_path, {"bin/git": "#!/bin/sh\nexec sleep 30\n"})
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
    assert run_git(str(root), ("version",), timeout=0.2) == GitFailure("git took longer than 0.2 s")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert run_git(str(root), ("version",)) == GitFailure("git is not installed")


def test_a_variable_that_points_elsewhere_is_not_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = init(tmp_path / "here"), init(tmp_path / "there")
    git(write(here, {"a": ""}), "add", "a")
    monkeypatch.setenv("GIT_DIR", str(there / ".git"))
    assert run_git(str(here), ("ls-files",)) == b"a\n"
