"""The files that other tools read from the root: hooks for pre-commit, an action for GitHub, and the recipes of the manual."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

Ce = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
GATES = ROOT / "docs" / "how-to" / "gate-ci.md"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "fixtures" / "demo", tmp_path / "shop"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_as_pre_commit_runs_it(ce: Ce, shop: Path, hook: dict[str, object]) -> None:
    words = shlex.split(str(hook["entry"]))
    files = [] if hook.get("pass_filenames") is False else ["ce.rules"]
    assert words[0] == "ce"
    assert hook["language"] == "python"
    assert not files or re.search(str(hook["files"]), files[0])
    code, _, err = ce(*words[1:], *files, cwd=shop)
    assert code == {"ce-rules": 1, "ce-deadcode": 1, "ce-lint": 0, "ce-fmt": 0}[str(hook["id"])], err


@pytest.mark.parametrize(
    ("inputs", "code", "shown"),
    [
        ({}, 1, "::error file=src/shop/storage.py"),
        ({"rules": "no-cycles.rules\nlayers.rules\n"}, 0, ""),
        ({"rules": "layers.rules", "strict": "true"}, 1, "cannot fire here"),
        ({"rules": "no-cycles.rules", "deadcode": "true"}, 1, "old_export.py"),
        ({"rules": "gone.rules"}, 2, "no rules file `gone.rules`"),
        ({"baseline": "known.json"}, 2, "there is no baseline"),
        ({"sarif": "out.sarif"}, 1, "violation"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_the_judging_step_of_the_action_ends_as_the_gate_does(
    shop: Path, inputs: dict[str, str], code: int, shown: str, tmp_path: Path
) -> None:
    step = ACTION["runs"]["steps"][-1]
    given = {name: str(each["default"]) for name, each in ACTION["inputs"].items()} | inputs
    values = {name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value) for name, value in step["env"].items()}
    environment = {name: given[match[1]] for name, match in values.items() if match}
    assert len(environment) == len(step["env"])
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "ce").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ce "$@"\n')
    (binaries / "ce").chmod(0o755)
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    inherited = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=shop, env=inherited | environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert shown in done.stdout + done.stderr
    assert (shop / "out.sarif").exists() == ("sarif" in inputs)


def test_what_the_manual_shows_for_other_systems_is_well_formed() -> None:
    page = GATES.read_text(encoding="utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(blocks) >= 4
    hooks = next(block for block in blocks if "repos" in block)
    assert {hook["id"] for repo in hooks["repos"] for hook in repo["hooks"]} <= {hook["id"] for hook in HOOKS}
    steps = [step for block in blocks for job in block.get("jobs", {}).values() for step in job["steps"]]
    named = [step["with"] for step in steps if "codeeraser" in step.get("uses", "").lower()]
    assert named
    assert all(given.keys() <= ACTION["inputs"].keys() for given in named)
