"""The engine for everyone else: `solve` a checked program over a database, or `run` a text over rows of Python values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ce.datalog import engines
from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, Goal
from ce.datalog.codes import CHECKS
from ce.datalog.database import Database
from ce.datalog.limits import Degraded, Limits
from ce.datalog.proof import ProofNode
from ce.datalog.syntax import Declaration
from ce.diagnostics import CeError, Diagnostic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ce.datalog.engines import EngineModel
    from ce.datalog.provenance import Prover
    from ce.datalog.why_not import WhyNot

__all__ = ["PROGRAM_SOURCE", "Result", "Solution", "run", "solve"]

Value = int | str
Row = tuple[Value, ...]
_V = TypeVar("_V", bound=Value | None)

# How diagnostics and proofs call a program that came as a text.
PROGRAM_SOURCE = "program"


def solve(
    checked: CheckedProgram,
    database: Database,
    *,
    engine: str = "native",
    limits: Limits | None = None,
    goals: Sequence[str] | None = None,
) -> Solution:
    """Return the least model: of the predicates in `goals` and what they rest on, or of all.

    Raises CeError when arithmetic leaves 64 bits, a pattern cannot be read, or the engine is unknown.
    """
    bounds = limits or Limits()
    return Solution(checked, database, engines.engine(engine)(checked, database, bounds, goals), engine, bounds)


def run(
    program_text: str,
    facts: Mapping[str, Iterable[Row]] | None = None,
    *,
    engine: str = "native",
    max_rows: int | None = None,
    max_rounds: int | None = None,
    timeout: float | None = None,
    source: str = PROGRAM_SOURCE,
) -> Result:
    """Return every relation and answer of a program over facts given as rows of numbers and names.

    An entry of `facts` declares its relation, even an empty one; a relation may have both facts and rules. A limit that is left out
    has its default; past one the result is `degraded`, and reading what rules derive from it raises.
    Raises CeError for a fault of the program or of the facts.
    """
    from ce.datalog.checks import check
    from ce.datalog.parse import parse_program

    given = {name: _rows(name, rows) for name, rows in (facts or {}).items()}
    sorts = {name: _sorts(name, rows) if rows else None for name, rows in given.items()}
    database = Database.from_rows(
        {name: given[name] for name, known in sorts.items() if known is not None},
        {name: known for name, known in sorts.items() if known is not None},
    )
    checked = check(parse_program([(source, program_text)], recover=True), facts=sorts)
    chosen = {"max_rows": max_rows, "max_rounds": max_rounds, "timeout_s": timeout}
    limits = Limits(**{name: value for name, value in chosen.items() if value is not None})  # type: ignore[arg-type]  # each has its type
    return Result(solve(checked, database, engine=engine, limits=limits), tuple(given))


def _rows(name: str, rows: Iterable[Row]) -> Sequence[Row]:
    """Return the rows of a relation as a sequence."""
    if name in BUILTIN_TESTS:
        raise CeError((CHECKS.RESERVED.at(None, predicate=name, owner="a built-in test"),))
    if not isinstance(rows, Iterable) or isinstance(rows, str | bytes):
        raise CeError.of("CE435", f"the facts of `{name}` are {rows!r}, not rows of numbers and names")
    return rows if isinstance(rows, list | tuple) else list(rows)


def _sorts(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the sorts that the first row shows."""
    first = rows[0]
    if not isinstance(first, tuple | list):
        raise CeError.of("CE435", f"row 1 of `{name}` is {first!r}, not a tuple of numbers and names")
    return tuple("int" if isinstance(value, int) else "sym" for value in first)


