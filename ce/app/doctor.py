"""What the tool sees of its environment: versions, grammars, the index, the settings, git."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from importlib import metadata

from ce.app.project import Project
from ce.diagnostics import CeError

__all__ = ["Check", "DoctorReport", "examine"]

# Distributions that the package needs, from its own metadata's point of view.
_NEEDED = ("lark", "networkx", "numpy", "pyDatalog", "tree-sitter", "tree-sitter-language-pack")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: `ok`, or what is missing and how to mend it."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Everything looked at; `well` when nothing that a command needs is missing."""

    root: str
    checks: tuple[Check, ...]

    @property
    def well(self) -> bool:
        """Return whether every check is ok."""
        return all(check.ok for check in self.checks)


def examine(project: Project) -> DoctorReport:
    """Return what was found; a fault is a check that is not ok, never an exception."""
    from ce import __version__

    checks = [Check("ce", True, __version__), Check("python", True, platform.python_version())]
    checks += [_distribution(name) for name in _NEEDED]
    checks += [_programs(), _settings(project), _index(project), _program_cache(), _git()]
    return DoctorReport(project.shown, tuple(checks))


def _distribution(name: str) -> Check:
    try:
        return Check(name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, False, "not installed; install the package `codeeraser` again")


def _programs() -> Check:
    from ce.verdicts.family import program_text, rules_names

    try:
        source, text = program_text("prelude.dl")
        return Check("programs", bool(text), f"{source} and {len(rules_names())} rules files")
    except CeError as error:
        return Check("programs", False, error.diagnostics[0].message)


def _settings(project: Project) -> Check:
    from ce.source.settings import load_settings

    try:
        load_settings(project.root)
    except CeError as error:
        return Check("settings", False, error.diagnostics[0].message)
    present = (project.root / "ce.toml").is_file()
    return Check("settings", True, "ce.toml" if present else "defaults (no ce.toml)")


def _index(project: Project) -> Check:
    path = project.root / ".ce" / "index.db"
    if path.is_file():
        return Check("index", True, f"{path.stat().st_size:,} bytes in .ce/index.db")
    return Check("index", True, "none yet; the first command builds it")


def _program_cache() -> Check:
    from ce.store.program_cache import cache_directory

    directory = cache_directory()
    if directory is None:
        return Check("program cache", True, "none: the user has no home directory")
    return Check("program cache", True, "ready" if directory.is_dir() else "none yet; the first command makes it")


def _git() -> Check:
    found = shutil.which("git")
    return Check("git", True, "found" if found else "not found: history facts stay empty and `ce erase --apply` refuses")
