"""Carrying a plan out on real git repositories: preconditions by name, both outcomes whole, the log true."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.diagnostics import CeError
from ce.erase.apply import apply_rows, recover, spliced
from ce.erase.apply.log import read_trail
from ce.erase.model import PlanRow, content_hash

TREE = {
    "keep.py": b"print(1)\n",
    "dead.py": b"x = 1\n",
    "pkg/dup.md": b"# a\n\none two\nthree\n\nend\n",
    "pkg/other.md": b"first\r\nsecond\r\nthird\r\n",
    "odd name\n\udcff.py": b"y = 2\n",
}


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True, errors="surrogateescape"
    ).stdout


def write(root: Path, tree: dict[str, bytes]) -> None:
    for path, data in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    write(root, TREE)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def whole(root: Path, path: str, kind: str = "dead_file") -> PlanRow:
    return PlanRow(kind, path, None, True, "eraseable", "deadcode: unref_private", 0, content_hash((root / path).read_bytes()))


def span(root: Path, path: str, start: int, end: int) -> PlanRow:
    data = (root / path).read_bytes()
    return PlanRow("verbatim_doc", path, (start, end), True, "eraseable", "docdup: twin of x", 0, content_hash(data))


def rows_of(root: Path) -> list[PlanRow]:
    odd = next(path for path in TREE if path.startswith("odd"))
    return [whole(root, "dead.py"), whole(root, odd), span(root, "pkg/dup.md", 3, 4), span(root, "pkg/other.md", 2, 2)]


def run(root: Path, rows: list[PlanRow], settle: Callable[[], str | None] = lambda: None) -> str:
    return apply_rows(root, rows, certify=lambda: None, settle=settle)


def snapshot(root: Path) -> dict[str, bytes]:
    found = {}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in (".git", ".ce")]
        for name in files:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, root)] = Path(path).read_bytes()
    return found


def code_of(refused: pytest.ExceptionInfo[CeError]) -> str:
    return refused.value.diagnostics[0].code


def test_an_apply_deletes_files_and_exactly_the_lines_of_spans(repository: Path) -> None:
    plan = run(repository, rows_of(repository))
    after = snapshot(repository)
    assert after == {"keep.py": TREE["keep.py"], "pkg/dup.md": b"# a\n\n\nend\n", "pkg/other.md": b"first\r\nthird\r\n"}
    trail = read_trail(repository / ".ce" / "erase-log.ndjson")
    assert (len(trail.rows), trail.unreadable) == (4, ())
    assert {row.plan for row in trail.rows} == {plan}
    assert {row.path for row in trail.rows} == set(TREE) - {"keep.py"}
    assert recover(repository).startswith("nothing to recover")
    assert [name for name in os.listdir(repository / ".ce") if name.startswith("erase-journal")] == []


def test_permission_bits_survive_a_span(repository: Path) -> None:
    (repository / "pkg/dup.md").chmod(0o755)
    git(repository, "commit", "-qam", "two")
    run(repository, [span(repository, "pkg/dup.md", 1, 1)])
    assert (repository / "pkg/dup.md").stat().st_mode & 0o777 == 0o755


def refuse(root: Path, rows: list[PlanRow], code: str) -> str:
    before = snapshot(root)
    with pytest.raises(CeError) as refused:
        run(root, rows)
    assert code_of(refused) == code
    assert snapshot(root) == before
    assert not (root / ".ce" / "erase-log.ndjson").exists()
    return str(refused.value)


def test_a_root_without_a_repository_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, TREE)
    assert "not in a git repository" in refuse(tmp_path, [whole(tmp_path, "dead.py")], "CE701")


def test_an_enclosing_repository_is_refused_by_name(repository: Path) -> None:
    row = PlanRow("verbatim_doc", "dup.md", (3, 3), True, "eraseable", "p", 0, content_hash(TREE["pkg/dup.md"]))
    assert "is not the top of its repository" in refuse(repository / "pkg", [row], "CE702")


@pytest.mark.parametrize("dirt", ["edited", "untracked", "staged"])
def test_a_dirty_worktree_is_refused_by_name(repository: Path, dirt: str) -> None:
    rows = rows_of(repository)
    if dirt == "untracked":
        (repository / "new.py").write_text("z\n")
    else:
        (repository / "keep.py").write_text("print(2)\n")
        if dirt == "staged":
            git(repository, "add", "-A")
    assert "worktree is not clean" in refuse(repository, rows, "CE703")


def test_the_tools_own_state_does_not_make_a_worktree_dirty(repository: Path) -> None:
    (repository / ".ce").mkdir()
    (repository / ".ce" / "index.db").write_bytes(b"x")
    run(repository, rows_of(repository))
    assert not (repository / "dead.py").exists()


def test_a_target_in_a_submodule_is_refused_by_name(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    write(other, {"inner.py": b"q = 1\n"})
    git(other, "add", "-A")
    git(other, "commit", "-qm", "one")
    git(repository, "submodule", "add", "-q", str(other), "sub")
    git(repository, "commit", "-qm", "two")
    assert "submodule `sub`" in refuse(repository, [whole(repository, "sub/inner.py")], "CE704")


def test_a_target_in_a_nested_repository_is_refused_by_name(repository: Path) -> None:
    (repository / ".gitignore").write_text("nested/\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    write(nested, {"inner.py": b"q = 1\n"})
    assert "nested at `nested`" in refuse(repository, [whole(repository, "nested/inner.py")], "CE704")


def test_a_file_that_moved_since_planning_is_refused_by_name(repository: Path) -> None:
    rows = rows_of(repository)
    (repository / "dead.py").write_text("x = 2\n")
    git(repository, "commit", "-qam", "two")
    assert "content changed since planning: `dead.py`" in refuse(repository, rows, "CE705")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_on_the_way_to_a_target_is_refused(repository: Path, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "dup.md").write_bytes(TREE["pkg/dup.md"])
    row = span(repository, "pkg/dup.md", 3, 4)
    if kind == "file":
        (repository / "pkg/dup.md").unlink()
        (repository / "pkg/dup.md").symlink_to(outside / "dup.md")
    else:
        git(repository, "rm", "-rq", "pkg")
        (repository / "pkg").symlink_to(outside)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    refuse(repository, [row], "CE705")
    assert (outside / "dup.md").read_bytes() == TREE["pkg/dup.md"]


@pytest.mark.parametrize("path", ["../x", "/etc/x", ".git/config", "a/../b", ".ce/x", "a//b", ".GIT/config", ""])
def test_a_path_that_is_no_target_is_refused(repository: Path, path: str) -> None:
    refuse(repository, [PlanRow("dead_file", path, None, True, "eraseable", "p", 0, "0" * 64)], "CE705")


def test_a_licence_that_does_not_hold_stops_before_the_first_write(repository: Path) -> None:
    before = snapshot(repository)

    def certify() -> None:
        raise CeError.of("CE706", "no")

    with pytest.raises(CeError, match="CE706"):
        apply_rows(repository, rows_of(repository), certify=certify, settle=lambda: None)
    assert snapshot(repository) == before


def test_a_verdict_that_survives_takes_everything_back(repository: Path) -> None:
    before = snapshot(repository)
    with pytest.raises(CeError) as refused:
        run(repository, rows_of(repository), settle=lambda: "a verdict survived")
    assert code_of(refused) == "CE711"
    assert snapshot(repository) == before
    assert git(repository, "status", "--porcelain").strip() in ("", "?? .ce/")
    trail = read_trail(repository / ".ce" / "erase-log.ndjson")
    taken_back = [row for row in trail.rows if row.provenance.startswith("rolled back: a verdict survived")]
    assert (len(trail.rows), len(taken_back)) == (8, 4)


def test_an_interrupt_while_settling_takes_everything_back(repository: Path) -> None:
    before = snapshot(repository)

    def settle() -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(repository, rows_of(repository), settle=settle)
    assert snapshot(repository) == before
    assert recover(repository).startswith("nothing to recover")


def test_a_failing_write_takes_everything_back(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = snapshot(repository), os.rename
    seen: list[str] = []

    def rename(source: str, target: str, **where: int) -> None:
        if target == "other.md" and not seen:
            seen.append(target)
            raise OSError(28, "No space left on device", target)
        real(source, target, **where)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(CeError) as refused:
        run(repository, rows_of(repository))
    assert code_of(refused) == "CE710"
    assert "No space left" in str(refused.value)
    assert snapshot(repository) == before


def test_a_full_disk_before_the_first_write_touches_nothing(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = snapshot(repository), os.fsync

    def fsync(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(CeError, match="nothing was touched"):
        run(repository, rows_of(repository))
    monkeypatch.setattr(os, "fsync", real)
    assert snapshot(repository) == before
    run(repository, rows_of(repository))
    assert not (repository / "dead.py").exists()


def test_a_file_that_changes_between_check_and_write_is_kept(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = snapshot(repository), os.unlink
    edited = b"x = 'somebody else was here'\n"

    def unlink(path: str, **where: int) -> None:
        real(path, **where)
        if path == "dead.py":
            (repository / "pkg/other.md").write_bytes(edited)

    monkeypatch.setattr(os, "unlink", unlink)
    with pytest.raises(CeError):
        run(repository, rows_of(repository))
    monkeypatch.setattr(os, "unlink", real)
    after = snapshot(repository)
    assert after["pkg/other.md"] == edited
    assert {path: data for path, data in after.items() if path != "pkg/other.md"} == {
        path: data for path, data in before.items() if path != "pkg/other.md"
    }


def test_a_second_apply_at_once_is_refused_by_name(repository: Path) -> None:
    outcomes: list[str] = []

    def settle() -> str | None:
        with pytest.raises(CeError) as refused:
            recover(repository)
        outcomes.append(code_of(refused))
        return None

    run(repository, rows_of(repository), settle=settle)
    assert outcomes == ["CE707"]


CHILD = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_apply import rows_of
from ce.erase.apply import apply_rows

left = int(sys.argv[2])
def counted(function):
    def call(*args, **keywords):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **keywords)
    return call

root = Path(sys.argv[1])
rows = rows_of(root)
for name in ("rename", "unlink", "fsync", "mkdir", "fchmod", "write"):
    setattr(os, name, counted(getattr(os, name)))
apply_rows(root, rows, certify=lambda: None, settle=lambda: None)
"""


