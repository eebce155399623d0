"""Eight workloads in three sizes: the program of each, and facts made from a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["PROGRAMS", "SIZES", "WORKLOADS", "Workload", "write_facts"]

Ints = NDArray[np.int64]
Column = Ints | Sequence[str]
Random = np.random.Generator

PROGRAMS = Path(__file__).parent / "programs"
SIZES = ("S", "M", "L")
_SEED = 20


@dataclass(frozen=True, slots=True)
class Workload:
    """A program and what makes its facts; `sizes` are the arguments of S, M and L."""

    name: str
    program: str
    stresses: str
    make: Callable[..., Mapping[str, tuple[Column, ...]]]
    sizes: tuple[tuple[int, ...], ...]


def write_facts(workload: Workload, size: str, directory: Path) -> None:
    """Write `NAME.facts` for every relation of the workload, unless they are there already."""
    if directory.is_dir():
        return
    partial = directory.with_name(directory.name + ".partial")
    partial.mkdir(parents=True, exist_ok=True)
    relations = workload.make(np.random.default_rng(_SEED), *workload.sizes[SIZES.index(size)])
    for name, columns in relations.items():
        texts = [list(map(str, column.tolist() if isinstance(column, np.ndarray) else column)) for column in columns]
        (partial / f"{name}.facts").write_text("".join("\t".join(row) + "\n" for row in zip(*texts, strict=True)), encoding="utf-8")
    partial.rename(directory)


def _distinct(*columns: Ints) -> tuple[Ints, ...]:
    rows = np.unique(np.stack(columns, axis=1), axis=0)
    return tuple(rows[:, place] for place in range(len(columns)))


def _skewed(random: Random, bound: int, count: int, power: float) -> Ints:
    """Return numbers below the bound, small ones more often."""
    return (random.random(count) ** power * bound).astype(np.int64)


def _near(random: Random, numbers: Ints, bound: int, reach: int) -> Ints:
    moved: Ints = np.clip(numbers + random.integers(-reach, reach + 1, numbers.size), 0, bound - 1)
    return moved


def _sparse(random: Random, nodes: int, edges: int) -> Mapping[str, tuple[Column, ...]]:
    return {"edge": _distinct(random.integers(0, nodes, edges), random.integers(0, nodes, edges))}


def _chain(_: Random, nodes: int) -> Mapping[str, tuple[Column, ...]]:
    return {"edge": (np.arange(nodes), np.arange(1, nodes + 1))}


def _dead(random: Random, files: int, references: int) -> Mapping[str, tuple[Column, ...]]:
    """References go to neighbours or to popular files; every third package of 64 is only used from packages like it."""
    source = random.integers(0, files, references)
    target = np.where(random.random(references) < 0.8, _near(random, source, files, 20), _skewed(random, files, references, 3.0))
    allowed = (source // 64 % 3 == 2) | (target // 64 % 3 != 2)
    roots = np.unique(random.integers(0, files, 12) // 192 * 192)
    return {"file": (np.arange(files),), "root": (roots,), "ref": _distinct(source[allowed], target[allowed])}


def _generation(random: Random, width: int, depth: int) -> Mapping[str, tuple[Column, ...]]:
    child = np.concatenate([np.arange(width).repeat(2) + level * width for level in range(1, depth)])
    return {"par": _distinct(child, random.integers(0, width, child.size) + (child // width - 1) * width)}


def _points_to(random: Random, variables: int) -> Mapping[str, tuple[Column, ...]]:
    def pairs(left: Ints) -> tuple[Ints, ...]:
        return _distinct(left, _near(random, left, variables, 30))

    return {
        "addr": pairs(np.arange(0, variables, 4)),
        "assign": pairs(random.integers(0, variables, variables * 9 // 10)),
        "ld": pairs(random.integers(0, variables, variables // 8)),
        "st": pairs(random.integers(0, variables, variables // 8)),
    }


def _value_flow(random: Random, variables: int) -> Mapping[str, tuple[Column, ...]]:
    """Assignments go backwards within a function of 16 variables, pointers stay near by."""
    source = random.integers(0, variables, variables * 8 // 10)
    target = np.maximum(source - 1 - random.integers(0, 6, source.size), source // 16 * 16)
    pointer = random.integers(0, variables, variables // 4)
    moved = source != target
    return {"assign": _distinct(source[moved], target[moved]), "deref": _distinct(pointer, _near(random, pointer, variables, 8))}


def _measures(random: Random, nodes: int, edges: int) -> Mapping[str, tuple[Column, ...]]:
    node = np.arange(nodes)
    return {
        "node": (node,),
        "edge": _distinct(random.integers(0, nodes, edges), _skewed(random, nodes, edges, 2.0)),
        "grp": (node, _skewed(random, max(20, nodes // 400), nodes, 1.5)),
        "val": (node, random.integers(0, 1000, nodes)),
    }


def _architecture(random: Random, files: int, references: int) -> Mapping[str, tuple[Column, ...]]:
    """Two names a file, most references to near ones; tests are rarely referred to, every fourth directory only from others like it."""
    directories = files // 20
    directory = np.arange(files) * directories // files
    names = files * 2
    source = random.integers(0, files, references)
    near = _near(random, source * 2, names, 80)
    name = np.where(random.random(references) < 0.7, near, _skewed(random, names, references, 2.5))
    is_test = random.random(files) < 0.15
    allowed = ~is_test[name // 2] | (random.random(references) < 0.025)
    allowed &= (directory[source] % 4 == 3) | (directory[name // 2] % 4 != 3)
    source, name = _distinct(source[allowed], name[allowed])
    definer, defined = _distinct(
        np.concatenate([np.arange(names) // 2, random.integers(0, files, files // 50)]),
        np.concatenate([np.arange(names), random.integers(0, names, files // 50)]),
    )
    file_names = [f"src/m{home}/f{number}.py" for number, home in enumerate(directory.tolist())]
    symbol_names = [f"m{directory[number // 2]}.s{number}" for number in range(names)]
    folder_names = [f"src/m{number}" for number in range(directories)]

    def pick(labels: Sequence[str], numbers: Ints) -> list[str]:
        return [labels[number] for number in numbers.tolist()]

    children = np.arange(1, directories)
    return {
        "file": (file_names,),
        "ref": (pick(file_names, source), pick(symbol_names, name)),
        "defines": (pick(file_names, definer), pick(symbol_names, defined)),
        "in_dir": (file_names, pick(folder_names, directory)),
        "parent": (pick(folder_names, children), pick(folder_names, (random.random(children.size) * children).astype(np.int64))),
        "layer": (folder_names, random.integers(0, 8, directories)),
        "owner": (folder_names, pick([f"team{number}" for number in range(60)], random.integers(0, 60, directories))),
        "is_test": (pick(file_names, np.flatnonzero(is_test)),),
        "entry": (pick(file_names, np.unique(random.integers(0, max(1, files // 80), 10) * 80)),),
    }


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("tc_sparse", "closure", "closure in few large rounds", _sparse, ((200, 400), (1200, 2400), (2400, 4800))),
        Workload("tc_chain", "closure", "closure in thousands of small rounds", _chain, ((200,), (1000,), (3000,))),
        Workload("dead", "dead", "reach and negation", _dead, ((4_000, 20_000), (200_000, 1_000_000), (1_000_000, 5_000_000))),
        Workload("sg", "generation", "two joins a pair, many duplicates", _generation, ((30, 8), (200, 10), (500, 12))),
        Workload("andersen", "points_to", "recursion that is not linear", _points_to, ((500,), (10_000,), (40_000,))),
        Workload("cspa", "value_flow", "mutual recursion", _value_flow, ((500,), (20_000,), (120_000,))),
        Workload("negagg", "measures", "negation and aggregates", _measures, ((2_000, 10_000), (60_000, 300_000), (300_000, 1_500_000))),
        Workload(
            "coderules", "architecture", "twenty rules on text", _architecture, ((1_000, 10_000), (40_000, 400_000), (200_000, 2_000_000))
        ),
    )
}
