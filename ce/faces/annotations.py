"""Violations for machines that show them beside a change: GitHub workflow commands and JUnit test cases."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from ce.app.report import Answer, GoalReport, Report
from ce.faces.cli.text import plural

__all__ = ["github", "junit", "violation_text"]

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def violation_text(goal: GoalReport, answer: Answer) -> str:
    """Return what a violation says: its message, else its row."""
    if answer.message is not None:
        return answer.message
    return ", ".join(f"{column} = {value}" for column, value in zip(goal.columns, answer.values, strict=True)) or str(goal.name)


def github(report: Report) -> str:
    """Return one workflow command for each violation."""
    lines = []
    for goal, answer in report.violations:
        properties = [f"title={_property(f'ce rules: {goal.name}')}"]
        if answer.place is not None:
            properties.insert(0, f"file={_property(answer.place.path)}")
            if answer.place.start:
                properties.insert(1, f"line={answer.place.start},endLine={answer.place.end}")
        lines.append(f"::{_LEVELS[goal.severity]} {','.join(properties)}::{_data(violation_text(goal, answer))}")
    if report.degraded is not None:
        lines.append(f"::error title=ce rules::{_data(f'not judged: {report.degraded.message}')}")
    return "".join(f"{line}\n" for line in lines)


def junit(report: Report) -> str:
    """Return a test suite with one test case for each assertion; a violated assertion of severity `error` is a failure."""
    asserted = [goal for goal in report.goals if goal.kind == "assert"]
    failed = [goal for goal in asserted if goal.answers and goal.severity == "error"]
    errors = 0 if report.degraded is None else 1
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites><testsuite name="ce rules" tests="{len(asserted) + errors}" failures="{len(failed)}" errors="{errors}">',
    ]
    for goal in asserted:
        lines.append(f"<testcase classname={_attribute(goal.at.rpartition(':')[0])} name={_attribute(str(goal.name))}>")
        told = "\n".join(violation_text(goal, answer) for answer in goal.answers)
        if goal in failed:
            lines.append(f'<failure message="{plural(len(goal.answers), "violation")}">{_text(told)}</failure>')
        elif goal.answers:
            lines.append(f"<system-out>{_text(told)}</system-out>")
        lines.append("</testcase>")
    if report.degraded is not None:
        lines.append(f'<testcase classname="ce rules" name="judged"><error message={_attribute(report.degraded.message)}/></testcase>')
    return "\n".join([*lines, "</testsuite></testsuites>"]) + "\n"


def _data(text: str) -> str:
    return _bytes_shown(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _text(text: str) -> str:
    return escape(_xml(text))


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    """Replace what XML 1.0 cannot hold, even escaped."""
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff") else "\ufffd" for c in text
    )


def _bytes_shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
