"""What a baseline knows, apart from any tree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ce.datalog.checks import check
from ce.datalog.parse import parse
from ce.facts.schema import schema
from ce.verdicts.baseline import Witness, compare, content_sketch, read_baseline, write_baseline
from ce.verdicts.positions import directions, line_columns

_WITNESSES = st.lists(
    st.builds(
        Witness,
        st.sampled_from(["a", "b"]),
        st.tuples(st.sampled_from(["x", "y\udcff", 'q"\n']), st.integers(0, 3)),
        st.lists(st.text("ab", min_size=1, max_size=2), max_size=3).map(content_sketch),
    ),
    max_size=8,
)


@given(_WITNESSES)
def test_a_written_baseline_reads_back_and_knows_itself(witnesses: list[Witness]) -> None:
    text = write_baseline(witnesses)
    read = read_baseline(text, "b")
    assert sorted(read, key=lambda each: each.sort_key) == sorted(witnesses, key=lambda each: each.sort_key)
    matched = compare(read, [(each, (0, 0)) for each in witnesses])
    assert (len(matched.known), matched.fixed) == (len(witnesses), ())


@given(_WITNESSES, _WITNESSES)
def test_a_baseline_never_grows(before: list[Witness], now: list[Witness]) -> None:
    matched = compare(before, [(each, (1, 1)) for each in now])
    assert len(matched.kept) == len(matched.known)
    assert len(matched.kept) + len(matched.fixed) == len(before)


def test_numbers_may_get_better_where_the_rule_says_what_is_better() -> None:
    entry, less, more = (Witness("a", ("x", number)) for number in (5, 4, 6))
    assert len(compare([entry], [(less, (0, 1))]).known) == 1
    assert len(compare([entry], [(more, (0, 1))]).known) == 0
    assert len(compare([entry], [(more, (0, -1))]).known) == 1
    assert len(compare([entry], [(less, (0, 0))]).known) == 0


def test_the_direction_of_a_number_is_that_of_its_comparison() -> None:
    growing = "assert a(F, N, B) :- lines(F, N), budget(B), N > B. budget(5)."
    shrinking = "assert b(F, N) :- lines(F, N), 3 > N."
    neither = "assert c(F, N) :- lines(F, N), N != 3."
    checked = check(parse(f"{growing} {shrinking} {neither}", "p.dl"), schema())
    assert [directions(checked, goal) for goal in checked.goals] == [(0, 1, -1), (0, -1), (0, 0)]


def test_lines_are_lines_through_any_number_of_rules() -> None:
    text = "at(F, X) :- site(F, X, _, _). also(X, F) :- at(F, X). assert a(F, X, N) :- also(X, F), lines(F, N)."
    checked = check(parse(text, "p.dl"), schema())
    lines = line_columns(checked)
    assert [sorted(lines[name]) for name in ("at", "also", "!1")] == [[1], [0], [1]]
    assert "lines" not in lines
