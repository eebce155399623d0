"""Known answers about names: each project of `fixtures/names/` has exactly the dead names that it says, and its near misses live."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ce.faces.cli import main

CASES = sorted((Path(__file__).parents[2] / "fixtures" / "names").iterdir())
REPORTED = ("certain", "likely", "test_only")


def judged(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """Return how the command ended, and its document."""
    code = main(["deadcode", "--symbols", "--format", "json", "--quiet", *words, str(root)])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_project_has_the_dead_names_that_it_says(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "copy"
    shutil.copytree(case / "tree", root)
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    code, document = judged(root, capsys)
    if "error" in expected:
        assert (code, [error["code"] for error in document["errors"]]) == (2, [expected["error"]])
        return
    assert code == 0
    found = {_key(symbol, expected): symbol for symbol in document["symbols"]}
    tiers = {key: symbol["tier"] for key, symbol in found.items()}
    wanted = expected.get("dead", {})
    told = {key: tier for key, tier in tiers.items() if tier in REPORTED or key in wanted}
    assert told == wanted
    assert not set(expected.get("alive", ())) & tiers.keys()
    for key, island in expected.get("islands", {}).items():
        assert found[key]["island"] == island
    for why, number in expected.get("not_reported", {}).items():
        assert document["not_reported"][why] == number


def _key(symbol: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return the qualified name, or `path::name` when that is how the project calls it."""
    by_path = f"{symbol['path']}::{symbol['name']}"
    return by_path if by_path in expected.get("dead", {}) or by_path in expected.get("alive", ()) else str(symbol["qualified"])
