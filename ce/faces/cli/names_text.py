"""How dead names read in a terminal: by tier, islands under their tops, the names of a dead file under the file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ce.faces.cli.terminal import Style, printable
from ce.faces.cli.text import deadcode_text, plural, proof_lines

if TYPE_CHECKING:
    from ce.app.report import DeadName, NamesReport
    from ce.app.why_report import WhyReport
    from ce.app.why_targets import Target

__all__ = ["names_text", "why_text"]

_TIERS = {
    "certain": "nothing uses them",
    "likely": "only dead code uses them, or something merely mentions them",
    "review": "something computed or unknown could use them: look before you cut",
    "public": "a library offers them, and the tree does not use them",
    "test_only": "only tests reach them",
}


def names_text(report: NamesReport, style: Style, hidden: Collection[str] = ()) -> str:
    """Return the dead files, then the dead names by tier; of the hidden tiers only their number is told."""
    lines = deadcode_text(report.files, style).rstrip("\n").split("\n")
    if report.files.degraded is not None:
        return "\n".join(lines) + "\n"
    last = lines.pop()
    dead_files = {file.path for file in report.files.dead}
    shown = [each for each in report.symbols if each.tier not in hidden]
    in_files = [each for each in shown if each.path in dead_files]
    for path in dict.fromkeys(each.path for each in in_files):
        lines.append(style.strong(f"{printable(path)}: the file is dead, and so are its names"))
        lines += _names([each for each in in_files if each.path == path], style, tells_tier=True)
    apart = [each for each in shown if each.path not in dead_files]
    tops = {each.qualified: each for each in apart if each.island is None}
    under: dict[str, list[DeadName]] = {}
    for each in apart:
        if each.island in tops:
            under.setdefault(str(each.island), []).append(each)
    for tier, says in _TIERS.items():
        listed = [each for each in apart if each.tier == tier and each.island not in tops]
        if listed:
            deeper = "; deeper in, what only they use" if any(under.get(each.qualified) for each in listed if each.island is None) else ""
            lines.append(style.strong(f"{tier}: {says}{deeper}"))
            for each in listed:
                lines += _names([each], style)
                lines += _names(under.get(each.qualified, ()) if each.island is None else (), style, indent="      ")
    lines += _summary(report, style, hidden)
    return "\n".join([*lines, last]) + "\n"


def _names(names: Sequence[DeadName], style: Style, *, indent: str = "  ", tells_tier: bool = False) -> list[str]:
    lines = []
    for each in names:
        place = f"{printable(each.path)}:{each.line}"
        why = each.why if each.test is None else f"{each.why}: {printable(each.test)}"
        if indent == "  " and each.island is not None and not tells_tier:
            why += f"; it hangs under {printable(each.island)}"
        tier = f"{each.tier}  " if tells_tier else ""
        lines.append(f"{indent}{place}  {each.kind} {style.strong(printable(each.qualified))}  {style.faint(tier + why)}")
        if each.proof is not None:
            lines += [f"{indent}{line}" for line in proof_lines(each.proof)]
    return lines


def _summary(report: NamesReport, style: Style, hidden: Collection[str]) -> list[str]:
    counts = report.counts
    told = [f"{counts[tier]:,} {tier.replace('_', ' ')}" for tier in _TIERS if counts.get(tier)]
    lines = [f"{plural(counts.get('names', 0), 'name')}: {', '.join(told) if told else style.good('none is dead')}"]
    left = [f"{counts[tier]:,} {tier}" for tier in _TIERS if tier in hidden and counts.get(tier)]
    if left:
        lines.append(style.faint(f"not shown: {', '.join(left)} (--tier shows them)"))
    if report.apart:
        files = ", ".join(f"{number:,} {why}" for why, number in report.apart.items())
        lines.append(style.faint(f"not reported: files that are {files}"))
    if report.known or report.fixed:
        lines.append(f"{len(report.known):,} known to the baseline, {len(report.fixed):,} of it dead no more")
    return lines


def why_text(report: WhyReport, style: Style) -> str:
    """Return the chain that keeps something alive, or the mentions that do not."""
    if report.degraded is not None:
        return f"{style.bad(f'not judged: {report.degraded.message} (limit: {report.degraded.limit})')}\n"
    asked = printable(report.asked)
    if report.verdict == "unknown":
        near = f"; did you mean {', '.join(f'`{printable(each)}`' for each in report.near)}?" if report.near else ""
        return f"{style.bad(f'nothing is called `{asked}`')}{near}\n"
    if report.verdict == "ambiguous":
        lines = [f"{plural(len(report.matches), 'name')} fit `{asked}`; ask about one:"]
        lines += [f"  {word}  {_told(target, style)}" for target, word in report.matches]
        return "\n".join(lines) + "\n"
    assert report.target is not None
    lines = _alive(report, style) if report.verdict == "alive" else _dead(report, style)
    if report.proof is not None:
        lines += ["derivation:", *proof_lines(report.proof)]
    return "\n".join(lines) + "\n"


def _told(target: Target, style: Style) -> str:
    if target.symbol is None:
        return f"file {style.strong(printable(target.path))}"
    return f"{target.kind} {style.strong(printable(target.qualified))}  {printable(target.path)}:{target.line}"


def _alive(report: WhyReport, style: Style) -> list[str]:
    assert report.target is not None
    lines = [f"{style.good('alive')}  {_told(report.target, style)}"]
    if report.tier is not None:
        lines[0] += f"  ({report.tier.replace('_', ' ')})"
    if report.origin is None:
        return [*lines, f"  {report.reason}"]
    lines.append(f"  root  {printable(report.origin)}: {report.rule}{_at(report.origin_at, style)}")
    steps = (f"   -> {printable(link.target)}  {link.kind}, {link.says}{_at(link.at, style)}" for link in report.chain)
    return [*lines, *steps]


def _dead(report: WhyReport, style: Style) -> list[str]:
    assert report.target is not None
    tier = f" ({report.tier})" if report.tier is not None else ""
    lines = [f"{style.bad('dead')}{tier}  {_told(report.target, style)}", f"  {report.reason}"]
    lines += [f"  {printable(each.at or each.by)}  {each.kind} by {printable(each.by)}: {each.why_not}" for each in report.mentions]
    if not report.mentions:
        lines.append("  nothing else mentions it")
    if report.top is not None:
        lines.append(f"  it hangs under {printable(report.top)}: what keeps that would keep this")
    if report.nearest is not None:
        lines.append(f"  nearest live code: {printable(report.nearest)}; a use there would keep it")
    return lines


def _at(place: str | None, style: Style) -> str:
    return "" if place is None else style.faint(f"  {printable(place)}")
