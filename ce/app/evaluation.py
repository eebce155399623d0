"""One run of programs over a tree: compile, refresh the index, load only what is reached, solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.app.project import Project
from ce.app.program import compile_program, needed_facts
from ce.verdicts.family import PRELUDE_SOURCE, RulesFile, include_loader, program_text

if TYPE_CHECKING:
    from ce.datalog.api import Solution
    from ce.datalog.checked import CheckedProgram, Goal

__all__ = ["Evaluation", "Options", "evaluate"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: the engine, and bounds on derived rows and seconds (None for the defaults)."""

    engine: str = "native"
    max_rows: int | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A solved program: `index` are the counts of the index, `problems` what went wrong on the way to the facts."""

    checked: CheckedProgram
    goals: tuple[Goal, ...]
    solution: Solution
    index: Mapping[str, int]
    problems: tuple[str, ...]


def evaluate(
    project: Project,
    rules: Sequence[RulesFile],
    question: tuple[str, str] | None = None,
    *,
    typed: str | None = None,
    options: Options,
) -> Evaluation:
    """Return the solution of the prelude, the rules files and the question over the facts of the tree.

    Every query and assertion of the rules files and the question is a goal; rules that no goal reaches do not run.
    Raises CeError when a program has a fault; then the tree is not even read.
    """
    from ce.app.index import ProjectIndex
    from ce.datalog.api import solve

    prelude_name, prelude_text = program_text(PRELUDE_SOURCE.removeprefix("programs/"))
    sources = [(prelude_name, prelude_text), *((file.source, file.text) for file in rules)]
    if question is not None:
        sources.append(question)
    loader = include_loader(project.root, tuple(file.directory for file in rules if file.directory is not None))
    checked = compile_program(sources, loader, typed)
    goals = checked.goals
    predicates = [goal.predicate for goal in goals]
    relations, globs = needed_facts(checked, predicates)
    index = ProjectIndex(project.root)
    index.refresh()
    database = index.database(relations, globs)
    solution = solve(checked, database, engine=options.engine, limits=_limits(options), goals=predicates)
    return Evaluation(checked, goals, solution, index.counts, tuple(index.problems))
