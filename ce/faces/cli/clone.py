"""`ce clone`: functions that are nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser, positive_number
from ce.faces.copy_documents import CLONE_SCHEMA as SCHEMA
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.app.copies import CloneReport
    from ce.app.project import Project
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce clone`."""
    command = command_parser(
        "clone",
        "Find functions that are nearly the same, by the edit distance of their syntax trees.",
        "Names, constants, comments and layout do not count. At most 15 per cent of the larger tree may differ.",
        "ce clone --no-excerpts",
    )
    add_root(command)
    command.add_argument(
        "--check", action="store_true", help="exit 1 when any two functions are nearly the same, 2 when there is nothing to judge"
    )
    command.add_argument("--min-nodes", type=positive_number, metavar="N", help="report functions of at least N syntax nodes (default: 24)")
    command.add_argument("--no-excerpts", action="store_true", help="list places only")
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    add_engine(command)
    add_format(command, ("text", "json", "sarif"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Report the copies and return how it ended; only `--check` makes one fail."""
    from ce.app.copies import find_near_misses
    from ce.faces.cli.common import open_root, options, tell

    project = open_root(arguments.root, terminal)
    report = find_near_misses(
        project,
        min_nodes=arguments.min_nodes,
        tighten_only=arguments.check,
        why=arguments.why,
        options=options(arguments, terminal),
    )
    tell(report.notes, (), {}, terminal)
    terminal.result(_rendered(report, project, arguments, terminal))
    if report.degraded is not None or (arguments.check and report.empty):
        return ExitCode.NOT_JUDGED
    return ExitCode.GATE_FAILED if arguments.check and bool(report.pairs) else ExitCode.OK


def _rendered(report: CloneReport, project: Project, arguments: argparse.Namespace, terminal: Terminal) -> str:
    if arguments.format == "json":
        from ce.faces.copy_documents import clone_document
        from ce.faces.documents import dump

        return dump(clone_document(report))
    if arguments.format == "sarif":
        from ce.faces.sarif import clone_log

        return clone_log(report)
    from ce.app.copies import excerpt
    from ce.faces.cli.copies_text import clone_text

    lines = None if arguments.no_excerpts else lambda place: excerpt(project, place)
    return clone_text(report, terminal.style, lines, terminal.width, why=arguments.why)
