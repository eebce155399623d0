"""What the index measures again and what it knows already."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from ce.store import rows
from ce.store.index import Index
from ce.store.values import Counts, LayerSpec, TreeMoved
from tests.store.conftest import LAYERS, Workshop


def test_the_first_refresh_measures_every_file_and_the_second_none(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        assert workshop.run(index).counts == Counts(files=3, extracted=3)
    with Index.open(workshop.root) as index:
        assert workshop.run(index).counts == Counts(files=3, reused=3)
        assert workshop.measured == []
        assert index.load("core") == workshop.expected()
        assert index.problems == ()


def test_an_unchanged_tree_is_not_even_read(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert workshop.read_paths == []
        workshop.run(index, thorough=True)
        assert workshop.read_paths == []


def test_one_edit_measures_exactly_one_file(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        workshop.write("pkg/b.py", "delta")
        assert workshop.run(index).counts == Counts(files=3, extracted=1, reused=2)
        assert workshop.measured == ["pkg/b.py"]
        assert index.load("core") == workshop.expected()


def test_touching_a_file_without_changing_it_measures_nothing_and_keeps_the_digest(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        before = workshop.run(index)
        workshop.write("a.py", "alpha", age=60)
        after = workshop.run(index)
        assert (workshop.read_paths, workshop.measured) == (["a.py"], [])
        assert after.digests == before.digests


def test_a_change_that_leaves_the_stat_as_it_was_is_seen_while_the_file_is_young(workshop: Workshop) -> None:
    workshop.write("a.py", "alpha", age=0)
    with Index.open(workshop.root) as index:
        tree = workshop.tree()
        workshop.run(index, tree=tree)
        (workshop.root / "a.py").write_text("ALPHB")
        workshop.run(index, tree=tree)  # same size, times and inode as before
        assert workshop.measured == ["a.py"]
        assert index.load("core") == workshop.expected()


def test_the_stat_of_an_old_file_is_believed(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        tree = workshop.tree()
        workshop.run(index, tree=tree)
        (workshop.root / "a.py").write_text("ALPHB")
        workshop.run(index, tree=tree, thorough=True)
        assert workshop.read_paths == []


@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_any_difference_of_the_stat_makes_the_file_be_read(workshop: Workshop, field: str) -> None:
    with Index.open(workshop.root) as index:
        tree = workshop.tree()
        workshop.run(index, tree=tree)
        first, *others = tree.files
        changed = replace(first, **{field: getattr(first, field) - 1})
        workshop.run(index, tree=replace(tree, files=(changed, *others)))
        assert workshop.read_paths == [first.path]


def test_a_stat_beyond_64_bits_is_kept(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        tree = workshop.tree()
        huge = replace(tree, files=tuple(replace(file, inode=2**64 - 1) for file in tree.files))
        workshop.run(index, tree=huge)
        workshop.run(index, tree=huge, thorough=True)
        assert workshop.read_paths == []
        assert index.problems == ()


def test_a_moved_directory_is_not_measured_again(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        os.rename(workshop.root / "pkg", workshop.root / "package")
        assert workshop.run(index).counts == Counts(files=3, reused=3, removed=2)
        assert workshop.measured == []
        assert index.load("core") == workshop.expected()


def test_a_new_file_name_is_measured_because_the_language_may_be_another(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        os.rename(workshop.root / "a.py", workshop.root / "a.md")
        assert workshop.run(index).counts.extracted == 1


def test_a_vanished_file_leaves_no_row_and_its_return_costs_no_measuring(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        os.unlink(workshop.root / "a.py")
        assert workshop.run(index).counts == Counts(files=2, reused=2, removed=1)
        assert set(index.load("core")) == {"pkg/b.py", "pkg/c.py"}
        workshop.write("a.py", "alpha")
        assert workshop.run(index).counts.extracted == 0


def test_contents_that_nothing_has_any_more_are_kept_up_to_a_bound(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_SPARE_LAYERS", 2)
    with Index.open(workshop.root) as index:
        for number in range(8):
            workshop.write("a.py", f"version {number}", age=3600 - number)
            workshop.run(index)
        assert _count(index, "layer") == 3 + 2


def test_another_revision_of_a_layer_measures_everything_and_forgets_the_old_values(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert workshop.run(index, {"core": LayerSpec("2", lambda path: True)}).counts.extracted == 3
        assert _count(index, "layer") == 3


def test_a_second_layer_is_measured_without_the_first(workshop: Workshop) -> None:
    both = {**LAYERS, "words": LayerSpec("1", lambda path: path.startswith("pkg/"))}
    with Index.open(workshop.root) as index:
        before = workshop.run(index)
        after = workshop.run(index, both)
        assert workshop.measured == ["pkg/b.py", "pkg/c.py"]
        assert after.digests["core"] == before.digests["core"]
        assert set(index.load("words")) == {"pkg/b.py", "pkg/c.py"}
        assert workshop.run(index).digests == before.digests


def test_files_that_no_layer_wants_are_never_read(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        counts = workshop.run(index, {"core": LayerSpec("1", lambda path: path == "a.py")}).counts
        assert workshop.read_paths == ["a.py"]
        assert counts == Counts(files=1, extracted=1, skipped=2)


def test_an_unreadable_file_is_skipped_with_its_reason_and_tried_again(workshop: Workshop) -> None:
    tree = workshop.tree()
    os.unlink(workshop.root / "a.py")
    with Index.open(workshop.root) as index:
        for _ in range(2):
            refreshed = workshop.run(index, tree=tree)
            assert refreshed.skipped == (("a.py", "unreadable", "No such file or directory"),)
            assert refreshed.counts.skipped == 1
        workshop.write("a.py", "alpha")
        assert workshop.run(index).counts == Counts(files=3, extracted=1, reused=2)


def test_a_content_that_cannot_be_measured_is_remembered_as_such(workshop: Workshop) -> None:
    workshop.refuse.add("a.py")
    with Index.open(workshop.root) as index:
        first = workshop.run(index)
        assert first.skipped == (("a.py", "parse_limit", "refused"),)
        assert first.counts == Counts(files=2, extracted=2, skipped=1)
    for thorough in (False, True):
        with Index.open(workshop.root) as index:
            again = workshop.run(index, thorough=thorough)
            assert (again.skipped, again.counts) == (first.skipped, Counts(files=2, reused=2, skipped=1))
            assert workshop.measured == []
            assert set(index.load("core")) == {"pkg/b.py", "pkg/c.py"}


def test_names_with_newlines_and_stray_bytes_are_kept(workshop: Workshop) -> None:
    for name in ("new\nline.py", os.fsdecode(b"stray\xff.py"), "quote'\".py", " space .py", "é.py"):
        workshop.write(name, name.encode("utf-8", "surrogateescape").hex())
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert index.load("core") == workshop.expected()
    with Index.open(workshop.root) as index:
        workshop.run(index)
        assert index.load("core") == workshop.expected()


def test_results_are_kept_under_their_key_until_all_together_are_too_large(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_CACHE_BYTES", 2500)
    with Index.open(workshop.root) as index:
        for number in range(5):
            index.put(f"key {number}", bytes([number]) * 1000)
    with Index.open(workshop.root) as index:
        kept = [number for number in range(5) if index.cached(f"key {number}") == bytes([number]) * 1000]
        assert kept == [3, 4]
        assert index.cached("another") is None


def test_a_result_put_again_replaces_the_first(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        index.put("key", b"one")
        index.put("key", b"two")
        assert index.cached("key") == b"two"


def test_newer_contents_of_another_process_are_never_taken_for_ours(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
    with Index.open(workshop.root) as mine, Index.open(workshop.root) as other:
        workshop.run(mine)
        workshop.write("a.py", "changed meanwhile")
        workshop.run(other)
        with pytest.raises(TreeMoved):
            mine.load("core")
        workshop.run(mine, thorough=True)
        assert mine.load("core") == workshop.expected()


def test_what_another_process_removed_is_put_back_by_measuring_it(workshop: Workshop) -> None:
    with Index.open(workshop.root) as index:
        workshop.run(index)
        index._shelf.write(lambda connection: connection.execute("DELETE FROM layer WHERE name = ?", (b"b.py",)))
        with pytest.raises(TreeMoved):
            index.load("core")
        assert index.restore(workshop.measure) == 1
        assert index.load("core") == workshop.expected()


def test_an_index_in_memory_gives_the_same_and_leaves_nothing(workshop: Workshop) -> None:
    with Index.in_memory() as index:
        assert workshop.run(index).counts.extracted == 3
        assert index.load("core") == workshop.expected()
        index.put("key", b"value")
        assert index.cached("key") == b"value"
    assert not (workshop.root / ".ce").exists()


def _count(index: Index, table: str) -> int:
    ((number,),) = index._shelf.rows(f"SELECT count(*) FROM {table}")
    return int(number)
