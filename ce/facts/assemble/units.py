"""Rows of the relations that come from the extractions, made in one pass over them.

A unit's id is its position among all units by (path, start, end, key, nth); because the extractions come in the order of
their paths, the pass numbers them as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.facts.assemble.table import Row
from ce.facts.assemble.tree import TreeFacts, node_label

if TYPE_CHECKING:
    from ce.facts.records import Extraction, Outcome, Unit

__all__ = ["PASS_RELATIONS", "UNIT_INDEX", "FileFacts", "Pass", "walk_extractions"]

# Not a fact relation: file, position of a unit in its extraction, unit. What is measured elsewhere names units by the first two.
UNIT_INDEX = "unit_index"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file in the pass: `ids[i]` is the id of `extraction.units[i]`; `outcomes` are those of its sites."""

    path: str
    extraction: Extraction
    ids: Sequence[int]
    outcomes: Sequence[Outcome]


@dataclass(slots=True)
class Pass:
    """What a pass collects: rows per relation, labels of the units by id."""

    rows: dict[str, list[Row]]
    unit_labels: list[str] = field(default_factory=list)


def walk_extractions(tree: TreeFacts, names: Collection[str]) -> Pass:
    """Return the rows of the named relations, all out of one pass over the extractions."""
    makers = [(name, FILE_RELATIONS[name]) for name in sorted(names) if name in FILE_RELATIONS]
    outcomes: dict[str, list[Outcome]] = {}
    if any(name in ("outcome", "candidate", "names_module") for name, _ in makers):
        for outcome in tree.resolution.outcomes:
            outcomes.setdefault(outcome.path, []).append(outcome)
    result = Pass({name: [] for name in names})
    has_bodies = tree.with_bodies is not None and any(name in _OF_BODIES for name, _ in makers)
    for path, extraction in tree.with_bodies() if has_bodies and tree.with_bodies is not None else tree.extractions():
        ids = _number(path, extraction.units, result.unit_labels)
        facts = FileFacts(path, extraction, ids, outcomes.get(path, ()))
        for name, make in makers:
            result.rows[name] += make(facts)
    _tell_namesakes_apart(result.unit_labels)
    return result


def _number(path: str, units: Sequence[Unit], labels: list[str]) -> list[int]:
    order = sorted(range(len(units)), key=lambda index: (units[index].start, units[index].end, units[index].key, units[index].nth))
    ids = [0] * len(units)
    for index in order:
        unit = units[index]
        ids[index] = len(labels)
        labels.append(f"{path}:{unit.start}-{unit.end} {unit.key}")
    return ids


def _tell_namesakes_apart(labels: list[str]) -> None:
    """Give the second, third, … of neighbouring equal labels a mark; equal ones stand beside each other."""
    run = 1
    for position in range(1, len(labels)):
        plain = labels[position - run]
        run = run + 1 if labels[position] == plain else 1
        if run > 1:
            labels[position] = f"{plain} ({run})"


def _units(facts: FileFacts) -> Iterator[tuple[int, Unit]]:
    return zip(facts.ids, facts.extraction.units, strict=True)


def _unit_index(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, index, number, "", 0) for index, number in enumerate(facts.ids))


def _unit(facts: FileFacts) -> Iterator[Row]:
    return ((number, facts.path, facts.path, unit.start) for number, unit in _units(facts))


def _unit_kind(facts: FileFacts) -> Iterator[Row]:
    return ((number, unit.kind, facts.path, unit.start) for number, unit in _units(facts))


def _unit_lines(facts: FileFacts) -> Iterator[Row]:
    return ((number, unit.end - unit.start + 1, facts.path, unit.start) for number, unit in _units(facts))


def _unit_at(facts: FileFacts) -> Iterator[Row]:
    return ((number, unit.start, facts.path, unit.start) for number, unit in _units(facts))


def _named(facts: FileFacts) -> Iterator[Row]:
    return ((number, unit.name, facts.path, unit.start) for number, unit in _units(facts) if unit.name)


def _exported(facts: FileFacts) -> Iterator[Row]:
    return ((number, facts.path, unit.start) for number, unit in _units(facts) if unit.visibility & 1)


