"""Print a random sample of copied blocks and of near copies, both sides whole, for a review by hand.

    python tests/benchmarks/clones/review_sample.py TREE... [--seed N] [--blocks N] [--pairs N] [--lines N]

The sample is drawn over all trees together; the same trees, seed and numbers print the same pairs. Each is headed by what it is, so that
a verdict can be written beside it: is it truly a copy, and would a reader want to know?
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from ce.app.copies import CodeBlock, NearPair, Place, excerpt, find_copied_code, find_near_misses
from ce.app.evaluation import Options
from ce.app.project import Project, open_project

Found = tuple[Project, str, Place, Place]


def main() -> None:
    """Measure the trees, draw, print."""
    parser = argparse.ArgumentParser(description="Print a random sample of copies for a review by hand.")
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--lines", type=int, default=40, help="lines shown of a place")
    arguments = parser.parse_args()
    projects = [open_project(tree) for tree in arguments.trees]
    blocks = [_of_block(project, block) for project in projects for block in find_copied_code(project, options=Options()).blocks]
    pairs = [_of_pair(project, pair) for project in projects for pair in find_near_misses(project, options=Options()).pairs]
    draw = random.Random(arguments.seed)
    print(f"{len(blocks)} blocks, {len(pairs)} near pairs; seed {arguments.seed}")
    for kind, found, number in (("block", blocks, arguments.blocks), ("pair", pairs, arguments.pairs)):
        for position, one in enumerate(draw.sample(found, min(number, len(found))), 1):
            _show(f"{kind} {position}", one, arguments.lines)


def _of_block(project: Project, block: CodeBlock) -> Found:
    return project, f"{block.kind}, {block.tokens} tokens, {block.distinct} different", block.a, block.b


def _of_pair(project: Project, pair: NearPair) -> Found:
    return project, f"{pair.ted} edits of {max(pair.n1, pair.n2)} nodes, {pair.a_key} and {pair.b_key}", pair.a, pair.b


def _show(name: str, found: Found, lines: int) -> None:
    project, what, *places = found
    print(f"\n{'=' * 100}\n{name}: {what}")
    for place in places:
        print(f"--- {Path(project.shown).name}/{place.path}:{place.start}-{place.end}")
        print("\n".join(f"    {line}" for line in excerpt(project, place, lines)))
        if place.end - place.start >= lines:
            print(f"    … {place.end - place.start + 1 - lines} more lines")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a file is a text stream, too
    main()
