"""Our engine beside others, in one run: `python -m tests.benchmarks.datalog.compare [--sizes M,L] [--workloads …] [--out FILE]`.

Engines take turns on a workload; medians of three; all that finish must agree on every count. Ratios are of evaluation time without
loading; with `--cpu` of processor time, which other work on the machine disturbs less. Facts are written under the temporary directory of
the system on first use, or read from `--data DIR` when other facts of the same
relations are there (`DIR/WORKLOAD-SIZE/NAME.facts`).
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.datalog.peers import PEERS
from tests.benchmarks.datalog.workloads import PROGRAMS, SIZES, WORKLOADS, write_facts

__all__ = ["main"]

_ROOT = Path(__file__).parents[3]
# An engine that took longer than this on the size before is not tried on the next.
_SLOW_S = 15.0


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return 1 when two engines disagree."""
    options = _options(arguments)
    results: dict[tuple[str, str, str], dict[str, Any]] = {}
    disagreements = []
    for workload in options.workloads.split(","):
        for size in options.sizes.split(","):
            disagreements += _measure(workload, size, options, results)
    table = _table(results, options)
    print(table)
    if options.out:
        Path(options.out).write_text(table + "\n", encoding="utf-8")
    for complaint in disagreements:
        print(complaint, file=sys.stderr)
    return 1 if disagreements else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the engine with others.")
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "ce-datalog-benchmarks")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cap", type=float, default=60.0, help="seconds after which a run is stopped")
    parser.add_argument("--python", action="append", default=[], metavar="PEER=PATH", help="an interpreter that has the peer")
    parser.add_argument("--cpu", action="store_true", help="compare processor time")
    parser.add_argument("--out")
    return parser.parse_args(arguments)


def _measure(workload: str, size: str, options: argparse.Namespace, results: dict[tuple[str, str, str], dict[str, Any]]) -> list[str]:
    facts = options.data / f"{workload}-{size}"
    write_facts(WORKLOADS[workload], size, facts)
    program = PROGRAMS / f"{WORKLOADS[workload].program}.dl"
    pythons = dict(pair.split("=", 1) for pair in options.python)
    runs: dict[str, list[dict[str, Any]]] = {}
    peers = [peer for peer in options.peers.split(",") if _worth_trying(peer, workload, size, results)]
    for _ in range(options.repeat):
        for peer in list(peers):
            run = _once(peer, pythons.get(peer, sys.executable), program, facts, options.cap)
            runs.setdefault(peer, []).append(run)
            if "eval_s" not in run:
                peers.remove(peer)
    counts: dict[str, list[str]] = {}
    for peer, measured in runs.items():
        whole = [run for run in measured if "eval_s" in run]
        results[workload, size, peer] = measured[-1] if len(whole) < len(measured) else _median(whole)
        for run in whole:
            counts.setdefault(json.dumps(run["counts"], sort_keys=True), []).append(peer)
        shown = results[workload, size, peer]
        print(
            f"{workload}-{size} {peer}: " + (f"{shown['eval_s']:.3f} s" if "eval_s" in shown else str(shown)), file=sys.stderr, flush=True
        )
    return [f"{workload}-{size}: engines disagree: {counts}"] if len(counts) > 1 else []


def _worth_trying(peer: str, workload: str, size: str, results: dict[tuple[str, str, str], dict[str, Any]]) -> bool:
    before = [results[key] for key in results if key[0] == workload and key[2] == peer]
    return not before or before[-1].get("eval_s", math.inf) + before[-1].get("load_s", 0.0) < _SLOW_S


def _once(peer: str, python: str, program: Path, facts: Path, cap: float) -> dict[str, Any]:
    command = [python, "-m", "tests.benchmarks.datalog.peers", peer, str(program), str(facts)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=cap, cwd=_ROOT, env={"PYTHONPATH": str(_ROOT), **_environment()}
        )
    except subprocess.TimeoutExpired:
        return {"cannot": f"more than {cap:g} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        complaint = done.stderr.strip().splitlines()
        return {"cannot": complaint[-1][:100] if complaint else f"exit {done.returncode}"}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def _environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    medians = {key: statistics.median(run[key] for run in runs) for key in ("load_s", "eval_s", "cpu_s", "peak_mb")}
    return {**medians, "counts": runs[0]["counts"]}


def _table(results: dict[tuple[str, str, str], dict[str, Any]], options: argparse.Namespace) -> str:
    peers = [
        peer
        for peer in options.peers.split(",")
        if peer != "ours" and any("eval_s" in run for key, run in results.items() if key[2] == peer)
    ]
    lines = [
        f"| workload | derived rows | ours, rows/s | ours, peak MB | {' | '.join(f'ours ÷ {peer}' for peer in peers)} |",
        "|---" + "|---:" * (3 + len(peers)) + "|",
    ]
    ratios: dict[str, list[float]] = {}
    measure = "cpu_s" if options.cpu else "eval_s"
    for workload, size in dict.fromkeys(key[:2] for key in results):
        ours = results.get((workload, size, "ours"), {})
        if "eval_s" not in ours:
            continue
        derived = sum(ours["counts"].values())
        cells = []
        for peer in peers:
            run = results.get((workload, size, peer), {})
            if "eval_s" in run:
                ratio = ours[measure] / max(run[measure], 1e-4)
                ratios.setdefault(peer, []).append(ratio)
                cells.append(f"{ratio:.3g}")
            else:
                cells.append("")
        lines.append(f"| {workload} {size} | {derived:,} | {derived / ours[measure]:,.0f} | {ours['peak_mb']:.0f} | {' | '.join(cells)} |")
    means = [f"{math.exp(statistics.fmean(map(math.log, ratios[peer]))):.3g}" if peer in ratios else "" for peer in peers]
    lines.append(f"| geometric mean | | | | {' | '.join(means)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
