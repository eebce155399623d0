"""The names that no root reaches, as `programs/deadcode/` judges them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ce.app.deadcode import FileAnswer, file_document, file_proofs, file_report, read_files
from ce.app.kept import kept_answer
from ce.app.kept_proofs import decode_proofs, encode_proofs
from ce.app.kept_values import number_of, text_of, text_or_none
from ce.app.name_programs import name_programs
from ce.app.project import Project
from ce.app.report import DeadName, NamesReport
from ce.diagnostics import CeError
from ce.verdicts.family import DEAD_NAMES, DEADCODE, RulesFile, program_text

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation, Options
    from ce.datalog.proof import ProofNode

__all__ = ["TIERS", "find_dead_names", "refuse_rootless"]

TIERS = ("certain", "likely", "review", "public", "test_only")

_Row = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the questions about files and names say; `names` are the dead names of all tiers by path, line and name."""

    files: FileAnswer
    names: tuple[DeadName, ...]
    number: int
    apart: Mapping[str, int]
    useless: tuple[str, ...]


def find_dead_names(
    project: Project,
    *,
    why: bool = False,
    tiers: Collection[str] = TIERS,
    options: Options,
    baseline: str | None = None,
    write_baseline: bool = False,
) -> NamesReport:
    """Return every dead file and every dead name of the tiers, with proofs when `why`.

    Raises CeError when nothing begins anywhere (CE991): then nothing can be told dead from alive.
    """
    from ce.app.name_baseline import apply_name_baseline, open_name_baseline

    opened = None if baseline is None else open_name_baseline(project, baseline, write=write_baseline)
    programs = name_programs(project)
    questions = RulesFile(DEADCODE.name, "\n".join((*DEADCODE.questions, *DEAD_NAMES.questions)), None)
    files = RulesFile(*program_text(DEADCODE.program), None)
    # Without proofs the answer has all tiers, whichever are shown; proofs are made for those that are, within one budget.
    proved = [tier for tier in TIERS if tier in tiers] if why else None
    variant = "" if proved is None else f"why {' '.join(proved)}"
    make = partial(_document, proved=proved)
    kept = kept_answer(project, (files, *programs, questions), make, read=_read, variant=variant, options=options)
    answer = kept.document
    if answer is None:
        return NamesReport(file_report(project, kept, None), ())
    told = Counter(each.tier for each in answer.names)
    counts = {"names": answer.number, **{tier: told.get(tier, 0) for tier in TIERS}}
    shown = tuple(each for each in answer.names if each.tier in tiers)
    found = NamesReport(file_report(project, kept, answer.files), shown, counts, answer.apart, useless=answer.useless)
    return found if opened is None else apply_name_baseline(project, found, opened, answer.names, write=write_baseline)


def refuse_rootless(names: int | str, begun: int | str) -> None:
    """Raise CeError (CE991) when there are names and nothing begins."""
    if names and not begun:
        raise CeError.of(
            "CE991",
            "no root was found: nothing starts any file, so nothing can be told dead from alive",
            notes=(
                "name what is started in `[graph] entry_globs` of ce.toml, or in the scripts of the manifest",
                'of a library say so: `[project] kind = "library"` in ce.toml',
                "`ce query 'role(F, R)'` shows what gives a file its role",
            ),
        )


def _document(evaluation: Evaluation, *, proved: Collection[str] | None) -> list[object]:
    """Return the answer as JSON values, with proofs of the files and of the names of the tiers in `proved`.

    Raises CeError (CE991).
    """
    from ce.app.proofs import Proofs

    names = _Names(evaluation)
    refuse_rootless(*names.census)
    proofs = None if proved is None else Proofs(evaluation.solution)
    rows = names.rows()
    found = file_proofs(evaluation, proofs)
    found += [None if proofs is None or row[1] not in (proved or ()) else proofs.explain(names.verdict, row[:2]) for row in rows]
    return [
        file_document(evaluation, proofs),
        [[*row, names.islands.get(str(row[0])), names.tests.get(str(row[0]))] for row in rows],
        names.census[0],
        list(names.apart.items()),
        names.useless,
        encode_proofs(found),
    ]


def _read(document: Any) -> _Answer:
    files, rows, number, apart, useless, encoded = document
    proofs = decode_proofs(encoded)
    parted = len(proofs) - len(rows)
    names = tuple(_name(row, proof) for row, proof in zip(rows, proofs[parted:], strict=True))
    reasons = {text_of(why): number_of(count) for why, count in apart}
    return _Answer(read_files(files, proofs[:parted]), names, number_of(number), reasons, tuple(map(text_of, useless)))


def _name(row: Any, proof: ProofNode | None) -> DeadName:
    symbol, tier, why, name, qualified, kind, file, start, end, island, test = row
    return DeadName(
        text_of(symbol), text_of(name), text_of(qualified), text_of(kind), text_of(file), number_of(start), number_of(end), text_of(tier),
        text_of(why), text_or_none(island), text_or_none(test), proof,
    )  # fmt: skip


class _Names:
    """What the goals about names say."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._solution = evaluation.solution
        self._goals = [goal.predicate for goal in evaluation.goals[len(DEADCODE.questions) :]]
        self.verdict = self._goals[1]
        self.islands = self._one_each(2)
        self.tests = self._one_each(3)

    def rows(self) -> list[_Row]:
        """Return the dead names of all tiers with what is shown of them, by path, line, qualified name and symbol."""
        return sorted(self._values(0), key=lambda row: (row[6], row[7], row[4], row[0]))

    @property
    def apart(self) -> Mapping[str, int]:
        """Return how many files are not reported, by the first reason of each."""
        reasons: dict[str, str] = {}
        for file, why in self._values(4):
            reasons.setdefault(str(file), str(why))
        return dict(sorted(Counter(reasons.values()).items()))

    @property
    def useless(self) -> tuple[str, ...]:
        """Return what keeps nothing that would be dead without it, in words."""
        entries = [f"`[deadcode] allow` names `{name}`, which is no dead name" for (name,) in self._values(6)]
        return (*entries, *(f"`ce:allow(deadcode)` at {file}:{line} keeps nothing" for file, line in self._values(7)))

    @property
    def census(self) -> _Row:
        """Return the number of names, and of files where something begins."""
        (row,) = self._values(5)
        return row

    def _one_each(self, goal: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for symbol, other in self._values(goal):
            found.setdefault(str(symbol), str(other))
        return found

    def _values(self, goal: int) -> list[_Row]:
        return self._solution.values(self._goals[goal])
