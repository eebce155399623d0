"""Engines by name, behind one protocol: the columnar one, the plain one, and pyDatalog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ce.datalog.checked import CheckedProgram
from ce.datalog.database import Database
from ce.datalog.limits import Degraded, Limits
from ce.datalog.model_rows import RecordedModel
from ce.diagnostics import CeError, Diagnostic

__all__ = ["ENGINES", "Engine", "EngineModel", "engine"]

ENGINES = ("native", "naive", "pydatalog")


class EngineModel(RecordedModel, Protocol):
    """The model that an engine makes; without rows when `degraded`."""

    @property
    def warnings(self) -> Sequence[Diagnostic]:
        """Return what was remarked during the evaluation."""

    def derived(self) -> int:
        """Return how many rows the rules derived, facts of the database not counted."""

    @property
    def degraded(self) -> Degraded | None:
        """Return the limit that was crossed, if any."""


# The goals are the predicates wanted; None wants all.
Engine = Callable[[CheckedProgram, Database, Limits, Sequence[str] | None], EngineModel]


def engine(name: str) -> Engine:
    """Return the engine of that name; raises CeError for an unknown one."""
    if name == "native":
        return _native
    if name == "naive":
        return _naive
    if name == "pydatalog":
        return _pydatalog
    raise CeError.of("CE430", f"unknown engine `{name}`", notes=(f"the engines are {', '.join(f'`{known}`' for known in ENGINES)}",))


def _native(checked: CheckedProgram, database: Database, limits: Limits, goals: Sequence[str] | None) -> EngineModel:
    from ce.datalog.evaluate import evaluate
    from ce.datalog.plan import plan

    return evaluate(plan(checked, goals), database, limits)


def _naive(checked: CheckedProgram, database: Database, limits: Limits, goals: Sequence[str] | None) -> EngineModel:
    from ce.datalog.naive import evaluate_naively
    from ce.datalog.row_model import RowModel

    database = _with_constants(checked, database)
    return RowModel(evaluate_naively(checked, database, limits, goals), checked.relations, database)


def _pydatalog(checked: CheckedProgram, database: Database, limits: Limits, goals: Sequence[str] | None) -> EngineModel:
    from ce.datalog.pydatalog_engine import evaluate_with_pydatalog
    from ce.datalog.row_model import RowModel

    database = _with_constants(checked, database)
    return RowModel(evaluate_with_pydatalog(checked, database, limits, goals), checked.relations, database)


def _with_constants(checked: CheckedProgram, database: Database) -> Database:
    """Return the database with every name of the program in its domains."""
    from ce.datalog.plan import plan
    from ce.datalog.symbols import Symbols

    return Symbols(database, plan(checked)).database
