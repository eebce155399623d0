"""Our engine as the benchmark runner calls it: `load`, `run`, `count`. Provenance is on, as always."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ce.datalog.checked import CheckedProgram
from ce.datalog.checks import check
from ce.datalog.database import Database
from ce.datalog.evaluate import evaluate
from ce.datalog.limits import Limits
from ce.datalog.loading import load_facts
from ce.datalog.model import Model
from ce.datalog.parse import parse
from ce.datalog.plan import plan
from tests.benchmarks.datalog.translate import translate

__all__ = ["__version__", "count", "load", "run"]

__version__ = "0.1.0"


@dataclass(slots=True)
class _Handle:
    checked: CheckedProgram
    outputs: tuple[str, ...]
    database: Database
    model: Model | None = None


def load(program_text: str, facts_dir: str) -> _Handle:
    """Read the program and its facts."""
    translated = translate(program_text)
    checked = check(parse(translated.text, "benchmark"), facts=translated.inputs)
    return _Handle(checked, translated.outputs, load_facts(Path(facts_dir), translated.inputs))


def run(handle: _Handle) -> None:
    """Derive all outputs."""
    handle.model = evaluate(plan(handle.checked, handle.outputs), handle.database, Limits(max_rows=None))


def count(handle: _Handle, relation: str) -> int:
    """Return the number of rows of an output."""
    assert handle.model is not None, "run comes first"
    return handle.model.count(relation)
