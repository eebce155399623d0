"""What a run found, as plain values that every face renders alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.diagnostics import Diagnostic

if TYPE_CHECKING:
    from ce.app.why_not import Missing
    from ce.datalog.proof import ProofNode
    from ce.verdicts.baseline import Witness
    from ce.verdicts.witness import Place

__all__ = ["Answer", "DeadFile", "DeadName", "DeadcodeReport", "Degraded", "Exempted", "GoalReport", "NamesReport", "Report"]

Value = int | str


@dataclass(frozen=True, slots=True)
class Degraded:
    """A limit was crossed: nothing was judged, and no partial answer is given."""

    limit: str
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of a goal: its values as labels, what it says, where it points, and why it holds when that was asked."""

    values: tuple[Value, ...]
    message: str | None = None
    place: Place | None = None
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class Exempted:
    """A witness that a marker in the source exempts: where the marker stands and the reason it gives."""

    answer: Answer
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class GoalReport:
    """A question or an assertion with its answers. `text` is the goal as written; `missing` explains a question without answers.

    What a marker exempts or a baseline knows is no answer any more: it stands under `exempted` and `known`.
    """

    kind: str
    name: str | None
    severity: str
    columns: tuple[str, ...]
    sorts: tuple[str, ...]
    answers: tuple[Answer, ...]
    doc: str | None = None
    at: str = ""
    text: str = ""
    missing: Missing | None = None
    exempted: tuple[Exempted, ...] = ()
    known: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The reply to `ce query` and `ce rules`. `index` are the counts of the index; `notes` are remarks for people.

    `fixed` are the entries of a baseline that nothing shows any more; `silent` are the warnings about rules, patterns and markers
    that do nothing on this tree.
    """

    root: str
    goals: tuple[GoalReport, ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None = None
    warnings: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plan: str | None = None
    empty: bool = False
    fixed: tuple[Witness, ...] = ()
    silent: tuple[Diagnostic, ...] = ()

    @property
    def violations(self) -> tuple[tuple[GoalReport, Answer], ...]:
        """Return every answer of every assertion."""
        return tuple((goal, answer) for goal in self.goals if goal.kind == "assert" for answer in goal.answers)


@dataclass(frozen=True, slots=True)
class DeadFile:
    """A file that no entry reaches, with its verdict in one word and in words, and how far to trust it (0, 1 or 2)."""

    path: str
    verdict: str
    why: str
    confidence: int
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class DeadcodeReport:
    """The reply to `ce deadcode`."""

    root: str
    dead: tuple[DeadFile, ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    unresolved_sites: int
    degraded: Degraded | None = None
    notes: tuple[str, ...] = ()
    empty: bool = False


@dataclass(frozen=True, slots=True)
class DeadName:
    """A name that no root reaches, or only tests do, with its tier and the reason in words.

    `symbol` is its label, `island` the qualified name of the top that it hangs under, `test` that of the first test that reaches it.
    """

    symbol: str
    name: str
    qualified: str
    kind: str
    path: str
    line: int
    end_line: int
    tier: str
    why: str
    island: str | None = None
    test: str | None = None
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class NamesReport:
    """The reply to `ce deadcode --symbols`: the dead files, and the dead names by path and line.

    `known` are names that a baseline knows, `fixed` its entries that are dead no more, `useless` what keeps nothing that would be dead
    without it. `apart` counts the files whose names are not reported, by the reason. `counts` has every tier, shown or not.
    """

    files: DeadcodeReport
    symbols: tuple[DeadName, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    apart: Mapping[str, int] = field(default_factory=dict)
    known: tuple[DeadName, ...] = ()
    fixed: tuple[str, ...] = ()
    useless: tuple[str, ...] = ()
