"""Merge suggestions: groups of copied functions, the template of each, and what `programs/clones/merge.dl` says of it.

Nothing is edited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ce.app.copies import Place, unit_of
from ce.app.evaluation import Options, evaluate
from ce.app.merge_groups import CopyGroup, copy_groups, enclosing_groups
from ce.app.project import Project
from ce.app.report import Degraded
from ce.diagnostics import CeError
from ce.verdicts.family import RulesFile, program_text

if TYPE_CHECKING:
    from ce.app.merge_templates import MeasuredGroup
    from ce.datalog import Solution
    from ce.datalog.proof import ProofNode

__all__ = ["Filling", "MergeCopy", "MergeGroup", "MergeHole", "MergeReport", "suggest_merges"]


@dataclass(frozen=True, slots=True)
class MergeCopy:
    """A copy: its place and key. `left_out` says why it is not compared: `unread` or `too_large`; empty when it is."""

    place: Place
    key: str
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Filling:
    """What stands in a hole in one copy: the line of its first place, and the text."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class MergeHole:
    """A hole of a template: the kinds of its places, and how it is filled (`name`, `renamed`, `documentation`, `parameter`, or empty for
    an open one). `captured` are names of the function that it uses. `fillings` has an entry for every copy that is compared.
    """

    number: int
    kinds: tuple[str, ...]
    places: int
    filled: str
    captured: tuple[str, ...]
    fillings: tuple[Filling, ...]


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """A group of copies. `kind` is `T2` (one tree) or `T3` (nearly one); `number` counts from 1, in the order of the report.

    `verdict` is `mergeable`, `by_hand` or `not_judged`; `reasons` are (hole, why), hole 0 for the group. `suggestion` is a text for a
    group of Python functions that can be merged, else empty. `elsewhere` are names of the template that mean different things in the
    modules of the copies. `is_shown` is False for what saves no line or goes with a larger group.
    """

    number: int
    kind: str
    language: str
    copies: tuple[MergeCopy, ...]
    verdict: str
    reasons: tuple[tuple[int, str], ...]
    holes: tuple[MergeHole, ...]
    lines: int
    template_lines: int
    saved: int
    template: str
    suggestion: str
    elsewhere: tuple[str, ...]
    is_shown: bool
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The reply to `ce merge`: all groups in order; `counts` by verdict, and what is not shown."""

    root: str
    groups: tuple[MergeGroup, ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


_RANK = {"mergeable": 0, "by_hand": 1, "not_judged": 2}


def suggest_merges(project: Project, *, paths: Sequence[str] = (), why: bool = False, options: Options) -> MergeReport:
    """Return every group of copied functions with its template and verdict; with `paths`, those with a copy in one of them.

    `paths` are relative to the root. Raises CeError (CE633) when the templates are too many to judge.
    """
    from ce.app.merge_templates import measure_groups

    question = "?- copied(U, V, How).\n?- N = count(U : unit_kind(U, fn)).\n"
    rules = (RulesFile(*program_text("clones/copied_units.dl"), None), RulesFile("merge", question, None))
    evaluation = evaluate(project, rules, options=options)
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return MergeReport(project.shown, (), {}, evaluation.index, evaluation.degraded, evaluation.problems, empty)
    copied, functions = (goal.predicate for goal in evaluation.goals)
    groups = copy_groups((str(u), str(v), str(how)) for u, v, how in evaluation.solution.values(copied))
    measured = measure_groups(project.root, tuple(group for group in groups if _is_in(group, paths)))
    judgement = _Judgement(_solve(measured, options), why)
    ordered = _ordered(judgement.report(number, group) for number, group in enumerate(measured))
    counts = {"functions": int(evaluation.solution.values(functions)[0][0]), **_counts(ordered)}
    return MergeReport(project.shown, ordered, counts, evaluation.index, None, evaluation.problems, empty)


def _is_in(group: CopyGroup, paths: Sequence[str]) -> bool:
    places = [unit_of(unit)[0].path for unit in group.units]
    return not paths or any(path in ("", place) or place.startswith(f"{path}/") for place in places for path in paths)


def _solve(measured: Sequence[MeasuredGroup], options: Options) -> Solution:
    from ce.datalog import Database, solve
    from ce.datalog.checks import check
    from ce.datalog.parse import parse

    source, text = program_text("clones/merge.dl")
    checked = check(parse(text, source))
    facts: dict[str, list[tuple[int | str, ...]]] = {name: [] for name in _FACTS}
    for number, group in enumerate(measured):
        for name, rows in group.facts(number).items():
            facts[name] += rows
    inside, part = enclosing_groups([group.group for group in measured])
    facts["merge_inside"] += inside
    facts["merge_part"] += part
    database = Database.from_rows(facts, {name: checked.relations[name].sorts for name in facts})
    solution = solve(checked, database, engine=options.engine)
    if solution.degraded is not None:
        raise CeError.of("CE633", f"the merges could not be judged: {solution.degraded.message}")
    return solution


class _Judgement:
    """The answers of the program by group."""

    def __init__(self, solution: Solution, why: bool) -> None:
        self._solution = solution
        self._why = why
        self._verdict = {int(group): str(verdict) for group, verdict in solution.values("verdict")}
        self._saved = {int(group): int(lines) for group, lines in solution.values("saved")}
        self._shown = {int(group) for (group,) in solution.values("shown")}
        self._reasons: dict[int, list[tuple[int, str]]] = {}
        for group, hole, reason in solution.values("reason"):
            self._reasons.setdefault(int(group), []).append((int(hole), str(reason)))
        self._filled = {(int(group), int(hole)): str(how) for group, hole, how in solution.values("filled")}

    def report(self, number: int, group: MeasuredGroup) -> MergeGroup:
        """Return a group as it is reported."""
        verdict = self._verdict[number]
        holes = tuple(self._holes(number, group))
        copies = tuple(MergeCopy(*unit_of(label), group.left_out.get(label, "")) for label in group.group.units)
        proof = self._solution.explain("verdict", (number, verdict)) if self._why else None
        return MergeGroup(
            number=0,
            kind=group.group.kind,
            language=group.distinct[0].language if group.distinct else "",
            copies=copies,
            verdict=verdict,
            reasons=tuple(sorted(self._reasons.get(number, ()))),
            holes=holes,
            lines=group.lines[0],
            template_lines=group.lines[1],
            saved=self._saved.get(number, 0),
            template=group.text,
            suggestion=group.suggestion({hole.number: hole.filled for hole in holes}) if verdict == "mergeable" else "",
            elsewhere=() if group.measured is None else tuple(group.measured.elsewhere),
            is_shown=number in self._shown,
            proof=proof,
        )

    def _holes(self, number: int, group: MeasuredGroup) -> Iterator[MergeHole]:
        if group.template is None or group.measured is None:
            return
        kinds: dict[int, set[str]] = {}
        for place in group.measured.places:
            kinds.setdefault(place.hole, set()).add(place.kind)
        names: dict[int, set[str]] = {}
        for number_of_hole, _, name, _ in group.measured.captured:
            names.setdefault(number_of_hole, set()).add(name)
        fillings = group.fillings()
        for hole in group.template.holes:
            yield MergeHole(
                hole.number,
                tuple(sorted(kinds[hole.number])),
                hole.places,
                self._filled.get((number, hole.number), ""),
                tuple(sorted(names.get(hole.number, ()))),
                tuple(Filling(*filling) for filling in fillings[hole.number]),
            )


def _ordered(groups: Iterable[MergeGroup]) -> tuple[MergeGroup, ...]:
    """Return the groups with their numbers: what can be merged first, what saves most first."""
    ranked = sorted(groups, key=lambda group: (not group.is_shown, _RANK[group.verdict], -group.saved, group.copies[0].place, group.kind))
    return tuple(replace(group, number=number) for number, group in enumerate(ranked, 1))


def _counts(groups: Sequence[MergeGroup]) -> dict[str, int]:
    shown = [group for group in groups if group.is_shown]
    return {
        "groups": len(groups),
        "copies": len({(copy.place, copy.key) for group in groups for copy in group.copies}),
        **{verdict: sum(group.verdict == verdict for group in shown) for verdict in _RANK},
        "saved": sum(group.saved for group in shown if group.verdict == "mergeable"),
        "no_savings": sum((0, "no_savings") in group.reasons for group in groups),
        "left_out": len(groups) - len(shown),
        "copies_left_out": sum(bool(copy.left_out) for group in groups for copy in group.copies),
    }


_FACTS = (
    "merge_group", "merge_left_out", "merge_place", "merge_plain", "merge_captured", "merge_clash", "merge_acts", "merge_closes",
    "merge_elsewhere", "merge_receives", "merge_home", "merge_broken", "merge_inside", "merge_part",
)  # fmt: skip
