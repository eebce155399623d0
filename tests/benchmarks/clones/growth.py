"""What the search for copied code costs when a tree grows by renamed copies of itself: 1, 2, 4 and 8 times the same files.

    python -m tests.benchmarks.clones.growth ROOT [--suffixes .py] [--times 1,2,4,8]

In each copy every longer name ends in the number of the copy, so nothing is equal to the letter and all of it is copied code: k copies
of a text have to be one group with k places. Prints processor time and memory of a cold run, blocks and groups, and how they grow.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import shutil
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.clones.running import ce_command, copy_measured, run

_NAME = re.compile(rb"\b[a-z][a-z_]{4,}\b")
_KEYWORDS = frozenset(word.encode() for word in (*keyword.kwlist, *keyword.softkwlist, "print", "async", "function", "const", "interface"))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--suffixes", default=".py")
    parser.add_argument("--times", default="1,2,4,8")
    given = parser.parse_args()
    print("| copies | cpu s | grows | peak MB | grows | blocks | grows | groups | grows |")
    print("|---:" * 9 + "|")
    before: tuple[float, ...] = ()
    for times in map(int, given.times.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch, "tree")
            for copy in range(times):
                for path in copy_measured(given.root, tuple(given.suffixes.split(",")), tree / f"copy{copy}"):
                    _rename(tree / f"copy{copy}" / path, copy)
            done = run(ce_command(sys.executable, "dedup", str(tree), "--format", "json"), Path(scratch, "out"))
            summary = json.loads(Path(scratch, "out").read_bytes())["summary"]
            shutil.rmtree(tree)
        now = (done.cpu, done.memory, float(summary["blocks"]), float(summary["groups"]))
        grows = [f"{new / old:.2f}" for new, old in zip(now, before, strict=True)] if before else [""] * 4
        cells = (f"{now[0]:.2f}", grows[0], f"{now[1]:.0f}", grows[1], f"{now[2]:.0f}", grows[2], f"{now[3]:.0f}", grows[3])
        print(f"| {times} | {' | '.join(cells)} |", flush=True)
        before = now
    return 0


def _rename(path: Path, copy: int) -> None:
    if not copy:
        return
    suffix = str(copy).encode()
    path.write_bytes(_NAME.sub(lambda match: match[0] if match[0] in _KEYWORDS else match[0] + suffix, path.read_bytes()))


if __name__ == "__main__":
    sys.exit(main())
