"""How copied code and copied prose read in a terminal: each family once, its first two places side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from ce.faces.cli.terminal import Style, printable
from ce.faces.cli.text import plural, proof_lines

if TYPE_CHECKING:
    from ce.app.copies import CloneReport, CodeBlock, CodeGroup, DedupReport, DocdupReport, Place

__all__ = ["clone_text", "dedup_text", "docdup_text"]

Excerpt = Callable[["Place"], list[str]]
_SHOWN_PLACES = 20


def dedup_text(report: DedupReport, style: Style, excerpt: Excerpt | None, width: int, *, why: bool = False) -> str:
    """Return the groups of copies, largest first; `excerpt` gives the lines of a place, None leaves them out."""
    if report.degraded is not None:
        return f"{style.bad('not judged')}: {report.degraded.message}\n"
    lines: list[str] = []
    for group in sorted(report.groups, key=lambda group: (-group.tokens, group.members)):
        lines.append(style.strong(_group_head(group)))
        lines += _places(group.members)
        if excerpt is not None:
            lines += _side_by_side(_longest_run(group, report.blocks), excerpt, width, style)
    if why:
        for block in report.blocks:
            lines.append(f"{_shown(block.a)} = {_shown(block.b)}: {block.tokens} tokens, {block.kind}")
            lines += [] if block.proof is None else proof_lines(block.proof)
    if report.empty:
        lines.append("the tree is empty: there is nothing to judge")
    summary = report.summary
    left_out = summary["low_diversity_suppressed"] + summary["imports_suppressed"]
    lines.append(
        style.faint(
            f"{plural(summary['blocks'], 'block')} in {plural(summary['groups'], 'group')}: {summary['t1']} to the letter, "
            f"{summary['t2']} renamed; {left_out} left out as tables or imports; {plural(summary['files'], 'file')}"
        )
    )
    if report.over_budget is not None:
        lines.append(style.bad(f"over budget: {report.over_budget[0]} blocks, {report.over_budget[1]} allowed"))
    elif report.budget is not None and summary["blocks"] < report.budget:
        lines.append(style.faint(f"the budget of {report.budget} can shrink to {summary['blocks']}"))
    return "\n".join(lines) + "\n"


def clone_text(report: CloneReport, style: Style, excerpt: Excerpt | None, width: int, *, why: bool = False) -> str:
    """Return the pairs of functions, those that share most first: what is short and alike is more often alike by chance."""
    if report.degraded is not None:
        return f"{style.bad('not judged')}: {report.degraded.message}\n"
    lines: list[str] = []
    for pair in sorted(report.pairs, key=lambda pair: (pair.ted - max(pair.n1, pair.n2), pair.a, pair.b)):
        edits = "the same tree" if pair.ted == 0 else f"{plural(pair.ted, 'edit')} of {max(pair.n1, pair.n2)} nodes"
        lines.append(f"{style.strong(edits)}: {_shown(pair.a)} {printable(pair.a_key)} = {_shown(pair.b)} {printable(pair.b_key)}")
        if excerpt is not None:
            lines += _side_by_side((pair.a, pair.b), excerpt, width, style)
        lines += [] if pair.proof is None or not why else proof_lines(pair.proof)
    if report.empty:
        lines.append("the tree is empty: there is nothing to judge")
    counts = report.counts
    lines.append(
        style.faint(
            f"{plural(counts['clones'], 'pair')}, {counts['identical']} with the same tree; {plural(counts['functions'], 'function')}"
        )
    )
    return "\n".join(lines) + "\n"


def docdup_text(report: DocdupReport, style: Style, excerpt: Excerpt | None, width: int, *, why: bool = False) -> str:
    """Return the families of copied prose and how alike their members are."""
    if report.degraded is not None:
        return f"{style.bad('not judged')}: {report.degraded.message}\n"
    lines: list[str] = []
    for family in report.families:
        lines.append(style.strong(f"the same prose in {plural(len(family), 'place')}"))
        lines += _places(family)
        if excerpt is not None:
            lines += _side_by_side(family, excerpt, width, style)
    for pair in report.pairs:
        contained = ", one inside the other" if pair.contained == 100 and pair.inter < pair.union else ""
        lines.append(f"{_shown(pair.a)} = {_shown(pair.b)}: {pair.inter}/{pair.union} shingles, {pair.verbatim} words verbatim{contained}")
        lines += [] if pair.proof is None or not why else proof_lines(pair.proof)
    if report.empty:
        lines.append("the tree is empty: there is nothing to judge")
    counts = report.counts
    lines.append(
        style.faint(
            f"{plural(counts['dups'], 'pair')}, families: {counts['families']}; {plural(counts['segments'], 'segment')}, "
            f"{counts['exempt_license']} licence headers and {counts['exempt_allow']} allowed copies not compared"
        )
    )
    return "\n".join(lines) + "\n"


def _group_head(group: CodeGroup) -> str:
    tokens = f"{group.tokens} tokens" if group.blocks == 1 else f"up to {group.tokens} tokens"
    # Runs of one file that meet on a line are one place that repeats itself.
    return f"{tokens} in {plural(len(group.members), 'place')}" if len(group.members) > 1 else f"{tokens} repeated in 1 place"


def _longest_run(group: CodeGroup, blocks: Sequence[CodeBlock]) -> tuple[Place, Place]:
    """Return both ends of the longest block of a group: its places hold more than what two of them share."""

    def inside(place: Place) -> bool:
        return any(place.path == all_.path and all_.start <= place.start and place.end <= all_.end for all_ in group.members)

    longest = min((block for block in blocks if inside(block.a)), key=lambda block: (-block.tokens, block.a, block.b))
    return longest.a, longest.b


def _places(places: Sequence[Place]) -> list[str]:
    lines = [f"  {_shown(place)}" for place in places[:_SHOWN_PLACES]]
    return lines + ([f"  and {len(places) - _SHOWN_PLACES} more"] if len(places) > _SHOWN_PLACES else [])


def _shown(place: Place) -> str:
    return printable(f"{place.path}:{place.start}-{place.end}")


def _side_by_side(places: Sequence[Place], excerpt: Excerpt, width: int, style: Style) -> list[str]:
    left, right = (_cells(excerpt(place)) for place in places[:2])
    column = max(20, (width - 7) // 2)
    rows = zip_longest(left, right, fillvalue="")
    return [f"    {style.faint(f'{one[:column]:<{column}} | {two[:column]}'.rstrip())}" for one, two in rows]


def _cells(lines: Sequence[str]) -> list[str]:
    """Return the lines without their common indentation."""
    expanded = [printable(line.expandtabs(4)) for line in lines]
    indents = [len(line) - len(line.lstrip()) for line in expanded if line.strip()]
    cut = min(indents, default=0)
    return [line[cut:] for line in expanded]