class Solution:
    """The model of a checked program. When `degraded`, a limit was crossed and every derived relation is empty."""

    def __init__(self, checked: CheckedProgram, database: Database, model: EngineModel, engine: str, limits: Limits) -> None:
        """Wrap what an engine returned."""
        self.checked = checked
        self.database = database
        self.model = model
        self.warnings: tuple[Diagnostic, ...] = tuple(model.warnings)
        self._engine = engine
        self._limits = limits
        self._prover: Prover | None = None

    @property
    def degraded(self) -> Degraded | None:
        """Return the limit that was crossed, if any."""
        return self.model.degraded

    @property
    def derived(self) -> int:
        """Return how many rows the rules derived."""
        return self.model.derived()

    def count(self, predicate: str) -> int:
        """Return the number of rows of a relation."""
        return self.model.count(predicate)

    def rows(self, predicate: str) -> tuple[NDArray[np.int64], ...]:
        """Return the encoded columns of a relation, rows ascending."""
        return self.model.columns(predicate)

    def values(self, predicate: str) -> list[Row]:
        """Return the rows of a relation as numbers and names, ascending: numbers by size, names by the order of their sort."""
        sorts = self.sorts(predicate)
        if not sorts:
            return [()] * self.count(predicate)
        return list(zip(*map(self.decoded, sorts, self.model.columns(predicate)), strict=True))

    def explain(self, predicate: str, row: Sequence[Value], *, nodes: int | None = None, group_rows: int | None = None) -> ProofNode:
        """Return the lowest proof of a row; `nodes` and `group_rows` bound how much of it is shown.

        Raises CeError when the relation lacks the row.
        """
        from ce.datalog.provenance import GROUP_ROWS, PROOF_NODES

        self._refuse_degraded()
        values = self._fitting(predicate, row)
        prover = self._proving()
        if not prover.holds(predicate, values):
            shown = f"{predicate}({', '.join(map(repr, values))})"
            raise CeError.of("CE431", f"`{shown}` does not hold, so it has no proof", notes=("ask why not",))
        return prover.prove(predicate, values, nodes=nodes or PROOF_NODES, group_rows=GROUP_ROWS if group_rows is None else group_rows)

    def why_not(self, predicate: str, row: Sequence[Value | None] | None = None) -> WhyNot:
        """Return why the relation lacks a row; None stands for any value, and for any row when given alone."""
        from ce.datalog.why_not import explain_absence

        self._refuse_degraded()
        pattern = (None,) * len(self.sorts(predicate)) if row is None else self._fitting(predicate, row)
        return explain_absence(self.checked, self._whole_model(), predicate, pattern)

    def _fitting(self, predicate: str, row: Sequence[_V]) -> tuple[_V, ...]:
        """Return the row as a tuple that the relation could hold."""
        values = tuple(row)
        arity = len(self.sorts(predicate))
        if len(values) != arity:
            raise CeError.of("CE432", f"`{predicate}` has {arity} columns, not {len(values)}")
        for value in values:
            if value is not None and type(value) not in (int, str):
                raise CeError.of("CE432", f"{value!r} cannot stand in a row of `{predicate}`")
        return values

    def _whole_model(self) -> EngineModel:
        """Return a model with all rows of all relations: absence from a relation derived on demand says nothing."""
        if self.model.partial:
            self.model = engines.engine(self._engine)(self.checked, self.database, self._limits, None)
            self._prover = None
            self._refuse_degraded()
        return self.model

    def _proving(self) -> Prover:
        from ce.datalog.heights import Heights
        from ce.datalog.provenance import Prover

        if self._prover is None:
            replay = "naive" if self._engine == "pydatalog" else self._engine
            evaluate = engines.engine(replay)
            unbounded = Limits(max_rows=None, max_rounds=None)
            heights = Heights(
                self.checked,
                self.model,
                lambda checked, database: evaluate(checked, database, unbounded, None),
                trust_rounds=self._engine != "pydatalog",
            )
            self._prover = Prover(self.checked, self.model, heights)
        return self._prover

    def sorts(self, predicate: str) -> tuple[str, ...]:
        """Return the sorts of the columns of a relation."""
        relation = self.checked.relations.get(predicate)
        if relation is not None:
            return relation.sorts
        table = self.database.tables.get(predicate)
        return () if table is None else table.sorts

    def decoded(self, sort: str, column: NDArray[np.int64]) -> list[Value]:
        """Return an encoded column as numbers or names."""
        if sort in ("int", "open"):
            numbers: list[Value] = column.tolist()
            return numbers
        labels = self.model.database.domains[sort].labels if len(column) else ()
        codes = column.tolist()
        texts: dict[int, Value] = {code: labels[code] for code in set(codes)}  # decoding costs, and columns repeat themselves
        return [texts[code] for code in codes]

    def _refuse_degraded(self) -> None:
        if self.degraded is not None:
            raise CeError.of("CE433", f"nothing was derived, so nothing can be explained: {self.degraded.message}")