def test_a_kill_at_any_write_ends_in_the_old_or_the_new_state(repository: Path, tmp_path: Path) -> None:
    script = tmp_path / "child.py"
    script.write_text(textwrap.dedent(CHILD).format(tests=str(Path(__file__).parent)))
    before = snapshot(repository)
    outcomes = []
    for boundary in range(200):
        child = subprocess.run([sys.executable, str(script), str(repository), str(boundary)], capture_output=True, text=True)
        said = recover(repository)
        after = snapshot(repository)
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL, child.stderr
        outcomes.append(said.split(":")[0])
        if after != before:
            assert said.startswith(("finished", "nothing to recover"))
            assert set(after) == {"keep.py", "pkg/dup.md", "pkg/other.md"}
            assert after["pkg/dup.md"] == b"# a\n\n\nend\n"
            write(repository, TREE)
        else:
            assert said.startswith(("rolled back", "nothing to recover"))
            if said.startswith("rolled back"):
                last = read_trail(repository / ".ce" / "erase-log.ndjson").rows[-4:]
                assert all(row.provenance.startswith("rolled back: recovered") for row in last)
        assert snapshot(repository) == before
        assert recover(repository).startswith("nothing to recover")
    assert child.returncode == 0, "some run gets through"
    assert {"nothing to recover", "rolled back", "finished"} <= set(outcomes)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"version": 1, "plan": "x", "edits": []}', '{"version": 2}', "\udcff"])
