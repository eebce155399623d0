"""What an erase must never take: uncommitted work, files behind links, lines that no licence names, a state that cannot come back."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ce.app.erase import EraseReport, _bereft
from ce.erase.apply import spliced
from ce.erase.model import Plan

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

PROSE = " ".join(f"word{number}" for number in range(60))
SMALL: dict[str, str | bytes] = {"__main__.py": "print(1)\n", "_gone.py": "_x = 1\n"}


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> Path:
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "state")
    return root


def plan(ce: Ce, root: Path) -> dict[str, Any]:
    code, out, err = ce("erase", root, "--format", "json")
    assert code == 0, out + err
    document: dict[str, Any] = json.loads(out)
    return document


def reasons(document: dict[str, Any]) -> dict[str, str]:
    return {row["path"]: row["reason"] for row in document["rows"]}


@pytest.mark.parametrize("hidden_by", ["core.excludesFile", "skip-worktree", "assume-unchanged"])
def test_content_that_the_last_commit_does_not_hold_is_refused_though_the_status_is_clean(
    ce: Ce, tree: Make, tmp_path: Path, hidden_by: str
) -> None:
    root = tree(SMALL)
    git(root, "init", "-q")
    if hidden_by == "core.excludesFile":
        (tmp_path / "excludes").write_text("_gone.py\n")
        git(root, "config", "core.excludesFile", str(tmp_path / "excludes"))
    commit(root)
    if hidden_by != "core.excludesFile":
        git(root, "update-index", f"--{hidden_by}", "_gone.py")
        (root / "_gone.py").write_text("_precious = 2\n")
    before = (root / "_gone.py").read_bytes()
    code, _, err = ce("erase", root, "--apply")
    assert (code, "CE703" in err, "`_gone.py`" in err) == (2, True, True)
    assert (root / "_gone.py").read_bytes() == before


def test_line_ends_that_git_converts_are_no_uncommitted_work(ce: Ce, tree: Make) -> None:
    root = tree(SMALL | {"_gone.py": b"_x = 1\r\n", ".gitattributes": "*.py text\n"})
    commit(root)
    assert ce("erase", root, "--apply")[0] == 0
    assert not (root / "_gone.py").exists()


@pytest.mark.parametrize("link", ["link.py", ".tools/run", "docs/again"])
def test_a_file_that_a_link_leads_to_is_kept(ce: Ce, tree: Make, link: str) -> None:
    root = tree(SMALL)
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(os.path.relpath(root / "_gone.py", (root / link).parent))
    assert reasons(plan(ce, commit(root)))["_gone.py"] == "mentioned"


def test_a_file_in_a_directory_that_a_link_leads_to_is_kept(ce: Ce, tree: Make) -> None:
    root = tree({"__main__.py": "print(1)\n", "_impl/_gone.py": "_x = 1\n"})
    (root / "pkg").symlink_to("_impl")
    assert reasons(plan(ce, commit(root)))["_impl/_gone.py"] == "mentioned"


def test_links_that_lead_out_or_nowhere_or_to_the_root_keep_nothing(ce: Ce, tree: Make, tmp_path: Path) -> None:
    root = tree(SMALL)
    for name, end in (("out", tmp_path), ("nowhere", "missing"), ("loop", "loop"), ("here", ".")):
        (root / name).symlink_to(end)
    assert reasons(plan(ce, commit(root)))["_gone.py"] == "eraseable"


def test_overlapping_and_repeated_spans_take_each_line_once() -> None:
    assert spliced(b"1\n2\n3\n4\n5\n6\n", [(2, 3), (3, 4), (2, 3)]) == b"1\n5\n6\n"
    assert spliced(b"1\n2\n3\n4\n", [(1, 2), (3, 3)]) == b"4\n"


def test_a_saved_plan_that_repeats_a_target_is_refused(ce: Ce, tree: Make, tmp_path: Path) -> None:
    root = commit(tree({"README.md": f"# T\n\n{PROSE}\n", "more.md": f"# M\n\n{PROSE}\n\nalive\n", "__main__.py": "print(1)\n"}))
    document = plan(ce, root)
    (row,) = [row for row in document["rows"] if row["eraseable"]]
    document["rows"].append(row)
    saved = tmp_path / "plan.json"
    saved.write_text(json.dumps(document))
    before = (root / "more.md").read_bytes()
    code, _, err = ce("erase", root, "--apply", "--plan", saved)
    assert (code, "CE723" in err, "one target" in err) == (2, True, True)
    assert (root / "more.md").read_bytes() == before


def test_the_log_says_what_the_plan_of_now_says_not_what_a_saved_one_claims(ce: Ce, tree: Make, tmp_path: Path) -> None:
    root = commit(tree(SMALL))
    document = plan(ce, root)
    document["rows"][0] |= {"provenance": "forged", "sites": 7}
    saved = tmp_path / "plan.json"
    saved.write_text(json.dumps(document))
    assert ce("erase", root, "--apply", "--plan", saved)[0] == 0
    log = (root / ".ce" / "erase-log.ndjson").read_text()
    assert "forged" not in log
    assert "unref_private" in log


@pytest.mark.parametrize(
    "change",
    [
        {"path": "\ud800.py"},
        {"path": "../x"},
        {"path": "a\0b"},
        {"path": ""},
        {"path": "__main__.py"},
        {"span": [1, 10**30]},
        {"span": [1, 1]},
        {"class": "t1_twin"},
        {"hash": ""},
        {"hash": "0" * 64},
        {"sites": True},
    ],
)
def test_a_plan_forged_in_any_field_is_refused_with_a_sentence(ce: Ce, tree: Make, tmp_path: Path, change: dict[str, Any]) -> None:
    root = commit(tree(SMALL))
    document = plan(ce, root)
    document["rows"][0] |= change
    saved = tmp_path / "plan.json"
    saved.write_text(json.dumps(document))
    code, _, err = ce("erase", root, "--apply", "--plan", saved)
    assert (code, "error CE7" in err, "Traceback" in err) == (2, True, False)
    assert sorted(path.name for path in root.glob("*.py")) == ["__main__.py", "_gone.py"]


@pytest.mark.parametrize(
    ("verify", "said"),
    [
        ("git checkout -- .", "`_gone.py` was changed while the result was checked"),
        ("sh -c 'x=one; echo new > _g$x.py'", "somebody else changed it meanwhile"),
    ],
)
def test_a_check_of_the_project_that_writes_a_target_is_not_taken_for_a_success(ce: Ce, tree: Make, verify: str, said: str) -> None:
    root = commit(tree(SMALL | {"ce.toml": f'[erase]\nverify = "{verify}"\n'}))
    code, _, err = ce("erase", root, "--apply")
    assert code != 0
    assert said in err
    assert (root / "_gone.py").exists()


def test_a_check_that_leaves_something_running_is_not_waited_for(ce: Ce, tree: Make) -> None:
    root = commit(tree(SMALL | {"ce.toml": "[erase]\nverify = \"sh -c 'sleep 300 & exit 0'\"\n"}))
    assert ce("erase", root, "--apply")[0] == 0


def test_a_log_that_is_a_pipe_stops_nothing_and_changes_nothing(ce: Ce, tree: Make) -> None:
    root = commit(tree(SMALL))
    assert ce("index", root)[0] == 0
    os.mkfifo(root / ".ce" / "erase-log.ndjson")
    code, _, err = ce("erase", root, "--apply")
    assert (code, "CE710" in err) == (2, True)
    assert (root / "_gone.py").exists()
    code, out, _ = ce("erase", root, "--log")
    assert (code, "no plain file" in out) == (1, True)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (frozenset({"a.py"}), frozenset({"a.py", "b.py"}), "`b.py` was alive and is dead now"),
        ({"a.py": 1}, {"a.py": 2}, "`a.py` holds a reference that leads nowhere now"),
        ({}, {"c.py": 1}, "`c.py` holds a reference that leads nowhere now"),
        (frozenset({"a.py"}), frozenset(), None),
        ({"a.py": 1}, {"a.py": 1}, None),
    ],
)
def test_an_erase_that_leaves_something_bereft_does_not_settle(before: Any, after: Any, said: str | None) -> None:
    def report(value: Any) -> EraseReport:
        dead, unresolved = (value, {}) if isinstance(value, frozenset) else (frozenset(), value)
        return EraseReport(".", Plan(()), (), lambda _: None, {}, None, (), False, dead, unresolved)

    assert _bereft(report(before), report(after)) == said


def test_a_tree_of_documents_alone_is_judged(ce: Ce, tree: Make) -> None:
    root = commit(tree({"a.md": f"# A\n\n{PROSE}\n", "b.md": f"# B\n\n{PROSE}\n\nend\n"}))
    assert ce("erase", root, "--check")[0] == 1
    assert "empty" not in ce("erase", root)[1]
