"""Every bound of an evaluation, and that crossing one leaves no part of an answer."""

from __future__ import annotations

import time

import pytest

from ce.datalog.limits import LimitExceeded, Limits, Meter
from ce.diagnostics import CeError
from tests.datalog.evaluation import model_of, rows_of

NUMBERS = {"a": [(number,) for number in range(1500)]}
COUNTER = "n(0).\nn(Y) :- n(X), Y = X + 1."
PRODUCT = "small(X) :- a(X), X < 3.\npair(X, Y) :- a(X), a(Y)."


@pytest.mark.parametrize(
    ("program", "limits", "limit", "place"),
    [
        (COUNTER, Limits(max_rounds=500), "max_rounds", "test:2"),
        (COUNTER, Limits(max_rows=500), "max_rows", "test:2"),
        (COUNTER, Limits(timeout_s=0.05), "timeout", "test:2"),
        (PRODUCT, Limits(max_rows=10_000), "max_rows", "test:2"),
        (PRODUCT, Limits(max_memory_bytes=5_000_000), "max_memory", "test:2"),
        (PRODUCT + "\nq(X) :- pair(X, Y), pair(Y, Z), pair(Z, U), U < X.", Limits(timeout_s=0.2), "timeout", "test:"),
    ],
)
def test_crossing_a_limit_names_it_and_the_rule_and_empties_every_derived_relation(
    program: str, limits: Limits, limit: str, place: str
) -> None:
    model = model_of(program, NUMBERS, limits=limits)
    assert model.degraded is not None
    assert model.degraded.limit == limit
    assert place in model.degraded.message
    assert all(model.count(name) == 0 for name, relation in model.plan.relations.items() if relation.idb)
    assert model.count("a") == 1500


def test_an_unbounded_counter_stops_under_the_default_limits() -> None:
    started = time.process_time()
    model = model_of(COUNTER)
    assert model.degraded is not None
    assert model.degraded.limit == "max_rounds"
    assert time.process_time() - started < 30


def test_a_counter_that_grows_fast_leaves_64_bits_before_it_leaves_the_limits() -> None:
    with pytest.raises(CeError, match="CE401"):
        model_of("n(1). n(Y) :- n(X), Y = X * 2.")


def test_a_product_is_stopped_while_it_is_expanded() -> None:
    """A billion pairs would not fit: the limit is looked at piece by piece."""
    facts = {"a": [(number,) for number in range(40_000)]}
    started = time.process_time()
    model = model_of("pair(X, Y) :- a(X), a(Y).", facts, limits=Limits(max_rows=1_000_000))
    assert model.degraded is not None
    assert time.process_time() - started < 5


def test_rows_just_within_the_limit_are_all_there() -> None:
    facts = {"a": [(number,) for number in range(100)]}
    assert model_of("pair(X, Y) :- a(X), a(Y).", facts, limits=Limits(max_rows=10_000)).count("pair") == 10_000
    assert model_of("pair(X, Y) :- a(X), a(Y).", facts, limits=Limits(max_rows=9_999)).degraded is not None


def test_rows_derived_many_times_count_once() -> None:
    facts = {"a": [(number,) for number in range(1000)]}
    model = model_of("p(Z) :- a(X), a(Y), Z = (X + Y) % 7.", facts, limits=Limits(max_rows=7))
    assert rows_of(model, "p") == [(number,) for number in range(7)]


def test_rounds_just_within_the_limit_are_all_run() -> None:
    facts = {"edge": [(number, number + 1) for number in range(20)]}
    program = "p(0). p(Y) :- p(X), edge(X, Y)."
    assert model_of(program, facts, limits=Limits(max_rounds=21)).count("p") == 21
    assert model_of(program, facts, limits=Limits(max_rounds=20)).degraded is not None


def test_no_limits_at_all() -> None:
    unbounded = Limits(max_rows=None, max_rounds=None, timeout_s=None, max_memory_bytes=None)
    assert model_of("p(X) :- a(X).", NUMBERS, limits=unbounded).count("p") == 1500


def test_an_interrupt_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Meter, "tick", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model_of("p(X) :- a(X).", NUMBERS)


def test_a_meter_without_a_rule_names_none() -> None:
    with pytest.raises(LimitExceeded) as raised:
        Meter(Limits(max_rows=1)).rows(2)
    assert raised.value.degraded.message == "more than 1 rows were derived"
