"""The one way in which git is started: nothing it is configured to run runs, and it never waits for anybody."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GitFailure", "run_git"]

# The settings of a repository may name programs. None of these commands needs one.
_SAFE_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.quotePath=false", "core.attributesFile=/dev/null",
    "diff.external=", "log.showSignature=false", "log.mailmap=false", "diff.renameLimit=400", "protocol.allow=never",
    "submodule.recurse=false", "diff.orderFile=/dev/null", "core.untrackedCache=false",
)  # fmt: skip

# A user's own environment may redirect git to another repository or index.
_DROPPED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
            "GIT_COMMON_DIR", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES", "GIT_TRACE")  # fmt: skip


@dataclass(frozen=True, slots=True)
class GitFailure:
    """Why git gave no answer."""

    message: str


def run_git(directory: str, arguments: Sequence[str], *, timeout: float = 60.0, output_limit: int = 256 << 20) -> bytes | GitFailure:
    """Return what git printed when it was started in the directory, or why it failed."""
    command = ["git", "--no-pager", "--no-replace-objects", "--literal-pathspecs"]
    for setting in _SAFE_SETTINGS:
        command += ["-c", setting]
    command += arguments
    try:
        finished = subprocess.run(
            command, cwd=directory, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout
        )
    except FileNotFoundError:
        return GitFailure("git is not installed")
    except subprocess.TimeoutExpired:
        return GitFailure(f"git took longer than {timeout:g} s")
    except OSError as error:
        return GitFailure(f"git cannot be started: {error.strerror}")
    if finished.returncode != 0:
        return GitFailure(_first_line(finished.stderr) or f"git ended with status {finished.returncode}")
    if len(finished.stdout) > output_limit:
        return GitFailure(f"git printed more than {output_limit} bytes")
    return finished.stdout


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _DROPPED and not name.startswith("GIT_CONFIG_")}
    environment |= {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    return environment


def _first_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix("fatal: ") for line in lines if line.strip()), "")
