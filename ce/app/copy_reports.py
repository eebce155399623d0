"""What is found about copies, as plain values that every face renders alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.app.report import Degraded

if TYPE_CHECKING:
    from ce.datalog.proof import ProofNode

__all__ = ["CloneReport", "CodeBlock", "CodeGroup", "DedupReport", "DocdupReport", "NearPair", "Place", "ProsePair"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of a file, 1-based and inclusive; `kind` is the kind of prose, empty for code."""

    path: str
    start: int
    end: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Two places with the same tokens. `kind` is `T1` (equal to the letter) or `T2` (names or constants differ)."""

    a: Place
    b: Place
    tokens: int
    distinct: int
    kind: str
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class CodeGroup:
    """All places of one text."""

    members: tuple[Place, ...]
    blocks: int
    tokens: int


@dataclass(frozen=True, slots=True)
class DedupReport:
    """The reply to `ce dedup`. `over_budget` is (blocks, budget) when the budget does not hold, `budget` None when none is declared."""

    root: str
    blocks: tuple[CodeBlock, ...]
    groups: tuple[CodeGroup, ...]
    summary: Mapping[str, int]
    index: Mapping[str, int]
    budget: int | None
    over_budget: tuple[int, int] | None
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class ProsePair:
    """Two segments that say the same: shared and all shingles, words of the longest common run, per cent of the smaller in the larger."""

    a: Place
    b: Place
    inter: int
    union: int
    verbatim: int
    words: tuple[int, int]
    contained: int
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two functions that are nearly the same: places, keys, distance of their trees, numbers of nodes."""

    a: Place
    a_key: str
    b: Place
    b_key: str
    ted: int
    n1: int
    n2: int
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class CloneReport:
    """The reply to `ce clone`."""

    root: str
    pairs: tuple[NearPair, ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class DocdupReport:
    """The reply to `ce docdup`."""

    root: str
    pairs: tuple[ProsePair, ...]
    families: tuple[tuple[Place, ...], ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool
