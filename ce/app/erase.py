"""The eraser as a use case: plan, apply a plan, say why a file stays, read the log, recover."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ce.app.erase_ties import Ties
from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.project import Project
from ce.app.report import Degraded
from ce.diagnostics import CeError
from ce.erase.apply import apply_rows, is_unfinished
from ce.erase.candidates import CodeTwin, DeadFile, ProseTwin, Sources, candidates_of, group_functions
from ce.erase.judge import certify, judge
from ce.erase.model import CLASSES, Candidate, Plan, PlanRow, row_order
from ce.verdicts.family import RulesFile, program_text

if TYPE_CHECKING:
    from ce.datalog.proof import ProofNode

__all__ = ["EraseReport", "WhyKept", "apply_plan", "plan_erase", "read_plan", "why_kept"]

_VERIFY_SECONDS = 3600
_SHOWN_BYTES = 1 << 16
_DOUBTFUL = 5  # which query of candidates.dl tells of unresolved references
_Row = tuple[int | str, ...]

_UNFINISHED = ("an apply of this tree did not end, so it may be half erased: `ce erase --recover` brings it to one state",)


@dataclass(frozen=True, slots=True)
class EraseReport:
    """A plan, the candidates it was judged from, and the bytes of a file as they were planned on.

    `dead` are the dead files, planned or not, and `unresolved` the number of unresolved references by file. `unfinished` says that an
    apply did not end, so that the plan may be one of a half-erased tree.
    """

    root: str
    plan: Plan
    candidates: tuple[Candidate, ...]
    read: Callable[[str], bytes | None]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool
    dead: frozenset[str] = frozenset()
    unresolved: Mapping[str, int] = field(default_factory=dict)
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class WhyKept:
    """Why a path is not in the plan: the row that was refused, or the proof that the file is alive, or what it is instead."""

    path: str
    sentence: str
    row: PlanRow | None = None
    proof: ProofNode | None = None


def plan_erase(project: Project, *, options: Options) -> EraseReport:
    """Return the plan of a tree; nothing but the index is written.

    Raises CeError when the families could not be judged (CE722): a plan over half the truth is none.
    """
    unfinished = is_unfinished(project.root)
    evaluation = _evaluate(project, options)
    empty = evaluation.index.get("files", 0) == 0
    notes = (*_UNFINISHED, *evaluation.problems) if unfinished else evaluation.problems
    if evaluation.degraded is not None:
        return EraseReport(project.shown, Plan(()), (), lambda _: None, evaluation.index, evaluation.degraded, notes, empty)
    read = _reader(project)
    sources = _sources(project, evaluation, read)
    candidates, out_of_class = candidates_of(sources)
    doubtful = evaluation.solution.values(evaluation.goals[_DOUBTFUL].predicate)
    return EraseReport(
        project.shown,
        Plan(judge(candidates), out_of_class),
        candidates,
        read,
        evaluation.index,
        None,
        notes,
        empty and not candidates,
        frozenset(file.path for file in sources.dead),
        {str(file): int(sites) for _, file, sites in doubtful},
        unfinished,
    )


def apply_plan(project: Project, *, saved: Sequence[PlanRow] | None = None, options: Options) -> tuple[Plan, str | None]:
    """Erase what the plan of now, or a saved one, licenses; return the rows erased and the digest, None when there was nothing.

    Raises CeError: CE701 to CE712 of the apply, CE722 when the families could not be judged. A saved row that moved or that nothing
    licenses now is refused by name, and nothing is touched.
    """
    from ce.source.settings import load_settings

    report = plan_erase(project, options=options)
    _refuse_degraded(report)
    rows = report.plan.eraseable if saved is None else _chosen(saved, report.plan)
    if not rows:
        return Plan(()), None
    verify = load_settings(project.root).erase.verify

    def settle() -> str | None:
        again = plan_erase(project, options=options)
        if again.degraded is not None:
            return f"the tree could not be judged again: {again.degraded.message}"
        applied = {(row.kind, row.path) for row in rows}
        left = next((row for row in again.plan.eraseable if (row.kind, row.path) in applied), None)
        if left is not None:
            return f"erase did not converge: `{left.path}` ({left.kind}) is planned again"
        return _bereft(report, again) or _verified(project.root, verify)

    digest = apply_rows(project.root, rows, certify=lambda: certify(report.candidates, rows), settle=settle)
    return Plan(rows), digest


def read_plan(path: Path) -> tuple[PlanRow, ...]:
    """Return the rows of a saved `ce.erase/1` document. Raises CeError (CE723) naming what is wrong with it."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CeError.of("CE723", f"`{path}` cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise CeError.of("CE723", f"`{path}` is no plan: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != "ce.erase/1" or not isinstance(document.get("rows"), list):
        raise CeError.of(
            "CE723", f"`{path}` is no plan: a document `ce.erase/1` is wanted", notes=["`ce erase --format json > FILE` saves one"]
        )
    rows = tuple(_saved_row(path, number, row) for number, row in enumerate(document["rows"]))
    targets: dict[tuple[str, tuple[int, int] | None], int] = {}
    for number, row in enumerate(rows):
        if (first := targets.setdefault((row.path, row.span), number)) != number:
            raise CeError.of("CE723", f"`{path}` is no plan: rows {first} and {number} have one target; a plan has one row for each")
    return rows


def why_kept(project: Project, path: str, *, options: Options) -> WhyKept:
    """Return why a path is not eraseable, down to the chain of references that keeps it alive."""
    report = plan_erase(project, options=options)
    _refuse_degraded(report)
    rows = [row for row in report.plan.rows if row.path == path]
    if any(row.eraseable for row in rows):
        return WhyKept(path, "it is eraseable", next(row for row in rows if row.eraseable))
    if rows:
        return WhyKept(path, f"it is a candidate and refused: {rows[0].reason}", rows[0])
    question = f'?- reach("{path}").\n?- lang("{path}", L).\n' if '"' not in path and "\n" not in path else ""
    if question:
        evaluation = evaluate(project, (RulesFile("question", question, None),), options=options)
        reached, known = (goal.predicate for goal in evaluation.goals)
        if evaluation.solution.count(reached):
            row = evaluation.solution.values(reached)[0]
            return WhyKept(path, "it is alive", None, evaluation.solution.explain(reached, row))
        if evaluation.solution.count(known):
            return WhyKept(path, "it is no dead file, no copy of a live unit, and no duplicate prose")
    return WhyKept(path, "no measured file has this path; `ce query 'skipped(F, Why)'` lists what is left out and why")


def _evaluate(project: Project, options: Options) -> Evaluation:
    return evaluate(project, (RulesFile(*program_text("erase/candidates.dl"), None),), options=options)


def _sources(project: Project, evaluation: Evaluation, read: Callable[[str], bytes | None]) -> Sources:
    dead_rows, prose, code, functions, run_time, doubtful, languages, refers = (
        evaluation.solution.values(goal.predicate) for goal in evaluation.goals
    )
    dead = tuple(DeadFile(str(f), str(verdict), str(why), int(confidence)) for f, verdict, why, confidence in dead_rows)
    unresolved: dict[str, int] = {}
    for language, _, sites in doubtful:
        unresolved[str(language)] = unresolved.get(str(language), 0) + int(sites)
    sites_of: dict[str, list[tuple[str, int]]] = {}
    for site, line, file in run_time:
        sites_of.setdefault(str(file), []).append((str(site), int(line)))
    return Sources(
        dead=dead,
        prose=tuple(map(_prose_twin, prose)),
        code=tuple(map(_code_twin, code)),
        functions=group_functions((str(f), str(key), int(first), int(lines)) for f, key, first, lines in functions),
        languages={str(file): str(language) for file, language in languages},
        unresolved=unresolved,
        run_time_sites=sites_of,
        mentions=_mentions(project, dead),
        read=read,
        parses=_parses,
        is_splittable=_is_splittable,
        ties=Ties(project.root, {str(file): str(language) for file, language in languages}, refers, read).of,
    )


def _prose_twin(row: _Row) -> ProseTwin:
    f, start, end, kind, words, g, first, last, other, count, inter, union, verbatim = row
    a = (str(f), int(start), int(end), str(kind), int(words))
    b = (str(g), int(first), int(last), str(other), int(count))
    return ProseTwin(a, b, int(inter), int(union), int(verbatim))


def _code_twin(row: _Row) -> CodeTwin:
    f, start, end, g, first, last, tokens, kind = row
    return CodeTwin((str(f), int(start), int(end)), (str(g), int(first), int(last)), int(tokens), str(kind))


def _mentions(project: Project, dead: Sequence[DeadFile]) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """Return who names a dead file: every text file that is not dead itself, configuration and hidden files too, and symbolic links."""
    from ce.app.mentions import mentions_of
    from ce.source.settings import load_settings
    from ce.source.walk import walk

    settings = load_settings(project.root)
    tree = walk(project.root, settings)
    targets = {file.path for file in dead}
    files = [path for path in (*tree.paths, *(reader.file.path for reader in tree.readers)) if path not in targets]
    found = dict(mentions_of(project.root, targets, sorted(files), settings.limits.max_file_bytes))
    for link, end in tree.links:
        # Whoever opens the link opens the file, under a name that no text need spell.
        for target in targets:
            if target == end or target.startswith(end + "/"):
                found[target] = (*found.get(target, ()), (link, 1))
    return found


def _reader(project: Project) -> Callable[[str], bytes | None]:
    from ce.source.settings import load_settings
    from ce.source.text import read_file

    limit = load_settings(project.root).limits.max_file_bytes

    def read(path: str) -> bytes | None:
        data = read_file(project.root, path, limit=limit)
        return data if isinstance(data, bytes) else None

    return read


def _parses(path: str, before: bytes, after: bytes) -> bool:
    from ce.extract.measures.soundness import syntax_errors

    was, now = syntax_errors(path, before), syntax_errors(path, after)
    return was is not None and now is not None and now <= was


def _is_splittable(data: bytes) -> bool:
    from ce.source.text import decode

    # The lines of other encodings are not the lines of their bytes.
    return not decode(data).encoding.startswith(("utf-16", "utf-32", "binary"))


def _bereft(before: EraseReport, after: EraseReport) -> str | None:
    """Return what lost something by the erase: nothing that was alive may be dead now, and no reference lead nowhere."""
    died = sorted(after.dead - before.dead)
    if died:
        return f"`{died[0]}` was alive and is dead now"
    lost = next((path for path, sites in sorted(after.unresolved.items()) if sites > before.unresolved.get(path, 0)), None)
    return None if lost is None else f"`{lost}` holds a reference that leads nowhere now"


def _verified(root: Path, command: str) -> str | None:
    if not command:
        return None
    # Into a file: a pipe would be waited for until everything that the command left running in the background has ended, too.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                shlex.split(command), cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        except (OSError, ValueError, IndexError) as error:
            return f"`{command}` cannot be started: {error}"
        try:
            status = process.wait(_VERIFY_SECONDS)
        except subprocess.TimeoutExpired:
            return f"`{command}` took longer than {_VERIFY_SECONDS} s"
        finally:
            # What it left running must not write into a tree that is taken back.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if status == 0:
            return None
        output.seek(max(0, output.seek(0, os.SEEK_END) - _SHOWN_BYTES))
        last = output.read().decode("utf-8", "replace").strip().splitlines()[-1:]
    return f"`{command}` ended with status {status}{f': {last[0]}' if last else ''}"


def _chosen(saved: Sequence[PlanRow], plan: Plan) -> tuple[PlanRow, ...]:
    """Return the rows that a saved plan wants carried out, in the words of the plan of now where that has them.

    Of a saved row only the target, the class and the hash count: what it says about itself is not what the log shall say.
    """
    now = {row_order(row): row for row in plan.rows}
    wanted = [row for row in saved if row.eraseable]
    return tuple(replace(now[key], eraseable=True, hash=row.hash) if (key := row_order(row)) in now else row for row in wanted)


def _refuse_degraded(report: EraseReport) -> None:
    if report.degraded is not None:
        raise CeError.of("CE722", f"the tree could not be judged, so nothing is planned: {report.degraded.message}")


def _saved_row(path: Path, number: int, row: Any) -> PlanRow:
    fault = CeError.of("CE723", f"`{path}` is no plan: row {number} is malformed")
    if not isinstance(row, dict) or row.get("class") not in CLASSES:
        raise fault
    if row["class"] == CLASSES[0]:
        raise CeError.of("CE723", f"`{path}`: row {number} has the retired class 0, which no plan may hold")
    texts = [row.get(name) for name in ("path", "reason", "provenance", "hash")]
    span = row.get("span")
    if not all(isinstance(text, str) for text in texts) or not isinstance(row.get("eraseable"), bool) or type(row.get("sites")) is not int:
        raise fault
    if span is not None and not (isinstance(span, list) and len(span) == 2 and all(type(line) is int and line > 0 for line in span)):
        raise fault
    where = None if span is None else (span[0], span[1])
    return PlanRow(row["class"], row["path"], where, row["eraseable"], row["reason"], row["provenance"], row["sites"], row["hash"])
