"""The Python interface: `ce.open(root).query("dead(F)")`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.program import QUERY_SOURCE
from ce.app.project import Project as Root
from ce.app.project import open_project, rules_files
from ce.diagnostics import CeError

if TYPE_CHECKING:
    from ce.app.report import DeadcodeReport, Report
    from ce.datalog.proof import ProofNode

__all__ = ["Answers", "Project", "Row", "open"]


class Row(tuple[Any, ...]):
    """One answer: a tuple of labels and numbers, with an attribute for each column and its proof on demand."""

    _evaluation: Evaluation
    _predicate: str
    _columns: tuple[str, ...]

    def __new__(cls, values: Sequence[int | str], columns: tuple[str, ...], evaluation: Evaluation, predicate: str) -> Row:
        """Return the row of these values."""
        row = super().__new__(cls, values)
        row._columns, row._evaluation, row._predicate = columns, evaluation, predicate
        return row

    def __getattr__(self, name: str) -> int | str:
        columns: tuple[str, ...] = object.__getattribute__(self, "_columns")
        if name in columns:
            value: int | str = self[columns.index(name)]
            return value
        raise AttributeError(f"the answer has no column `{name}`; its columns are {', '.join(columns) or 'none'}")

    def why(self) -> ProofNode:
        """Return the proof of this answer; `str()` of it is its text, `.to_dict()` its JSON."""
        return self._evaluation.solution.explain(self._predicate, tuple(self))


class Answers(Sequence[Row]):
    """The answers to a question, in the order of the engine. A question without variables has one empty row for yes, none for no."""

    def __init__(self, evaluation: Evaluation, predicate: str, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self._rows = tuple(Row(values, columns, evaluation, predicate) for values in evaluation.solution.values(predicate))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __repr__(self) -> str:
        return f"<{len(self)} answers of ({', '.join(self.columns)})>"


class Project:
    """A tree that can be asked; every call sees the tree as it is then."""

    def __init__(self, root: Root) -> None:
        self._root = root

    @property
    def root(self) -> str:
        """Return the absolute path of the root."""
        return str(self._root.root)

    def query(
        self,
        body: str,
        *,
        files: Sequence[str] = (),
        engine: str = "native",
        max_rows: int | None = None,
        timeout: float | None = None,
    ) -> Answers:
        """Return the answers to a question, which may use the relations of the rules files `files`.

        Raises CeError when the question has a fault or a limit was crossed.
        """
        options = Options(engine, max_rows, timeout)
        evaluation = evaluate(self._root, rules_files(self._root, files), body, options=options)
        if evaluation.degraded is not None:
            raise CeError.of("CE904", f"not judged: {evaluation.degraded.message} (limit: {evaluation.degraded.limit})")
        goal = next(goal for goal in evaluation.goals if goal.span.source == QUERY_SOURCE and goal.kind == "query")
        return Answers(evaluation, goal.predicate, goal.columns)

    def rules(self, files: Sequence[str] | None = None) -> Report:
        """Return the report on the rules files, by default those that the settings name."""
        from ce.app.rules import judge

        return judge(self._root, files, options=Options())

    def deadcode(self, *, why: bool = False) -> DeadcodeReport:
        """Return the dead files with their verdicts, and with their proofs when `why`."""
        from ce.app.deadcode import find_dead

        return find_dead(self._root, why=why, options=Options())

    def __repr__(self) -> str:
        return f"<project {self.root}>"


def open(root: str | PathLike[str] = ".") -> Project:
    """Return the project at `root`. Raises CeError when there is no such directory."""
    return Project(open_project(fspath(root)))
