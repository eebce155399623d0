"""Which near copies the search misses: it against a sweep over all pairs of functions, on real trees.

    python -m tests.benchmarks.clones.recall TREE... [--most N]

All functions of all trees are taken together, those of equal trees once. The sweep fills the whole table of Zhang and Shasha for each
pair whose sizes allow it: no labels are counted, no traversals compared, nothing is remembered. `--most` draws so many of the pairs.
Prints numbers, and each pair that passes and that the search does not have; returns 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
from itertools import combinations
from pathlib import Path

from ce.extract.languages import language_spec
from ce.extract.measures.near_misses import Shape, bound_of, near_misses, shapes_of
from ce.extract.measures.tree_distance import zhang_shasha
from ce.extract.measures.unit_trees import UnitTree, trees_of
from ce.extract.parsing import Parsed, parse
from ce.source.settings import Settings
from ce.source.text import decode
from ce.source.walk import walk


def main() -> int:
    """Sweep and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--most", type=int)
    given = parser.parse_args()
    units = [(f"{root.name}/{path}", tree) for root in given.trees for path, tree in _units(root)]
    named: dict[Shape, str] = {}
    for (path, tree), shape in zip(units, shapes_of((tree.labels, tree.leftmost) for _, tree in units), strict=True):
        named.setdefault(shape, f"{path}:{tree.start}-{tree.end}")
    shapes = list(named)
    told = {(pair.a, pair.b) for pair in near_misses(shapes).pairs}
    sizes = [len(shape.labels) for shape in shapes]
    pairs = [(a, b) for a, b in combinations(range(len(shapes)), 2) if abs(sizes[a] - sizes[b]) <= bound_of(sizes[a], sizes[b])]
    swept = pairs if given.most is None else random.Random(5).sample(pairs, min(given.most, len(pairs)))
    passed = {(a, b) for a, b in swept if _passes(shapes[a], shapes[b])}
    print(f"{len(units)} functions, {len(shapes)} different trees, {len(pairs)} pairs of like size, {len(swept)} swept")
    print(f"{len(passed)} pass; the search has {len(passed & told)} of them, and {len(told & set(swept)) - len(passed & told)} that do not")
    for a, b in sorted(passed - told):
        print(f"missed: {named[shapes[a]]} and {named[shapes[b]]}")
    return 1 if passed ^ (told & set(swept)) else 0


def _units(root: Path) -> list[tuple[str, UnitTree]]:
    found = []
    for path in walk(root, Settings()).paths:
        if path.endswith(".py"):
            parsed = parse(path, language_spec("python"), decode((root / path).read_bytes()).text_bytes)
            assert isinstance(parsed, Parsed)
            found += [(path, tree) for tree in trees_of(parsed) if tree.labels]
    return found


def _passes(a: Shape, b: Shape) -> bool:
    bound = bound_of(len(a.labels), len(b.labels))
    return zhang_shasha((a.labels, a.leftmost), (b.labels, b.leftmost), bound) <= bound


if __name__ == "__main__":
    sys.exit(main())