class Result(Mapping[str, list[Row]]):
    """What `run` found: a mapping from the name of a relation to its rows, ascending; numbers by size, names by code point.

    When a limit was crossed, `degraded` names it. Then nothing is known of what rules derive: reading it raises CeError, so that no empty
    relation is taken for an answer.
    """

    def __init__(self, solution: Solution, given: Sequence[str] = ()) -> None:
        """Wrap a solution; `given` are the relations that facts were given for, if only to declare them."""
        self.solution = solution
        self.goals: tuple[Goal, ...] = solution.checked.goals
        self.degraded: Degraded | None = solution.degraded
        self.warnings: tuple[Diagnostic, ...] = (*solution.checked.warnings, *solution.warnings)
        hidden = {goal.predicate for goal in self.goals}
        hidden.update(name for name, relation in solution.checked.relations.items() if relation.auxiliary)
        names = {*solution.checked.relations, *solution.database.tables, *given} - hidden
        self._names = tuple(sorted(names))

    def __getitem__(self, name: str) -> list[Row]:
        return self.solution.values(self._known(self._predicate(name)))

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {self.solution.count(name)}" for name in self._names)
        return f"Result({counts})" if self.degraded is None else f"Result(degraded: {self.degraded.message})"

    def answers(self, goal: int | str = 0) -> list[Row]:
        """Return the answers of a query or assertion, given by its number (in textual order, from 0) or by the assertion's name."""
        return self.solution.values(self._known(self._goal(goal).predicate))

    def why(self, goal: int | str, row: Sequence[Value]) -> ProofNode:
        """Return the proof of an answer."""
        return self.solution.explain(self._goal(goal).predicate, row)

    def explain(self, name: str, row: Sequence[Value]) -> ProofNode:
        """Return the lowest proof of a row; raises CeError when the relation lacks it."""
        return self.solution.explain(self._predicate(name), row)

    def why_not(self, name: str, row: Sequence[Value | None] | None = None) -> WhyNot:
        """Return why the relation lacks the row; None stands for any value."""
        return self.solution.why_not(self._predicate(name), row)

    def to_arrow(self, name: str | None = None) -> Any:
        """Return a relation as a `pyarrow.Table`, or all of them by name; needs pyarrow."""
        pyarrow = _optional("pyarrow")
        if name is None:
            return {each: self.to_arrow(each) for each in self}
        kinds = {"int": pyarrow.int64(), "sym": pyarrow.string(), "open": pyarrow.null()}
        return pyarrow.table({column: pyarrow.array(values, kinds[sort]) for column, sort, values in self._table(name)})

    def to_pandas(self, name: str | None = None) -> Any:
        """Return a relation as a `pandas.DataFrame`, or all of them by name; needs pandas."""
        pandas = _optional("pandas")
        if name is None:
            return {each: self.to_pandas(each) for each in self}
        kinds = {"int": "int64", "sym": "object", "open": "object"}
        return pandas.DataFrame({column: pandas.Series(values, dtype=kinds[sort]) for column, sort, values in self._table(name)})

    def _predicate(self, name: str) -> str:
        """Return the relation of a name, or the answers of the assertion of that name."""
        if name in self._names:
            return name
        for goal in self.goals:
            if goal.name == name:
                return goal.predicate
        from difflib import get_close_matches

        near = get_close_matches(name, self._names, 1)
        raise KeyError(f"no relation `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""))

    def _known(self, predicate: str) -> str:
        """Return the predicate, or raise CeError when it would have been derived and a limit was crossed."""
        relation = self.solution.checked.relations.get(predicate)
        if self.degraded is not None and relation is not None and relation.idb:
            notes = ("raise `max_rows`, `max_rounds` or `timeout`, or look at `.degraded` first",)
            raise CeError.of("CE436", f"nothing is known of `{predicate}`: {self.degraded.message}", notes=notes)
        return predicate

    def _goal(self, goal: int | str) -> Goal:
        for number, candidate in enumerate(self.goals):
            if goal in (number, candidate.name):
                return candidate
        raise KeyError(f"no goal `{goal}`: the program has {len(self.goals)}")

    def _table(self, name: str) -> Iterator[tuple[str, str, list[Value]]]:
        """Yield name, sort and values of each column of a relation."""
        predicate = self._known(self._predicate(name))
        sorts = self.solution.sorts(predicate)
        names = [f"c{number}" for number in range(1, len(sorts) + 1)]
        for clause in self.solution.checked.program.clauses:
            if isinstance(clause, Declaration) and clause.predicate == predicate:
                names = [column for column, _ in clause.columns]
        for column, sort, codes in zip(names, sorts, self.solution.rows(predicate), strict=True):
            yield column, sort, self.solution.decoded(sort, codes)


def _optional(package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError:
        raise CeError.of("CE434", f"`{package}` is not installed", notes=(f"install it: pip install {package}",)) from None