def test_a_damaged_journal_is_refused_by_name(repository: Path, manifest: str) -> None:
    folder = repository / ".ce" / "erase-journal"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(manifest, errors="surrogateescape")
    with pytest.raises(CeError) as refused:
        recover(repository)
    assert code_of(refused) == "CE708"
    refused_apply = refuse(repository, rows_of(repository), "CE708")
    assert "journal" in refused_apply


def test_a_journal_that_comes_with_a_tree_cannot_reach_outside(repository: Path) -> None:
    folder = repository / ".ce" / "erase-journal"
    folder.mkdir(parents=True)
    digest = content_hash(b"evil")
    row = f'["dead_file", null, "p", "{digest}", 0]'
    edit = f'{{"path": "../evil", "old": "{digest}", "new": null, "mode": 511, "rows": [{row}]}}'
    (folder / "manifest.json").write_text(f'{{"version": 1, "plan": "{digest}", "edits": [{edit}]}}')
    (folder / "0.old").write_bytes(b"evil")
    with pytest.raises(CeError, match="no path below the root"):
        recover(repository)
    assert not (repository.parent / "evil").exists()


def test_a_log_line_that_cannot_be_read_is_named_by_number(repository: Path) -> None:
    run(repository, [whole(repository, "dead.py")])
    path = repository / ".ce" / "erase-log.ndjson"
    path.write_bytes(path.read_bytes() + b'{"ts": 1}\nnot json\n' + b'{"half":')
    run_again = [span(repository, "pkg/dup.md", 3, 4)]
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    run(repository, run_again)
    trail = read_trail(path)
    assert [number for number, _ in trail.unreadable] == [2, 3, 4]
    assert [row.path for row in trail.rows] == ["dead.py", "pkg/dup.md"]


def test_a_log_that_is_a_link_is_not_written_through(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (repository / ".ce").mkdir()
    (repository / ".ce" / "erase-log.ndjson").symlink_to(outside)
    before = snapshot(repository)
    with pytest.raises(CeError, match="CE710"):
        run(repository, rows_of(repository))
    assert snapshot(repository) == before
    assert not outside.exists()


def test_a_missing_log_is_absent_not_empty(tmp_path: Path) -> None:
    assert read_trail(tmp_path / "none").to_dict()["present"] is False


@given(
    st.lists(st.sampled_from([b"a", b"", b"\xff\xfe", b"b c"]), max_size=8),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.booleans(),
    st.data(),
)
def test_splicing_leaves_every_other_byte(lines: list[bytes], end: bytes, last: bool, data: st.DataObject) -> None:
    text = end.join(lines) + (end if last and lines else b"")
    count = len(text.splitlines())
    if not count:
        return
    start = data.draw(st.integers(1, count))
    stop = data.draw(st.integers(start, count))
    kept = [line for number, line in enumerate(text.splitlines(keepends=True), 1) if not start <= number <= stop]
    assert spliced(text, [(start, stop)]) == b"".join(kept)


def test_a_span_that_is_not_in_the_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not in a file of 1 lines"):
        spliced(b"a\n", [(1, 2)])
