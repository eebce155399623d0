"""What the server computes, apart from the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.faces.lsp.analysis import analyse, occurrences
from ce.faces.lsp.positions import column_of, units_before


def test_occurrences_tell_heads_from_bodies_even_in_broken_texts() -> None:
    text = '@doc("x") assert a(X) :- b(X).\nb(X) :- c(X), not d(X)\ndecl c(X: int).\noutput b.\n?- N = count(X : c(X)).'
    assert [(each.name, each.role) for each in occurrences("p", text)] == [
        ("a", "assert"),
        ("b", "read"),
        ("b", "define"),
        ("c", "read"),
        ("d", "read"),
        ("c", "read"),
        ("b", "read"),
        ("c", "read"),
    ]


@given(st.text(st.sampled_from("aé😀"), max_size=8), st.integers(0, 20))
def test_a_column_and_its_units_are_one_place(row: str, units: int) -> None:
    column = column_of([row], 0, units)
    back = units_before([row], 1, column)
    assert back == min(units, len(row.encode("utf-16-le")) // 2) or back == units + 1


def test_a_fault_of_an_included_program_is_shown_where_the_document_starts(tmp_path: Path) -> None:
    (tmp_path / "lib.dl").write_text("a(X) :- nope(X).\n")
    analysis = analyse(tmp_path, "p.rules", 'include "lib.dl".\nassert x(F) :- a(F).\n')
    (fault,) = [each for each in analysis.diagnostics if each.code == "CE202"]
    assert fault.span is not None
    assert (fault.span.source, fault.span.line) == ("p.rules", 1)
    assert fault.message.startswith("lib.dl:1:9: ")


@pytest.mark.parametrize("source", ["programs/prelude.dl", "programs/deadcode/deadcode.dl"])
def test_a_shipped_program_can_be_looked_at(source: str) -> None:
    root = Path(__file__).parents[3]
    analysis = analyse(root, source, (root / source).read_text())
    assert [each for each in analysis.diagnostics if each.severity == "error"] == []
