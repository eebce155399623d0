"""The contracts of import-linter, each as a shipped rule and as a rule of the manual, judged beside import-linter on the same trees."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ce.app.evaluation import Options
from ce.app.project import open_project
from ce.app.rules import judge
from tests.benchmarks.rules.compare_import_linter import compared
from tests.benchmarks.rules.contracts import Contract, Judgement, judged_by_import_linter, judged_by_rules, module_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "from-import-linter.md"
BLOCKS = dict(re.findall(r"```prolog title=(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))

CONTRACTS: dict[str, Contract] = {
    str(contract["type"]): {"package": "shop", **contract}
    for contract in (
        {"type": "layers", "layers": ["shop.web", "shop.domain", "shop.store"]},
        {"type": "forbidden", "source_modules": ["shop.domain"], "forbidden_modules": ["shop.web"]},
        {"type": "independence", "modules": ["shop.plugins.mail", "shop.plugins.post"]},
        {"type": "protected", "protected_modules": ["shop.store"], "allowed_importers": ["shop.domain"]},
        {"type": "private_modules"},
        {"type": "acyclic_siblings", "ancestors": ["shop"]},
    )
}
ON_THE_PAGE = ("layers", "forbidden", "independence", "protected")
SEEDS = range(8)

PACKAGES = ("shop", "shop.web", "shop.domain", "shop.store", "shop.plugins", "shop.plugins.mail", "shop.plugins.post", "shop.util")
MODULES = (*[f"{package}.{name}" for package in PACKAGES[1:] for name in ("one", "two")], "shop.util._own", "shop.web._own")

Ce = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("kind", CONTRACTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_shipped_rules_say_what_import_linter_says(tmp_path: Path, kind: str, seed: int, ce: Ce) -> None:
    write_tree(tmp_path, random.Random(seed))

    def run(words: list[str]) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(ce(*words)[1])
        return document

    ours = judged_by_rules(CONTRACTS[kind], tmp_path, run)
    theirs = import_linter(CONTRACTS[kind], tmp_path)
    assert list(compared(ours, theirs, kind)) == []


@pytest.mark.parametrize("kind", ON_THE_PAGE)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rules_of_the_manual_say_what_import_linter_says(tmp_path: Path, kind: str, seed: int) -> None:
    write_tree(tmp_path, random.Random(seed))
    ours = judged_by_the_page(kind, tmp_path)
    theirs = import_linter(CONTRACTS[kind], tmp_path)
    assert ours.direct == theirs.direct
    assert theirs.ways <= ours.ways
    assert bool(theirs.ways) == bool(ours.ways)


def test_the_trees_break_and_keep_each_contract(tmp_path: Path) -> None:
    """Agreement says something only where both answers occur."""
    outcomes: dict[str, set[bool]] = {kind: set() for kind in CONTRACTS}
    for seed in SEEDS:
        root = tmp_path / str(seed)
        root.mkdir()
        write_tree(root, random.Random(seed))
        for kind, contract in CONTRACTS.items():
            found = import_linter(contract, root)
            outcomes[kind].add(bool(found.direct or found.ways or found.cycles))
    assert outcomes == {kind: {True, False} for kind in CONTRACTS}


def test_what_a_file_names_is_what_import_linter_sees_with_its_line(tmp_path: Path) -> None:
    import grimp

    write_tree(tmp_path, random.Random(99), imports=6)
    (tmp_path / "w.rules").write_text('include "lib/imports.dl".\nassert imports(F, L, G) :- written(F, L, G).\n')
    ours = {
        (module_of(str(answer.values[0])), module_of(str(answer.values[2])), answer.values[1])
        for _, answer in judge(open_project(str(tmp_path)), ["w.rules"], options=Options()).violations
    }
    with found_first(tmp_path):
        graph = grimp.build_graph("shop", cache_dir=None)
    theirs = {
        (module, imported, detail["line_number"])
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        for detail in graph.get_import_details(importer=module, imported=imported)
    }
    assert len(theirs) > 40
    assert ours == theirs


def test_the_rule_for_a_distribution_tells_each_import_of_it(tmp_path: Path) -> None:
    write_tree(tmp_path, random.Random(0), imports=0)
    (tmp_path / "shop/domain/one.py").write_text("import sqlalchemyx\nfrom sqlalchemy.orm import Session\nimport sqlalchemy\n")
    (tmp_path / "f.rules").write_text(BLOCKS["forbidden"])
    told = judge(open_project(str(tmp_path)), ["f.rules"], options=Options()).violations
    assert [(goal.name, answer.values[1], answer.values[2]) for goal, answer in told] == [
        ("forbidden_distribution", 2, "sqlalchemy.orm"),
        ("forbidden_distribution", 3, "sqlalchemy"),
    ]


def judged_by_the_page(kind: str, tree: Path) -> Judgement:
    """Return what the block of the page says."""
    (tree / f"{kind}.rules").write_text(BLOCKS[kind])
    found = Judgement()
    for goal, answer in judge(open_project(str(tree)), [f"{kind}.rules"], options=Options()).violations:
        value = dict(zip(goal.columns, answer.values, strict=True))
        importer, line, end = module_of(str(value["F"])), int(str(value["L"])), module_of(str(value["G"]))
        if "H" in value:
            found.ways.add((importer, line, module_of(str(value["H"])), end))
        else:
            found.direct.add((importer, end, line))
    return found


def import_linter(contract: Contract, root: Path) -> Judgement:
    """Return what import-linter says about the package in `root`."""
    with found_first(root), contextlib.redirect_stdout(io.StringIO()):
        return judged_by_import_linter(contract)


@contextlib.contextmanager
def found_first(root: Path) -> Iterator[None]:
    """Have the interpreter look for packages in `root` first."""
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))


def write_tree(root: Path, choice: random.Random, imports: int = 1) -> None:
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
                        f"from {package} import X, {name}",
                        f"from {package} import *",
                        f"import {package}",
                        f"def late{len(lines)}():\n    from {package} import {name}",
                    ]
                )
            )
        path = root / f"{module.replace('.', '/')}.py"
        path.write_text("\n".join([*lines, "value = 1", ""]))
