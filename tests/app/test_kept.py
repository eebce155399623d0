"""A kept answer is the one that asking anew would give, and is asked for once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ce.app import code_revision, evaluation, kept
from ce.app.copies import find_copied_code, find_copied_prose, find_near_misses
from ce.app.evaluation import Evaluation, Options
from ce.app.kept import Kept, kept_answer
from ce.app.project import open_project
from ce.verdicts.family import RulesFile

Make = Callable[[Mapping[str, str | bytes]], Path]

RUN = "def f(a, b):\n" + "".join(f"    a.step{n}(b, {n})\n" for n in range(8)) + "    return a + b\n"
FILES: dict[str, str | bytes] = {"a.py": RUN, "b.py": RUN.replace("step", "go"), "c.py": "x = 1\n"}


class Asked(Exception):
    """Somebody evaluates."""


def refuse(*_: object, **__: object) -> Evaluation:
    raise Asked


def counted(root: Path, *files: RulesFile, options: Options | None = None) -> Kept:
    question = RulesFile("question", "?- N = count(F : lang(F, _)).\n", None)

    def make(found: Evaluation) -> object:
        return found.solution.values(found.goals[0].predicate)[0][0]

    return kept_answer(open_project(str(root)), files or (question,), make, options=options or Options())


@pytest.fixture
def root(tree: Make) -> Path:
    return tree(FILES)


def test_a_second_run_evaluates_nothing_and_says_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = open_project(str(root))
    first = [find(project, options=Options()) for find in (find_copied_code, find_copied_prose, find_near_misses)]
    monkeypatch.setattr(evaluation, "evaluate_in", refuse)
    again = [find(project, options=Options()) for find in (find_copied_code, find_copied_prose, find_near_misses)]
    for one, two in zip(first, again, strict=True):
        assert {**dict(one.index), "extracted": 0, "reused": 0} == {**dict(two.index), "extracted": 0, "reused": 0}
        assert repr(one).replace(repr(one.index), "") == repr(two).replace(repr(two.index), "")
    assert first[0].blocks  # type: ignore[union-attr]


def test_a_changed_file_a_new_file_and_one_less_are_seen(root: Path) -> None:
    project = open_project(str(root))
    assert len(find_copied_code(project, options=Options()).blocks) == 1
    (root / "b.py").write_text("y = 2\n")
    assert len(find_copied_code(project, options=Options()).blocks) == 0
    (root / "d.py").write_text(RUN)
    assert len(find_copied_code(project, options=Options()).blocks) == 1
    (root / "a.py").unlink()
    assert len(find_copied_code(project, options=Options()).blocks) == 0


def test_a_change_of_the_same_size_and_time_is_seen(root: Path) -> None:
    import os

    project = open_project(str(root))
    assert len(find_copied_code(project, options=Options()).blocks) == 1
    before = (root / "b.py").stat()
    (root / "b.py").write_bytes(b"#" * before.st_size)
    os.utime(root / "b.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(find_copied_code(project, options=Options()).blocks) == 0


def test_settings_and_knobs_have_answers_of_their_own(root: Path) -> None:
    project = open_project(str(root))
    assert len(find_copied_code(project, options=Options()).blocks) == 1
    assert len(find_copied_code(project, min_tokens=900, options=Options()).blocks) == 0
    (root / "ce.toml").write_text("[dedup]\nbudget = 0\n")
    assert find_copied_code(project, options=Options()).over_budget == (1, 0)
    (root / "ce.toml").write_text('exclude = ["b.py"]\n[dedup]\nbudget = 0\n')
    assert find_copied_code(project, options=Options()).over_budget is None


def test_an_included_text_that_changes_is_asked_again(root: Path) -> None:
    (root / "more.dl").write_text("wanted(F) :- lang(F, python).\n")
    rules = RulesFile("all.rules", 'include "more.dl".\n?- N = count(F : wanted(F)).\n', root)
    assert [counted(root, rules).document, counted(root, rules).document] == [3, 3]
    (root / "more.dl").write_text('wanted("a.py").\n')
    assert counted(root, rules).document == 1
    (root / "more.dl").write_text("wanted(F) :- lang(F, python).\n")
    assert counted(root, rules).document == 3


def test_other_code_asks_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted(root)
    for name in ("answer_revision", "facts_revision", "extraction_revision"):
        with monkeypatch.context() as other:
            other.setattr(evaluation, "evaluate_in", refuse)
            assert counted(root).document == 3
            for module in (kept, code_revision, __import__("ce.app.index", fromlist=["_"])):
                if hasattr(module, name):
                    other.setattr(module, name, lambda: "other code")
            with pytest.raises(Asked):
                counted(root)


def test_what_is_not_kept_between_runs_is_asked_every_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ce.app import index

    monkeypatch.setattr(index, "_digest_of_source", lambda *_: None)
    project = open_project(str(root))
    assert len(find_copied_code(project, options=Options()).blocks) == 1
    monkeypatch.setattr(evaluation, "evaluate_in", refuse)
    with pytest.raises(Asked):
        find_copied_code(project, options=Options())


def test_another_engine_and_a_smaller_bound_are_asked_and_a_crossed_limit_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = open_project(str(root))
    full = find_copied_code(project, options=Options())
    assert full.degraded is None
    for _ in range(2):
        assert find_copied_code(project, options=Options(max_rows=1)).degraded is not None
    assert find_copied_code(project, options=Options()).blocks == full.blocks
    monkeypatch.setattr(evaluation, "evaluate_in", refuse)
    with pytest.raises(Asked):
        find_copied_code(project, options=Options(engine="naive"))


def test_proofs_are_of_the_blocks_that_a_kept_answer_lists(root: Path) -> None:
    project = open_project(str(root))
    listed = find_copied_code(project, options=Options()).blocks
    proved = find_copied_code(project, why=True, options=Options()).blocks
    assert [(block.a, block.b, block.tokens) for block in listed] == [(block.a, block.b, block.tokens) for block in proved]
    assert all(block.proof is not None for block in proved)


@pytest.mark.parametrize("value", [b"", b"[", b"[1]", b"[[], []", b"null", b"\xff"])
def test_a_damaged_answer_is_computed_anew(root: Path, value: bytes) -> None:
    first = counted(root)
    (database,) = (root / ".ce").glob("index.db")
    connection = sqlite3.connect(database)
    connection.execute("UPDATE cache SET value = ? WHERE CAST(key AS TEXT) LIKE 'answer/%' OR CAST(key AS TEXT) LIKE 'needed/%'", (value,))
    connection.commit()
    connection.close()
    assert counted(root).document == first.document


@pytest.mark.parametrize(
    "value",
    ["[]", "[[], [[1]], [], {}, []]", '[["a.py"], [[0, 1, 2, 7, 1, 2, 50, 9, "t1"]], [], {"table": 0, "imports": 0}, []]', "[[[1]], 1]"],
)
def test_an_answer_of_another_shape_is_computed_anew(root: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = open_project(str(root))
    finders = (find_copied_code, find_copied_prose, find_near_misses)
    first = [find(project, options=Options()) for find in finders]
    decoded = kept._decoded

    def other(data: bytes | None) -> object:
        found = decoded(data)
        return found if found is None or all(isinstance(name, str) for name in found[0]) else (json.loads(value), [])

    monkeypatch.setattr(kept, "_decoded", other)
    again = [find(project, options=Options()) for find in finders]
    assert [repr(one).replace(repr(one.index), "") for one in first] == [repr(one).replace(repr(one.index), "") for one in again]


def test_remarks_on_the_way_to_an_answer_are_kept_with_it(tree: Make) -> None:
    root = tree({**FILES, "bad.py": b"\x80\x81\xfe = 1\n"})
    project = open_project(str(root))
    first = find_copied_code(project, options=Options()).notes
    assert find_copied_code(project, options=Options()).notes == first
