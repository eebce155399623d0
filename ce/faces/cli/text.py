"""How reports read in a terminal: pure functions from values to text. Every command prints through this module."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ce.diagnostics import Diagnostic, Severity, render
from ce.faces.cli.terminal import Style, printable

if TYPE_CHECKING:
    from ce.app.datalog import DatalogReport
    from ce.app.doctor import DoctorReport
    from ce.app.lint import LintReport
    from ce.app.report import Answer, DeadcodeReport, DeadFile, Degraded, GoalReport, Report
    from ce.app.why_not import Missing
    from ce.datalog.proof import ProofNode
    from ce.datalog.why_not import Attempt
    from ce.facts.schema import FactRelation

__all__ = [
    "counts_line",
    "deadcode_text",
    "diagnostic_text",
    "doctor_text",
    "index_text",
    "lint_text",
    "plural",
    "proof_lines",
    "relations_text",
    "report_text",
    "table",
    "written_proof_lines",
]

_CONFIDENCE = {0: "in doubt", 1: "unvouched", 2: "vouched"}


def report_text(report: Report, style: Style) -> str:
    """Return the reply to a question or to rules: each goal with its rows and proofs, then one line of counts."""
    lines: list[str] = []
    if report.plan is not None:
        lines += [report.plan.rstrip("\n"), ""]
    for goal in report.goals:
        lines += _goal(goal, style)
    for entry in report.fixed:
        row = ", ".join(printable(str(value)) for value in entry.values)
        lines.append(f"{style.good('fixed')}  {printable(entry.assertion)}({row})")
    lines += _degraded(report.degraded, style)
    lines += _omitted(report.counts)
    if report.empty and report.goals:
        lines.append("the tree is empty: there are no files to ask about")
    lines.append(style.faint(counts_line(report.counts, report.index)))
    return "\n".join(lines) + "\n"


def deadcode_text(report: DeadcodeReport, style: Style) -> str:
    """Return the dead files with their verdicts, then one line of counts."""
    lines = _degraded(report.degraded, style)
    if report.degraded is None:
        if report.empty:
            lines.append("the tree is empty: there is nothing to judge")
        elif not report.dead:
            lines.append(style.good("no dead file"))
        for file in report.dead:
            lines += _dead_file(file, style)
        lines += _omitted(report.counts)
        if report.unresolved_sites:
            lines.append(
                f"{plural(report.unresolved_sites, 'reference')} unresolved: ce query 'outcome(F, L, S, unresolved, Why)' lists them"
            )
    lines.append(style.faint(counts_line(report.counts, report.index)))
    return "\n".join(lines) + "\n"


def diagnostic_text(diagnostic: Diagnostic, sources: Mapping[str, str], style: Style) -> str:
    """Return a diagnostic with the line it points at, safe for a terminal."""
    first, *rest = render(diagnostic, dict(sources)).split("\n")
    colour = style.bad if diagnostic.severity is Severity.ERROR else style.warn
    return "\n".join([colour(printable(first)), *map(printable, rest)])


def index_text(counts: Mapping[str, int]) -> str:
    """Return what a refresh of the index did."""
    told = ", ".join(f"{counts.get(key, 0):,} {key}" for key in ("extracted", "reused", "removed", "skipped"))
    return f"{plural(counts.get('files', 0), 'file')}: {told}\n"


def relations_text(relations: Sequence[FactRelation], style: Style) -> str:
    """Return every relation with its columns and its meaning; costly ones are marked."""
    from ce.facts.schema import Cost

    lines: list[str] = []
    for relation in relations:
        costly = "  (measured only when asked for)" if relation.cost == Cost.COSTLY else ""
        lines.append(style.strong(relation.signature))
        lines.append(f"    {relation.meaning}{style.faint(costly)}")
    return "\n".join(lines) + "\n"


def lint_text(report: LintReport, style: Style) -> str:
    """Return the warnings with the lines they are about, then how many there are."""
    lines = [diagnostic_text(warning, report.sources, style) for warning in report.warnings]
    lines.append(style.faint(f"{plural(len(report.files), 'file')}, {plural(len(report.warnings), 'warning')}"))
    return "\n".join(lines) + "\n"


def datalog_text(report: DatalogReport, style: Style) -> str:
    """Return the outputs of a program as tables, or how many rows each file got, then the answers to the question."""
    lines = _degraded(report.degraded, style)
    if report.plan is not None:
        lines += [report.plan.rstrip("\n"), ""]
    for output in report.outputs:
        head = f"{style.strong(output.name)}  {plural(output.length, 'row')}"
        lines += [head] if not output.rows or not output.columns else [head, *table(output.columns, output.rows)]
    if report.asked is not None:
        lines += _goal(report.asked, style)
    if report.profile:
        lines += table(("rule", "rounds", "rows", "seconds"), [(*row[:3], f"{row[3]:.6f}") for row in report.profile])
    return "\n".join(lines) + "\n" if lines else ""


def doctor_text(report: DoctorReport, style: Style) -> str:
    """Return one line for each thing looked at."""
    width = max(len(check.name) for check in report.checks)
    lines = [
        f"{style.good('ok  ') if check.ok else style.bad('FAIL')}  {check.name:<{width}}  {printable(check.detail)}"
        for check in report.checks
    ]
    return "\n".join(lines) + "\n"


def counts_line(counts: Mapping[str, int], index: Mapping[str, int]) -> str:
    """Return the counts that are told in one line."""
    parts: list[str] = []
    if index:
        skipped = f" ({index['skipped']} skipped)" if index.get("skipped") else ""
        parts.append(plural(index.get("files", 0), "file") + skipped)
    words = {"entries": ("entry", "entries"), "dead": ("dead file", "dead files"), "facts": ("fact", "facts")}
    words |= {"violations": ("violation", "violations"), "asserts": ("assertion", "assertions")}
    words |= {"known": ("known", "known"), "fixed": ("fixed", "fixed"), "exempted": ("exempted", "exempted")}
    for key in ("entries", "dead", "asserts", "violations", "exempted", "known", "fixed", "facts"):
        if key in counts and not (key in ("asserts", "violations") and not counts.get("asserts")):
            one, many = words[key]
            parts.append(f"{counts[key]:,} {one if counts[key] == 1 else many}")
    return ", ".join(parts) if parts else "nothing was asserted"


def proof_lines(proof: ProofNode) -> list[str]:
    """Return a proof, indented below what it proves, without the root, which only repeats that."""
    return [f"    {line.removeprefix('  ')}" for line in proof.to_text().split("\n")[1:]]


def written_proof_lines(document: Mapping[str, object]) -> list[str]:
    """Return the lines of a proof that is there as JSON values."""
    from ce.datalog.proof_document import read_proof

    return proof_lines(read_proof(document))


def plural(number: int, noun: str) -> str:
    """Return the number and the noun that goes with it."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(header: Sequence[str], rows: Sequence[Sequence[int | str]], indent: str = "  ") -> list[str]:
    """Return aligned lines: numbers to the right, names to the left, the last column unpadded."""
    cells = [[printable(str(value)) for value in row] for row in rows]
    numeric = [all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    widths = [max([_width(head), *(_width(row[column]) for row in cells)]) for column, head in enumerate(header)]

    def line(row: Sequence[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell if right else cell + " " * (width - _width(cell))
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        return (indent + "  ".join(padded)).rstrip()

    return [line(header), *map(line, cells)]


def _goal(goal: GoalReport, style: Style) -> list[str]:
    head = _head(goal, style)
    lines = [head] if goal.doc is None or not goal.answers else [head, f"  {printable(goal.doc)}"]
    if goal.kind == "query" and not goal.columns:
        return lines + _explanations(goal)
    told_apart = goal.kind == "assert" or any(answer.proof is not None for answer in goal.answers)
    if told_apart:
        for answer in goal.answers:
            lines += _answer(goal, answer)
        return lines + _explanations(goal, answers=False)
    if goal.answers:
        lines += table(goal.columns, [answer.values for answer in goal.answers])
    return lines + _explanations(goal, answers=False)


def _head(goal: GoalReport, style: Style) -> str:
    number = len(goal.answers)
    if goal.kind == "query":
        text = f"?- {' '.join(printable(goal.text.removeprefix('?-').removesuffix('.')).split())}."
        if goal.columns:
            return f"{style.strong(text)}  {plural(number, 'answer')}"
        return f"{style.strong(text)}  {style.good('yes') if number else style.warn('no')}"
    apart = [f"{len(rows):,} {what}" for rows, what in ((goal.exempted, "exempted"), (goal.known, "known")) if rows]
    aside = f" ({', '.join(apart)})" if apart else ""
    if not number:
        return f"{style.strong(f'assert {goal.name}')}  {style.good('ok')}{aside}"
    word = plural(number, "violation") + ("" if goal.severity == "error" else f" ({goal.severity})")
    return f"{style.strong(f'assert {goal.name}')}  {style.bad(word) if goal.severity == 'error' else style.warn(word)}{aside}  {goal.at}"


def _answer(goal: GoalReport, answer: Answer) -> list[str]:
    values = ", ".join(f"{column} = {printable(str(value))}" for column, value in zip(goal.columns, answer.values, strict=True))
    lines = [f"  {printable(answer.message)}" if answer.message else f"  {values}"]
    return lines + _proof(answer)


def _explanations(goal: GoalReport, *, answers: bool = True) -> list[str]:
    lines = [line for answer in goal.answers if answers for line in _proof(answer)]
    if goal.missing is not None:
        for attempt, reason in zip(goal.missing.why_not.attempts, goal.missing.because, strict=True):
            lines += _attempt(attempt, reason, 1)
    return lines


def _attempt(attempt: Attempt, because: Missing | ProofNode | None, level: int) -> list[str]:
    """Return how far a rule got and what was missing, then why that is so, one level deeper."""
    from ce.datalog.proof import ProofNode

    indent = "  " * level
    place = "" if attempt.rule.startswith("query:") else f"  (rule {attempt.rule})"
    lines = [f"{indent}{printable(literal)} holds" for literal in attempt.satisfied]
    if attempt.position is None:
        lines.append(f"{indent}{printable(attempt.missing)} is for other rows{place}")
    elif isinstance(because, ProofNode):
        lines.append(f"{indent}{printable(attempt.missing)} fails{place}, because")
        lines += [f"{indent}  {line}" for line in because.to_text().split("\n")]
    elif because is not None and because.why_not.attempts:
        lines.append(f"{indent}{printable(attempt.missing)} is missing{place}")
        for deeper, reason in zip(because.why_not.attempts, because.because, strict=True):
            lines += _attempt(deeper, reason, level + 1)
    else:
        lines.append(f"{indent}{printable(attempt.missing)} fails{place}: {printable(attempt.reason)}")
    return lines


def _proof(answer: Answer | DeadFile) -> list[str]:
    """Return the proof below its answer, without the root, which only repeats the answer."""
    return [] if answer.proof is None else proof_lines(answer.proof)


def _dead_file(file: DeadFile, style: Style) -> list[str]:
    head = f"{style.bad(file.verdict)}  {printable(file.path)}"
    return [f"{head}  {style.faint(f'{file.why}; {_CONFIDENCE[file.confidence]}')}", *_proof(file)]


def _omitted(counts: Mapping[str, int]) -> list[str]:
    omitted = counts.get("proofs_omitted", 0)
    return [f"{plural(omitted, 'proof')} left out for their length: ask about one answer to see its own"] if omitted else []


def _degraded(degraded: Degraded | None, style: Style) -> list[str]:
    return [] if degraded is None else [style.bad(f"not judged: {degraded.message} (limit: {degraded.limit})")]


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
