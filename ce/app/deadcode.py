"""The files that no entry reaches, as `programs/deadcode/` judges them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ce.app.kept import kept_answer
from ce.app.kept_proofs import decode_proofs, encode_proofs
from ce.app.kept_values import number_of, text_of
from ce.app.project import Project
from ce.app.report import DeadcodeReport, DeadFile
from ce.verdicts.family import DEADCODE, RulesFile, program_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ce.app.evaluation import Evaluation, Options
    from ce.app.kept import Kept
    from ce.app.proofs import Proofs
    from ce.datalog.proof import ProofNode

__all__ = ["VERDICTS", "FileAnswer", "file_document", "file_proofs", "file_report", "find_dead", "read_files"]

VERDICTS = ("unref_private", "unref_public", "unreach_private", "unreach_public")


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """What the questions of the family say of the files of a tree."""

    dead: tuple[DeadFile, ...]
    unresolved_sites: int
    files: int
    entries: int
    facts: int
    derived: int
    proofs_omitted: int


def find_dead(project: Project, *, why: bool = False, options: Options) -> DeadcodeReport:
    """Return every dead file with its verdict, with its proof when `why`."""
    program = RulesFile(*program_text(DEADCODE.program), None)
    questions = RulesFile(DEADCODE.name, "\n".join(DEADCODE.questions), None)
    make = partial(_document, why=why)
    kept = kept_answer(project, (program, questions), make, read=_read, variant="why" if why else "", options=options)
    return file_report(project, kept, kept.document)


def file_proofs(evaluation: Evaluation, proofs: Proofs | None) -> list[ProofNode | None]:
    """Return the proofs of the dead files, in the order of the rows."""
    goal = evaluation.goals[0].predicate
    return [None if proofs is None else proofs.explain(goal, row) for row in evaluation.solution.values(goal)]


def file_document(evaluation: Evaluation, proofs: Proofs | None) -> list[object]:
    """Return what the first goals of an evaluation, the questions of the family, say of the files, as JSON values but for proofs."""
    solution = evaluation.solution
    dead, sites, census = (solution.values(goal.predicate) for goal in evaluation.goals[: len(DEADCODE.questions)])
    return [dead, *sites[0], *census[0], evaluation.facts, solution.derived, 0 if proofs is None else proofs.omitted]


def read_files(document: Any, proofs: Sequence[ProofNode | None]) -> FileAnswer:
    """Return the answer of a document, a proof for each row. Raises ValueError, TypeError or IndexError for anything else."""
    rows, *numbers = document
    dead = (_dead_file(row, proof) for row, proof in zip(rows, proofs, strict=True))
    return FileAnswer(tuple(dead), *map(number_of, numbers))


def file_report(project: Project, kept: Kept, answer: FileAnswer | None) -> DeadcodeReport:
    """Return the report on the files; without an answer a limit was crossed."""
    empty = kept.index.get("files", 0) == 0
    if answer is None:
        return DeadcodeReport(project.shown, (), {}, kept.index, 0, kept.degraded, kept.problems, empty)
    counts = {"files": answer.files, "entries": answer.entries, "dead": len(answer.dead)}
    counts |= {verdict: sum(file.verdict == verdict for file in answer.dead) for verdict in VERDICTS}
    counts |= {"facts": answer.facts, "derived": answer.derived, "proofs_omitted": answer.proofs_omitted}
    notes = kept.problems
    if answer.files and not answer.entries:
        notes += ("no file is an entry, so nothing is reached; name entries in `[graph] entry_globs` of ce.toml",)
    return DeadcodeReport(project.shown, answer.dead, counts, kept.index, answer.unresolved_sites, None, notes, empty)


def _document(evaluation: Evaluation, *, why: bool) -> list[object]:
    from ce.app.proofs import Proofs

    proofs = Proofs(evaluation.solution) if why else None
    found = encode_proofs(file_proofs(evaluation, proofs))
    return [file_document(evaluation, proofs), found]


def _read(document: Any) -> FileAnswer:
    files, proofs = document
    return read_files(files, decode_proofs(proofs))


def _dead_file(row: Any, proof: ProofNode | None) -> DeadFile:
    path, verdict, says, confidence = row
    return DeadFile(text_of(path), text_of(verdict), text_of(says), number_of(confidence), proof)
