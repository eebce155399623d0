"""The erase program: every check in its order, every narrowing, the target closure, malformed and oversized tables.

Each test fails when the rule it names is taken out of `programs/erase/erase.dl`.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.diagnostics import CeError
from ce.erase.judge import certify, judge
from ce.erase.model import Candidate, PlanRow

SOUND: dict[str, dict[str, int]] = {
    "verbatim_doc": {"verbatim": 60, "words_survivor": 60, "words_candidate": 60, "bytes_equal": 1, "parses": 1},
    "t1_twin": {"unit_covered": 1, "bytes_equal": 1, "copy_dead": 1, "unresolved": 0},
    "dead_file": {"verdict": 1, "confidence": 2, "unresolved": 0},
}


def row(kind: str, path: str = "a.py", span: tuple[int, int] | None = None, **changes: Any) -> Candidate:
    options = {name: changes.pop(name) for name in ("survivor", "mentions", "dynamic") if name in changes}
    if kind == "verbatim_doc" and span is None:
        span = (1, 3)
    return Candidate(kind, path, span, SOUND.get(kind, {}) | changes, "p", 0, "0" * 64, **options)


def reasons(*candidates: Candidate) -> list[tuple[str, str, str]]:
    return [(planned.path, planned.kind, planned.reason) for planned in judge(candidates)]


def reason(candidate: Candidate) -> str:
    ((_, _, found),) = reasons(candidate)
    return found


@pytest.mark.parametrize("kind", SOUND)
def test_a_row_that_passes_every_check_is_eraseable(kind: str) -> None:
    (planned,) = judge([row(kind)])
    assert (planned.eraseable, planned.reason) == (True, "eraseable")
    assert planned.proof is not None
    assert "eraseable" in str(planned.proof)


@pytest.mark.parametrize(
    ("kind", "changes", "expected"),
    [
        ("verbatim_doc", {"verbatim": 59}, "not_full_segment"),
        ("verbatim_doc", {"words_survivor": 61}, "not_full_segment"),
        ("verbatim_doc", {"words_candidate": 61}, "not_full_segment"),
        ("verbatim_doc", {"bytes_equal": 0}, "bytes_differ"),
        ("verbatim_doc", {"verbatim": 59, "bytes_equal": 0}, "not_full_segment"),
        ("t1_twin", {"unit_covered": 0}, "unit_not_covered"),
        ("t1_twin", {"bytes_equal": 0}, "bytes_differ"),
        ("t1_twin", {"copy_dead": 0}, "copy_not_dead"),
        ("t1_twin", {"copy_dead": 2}, "public_surface"),
        ("t1_twin", {"copy_dead": 4}, "public_surface"),
        ("t1_twin", {"copy_dead": 3}, "eraseable"),
        ("t1_twin", {"unresolved": 1}, "language_unresolved"),
        ("t1_twin", {"unit_covered": 0, "bytes_equal": 0, "copy_dead": 0, "unresolved": 1}, "unit_not_covered"),
        ("t1_twin", {"bytes_equal": 0, "copy_dead": 0, "unresolved": 1}, "bytes_differ"),
        ("t1_twin", {"copy_dead": 0, "unresolved": 1}, "copy_not_dead"),
        ("t1_twin", {"copy_dead": 2, "unresolved": 1}, "public_surface"),
        ("dead_file", {"verdict": 2}, "public_surface"),
        ("dead_file", {"verdict": 4}, "public_surface"),
        ("dead_file", {"verdict": 3}, "eraseable"),
        ("dead_file", {"confidence": 0}, "language_unresolved"),
        ("dead_file", {"confidence": 1}, "eraseable"),
        ("dead_file", {"unresolved": 1}, "language_unresolved"),
        ("dead_file", {"verdict": 2, "confidence": 0}, "public_surface"),
        ("dead_file", {"mentions": (("ci.yml", 3),)}, "mentioned"),
        ("t1_twin", {"mentions": (("ci.yml", 3),)}, "mentioned"),
        ("dead_file", {"dynamic": (("b.py", 3),)}, "dynamic_language_site"),
        ("t1_twin", {"dynamic": (("b.py", 3),)}, "dynamic_language_site"),
        ("dead_file", {"mentions": (("ci.yml", 3),), "dynamic": (("b.py", 3),)}, "mentioned"),
        ("dead_file", {"confidence": 0, "mentions": (("ci.yml", 3),)}, "language_unresolved"),
        ("verbatim_doc", {"parses": 0}, "breaks_syntax"),
        ("verbatim_doc", {"bytes_equal": 0, "parses": 0}, "bytes_differ"),
    ],
)
def test_the_first_failing_check_names_the_reason(kind: str, changes: dict[str, Any], expected: str) -> None:
    assert reason(row(kind, **changes)) == expected


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        (row("(retired)"), "retired class"),
        (row("t3_pair"), "unknown class"),
        (Candidate("dead_file", "a.py", None, {"verdict": 1, "unresolved": 0}, "p", 0, ""), "missing fact"),
        (row("dead_file", verdict=5), "fact out of range"),
        (row("dead_file", verdict=0), "fact out of range"),
        (row("dead_file", confidence=3), "fact out of range"),
        (row("t1_twin", copy_dead=5), "fact out of range"),
        (row("dead_file", knob=1), "foreign fact"),
        (row("dead_file", span=(1, 2)), "span where a file is meant"),
        (row("verbatim_doc", span=(3, 1)), "span out of order"),
        (row("verbatim_doc", span=(0, 0)), "file where a span is meant"),
    ],
)
def test_a_malformed_table_is_refused_by_name(candidate: Candidate, why: str) -> None:
    with pytest.raises(CeError, match=rf"CE721: .*a\.py.*{why}"):
        judge([candidate, row("dead_file", "b.py")])


def test_a_table_over_the_cap_is_refused_and_never_cut() -> None:
    table = [row("dead_file", f"f{number:04}.py", verdict=2) for number in range(4096)]
    assert len(judge(table)) == 4096
    with pytest.raises(CeError, match="4097 candidate rows"):
        judge([*table, row("dead_file", "g.py", verdict=2)])


def test_an_eraseable_whole_file_owns_its_path() -> None:
    assert reasons(row("dead_file"), row("verbatim_doc"), row("verbatim_doc", "b.py")) == [
        ("a.py", "dead_file", "eraseable"),
        ("b.py", "verbatim_doc", "eraseable"),
    ]


def test_a_refused_whole_file_leaves_its_spans_standing() -> None:
    assert reasons(row("dead_file", verdict=2), row("verbatim_doc")) == [
        ("a.py", "dead_file", "public_surface"),
        ("a.py", "verbatim_doc", "eraseable"),
    ]


def test_of_two_eraseable_rows_the_richer_licence_stands() -> None:
    assert reasons(row("dead_file"), row("t1_twin")) == [("a.py", "t1_twin", "eraseable")]


def test_an_eraseable_row_stands_over_a_refused_one() -> None:
    assert reasons(row("dead_file"), row("t1_twin", copy_dead=2)) == [("a.py", "dead_file", "eraseable")]
    assert reasons(row("dead_file", verdict=2), row("t1_twin")) == [("a.py", "t1_twin", "eraseable")]


def test_of_two_refused_rows_the_reason_about_the_file_stands() -> None:
    assert reasons(row("dead_file", verdict=2), row("t1_twin", copy_dead=2)) == [("a.py", "dead_file", "public_surface")]


@pytest.mark.parametrize("equal", [0, 1])
def test_inside_one_class_the_earliest_row_stands(equal: int) -> None:
    twice = [row("verbatim_doc", bytes_equal=equal), row("verbatim_doc", bytes_equal=equal)]
    assert len(judge(twice)) == 1


def test_a_span_whose_survivor_goes_stays() -> None:
    rows = reasons(row("dead_file", "first.md"), row("verbatim_doc", "second.md", survivor="first.md"))
    assert rows == [("first.md", "dead_file", "eraseable"), ("second.md", "verbatim_doc", "survivor_erased")]
    kept = reasons(row("dead_file", "first.md", verdict=2), row("verbatim_doc", "second.md", survivor="first.md"))
    assert kept[1] == ("second.md", "verbatim_doc", "eraseable")


def test_rows_come_in_key_order_whatever_order_they_are_given_in() -> None:
    table = [row("verbatim_doc", "b.md", (5, 6)), row("dead_file", "c.py"), row("verbatim_doc", "b.md", (1, 2)), row("dead_file", "a.py")]
    assert judge(table) == judge(table[::-1])
    assert [(planned.path, planned.span) for planned in judge(table)] == [
        ("a.py", None),
        ("b.md", (1, 2)),
        ("b.md", (5, 6)),
        ("c.py", None),
    ]


def test_a_licence_is_checked_again_before_it_is_used() -> None:
    table = [row("dead_file"), row("dead_file", "b.py", verdict=2)]
    planned = judge(table)
    certify(table, [line for line in planned if line.eraseable])
    with pytest.raises(CeError, match=r"CE706: `b\.py`: the licence does not hold"):
        certify(table, planned)
    with pytest.raises(CeError, match=r"CE706: `never\.py`"):
        certify(table, [PlanRow("dead_file", "never.py", None, True, "eraseable", "p", 0, "0" * 64)])


def test_a_proof_that_the_checker_rejects_licenses_nothing() -> None:
    table = [row("dead_file")]
    with pytest.raises(CeError, match="CE706"):
        certify(table, judge(table), check=lambda *_: ["node 3 does not follow"])


def test_a_row_over_which_the_engines_differ_is_uncertified(monkeypatch: pytest.MonkeyPatch) -> None:
    from ce.erase import judge as module

    monkeypatch.setattr(module, "_disputes", lambda *_: [(0, "proof_checker")])
    assert reasons(row("dead_file"), row("dead_file", "b.py")) == [("a.py", "dead_file", "uncertified"), ("b.py", "dead_file", "eraseable")]


def _drawn(kind: str, path: str, span: tuple[int, int], good: bool) -> Candidate:
    if kind == "verbatim_doc":
        return row(kind, path, span, parses=int(good))
    return row(kind, path, unresolved=int(not good))


_ROWS = st.lists(
    st.builds(_drawn, st.sampled_from(list(SOUND)), st.sampled_from(["a", "b"]), st.sampled_from([(1, 2), (3, 4)]), st.booleans()),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(_ROWS)
def test_one_row_stands_for_each_target_and_nothing_is_cut_from_a_file_that_goes(table: list[Candidate]) -> None:
    planned = judge(table)
    targets = [(line.path, line.span) for line in planned]
    assert len(targets) == len(set(targets))
    gone = {line.path for line in planned if line.eraseable and line.span is None}
    assert not any(line.path in gone and line.span is not None for line in planned)
    covered = {(c.path, c.span) for c in table if not (c.span is not None and c.path in gone)}
    assert covered == set(targets)


RAW: dict[str, list[tuple[int | str, ...]]] = {
    "erase_row": [(0, "dead_file", "a.py")],
    "erase_target": [(0, "a.py", 0, 0)],
    "erase_fact": [(0, "verdict", 1), (0, "confidence", 2), (0, "unresolved", 0)],
}


@pytest.mark.parametrize(
    ("relation", "row", "refused"),
    [
        ("erase_fact", (0, "verdict", 3), [(0, "contradicting_facts")]),
        ("erase_fact", (7, "verdict", 1), [(7, "fact_without_row")]),
        ("erase_row", (1, "dead_file", "b.py"), [(1, "missing_fact"), (1, "no_target")]),
        ("erase_target", (0, "b.py", 0, 0), [(0, "target_of_another_file")]),
        ("erase_row", (0, "dead_file", "b.py"), [(0, "target_of_another_file"), (0, "two_rows_under_one_number")]),
        ("erase_row", (1, "(retired)", "b.py"), [(1, "no_target"), (1, "retired_class")]),
    ],
)
def test_tables_that_no_candidate_makes_are_refused_by_the_program_itself(
    relation: str, row: tuple[int | str, ...], refused: list[tuple[int, str]]
) -> None:
    from ce.datalog import run
    from ce.verdicts.family import program_text

    source, text = program_text("erase/erase.dl")
    facts = {name: list(rows) for name, rows in RAW.items()}
    others: dict[str, list[tuple[int | str, ...]]] = {
        name: [] for name in ("erase_survivor", "erase_mention", "erase_dynamic", "erase_dispute")
    }
    assert run(text, facts | others, source=source)["refused"] == []
    facts[relation] = [*facts[relation], row]
    assert run(text, facts | others, source=source)["refused"] == refused
