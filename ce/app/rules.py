"""Every assertion of a rules file, judged over a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.project import DEFAULT_RULES, Project, rules_files
from ce.app.query import report
from ce.app.report import Report

if TYPE_CHECKING:
    from ce.app.baseline import Baseline
    from ce.verdicts.family import RulesFile

__all__ = ["judge"]


def judge(
    project: Project, files: Sequence[str] | None = None, *, options: Options, baseline: str | None = None, write_baseline: bool = False
) -> Report:
    """Return the report on the rules files, by default the one of the settings; every violation carries its proof.

    Witnesses that a marker in the source exempts, or that the baseline knows, are told apart and are no violations. Without any
    rules file there is nothing to break: the report says so. Raises CeError when a file has a fault.
    """
    from ce.app.exemptions import marker_facts

    opened = None if baseline is None else _open(project, baseline, write=write_baseline)
    rules = rules_files(project, files)
    if not rules:
        return Report(project.shown, (), {"asserts": 0, "violations": 0}, {}, notes=_nothing_asserted(project))
    evaluation = evaluate(project, rules, options=options, beside=marker_facts)
    judged = report(project, evaluation)
    if judged.degraded is not None:
        return judged
    judged = _with_exemptions(evaluation, judged, rules)
    if opened is None:
        return judged
    from ce.app.baseline import apply_baseline

    return apply_baseline(project, evaluation, judged, opened, write=write_baseline)


def _nothing_asserted(project: Project) -> tuple[str, ...]:
    """Return what to do when no rules file was named and there is none to find."""
    note = f"no rules file: neither `[rules] file` in ce.toml nor `{DEFAULT_RULES}` at the root; nothing was asserted"
    found = [
        path.relative_to(project.root).as_posix() for path in sorted([*project.root.glob("*.rules"), *project.root.glob("rules/*.rules")])
    ]
    if not found:
        return (note, "begin with a shipped file, `ce rules --file no-cycles.rules`, or write your own `ce.rules`")
    there = ", ".join(f"`{path}`" for path in found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    here = f'`ce rules --file {found[0]}`, or `[rules] file = "{found[0]}"` in ce.toml'
    return (note, f"there is {there}: {here}; a file can `include` others, and `--file` can be given again")


def _with_exemptions(evaluation: Evaluation, judged: Report, rules: Sequence[RulesFile]) -> Report:
    """Return the report with what is exempt apart, and with warnings about what does nothing on this tree."""
    from ce.app.exemptions import exempted
    from ce.app.vacuity import silences

    goals, useless = exempted(evaluation, judged.goals)
    # A shipped file names directories that other trees have; only the user's own patterns must match.
    own = {file.source for file in rules if file.directory is not None}
    silent = useless if judged.empty else (*silences(evaluation.checked, evaluation.solution.database, own), *useless)
    counts = dict(judged.counts)
    exempt = sum(len(goal.exempted) for goal in goals)
    counts["violations"] -= exempt
    if exempt:
        counts["exempted"] = exempt
    return replace(judged, goals=goals, counts=counts, silent=silent, warnings=(*judged.warnings, *silent))


def _open(project: Project, name: str, *, write: bool) -> Baseline:
    from ce.app.baseline import open_baseline

    return open_baseline(project, name, write=write)
