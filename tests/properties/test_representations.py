"""Thresholds decide how rows are kept and worked on, never what is derived.

Every choice, forced on small programs, agrees with the plain engine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ce.datalog import folds, growing, kernels, operators, runs
from ce.datalog.packing import InternPacking, Range, packing_for
from tests.properties.generated import Generated, Shape, programs
from tests.properties.test_engines_agree import solved

Force = Callable[[pytest.MonkeyPatch], None]


def small_pieces(patch: pytest.MonkeyPatch) -> None:
    """Joins come in pieces of five rows, and everything that waits for many rows starts at once."""
    patch.setattr(operators, "CHUNK", 5)
    patch.setattr(kernels, "CHUNK", 5)
    patch.setattr(kernels, "_COUNTING", np.arange(5))
    patch.setattr(kernels.expansions, "__defaults__", (5,))
    patch.setattr(growing, "_CROWD", 6)
    patch.setattr(folds, "_COLLECTED", 7)
    patch.setattr(operators, "_FEW_ROWS", 1)
    patch.setattr(operators, "_TRIAL_ROWS", 40)


def runs_only(patch: pytest.MonkeyPatch) -> None:
    """No relation has a flag per possible row."""
    patch.setattr(growing, "_FEW_POSSIBLE", 0)
    patch.setattr(growing, "_FLAGS_PER_ROW", 0)


def flags_soon(patch: pytest.MonkeyPatch) -> None:
    """Relations change from runs to flags in the course of the evaluation."""
    patch.setattr(growing, "_FEW_POSSIBLE", 0)
    patch.setattr(growing, "_FLAGS_PER_ROW", 3)


def binary_search_only(patch: pytest.MonkeyPatch) -> None:
    """No key addresses a table, and probes are sorted however few they are."""
    for name in ("_SMALL_TABLE", "_SPARSE"):
        patch.setattr(runs, name, 0)
    for name in ("_UNSORTED_RUN", "_MANY_PROBES"):
        patch.setattr(runs, name, 1)


def wide_rows(patch: pytest.MonkeyPatch) -> None:
    """Every row counts as wider than a word."""
    make = runs.Order.__init__

    def order(self: runs.Order, key_columns: tuple[int, ...], ranges: list[Range]) -> None:
        make(self, key_columns, ranges)
        self.whole, self.tail = None, 0

    patch.setattr(runs.Order, "__init__", order)
    patch.setattr(growing, "packing_for", lambda ranges: InternPacking(ranges) if ranges else packing_for(ranges))


@pytest.mark.parametrize(
    "forces", [(small_pieces,), (runs_only,), (flags_soon,), (binary_search_only,), (wide_rows,), (small_pieces, runs_only, wide_rows)]
)
@given(program=programs(Shape(query=True)))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors])
def test_no_representation_changes_what_is_derived(forces: tuple[Force, ...], program: Generated) -> None:
    expected = solved(program, "naive")
    with pytest.MonkeyPatch.context() as patch:
        for force in forces:
            force(patch)
        assert solved(program) == expected
