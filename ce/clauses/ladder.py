"""Deciding a recorded call by a corpus: the rungs red, yellow, green, then what was recorded.

A red clause denies, a yellow one withholds or corrects, a green one permits; orange has no rung of its own. A command
line of several commands is judged command by command: one match is enough to restrict, every part must be permitted.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ce.clauses.model import TIERS, Clause
from ce.clauses.prover import matches
from ce.diagnostics import CeError

__all__ = ["FALLBACK", "Decision", "Record", "decide", "haystacks", "hits", "record_of"]

FALLBACK = "fallback"
_PAYLOAD = frozenset(
    {"content", "contents", "file_text", "new_str", "new_string", "old_str", "old_string", "insert_text", "patch", "edits", "body"}
)
_SEPARATORS = frozenset({";", "&&", "||", "|", "&", "|&", ";;", "\n"})
_RECORDED_RUNGS = frozenset({"classifier", "human"})


@dataclass(frozen=True, slots=True)
class Record:
    """One decision of the past: the call, what was decided and by which rung. `args` is None when the call was not stored."""

    tool: str
    args: Mapping[str, object] | None
    verdict: str
    rung: str
    label: str = ""
    day: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with the rung and the label of what decided it."""

    verdict: str
    rung: str
    label: str


def record_of(entry: Mapping[str, object] | Record, at: str) -> Record:
    """Return a record of `{"call": {"tool", "args"} | null, "verdict", "rung", "label", "at"}`; `at` there is days or an ISO time.

    Raises CeError (CE602) naming the place when a field is missing or of another kind.
    """
    if isinstance(entry, Record):
        return entry
    if not isinstance(entry, Mapping):
        raise CeError.of("CE602", f"{at}: a record is a mapping")
    call = entry.get("call", entry if "tool" in entry else None)
    verdict, rung = entry.get("verdict"), entry.get("rung", FALLBACK)
    if not isinstance(verdict, str) or not isinstance(rung, str):
        raise CeError.of("CE602", f"{at}: a record has a `verdict` and a `rung`, both texts")
    args: Mapping[str, object] | None = None
    tool = ""
    if isinstance(call, Mapping):
        tool, given = str(call.get("tool", "")), call.get("args", call.get("arguments", {}))
        if not isinstance(given, str | Mapping):
            raise CeError.of("CE602", f"{at}: the arguments of a call are a mapping")
        args = {"command": given} if isinstance(given, str) else given
    elif call is not None:
        raise CeError.of("CE602", f"{at}: `call` is a mapping or null")
    return Record(tool, args, verdict, rung, str(entry.get("label") or ""), _day(entry.get("at", entry.get("ts", 0)), at))


def haystacks(record: Record, level: str | None) -> tuple[str, ...]:
    """Return what the matchers of a level see: one text for each command of the call.

    Green clauses do not see payload fields such as file contents; the restrictive levels do.
    """
    if record.args is None:
        return ()
    args = {key: value for key, value in record.args.items() if level != "green" or key not in _PAYLOAD}
    command = args.get("command")
    if not isinstance(command, str):
        return (_haystack(record.tool, args),)
    return tuple(_haystack(record.tool, args | {"command": part}) for part in _commands(command))


def hits(clause: Clause, record: Record) -> bool:
    """Tell whether some command of the call matches some pattern of the clause."""
    return any(matches(pattern, text) for text in haystacks(record, clause.level) for pattern in clause.patterns)


def decide(clauses: Sequence[Clause], record: Record) -> Decision:
    """Decide a stored call by the clauses of an effective corpus; what no rung decides answers as it was recorded."""
    for level, verdict in (("red", "deny"), ("yellow", "withhold")):
        clause = _first(clause for clause in clauses if clause.level == level and hits(clause, record))
        if clause is not None:
            corrected = verdict if clause.fix is None else f"correct {json.dumps(clause.fix, ensure_ascii=False)}"
            return Decision(corrected, level, clause.id)
    greens = [clause for clause in clauses if clause.level == "green"]
    permits = [_first(clause for clause in greens if any(matches(p, text) for p in clause.patterns)) for text in haystacks(record, "green")]
    if permits and all(permits):
        return Decision("allow", "green", next(clause.id for clause in permits if clause))
    if record.rung in _RECORDED_RUNGS:
        return Decision(record.verdict, record.rung, record.label or record.rung)
    return Decision(record.verdict, FALLBACK, FALLBACK)


def _first(clauses: Iterable[Clause]) -> Clause | None:
    """Return the clause that answers: the narrowest tier first, then the lowest id."""
    return min(clauses, key=lambda clause: (-TIERS.index(clause.tier), clause.id), default=None)


def _haystack(tool: str, args: Mapping[str, object]) -> str:
    return f"{tool} {json.dumps(args, ensure_ascii=False, separators=(',', ':'), default=str)}"


def _commands(line: str) -> tuple[str, ...]:
    """Split a command line at its separators outside quotes; one that no shell could read stays whole."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars=";&|\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    parts: list[list[str]] = [[]]
    try:
        for token in lexer:
            if token in _SEPARATORS or set(token) <= set(";&|\n"):
                parts.append([])
            else:
                parts[-1].append(token)
    except ValueError:
        return (line,)
    return tuple(" ".join(part) for part in parts if part) or (line,)


def _day(value: object, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise CeError.of("CE602", f"{at}: `at` is a number of days or an ISO time")
    if isinstance(value, str):
        from datetime import datetime

        try:
            return datetime.fromisoformat(value).timestamp() / 86400
        except ValueError:
            raise CeError.of("CE602", f"{at}: `{value}` is no ISO time") from None
    # Epoch milliseconds and seconds are told from days by their size.
    return value / 86_400_000 if value > 1e11 else value / 86_400 if value > 1e7 else float(value)
