"""The contracts of import-linter, each as a rule of the manual, judged beside import-linter itself on the same trees."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ce.app.evaluation import Options
from ce.app.project import open_project
from ce.app.rules import judge

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "from-import-linter.md"
BLOCKS = dict(re.findall(r"```prolog title=(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))

CONFIG = """\
[importlinter]
root_package = shop

[importlinter:contract:layers]
name = layers
type = layers
layers =
    shop.web
    shop.domain
    shop.store

[importlinter:contract:forbidden]
name = forbidden
type = forbidden
source_modules = shop.domain
forbidden_modules = shop.web

[importlinter:contract:independence]
name = independence
type = independence
modules =
    shop.plugins.mail
    shop.plugins.post

[importlinter:contract:protected]
name = protected
type = protected
protected_modules = shop.store
allowed_importers = shop.domain
as_packages = True
"""
CONTRACTS = ("layers", "forbidden", "independence", "protected")

PACKAGES = ("shop", "shop.web", "shop.domain", "shop.store", "shop.plugins", "shop.plugins.mail", "shop.plugins.post", "shop.util")
MODULES = tuple(f"{package}.{name}" for package in PACKAGES[1:] for name in ("one", "two"))


@pytest.mark.parametrize("seed", range(8))
def test_the_same_contracts_are_broken_on_the_same_tree(tmp_path: Path, seed: int) -> None:
    _write_tree(tmp_path, random.Random(seed))
    (tmp_path / ".importlinter").write_text(CONFIG)
    for name in CONTRACTS:
        (tmp_path / f"{name}.rules").write_text(f"{BLOCKS['written']}\n{BLOCKS[name]}")
    theirs = _import_linter(tmp_path)
    ours = {name: bool(judge(open_project(str(tmp_path)), [f"{name}.rules"], options=Options()).violations) for name in CONTRACTS}
    assert ours == theirs


def test_the_trees_break_and_keep_each_contract(tmp_path: Path) -> None:
    """Agreement says something only where both answers occur."""
    outcomes: dict[str, set[bool]] = {name: set() for name in CONTRACTS}
    for seed in range(8):
        root = tmp_path / str(seed)
        root.mkdir()
        _write_tree(root, random.Random(seed))
        for name in CONTRACTS:
            (root / f"{name}.rules").write_text(f"{BLOCKS['written']}\n{BLOCKS[name]}")
            outcomes[name].add(bool(judge(open_project(str(root)), [f"{name}.rules"], options=Options()).violations))
    assert outcomes == {name: {True, False} for name in CONTRACTS}


def test_the_imports_are_those_that_import_linter_sees(tmp_path: Path) -> None:
    import grimp

    _write_tree(tmp_path, random.Random(99), imports=3)
    (tmp_path / "w.rules").write_text(f"{BLOCKS['written']}\nassert imports(F, G) :- written(F, G).\n")
    ours = {
        tuple(_module(str(value)) for value in answer.values)
        for _, answer in judge(open_project(str(tmp_path)), ["w.rules"], options=Options()).violations
    }
    sys.path.insert(0, str(tmp_path))
    try:
        graph = grimp.build_graph("shop", cache_dir=None)
    finally:
        sys.path.remove(str(tmp_path))
    theirs = {(module, imported) for module in graph.modules for imported in graph.find_modules_directly_imported_by(module)}
    assert ours == theirs


def _write_tree(root: Path, choice: random.Random, imports: int = 1) -> None:
    """Write packages whose modules import others in every way that Python has."""
    for package in PACKAGES:
        directory = root / package.replace(".", "/")
        directory.mkdir(parents=True)
        (directory / "__init__.py").write_text("X = 1\n")
    for module in MODULES:
        lines: list[str] = []
        for _ in range(choice.randint(0, imports)):
            other = choice.choice([each for each in MODULES if each != module])
            package, _, name = other.rpartition(".")
            lines.append(
                choice.choice(
                    [
                        f"import {other}",
                        f"from {package} import {name}",
                        f"from {other} import value",
                        f"from {package} import X",
                        f"import {package}",
                        f"def late{len(lines)}():\n    from {package} import {name}",
                    ]
                )
            )
        path = root / f"{module.replace('.', '/')}.py"
        path.write_text("\n".join([*lines, "value = 1", ""]))


def _import_linter(root: Path) -> dict[str, bool]:
    """Return which contracts import-linter finds broken."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    done = subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(root), "COLUMNS": "200"}, capture_output=True, text=True)
    found = dict(re.findall(r"^(\w+) (KEPT|BROKEN)", done.stdout, re.MULTILINE))
    assert found.keys() == set(CONTRACTS), done.stdout + done.stderr
    return {name: found[name] == "BROKEN" for name in CONTRACTS}


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
