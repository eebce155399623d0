"""Erase-safety run: apply the eraser to real projects and see that their own tests do not notice.

    python tests/benchmarks/erase/safety.py --python PYTHON PROJECT_DIR …

Each directory is an unpacked source distribution; PYTHON is an interpreter in which pytest and the dependencies of the projects are
installed. Nothing in the given directories is changed: everything happens in copies. Per project, printed as a row of a Markdown table:

1. the copy is committed to a fresh git repository, its tests run, `ce erase --apply`, its tests run again;
2. public modules (no name with an underscore, holding an exported declaration) that are gone are counted;
3. in another copy a dead private file, a dead twin of a live function and a duplicated paragraph are planted: each must be found.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TWIN = """\
def _planted_total(items, rate, floor):
    result = 0
    for item in items:
        if item.price > floor and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items), floor
"""
PARAGRAPH = " ".join(f"planted word number {number} of a paragraph" for number in range(12))


@dataclass(frozen=True, slots=True)
class Tests:
    """How a run of a project's tests ended: the ids of what failed, and how many passed."""

    failed: frozenset[str]
    passed: int


def main() -> int:
    """Run every project and print the table; 1 when a test newly fails, a public module is gone, or something planted is not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--python", default=sys.executable, help="interpreter that runs the projects' tests")
    parser.add_argument("--timeout", type=float, default=600)
    arguments = parser.parse_args()
    print(
        "| project | tests passed before → after | newly failing | erased files / spans | refused | public modules gone | planted found |"
    )
    print("|---|---|---|---|---|---|---|")
    sound = True
    for project in arguments.projects:
        row, good = judge(project, arguments.python, arguments.timeout)
        print(row, flush=True)
        sound = sound and good
    return 0 if sound else 1


def judge(project: Path, python: str, timeout: float) -> tuple[str, bool]:
    """Return the row of a project and whether it is sound."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = repository(project, Path(scratch) / project.name)
        before = run_tests(tree, python, timeout)
        public = public_modules(tree)
        plan = ce(tree, "erase", "--format", "json")
        applied = ce(tree, "erase", "--apply", "--format", "json")
        after = run_tests(tree, python, timeout)
        gone = [path for path in public if not (tree / path).exists()]
        found, planted = plant_and_find(repository(project, Path(scratch) / "planted"))
    new = sorted(after.failed - before.failed)
    rows = applied["rows"]
    files = sum(row["span"] is None for row in rows)
    counts = f"{files} / {len(rows) - files} | {plan['counts']['advisory']} | {len(gone)} | {found}/{planted}"
    passed = f"{before.passed} → {after.passed}"
    row = f"| {project.name} | {passed} | {', '.join(new) or 'none'} | {counts} |"
    return row, not new and not gone and found == planted and before.passed > 0


def repository(project: Path, tree: Path) -> Path:
    """Copy a project into a fresh repository with one commit."""
    shutil.copytree(project, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".ce", "__pycache__", ".pytest_cache"))
    git(tree, "init", "-q")
    commit(tree)
    return tree


def plant_and_find(tree: Path) -> tuple[int, int]:
    """Plant a dead file, a dead twin and a duplicated paragraph; return how many of the three the plan names, and three."""
    package = next(
        folder
        for folder in sorted(tree.rglob("__init__.py"))
        if not re.search(r"(^|/)(tests?|testing|docs?|examples?)/", str(folder.relative_to(tree)))
    ).parent
    live = package / "__init__.py"
    live.write_text(live.read_text("utf-8") + f"\n\n{TWIN}\n\n_planted_total([], 1, 2)\n", "utf-8")
    (package / "_planted_twin.py").write_text(TWIN, "utf-8")
    (package / "_planted_dead.py").write_text("_planted = 1\n", "utf-8")
    for name in ("PLANTED_ONE.md", "PLANTED_TWO.md"):
        (tree / name).write_text(f"# {name}\n\n{PARAGRAPH}\n\n[self]({name})\n", "utf-8")
    commit(tree)
    plan = ce(tree, "erase", "--format", "json")
    named = {(row["class"], Path(row["path"]).name) for row in plan["rows"]}
    wanted = {("dead_file", "_planted_dead.py"), ("t1_twin", "_planted_twin.py"), ("verbatim_doc", "PLANTED_TWO.md")}
    twin_as_dead = {("dead_file", "_planted_twin.py")}
    return len(wanted & named) + (("t1_twin", "_planted_twin.py") not in named and twin_as_dead <= named), len(wanted)


def run_tests(tree: Path, python: str, timeout: float) -> Tests:
    """Run a project's own tests and return how they ended."""
    roots = os.pathsep.join(str(tree / folder) for folder in ("src", ".", "lib") if (tree / folder).is_dir())
    environment = os.environ | {"PYTHONPATH": roots, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    command = [python, "-m", "pytest", "-q", "--maxfail=1000", "-rfE", "-p", "no:cacheprovider", "--tb=no"]
    finished = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout, errors="replace")
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", finished.stdout, re.MULTILINE)
    passed = re.search(r"(\d+) passed", finished.stdout)
    git(tree, "checkout", "-q", "--", ".")
    git(tree, "clean", "-fdq", "-e", ".ce")
    return Tests(frozenset(failed), int(passed.group(1)) if passed else 0)


def public_modules(tree: Path) -> list[str]:
    """Return the modules that somebody could import: no part of their path begins with an underscore, something in them is exported."""
    rows = ce(tree, "query", "public(F), lang(F, python)", "--format", "json")["goals"][0]["answers"]
    paths = [str(answer["values"][0]) for answer in rows]
    return [path for path in paths if not any(part.startswith("_") and part != "__init__.py" for part in path.split("/"))]


def ce(tree: Path, command: str, *words: str) -> dict[str, Any]:
    """Run a command of the tool on a tree and return its document."""
    order: Sequence[str] = (words[0], str(tree), *words[1:]) if command == "query" else (str(tree), *words)
    finished = subprocess.run([sys.executable, "-m", "ce", command, *order], capture_output=True, text=True)
    if finished.returncode not in (0, 1):
        raise SystemExit(f"ce {command} ended with {finished.returncode}:\n{finished.stdout}{finished.stderr}")
    document: dict[str, Any] = json.loads(finished.stdout)
    return document


def git(tree: Path, *arguments: str) -> None:
    """Run git in a tree."""
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments], cwd=tree, check=True, capture_output=True)


def commit(tree: Path) -> None:
    """Commit everything that a tree holds."""
    git(tree, "add", "-A", "-f")
    git(tree, "commit", "-qm", "state")


if __name__ == "__main__":
    raise SystemExit(main())