def _visibility(facts: FileFacts) -> Iterator[Row]:
    return ((number, unit.visibility, facts.path, unit.start) for number, unit in _units(facts))


def _number_of(get: Callable[[Unit], int]) -> Callable[[FileFacts], Iterator[Row]]:
    def rows(facts: FileFacts) -> Iterator[Row]:
        return ((number, get(unit), facts.path, unit.start) for number, unit in _units(facts) if get(unit) >= 0)

    return rows


def _texts_of(get: Callable[[Unit], Sequence[str]]) -> Callable[[FileFacts], Iterator[Row]]:
    def rows(facts: FileFacts) -> Iterator[Row]:
        return ((number, text, facts.path, unit.start) for number, unit in _units(facts) for text in get(unit))

    return rows


def _calls(facts: FileFacts) -> Iterator[Row]:
    return ((number, callee, facts.path, line) for number, unit in _units(facts) for callee, line in unit.calls)


def _lines(facts: FileFacts) -> Iterator[Row]:
    yield facts.path, facts.extraction.lines, facts.path, 0


def _site(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, site.line, site.kind, site.spec, facts.path, site.line) for site in facts.extraction.sites)


def _outcome(facts: FileFacts) -> Iterator[Row]:
    sites = facts.extraction.sites
    for outcome in facts.outcomes:
        site = sites[outcome.site]
        yield facts.path, site.line, site.spec, outcome.status, outcome.reason or "none", facts.path, site.line


def _names_module(facts: FileFacts) -> Iterator[Row]:
    sites = facts.extraction.sites
    for outcome in facts.outcomes:
        if outcome.is_import:
            site = sites[outcome.site]
            yield facts.path, site.line, site.kind, node_label(outcome.target), facts.path, site.line


def _candidate(facts: FileFacts) -> Iterator[Row]:
    sites = facts.extraction.sites
    for outcome in facts.outcomes:
        site = sites[outcome.site]
        yield from ((facts.path, site.line, site.spec, node_label(path), facts.path, site.line) for path in outcome.candidates)


def _exports_name(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, name, facts.path, 0) for name in facts.extraction.exports or ())


def _binds_name(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, binding.name, facts.path, binding.line) for binding in facts.extraction.bindings)


def _public(facts: FileFacts) -> Iterator[Row]:
    lines = [unit.start for unit in facts.extraction.units if unit.visibility & 1]
    if lines:
        yield facts.path, facts.path, min(lines)


def _dynamic(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, site.line, site.why, facts.path, site.line) for site in facts.extraction.dynamic)


def _allow(facts: FileFacts) -> Iterator[Row]:
    return ((facts.path, marker.line, marker.tag, marker.why, facts.path, marker.line) for marker in facts.extraction.allows)


def _generated(facts: FileFacts) -> Iterator[Row]:
    if facts.extraction.generated:
        yield facts.path, facts.path, 0


FILE_RELATIONS: Mapping[str, Callable[[FileFacts], Iterator[Row]]] = {
    UNIT_INDEX: _unit_index,
    "unit": _unit,
    "unit_kind": _unit_kind,
    "unit_lines": _unit_lines,
    "unit_at": _unit_at,
    "named": _named,
    "exported": _exported,
    "visibility": _visibility,
    "coc": _number_of(lambda unit: unit.cognitive),
    "cyclo": _number_of(lambda unit: unit.cyclomatic),
    "nesting": _number_of(lambda unit: unit.nesting),
    "params": _number_of(lambda unit: unit.params),
    "calls": _calls,
    "decorated": _texts_of(lambda unit: unit.decorators),
    "inherits": _texts_of(lambda unit: unit.bases),
    "lines": _lines,
    "site": _site,
    "outcome": _outcome,
    "candidate": _candidate,
    "names_module": _names_module,
    "exports_name": _exports_name,
    "binds_name": _binds_name,
    "public": _public,
    "dynamic": _dynamic,
    "allow": _allow,
    "generated": _generated,
}

_OF_BODIES = frozenset({"coc", "cyclo", "nesting", "calls"})

# Everything that the pass can give.
PASS_RELATIONS = frozenset(FILE_RELATIONS)
