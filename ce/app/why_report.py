"""What `ce why` replies, as plain values, and these as JSON values and back, for an answer that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ce.app.kept_proofs import decode_proofs, encode_proofs
from ce.app.kept_values import number_of, text_of, text_or_none
from ce.app.why_mentions import Mention
from ce.app.why_targets import Target

if TYPE_CHECKING:
    from ce.app.report import Degraded
    from ce.datalog.proof import ProofNode

__all__ = ["Link", "WhyReport", "read_why", "why_values"]


@dataclass(frozen=True, slots=True)
class Link:
    """One edge of a chain: from what to what, the kind of use, what proves it in a word and in words, and `path:line`."""

    source: str
    target: str
    kind: str
    how: str
    says: str
    at: str | None


@dataclass(frozen=True, slots=True)
class WhyReport:
    """The reply to `ce why`. `verdict` is alive, dead, ambiguous or unknown; `origin` and `rule` say where the chain starts and why.

    `origin_at` is the place that makes it a root. Of a dead name `top` is the top of its island and `nearest` the live body in which a
    use would keep it. `matches` are the names that fit an ambiguous question, `near` those that are spelled nearly like an unknown one.
    """

    root: str
    asked: str
    verdict: str
    target: Target | None = None
    tier: str | None = None
    reason: str = ""
    origin: str | None = None
    rule: str = ""
    origin_at: str | None = None
    chain: tuple[Link, ...] = ()
    mentions: tuple[Mention, ...] = ()
    top: str | None = None
    nearest: str | None = None
    matches: tuple[tuple[Target, str], ...] = ()
    near: tuple[str, ...] = ()
    proof: ProofNode | None = None
    index: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    degraded: Degraded | None = None


def why_values(report: WhyReport) -> list[object]:
    """Return a report as lists, texts and numbers, but for what is about the run: its root, the question, counts and notes."""
    return [
        report.verdict,
        None if report.target is None else _target_values(report.target),
        [report.tier, report.reason, report.origin, report.rule, report.origin_at, report.top, report.nearest],
        [[each.source, each.target, each.kind, each.how, each.says, each.at] for each in report.chain],
        [[each.at, each.by, each.kind, each.why_not] for each in report.mentions],
        [[_target_values(target), word] for target, word in report.matches],
        list(report.near),
        encode_proofs([report.proof]),
    ]


def read_why(document: Any) -> WhyReport:
    """Return the report of such values. Raises ValueError, TypeError or IndexError for anything else."""
    verdict, target, texts, chain, mentions, matches, near, proofs = document
    tier, reason, origin, rule, origin_at, top, nearest = texts
    (proof,) = decode_proofs(proofs)
    return WhyReport(
        "",
        "",
        text_of(verdict),
        None if target is None else _target(target),
        text_or_none(tier),
        text_of(reason),
        text_or_none(origin),
        text_of(rule),
        text_or_none(origin_at),
        tuple(map(_link, chain)),
        tuple(Mention(text_or_none(at), *map(text_of, three)) for at, *three in mentions),
        text_or_none(top),
        text_or_none(nearest),
        tuple((_target(match), text_of(word)) for match, word in matches),
        tuple(map(text_of, near)),
        proof,
    )


def _link(values: Any) -> Link:
    source, target, kind, how, says, at = values
    return Link(text_of(source), text_of(target), text_of(kind), text_of(how), text_of(says), text_or_none(at))


def _target_values(target: Target) -> list[object]:
    return [target.path, target.symbol, target.name, target.qualified, target.kind, target.line, target.end_line]


def _target(values: Any) -> Target:
    path, symbol, name, qualified, kind, line, end_line = values
    return Target(
        text_of(path), text_or_none(symbol), text_of(name), text_of(qualified), text_of(kind), number_of(line), number_of(end_line)
    )
