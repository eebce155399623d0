"""The dead-code program over small trees: the four verdicts, confidence, and its agreement with the prelude."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ce.app.deadcode import find_dead
from ce.app.evaluation import Options
from ce.app.project import open_project
from ce.app.query import ask

CASES = sorted((Path(__file__).parents[2] / "fixtures" / "programs" / "deadcode").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_dead_files_have_the_expected_verdict_and_confidence(case: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    root = tmp_path / "copy"
    shutil.copytree(case / "tree", root)
    report = find_dead(open_project(str(root)), options=Options())
    told = "".join(f"{file.path} {file.verdict} {file.confidence}\n" for file in report.dead)
    if request.config.getoption("--rewrite-goldens"):
        (case / "expected.txt").write_text(told, encoding="utf-8")
    assert told == (case / "expected.txt").read_text(encoding="utf-8")


def test_the_proof_of_a_doubtful_verdict_shows_the_site_that_could_name_the_file(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "__main__.py": "import importlib\nimport sys\n\nimportlib.import_module('p_' + sys.argv[1])\n",
            "p_one.py": "def _x():\n    return 1\n",
        }
    )
    report = find_dead(open_project(str(root)), why=True, options=Options())
    (file,) = report.dead
    assert file.confidence == 0
    assert file.proof is not None
    assert 'dynamic_target("__main__.py", 4, "p_one.py")  (fact __main__.py:4)' in file.proof.to_text()


def test_the_whole_proof_of_a_verdict(tree: Callable[..., Path], golden: Callable[[str, str], None]) -> None:
    root = tree({"__main__.py": "import sys\n", "lone.py": "def _a():\n    return 1\n"})
    report = find_dead(open_project(str(root)), why=True, options=Options())
    (file,) = report.dead
    assert file.proof is not None
    golden("unref_private.txt", file.proof.to_text() + "\n")


MODULES = ("a", "b", "c", "d", "e")


@st.composite
def small_trees(draw: st.DrawFn) -> dict[str, str]:
    """Draw a few modules that import each other in any way, some of them tests, entries or packages."""
    names = draw(st.lists(st.sampled_from(MODULES), min_size=1, max_size=5, unique=True))
    files: dict[str, str] = {}
    for name in names:
        path = draw(
            st.sampled_from(
                [f"{name}.py", f"test_{name}.py", f"{name}/__init__.py", f"{name}/__main__.py", f"docs/{name}.md", f"{name}.txt"]
            )
        )
        imports = draw(st.lists(st.sampled_from(MODULES), max_size=3))
        lines = [draw(st.sampled_from([f"import {one}", f"from {one} import x", f"def f():\n    import {one}"])) for one in imports]
        lines.append(
            draw(
                st.sampled_from(
                    ["", "def api():\n    return 1", "def _own():\n    return 1", "import importlib\nimportlib.import_module(api)"]
                )
            )
        )
        links = [f"[{one}]({one}.md)" for one in imports]
        files[path] = "\n".join(links if path.endswith(".md") else lines) + "\n"
    return files


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(files=small_trees())
def test_deadcode_and_the_query_for_dead_give_the_same_files(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("tree")
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    project = open_project(str(root))
    report = find_dead(project, options=Options())
    (goal,) = ask(project, "dead(F)", options=Options()).goals
    assert [file.path for file in report.dead] == [answer.values[0] for answer in goal.answers]
    assert len({file.path for file in report.dead}) == len(report.dead)
    assert report.counts["dead"] == sum(
        report.counts[verdict] for verdict in ("unref_private", "unref_public", "unreach_private", "unreach_public")
    )
