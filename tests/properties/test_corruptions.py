"""No corruption of a single node of a valid proof passes the checker."""

from __future__ import annotations

from hypothesis import given

from ce.datalog.api import run
from ce.datalog.check import ProofChecker
from tests.fakes.corruptions import corruptions
from tests.properties.generated import Generated, Shape, examples, programs

_ROWS = 2


@given(programs(Shape(query=True)))
@examples(0.3)
def test_every_single_corruption_of_a_proof_is_rejected(program: Generated) -> None:
    result = run(program.text, program.facts)
    checked = result.solution.checked
    checker = ProofChecker(checked, result.solution.database)
    for name in (*result, *(goal.predicate for goal in result.goals)):
        for row in result.solution.values(name)[:_ROWS]:
            document = result.solution.explain(name, row).to_dict()
            for what, corrupted in corruptions(document, ()):
                assert checker.check(corrupted), f"{what} passes: {corrupted}"
