"""Judge the trees of `cruises.toml` with dependency-cruiser and with the rules of the manual, and compare what both say.

    python -m tests.benchmarks.rules.compare_dependency_cruiser --depcruise NODE_MODULES/.bin/depcruise [--ce CE] NAME=DIR…

A tree is the directory of an installed package or a checkout, with its dependencies installed in a `node_modules` at it or above. It is
copied, so nothing is written there. Exit code 1 when an answer differs for a reason that neither `cruises.toml` nor `_reason` knows.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.rules.contracts import command_of
from tests.benchmarks.rules.cruises import RULES, Cruise, configuration, judged_by_manual, read_report


def main() -> int:
    """Compare every rule on every tree and print one line for each; return 1 when some answer differs without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", metavar="NAME=DIR", help="where the tree of that name stands")
    parser.add_argument("--depcruise", required=True, help="the command of dependency-cruiser")
    parser.add_argument("--ce", default="ce", help="the command of CodeEraser")
    arguments = parser.parse_args()
    cruises = {each["name"]: each for each in tomllib.loads(Path(__file__).with_name("cruises.toml").read_text(encoding="utf-8"))["tree"]}
    run = command_of(arguments.ce)
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, _, directory in (each.partition("=") for each in arguments.trees):
            cruise, tree = cruises[name], _copied(Path(directory), Path(scratch) / name)
            theirs = read_report(_cruised(cruise, tree, arguments.depcruise), cruise["src"])
            for rule in RULES:
                ours = judged_by_manual(rule, cruise, tree, run)
                only_ours, only_theirs = ours - theirs[rule], theirs[rule] - ours
                reasons = {row: reason for row in only_ours | only_theirs if (reason := _reason(rule, row, cruise, theirs["on_circles"]))}
                left = {(who, row) for who, rows in (("rules", only_ours), ("theirs", only_theirs)) for row in rows - reasons.keys()}
                differing += bool(left)
                verdict = "different" if left else "same" if not only_ours | only_theirs else "same but for what is explained"
                print(f"{name} {rule}: {verdict}; {len(theirs[rule])} and {len(ours)}, {len(theirs[rule] & ours)} of both", flush=True)
                for reason, number in sorted(Counter(reasons.values()).items()):
                    print(f"  {number} explained: {reason}")
                for who, row in sorted(left)[:10]:
                    print(f"  only {who}: {', '.join(row)}")
    return 1 if differing else 0


def _copied(directory: Path, tree: Path) -> Path:
    shutil.copytree(directory, tree, ignore=shutil.ignore_patterns("node_modules", ".git"), symlinks=True)
    installed = next((above / "node_modules" for above in (directory, *directory.parents) if (above / "node_modules").is_dir()), None)
    if installed is not None:
        (tree / "node_modules").symlink_to(installed.resolve())
    return tree


def _cruised(cruise: Cruise, tree: Path, depcruise: str) -> str:
    config = tree / ".dependency-cruiser.json"
    config.write_text(json.dumps(configuration(cruise)))
    words = [depcruise, "--config", config.name, "--output-type", "json"]
    if (tree / "tsconfig.json").exists():
        words += ["--ts-config", "tsconfig.json"]
    done = subprocess.run([*words, cruise["src"]], cwd=tree, capture_output=True, text=True)
    assert done.stdout.startswith("{"), done.stdout[-1000:] + done.stderr[-1000:]
    return done.stdout


def _reason(rule: str, row: tuple[str, ...], cruise: Mapping[str, Any], on_circles: set[tuple[str, ...]]) -> str:
    """Return why a row of the rule may differ, empty for no reason."""
    known: Mapping[str, str] = cruise.get("explained", {})
    if rule == "unresolvable" and not row[1].startswith("."):
        return "`ce` looks into the manifest for a package, dependency-cruiser onto the disk"
    if rule == "no_circular" and row in on_circles:
        return "dependency-cruiser visits each module once in its search, and so does not tell every import on a circle that it sees"
    return known.get(", ".join(row), "")


if __name__ == "__main__":
    sys.exit(main())
