"""Churn, co-change and age come from the commits alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ce.facts.loaders.history import History, history, history_stamp
from ce.source.settings import History as HistorySettings
from tests.fakes.git_sandbox import commit, git, init, write

DAY = 86_400
START = 1_700_000_000
WINDOW = HistorySettings()


def of(root: Path, *files: str, window: HistorySettings = WINDOW) -> History:
    return history(root, files, window)


def test_a_tree_outside_of_git_has_no_history_and_says_so(tmp_path: Path) -> None:
    found = of(write(tmp_path, {"a": ""}), "a")
    assert found == History(problems=("the tree is in no git repository: it has no history",))


def test_a_repository_without_a_commit_has_no_history_and_says_so(tmp_path: Path) -> None:
    found = of(init(tmp_path), "a")
    assert found.churn == () and "no history to read: Needed a single revision" in found.problems[0]


def test_changes_are_counted_per_commit_and_line(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, {"a": "1\n2\n", "b": "1\n", "gone": "1\n"}), date=START)
    (root / "gone").unlink()
    commit(write(root, {"a": "1\n3\n4\n"}), date=START + 3 * DAY)
    commit(write(root, {"b": "2\n", "c": "1\n"}), date=START + 10 * DAY + 5)
    found = of(root, "a", "b", "c", "untracked")
    assert found.churn == (("a", 2, 4, 1), ("b", 2, 2, 1), ("c", 1, 1, 0))
    assert found.cochange == (("a", "b", 1), ("b", "c", 1))
    assert found.age_days == (("a", 7), ("b", 0), ("c", 0))
    assert found.problems == ()


def test_a_renamed_file_keeps_its_history_and_a_recycled_name_does_not_inherit_it(tmp_path: Path) -> None:
    root = init(tmp_path)
    body = "".join(f"line {number}\n" for number in range(20))
    commit(write(root, {"old": body}), date=START)
    commit(write(root, {"old": body + "more\n"}), date=START + DAY)
    git(root, "mv", "old", "new")
    commit(root, date=START + 2 * DAY)
    commit(write(root, {"old": "something else\n"}), date=START + 3 * DAY)
    found = of(root, "old", "new")
    assert found.churn == (("new", 3, 21, 0), ("old", 1, 1, 0))
    assert found.age_days == (("new", 1), ("old", 0))


def test_a_chain_of_renames_is_followed(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, {"a": "".join(f"line {number}\n" for number in range(20)), "z": ""}), date=START)
    for number, (before, after) in enumerate((("a", "b"), ("b", "c"), ("c", "d/e")), start=1):
        (root / "d").mkdir(exist_ok=True)
        git(root, "mv", before, after)
        commit(root, date=START + number)
    assert of(root, "d/e").churn == (("d/e", 4, 20, 0),)


def test_odd_names_and_binary_files_are_counted(tmp_path: Path) -> None:
    root = init(tmp_path)
    names = ("new\nline", "tab\tname", "\udcff", "é", " 1\t2\tx", "\x01" + str(START))
    commit(write(root, dict.fromkeys(names, "1\n") | {"binary": b"\0\1\2"}), date=START)
    found = of(root, *names, "binary")
    assert found.churn == tuple(sorted([*((name, 1, 1, 0) for name in names), ("binary", 1, 0, 0)]))
    assert len(found.cochange) == 21


def test_merges_add_nothing_of_their_own(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, {"a": "1\n", "b": "1\n"}), date=START)
    git(root, "checkout", "-q", "-b", "side")
    commit(write(root, {"a": "2\n"}), date=START + 1)
    git(root, "checkout", "-q", "main")
    commit(write(root, {"b": "2\n"}), date=START + 2)
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side", date=START + 90 * DAY)
    found = of(root, "a", "b")
    assert found.churn == (("a", 2, 2, 1), ("b", 2, 2, 1))
    assert found.cochange == (("a", "b", 1),)


def test_the_window_bounds_churn_and_not_age(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, {"old": "1\n", "new": "1\n"}), date=START)
    for number in range(1, 6):
        commit(write(root, {"new": f"{number}\n"}), date=START + number * DAY)
    found = of(root, "old", "new", window=HistorySettings(commits=3))
    assert found.churn == (("new", 3, 3, 3),)
    assert found.age_days == (("new", 0), ("old", 5))
    assert found.problems == ("only the newest 3 commits count for churn and co-change (`[history] commits`)",)


def test_a_commit_that_touches_too_much_says_nothing_about_cochange(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, dict.fromkeys("abcde", "1\n")), date=START)
    commit(write(root, dict.fromkeys("ab", "2\n")), date=START)
    found = of(root, *"abcde", window=HistorySettings(cochange_files=4))
    assert found.cochange == (("a", "b", 1),)
    assert found.problems == ("1 commits touch more than 4 files and do not count for co-change",)


def test_a_root_inside_the_repository_sees_its_own_part(tmp_path: Path) -> None:
    root = init(tmp_path)
    commit(write(root, {"part/a": "1\n", "part/b": "1\n", "else": "1\n"}), date=START)
    commit(write(root, {"else": "2\n"}), date=START + 5 * DAY)
    commit(write(root, {"part/a": "2\n", "else": "3\n"}), date=START + 7 * DAY)
    found = of(root / "part", "a", "b", "else")
    assert found.churn == (("a", 2, 2, 1), ("b", 1, 1, 0))
    assert found.cochange == (("a", "b", 1),)


def test_a_shallow_clone_is_said(tmp_path: Path) -> None:
    root = init(tmp_path / "full")
    for number in range(3):
        commit(write(root, {"a": f"{number}\n"}), date=START + number)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", "shallow")
    found = of(tmp_path / "shallow", "a")
    assert found.churn == (("a", 1, 1, 0),)
    assert found.problems == ("the clone is shallow: its history ends early",)


def test_a_repository_that_git_distrusts_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = init(tmp_path)
    commit(write(root, {"a": "1\n"}))
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    found = of(root, "a")
    assert found.churn == () and "dubious ownership" in found.problems[0]


def test_a_machine_without_git_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = init(tmp_path)
    commit(write(root, {"a": "1\n"}))
    monkeypatch.setenv("PATH", "/nonexistent")
    assert of(root, "a").problems == ("the git repository has no history to read: git is not installed",)


def test_nobody_s_own_configuration_changes_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = init(tmp_path / "r")
    commit(write(root, {"a": "".join(f"{number}\n" for number in range(30)), "é": "1\n"}), date=START)
    git(root, "mv", "a", "b")
    commit(root, date=START + DAY)
    plain = of(root, "b", "é")
    home = write(
        tmp_path / "home",
        {
            ".gitconfig": "[diff]\nrenames=false\nnoprefix=true\nalgorithm=patience\nrelative=true\n[log]\nshowRoot=false\nfollow=true\n"
            "date=relative\n[core]\nquotePath=true\n[color]\nui=always\n[format]\npretty=oneline\n[i18n]\nlogOutputEncoding=latin-1\n"
        },
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    assert of(root, "b", "é") == plain
    assert plain.churn == (("b", 2, 30, 0), ("é", 1, 1, 0))


def test_the_stamp_moves_with_the_head_and_the_window(tmp_path: Path) -> None:
    root = init(tmp_path)
    empty = history_stamp(root, WINDOW)
    commit(write(root, {"a": "1\n"}))
    first = history_stamp(root, WINDOW)
    write(root, {"a": "2\n"})
    assert history_stamp(root, WINDOW) == first != empty
    commit(root)
    assert history_stamp(root, WINDOW) != first != history_stamp(root, HistorySettings(commits=1))


def test_many_commits_of_many_files_stay_bounded(tmp_path: Path) -> None:
    root = init(tmp_path)
    stream = []
    for number in range(3000):
        stream.append(f"commit refs/heads/main\ncommitter c <c@x> {START + number} +0000\ndata 0\n")
        stream += [f"M 644 inline f{(number * 7 + index) % 50}\ndata {len(str(number))}\n{number}\n" for index in range(3)]
    git(root, "fast-import", "--quiet", stdin="".join(stream).encode())
    found = of(root, *(f"f{number}" for number in range(50)))
    assert len(found.churn) == 50 and sum(row[1] for row in found.churn) == 3 * 2000
    assert os.path.exists(root / ".git")
