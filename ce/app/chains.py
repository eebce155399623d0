"""The shortest way from a root to a node, over the steps that a program derived: breadth first, the smallest label first.

Nodes are labels: paths of files, symbols, and names of members, written `.name`, between those who take a member of something
unknown and those who have one of that name. The body of a file is its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Graph", "Step", "body", "shortest"]

Row = tuple[int | str, ...]

_BODY = "::"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a chain: what keeps what, the kind of use and what proves it; `row` is the derived row of `relation` behind it."""

    source: str
    target: str
    kind: str
    how: str
    relation: str
    row: Row


@dataclass(slots=True)
class Graph:
    """Steps by their source."""

    steps: dict[str, list[Step]] = field(default_factory=dict)

    def add(self, step: Step) -> None:
        """Add a step."""
        self.steps.setdefault(step.source, []).append(step)


def body(symbol: str) -> str:
    """Return the node of a symbol: the body of a file is the file."""
    return symbol.removesuffix(_BODY) if symbol.endswith(_BODY) else symbol


def shortest(graph: Graph, roots: Iterable[str], target: str) -> tuple[Step, ...] | None:
    """Return the steps of a shortest way from any root to the target, () when it is a root itself, None when there is no way."""
    if target in (level := sorted(set(roots))):
        return ()
    seen = set(level)
    came: dict[str, Step] = {}
    while level:
        following: list[str] = []
        for node in level:
            for step in _preferred(graph.steps.get(node, ())):
                if step.target not in seen:
                    seen.add(step.target)
                    came[step.target] = step
                    following.append(step.target)
        if target in came:
            return _way(came, target)
        level = sorted(following)
    return None


# What tells a reader most comes first.
_HOW = {
    how: rank for rank, how in enumerate(("file", "scope", "import", "hierarchy", "receiver", "value", "string", "glob", "hook", "bare"))
}


def _preferred(steps: Sequence[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (step.target, _HOW.get(step.how, len(_HOW)), step.kind == "import", step.kind, step.how))


def _way(came: Mapping[str, Step], target: str) -> tuple[Step, ...]:
    way = [came[target]]
    while way[-1].source in came:
        way.append(came[way[-1].source])
    return tuple(reversed(way))
