"""`ce index`: bring the index of a tree up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]

SCHEMA = "ce.index/1"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce index`."""
    command = command_parser(
        "index",
        "Bring the index of a tree up to date.",
        "Every other command does this first; run it alone to pay for it at a time of your choice. The index is a cache\n"
        "in .ce/ below the root: it can be deleted at any time.",
        "ce index",
    )
    add_root(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Refresh the index, print what was done, and return OK."""
    from ce.app.index import ProjectIndex
    from ce.faces.cli.common import open_root, tell

    project = open_root(arguments.root, terminal)
    with ProjectIndex(project.root, progress=terminal.progress()) as index:
        index.refresh()
        counts, problems = index.counts, index.problems
    tell(problems, (), {}, terminal)
    if arguments.format == "json":
        from ce.faces.documents import dump

        document = {"schema": SCHEMA, "root": project.shown, "counts": counts, "notes": list(problems), "errors": []}
        terminal.result(dump(document))
    else:
        from ce.faces.cli.text import index_text

        terminal.result(index_text(counts))
    return ExitCode.OK
