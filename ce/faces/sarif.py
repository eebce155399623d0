"""SARIF 2.1.0: violations and dead files as results with places, fingerprints, and proofs as code flows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from ce.app.report import Answer, DeadcodeReport, DeadName, GoalReport, Report
from ce.verdicts.witness import Place

if TYPE_CHECKING:
    from ce.app.allowlist import AllowlistReport
    from ce.app.copies import CloneReport, DedupReport, DocdupReport
    from ce.app.copies import Place as CopyPlace
    from ce.datalog.proof import ProofNode
    from ce.diagnostics import Diagnostic

__all__ = ["allowlist_log", "clone_log", "deadcode_log", "dedup_log", "docdup_log", "error_log", "rules_log"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_DEADCODE_TEXTS = {
    "unref_private": "nothing refers to the file, and it exports nothing",
    "unref_public": "nothing refers to the file, and it exports a declaration",
    "unreach_private": "only dead code refers to the file, and it exports nothing",
    "unreach_public": "only dead code refers to the file, and it exports a declaration",
}

_NAME_TEXTS = {
    "certain": ("nothing uses the name", "warning"),
    "likely": ("only dead code uses the name, or something merely mentions it", "warning"),
    "review": ("something computed or unknown could use the name", "note"),
    "public": ("a library offers the name, and the tree does not use it", "note"),
    "test_only": ("only tests reach the name", "note"),
}

Object = dict[str, object]


def rules_log(report: Report) -> str:
    """Return the log of `ce rules`: one rule for each assertion, one result for each violation."""
    asserted = [goal for goal in report.goals if goal.kind == "assert"]
    rules = [_rule(f"ce.rules/{goal.name}", goal.doc or f"assertion `{goal.name}`", goal.severity) for goal in asserted]
    results = [
        _result(f"ce.rules/{goal.name}", number, goal.severity, _message(goal, answer), answer.place, answer.values, answer.proof)
        for number, goal in enumerate(asserted)
        for answer in goal.answers
    ]
    results += [_suppressed(number, goal, answer, kind, why) for number, goal in enumerate(asserted) for answer, kind, why in _apart(goal)]
    return _log(rules, results, failure=None if report.degraded is None else report.degraded.message)


def deadcode_log(report: DeadcodeReport, names: Sequence[DeadName] | None = None) -> str:
    """Return the log of `ce deadcode`: one rule for each verdict and tier, one result for each dead file and name."""
    numbers = {verdict: number for number, verdict in enumerate(_DEADCODE_TEXTS)}
    rules = [_rule(f"ce.deadcode/{verdict}", text, "warning") for verdict, text in _DEADCODE_TEXTS.items()]
    results = [
        _result(
            f"ce.deadcode/{file.verdict}",
            numbers[file.verdict],
            "warning",
            f"dead file: {file.why} (confidence {file.confidence})",
            Place(file.path),
            (file.path,),
            file.proof,
        )
        for file in report.dead
    ]
    if names is not None:
        first = len(rules)
        rules += [_rule(f"ce.deadcode/name_{tier}", text, level) for tier, (text, level) in _NAME_TEXTS.items()]
        results += [_name_result(each, first + list(_NAME_TEXTS).index(each.tier)) for each in names]
    return _log(rules, results, failure=None if report.degraded is None else report.degraded.message)


def _name_result(name: DeadName, number: int) -> Object:
    hangs = "" if name.island is None else f"; it hangs under `{name.island}`"
    text = f"dead {name.kind} `{name.qualified}`: {name.why}{hangs}"
    place = Place(name.path, name.line, name.end_line)
    return _result(f"ce.deadcode/name_{name.tier}", number, _NAME_TEXTS[name.tier][1], text, place, (name.qualified, name.kind), name.proof)


def allowlist_log(report: AllowlistReport) -> str:
    """Return the log of `ce allowlist`: offenders, widened offenders and stale entries as results."""
    rules = [
        _rule("ce.allowlist/offender", "an exported name has no caller in the product", "error"),
        _rule("ce.allowlist/widened", "a public name outside `__all__` has no caller in the product", "error"),
        _rule("ce.allowlist/stale", "an exception no longer earns its place", "error"),
    ]
    if report.verdicts is None:
        return _log(rules, [], failure=str(report.error))
    results = []
    for number, offenders in enumerate((report.verdicts.offenders, report.verdicts.widened_offenders)):
        for offender in offenders:
            place = Place(offender.path, offender.line, offender.line)
            text = f"{offender.key} has no caller"
            results.append(_result(str(rules[number]["id"]), number, "error", text, place, (str(offender.key),), None))
    for entry in report.verdicts.stale:
        path, _, line = entry.at.rpartition(":")
        place = Place(path, int(line), int(line))
        results.append(_result("ce.allowlist/stale", 2, "error", str(entry), place, (str(entry.key), entry.verdict), None))
    short = [f"{floor.found} {floor.what}, {floor.needed} needed" for floor in report.verdicts.floors if not floor.ok]
    return _log(rules, results, failure="; ".join(short) or None)


def dedup_log(report: DedupReport) -> str:
    """Return the log of `ce dedup`: one result for each block, its other place related."""
    rules = [
        _rule("ce.dedup/t1", "the same code stands twice, to the letter", "warning"),
        _rule("ce.dedup/t2", "the same code stands twice, under other names or constants", "warning"),
    ]
    results = [
        _twice(rules, int(block.kind == "T2"), f"{block.tokens} tokens copied", block.a, block.b, block.proof) for block in report.blocks
    ]
    return _log(rules, results, failure=None if report.degraded is None else report.degraded.message)


def clone_log(report: CloneReport) -> str:
    """Return the log of `ce clone`: one result for each pair, its other place related."""
    rules = [_rule("ce.clone/near", "two functions are nearly the same", "note")]
    results = [
        _twice(
            rules, 0, f"`{pair.a_key}` is nearly `{pair.b_key}`: {pair.ted} edits of {max(pair.n1, pair.n2)}", pair.a, pair.b, pair.proof
        )
        for pair in report.pairs
    ]
    return _log(rules, results, failure=None if report.degraded is None else report.degraded.message)


def docdup_log(report: DocdupReport) -> str:
    """Return the log of `ce docdup`: one result for each pair, its other place related."""
    rules = [_rule("ce.docdup/duplicate", "the same prose stands twice", "warning")]
    results = [
        _twice(rules, 0, f"prose copied: {pair.inter}/{pair.union} shingles, {pair.verbatim} words verbatim", pair.a, pair.b, pair.proof)
        for pair in report.pairs
    ]
    return _log(rules, results, failure=None if report.degraded is None else report.degraded.message)


def _twice(rules: Sequence[Object], number: int, text: str, a: CopyPlace, b: CopyPlace, proof: ProofNode | None) -> Object:
    here, there = (Place(place.path, place.start, place.end) for place in (a, b))
    values = (a.path, a.start, a.end, b.path, b.start, b.end)
    message = f"{text}; also at {b.path}:{b.start}-{b.end}"
    result = _result(str(rules[number]["id"]), number, "warning", message, here, values, proof)
    result["relatedLocations"] = [{"id": 1, **_location(there), "message": {"text": "the other place"}}]
    return result


def error_log(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the log of a command that judged nothing because of these faults."""
    notifications: list[Object] = []
    for diagnostic in diagnostics:
        entry: Object = {"level": "error", "message": {"text": f"{diagnostic.code}: {diagnostic.message}"}}
        if diagnostic.span is not None:
            entry["locations"] = [_location(Place(diagnostic.span.source, diagnostic.span.line, diagnostic.span.end_line))]
        notifications.append(entry)
    return _log([], [], notifications=notifications)


