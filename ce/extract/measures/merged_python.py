"""The merged function of Python copies as text: the template with names for its holes, and a signature that has the parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ce.extract.measures.anti_unification import Template
from ce.extract.measures.merge_units import MergeUnit
from ce.extract.measures.template_text import content_text, marked_text, place_edits
from ce.extract.measures.terms import Term

__all__ = ["merged_python"]


def merged_python(template: Template, copy: int, unit: MergeUnit, filled: Mapping[int, str]) -> str:
    """Return the function that the copies are calls of, laid out as one distinct copy is; `filled` tells how each hole is filled."""
    names = _parameter_names(template, filled)
    text = {hole.number: content_text(unit, hole.contents[copy]) for hole in template.holes} | names
    for hole in template.holes:
        if filled[hole.number] == "name":
            text[hole.number] = _common_name([side[0].text for side in hole.contents])
    edits = place_edits(template, copy, unit.language)
    return marked_text(unit, edits, lambda hole: text[hole], _signature(unit.term, list(names.values())))


def _parameter_names(template: Template, filled: Mapping[int, str]) -> dict[int, str]:
    """Return a name for each parameter that no copy uses for anything."""
    taken = {token for term in template.terms for token in term.tokens()}
    names: dict[int, str] = {}
    for hole in template.holes:
        if filled[hole.number] == "parameter":
            names[hole.number] = next(name for name in _numbered("value", len(names) + 1) if name not in taken)
            taken.add(names[hole.number])
    return names


def _numbered(stem: str, first: int) -> Iterator[str]:
    number = first
    while True:
        yield f"{stem}{number}"
        number += 1


def _common_name(names: list[str]) -> str:
    """Return the words that all names have, in order; `merged` when they have none."""
    words = [word for word in re.split(r"(?<=[^_])_+", names[0]) if word]
    for name in names[1:]:
        own = name.split("_")
        words = [word for word in words if word.strip("_") in own]
    common = "_".join(words)
    return common if common.strip("_").isidentifier() and common not in names else f"{common}_merged".lstrip("_") if words else "merged"


def _signature(function: Term, names: list[str]) -> tuple[int, str] | None:
    """Return where the parameters go and how they are written: by name only, behind all others but `**`."""
    if not names:
        return None
    (listed,) = (child for child in function.children if child.field == "parameters")
    children = [child for child in listed.children if child.text not in ("(", ")")]
    starred = any(_begins(child, "*") for child in children)
    new = ", ".join(names if starred else ["*", *names])
    rest = next((child for child in children if _begins(child, "**")), None)
    if rest is not None:
        return rest.start, f"{new}, "
    before = "" if not children else " " if children[-1].text == "," else ", "
    return listed.children[-1].start, f"{before}{new}"


def _begins(child: Term, mark: str) -> bool:
    return next(child.leaves()).text == mark
