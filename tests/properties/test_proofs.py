"""Every row of every generated program has a proof that the checker accepts, and no smaller one exists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ce.datalog.api import Result, run
from ce.datalog.check import ProofChecker
from ce.datalog.checked import BUILTIN_TESTS, CoreRule
from ce.datalog.naive import FACT, Relations, fact_rows
from ce.datalog.proof import proof_height
from ce.datalog.semantics import Evaluator, Row, term_value
from ce.datalog.syntax import Atom, Literal, Variable, Wildcard
from tests.properties.generated import Generated, Shape, examples, programs


def every_row(result: Result) -> Iterable[tuple[str, Row]]:
    """Yield each row of each relation and goal."""
    for name in (*result, *(goal.predicate for goal in result.goals)):
        for row in result.solution.values(name):
            yield name, row


@given(programs(Shape(query=True)), st.sampled_from(["native", "naive", "pydatalog"]))
@examples(0.4)
def test_every_row_has_a_proof_that_the_checker_accepts(program: Generated, engine: str) -> None:
    result = run(program.text, program.facts, engine=engine)
    checker = ProofChecker(result.solution.checked, result.solution.database)
    for name, row in every_row(result):
        proof = result.solution.explain(name, row)
        assert checker.check(proof) == []
        assert checker.check(json.loads(json.dumps(proof.to_dict()))) == []


@given(programs(Shape(query=True)))
@examples(0.3)
def test_all_engines_give_the_same_proofs(program: Generated) -> None:
    results = [run(program.text, program.facts, engine=engine) for engine in ("native", "naive", "pydatalog")]
    for name, row in every_row(results[0]):
        texts = {str(result.solution.explain(name, row)) for result in results}
        assert len(texts) == 1


@given(programs(Shape(aggregates=False)))
@examples(0.3)
def test_no_proof_is_higher_than_the_lowest_possible(program: Generated) -> None:
    result = run(program.text, program.facts)
    heights = lowest_heights(result)
    for name, row in every_row(result):
        assert proof_height(result.solution.explain(name, row)) == heights[name, row]


def lowest_heights(result: Result) -> dict[tuple[str, Row], int]:
    """Return the least height of a derivation of each row, by relaxing every instance of every rule until nothing gets lower."""
    solution = result.solution
    model = Relations({name: dict.fromkeys(solution.values(name), FACT) for name in solution.checked.relations})
    evaluator = Evaluator(solution.checked, solution.model.database.domains, model)
    heights = {(name, row): 0 for name in result for row in fact_rows(solution.database, name)}
    heights |= {(rule.head.predicate, row): 0 for rule in solution.checked.rules if not rule.body for row in evaluator.derive(rule)}
    steps = [step for rule in solution.checked.rules if rule.body for step in instances(rule, evaluator)]
    changed = True
    while changed:
        changed = False
        for head, premises in steps:
            if all(premise in heights for premise in premises):
                height = 1 + max((heights[premise] for premise in premises), default=0)
                if height < heights.get(head, height + 1):
                    heights[head] = height
                    changed = True
    return heights


Step = tuple[tuple[str, Row], list[tuple[str, Row]]]


def instances(rule: CoreRule, evaluator: Evaluator) -> Iterator[Step]:
    """Yield the head and the positive premises of every instance of a rule in the model."""
    body = [named(literal, number) if is_positive(literal) else literal for number, literal in enumerate(rule.body)]
    evaluator.enter(rule)
    for binding in evaluator.solutions(body, {}):
        atoms = [rule.head, *(literal for literal in body if isinstance(literal, Atom) and is_positive(literal))]
        head, *premises = [(atom.predicate, tuple(term_value(term, binding) for term in atom.args)) for atom in atoms]
        yield head, premises


def is_positive(literal: Literal) -> bool:
    """Return whether a literal is an atom that finds rows."""
    return isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS


def named(literal: Literal, number: int) -> Literal:
    """Return an atom with a variable for each wildcard."""
    assert isinstance(literal, Atom)
    terms = enumerate(literal.args)
    args = tuple(Variable(f"W{number}_{place}", span=term.span) if isinstance(term, Wildcard) else term for place, term in terms)
    return replace(literal, args=args)