def _log(rules: Sequence[Object], results: Sequence[Object], *, failure: str | None = None, notifications: Sequence[Object] = ()) -> str:
    from ce import __version__

    told = [*notifications, *([{"level": "error", "message": {"text": failure}}] if failure is not None else [])]
    invocation: Object = {"executionSuccessful": not told}
    if told:
        invocation["toolExecutionNotifications"] = told
    run: Object = {
        "tool": {"driver": {"name": "CodeEraser", "semanticVersion": __version__, "rules": list(rules)}},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": list(results),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=True) + "\n"


def _apart(goal: GoalReport) -> Iterator[tuple[Answer, str, str]]:
    """Yield what a marker in the source or a baseline suppresses, with the kind of suppression and the reason."""
    for each in goal.exempted:
        yield each.answer, "inSource", f"{each.why} ({each.at})"
    for answer in goal.known:
        yield answer, "external", "known to the baseline"


def _suppressed(number: int, goal: GoalReport, answer: Answer, kind: str, why: str) -> Object:
    name, text = f"ce.rules/{goal.name}", _message(goal, answer)
    result = _result(name, number, goal.severity, text, answer.place, answer.values, answer.proof)
    return result | {"suppressions": [{"kind": kind, "justification": why}]}


def _rule(name: str, text: str, severity: str) -> Object:
    return {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": severity}}


def _result(
    rule: str, number: int, severity: str, text: str, place: Place | None, values: Sequence[int | str], proof: ProofNode | None
) -> Object:
    result: Object = {
        "ruleId": rule,
        "ruleIndex": number,
        "level": severity,
        "message": {"text": text},
        "partialFingerprints": {"codeEraserWitness/v1": _fingerprint(rule, values)},
    }
    if place is not None:
        result["locations"] = [_location(place)]
    if proof is not None:
        result["codeFlows"] = [{"threadFlows": [{"locations": _steps(proof, place)}]}]
    return result


def _steps(proof: ProofNode, fallback: Place | None) -> list[Object]:
    """Return the facts of a proof as the steps of a code flow; a step without a place of its own stands at the result's."""
    from ce.datalog.proof import number_nodes, statement

    steps: list[Object] = []
    for entry in number_nodes(proof):
        node = entry.node
        if node.kind == "goal" and not node.predicate and node.premises:
            continue  # the question itself: what answers it follows
        path, _, line = (node.at or "").rpartition(":")
        here = Place(path, int(line), int(line)) if node.at and line.isdigit() and int(line) > 0 else fallback
        if here is None:
            continue
        location = _location(here) | {"message": {"text": statement(node)}}
        steps.append({"location": location, "nestingLevel": 1 if steps else 0})
    return steps or [{"location": {"message": {"text": "no place"}}}]


def _location(place: Place) -> Object:
    physical: Object = {"artifactLocation": {"uri": _uri(place.path), "uriBaseId": "%SRCROOT%"}}
    if place.start > 0:
        physical["region"] = {"startLine": place.start, "endLine": max(place.start, place.end)}
    return {"physicalLocation": physical}


def _uri(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/~")


def _message(goal: GoalReport, answer: Answer) -> str:
    if answer.message is not None:
        return answer.message
    row = ", ".join(f"{column} = {value}" for column, value in zip(goal.columns, answer.values, strict=True))
    return f"{goal.name}: {row}" if row else str(goal.name)


def _fingerprint(rule: str, values: Sequence[int | str]) -> str:
    """Identify a violation by its rule and row; the lines of a unit move and are left out."""
    stable = [_without_lines(str(value)) for value in values]
    return hashlib.blake2b(json.dumps([rule, *stable]).encode(), digest_size=16).hexdigest()


def _without_lines(value: str) -> str:
    return re.sub(r":\d+-\d+(?= )", "", value)
