"""`ce datalog`: the engine alone on tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]

PATHS = """decl edge(From: sym, To: sym).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
output path.
?- path(X, X).
?- N = count(X, Y : path(X, Y)).
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a directory with a program and its facts."""
    (tmp_path / "paths.dl").write_text(PATHS)
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "edge.facts").write_text("a\tb\nb\tc\nc\ta\n")
    return tmp_path


def test_outputs_and_anonymous_goals_become_tables(ce: Ce, work: Path) -> None:
    code, out, err = ce("datalog", "paths.dl", "-F", "facts", "-D", "out/deep", cwd=work)
    assert code == 0
    target = work / "out" / "deep"
    assert sorted(path.name for path in target.iterdir()) == ["path.tsv", "query1.tsv", "query2.tsv"]
    assert (target / "path.tsv").read_text() == "".join(f"{x}\t{y}\n" for x in "abc" for y in "abc")
    assert (target / "query1.tsv").read_text() == "a\nb\nc\n"
    assert (target / "query2.tsv").read_text() == "9\n"
    assert [line.split()[0] for line in err.splitlines()] == ["load", "eval", "output"]
    assert all(float(line.split()[1]) >= 0 for line in err.splitlines())
    assert "path  9 rows" in out


def test_without_a_directory_the_outputs_are_printed(ce: Ce, work: Path) -> None:
    code, out, _ = ce("datalog", "paths.dl", "-F", "facts", cwd=work)
    assert code == 0
    assert "query2  1 row\n  N\n  9\n" in out
    assert sorted(path.name for path in work.iterdir()) == ["facts", "paths.dl"]


def test_a_question_is_answered_with_proofs_down_to_lines_of_the_tables(ce: Ce, work: Path) -> None:
    code, out, _ = ce("datalog", "paths.dl", "-F", "facts", "-D", "out", "--query", 'path("a", "c")', "--why", cwd=work)
    assert code == 0
    assert '?- path("a", "c").  yes' in out
    assert 'edge("b", "c")  (fact facts/edge.facts:2)' in out
    assert not (work / "out" / "query3.tsv").exists()


def test_a_question_without_answers_says_what_is_missing(ce: Ce, work: Path) -> None:
    asked = ("datalog", "paths.dl", "-F", "facts", "-D", "out", "--query", 'path("a", "d")', "--why-not")
    code, out, _ = ce(*asked, cwd=work)
    assert code == 0
    assert "edge(a, d)" in out
    (goal,) = json.loads(ce(*asked, "--format", "json", cwd=work)[1])["goals"]
    assert goal["answers"] == []
    assert goal["why_not"]["attempts"][0]["missing"] == "path(a, d)"


def test_the_document_counts_rows_by_table(ce: Ce, work: Path) -> None:
    document = json.loads(ce("datalog", "paths.dl", "-F", "facts", "-D", "out", "--format", "json", cwd=work)[1])
    assert document["schema"] == "ce.datalog/1"
    assert document["rows"] == {"path": 9, "query1": 3, "query2": 1}
    assert document["errors"] == []
    assert document["degraded"] is None
    assert {"load_s", "eval_s", "output_s"} <= set(document)


def test_a_limit_writes_nothing_and_ends_with_2(ce: Ce, work: Path) -> None:
    code, out, _ = ce("datalog", "paths.dl", "-F", "facts", "-D", "out", "--max-rows", "2", "--format", "json", cwd=work)
    assert code == 2
    document = json.loads(out)
    assert document["degraded"]["limit"]
    assert document["rows"] == {}
    assert not (work / "out").exists()


def test_faults_of_program_and_facts_are_sentences(ce: Ce, work: Path) -> None:
    for words, said in (
        (("missing.dl",), "no program `missing.dl`"),
        (("paths.dl", "-F", "nowhere"), "no directory of facts `nowhere`"),
        (("paths.dl", "-F", "facts", "--query", "pth(X, Y)"), "did you mean `path`?"),
    ):
        code, out, err = ce("datalog", *words, cwd=work)
        assert (code, out) == (2, "")
        assert said in err
        assert "Traceback" not in err
    (work / "facts" / "edge.facts").write_text("a\tb\na\n")
    code, _, err = ce("datalog", "paths.dl", "-F", "facts", cwd=work)
    assert code == 2
    assert "edge.facts:2" in err


def test_a_missing_table_is_an_empty_relation_and_said(ce: Ce, work: Path) -> None:
    (work / "facts" / "edge.facts").unlink()
    code, out, err = ce("datalog", "paths.dl", "-F", "facts", cwd=work)
    assert code == 0
    assert "path  0 rows" in out
    assert "edge" in err


def test_an_include_stands_beside_the_program(ce: Ce, work: Path) -> None:
    (work / "lib").mkdir()
    (work / "lib" / "edges.dl").write_text("decl edge(From: sym, To: sym).\n")
    (work / "main.dl").write_text('include "lib/edges.dl".\n?- edge(X, _).\n')
    code, out, _ = ce("datalog", "main.dl", "-F", "facts", cwd=work)
    assert code == 0
    assert "query1  3 rows" in out


def test_every_engine_writes_the_same_tables(ce: Ce, work: Path) -> None:
    for engine in ("native", "naive", "pydatalog"):
        assert ce("datalog", "paths.dl", "-F", "facts", "-D", engine, "--engine", engine, cwd=work)[0] == 0
    for name in ("path.tsv", "query1.tsv", "query2.tsv"):
        assert len({(work / engine / name).read_bytes() for engine in ("native", "naive", "pydatalog")}) == 1


def test_rows_of_a_tree_can_be_carried_over(ce: Ce, tree: Callable[..., Path], tmp_path: Path) -> None:
    root = tree({"__main__.py": "import used\n", "used.py": "", "lone.py": ""})
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported" / "ref.facts").write_text(ce("facts", "ref", root)[1])
    (tmp_path / "mine.dl").write_text("decl ref(N: sym, M: sym, K: sym, R: int).\n?- ref(X, Y, import, _).\n")
    code, out, _ = ce("datalog", tmp_path / "mine.dl", "-F", tmp_path / "exported")
    assert code == 0
    assert "__main__.py  used.py" in out
