"""What a clause means survives its translation to core rules."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

import ce.datalog
from ce.datalog.parse import parse
from ce.datalog.syntax import Rule
from ce.diagnostics import CeError
from tests.datalog.programs import rule_texts
from tests.datalog.surface_oracle import VALUES, answers

_FACTS: dict[str, set[tuple[int, ...]]] = {"p": {(1,), (2,)}, "q": {(1, 2), (2, 3), (2, 2)}, "r": {(2, 3), (3, 1)}, "s": {(3,), (1,)}}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(rule_texts())
def test_the_engine_gives_a_clause_the_meaning_of_its_text(text: str) -> None:
    text = text.replace("Y * Z", "Y + 2")
    rule = parse(text, "p.dl").clauses[0]
    assert isinstance(rule, Rule)
    try:
        result = ce.datalog.run(text, {name: sorted(rows) for name, rows in _FACTS.items()})
    except CeError:
        return
    found = set(result[rule.head.predicate])
    expected = answers(rule, _FACTS)
    inside = set(VALUES)
    assert {row for row in found if set(row) <= inside} == {row for row in expected if set(row) <= inside}
