"""What must hold before the first byte is written, in the order of the contract; each refusal has its own name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ce.diagnostics import CeError
from ce.erase.apply.files import Place, forbidden, read_place
from ce.erase.model import PlanRow
from ce.source.git import GitFailure, run_git

__all__ = ["check_committed", "check_repository", "check_submodules", "check_targets", "check_worktree"]

_SHOWN = 5
_BATCH = 200


def check_repository(root: Path) -> None:
    """Raise CE701 unless a git repository encloses the root, CE702 unless its top level is the root itself."""
    top = run_git(os.fspath(root), ["rev-parse", "--show-toplevel"])
    if isinstance(top, GitFailure):
        raise CeError.of(
            "CE701",
            f"`{root}` is not in a git repository: {top.message}",
            notes=["an erase must be one `git checkout` away from undone; commit the tree to a repository first"],
        )
    found = Path(os.fsdecode(top.rstrip(b"\n"))).resolve()
    if found != root.resolve():
        raise CeError.of(
            "CE702",
            f"`{root}` is not the top of its repository, `{found}` is",
            notes=["run `ce erase --apply` on the top of the repository"],
        )


def check_worktree(root: Path) -> None:
    """Raise CE703 unless the worktree is clean; the tool's own `.ce/` does not count."""
    status = run_git(os.fspath(root), ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none"])
    if isinstance(status, GitFailure):
        raise CeError.of("CE703", f"the state of the worktree cannot be read: {status.message}")
    entries = [os.fsdecode(entry) for entry in status.split(b"\0") if entry]
    dirty = [entry for entry in entries if not _is_own_state(entry[3:])]
    if dirty:
        listed = ", ".join(f"`{entry[3:]}`" for entry in dirty[:_SHOWN])
        more = f" and {len(dirty) - _SHOWN} more" if len(dirty) > _SHOWN else ""
        raise CeError.of(
            "CE703",
            f"the worktree is not clean: {listed}{more}",
            notes=["commit or stash your work first: an erase is never mixed with it"],
        )


def check_submodules(root: Path, rows: Sequence[PlanRow]) -> None:
    """Raise CE704 when a target lies at or below a gitlink of HEAD, or in a repository nested in this one."""
    tree = run_git(os.fspath(root), ["ls-tree", "-r", "-z", "HEAD"])
    if isinstance(tree, GitFailure):
        raise CeError.of("CE704", f"the last commit cannot be read: {tree.message}", notes=["commit the tree first"])
    links = [os.fsdecode(line.split(b"\t", 1)[1]) for line in tree.split(b"\0") if line.startswith(b"160000 ")]
    for row in rows:
        link = next((link for link in links if row.path == link or row.path.startswith(link + "/")), None)
        if link is not None:
            raise CeError.of("CE704", f"`{row.path}` belongs to the submodule `{link}`", notes=["run the eraser inside the submodule"])
        nested = next((folder for folder in _folders(row.path) if os.path.lexists(root / folder / ".git")), None)
        if nested is not None:
            raise CeError.of("CE704", f"`{row.path}` belongs to the repository nested at `{nested}`")


def check_targets(root: int, rows: Sequence[PlanRow]) -> dict[str, Place]:
    """Return every target as it is now. Raises CE705 when one is gone, is no plain file, or is not what was planned."""
    places: dict[str, Place] = {}
    for row in rows:
        try:
            place = places.get(row.path) or read_place(root, row.path)
        except OSError as error:
            raise CeError.of("CE705", f"`{row.path}` cannot be erased: {error.strerror or error}") from None
        if place is None or place.hash != row.hash:
            what = "is gone" if place is None else "changed"
            raise CeError.of("CE705", f"content changed since planning: `{row.path}` {what}", notes=["plan again"])
        places[row.path] = place
    return places


def check_committed(root: Path, rows: Sequence[PlanRow]) -> None:
    """Raise CE703 unless the last commit holds every target with the content it has now.

    A clean status does not say so: it is silent about ignored files, and about files that git was told to assume unchanged.
    """
    top = os.fspath(root)
    paths = sorted({row.path for row in rows if forbidden(row.path) is None})
    for start in range(0, len(paths), _BATCH):
        batch = paths[start : start + _BATCH]
        tree = run_git(top, ["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--", *batch])
        if isinstance(tree, GitFailure):
            raise CeError.of("CE703", f"the last commit cannot be read: {tree.message}")
        committed = {os.fsdecode(name): head.split() for head, _, name in (line.partition(b"\t") for line in tree.split(b"\0") if line)}
        for path in batch:
            if committed.get(path, [b""])[0] not in (b"100644", b"100755"):
                raise _not_committed(path, "is not in the last commit")
        hashed = run_git(top, ["hash-object", "--", *batch])
        if isinstance(hashed, GitFailure):
            raise CeError.of("CE703", f"the targets cannot be compared with the last commit: {hashed.message}")
        for path, found in zip(batch, hashed.split(), strict=True):
            if committed[path][2] != found:
                raise _not_committed(path, "is not as in the last commit")


def _not_committed(path: str, how: str) -> CeError:
    note = "commit the file first: an erase must be one `git checkout` away from undone (`git ls-files -v` shows what git does not look at)"
    return CeError.of("CE703", f"`{path}` {how}, so its content would be lost", notes=[note])


def _is_own_state(path: str) -> bool:
    return path == ".ce" or path.startswith(".ce/")


def _folders(path: str) -> list[str]:
    if forbidden(path) is not None:
        return []
    parts = path.split("/")[:-1]
    return ["/".join(parts[: length + 1]) for length in range(len(parts))]
