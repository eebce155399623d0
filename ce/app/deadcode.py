"""The files that no entry reaches, as `programs/deadcode/` judges them."""

from __future__ import annotations

from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.project import Project
from ce.app.report import DeadcodeReport, DeadFile
from ce.verdicts.family import DEADCODE, RulesFile, program_text

__all__ = ["find_dead"]


def find_dead(project: Project, *, why: bool = False, options: Options) -> DeadcodeReport:
    """Return every dead file with its verdict, with its proof when `why`."""
    program = RulesFile(*program_text(DEADCODE.program), None)
    questions = RulesFile(DEADCODE.name, "\n".join(DEADCODE.questions), None)
    evaluation = evaluate(project, (program, questions), options=options)
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return DeadcodeReport(project.shown, (), {}, evaluation.index, 0, evaluation.degraded, evaluation.problems, empty)
    dead_goal, sites_goal, census_goal = (goal.predicate for goal in evaluation.goals)
    dead = tuple(_dead_file(evaluation, dead_goal, row, why) for row in evaluation.solution.values(dead_goal))
    ((sites,),) = evaluation.solution.values(sites_goal)
    ((files, entries),) = evaluation.solution.values(census_goal)
    counts = {"files": int(files), "entries": int(entries), "dead": len(dead)}
    counts |= {verdict: sum(file.verdict == verdict for file in dead) for verdict in VERDICTS}
    counts |= {"facts": evaluation.facts, "derived": evaluation.solution.derived}
    notes = evaluation.problems
    if files and not entries:
        notes += ("no file is an entry, so nothing is reached; name entries in `[graph] entry_globs` of ce.toml",)
    return DeadcodeReport(project.shown, dead, counts, evaluation.index, int(sites), None, notes, empty)


VERDICTS = ("unref_private", "unref_public", "unreach_private", "unreach_public")


def _dead_file(evaluation: Evaluation, goal: str, row: tuple[int | str, ...], why: bool) -> DeadFile:
    path, verdict, says, confidence = row
    proof = evaluation.solution.explain(goal, row) if why else None
    return DeadFile(str(path), str(verdict), str(says), int(confidence), proof)
