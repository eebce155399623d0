"""How merge suggestions read in a terminal: the copies, the template, the holes with what stands in each, the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ce.faces.cli.terminal import Style, printable
from ce.faces.cli.text import plural, proof_lines

if TYPE_CHECKING:
    from ce.app.merging import MergeCopy, MergeGroup, MergeHole, MergeReport

__all__ = ["REASONS", "merge_text"]

_SHOWN_COPIES = 8
_SHOWN_LINES = 60
_SHOWN_TEXT = 60

_FILLED = {
    "name": "the name of the function",
    "documentation": "documentation, any will do",
    "renamed": "a local name, any will do",
    "parameter": "a parameter",
}
REASONS = {
    "statements": "statements differ: a callback would have to do them",
    "sequence": "lists of different length",
    "operator": "other operators or keywords",
    "pattern": "other patterns are bound or matched",
    "target": "something else is written to",
    "member": "other names of members or arguments, which are no values",
    "type": "other types",
    "import": "other imports",
    "label": "other labels or cases",
    "macro": "inside a macro",
    "text": "text beside code in one string",
    "signature": "other parameters or defaults",
    "forms": "the copies are written in different forms",
    "global": "other global names",
    "method": "methods are called, which lose their object when they are passed",
    "other": "no value that can be passed stands there",
    "other_local": "different names of the function itself are used",
    "decorated": "a decorator gets it, and may use its name",
    "captured": "it uses names of the function: a function of these would have to be passed",
    "acts": "it does something, and when matters: a function would have to be passed",
    "callee": "functions are no values in this language",
    "names_cross": "the name means something else elsewhere in a copy",
    "calls_itself": "the function calls itself or a copy of it",
    "mixed": "values and names that cannot be passed are one hole",
    "broken": "a copy has syntax errors",
    "elsewhere": "names of the template mean other things in other files",
    "closure": "a copy uses variables of the function around it",
    "receiver": "the copies use `this` or `super` of different classes",
    "too_many_parameters": "it would take too many parameters",
    "no_savings": "it would save no line",
}
_LEFT_OUT = {"unread": "it could not be read again", "too_large": "it is too large to compare"}
_VERDICTS = {"mergeable": "can be merged", "by_hand": "only by hand", "not_judged": "not judged"}


def merge_text(report: MergeReport, chosen: Sequence[MergeGroup], style: Style, *, why: bool = False) -> str:
    """Return the chosen groups and a summary of all."""
    if report.degraded is not None:
        return f"{style.bad('not judged')}: {report.degraded.message}\n"
    lines: list[str] = []
    for group in chosen:
        lines += _group_lines(group, style)
        lines += proof_lines(group.proof) if why and group.proof is not None else []
        lines.append("")
    if report.empty:
        lines.append("the tree is empty: there is nothing to judge")
    counts = report.counts
    lines.append(
        style.faint(
            f"{plural(counts['mergeable'], 'group')} can be merged and would save {plural(counts['saved'], 'line')}, {counts['by_hand']} "
            f"only by hand, {counts['not_judged']} not judged; {counts['left_out']} left out: "
            f"{counts['no_savings']} save no line, the others go with larger ones; {plural(counts['functions'], 'function')}"
        )
    )
    return "\n".join(lines) + "\n"


def _group_lines(group: MergeGroup, style: Style) -> list[str]:
    colour = style.good if group.verdict == "mergeable" else style.warn
    parameters = sum(hole.filled == "parameter" for hole in group.holes)
    lines_saved = f"saves {plural(group.saved, 'line')} of {group.lines}" if group.saved > 0 else "saves no line"
    saved = f": {plural(parameters, 'parameter')}, {lines_saved}" if group.template else ""
    alike = "of one shape" if group.kind == "T2" else "nearly alike"
    lines = [f"{style.strong(f'{group.number}. {len(group.copies)} functions {alike}')}, {colour(_VERDICTS[group.verdict])}{saved}"]
    lines += [_copy_line(copy) for copy in group.copies[:_SHOWN_COPIES]]
    lines += [f"  and {len(group.copies) - _SHOWN_COPIES} more"] if len(group.copies) > _SHOWN_COPIES else []
    lines += [f"  {colour('because')} {f'⟨{hole}⟩ ' if hole else ''}{REASONS[why]}" for hole, why in group.reasons]
    lines += [f"  other things in other files: {printable(', '.join(group.elsewhere))}"] if group.elsewhere else []
    lines += [f"    {line}" for line in _cut(group.template)]
    for hole in group.holes:
        lines += _hole_lines(hole, style)
    if group.suggestion:
        lines.append(f"  {style.good('merged')}")
        lines += [f"    {line}" for line in _cut(group.suggestion)]
    return lines


def _copy_line(copy: MergeCopy) -> str:
    place = copy.place
    left_out = f" (left out: {_LEFT_OUT[copy.left_out]})" if copy.left_out else ""
    return printable(f"  {place.path}:{place.start}-{place.end} {copy.key}{left_out}")


def _hole_lines(hole: MergeHole, style: Style) -> list[str]:
    what = _FILLED.get(hole.filled, "open: " + ", ".join(hole.kinds).replace("_", " "))
    uses = f"; uses {', '.join(map(printable, hole.captured))}" if hole.captured and not hole.filled else ""
    places = f", {hole.places} places" if hole.places > 1 else ""
    lines = [f"  ⟨{hole.number}⟩ {what}{places}{uses}"]
    shown: dict[str, str] = {}
    for filling in hole.fillings:
        shown.setdefault(filling.text, f"{filling.path}:{filling.line}")
    for text, where in list(shown.items())[:_SHOWN_COPIES]:
        lines.append(f"      {style.faint(printable(where))}  {_one_line(text)}")
    return lines + ([f"      and {len(shown) - _SHOWN_COPIES} more"] if len(shown) > _SHOWN_COPIES else [])


def _one_line(text: str) -> str:
    flat = printable(" ".join(text.split())) or "(nothing)"
    return flat if len(flat) <= _SHOWN_TEXT else flat[: _SHOWN_TEXT - 1] + "…"


def _cut(text: str) -> list[str]:
    lines = [printable(line.expandtabs(4)) for line in text.split("\n")] if text else []
    more = len(lines) - _SHOWN_LINES
    return lines if more <= 1 else [*lines[:_SHOWN_LINES], f"… {more} more lines"]
