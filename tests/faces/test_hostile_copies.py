"""Whatever stands in a tree, the search for copies ends and says the same again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

FUNCTION = """\
def total(items, rate):
    result = 0
    for item in items:
        if item.price > 10 and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items)
"""
PROSE = "Some words that say the same thing again, and again in another place, so that they are found twice by whoever reads.\n\n"
HOSTILE: dict[str, str | bytes] = {
    "empty.py": "",
    "a.py": FUNCTION,
    "nul.py": FUNCTION.encode() + b"\0" + FUNCTION.encode(),
    "wide.py": FUNCTION.encode("utf-16"),
    "breaks.py": FUNCTION.replace("\n", "\r\n") + FUNCTION + FUNCTION.replace("\n", "\r"),
    "line.py": "x = [" + "1, " * 60_000 + "]\n",
    "line.js": "var x = [" + "{a: 1}, " * 20_000 + "];\n",
    "broken.py": "def (:\n" + FUNCTION + '"""',
    "copies.py": "".join(FUNCTION.replace("total", f"total{number}") for number in range(300)),
    "bytes.md": b"\xff\xfe# T\n" + b"word " * 20_000,
    "same.md": PROSE * 40,
}
COMMANDS = ("dedup", "clone", "docdup", "merge")


def hostile(tree: Make) -> Path:
    root = tree({**HOSTILE, **{f"tiny/f{number}.py": "x = 1\n" for number in range(300)}})
    (root / "loop").symlink_to(".")
    (root / "itself").symlink_to("itself")
    (root / "nowhere.py").symlink_to("gone.py")
    return root


def found(out: str) -> dict[str, object]:
    value = json.loads(out)
    return {key: part for key, part in value.items() if key != "counts"}


@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_files_stop_nothing_and_a_second_run_says_the_same(ce: Ce, tree: Make, command: str) -> None:
    root = hostile(tree)
    code, out, _ = ce(command, root, "--format", "json")
    again = ce(command, root, "--format", "json")
    assert (code, again[0]) == (0, 0)
    assert found(out) == found(again[1])
    if command == "dedup":
        value = json.loads(out)
        group = max(value["groups"], key=lambda group: len(group["members"]))
        # Three copies side by side stand in another file, too: where that many are compared they are one place.
        assert [place["path"] for place in group["members"]].count("copies.py") >= 290
        assert len(value["blocks"]) < 1000


def test_runs_side_by_side_and_after_one_that_was_killed_say_the_same(tree: Make) -> None:
    root = hostile(tree)
    command = [sys.executable, "-m", "ce", "dedup", str(root), "--format", "json"]
    for seconds in (0.3, 0.8, 1.5):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as victim:
            time.sleep(seconds)
            os.killpg(victim.pid, signal.SIGKILL)
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(2)]
    outputs = [run.communicate(timeout=120)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert found(outputs[0].decode()) == found(outputs[1].decode())


def test_files_that_vanish_while_they_are_read_are_left_out(tree: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from ce.app.copies import find_copied_code
    from ce.app.evaluation import Options
    from ce.app.project import open_project
    from ce.source.text import read_file

    root = tree({f"{letter}.py": FUNCTION for letter in "abc"})

    def vanishing(top: str, path: str) -> object:
        (root / "c.py").unlink(missing_ok=True)
        return read_file(top, path)

    monkeypatch.setattr("ce.app.worker.read_file", vanishing)
    report = find_copied_code(open_project(str(root)), options=Options())
    assert [(block.a.path, block.b.path) for block in report.blocks] == [("a.py", "b.py")]
    assert any("c.py" in note for note in report.notes)


@pytest.mark.parametrize("table", ["budgets = 3", 'budget = "3"', "budget = -1", "budget = 1.5", "Budget = 3"])
def test_a_budget_that_is_none_is_told(ce: Ce, tree: Make, table: str) -> None:
    code, _, err = ce("dedup", tree({"a.py": FUNCTION, "ce.toml": f"[dedup]\n{table}\n"}), "--check")
    assert code == 2
    assert "ce.toml:2" in err
