"""What a run of the clause pipeline says: merges, counts, headline, and the reason why it ended as it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ce.clauses.findings import CAP, Finding

__all__ = ["ADDITION_CAP", "EXIT_REASONS", "Report", "lines_of", "report"]

ADDITION_CAP = 5
_FORCED = ("no-new-records", "calibration-failed", "ceiling-held", "lock-held", "no-input", "error")
EXIT_REASONS = (
    "ok",
    "no-new-records",
    "no-shape-cleared-floor",
    "all-candidates-failed-replay",
    "calibration-failed",
    "all-candidates-suppressed",
    "ceiling-held",
    "lock-held",
    "caps-hit",
    "no-input",
    "error",
)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run. `merges` are the findings within the cap, `omitted` how many it left out; `merged` counts proposals."""

    merges: tuple[Finding, ...]
    omitted: int
    added: int
    retired: int
    merged: int
    headline: str
    exit_reason: str

    def __getitem__(self, name: str) -> object:
        return self.to_dict()[name]

    def to_dict(self) -> dict[str, object]:
        """Return the report as JSON values; `merges` is a list even when it is empty."""
        return {
            "merges": [finding.to_dict() for finding in self.merges],
            "omitted": self.omitted,
            "added": self.added,
            "retired": self.retired,
            "merged": self.merged,
            "headline": self.headline,
            "exit_reason": self.exit_reason,
        }


def report(run: Mapping[str, object]) -> Report:
    """Return the report of a run.

    `run` may hold `findings` (list of Finding) and the counts `proposed`, `overwritten`, `retired`, `considered`, `admitted`,
    `failed_replay`, `suppressed`, `below_floor`; a missing count is 0. `ended` forces one of the exit reasons that no count decides.
    """
    found = run.get("findings") or ()
    assert isinstance(found, list | tuple)
    ordered = sorted(found, key=lambda finding: finding.drop)
    merges = tuple(ordered[:CAP])
    merged = sum(finding.proposed for finding in merges)
    added, retired = _count(run, "proposed") + _count(run, "overwritten"), _count(run, "retired")
    proposals, below = _count(run, "proposed"), _count(run, "below_floor")
    net = added - retired - merged
    headline = (
        f"clauses: +{added} \N{MINUS SIGN}{retired} merge {merged} = net {net}  "
        f"({proposals} {_plural('proposal', proposals)}, {below} {_plural('shape', below)} below the floor)"
    )
    return Report(merges, len(ordered) - len(merges), added, retired, merged, headline, _exit_reason(run, added + retired + merged))


def lines_of(outcome: Report) -> tuple[str, ...]:
    """Return the printed lines: `= drop` for a proposed finding, `? drop` for a listed one, then what the cap left out and the headline."""
    lines = [
        f"{'=' if finding.proposed else '?'} {finding.drop}  kept: {finding.keep} ({finding.proof}, {finding.level}, {finding.tier})"
        for finding in outcome.merges
    ]
    if outcome.omitted:
        lines.append(f"{outcome.omitted} more {_plural('finding', outcome.omitted)} not shown")
    return (*lines, outcome.headline)


def _exit_reason(run: Mapping[str, object], output: int) -> str:
    ended = run.get("ended")
    if output:
        return "caps-hit" if _count(run, "admitted") > ADDITION_CAP else "ok"
    if ended in _FORCED:
        return str(ended)
    if not _count(run, "considered"):
        return "no-shape-cleared-floor"
    if _count(run, "failed_replay") and not _count(run, "admitted"):
        return "all-candidates-failed-replay"
    if _count(run, "suppressed"):
        return "all-candidates-suppressed"
    return "no-shape-cleared-floor"


def _count(run: Mapping[str, object], name: str) -> int:
    value = run.get(name, 0)
    assert isinstance(value, int), f"{name} is a count"
    return value


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
