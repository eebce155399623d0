"""What several commands do around their one call of an app function."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ce.app.project import Project, open_project
from ce.diagnostics import Diagnostic
from ce.faces.cli.terminal import Terminal, printable
from ce.faces.cli.text import diagnostic_text

if TYPE_CHECKING:
    from ce.app.evaluation import Options

__all__ = ["open_root", "options", "tell"]

# Remarks that a terminal shows; a tree with a thousand odd files has as many.
_NOTES = 8


def open_root(root: str | None, terminal: Terminal) -> Project:
    """Return the project, saying which one it is when it was found above the current directory."""
    project = open_project(root)
    if project.found:
        terminal.remark(terminal.error_style.faint(f"root: {printable(str(project.root))}"))
    return project


def options(arguments: argparse.Namespace, terminal: Terminal) -> Options:
    """Return how to run, from `--engine`, `--max-rows` and `--timeout`, with progress on the terminal."""
    from ce.app.evaluation import Options

    return Options(arguments.engine, arguments.max_rows, arguments.timeout, terminal.progress())


def tell(notes: Iterable[str], warnings: Iterable[Diagnostic], sources: Mapping[str, str], terminal: Terminal) -> None:
    """Print remarks and warnings beside the result."""
    for warning in warnings:
        terminal.remark(diagnostic_text(warning, sources, terminal.error_style))
    told = list(notes)
    for note in told[:_NOTES]:
        terminal.remark(f"note: {printable(note)}")
    if len(told) > _NOTES:
        terminal.remark(f"note: {len(told) - _NOTES} more remarks; `--format json` lists them all")
