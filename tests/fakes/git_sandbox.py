"""A real git to compare with: started without anybody's configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "c",
    "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


def git(directory: Path, *arguments: str, date: int | None = None, stdin: bytes = b"") -> bytes:
    """Return what git printed; fail when it failed."""
    environment = dict(ENVIRONMENT)
    if date is not None:
        environment |= {"GIT_AUTHOR_DATE": f"{date} +0000", "GIT_COMMITTER_DATE": f"{date} +0000"}
    command = ["git", "-c", "protocol.file.allow=always", "-c", "safe.directory=*", *arguments]
    return subprocess.run(command, cwd=directory, env=environment, input=stdin, capture_output=True, check=True).stdout


def init(directory: Path) -> Path:
    """Make the directory a repository without a commit."""
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "-q", "-b", "main")
    return directory


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files, with the directories they need."""
    for name, content in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
    return root


def commit(root: Path, message: str = "change", date: int | None = None) -> None:
    """Commit everything that is not ignored."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message, date=date)


def listed(root: Path) -> list[str]:
    """Return the files that are tracked, or untracked and not ignored."""
    output = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted({os.fsdecode(path) for path in output.split(b"\0") if path})
