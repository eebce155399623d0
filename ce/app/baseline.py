"""A baseline for `ce rules`: read, compared with the witnesses of today, written when it may shrink."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ce.app.report import Answer, GoalReport, Report
from ce.diagnostics import CeError
from ce.verdicts import baseline
from ce.verdicts.positions import directions, line_columns
from ce.verdicts.witness import unit_key

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation
    from ce.app.project import Project

__all__ = ["Baseline", "apply_baseline", "open_baseline"]

_LARGEST = 64 << 20


class Baseline:
    """A baseline file: its entries, None when it does not exist yet and is to be written."""

    def __init__(self, path: Path, name: str, entries: tuple[baseline.Witness, ...] | None) -> None:
        """Take what `open_baseline` found."""
        self.name = name
        self.entries = entries
        self._path = path

    def save(self, witnesses: Sequence[baseline.Witness]) -> None:
        """Write the entries, whole or not at all. Raises CeError (CE954)."""
        beside = self._path.with_name(f"{self._path.name}.new")
        try:
            beside.write_text(baseline.write_baseline(witnesses), encoding="utf-8")
            os.replace(beside, self._path)
        except OSError as error:
            raise CeError.of("CE954", f"`{self.name}` cannot be written: {error.strerror or error}") from None


def open_baseline(project: Project, name: str, *, write: bool, command: str = "ce rules") -> Baseline:
    """Return the baseline file, searched below the root and then from the current directory.

    Raises CeError when it is missing (unless it is to be written), unreadable or no baseline.
    """
    inside = project.root / name
    path = inside if inside.exists() or not Path(name).exists() else Path(name)
    try:
        if path.stat().st_size > _LARGEST:
            raise CeError.of("CE952", f"`{name}` is no baseline: it is larger than {_LARGEST} bytes")
        return Baseline(path, name, baseline.read_baseline(path.read_text(encoding="utf-8"), name))
    except FileNotFoundError:
        if write:
            return Baseline(path, name, None)
        note = f"`{command} --baseline {name} --write-baseline` accepts what is found today"
        raise CeError.of("CE952", f"there is no baseline `{name}`", notes=(note,)) from None
    except UnicodeDecodeError:
        raise CeError.of("CE952", f"`{name}` is no baseline: it is not UTF-8") from None
    except OSError as error:
        raise CeError.of("CE952", f"`{name}` cannot be read: {error.strerror or error}") from None


def apply_baseline(project: Project, evaluation: Evaluation, report: Report, opened: Baseline, *, write: bool) -> Report:
    """Return the report with the witnesses that the baseline knows apart from the answers.

    With `write` a baseline that does not exist accepts every witness of today, one that does loses what is fixed and gains nothing.
    """
    todays = _Identities(project, evaluation)
    asserted = [(goal, answer) for goal in report.goals if goal.kind == "assert" for answer in goal.answers]
    goals = {goal.predicate: goal for goal in evaluation.goals}
    worse = {goal.name: directions(evaluation.checked, goal) for goal in goals.values() if goal.kind == "assert"}
    today = [(todays.of(goal, answer), worse[goal.name]) for goal, answer in asserted]
    entries = tuple(witness for witness, _ in today) if opened.entries is None else opened.entries
    judged = {str(goal.name) for goal in report.goals if goal.kind == "assert"}
    # Entries of rules that are not judged in this run are neither known nor fixed.
    others = [entry for entry in entries if entry.assertion not in judged]
    matched = baseline.compare([entry for entry in entries if entry.assertion in judged], today)
    if write:
        opened.save([*others, *matched.kept])
    numbers = iter(range(len(asserted)))
    shown = tuple(
        _apart(goal, [next(numbers) in matched.known for _ in goal.answers]) if goal.kind == "assert" else goal for goal in report.goals
    )
    counts = dict(report.counts)
    counts |= {"violations": len(asserted) - len(matched.known), "known": len(matched.known), "fixed": len(matched.fixed)}
    return replace(report, goals=shown, counts=counts, fixed=matched.fixed)


def _apart(goal: GoalReport, known: Sequence[bool]) -> GoalReport:
    pairs = list(zip(goal.answers, known, strict=True))
    return replace(goal, answers=tuple(a for a, is_known in pairs if not is_known), known=tuple(a for a, is_known in pairs if is_known))


class _Identities:
    """Witnesses without their lines; each file is read once."""

    def __init__(self, project: Project, evaluation: Evaluation) -> None:
        self._root = project.root
        self._lines = line_columns(evaluation.checked)
        self._predicates = {goal.name: goal.predicate for goal in evaluation.goals if goal.kind == "assert"}
        self._texts: dict[str, list[str]] = {}
        self._numbers = _namesakes(evaluation)

    def of(self, goal: GoalReport, answer: Answer) -> baseline.Witness:
        """Return the identity of a witness and a sketch of the declaration or line it is about."""
        lines = self._lines.get(self._predicates[goal.name], frozenset())
        values = tuple(
            "line" if at in lines else self._unit(str(value)) if sort == "unit" else value
            for at, (sort, value) in enumerate(zip(goal.sorts, answer.values, strict=True))
        )
        place = answer.place
        text = self._text(place.path)[place.start - 1 : place.end] if place is not None and place.start else []
        return baseline.Witness(str(goal.name), values, baseline.content_sketch(text))

    def _unit(self, label: str) -> str:
        key = unit_key(label)
        if key is None:
            return label
        number = self._numbers.get(label, 0)
        return f"{key[0]} {key[1]}" + (f" #{number}" if number else "")

    def _text(self, path: str) -> list[str]:
        if path not in self._texts:
            from ce.source.text import decode, read_file

            data = read_file(self._root, path)
            self._texts[path] = decode(data).text_bytes.decode("utf-8", "replace").split("\n") if isinstance(data, bytes) else []
        return self._texts[path]


def _namesakes(evaluation: Evaluation) -> Mapping[str, int]:
    """Return for every unit that shares path and key with earlier ones how many there are before it."""
    domain = evaluation.solution.database.domains.get("unit")
    seen: dict[tuple[str, str], int] = {}
    found: dict[str, int] = {}
    for label in () if domain is None else domain.labels:
        key = unit_key(label)
        if key is not None:
            number = seen[key] = seen.get(key, -1) + 1
            if number:
                found[label] = number
    return found
