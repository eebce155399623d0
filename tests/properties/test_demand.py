"""A goal with known values is answered by demand: same answers, same proofs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ce.datalog.api import Solution, run, solve
from ce.datalog.check import ProofChecker
from tests.properties.generated import INTEGERS, NAMES, Generated, examples, programs


@given(programs(), st.integers(0, 2**32))
@examples(0.5)
def test_demand_changes_neither_answers_nor_proofs(program: Generated, choice: int) -> None:
    full = run(questioned(program, choice), program.facts).solution
    (goal,) = full.checked.goals
    demanded = solve(full.checked, full.database, goals=[goal.predicate])
    assert demanded.values(goal.predicate) == full.values(goal.predicate)
    checker = ProofChecker(full.checked, full.database)
    for row in full.values(goal.predicate):
        proof = demanded.explain(goal.predicate, row)
        assert str(proof) == str(full.explain(goal.predicate, row))
        assert checker.check(proof) == []
    same_absence(full, demanded, goal.predicate)


def questioned(program: Generated, choice: int) -> str:
    """Return the program with a question about one relation, of which some columns are known; mostly to values that it holds."""
    result = run(program.text, program.facts)
    relations = result.solution.checked.relations
    derived = sorted(name for name, relation in relations.items() if relation.idb and name in result)
    name = derived[choice % len(derived)]
    rows = result[name] if choice & 3 else []
    args = []
    for place, sort in enumerate(relations[name].sorts):
        values = INTEGERS if sort == "int" else NAMES
        value = rows[choice % len(rows)][place] if rows else values[choice >> (16 + 2 * place) & 3]
        known = choice >> (8 + place) & 1 or not place
        args.append((str(value) if sort == "int" else f'"{value}"') if known else f"X{place}")
    return f"{program.text}\n?- {name}({', '.join(args)})."


def same_absence(full: Solution, demanded: Solution, predicate: str) -> None:
    """Require the same explanation where there is no answer at all."""
    if not full.count(predicate):
        assert str(demanded.why_not(predicate)) == str(full.why_not(predicate))
