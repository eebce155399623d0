"""How the allowlist gate and the clause report read in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.clauses.report import lines_of
from ce.faces.cli.terminal import Style, printable
from ce.faces.cli.text import plural, written_proof_lines

if TYPE_CHECKING:
    from ce.app.allowlist import AllowlistReport
    from ce.app.clauses import ClausesReport

__all__ = ["allowlist_text", "clauses_text"]

_ADVICE = "wire it, take it out of `__all__`, delete it, or list it with a reason"


def allowlist_text(report: AllowlistReport, style: Style, *, why: bool = False) -> str:
    """Return the verdicts, worst first, then one line that counts."""
    if report.error is not None:
        return f"{printable(str(report.error))}\n"
    verdicts = report.verdicts
    assert verdicts is not None
    lines = [f"floor: {floor.found} {floor.what}, {floor.needed} needed" for floor in verdicts.floors if not floor.ok]
    for offender in verdicts.offenders:
        lines.append(f"{offender.key}  {printable(offender.path)}:{offender.line}  no caller")
        lines += written_proof_lines(offender.proof) if why else []
    if verdicts.offenders:
        lines.append(f"    {style.faint(_ADVICE)}")
    for entry in verdicts.stale:
        lines.append(f"{entry}  {style.faint(printable(entry.at))}")
        lines += written_proof_lines(entry.proof) if why else []
    lines += [
        f"{offender.key}  {printable(offender.path)}:{offender.line}  public, outside `__all__`, no caller"
        for offender in verdicts.widened_offenders
    ]
    lines += [f"{key} [widened] {reason}" if key else reason for key, reason in verdicts.widened_stale]
    for cap in verdicts.caps:
        if not cap.ok:
            lines.append(f"cap: {cap.count} {cap.what}, at most {cap.limit} allowed")
        elif cap.limit is not None and cap.count < cap.limit:
            lines.append(style.faint(f"cap: {cap.count} {cap.what}, {cap.limit} allowed; lower it"))
    counts = [
        plural(len(verdicts.offenders), "offender"),
        f"{len(verdicts.stale)} of {len(verdicts.entries)} entries stale",
        plural(len(verdicts.widened_offenders), "widened offender"),
        f"{plural(report.symbols, 'exported name')} in {plural(report.modules, 'module')}",
    ]
    return "\n".join([*lines, style.faint(", ".join(counts))]) + "\n"


def clauses_text(report: ClausesReport, style: Style, *, why: bool = False) -> str:
    """Return the findings, the ablation when there was a window, and the headline."""
    lines: list[str] = []
    *found, headline = lines_of(report.outcome)
    lines += found
    if why:
        for finding in report.outcome.merges:
            lines += [f"{finding.drop}: {finding.note}", *written_proof_lines(finding.derivation)]
    for row in report.ablation:
        shadow = f", shadowed by {row.shadowed_by}" if row.shadowed_by else ""
        live = f"; liveness: {row.live} by {row.live_by}" if row.live else "; liveness: nothing in this window can move"
        lines.append(f"{row.id}: {row.evidence}, {row.changed} changed of {row.window}, {row.unreplayable} unreplayable{shadow}{live}")
    return "\n".join([*lines, style.faint(headline)]) + "\n"
