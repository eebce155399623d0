"""The shortest way from a root to a node, over the steps that a program derived: breadth first, the smallest label first.

Nodes are files, symbols, and names of members, written `.name`, between those who take a member of something unknown and those who have
one of that name. The body of a file is its file. Steps are columns of node numbers; only those of the way are decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ce.app.goal_rows import GoalRows, Row

    Ints = NDArray[np.int64]

__all__ = ["Graph", "Step", "Steps", "body"]

_BODY = "::"
_FAR = -1

# What tells a reader most comes first.
_HOW = {
    how: rank for rank, how in enumerate(("file", "scope", "import", "hierarchy", "receiver", "value", "string", "glob", "hook", "bare"))
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a chain: what keeps what, the kind of use and what proves it; `row` is the derived row of `relation` behind it."""

    source: str
    target: str
    kind: str
    how: str
    relation: str
    row: Row


@dataclass(frozen=True, slots=True)
class Steps:
    """A question whose rows are steps: the sorts of its first two columns (`node`, `symbol`, or `name` of a member), and what it says.

    Without `kind` and `how` the third and fourth column have them.
    """

    goal: int
    source: str
    target: str
    kind: str = ""
    how: str = ""


def body(symbol: str) -> str:
    """Return the node of a symbol: the body of a file is the file."""
    return symbol.removesuffix(_BODY) if symbol.endswith(_BODY) else symbol


class Graph:
    """The steps of several questions. Numbers of nodes: files first, then symbols, then names of members."""

    def __init__(self, rows: GoalRows, steps: Sequence[Steps]) -> None:
        import numpy as np

        self._rows = rows
        self._steps = steps
        files, symbols = rows.labels("node"), rows.labels("symbol")
        self._starts = {"node": 0, "symbol": len(files), "name": len(files) + len(symbols)}
        self._size = self._starts["name"] + len(rows.labels("sym"))
        numbers = {path: number for number, path in enumerate(files)}
        self._bodies = np.arange(len(symbols), dtype=np.int64) + self._starts["symbol"]
        for number, label in enumerate(symbols):
            if label.endswith(_BODY):
                self._bodies[number] = numbers.get(label.removesuffix(_BODY), self._bodies[number])
        columns = [(each, rows.columns(each.goal)) for each in steps]
        ends = [(self._numbers(each.source, source), self._numbers(each.target, target)) for each, (source, target, *_) in columns]
        self._offsets = np.cumsum([0, *(len(source) for source, _ in ends)])
        self._sources = np.concatenate([source for source, _ in ends])
        self._targets = np.concatenate([target for _, target in ends])

    def shortest(self, files: Ints, symbols: Ints, target: str) -> tuple[Step, ...] | None:
        """Return the steps of a shortest way from any of the files and symbols, given by their codes.

        () when the target is one of them itself, None when there is no way.
        """
        import numpy as np

        goal = self._number(target)
        roots = np.concatenate((files, symbols + self._starts["symbol"]))  # of a file its path is the root, not its body
        if goal is None:
            return None
        depths = self._depths(roots, goal)
        if depths[goal] == _FAR:
            return None
        way: list[Step] = []
        while depths[goal]:
            into = np.flatnonzero(self._targets == goal)
            before = into[depths[self._sources[into]] == depths[goal] - 1]
            step, goal = min(
                ((self._step(int(number)), int(self._sources[number])) for number in before), key=lambda found: _rank(found[0])
            )
            way.append(step)
        return tuple(reversed(way))

    def _depths(self, roots: Ints, goal: int) -> Ints:
        """Return how many steps each node is away from the roots, as far as the goal, or -1."""
        import numpy as np

        order = np.argsort(self._sources, kind="stable")
        targets = self._targets[order]
        starts = np.searchsorted(self._sources[order], np.arange(self._size + 1))
        depths = np.full(self._size, _FAR, dtype=np.int64)
        level = np.unique(roots)
        depth = 0
        depths[level] = depth
        while level.size and depths[goal] == _FAR:
            depth += 1
            counts = starts[level + 1] - starts[level]
            places = np.repeat(starts[level] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(counts.sum())
            reached = targets[places]
            level = np.unique(reached[depths[reached] == _FAR])
            depths[level] = depth
        return depths

    def _step(self, number: int) -> Step:
        import numpy as np

        place = int(np.searchsorted(self._offsets, number, side="right")) - 1
        each = self._steps[place]
        (row,) = self._rows.at(each.goal, np.array([number - self._offsets[place]]))
        source, target = (_shown(sort, str(value)) for sort, value in zip((each.source, each.target), row[:2], strict=True))
        kind, how = each.kind or str(row[2]), each.how or str(row[3])
        return Step(source, target, kind, how, self._rows.predicate(each.goal), row)

    def _number(self, node: str) -> int | None:
        """Return the number of a file or symbol."""
        code = self._rows.code("node", node)
        if code is None:
            code = self._rows.code("symbol", node)
            return None if code is None else int(self._bodies[code])
        return code

    def _numbers(self, sort: str, codes: Ints) -> Ints:
        return self._bodies[codes] if sort == "symbol" else codes + self._starts[sort]


def _shown(sort: str, value: str) -> str:
    return f".{value}" if sort == "name" else body(value)


def _rank(step: Step) -> tuple[str, int, bool, str, str]:
    return (step.source, _HOW.get(step.how, len(_HOW)), step.kind == "import", step.kind, step.how)
