"""The JSON documents of every face: one function from a report to plain values, and one that writes them.

Their schemas stand in `docs/reference/schemas/`; within a version keys are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ce.app.report import Answer, DeadcodeReport, Degraded, GoalReport, Report
from ce.faces.schema_ids import DEADCODE_SCHEMA, QUERY_SCHEMA, RULES_SCHEMA

if TYPE_CHECKING:
    from ce.app.datalog import DatalogReport
    from ce.app.doctor import DoctorReport
    from ce.app.facts import FactsReport
    from ce.app.lint import LintReport
    from ce.diagnostics import Diagnostic
    from ce.facts.schema import FactRelation

__all__ = [
    "datalog_document",
    "deadcode_document",
    "doctor_document",
    "dump",
    "error_document",
    "facts_document",
    "lint_document",
    "relations_document",
    "report_document",
]

Document = dict[str, object]


def dump(document: Mapping[str, object]) -> str:
    """Return the document as JSON text: ASCII only, so that undecodable bytes of a name stay lone surrogate escapes."""
    import json

    return json.dumps(document, ensure_ascii=True) + "\n"


def report_document(schema: str, report: Report) -> Document:
    """Return `ce.query/1` or `ce.rules/1`."""
    document: Document = {
        "schema": schema,
        "root": report.root,
        "goals": [_goal(goal) for goal in report.goals],
        "errors": [],
        "counts": {**report.counts, "index": dict(report.index)},
        "degraded": _degraded(report.degraded),
        "warnings": _diagnostics(report.warnings),
        "notes": list(report.notes),
    }
    if report.plan is not None:
        document["plan"] = report.plan
    if "fixed" in report.counts:
        document["fixed"] = [{"assertion": entry.assertion, "values": list(entry.values)} for entry in report.fixed]
    return document


def deadcode_document(report: DeadcodeReport) -> Document:
    """Return `ce.deadcode/1`."""
    dead = [
        {
            "path": file.path,
            "verdict": file.verdict,
            "why": file.why,
            "confidence": file.confidence,
            "proof": None if file.proof is None else file.proof.to_dict(),
        }
        for file in report.dead
    ]
    return {
        "schema": DEADCODE_SCHEMA,
        "root": report.root,
        "dead": dead,
        "counts": {**report.counts, "index": dict(report.index)},
        "unresolved_sites": report.unresolved_sites,
        "errors": [],
        "degraded": _degraded(report.degraded),
        "notes": list(report.notes),
    }


def lint_document(schema: str, report: LintReport) -> Document:
    """Return `ce.lint/1`."""
    return {
        "schema": schema,
        "root": report.root,
        "files": list(report.files),
        "warnings": _diagnostics(report.warnings),
        "errors": [],
        "counts": {"warnings": len(report.warnings), "index": dict(report.index)},
        "notes": list(report.notes),
    }


def relations_document(schema: str, relations: Iterable[FactRelation]) -> Document:
    """Return `ce.facts/1` for the list of relations."""
    rows = [
        {
            "name": relation.name,
            "columns": [{"name": name, "sort": sort, "vocabulary": vocabulary or None} for name, sort, vocabulary in relation.columns],
            "meaning": relation.meaning,
            "cost": relation.cost,
            "provider": relation.provider,
        }
        for relation in relations
    ]
    return {"schema": schema, "relations": rows, "errors": []}


def facts_document(schema: str, report: FactsReport) -> Document:
    """Return `ce.facts/1` for the rows of one relation."""
    return {
        "schema": schema,
        "root": report.root,
        "relation": report.relation.name,
        "columns": [column for column, _, _ in report.relation.columns],
        "sorts": list(report.relation.sorts),
        "rows": [list(row) for row in report.rows],
        "counts": {"rows": len(report.rows), "index": dict(report.index)},
        "errors": [],
        "notes": list(report.notes),
    }


def datalog_document(schema: str, report: DatalogReport) -> Document:
    """Return `ce.datalog/1`."""
    document: Document = {
        "schema": schema,
        "load_s": round(report.load_s, 6),
        "eval_s": round(report.eval_s, 6),
        "output_s": round(report.output_s, 6),
        "rows": {output.name: output.length for output in report.outputs},
        "answers": {output.name: [list(row) for row in output.rows] for output in report.outputs if output.rows is not None},
        "goals": [] if report.asked is None else [_goal(report.asked)],
        "errors": [],
        "degraded": _degraded(report.degraded),
        "warnings": _diagnostics(report.warnings),
    }
    if report.plan is not None:
        document["plan"] = report.plan
    if report.profile:
        document["profile"] = [
            {"rule": rule, "rounds": rounds, "rows": rows, "seconds": round(seconds, 6)} for rule, rounds, rows, seconds in report.profile
        ]
    return document


def doctor_document(schema: str, report: DoctorReport) -> Document:
    """Return `ce.doctor/1`."""
    checks = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in report.checks]
    return {"schema": schema, "root": report.root, "well": report.well, "checks": checks, "errors": []}


def error_document(schema: str, root: str, diagnostics: Iterable[Diagnostic]) -> Document:
    """Return the document of a command that judged nothing because of these faults."""
    head: Document = {"schema": schema, "root": root, "counts": {"index": {}}, "degraded": None}
    empty: dict[str, Document] = {
        QUERY_SCHEMA: {"goals": []},
        RULES_SCHEMA: {"goals": []},
        DEADCODE_SCHEMA: {"dead": [], "unresolved_sites": 0},
        "ce.index/1": {"counts": {}},
        "ce.lint/1": {"files": [], "warnings": []},
        "ce.datalog/1": {"load_s": 0, "eval_s": 0, "output_s": 0, "rows": {}},
    }
    return head | empty.get(schema, {}) | {"errors": _diagnostics(diagnostics)}


def _goal(goal: GoalReport) -> Document:
    document: Document = {
        "kind": goal.kind,
        "name": goal.name,
        "severity": goal.severity,
        "columns": list(goal.columns),
        "sorts": list(goal.sorts),
        "answers": [_answer(answer) for answer in goal.answers],
        "doc": goal.doc,
        "at": goal.at,
    }
    if goal.missing is not None:
        document["why_not"] = goal.missing.to_dict()
    if goal.exempted:
        document["exempted"] = [{**_answer(each.answer), "at": each.at, "why": each.why} for each in goal.exempted]
    if goal.known:
        document["known"] = [_answer(answer) for answer in goal.known]
    return document


def _answer(answer: Answer) -> Document:
    proof = None if answer.proof is None else answer.proof.to_dict()
    return {"values": list(answer.values), "message": answer.message, "proof": proof}


def _degraded(degraded: Degraded | None) -> Document | None:
    return None if degraded is None else {"limit": degraded.limit, "message": degraded.message}


def _diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Document]:
    return [
        {
            "code": diagnostic.code,
            "where": None if diagnostic.span is None else diagnostic.span.source,
            "line": None if diagnostic.span is None else diagnostic.span.line,
            "column": None if diagnostic.span is None else diagnostic.span.column,
            "message": diagnostic.message,
            "notes": list(diagnostic.notes),
        }
        for diagnostic in diagnostics
    ]
