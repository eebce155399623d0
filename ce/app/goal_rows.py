"""The rows of the questions of an evaluation, by question number: a few are found by their codes, and only those are decoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ce.app.evaluation import Evaluation

__all__ = ["GoalRows", "Members", "Outers", "Row"]

Row = tuple[int | str, ...]


class GoalRows:
    """What the questions of an evaluation found, rows ascending."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._solution = evaluation.solution
        self._goals = [goal.predicate for goal in evaluation.goals]

    def predicate(self, goal: int) -> str:
        """Return the relation that holds the rows of a question."""
        return self._goals[goal]

    def values(self, goal: int) -> list[Row]:
        """Return all rows."""
        return self._solution.values(self._goals[goal])

    def columns(self, goal: int) -> tuple[NDArray[np.int64], ...]:
        """Return the encoded columns."""
        return self._solution.rows(self._goals[goal])

    def labels(self, sort: str) -> Sequence[str]:
        """Return the texts of a sort by code; none when no row has the sort."""
        domain = self._solution.model.database.domains.get(sort)
        return () if domain is None else domain.labels

    def code(self, sort: str, label: str) -> int | None:
        """Return the code of a text, or None when no row can hold it."""
        domain = self._solution.model.database.domains.get(sort)
        return None if domain is None else domain.lookup(label)

    def where(self, goal: int, column: int, label: str) -> list[Row]:
        """Return the rows whose column holds the text."""
        import numpy as np

        code = self.code(self._sorts(goal)[column], label)
        return [] if code is None else self.at(goal, np.flatnonzero(self.columns(goal)[column] == code))

    def first(self, goal: int, column: int, label: str) -> Row | None:
        """Return the first row whose column holds the text."""
        return next(iter(self.where(goal, column, label)), None)

    def at(self, goal: int, numbers: NDArray[np.intp]) -> list[Row]:
        """Return the rows of these numbers."""
        parts = (self._solution.decoded(sort, part[numbers]) for sort, part in zip(self._sorts(goal), self.columns(goal), strict=True))
        return list(zip(*parts, strict=True))

    def texts(self, goal: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the codes that a column of names holds, each once, with their texts."""
        import numpy as np

        labels = self.labels(self._sorts(goal)[column])
        for code in np.unique(self.columns(goal)[column]).tolist():
            yield code, labels[code]

    def _sorts(self, goal: int) -> tuple[str, ...]:
        return self._solution.sorts(self._goals[goal])


class Members:
    """The symbols of a question of one column, asked one by one."""

    def __init__(self, rows: GoalRows, goal: int) -> None:
        self._rows = rows
        self._column = rows.columns(goal)[0]

    def __contains__(self, label: object) -> bool:
        import numpy as np

        code = self._rows.code("symbol", str(label))
        place = 0 if code is None else int(np.searchsorted(self._column, code))
        return code is not None and place < len(self._column) and int(self._column[place]) == code


class Outers:
    """What each symbol stands in, asked one by one."""

    def __init__(self, rows: GoalRows, goal: int) -> None:
        self._rows, self._goal = rows, goal

    def get(self, symbol: str, default: str = "") -> str:
        """Return what a symbol stands in; the last row counts."""
        found = self._rows.where(self._goal, 0, symbol)
        return str(found[-1][1]) if found else default
