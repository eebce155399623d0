"""How the plan of the eraser, its log and its reasons read in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ce.faces.cli.terminal import Style, printable
from ce.faces.cli.text import plural, proof_lines, written_proof_lines

if TYPE_CHECKING:
    from ce.app.erase import EraseReport, WhyKept
    from ce.erase.apply.log import Trail
    from ce.erase.model import Plan, PlanRow

__all__ = ["applied_text", "log_text", "plan_text", "why_kept_text"]

_REASONS = {
    "language_unresolved": "a reference of its language is unresolved, or some site could name it",
    "not_full_segment": "the two segments are not the same from first word to last",
    "bytes_differ": "the two places are not equal byte for byte",
    "copy_not_dead": "the copy is alive",
    "unit_not_covered": "no whole unit is copied",
    "public_surface": "it exports a declaration, and nothing here can know who calls it",
    "mentioned": "a live file spells its path, its name or its module",
    "dynamic_language_site": "a site computed at run time could name it",
    "breaks_syntax": "the file would not parse as well without it",
    "more_than_prose": "its lines hold more than prose: code, markup or an order to a tool",
    "holds_reference": "it refers to a file, and the reference would be lost",
    "docstring_is_read": "it is a docstring, and a program reads those",
    "text_is_read": "a program names the file, so it may read the text",
    "survivor_erased": "the file that keeps the text goes itself",
    "uncertified": "the proof checker or the second engine disagrees",
}


def plan_text(report: EraseReport, diff: Iterable[str], style: Style) -> str:
    """Return the diff of what would go, then every refused row with its reason, then what was out of class and the counts."""
    if report.degraded is not None:
        return f"{style.bad('not judged')}: {report.degraded.message} (limit: {report.degraded.limit})\n"
    lines = [_coloured(line, style) for line in diff]
    plan = report.plan
    if plan.advisory:
        lines += ["", style.strong("not erased:")] if lines else [style.strong("not erased:")]
        lines += [_advisory(row, style) for row in plan.advisory]
    for kind, count in sorted(plan.out_of_class.items()):
        lines.append(f"out of class: {plural(count, 'block')} without a whole unit ({kind}); see `ce dedup`")
    if report.empty:
        lines.append("the tree is empty: there is nothing to judge")
    lines.append(style.faint(f"{len(plan.eraseable)} eraseable, {len(plan.advisory)} advisory; plan {plan.digest[:16]}"))
    return "\n".join(lines) + "\n"


def applied_text(plan: Plan, digest: str | None) -> str:
    """Return what was carried out."""
    if digest is None:
        return "nothing to erase\n"
    lines = [f"erased {row.kind} {_where(row)}" for row in plan.rows]
    return "\n".join([*lines, f"{plural(len(plan.rows), 'row')} erased; plan {digest[:16]}; `git checkout -- .` brings them back"]) + "\n"


def log_text(trail: Trail, style: Style) -> str:
    """Return the log, one line a row, unreadable lines by number."""
    if not trail.present:
        return "there is no erase log: nothing was ever erased here\n"
    lines = []
    for row in trail.rows:
        span = "" if row.span is None else f":{row.span[0]}-{row.span[1]}"
        lines.append(f"{row.ts}  {row.kind}  {printable(row.path)}{span}  ({printable(row.provenance)})  plan {row.plan[:16]}")
    lines += [style.bad(f"line {number} is unreadable: {why}") for number, why in trail.unreadable]
    lines.append(style.faint(f"{plural(len(trail.rows), 'row')}, {plural(len(trail.unreadable), 'unreadable line')}"))
    return "\n".join(lines) + "\n"


def why_kept_text(kept: WhyKept, style: Style) -> str:
    """Return why a path is not eraseable, with the derivation."""
    lines = [f"{style.strong(printable(kept.path))}: {kept.sentence}"]
    if kept.row is not None:
        reason = _REASONS.get(kept.row.reason)
        lines += [f"  {reason}"] if reason else []
        lines.append(f"  {printable(kept.row.provenance)}")
        lines += written_proof_lines(kept.row.proof) if kept.row.proof else []
    if kept.proof is not None:
        lines += proof_lines(kept.proof)
    return "\n".join(lines) + "\n"


def _advisory(row: PlanRow, style: Style) -> str:
    sites = f" ({plural(row.sites, 'site')})" if row.reason == "language_unresolved" else ""
    return f"  {row.kind}  {_where(row)}  {style.warn(row.reason)}{sites}  {style.faint(printable(row.provenance))}"


def _where(row: PlanRow) -> str:
    span = "" if row.span is None else f":{row.span[0]}-{row.span[1]}"
    return f"{printable(row.path)}{span}"


def _coloured(line: str, style: Style) -> str:
    shown = printable(line)
    if line.startswith("#"):
        return style.faint(shown)
    return style.bad(shown) if line.startswith("-") and not line.startswith("---") else shown
