"""Commands with the processor time and the memory they take, and trees of the files that `ce` measures."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ce.source.settings import Settings
from ce.source.walk import walk

__all__ = ["Run", "ce_command", "copy_measured", "run"]

_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Run:
    """What a command took: wall and processor seconds, peak memory of all its processes together in MB; `code` None: stopped at the cap."""

    wall: float
    cpu: float
    memory: float
    code: int | None


def run(command: Sequence[str], output: Path, cap: float = 3600.0) -> Run:
    """Run the command with its output in a file; stop it after `cap` seconds."""
    begin = time.perf_counter()
    peak = 0.0
    with (
        output.open("wb") as stream,
        subprocess.Popen(command, stdout=stream, stderr=subprocess.DEVNULL, start_new_session=True) as process,
    ):
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            peak = max(peak, _memory_of(process.pid))
            if time.perf_counter() - begin > cap:
                cpu = _cpu_of(process.pid)
                os.killpg(process.pid, 9)
                process.wait()
                return Run(time.perf_counter() - begin, cpu, peak, None)
            time.sleep(_SAMPLE_SECONDS)
    peak = max(peak, usage.ru_maxrss / 1024)
    return Run(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, peak, process.returncode)


def ce_command(python: str, *arguments: str) -> list[str]:
    """Return the command that runs `ce` with an interpreter."""
    return [python, "-m", "ce", *arguments]


def copy_measured(root: Path, suffixes: tuple[str, ...], target: Path) -> list[str]:
    """Copy the files of the tree that are measured and have one of the suffixes; return their paths below the target."""
    paths = [path for path in walk(root, Settings()).paths if path.endswith(suffixes)]
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, target / path)
    return paths


def _memory_of(pid: int) -> float:
    """Return the resident memory of a process and all below it, in MB."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError):
        return 0.0
    return own + sum(_memory_of(int(child)) for child in children)


def _cpu_of(pid: int) -> float:
    """Return the processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
