"""One run of programs over a tree: compile, refresh the index, load only what is reached, solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.app.program import Loader, compile_program, needed_facts
from ce.app.project import Project
from ce.app.report import Degraded
from ce.app.symbol_places import SPANS, span_finder
from ce.diagnostics import Span
from ce.verdicts.family import PRELUDE_SOURCE, RulesFile, include_loader, program_text

if TYPE_CHECKING:
    from ce.app.index import ProjectIndex
    from ce.datalog.api import Solution
    from ce.datalog.checked import CheckedProgram, Goal
    from ce.datalog.database import Database
    from ce.datalog.limits import Limits
    from ce.source.settings import Settings

__all__ = ["Evaluation", "Options", "evaluate", "evaluate_in", "rows_of", "text_at", "texts_of"]


# Reads rows of fact relations beside those of the program: from the names of the assertions, by a reader of one relation.
Rows = tuple[tuple[int | str, ...], ...]
Beside = Callable[[Sequence[str | None], Callable[[str], Rows]], Mapping[str, Rows]]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: the engine, bounds on derived rows and seconds (None for the settings), and who is told of measured files."""

    engine: str = "native"
    max_rows: int | None = None
    timeout: float | None = None
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A solved program: `index` are the counts of the index, `problems` what went wrong on the way to the facts.

    `rules` are the files it was made of beside the prelude, `beside` the rows of relations read beside its own. `span_of` gives the lines
    of a symbol by its label, when a goal has symbols.
    """

    checked: CheckedProgram
    goals: tuple[Goal, ...]
    solution: Solution
    index: Mapping[str, int]
    problems: tuple[str, ...]
    rules: tuple[RulesFile, ...] = ()
    beside: Mapping[str, Rows] = field(default_factory=dict)
    span_of: Callable[[str], tuple[int, int] | None] | None = None

    @property
    def degraded(self) -> Degraded | None:
        """Return the limit that was crossed, or None."""
        crossed = self.solution.degraded
        return None if crossed is None else Degraded(crossed.limit, crossed.message)

    @property
    def facts(self) -> int:
        """Return the number of facts that were loaded."""
        return sum(table.length for table in self.solution.database.tables.values())

    def text_of(self, goal: Goal) -> str:
        """Return a goal as it is written in its source."""
        return text_at(self.checked.program.sources.get(goal.span.source, ""), goal.span)

    def plan_text(self) -> str:
        """Return the order in which each rule joins, as the planner chose it for these facts."""
        from ce.datalog.plan import plan

        sizes = {name: table.length for name, table in self.solution.database.tables.items()}
        return plan(self.checked, [goal.predicate for goal in self.goals], sizes).describe()


def text_at(source: str, span: Span) -> str:
    """Return the stretch of a source text that a span covers."""
    rows = source.split("\n")[span.line - 1 : span.end_line]
    if not rows:
        return ""
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    return "\n".join(rows)


def evaluate(
    project: Project,
    rules: Sequence[RulesFile],
    question: str | None = None,
    *,
    options: Options,
    beside: Beside | None = None,
) -> Evaluation:
    """Return the solution of the prelude, the rules files and the question over the facts of the tree.

    Every query and assertion of the rules files and the question is a goal; rules that no goal reaches do not run. `beside` is told the
    names of the goals and may read further fact relations.
    Raises CeError when a program has a fault; then the tree is not even read.
    """
    from ce.app.index import ProjectIndex
    from ce.source.settings import load_settings

    settings = load_settings(project.root)
    sources, loader = texts_of(project, rules)
    checked = compile_program(sources, loader, question)
    with ProjectIndex(project.root, settings=settings, progress=options.progress) as index:
        index.refresh(needed_facts(checked, [goal.predicate for goal in checked.goals])[0])
        return evaluate_in(index, checked, rules, options=options, beside=beside)


def texts_of(project: Project, rules: Sequence[RulesFile]) -> tuple[tuple[tuple[str, str], ...], Loader]:
    """Return the texts of a program, the prelude first, and who reads what they include."""
    prelude = program_text(PRELUDE_SOURCE.removeprefix("programs/"))
    loader = include_loader(project.root, tuple(file.directory for file in rules if file.directory is not None))
    return (prelude, *((file.source, file.text) for file in rules)), loader


def evaluate_in(
    index: ProjectIndex, checked: CheckedProgram, rules: Sequence[RulesFile], *, options: Options, beside: Beside | None = None
) -> Evaluation:
    """Return the solution of a checked program over the facts of an index, which is refreshed only for what it does not hold yet."""
    from ce.datalog.api import solve

    goals = checked.goals
    predicates = [goal.predicate for goal in goals]
    relations, globs = needed_facts(checked, predicates)
    database = index.database(relations, globs)
    names = [goal.name for goal in goals if goal.kind == "assert"]
    rows = {} if beside is None else beside(names, lambda name: rows_of(index.database((name,)), name))
    span_of = span_finder(index.database((SPANS,))) if any("symbol" in goal.sorts for goal in goals) else None
    counts, problems = index.counts, index.problems
    solution = solve(checked, database, engine=options.engine, limits=_limits(index.settings, options), goals=predicates)
    return Evaluation(checked, goals, solution, counts, problems, tuple(rules), rows, span_of)


def rows_of(database: Database, name: str) -> Rows:
    """Return the rows of a fact relation as labels and numbers."""
    table = database.tables.get(name)
    if table is None or not table.length:
        return ()
    columns = ([database.decode(sort, code) for code in column.tolist()] for sort, column in zip(table.sorts, table.columns, strict=True))
    return tuple(zip(*columns, strict=True))


def _limits(settings: Settings, options: Options) -> Limits:
    """Return the bounds of the settings, each replaced by the option where one was given."""
    from ce.datalog.limits import Limits

    bounds = settings.limits
    return Limits(
        max_rows=bounds.max_rows if options.max_rows is None else options.max_rows,
        timeout_s=bounds.timeout if options.timeout is None else options.timeout,
    )
