"""Findings: every refusal has a test that fails without it; every finding is proved and never widens what is decided."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.clauses import Clause, Corpus, cover, emit, findings, report
from ce.clauses.ladder import Record, decide
from ce.diagnostics import CeError

WHY = "a reason that is long enough to be read by somebody who was not there when the clause was learned"


def clause(identifier: str, *patterns: str, origin: str = "learned", level: str | None = "green", **fields: Any) -> Clause:
    return Clause(identifier, fields.pop("tier", "project"), level, origin, fields.pop("status", "accepted"), patterns, text=WHY, **fields)


def found(*clauses: Clause, **options: bool) -> list[tuple[str, str, str, bool]]:
    return [(f.keep, f.drop, f.proof, f.proposed) for f in findings(Corpus(clauses), **options)]


BROAD, NARROW = clause("a", emit("npm")), clause("b", emit("npm test"))


def test_a_narrower_learned_clause_is_dead_text() -> None:
    assert found(BROAD, NARROW) == [("a", "b", "command-prefix", True)]


@pytest.mark.parametrize(
    ("keep", "drop", "proof"),
    [
        (("npm",), ("NPM",), "identical"),
        (("npm",), ("run npm test",), "substring"),
        (("npm", "yarn"), ("npm",), "substring"),
        ((emit("npm"), "yarn"), (emit("npm test"), "yarn"), "command-prefix"),
        (("npm", "/x.*/"), ("npm",), "substring"),
        ((emit("npm test"), emit("npm")), (emit("npm test"),), "substring"),
        ((emit("npm"), emit("npm test")), (emit("npm test"),), "command-prefix"),
    ],
)
def test_the_label_says_how_it_is_proved(keep: tuple[str, ...], drop: tuple[str, ...], proof: str) -> None:
    assert found(clause("a", *keep), clause("b", *drop)) == [("a", "b", proof, True)]


def test_np_does_not_contain_npm_test() -> None:
    assert found(clause("a", emit("np")), clause("b", emit("npm test"))) == []


@pytest.mark.parametrize("pattern", ["/npm.*/", "/npm/", emit("npm test") + "y", "/(/"])
def test_an_arbitrary_regex_blocks_the_dropped_side(pattern: str) -> None:
    """T6: one that does not compile blocks too; it must not make the clause look smaller."""
    assert found(clause("a", "npm", pattern), clause("b", "npm", pattern)) == []
    assert found(clause("a", "npm"), clause("b", "npm test", pattern)) == []


def test_an_uncovered_pattern_blocks() -> None:
    assert found(clause("a", "npm"), clause("b", "npm test", "yarn")) == []


def test_a_broad_clause_and_its_exception_at_another_level_are_never_merged() -> None:
    assert found(clause("a", emit("npm"), level="yellow"), NARROW) == []


def test_clauses_of_two_tiers_are_never_merged() -> None:
    assert found(clause("a", emit("npm"), tier="team"), NARROW) == []


def test_clauses_without_a_level_are_never_merged() -> None:
    assert found(clause("a", "npm", level=None), clause("b", "npm test", level=None)) == []


@pytest.mark.parametrize("level", ["red", "orange"])
def test_a_finding_at_a_safety_level_is_listed_and_never_proposed(level: str) -> None:
    assert found(clause("a", "rm", level=level), clause("b", "rm -rf", level=level)) == [("a", "b", "substring", False)]


@pytest.mark.parametrize("status", ["proposed", "audit", "declined", "superseded", "retired"])
@pytest.mark.parametrize("side", ["keep", "drop"])
def test_only_accepted_clauses_take_part(status: str, side: str) -> None:
    keep = clause("a", "npm", status=status if side == "keep" else "accepted")
    drop = clause("b", "npm test", status=status if side == "drop" else "accepted")
    assert found(keep, drop) == []


def test_a_superseded_clause_takes_no_part() -> None:
    assert found(clause("a", "npm"), clause("b", "npm test"), clause("c", "yarn", supersedes=("a",))) == []


def test_a_clause_that_is_not_accepted_replaces_nothing() -> None:
    bystander = clause("c", "yarn", status="proposed", supersedes=("a",))
    assert found(clause("a", "npm"), clause("b", "npm test"), bystander) == [("a", "b", "substring", True)]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_human_clause_is_never_dropped_whichever_way_containment_runs(reverse: bool) -> None:
    broad, narrow = ("b", "a") if reverse else ("a", "b")
    assert found(clause(broad, "npm"), clause(narrow, "npm test", origin="human")) == []
    assert found(clause(broad, "npm", origin="human"), clause(narrow, "npm test")) == [(broad, narrow, "substring", True)]


def test_an_absent_origin_is_human() -> None:
    """The place decides; a field that says otherwise is read over."""
    corpus = {
        "human": [
            {"id": "a", "level": "green", "patterns": ["npm"]},
            {"id": "b", "level": "green", "patterns": ["npm test"], "origin": "learned"},
        ]
    }
    assert findings(corpus) == []


@pytest.mark.parametrize("prose", ["a", "b"])
def test_a_prose_clause_takes_no_part(prose: str) -> None:
    patterns = {"a": ("npm",), "b": ("npm test",)} | {prose: ()}
    assert found(clause("a", *patterns["a"]), clause("b", *patterns["b"])) == []


def test_two_clauses_that_say_the_same_give_one_finding_that_keeps_the_lower_id() -> None:
    assert found(clause("b", "npm"), clause("a", "NPM")) == [("a", "b", "identical", True)]


def test_three_equal_clauses_give_a_star() -> None:
    assert found(clause("c", "npm"), clause("a", "npm"), clause("b", "npm")) == [
        ("a", "b", "identical", True),
        ("a", "c", "identical", True),
    ]


def test_a_mutual_pair_whose_higher_id_is_human_gives_nothing() -> None:
    assert found(clause("a", "npm"), clause("b", "npm", origin="human")) == []


def test_the_kept_clause_of_one_finding_may_be_dropped_by_another() -> None:
    assert found(clause("a", "n"), clause("b", "np"), clause("c", "npm")) == [("a", "b", "substring", True), ("a", "c", "substring", True)]
    chain = found(clause("b", "n"), clause("a", "np"), clause("c", "npm"))
    assert chain == [("b", "a", "substring", True), ("a", "c", "substring", True)]


def test_two_rewrites_that_differ_do_not_decide_alike() -> None:
    one, two = clause("a", "npm", level="yellow", fix=("npm", "yarn")), clause("b", "npm test", level="yellow", fix=("npm", "pnpm"))
    assert found(one, two) == []
    assert found(one, clause("b", "npm test", level="yellow", fix=("npm", "yarn"))) == [("a", "b", "substring", True)]


def test_a_clause_that_would_bring_back_what_it_replaced_is_listed() -> None:
    drop = clause("b", "npm test", supersedes=("old",))
    assert found(clause("a", "npm"), drop) == [("a", "b", "substring", False)]
    assert found(clause("a", "npm", supersedes=("old",)), drop) == [("a", "b", "substring", True)]


def test_no_retire_suppresses_the_pass() -> None:
    assert found(BROAD, NARROW, no_retire=True) == []


def test_findings_need_no_history() -> None:
    """T5: they are a fact about text; nothing else is asked."""
    assert len(findings(Corpus((BROAD, NARROW)))) == 1


def test_a_finding_carries_certificates_and_its_derivation() -> None:
    (finding,) = findings(Corpus((BROAD, NARROW)))
    (certificate,) = finding.certificates
    assert (certificate.keep_pattern, certificate.drop_pattern) == (emit("npm"), emit("npm test"))
    assert certificate.cover.covered.text[certificate.cover.offset] == " "
    assert {"cover", "gap", "outranked", "yields"} <= set(_predicates(finding.derivation))
    assert "never by a prover" in finding.note


def _predicates(node: dict[str, Any]) -> list[str]:
    own = [node["predicate"]] if "predicate" in node else []
    return own + [name for premise in node.get("premises", ()) for name in _predicates(premise)]


_LITERALS = ["n", "npm", "npm test", "npm test --all", "yarn", "yarn add"]
_CLAUSES = st.lists(
    st.builds(
        lambda anchored, texts, origin, level: (tuple(emit(t) if anchored else t for t in texts), origin, level),
        st.booleans(),
        st.lists(st.sampled_from(_LITERALS), max_size=2),
        st.sampled_from(["human", "learned"]),
        st.sampled_from(["green", "yellow", "red"]),
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(_CLAUSES, st.randoms(use_true_random=False))
def test_findings_are_acyclic_and_do_not_depend_on_order(made: list[tuple[tuple[str, ...], str, str]], shuffler: random.Random) -> None:
    clauses = [clause(f"c{number}", *patterns, origin=origin, level=level) for number, (patterns, origin, level) in enumerate(made)]
    rows = found(*clauses)
    shuffler.shuffle(clauses)
    assert found(*clauses) == rows
    drops = [drop for _, drop, _, _ in rows]
    assert len(drops) == len(set(drops)), "one finding at most drops a clause"
    keeps = {drop: keep for keep, drop, _, _ in rows}
    for start in keeps:
        seen, at = {start}, start
        while at in keeps:
            at = keeps[at]
            assert at not in seen
            seen.add(at)


_COMMANDS = ["npm test", "npm testing", "npm", "yarn add x", "npm test --all", "ls", "npm  test", "yarn", "ls && npm test", "rm npm"]


@settings(max_examples=60, deadline=None)
@given(_CLAUSES)
def test_dropping_what_is_proposed_changes_no_decision(made: list[tuple[tuple[str, ...], str, str]]) -> None:
    """I1: the corpus decides exactly what it did, on every call."""
    clauses = [clause(f"c{number}", *patterns, origin=origin, level=level) for number, (patterns, origin, level) in enumerate(made)]
    dropped = {finding.drop for finding in findings(Corpus(tuple(clauses)))}
    rest = [other for other in clauses if other.id not in dropped]
    for command in _COMMANDS:
        record = Record("Bash", {"command": command}, "deny", "fallback")
        before, after = decide(clauses, record), decide(rest, record)
        assert (before.verdict, before.rung) == (after.verdict, after.rung)


def test_a_corpus_with_faults_names_each() -> None:
    with pytest.raises(CeError) as raised:
        findings({"human": [{"id": "a", "tier": "world"}, {"id": "", "x": 1}], "other": []})
    text = str(raised.value)
    for part in ("`other`", "human[0]: `tier`", "human[1]: `id`", "human[1]: unknown field `x`"):
        assert part in text


def test_an_id_used_twice_is_refused() -> None:
    with pytest.raises(CeError, match=r"learned\[0\]: id `a` is already used at human\[0\]"):
        findings({"human": [{"id": "a"}], "learned": [{"id": "a"}]})


def test_the_report_caps_sorts_and_counts() -> None:
    clauses = [clause("a", "n"), *(clause(f"x{number:02}", f"n{number:02}") for number in range(12)), clause("r1", "r", level="red")]
    outcome = report({"findings": findings(Corpus((*clauses, clause("r2", "rm", level="red"))))})
    assert [finding.drop for finding in outcome.merges][:2] == ["r2", "x00"]
    assert (len(outcome.merges), outcome.omitted, outcome.merged) == (10, 3, 9)


@pytest.mark.parametrize(
    ("run", "headline", "reason"),
    [
        ({}, "clauses: +0 \N{MINUS SIGN}0 merge 0 = net 0  (0 proposals, 0 shapes below the floor)", "no-shape-cleared-floor"),
        (
            {"proposed": 1, "retired": 2, "below_floor": 1, "considered": 3, "admitted": 1},
            "clauses: +1 \N{MINUS SIGN}2 merge 0 = net -1  (1 proposal, 1 shape below the floor)",
            "ok",
        ),
        (
            {"proposed": 5, "admitted": 6},
            "clauses: +5 \N{MINUS SIGN}0 merge 0 = net 5  (5 proposals, 0 shapes below the floor)",
            "caps-hit",
        ),
        ({"considered": 2, "failed_replay": 2}, "", "all-candidates-failed-replay"),
        ({"considered": 2, "suppressed": 1}, "", "all-candidates-suppressed"),
        ({"ended": "lock-held"}, "", "lock-held"),
    ],
)
def test_the_headline_and_the_reason_follow_from_the_counts(run: dict[str, object], headline: str, reason: str) -> None:
    outcome = report(run)
    assert outcome.exit_reason == reason
    if headline:
        assert outcome.headline == headline


def test_a_merge_alone_is_output_and_a_listed_one_is_not() -> None:
    assert report({"findings": findings(Corpus((BROAD, NARROW)))}).exit_reason == "ok"
    listed = findings(Corpus((clause("a", "rm", level="red"), clause("b", "rm -rf", level="red"))))
    assert report({"findings": listed}).exit_reason == "no-shape-cleared-floor"


def test_merges_are_a_list_even_when_there_are_none() -> None:
    assert report({}).to_dict()["merges"] == []


def test_no_certificate_is_accepted_that_the_prover_would_not_give() -> None:
    for finding in findings(Corpus((BROAD, NARROW, clause("c", "npm")))):
        for certificate in finding.certificates:
            assert cover(certificate.keep_pattern, certificate.drop_pattern) == certificate.cover.label
