"""The names that no root reaches, as `programs/deadcode/` judges them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ce.app.deadcode import file_report
from ce.app.evaluation import Options, evaluate
from ce.app.name_programs import name_programs
from ce.app.project import Project
from ce.app.proofs import Proofs
from ce.app.report import DeadName, NamesReport
from ce.diagnostics import CeError
from ce.verdicts.family import DEAD_NAMES, DEADCODE, RulesFile, program_text

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation

__all__ = ["TIERS", "find_dead_names", "refuse_rootless"]

TIERS = ("certain", "likely", "review", "public", "test_only")

_Row = tuple[int | str, ...]


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
    evaluation = evaluate(project, (files, *programs, questions), options=options)
    proofs = Proofs(evaluation.solution) if why and evaluation.degraded is None else None
    report = file_report(project, evaluation, proofs)
    if report.degraded is not None:
        return NamesReport(report, ())
    names = _Names(evaluation)
    refuse_rootless(*names.census)
    symbols = names.symbols(tiers, proofs)
    counts = dict(names.counts)
    if proofs is not None:
        report = replace(report, counts={**report.counts, "proofs_omitted": proofs.omitted})
    found = NamesReport(report, symbols, counts, names.apart, useless=names.useless)
    return found if opened is None else apply_name_baseline(project, found, opened, names.all(TIERS), write=write_baseline)


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


class _Names:
    """What the goals about names say."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._solution = evaluation.solution
        self._goals = [goal.predicate for goal in evaluation.goals[len(DEADCODE.questions) :]]
        self._rows = self._values(0)
        self._islands = self._one_each(2)
        self._tests = self._one_each(3)

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of names, and of dead ones by tier."""
        tiers = Counter(str(row[1]) for row in self._rows)
        names = self.census[0]
        return {"names": int(names), **{tier: tiers.get(tier, 0) for tier in TIERS}}

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

    def symbols(self, tiers: Collection[str], proofs: Proofs | None) -> tuple[DeadName, ...]:
        """Return the dead names of the tiers by path, line and name."""
        goal = self._goals[1]
        found = self.all(tiers)
        if proofs is None:
            return found
        return tuple(replace(each, proof=proofs.explain(goal, (each.symbol, each.tier))) for each in found)

    def all(self, tiers: Collection[str]) -> tuple[DeadName, ...]:
        """Return the dead names of the tiers without proofs."""
        found = [self._name(row) for row in self._rows if row[1] in tiers]
        return tuple(sorted(found, key=lambda each: (each.path, each.line, each.qualified, each.symbol)))

    def _name(self, row: _Row) -> DeadName:
        symbol, tier, why, name, qualified, kind, file, start, end = row
        label = str(symbol)
        return DeadName(
            label, str(name), str(qualified), str(kind), str(file), int(start), int(end), str(tier), str(why),
            self._islands.get(label), self._tests.get(label),
        )  # fmt: skip

    def _one_each(self, goal: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for symbol, other in self._values(goal):
            found.setdefault(str(symbol), str(other))
        return found

    def _values(self, goal: int) -> list[_Row]:
        return self._solution.values(self._goals[goal])
