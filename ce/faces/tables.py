"""Answers for other programs: CSV and Graphviz."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ce.app.report import Report

__all__ = ["csv_bytes", "dot_text", "tsv_bytes"]


def csv_bytes(report: Report) -> bytes:
    """Return the answers of every question as CSV, a blank line between two; undecodable bytes of a name are kept as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, goal in enumerate(report.goals):
        if number:
            text.write("\n")
        if goal.columns:
            writer.writerow(goal.columns)
            writer.writerows(answer.values for answer in goal.answers)
        else:
            writer.writerows([["answer"], ["yes" if goal.answers else "no"]])
    return text.getvalue().encode("utf-8", "surrogateescape")


def dot_text(report: Report) -> str:
    """Return the proof of every answer as Graphviz graphs, one after the other."""
    proofs = [answer.proof for goal in report.goals for answer in goal.answers if answer.proof is not None]
    return "".join(proof.to_dot() for proof in proofs) or "digraph proof {\n}\n"


def tsv_bytes(rows: Iterable[Sequence[int | str]]) -> bytes:
    """Return rows as tab-separated lines; a tab, a line feed or a backslash inside a value is escaped as `\\t`, `\\n`, `\\\\`."""
    lines = ("\t".join(_cell(value) for value in row) + "\n" for row in rows)
    return "".join(lines).encode("utf-8", "surrogateescape")


def _cell(value: int | str) -> str:
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
