"""Our search for copied code beside jscpd and pylint, on the same files with the same minimum: 50 tokens, 6 lines.

    python -m tests.benchmarks.clones.compare ROOT [--suffixes .py] [--npm DIR] [--pylint PYTHON] [--rounds N] [--cap S] [--format python]

The files of ROOT that `ce` measures are copied to a directory of their own; each tool then reads that directory, one after the other, in
every round. `--npm` is a scratch directory with jscpd, which is installed there when it is missing; `--pylint` an interpreter that has
pylint. Prints medians of wall and processor time, peak memory of all processes together, blocks, and the ratios of one run. Then every
block of jscpd that none of ours covers is put into a class by what our tokens say of its two places; `--list` prints those without one.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.clones.differ import Pair, classify
from tests.benchmarks.clones.running import Run, ce_command, copy_measured, run

LEAST_TOKENS, LEAST_LINES = 50, 6


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its command, what has to happen before it runs, and how many blocks its output holds."""

    name: str
    command: list[str]
    prepare: Callable[[], None]
    count: Callable[[Path], int]


def main() -> int:
    """Measure, print, and return 1 when a block of jscpd has no explanation."""
    given = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        tree, out = Path(scratch, "tree"), Path(scratch, "out")
        out.mkdir()
        paths = copy_measured(given.root, tuple(given.suffixes.split(",")), tree)
        lines = sum((tree / path).read_bytes().count(b"\n") for path in paths)
        print(f"{len(paths)} files, {lines:,} lines")
        tools = _tools(given, tree, out, paths)
        runs: dict[str, list[Run]] = {tool.name: [] for tool in tools}
        for _ in range(given.rounds):
            for tool in tools:
                if any(done.code is None for done in runs[tool.name]):
                    continue
                tool.prepare()
                runs[tool.name].append(run(tool.command, out / tool.name, given.cap))
        _print_table(tools, runs, out)
        if given.npm is None:
            return 0
        return _print_differences(given, tree, out)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--suffixes", default=".py")
    parser.add_argument("--format", default="python", help="the name of the language in jscpd")
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--pylint")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cap", type=float, default=1800.0)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def _tools(given: argparse.Namespace, tree: Path, out: Path, paths: list[str]) -> list[Tool]:
    ours = ce_command(sys.executable, "dedup", str(tree), "--format", "json")
    tools = [
        Tool("ce, cold", ours, lambda: shutil.rmtree(tree / ".ce", ignore_errors=True), _our_count),
        Tool("ce, warm", ours, lambda: None, _our_count),
    ]
    if given.npm is not None:
        options = ["-k", str(LEAST_TOKENS), "-l", str(LEAST_LINES), "-f", given.format, "-x", "10000000", "-z", "100mb", "--no-gitignore"]
        command = [str(_jscpd(given.npm)), *options, "-r", "json", "-o", str(out), str(tree)]
        tools.append(Tool("jscpd", command, lambda: None, lambda _: len(_their_pairs(out, tree))))
    if given.pylint is not None:
        listed = out / "files"
        listed.write_text("\n".join(str(tree / path) for path in paths), encoding="utf-8")
        command = [given.pylint, "-m", "pylint", "--disable=all", "--enable=R0801", f"--min-similarity-lines={LEAST_LINES}"]
        boot = f"import subprocess, sys; sys.exit(subprocess.call({command!r} + open({str(listed)!r}).read().split()))"
        tools.append(Tool("pylint R0801", [sys.executable, "-c", boot], lambda: None, _pylint_count))
    return tools


def _jscpd(directory: Path) -> Path:
    """Return the native binary of jscpd below the directory, installing it first when it is not there."""
    if not list(directory.glob("node_modules/jscpd-*/bin/jscpd")):
        subprocess.run(["npm", "install", "--prefix", str(directory), "jscpd@5"], check=True, capture_output=True)
    found = sorted(directory.glob("node_modules/jscpd-*/bin/jscpd"))
    if not found:
        sys.exit(f"jscpd has no binary for this platform below {directory}: install its platform package of the same version there")
    return found[0]


def _our_count(output: Path) -> int:
    return int(json.loads(output.read_bytes())["summary"]["blocks"])


def _pylint_count(output: Path) -> int:
    return len(re.findall(rb"R0801", output.read_bytes()))


def _their_pairs(out: Path, tree: Path) -> list[Pair]:
    found = json.loads((out / "jscpd-report.json").read_bytes())["duplicates"]
    return [Pair(*_place(one["firstFile"], tree), *_place(one["secondFile"], tree)) for one in found]


def _place(side: dict[str, object], tree: Path) -> tuple[str, int, int]:
    name = str(side["name"])
    path = name if (tree / name).is_file() else str(Path(name).relative_to(tree))
    return path, int(str(side["start"])), int(str(side["end"]))


def _print_table(tools: list[Tool], runs: dict[str, list[Run]], out: Path) -> None:
    print("\n| tool | wall s | cpu s | peak MB | blocks |\n|---|---:|---:|---:|---:|")
    middle: dict[str, tuple[float, float, float]] = {}
    for tool in tools:
        done = runs[tool.name]
        wall, cpu, memory = (statistics.median(values) for values in zip(*((one.wall, one.cpu, one.memory) for one in done), strict=True))
        middle[tool.name] = wall, cpu, memory
        stopped = done[-1].code is None
        blocks = "stopped" if stopped else str(tool.count(out / tool.name))
        print(f"| {tool.name} | {'> ' if stopped else ''}{wall:.2f} | {'> ' if stopped else ''}{cpu:.2f} | {memory:.0f} | {blocks} |")
    print("\n| ratio | wall | cpu | memory |\n|---|---:|---:|---:|")
    for ours in ("ce, cold", "ce, warm"):
        for theirs in middle:
            if theirs not in ("ce, cold", "ce, warm"):
                parts = (mine / other for mine, other in zip(middle[ours], middle[theirs], strict=True))
                print(f"| {ours} ÷ {theirs} | {' | '.join(f'{part:.2f}' for part in parts)} |")


def _print_differences(given: argparse.Namespace, tree: Path, out: Path) -> int:
    document = json.loads((out / "ce, warm").read_bytes())
    theirs = _their_pairs(out, tree)
    classes = classify(tree, theirs, document)
    counts = Counter(classes.values())
    print("\n| blocks of jscpd | number |\n|---|---:|")
    for reason, count in counts.most_common():
        print(f"| {reason} | {count} |")
    unexplained = [pair for pair, reason in classes.items() if reason == "unexplained"]
    if given.list:
        for pair in unexplained:
            print(f"{pair.a}:{pair.a_start}-{pair.a_end} {pair.b}:{pair.b_start}-{pair.b_end}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
