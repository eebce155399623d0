"""The core layer as bytes: compact JSON, one array per record, and the way back with every value checked.

A cache may have been written by anybody, so decoding trusts nothing: a blob that `encode_facts` could not have written is a `ValueError`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from ce.extract.drafts import Facts
from ce.extract.markers import allow_markers, is_generated, line_count
from ce.extract.parsing import Parsed
from ce.facts.records import AllowMarker, Binding, DynamicSite, Extraction, Site, Unit

__all__ = ["FORMAT", "decode_extraction", "encode_facts", "encode_size_only"]

FORMAT = "core/2"
_KEYS = (
    "format", "lang", "lines", "units", "sites", "dynamic", "allows", "bindings", "exports", "unreadable_exports",
    "strings", "anchors", "generated", "main_guard", "problems", "extra",
)  # fmt: skip
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_LARGEST = 2**31  # of any line or count
_T = TypeVar("_T")


def encode_facts(parsed: Parsed, facts: Facts) -> bytes:
    """Return the blob of a measured file."""
    units = facts.units
    rows: list[object] = []
    for u in units:
        kind = u.kind
        declares = kind.member if kind.member and u.parent >= 0 and units[u.parent].kind.is_type else kind.declares
        rows.append((kind.kind, u.key, u.name, u.start, u.end, u.nth, u.parent, u.visibility, u.params, declares, u.decorators, u.bases))
    sites = [[s.kind, s.spec, s.line, s.nth, s.owner, s.names, s.mode] for s in facts.sites]
    return _encode(parsed, facts, rows, sites)


def encode_size_only(path: str, lang: str, text: bytes, problems: Sequence[str]) -> bytes:
    """Return the blob of a file that has only sizes and markers."""
    document = [
        FORMAT, lang, line_count(text), [], [], [], allow_markers(text), [], None, False, [], [], is_generated(path, text), False,
        list(problems), {},
    ]  # fmt: skip
    return _dump(document)


def _encode(parsed: Parsed, facts: Facts, units: list[object], sites: list[list[object]]) -> bytes:
    text = parsed.whole or parsed.text
    document = [
        FORMAT, parsed.language or parsed.spec.name, line_count(text), units, sites, facts.dynamic,
        allow_markers(text), facts.bindings, facts.exports, facts.unreadable_exports, facts.strings, facts.anchors,
        is_generated(parsed.path, text), facts.main_guard, facts.problems, facts.extra,
    ]  # fmt: skip
    return _dump(document)


def _dump(document: list[object]) -> bytes:
    return _ENCODER.encode(document).encode("utf-8", "replace")


def decode_extraction(blob: bytes) -> Extraction:
    """Return the extraction that was encoded; any other bytes are a `ValueError`."""
    try:
        document = json.loads(blob)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not an extraction: {error}") from None
    if not isinstance(document, list) or len(document) != len(_KEYS) or document[0] != FORMAT:
        raise ValueError(f"not an extraction of the format {FORMAT}")
    part = dict(zip(_KEYS, document, strict=True))
    exports = part["exports"]
    extra = part["extra"]
    if not isinstance(extra, dict):
        raise ValueError("extra is not an object")
    units = _records(part["units"], _unit)
    sites = _records(part["sites"], _site)
    if any(not -1 <= unit.parent < index for index, unit in enumerate(units)) or any(not -1 <= site.owner < len(units) for site in sites):
        raise ValueError("a unit or site stands in a unit that does not exist")
    return Extraction(
        lang=_text(part["lang"]),
        lines=_int(part["lines"]),
        units=units,
        sites=sites,
        dynamic=_records(part["dynamic"], lambda row: DynamicSite(*_bounded(_typed(row, (int, str, str)), 0, 1))),
        allows=_records(part["allows"], lambda row: AllowMarker(*_bounded(_typed(row, (int, str, str)), 0, 1))),
        bindings=_bindings(_records(part["bindings"], lambda row: Binding(*_bounded(_typed(row, (str, int, str)), 1, 2))), units, sites),
        exports=None if exports is None else _texts(exports),
        unreadable_exports=_bool(part["unreadable_exports"]),
        strings=_records(part["strings"], lambda row: _bounded(_typed(row, (int, str)), 0, 1)),
        anchors=_texts(part["anchors"]),
        generated=_bool(part["generated"]),
        main_guard=_bool(part["main_guard"]),
        problems=_texts(part["problems"]),
        extra=extra,
    )


def _bindings(written: tuple[Binding, ...], units: tuple[Unit, ...], sites: tuple[Site, ...]) -> tuple[Binding, ...]:
    """Return the names that the module body binds: the written ones, its units, and what its references import; sorted by line."""
    found = {(binding.line, binding.name, binding.kind) for binding in written}
    found.update((unit.start, unit.name, _BOUND_BY.get(unit.declares, "def")) for unit in units if unit.parent < 0 and _binds(unit))
    for site in sites:
        if site.owner < 0 and site.kind not in _BIND_NOTHING:
            for name, local in site.names:
                bound = name.partition(".")[0] if site.kind == "import" and local == name else local
                if bound and bound != "*":
                    found.add((site.line, bound, "import"))
    return tuple([Binding(name, line, kind) for line, name, kind in sorted(found)])


def _binds(unit: Unit) -> bool:
    return bool(unit.name) and unit.declares not in _NOT_BOUND


_NOT_BOUND = frozenset({"expression", "method"})
_BIND_NOTHING = frozenset({"export_from", "export_star"})
_BOUND_BY = {"class": "class", "variable": "assign", "constant": "assign", "heading": "heading"}
_UNIT_TYPES = (str, str, str, int, int, int, int, int, int, str, list, list)
_TEXT = frozenset({str})
_SITE_TYPES = (str, str, int, int, int, list, str)


def _unit(row: object) -> Unit:
    kind, key, name, start, end, nth, parent, visibility, params, declares, decorators, bases = _bounded(_typed(row, _UNIT_TYPES), 3, 9)
    numbers = (start, end, nth, parent, visibility, params, -1, -1, -1)
    return Unit(kind, key, name, *numbers, declares, _texts(decorators), _texts(bases))


def _site(row: object) -> Site:
    kind, spec, line, nth, owner, names, mode = _bounded(_typed(row, _SITE_TYPES), 2, 5)
    return Site(kind, spec, line, nth, owner, _records(names, lambda name: _typed(name, (str, str))), mode)


def _typed(row: object, types: tuple[type, ...]) -> tuple:  # type: ignore[type-arg]  # the element types are those of `types`
    if not isinstance(row, list) or tuple(map(type, row)) != types:
        raise ValueError(f"a record does not hold {', '.join(expected.__name__ for expected in types)}")
    return tuple(row)


def _bounded(values: tuple, first: int, end: int) -> tuple:  # type: ignore[type-arg]  # what comes in goes out
    numbers = values[first:end]
    if min(numbers) < -1 or max(numbers) > _LARGEST:
        raise ValueError("a number is out of bounds")
    return values


def _records(rows: object, make: Callable[[object], _T]) -> tuple[_T, ...]:
    if not isinstance(rows, list):
        raise ValueError("a list of records is not a list")
    return tuple([make(row) for row in rows])


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not set(map(type, values)) <= _TEXT:
        raise ValueError("a list of texts holds something else")
    return tuple(values)


def _text(value: object) -> str:
    if type(value) is not str:
        raise ValueError("a value is not a text")
    return value


def _int(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError("a value is not a number of lines")
    return value


def _bool(value: object) -> bool:
    if type(value) is not bool:
        raise ValueError("a value is not true or false")
    return value
