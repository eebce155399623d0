"""The tree a command is about, and the programs it is asked to run over it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ce.diagnostics import CeError, Diagnostic
from ce.source.anchor import explicit_root, find_root
from ce.verdicts.family import RulesFile, find_rules

__all__ = ["DEFAULT_RULES", "Project", "open_project", "rules_files"]

DEFAULT_RULES = "ce.rules"


@dataclass(frozen=True, slots=True)
class Project:
    """A root directory; `shown` is how documents name it, `found` says that it was found above the current directory."""

    root: Path
    shown: str
    found: bool = False


def open_project(root: str | None = None) -> Project:
    """Return the project at `root`, or the one that encloses the current directory.

    Raises CeError when there is no such directory.
    """
    if root is not None:
        return Project(explicit_root(Path(root)), root)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise CeError.of("CE900", "the current directory does not exist any more", notes=["change to another one, or name ROOT"]) from None
    found = find_root(here)
    return Project(found, os.path.relpath(found, here), found != here)


def rules_files(project: Project, names: Sequence[str] | None) -> tuple[RulesFile, ...]:
    """Return the named rules files in order; with None the file of the settings, else `ce.rules` at the root, else nothing.

    Raises CeError with every file that is missing or unreadable.
    """
    if names is None:
        return _default_rules(project)
    found: list[RulesFile] = []
    faults: list[Diagnostic] = []
    for name in names:
        try:
            found.append(find_rules(project.root, name))
        except CeError as error:
            faults += error.diagnostics
    if faults:
        raise CeError(tuple(faults))
    return tuple(found)


def _default_rules(project: Project) -> tuple[RulesFile, ...]:
    from ce.source.settings import load_settings

    named = load_settings(project.root).rules.file
    if named and not (project.root / named).is_file():
        raise CeError.of("CE912", f"`[rules] file` in ce.toml names `{named}`, which does not exist")
    if not named and not (project.root / DEFAULT_RULES).is_file():
        return ()
    return (find_rules(project.root, named or DEFAULT_RULES),)
