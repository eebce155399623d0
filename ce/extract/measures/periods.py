"""Texts that repeat themselves: a run that reaches its own copy is a stretch of one period, and is told as its repetitions.

A stretch of the period p is equal to itself p tokens further on, and 2p, and 3p: one fact, found on many diagonals. It is told once. With
a period of fifty tokens and more each repetition is a place; of rows that are shorter the first half is a copy of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.fingerprints import GUARANTEE
from ce.extract.measures.runs import Runs, joined
from ce.extract.measures.tape import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ce.extract.measures.tape import Tape

__all__ = ["told_once"]


def told_once(runs: Runs, tape: Tape) -> Runs:
    """Return the runs with those that reach their own copy, and all on other diagonals of the same stretch, replaced by repetitions.

    The runs of one file may overlap their copies; those that are returned do not.
    """
    steps = runs.bt - runs.at
    own = (runs.a == runs.b).nonzero()[0]
    if not (runs.lengths[own] >= steps[own]).any():
        return runs
    # The stretch that a run on this diagonal lies in, if it is one: all of its diagonals give the same.
    low, high = tape.bounds[runs.a[own]] + runs.at[own], tape.bounds[runs.a[own]] + runs.bt[own] + runs.lengths[own]
    order = np.lexsort((steps[own], high, low))
    own, low, high = own[order], low[order], high[order]
    opens = np.ones(len(own), np.bool_)
    opens[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    stretch = np.cumsum(opens) - 1
    first = opens.nonzero()[0]
    # The shortest step comes first; when the run on it does not reach its copy, none does.
    period = steps[own[first]]
    repeats = high[first] - low[first] >= 2 * period
    dropped = repeats[stretch] & (steps[own] % period[stretch] == 0)
    kept = np.ones(len(steps), np.bool_)
    kept[own[dropped]] = False
    repetitions = _repetitions(tape, runs.a[own[first]][repeats], low[first][repeats], high[first][repeats], period[repeats])
    return joined([runs.take(kept), repetitions])


def _repetitions(
    tape: Tape, files: NDArray[np.int64], begins: NDArray[np.int64], ends: NDArray[np.int64], periods: NDArray[np.int64]
) -> Runs:
    """Return the repetitions of stretches as runs, each with the next; bounds are places on the tape."""
    lengths = ends - begins
    is_long = periods >= GUARANTEE
    # Of the two places the longest: they lie as far apart as they are long, up to a period.
    half = lengths // (2 * periods) * periods
    half += np.where(np.minimum(lengths - half, half) < np.minimum(lengths - half - periods, half + periods), periods, 0)
    counts = np.where(is_long, lengths // periods - 1, 1)
    steps = np.where(is_long, periods, half)
    sizes = np.where(is_long, periods, np.minimum(lengths - half, half))
    # Where there is room the first begins on a line of its own, and so do all that are laid out like it.
    fresh = np.ones(len(tape.codes) + 1, np.bool_)
    fresh[1:-1] = tape.ends[:-1] < tape.starts[1:]
    fresh[tape.bounds] = True
    lines = fresh.nonzero()[0]
    later = lines[np.searchsorted(lines, begins)] - begins
    begins = begins + np.where(later <= lengths - counts * steps - sizes, later, 0) - tape.bounds[files]
    steps, sizes, files = (np.repeat(column, counts) for column in (steps, sizes, files))
    at = np.asarray(np.repeat(begins, counts) + steps * spread(np.zeros(len(counts), np.int64), counts), np.int64)
    return Runs(files, at, files, at + steps, sizes)
