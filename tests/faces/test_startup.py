"""What a command does not need is not imported."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "lark", "networkx", "tree_sitter", "tree_sitter_language_pack", "pyDatalog", "pathspec"}
DEMO = Path(__file__).parents[2] / "fixtures" / "demo"


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["query", "--help"], ["rules", "--help"], ["querry"]])
def test_help_and_version_import_nothing_heavy(words: list[str]) -> None:
    assert imported_by(words, Path.cwd()) & (HEAVY | {"sqlite3", "json", "tomllib"}) == set()


def test_a_warm_question_imports_neither_a_grammar_nor_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    imported_by(["query", "dead(F)"], root)
    assert imported_by(["query", "dead(F)"], root) & {"lark", "networkx", "tree_sitter", "tree_sitter_language_pack", "pyDatalog"} == set()


def test_an_index_that_is_up_to_date_imports_nothing_that_measures_or_assembles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    imported_by(["index"], root)
    needless = {"ce.facts.assemble", "ce.facts.schema", "ce.datalog", "ce.extract.spec", "ce.extract.parsing", "ce.app.evaluation", "numpy"}
    assert modules_after(["index"], root) & needless == set()


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, ce; print(sorted(name for name in sys.modules if name.startswith('ce')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ce']"


def imported_by(words: list[str], cwd: Path) -> set[str]:
    """Return the top-level modules that a command line imports."""
    return {name.partition(".")[0] for name in modules_after(words, cwd)}


def modules_after(words: list[str], cwd: Path) -> set[str]:
    """Return the names of all modules that are there after a command line has run."""
    code = f"import sys\nfrom ce.faces.cli import main\nmain({words!r})\nprint('\\0', *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=cwd)
    return set(done.stdout.rpartition("\0")[2].split())
