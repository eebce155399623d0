"""The examples of `docs/explanation/proofs.md` give what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ce.datalog.api import Result, run
from ce.diagnostics import CeError

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "proofs.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the text of the first block of code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def result() -> Result:
    facts: dict[str, list[tuple[int | str, ...]]] = {}
    for line in block("facts").split("\n")[:-1]:
        name, *row = line.split(" ")
        facts.setdefault(name, []).append(tuple(row))
    return run(block("datalog"), facts)


def test_the_proof_on_the_page_is_the_proof(result: Result) -> None:
    assert result.answers(0) == [("older.py",)]
    assert f"{result.why(0, ('older.py',))}\n" == block("proof")


def test_the_explanation_on_the_page_is_the_explanation(result: Result) -> None:
    assert f"{result.why_not('lone', ('old.py',))}\n" == block("why-not")


def test_the_refused_program_on_the_page_is_refused() -> None:
    with pytest.raises(CeError, match="CE204"):
        run(block("error"), {"barber": [("b",)], "man": [("m",)]})
