"""The templates of groups of copies, read from the files as they are now, and the facts that the program judges them by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ce.app.copies import unit_of
from ce.app.merge_groups import CopyGroup
from ce.extract.measures.anti_unification import Template, anti_unify, first_tokens
from ce.extract.measures.merge_facts import TemplateFacts, measure_template
from ce.extract.measures.merge_units import MergeUnit, UnitReader
from ce.extract.measures.merged_python import merged_python
from ce.extract.measures.template_text import code_lines, content_text, line_of, marked_text, place_edits
from ce.source.text import read_file

__all__ = ["MAX_GROUP_TOKENS", "MeasuredGroup", "mark", "measure_groups"]

MAX_GROUP_TOKENS = 200_000  # of all copies of a group together
Rows = dict[str, list[tuple[int | str, ...]]]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredGroup:
    """A group with its template: `left_out` are copies that are not compared and why, `units` the others in order of place.

    With less than two copies to compare there is no template. `distinct` are the units of its distinct terms, `facts` what
    `programs/clones/merge.dl` reads, without the groups around this one; `lines` are the lines of code of all copies and of the template.
    """

    group: CopyGroup
    left_out: Mapping[str, str]
    units: tuple[tuple[str, MergeUnit], ...]
    template: Template | None = None
    distinct: tuple[MergeUnit, ...] = ()
    measured: TemplateFacts | None = None
    lines: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        """Return the template as text, with its holes marked, as the first copy has it."""
        if self.template is None:
            return ""
        first = self.template.of[0]
        unit = self.distinct[first]
        return marked_text(unit, place_edits(self.template, first, unit.language), mark)

    def suggestion(self, filled: Mapping[int, str]) -> str:
        """Return the merged function when it is Python, by how its holes are filled; empty for other languages."""
        if self.template is None or self.distinct[0].language != "python":
            return ""
        first = self.template.of[0]
        return merged_python(self.template, first, self.distinct[first], filled)

    def fillings(self) -> dict[int, list[tuple[str, int, str]]]:
        """Return for every hole the path, the line and the text of what stands there, for every copy that is compared."""
        if self.template is None:
            return {}
        first = first_tokens(self.template)
        found: dict[int, list[tuple[str, int, str]]] = {hole.number: [] for hole in self.template.holes}
        for (label, unit), number in zip(self.units, self.template.of, strict=True):
            starts = [leaf.start for leaf in unit.term.leaves()]
            path = unit_of(label)[0].path
            for hole in self.template.holes:
                at = first[hole.number][number]
                line = line_of(unit, starts[at] if at < len(starts) else unit.term.end)
                found[hole.number].append((path, line, content_text(self.distinct[number], hole.contents[number])))
        return found

    def facts(self, number: int) -> Rows:
        """Return the rows of the group under its number."""
        position = {label: index for index, label in enumerate(self.group.units)}
        rows: Rows = {"merge_left_out": [(number, position[label], why) for label, why in sorted(self.left_out.items())]}
        if self.measured is None:
            return rows
        measured = self.measured
        rows["merge_group"] = [(number, self.distinct[0].language, len(self.units), *self.lines)]
        rows["merge_place"] = [(number, place.hole, place.kind) for place in dict.fromkeys(measured.places)]
        rows["merge_plain"] = [(number, hole) for hole in measured.plain]
        rows["merge_captured"] = [(number, *row) for row in dict.fromkeys((h, name, how) for h, _, name, how in measured.captured)]
        rows["merge_clash"] = [(number, *row) for row in dict.fromkeys((h, name) for h, _, name in measured.clashes)]
        rows["merge_acts"] = [(number, hole) for hole in measured.acts]
        rows["merge_closes"] = [(number, copy, name) for copy, name in measured.closes]
        rows["merge_elsewhere"] = [(number, name) for name in measured.elsewhere]
        rows["merge_receives"] = [(number,)] if measured.receives else []
        rows["merge_home"] = [(number, home) for home in sorted({unit.home for _, unit in self.units})]
        rows["merge_broken"] = [(number, position[label]) for label, unit in self.units if unit.is_broken]
        return rows


def mark(hole: int) -> str:
    """Return how a hole is written in a template."""
    return f"⟨{hole}⟩"


def measure_groups(root: Path, groups: Sequence[CopyGroup]) -> tuple[MeasuredGroup, ...]:
    """Return the groups with their templates; every file is read and parsed once."""
    units = _read(root, groups)
    return tuple(_measured(group, units) for group in groups)


def _read(root: Path, groups: Sequence[CopyGroup]) -> dict[str, MergeUnit | str]:
    wanted: dict[str, list[str]] = {}
    for label in sorted({label for group in groups for label in group.units}):
        wanted.setdefault(unit_of(label)[0].path, []).append(label)
    reader = UnitReader()
    found: dict[str, MergeUnit | str] = {}
    for path, labels in wanted.items():
        data = read_file(root, path)
        if not isinstance(data, bytes):
            found |= dict.fromkeys(labels, "unread")
            continue
        places = [unit_of(label) for label in labels]
        units = reader.read(path, data, [(place.start, place.end, key) for place, key in places])
        found |= dict(zip(labels, units, strict=True))
    return found


def _measured(group: CopyGroup, units: Mapping[str, MergeUnit | str]) -> MeasuredGroup:
    left_out: dict[str, str] = {}
    compared: list[tuple[str, MergeUnit]] = []
    tokens = 0
    for label in group.units:
        unit = units[label]
        if isinstance(unit, str):
            left_out[label] = unit
        elif tokens + unit.term.size > MAX_GROUP_TOKENS:
            left_out[label] = "too_large"
        else:
            tokens += unit.term.size
            compared.append((label, unit))
    if len(compared) < 2:
        return MeasuredGroup(group, left_out, tuple(compared))
    template = anti_unify([unit.term for _, unit in compared])
    own = {unit.term.number: unit for _, unit in reversed(compared)}
    distinct = tuple(own[term.number] for term in template.terms)
    measured = measure_template(template, distinct, [unit.names for _, unit in compared])
    first = template.of[0]
    edits = place_edits(template, first, distinct[first].language)
    lines = (sum(code_lines(unit) for _, unit in compared), marked_text(distinct[first], edits, mark).count("\n") + 1)
    return MeasuredGroup(group, left_out, tuple(compared), template, distinct, measured, lines)
