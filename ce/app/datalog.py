"""The engine alone: a program over tab-separated tables, its outputs back into tables."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ce.app.program import QUERY_SOURCE
from ce.app.report import Answer, Degraded, GoalReport
from ce.app.why_not import explain_missing
from ce.diagnostics import CeError, Diagnostic
from ce.verdicts.family import RulesFile, find_rules, include_loader
from ce.verdicts.witness import message

if TYPE_CHECKING:
    from ce.datalog.api import Solution
    from ce.datalog.checked import CheckedProgram, Goal
    from ce.datalog.database import Database
    from ce.datalog.limits import Limits

__all__ = ["DatalogReport", "Output", "run_program"]


@dataclass(frozen=True, slots=True)
class Output:
    """A relation or the answers of a goal: the name of its table, its columns, and its rows unless they were written to a file."""

    name: str
    columns: tuple[str, ...]
    length: int
    rows: tuple[tuple[int | str, ...], ...] | None


@dataclass(frozen=True, slots=True)
class DatalogReport:
    """What a run gave, and the seconds that loading, evaluation and output took.

    `asked` are the answers to the question of the command line, `outputs` everything that the program itself puts out.
    """

    outputs: tuple[Output, ...]
    asked: GoalReport | None
    load_s: float
    eval_s: float
    output_s: float
    degraded: Degraded | None
    warnings: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    plan: str | None = None
    profile: tuple[tuple[str, int, int, float], ...] = ()


def run_program(
    path: str,
    *,
    facts: Path,
    target: Path | None = None,
    question: str | None = None,
    why: bool = False,
    why_not: bool = False,
    plan: bool = False,
    profile: bool = False,
    engine: str = "native",
    limits: Limits | None = None,
) -> DatalogReport:
    """Run the program at `path` over `NAME.facts` in `facts`; with a `target` directory every output becomes `NAME.tsv` there.

    Raises CeError for a fault of the program, the question or the facts. A crossed limit writes nothing.
    """
    checked = _checked(path, question)
    _import_engine(engine)
    warnings: list[Diagnostic] = list(checked.warnings)
    clock = _Clock()
    database = _load(checked, facts, warnings)
    load_s = clock.lap()
    solution, spent = _solve(checked, database, engine, limits, profile)
    eval_s = clock.lap()
    warnings += solution.warnings
    degraded = None if solution.degraded is None else Degraded(solution.degraded.limit, solution.degraded.message)
    named = [] if degraded else _named(checked, question)
    outputs = tuple(_output(solution, name, predicate, columns, target) for name, predicate, columns in named)
    output_s = clock.lap()
    asked = None if question is None or degraded else _asked(solution, checked.goals[-1], question, why, why_not)
    text = _plan_text(checked, database) if plan else None
    return DatalogReport(outputs, asked, load_s, eval_s, output_s, degraded, tuple(warnings), checked.program.sources, text, spent)


class _Clock:
    """Measures one stage after the other."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        return seconds


def _checked(path: str, question: str | None) -> CheckedProgram:
    from ce.datalog.checks import check
    from ce.datalog.parse import parse_program

    program = _program(path)
    loader = include_loader(Path.cwd(), (program.directory,) if program.directory is not None else ())
    query = None if question is None else (QUERY_SOURCE, question)
    return check(parse_program([(program.source, program.text)], loader, query=query, recover=True))


def _import_engine(name: str) -> None:
    """Import what a run needs, so that the times are those of the work."""
    from importlib import import_module

    for module in ("api", "loading", "evaluate" if name == "native" else "naive", "plan"):
        import_module(f"ce.datalog.{module}")


def _program(path: str) -> RulesFile:
    if not Path(path).is_file():
        raise CeError.of("CE940", f"no program `{path}`")
    return find_rules(Path.cwd(), path)


def _load(checked: CheckedProgram, directory: Path, warnings: list[Diagnostic]) -> Database:
    """Load what may have facts; a relation with rules of its own needs no file."""
    from ce.datalog.loading import load_facts

    if not directory.is_dir():
        raise CeError.of("CE941", f"no directory of facts `{directory}`")
    wanted = {
        name: relation.sorts
        for name, relation in checked.relations.items()
        if relation.edb and (not relation.idb or (directory / f"{name}.facts").is_file())
    }
    return load_facts(directory, wanted, warnings)


def _solve(
    checked: CheckedProgram, database: Database, engine: str, limits: Limits | None, profile: bool
) -> tuple[Solution, tuple[tuple[str, int, int, float], ...]]:
    from ce.datalog.api import Solution, solve

    goals = [goal.predicate for goal in checked.goals] + list(checked.outputs)
    if not profile or engine != "native":
        return solve(checked, database, engine=engine, limits=limits, goals=goals or None), ()
    from ce.datalog import evaluate, plan
    from ce.datalog.limits import Limits

    bounds = limits or Limits()
    model = evaluate.evaluate(plan.plan(checked, goals or None), database, bounds, profile=True)
    totals = model.profile.by_rule() if model.profile is not None else {}
    spent = tuple((checked.rules[rule].at, *totals[rule]) for rule in sorted(totals, key=lambda rule: (-totals[rule][2], rule)))
    return Solution(checked, database, model, engine, bounds), spent


def _named(checked: CheckedProgram, question: str | None) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return name, predicate and columns of everything that the program puts out, the question of the command line apart."""
    declared = {name: tuple(f"c{number}" for number in range(1, len(checked.relations[name].sorts) + 1)) for name in checked.outputs}
    named = [(name, name, columns) for name, columns in declared.items()]
    anonymous = 0
    for goal in checked.goals[: None if question is None else -1]:
        anonymous += goal.name is None
        named.append((goal.name or f"query{anonymous}", goal.predicate, goal.columns))
    return named


def _output(solution: Solution, name: str, predicate: str, columns: tuple[str, ...], target: Path | None) -> Output:
    if target is None:
        rows = tuple(solution.values(predicate))
        return Output(name, columns, len(rows), rows)
    from ce.datalog.loading import write_rows

    encoded = solution.rows(predicate)
    length = solution.count(predicate)
    domains = solution.model.database.domains
    sorts = solution.checked.relations[predicate].sorts
    target.mkdir(parents=True, exist_ok=True)
    write_rows(target / f"{name}.tsv", encoded, length, [None if sort in ("int", "open") else domains[sort].labels for sort in sorts])
    return Output(name, columns, length, None)


def _asked(solution: Solution, goal: Goal, question: str, why: bool, why_not: bool) -> GoalReport:
    answers = tuple(
        Answer(row, message(goal.message, goal.columns, row), None, solution.explain(goal.predicate, row) if why else None)
        for row in solution.values(goal.predicate)
    )
    missing = explain_missing(solution, goal.predicate) if why_not and not answers else None
    return GoalReport(goal.kind, goal.name, goal.severity, goal.columns, goal.sorts, answers, text=question, missing=missing)


def _plan_text(checked: CheckedProgram, database: Database) -> str:
    from ce.datalog.plan import plan
    from ce.datalog.statistics import table_statistics

    goals: Sequence[str] = [goal.predicate for goal in checked.goals] + list(checked.outputs)
    return plan(checked, goals or None, table_statistics(database)).describe()
