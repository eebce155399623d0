"""Ablation: a zero stands beside its liveness check, and each evidence class has a corpus that shows it."""

from __future__ import annotations

import pytest

from ce.clauses import Corpus, ablate, emit
from ce.clauses.ablation import ablate_all, window_of
from ce.clauses.ladder import Record, decide, haystacks, record_of
from ce.diagnostics import CeError
from tests.clauses.test_findings import clause


def denied(command: str, label: str = "", rung: str = "fallback", day: float = 0.0) -> Record:
    return Record("Bash", {"command": command}, "deny", rung, label, day)


BROAD, NARROW = clause("a", emit("npm")), clause("b", emit("npm test"))
WINDOW = (denied("npm test"), denied("npm run"), denied("ls"))


def test_a_contained_clause_changes_nothing_where_the_kept_one_does() -> None:
    row = ablate("b", Corpus((BROAD, NARROW)), WINDOW, kept="a")
    assert (row.changed, row.live, row.live_by) == (0, 1, "a")
    assert (row.evidence, row.shadowed_by, row.proposed) == ("shadowed", "a", False)


def test_a_window_in_which_nothing_can_move_proves_nothing() -> None:
    allowed = [Record("Bash", {"command": "npm test"}, "allow", "classifier")]
    row = ablate("b", Corpus((BROAD, NARROW)), allowed, kept="a")
    assert (row.changed, row.live) == (0, 0)


def test_a_clause_in_service_changes_decisions() -> None:
    row = ablate("a", Corpus((BROAD, NARROW)), WINDOW)
    assert (row.changed, row.evidence) == (1, "in-service")


def test_the_label_that_decides_most_shadows_and_of_equal_ones_the_first() -> None:
    corpus = Corpus((clause("x", emit("npm")), clause("a", emit("npm test")), clause("b", emit("npm run"))))
    tie = [denied("npm run"), denied("npm test")]
    assert ablate("x", corpus, tie).shadowed_by == "a"
    assert ablate("x", corpus, [*tie, denied("npm run x")]).shadowed_by == "b"


def test_a_candidate_is_broader_than_a_proposal() -> None:
    shadowed = ablate("b", Corpus((BROAD, NARROW)), WINDOW)
    assert (shadowed.candidate, shadowed.proposed) == (True, False)
    assert ablate("a", Corpus((BROAD, NARROW)), WINDOW).candidate is False


def test_a_permissive_clause_without_traffic_is_no_deterrent() -> None:
    corpus = Corpus((clause("z", emit("cargo test")),))
    row = ablate("z", corpus, [denied("ls", label="z", rung="green"), denied("cargo run")])
    assert (row.evidence, row.proposed) == ("retire", True)


def test_a_clause_that_nothing_hits_is_to_retire() -> None:
    row = ablate("z", Corpus((BROAD, clause("z", emit("cargo")))), WINDOW)
    assert (row.changed, row.evidence, row.proposed) == (0, "retire", True)


@pytest.mark.parametrize(
    ("records", "evidence"),
    [
        ([denied("ls", label="r", rung="red")], "deterrent"),
        ([denied("rm -i x")], "dead-weight?"),
        ([denied("ls")], "insufficient-exposure"),
        ([denied("rm -rf x", rung="human")], "shadowed"),
        ([denied("rm -rf x")], "insufficient-exposure"),
        ([denied("ls", label="r", rung="red"), denied("rm -i x")], "deterrent"),
        ([Record("Bash", {"command": "rm -rf x"}, "allow", "human", "r")], "in-service"),
    ],
)
def test_a_safety_clause_is_never_proposed(records: list[Record], evidence: str) -> None:
    row = ablate("r", Corpus((clause("r", emit("rm -rf"), level="red"),)), records)
    assert (row.evidence, row.proposed, row.candidate) == (evidence, False, False)


def test_a_call_that_was_not_stored_is_counted_apart() -> None:
    row = ablate("a", Corpus((BROAD,)), [{"call": None, "verdict": "deny"}, *WINDOW])
    assert (row.unreplayable, row.window, row.changed) == (1, 4, 2)


def test_two_clauses_that_cover_each_other_are_not_both_retired() -> None:
    rows = ablate_all(Corpus((clause("a", emit("npm")), clause("b", emit("NPM")))), WINDOW)
    assert [(row.id, row.changed) for row in rows] == [("a", 0), ("b", 2)]


def test_green_is_measured_on_the_larger_of_two_windows_and_red_on_everything() -> None:
    records = [denied("ls", day=float(number) / 30) for number in range(6000)]
    assert len(window_of(BROAD, records)) == 2701
    assert len(window_of(BROAD, records[:100])) == 100
    assert len(window_of(clause("r", "x", level="red"), records)) == 6000
    assert len(window_of(BROAD, [denied("ls", day=float(number)) for number in range(3000)])) == 2000


def test_an_unknown_clause_is_refused_by_name() -> None:
    with pytest.raises(CeError, match="no clause in force has the id `q`"):
        ablate("q", Corpus((BROAD,)), WINDOW)


def test_every_command_of_a_line_is_judged_by_itself() -> None:
    record = denied('npm test && echo "a; b" | cat')
    assert [text.split('"command":')[1] for text in haystacks(record, "green")] == ['"npm test"}', '"echo \\"a; b\\""}', '"cat"}']
    assert decide([BROAD], record).rung == "fallback"
    assert decide([BROAD, clause("e", emit("echo"), emit("cat"))], record).verdict == "allow"
    assert decide([BROAD, clause("r", emit("cat"), level="red")], record).verdict == "deny"


def test_a_permissive_level_does_not_see_what_a_file_is_to_hold() -> None:
    record = Record("Write", {"path": "x", "content": "npm"}, "deny", "fallback")
    assert decide([clause("g", "npm")], record).rung == "fallback"
    assert decide([clause("r", "npm", level="red")], record).rung == "red"


@pytest.mark.parametrize(
    "entry", [{}, {"verdict": 1}, {"verdict": "deny", "call": 3}, {"verdict": "deny", "call": {"args": 3}}, {"verdict": "d", "at": "x"}]
)
def test_a_record_with_a_fault_is_named(entry: dict[str, object]) -> None:
    with pytest.raises(CeError, match="line 3"):
        record_of(entry, "line 3")
