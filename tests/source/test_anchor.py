"""The root of a project and the repository that holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce.diagnostics import CeError
from ce.source.anchor import explicit_root, find_repository, find_root, git_directory_of
from tests.fakes.git_sandbox import commit, git, init, write


def test_the_nearest_settings_file_marks_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"ce.toml": "", "a/ce.toml": "", "a/b/c/x.py": ""})
    assert find_root(tmp_path / "a/b/c") == tmp_path / "a"


def test_a_repository_marks_the_root(tmp_path: Path) -> None:
    init(tmp_path / "r")
    write(tmp_path / "r", {"a/b/x.py": ""})
    assert find_root(tmp_path / "r/a/b") == tmp_path / "r"


def test_a_directory_named_git_without_a_repository_in_it_marks_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"ce.toml": "", "a/.git/config": "", "a/b/x.py": ""})
    assert find_root(tmp_path / "a/b") == tmp_path


def test_a_git_file_that_points_nowhere_marks_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"ce.toml": "", "a/.git": "gitdir: /nonexistent\n", "a/x.py": ""})
    assert find_root(tmp_path / "a") == tmp_path


def test_a_worktree_whose_git_is_a_file_is_a_root(tmp_path: Path) -> None:
    main = init(tmp_path / "main")
    commit(write(main, {"x.py": ""}))
    git(main, "worktree", "add", "-q", "../other")
    other = tmp_path / "other"
    assert (other / ".git").is_file()
    assert find_root(other) == other
    repository = find_repository(str(other))
    assert repository is not None
    assert Path(repository.common_directory).resolve() == main / ".git"


def test_without_a_mark_the_directory_itself_is_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.py": ""})
    assert find_root(tmp_path / "a") == tmp_path / "a"


def test_a_relative_start_gives_an_absolute_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"ce.toml": "", "a/x.py": ""})
    monkeypatch.chdir(tmp_path / "a")
    assert find_root(Path(".")) == tmp_path
    assert explicit_root(Path(".")) == tmp_path / "a"


@pytest.mark.parametrize("find", [find_root, explicit_root])
def test_a_directory_that_does_not_exist_is_named(find: object, tmp_path: Path) -> None:
    assert callable(find)
    with pytest.raises(CeError, match=r"CE501: no such directory: `.*/nowhere`"):
        find(tmp_path / "nowhere")


def test_a_file_is_refused_and_its_directory_suggested(tmp_path: Path) -> None:
    write(tmp_path, {"x.py": ""})
    with pytest.raises(CeError, match=r"CE502: `.*/x.py` is not a directory") as refused:
        find_root(tmp_path / "x.py")
    assert str(tmp_path) in refused.value.diagnostics[0].notes[0]


def test_a_path_with_a_zero_byte_or_odd_bytes_is_refused_readably() -> None:
    with pytest.raises(CeError, match="CE501"):
        find_root(Path("a\0b"))
    with pytest.raises(CeError, match=r"no such directory: `.*\\udcff`"):
        find_root(Path("/nonexistent/\udcff"))


def test_a_huge_git_file_is_not_believed(tmp_path: Path) -> None:
    write(tmp_path, {".git": b"gitdir: " + b"a" * 100_000})
    assert git_directory_of(str(tmp_path)) is None
