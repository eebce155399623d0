"""A command without its standard streams, or with a full disk behind them, ends with a sentence and the right exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Make = Callable[[Mapping[str, str | bytes]], Path]


def run_in_shell(root: Path, words: str, redirections: str) -> tuple[int, str]:
    command = f'"{sys.executable}" -m ce {words} {redirections}'
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True, timeout=60, env=environment)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("redirections", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "code"), [("query 'dead(F)'", 0), ("deadcode --check", 1), ("query 'dead('", 2), ("--version", 0)])
def test_a_stream_that_the_caller_closed_changes_no_exit_code(tree: Make, words: str, code: int, redirections: str) -> None:
    root = tree({"__main__.py": "print(1)\n", "_gone.py": "_x = 1\n"})
    got, said = run_in_shell(root, words, redirections)
    assert (got, "Traceback" in said) == (code, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["query 'dead(F)'", "facts", "--version", "--help", "facts --format json"])
def test_a_result_that_cannot_be_written_is_a_fault_and_said(tree: Make, words: str) -> None:
    got, said = run_in_shell(tree({"__main__.py": "print(1)\n"}), words, "> /dev/full")
    assert (got, "Traceback" in said) == (2, False)
    assert "No space left on device" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_remarks_that_cannot_be_written_change_no_exit_code(tree: Make) -> None:
    root = tree({"__main__.py": "print(1)\n", "_gone.py": "_x = 1\n"})
    assert run_in_shell(root, "deadcode --check", "2> /dev/full")[0] == 1
    assert run_in_shell(root, "query 'dead('", "2> /dev/full")[0] == 2


def test_a_current_directory_that_is_gone_is_said(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    command = f'rmdir "{here}"; "{sys.executable}" -P -m ce query "dead(F)"'
    ended = subprocess.run(["sh", "-c", command], cwd=here, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "the current directory does not exist any more" in ended.stderr
