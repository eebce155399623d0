"""Judging candidates: `programs/erase/erase.dl` over the measured facts, licences checked twice.

Every `eraseable` row is derived by the native engine, its proof is gone through by the proof checker, and the second engine must
derive the same rows. A row over which they differ is judged again with that fact, and then refused as `uncertified`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ce.diagnostics import CeError
from ce.erase.model import Candidate, PlanRow, row_order

if TYPE_CHECKING:
    from ce.datalog import Database, Solution
    from ce.datalog.checked import CheckedProgram

__all__ = ["certify", "judge"]

_FACTS = ("erase_row", "erase_target", "erase_fact", "erase_survivor", "erase_mention", "erase_dynamic", "erase_tie", "erase_dispute")
_SECOND_ENGINE = "naive"
Rows = dict[str, list[tuple[int | str, ...]]]


def judge(candidates: Iterable[Candidate]) -> tuple[PlanRow, ...]:
    """Return the rows that stand, in key order, each with its reason and the derivation of it.

    Raises CeError (CE721) naming what is wrong when the table is over the cap or malformed: nothing is judged then.
    """
    ordered = sorted(candidates, key=row_order)
    facts = _facts(ordered)
    solution = _solve(facts)
    _refuse(solution, ordered)
    disputes = _disputes(solution, facts)
    if disputes:
        facts["erase_dispute"] = disputes
        solution = _solve(facts)
    return tuple(_plan_row(row, ordered[row], solution) for row in _numbers(solution, "stands"))


def certify(candidates: Sequence[Candidate], rows: Sequence[PlanRow], *, check: Callable[..., list[str]] | None = None) -> None:
    """Raise CeError (CE706) unless the proof checker and the second engine license every row.

    The candidates are those that the rows were judged from; `check` is the proof checker (tests pass another).
    """
    ordered = sorted(candidates, key=row_order)
    facts = _facts(ordered)
    solution = _solve(facts)
    disputed = {row for row, _ in _disputes(solution, facts, check)}
    allowed = {row_order(ordered[number]) for number in _numbers(solution, "eraseable") if number not in disputed}
    for row in rows:
        if row_order(row) not in allowed:
            place = f"`{row.path}`" if row.span is None else f"`{row.path}` lines {row.span[0]} to {row.span[1]}"
            raise CeError.of("CE706", f"{place}: the licence does not hold", notes=["plan again; the plan and the tree do not fit"])


def _facts(ordered: Sequence[Candidate]) -> Rows:
    facts: Rows = {name: [] for name in _FACTS}
    for number, candidate in enumerate(ordered):
        start, end = candidate.span or (0, 0)
        facts["erase_row"].append((number, candidate.kind, candidate.path))
        facts["erase_target"].append((number, candidate.path, start, end))
        facts["erase_fact"] += [(number, key, value) for key, value in sorted(candidate.facts.items())]
        if candidate.survivor:
            facts["erase_survivor"].append((number, candidate.survivor))
        facts["erase_mention"] += [(number, path, line) for path, line in candidate.mentions]
        facts["erase_dynamic"] += [(number, path, line) for path, line in candidate.dynamic]
        facts["erase_tie"] += [(number, why, path, line) for why, path, line in candidate.ties]
    return facts


def _program() -> CheckedProgram:
    from ce.datalog.checks import check
    from ce.datalog.parse import parse
    from ce.verdicts.family import program_text

    source, text = program_text("erase/erase.dl")
    return check(parse(text, source))


def _database(checked: CheckedProgram, facts: Rows) -> Database:
    from ce.datalog import Database

    return Database.from_rows(facts, {name: checked.relations[name].sorts for name in facts})


def _solve(facts: Rows, engine: str = "native") -> Solution:
    from ce.datalog import solve

    checked = _program()
    solution = solve(checked, _database(checked, facts), engine=engine)
    if solution.degraded is not None:
        raise CeError.of("CE721", f"the eraser could not judge: {solution.degraded.message}")
    return solution


def _refuse(solution: Solution, ordered: Sequence[Candidate]) -> None:
    refused = solution.values("refused")
    if not refused:
        return
    number, why = refused[0]
    assert isinstance(number, int)
    if why == "over_cap":
        message = f"{number} candidate rows are more than the eraser judges at once"
        raise CeError.of("CE721", message, notes=["run the eraser on parts of the tree: `exclude` in ce.toml narrows it"])
    where = f"`{ordered[number].path}` ({ordered[number].kind})" if number < len(ordered) else f"row {number}"
    raise CeError.of("CE721", f"{where}: the table is malformed: {str(why).replace('_', ' ')}")


def _disputes(solution: Solution, facts: Rows, check: Callable[..., list[str]] | None = None) -> list[tuple[int | str, ...]]:
    """Return (row, who) for every licence that the proof checker or the second engine does not confirm."""
    from ce.datalog import check_proof

    check = check or check_proof
    rows = _numbers(solution, "eraseable")
    if not rows:
        return []
    second = set(_numbers(_solve(facts, _SECOND_ENGINE), "eraseable"))
    found: list[tuple[int | str, ...]] = [(row, "second_engine") for row in rows if row not in second]
    for row in rows:
        faults = check(solution.checked, solution.database, solution.explain("eraseable", (row,)))
        found += [(row, "proof_checker")] if faults else []
    return sorted(found, key=str)


def _numbers(solution: Solution, relation: str) -> list[int]:
    return sorted(int(row[0]) for row in solution.values(relation))


def _plan_row(number: int, candidate: Candidate, solution: Solution) -> PlanRow:
    reason = next(str(reason) for row, reason in solution.values("reason") if row == number)
    eraseable = reason == "eraseable"
    proof: dict[str, Any] = solution.explain("reason", (number, reason)).to_dict()
    return PlanRow(
        candidate.kind, candidate.path, candidate.span, eraseable, reason, candidate.provenance, candidate.sites, candidate.hash, proof
    )
