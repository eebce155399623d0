"""What an evaluation really did: rows and seconds per rule and round."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Profile", "ProfileEntry"]


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """One rule in one round: `rule` indexes `CheckedProgram.rules`, `rows` are those it derived first."""

    stratum: int
    round: int
    rule: int
    rows: int
    seconds: float


@dataclass(slots=True)
class Profile:
    """Entries in the order in which they came about."""

    entries: list[ProfileEntry] = field(default_factory=list)

    def add(self, stratum: int, round_number: int, rule: int, rows: int, seconds: float) -> None:
        """Note what a rule did in a round."""
        self.entries.append(ProfileEntry(stratum, round_number, rule, rows, seconds))

    def by_rule(self) -> dict[int, tuple[int, int, float]]:
        """Return for each rule its rounds, rows and seconds."""
        totals: dict[int, tuple[int, int, float]] = {}
        for entry in self.entries:
            rounds, rows, seconds = totals.get(entry.rule, (0, 0, 0.0))
            totals[entry.rule] = (rounds + 1, rows + entry.rows, seconds + entry.seconds)
        return totals
