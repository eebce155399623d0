"""Markers in the source that exempt witnesses of rules, decided by `programs/exemptions/exemptions.dl`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ce.app.report import Answer, Exempted, GoalReport
from ce.diagnostics import Diagnostic, Severity
from ce.verdicts.family import program_text
from ce.verdicts.witness import unit_key

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation

__all__ = ["exempted", "marker_facts"]

Rows = tuple[tuple[int | str, ...], ...]

_PROGRAM = "exemptions/exemptions.dl"
_SPAN = re.compile(r":(\d+)-(\d+)(?: |\Z)")


def marker_facts(names: Sequence[str | None], read: Callable[[str], Rows]) -> Mapping[str, Rows]:
    """Return the markers that name one of the rules, and the declarations of the files that hold one."""
    rules = {str(name) for name in names}
    markers = tuple((file, line, tag, why) for file, line, tag, why in read("allow") if _rule(tag) in rules)
    files = {file for file, *_ in markers}
    units = tuple(row for row in read("unit") if row[1] in files) if markers else ()
    return {"allow": markers, "unit": units}


def exempted(evaluation: Evaluation, goals: Sequence[GoalReport]) -> tuple[tuple[GoalReport, ...], tuple[Diagnostic, ...]]:
    """Return the goals with what markers exempt apart from their answers, and a warning for every marker that exempts nothing."""
    from ce.datalog.api import run

    markers = [(str(file), line, _rule(tag), str(why)) for file, line, tag, why in evaluation.beside.get("allow", ())]
    if not markers:
        return tuple(goals), ()
    asserted = [(goal, answer) for goal in goals if goal.kind == "assert" for answer in goal.answers]
    source, text = program_text(_PROGRAM)
    result = run(
        text,
        {
            "witness": [_witness(number, goal, answer) for number, (goal, answer) in enumerate(asserted) if answer.place is not None],
            "marker": markers,
            "unit_span": [_span(str(label), str(file)) for label, file in evaluation.beside.get("unit", ())],
        },
        source=source,
    )
    because: dict[int, Exempted] = {}
    for row, file, line, why in result["exempt"]:
        because.setdefault(int(row), Exempted(asserted[int(row)][1], f"{file}:{line}", str(why)))
    spelled = {(file, line, _rule(tag)): str(tag) for file, line, tag, _ in evaluation.beside["allow"]}
    useless = tuple(_warning(str(file), int(line), spelled[file, line, str(rule)]) for file, line, rule in result["useless"])
    numbers = iter(range(len(asserted)))
    return tuple(_apart(goal, because, [next(numbers) for _ in goal.answers] if goal.kind == "assert" else []) for goal in goals), useless


def _rule(tag: object) -> str:
    return str(tag).replace("-", "_")


def _witness(number: int, goal: GoalReport, answer: Answer) -> tuple[int | str, ...]:
    place = answer.place
    assert place is not None
    kind = "file" if not place.start else "unit" if {"unit", "symbol"}.intersection(goal.sorts) else "line"
    return number, str(goal.name), place.path, kind, place.start, place.end


def _span(label: str, file: str) -> tuple[int | str, ...]:
    found = _SPAN.match(label, len(file)) if unit_key(label) else None
    return (file, int(found[1]), int(found[2])) if found else (file, 0, 0)


def _apart(goal: GoalReport, because: Mapping[int, Exempted], numbers: Sequence[int]) -> GoalReport:
    if not numbers:
        return goal
    kept = tuple(answer for number, answer in zip(numbers, goal.answers, strict=True) if number not in because)
    return replace(goal, answers=kept, exempted=tuple(because[number] for number in numbers if number in because))


def _warning(file: str, line: int, tag: str) -> Diagnostic:
    # The line of a source file is not among the texts of the programs, so the sentence names the place.
    return Diagnostic(
        "CE953",
        f"`ce:allow({tag})` at {file}:{line} exempts nothing",
        notes=("remove the marker, or move it to what breaks the rule: into the declaration or on the line above",),
        severity=Severity.WARNING,
    )
