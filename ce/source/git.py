"""The one way in which git is started: nothing it is configured to run runs, and it neither asks, fetches nor waits for anybody."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

__all__ = ["GitFailure", "run_git"]

# The settings of a repository may name programs and change formats. None of the commands here needs one.
_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.quotePath=false", "core.untrackedCache=false",
    "color.ui=never", "diff.external=", "diff.algorithm=myers", "diff.renameLimit=1000", "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=all", "diff.relative=false", "log.showSignature=false", "log.showRoot=true", "log.mailmap=false",
    "log.follow=false", "protocol.allow=never",
)  # fmt: skip

# What would point git at another repository, index or set of objects than the one on disk.
_DROPPED = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_TRACE",
})  # fmt: skip
_ADDED = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_FLUSH": "0",
}


@dataclass(frozen=True, slots=True)
class GitFailure:
    """Why git gave no answer."""

    message: str


def run_git(directory: str, arguments: Sequence[str], *, timeout: float = 60.0, output_limit: int = 256 << 20) -> bytes | GitFailure:
    """Return what git printed when it was started in the directory, or why it failed."""
    import subprocess
    import tempfile

    command = ["git", "--no-pager", "--no-replace-objects"]
    for setting in _SETTINGS:
        command += ("-c", setting)
    command += arguments
    with tempfile.TemporaryFile() as remarks:
        try:
            process = subprocess.Popen(
                command, cwd=directory, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=remarks
            )
        except FileNotFoundError:
            return GitFailure("git is not installed")
        except OSError as error:
            return GitFailure(f"git cannot be started: {error.strerror}")
        output, overdue = _read_bounded(process, timeout, output_limit)
        if overdue:
            return GitFailure(f"git took longer than {timeout:g} s")
        if len(output) > output_limit:
            return GitFailure(f"git printed more than {output_limit} bytes")
        if process.returncode != 0:
            remarks.seek(0)
            return GitFailure(_first_line(remarks.read(1 << 16)) or f"git ended with status {process.returncode}")
        return output


def _read_bounded(process: subprocess.Popen[bytes], timeout: float, limit: int) -> tuple[bytes, bool]:
    """Return at most one byte more than `limit` of the output, and whether the time ran out; the process has ended."""
    from threading import Timer

    overdue: list[bool] = []

    def stop() -> None:
        overdue.append(True)
        process.kill()

    timer = Timer(timeout, stop)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None, "the output was asked for"
        with process.stdout:
            output = process.stdout.read(limit + 1)
        if len(output) <= limit:
            process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
    return output, bool(overdue)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _DROPPED} | _ADDED


def _first_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix("fatal: ") for line in lines if line.strip()), "")
