"""One question about a tree, or every assertion of its rules files, as a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.program import QUERY_SOURCE
from ce.app.project import Project, rules_files
from ce.app.proofs import Proofs
from ce.app.report import Answer, GoalReport, Report
from ce.app.why_not import explain_missing
from ce.diagnostics import CeError
from ce.verdicts.positions import line_columns
from ce.verdicts.witness import message, place

if TYPE_CHECKING:
    from ce.datalog.checked import Goal
    from ce.verdicts.family import RulesFile

__all__ = ["ask", "ask_rules", "report", "text_of_prelude"]

_UNKNOWN_PREDICATE = "CE202"


def ask(
    project: Project,
    body: str,
    *,
    files: Sequence[str] = (),
    why: bool = False,
    why_not: bool = False,
    plan: bool = False,
    options: Options,
) -> Report:
    """Return the answers to a question, with their proofs when `why`, and with what failed when `why_not` and there is no answer.

    Assertions of `files` are judged too. A question that names a relation nobody knows may mean one of the project's own rules
    file, which is read then. Raises CeError when the question or a file has a fault.
    """
    rules = rules_files(project, files)
    try:
        evaluation = evaluate(project, rules, body, options=options)
    except CeError as error:
        own = () if rules or not _asks_unknown(error) else rules_files(project, None)
        if not own:
            raise
        evaluation = evaluate(project, own, body, options=options)
    return _asked(project, evaluation, why=why, why_not=why_not, plan=plan)


def ask_rules(project: Project, rules: Sequence[RulesFile], body: str, *, why: bool, why_not: bool, plan: bool, options: Options) -> Report:
    """Return the answers to a question that may use these rules; their own assertions and questions are left out."""
    evaluation = evaluate(project, rules, body, options=options)
    asked = tuple(goal for goal in evaluation.goals if goal.span.source == QUERY_SOURCE)
    return _asked(project, replace(evaluation, goals=asked), why=why, why_not=why_not, plan=plan)


def _asked(project: Project, evaluation: Evaluation, *, why: bool, why_not: bool, plan: bool) -> Report:
    """Return the report on a question, with warnings about patterns and paths in it that the tree does not have."""
    found = report(project, evaluation, why=why, why_not=why_not, plan=plan)
    if found.empty or found.degraded is not None:
        return found
    from ce.app.vacuity import unmatched

    return replace(found, warnings=(*found.warnings, *unmatched(evaluation.checked, evaluation.solution.database, (QUERY_SOURCE,))))


def report(project: Project, evaluation: Evaluation, *, why: bool = False, why_not: bool = False, plan: bool = False) -> Report:
    """Return what an evaluation found; violations always carry their proof, answers to questions when `why`."""
    degraded = evaluation.degraded
    proofs = Proofs(evaluation.solution)
    asserting = any(goal.kind == "assert" for goal in evaluation.goals)
    lines = line_columns(evaluation.checked) if asserting else {}
    goals = () if degraded else tuple(_goal(evaluation, goal, proofs, lines, why=why, why_not=why_not) for goal in evaluation.goals)
    return Report(
        project.shown,
        goals,
        _counts(evaluation, goals, proofs),
        evaluation.index,
        degraded,
        (*evaluation.checked.warnings, *evaluation.solution.warnings),
        evaluation.checked.program.sources,
        evaluation.problems,
        evaluation.plan_text() if plan else None,
        evaluation.index.get("files", 0) == 0,
    )


def text_of_prelude() -> str:
    """Return the text of the prelude and of the entries it includes."""
    from ce.verdicts.family import program_text

    parts = (program_text(name) for name in ("prelude.dl", "deadcode/entries.dl"))
    return "\n".join(f"# {source}\n\n{text}" for source, text in parts)


def _asks_unknown(error: CeError) -> bool:
    return any(diagnostic.code == _UNKNOWN_PREDICATE for diagnostic in error.diagnostics)


def _goal(
    evaluation: Evaluation, goal: Goal, proofs: Proofs, lines: Mapping[str, frozenset[int]], *, why: bool, why_not: bool
) -> GoalReport:
    solution = evaluation.solution
    proving = why or goal.kind == "assert"
    answers = tuple(
        Answer(
            values,
            message(goal.message, goal.columns, values),
            place(goal.sorts, values, lines.get(goal.predicate, ()), evaluation.span_of),
            proofs.explain(goal.predicate, values) if proving else None,
        )
        for values in solution.values(goal.predicate)
    )
    missing = explain_missing(solution, goal.predicate) if why_not and not answers and goal.kind == "query" else None
    return GoalReport(
        goal.kind,
        goal.name,
        goal.severity,
        goal.columns,
        goal.sorts,
        answers,
        goal.doc,
        str(goal.span).rpartition(":")[0],
        evaluation.text_of(goal),
        missing,
    )


def _counts(evaluation: Evaluation, goals: Sequence[GoalReport], proofs: Proofs) -> Mapping[str, int]:
    questions = [goal for goal in goals if goal.kind == "query"]
    assertions = [goal for goal in goals if goal.kind == "assert"]
    return {
        "facts": evaluation.facts,
        "derived": evaluation.solution.derived,
        "queries": len(questions),
        "asserts": len(assertions),
        "answers": sum(len(goal.answers) for goal in questions),
        "violations": sum(len(goal.answers) for goal in assertions),
        "proofs_omitted": proofs.omitted,
    }
