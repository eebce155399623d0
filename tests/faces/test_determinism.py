"""Cold and warm, here and there, in any hash order: the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"
COMMANDS = [
    ("query", "depends(A, B)", "--why"),
    ("query", "dead(F)", "--format", "csv"),
    ("rules",),
    ("deadcode", "--why"),
    ("facts", "ref"),
    ("facts", "unit_lines"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_cold_and_warm_runs_print_the_same_bytes(ce: Ce, tmp_path: Path, words: tuple[str, ...]) -> None:
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    cold = ce(*words, cwd=root)
    warm = ce(*words, cwd=root)
    shutil.rmtree(root / ".ce")
    assert warm == cold == ce(*words, cwd=root)


def test_documents_differ_between_cold_and_warm_only_in_what_was_reused(ce: Ce, tmp_path: Path) -> None:
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    cold, warm = (json.loads(ce("deadcode", "--why", "--format", "json", cwd=root)[1]) for _ in range(2))
    assert cold["counts"].pop("index")["extracted"] == warm["counts"].pop("index")["reused"] > 0
    assert cold == warm


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_copy_elsewhere_gives_the_same_bytes_under_any_hash_seed(tmp_path: Path, words: tuple[str, ...]) -> None:
    seen = set()
    for number in range(2):
        root = Path(shutil.copytree(DEMO, tmp_path / f"copy{number}" / ("x" * number) / "shop"))
        environment = {**os.environ, "PYTHONHASHSEED": str(number + 1), "NO_COLOR": "1", "XDG_CACHE_HOME": str(tmp_path / f"cache{number}")}
        done = subprocess.run([sys.executable, "-m", "ce", *words], capture_output=True, cwd=root, env=environment, check=False)
        seen.add((done.returncode, done.stdout))
    assert len(seen) == 1


def test_editing_one_file_measures_one_file(ce: Ce, tmp_path: Path) -> None:
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    ce("index", cwd=root)
    (root / "src" / "shop" / "orders.py").write_text("A = 1\n")
    counts = json.loads(ce("index", "--format", "json", cwd=root)[1])["counts"]
    assert counts["extracted"] == 1
    assert counts["reused"] == counts["files"] - 1


def test_every_engine_gives_the_same_answers(ce: Ce, tmp_path: Path) -> None:
    root = Path(shutil.copytree(DEMO, tmp_path / "shop"))
    for body in ("dead(F)", "depends(A, B), not same_dir(A, B)", 'N = count(F : in(F, "src/**"))'):
        answers = {ce("query", body, "--engine", engine, "--format", "csv", cwd=root)[1] for engine in ("native", "naive", "pydatalog")}
        assert len(answers) == 1, body


@pytest.mark.parametrize("command", ["dedup", "clone", "docdup", "erase", "deadcode"])
def test_the_counts_of_the_index_are_about_the_same_files_under_any_hash_seed(tmp_path: Path, command: str) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in (("a.py", "x = 1\n"), ("b.md", "# b\n"), ("c.txt", "c\n"), ("d.sh", "true\n"), ("e.js", "let e;\n")):
        (root / name).write_text(text)
    seen = set()
    for seed in range(6):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "NO_COLOR": "1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
        words = [sys.executable, "-m", "ce", command, "--format", "json", "-q"]
        done = subprocess.run(words, capture_output=True, cwd=root, env=environment, check=False)
        index = json.loads(done.stdout)["counts"]["index"]
        seen.add((done.returncode, index["files"], index["extracted"] + index["reused"], index["skipped"]))
    assert len(seen) == 1
