"""The files that no entry reaches, as `programs/deadcode/` judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.app.evaluation import Options, evaluate
from ce.app.project import Project
from ce.app.proofs import Proofs
from ce.app.report import DeadcodeReport, DeadFile
from ce.verdicts.family import DEADCODE, RulesFile, program_text

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation
    from ce.datalog.proof import ProofNode

__all__ = ["VERDICTS", "file_report", "find_dead"]

VERDICTS = ("unref_private", "unref_public", "unreach_private", "unreach_public")


def find_dead(project: Project, *, why: bool = False, options: Options) -> DeadcodeReport:
    """Return every dead file with its verdict, with its proof when `why`."""
    program = RulesFile(*program_text(DEADCODE.program), None)
    questions = RulesFile(DEADCODE.name, "\n".join(DEADCODE.questions), None)
    evaluation = evaluate(project, (program, questions), options=options)
    return file_report(project, evaluation, Proofs(evaluation.solution) if why and evaluation.degraded is None else None)


def file_report(project: Project, evaluation: Evaluation, proofs: Proofs | None) -> DeadcodeReport:
    """Return what the first goals of an evaluation, the questions of the family, say of the files."""
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return DeadcodeReport(project.shown, (), {}, evaluation.index, 0, evaluation.degraded, evaluation.problems, empty)
    dead_goal, sites_goal, census_goal = (goal.predicate for goal in evaluation.goals[: len(DEADCODE.questions)])
    rows = evaluation.solution.values(dead_goal)
    dead = tuple(_dead_file(row, None if proofs is None else proofs.explain(dead_goal, row)) for row in rows)
    ((sites,),) = evaluation.solution.values(sites_goal)
    ((files, entries),) = evaluation.solution.values(census_goal)
    counts = {"files": int(files), "entries": int(entries), "dead": len(dead)}
    counts |= {verdict: sum(file.verdict == verdict for file in dead) for verdict in VERDICTS}
    counts |= {"facts": evaluation.facts, "derived": evaluation.solution.derived, "proofs_omitted": 0 if proofs is None else proofs.omitted}
    notes = evaluation.problems
    if files and not entries:
        notes += ("no file is an entry, so nothing is reached; name entries in `[graph] entry_globs` of ce.toml",)
    return DeadcodeReport(project.shown, dead, counts, evaluation.index, int(sites), None, notes, empty)


def _dead_file(row: tuple[int | str, ...], proof: ProofNode | None) -> DeadFile:
    path, verdict, says, confidence = row
    return DeadFile(str(path), str(verdict), str(says), int(confidence), proof)
