"""`ce dedup`: copied code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser, positive_number
from ce.faces.copy_documents import DEDUP_SCHEMA as SCHEMA
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.app.copies import DedupReport
    from ce.app.project import Project
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce dedup`."""
    command = command_parser(
        "dedup",
        "Find copied code: shared runs of at least 50 normalised tokens, whatever their names, constants, comments and layout.",
        "Import blocks and tables of literals are left out and counted; k copies are one group with k places.",
        "ce dedup",
    )
    add_root(command)
    command.add_argument(
        "--check", action="store_true", help="exit 1 when there are more blocks than `[dedup] budget` allows, 2 without a budget"
    )
    command.add_argument("--min-tokens", type=positive_number, metavar="N", help="report runs of at least N tokens (default: 50)")
    command.add_argument("--min-distinct", type=int, metavar="N", help="report runs of at least N different tokens (default: 7)")
    command.add_argument("--no-excerpts", action="store_true", help="list places only")
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    add_engine(command)
    add_format(command, ("text", "json", "sarif"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Report the copies and return how it ended; only `--check` makes one fail."""
    from ce.app.copies import find_copied_code
    from ce.faces.cli.common import open_root, options, tell

    project = open_root(arguments.root, terminal)
    report = find_copied_code(
        project,
        min_tokens=arguments.min_tokens,
        min_distinct=arguments.min_distinct,
        tighten_only=arguments.check,
        why=arguments.why,
        options=options(arguments, terminal),
    )
    if arguments.check and report.budget is None:
        notes = ["declare `[dedup] budget` in ce.toml: the number of blocks that may only shrink"]
        raise CeError.of("CE632", "there is no budget to check against", notes=notes)
    tell(report.notes, (), {}, terminal)
    terminal.result(_rendered(report, project, arguments, terminal))
    if report.degraded is not None or (arguments.check and report.empty):
        return ExitCode.NOT_JUDGED
    return ExitCode.GATE_FAILED if arguments.check and report.over_budget is not None else ExitCode.OK


def _rendered(report: DedupReport, project: Project, arguments: argparse.Namespace, terminal: Terminal) -> str:
    if arguments.format == "json":
        from ce.faces.copy_documents import dedup_document
        from ce.faces.documents import dump

        return dump(dedup_document(report))
    if arguments.format == "sarif":
        from ce.faces.sarif import dedup_log

        return dedup_log(report)
    from ce.app.copies import excerpt
    from ce.faces.cli.copies_text import dedup_text

    lines = None if arguments.no_excerpts else lambda place: excerpt(project, place)
    return dedup_text(report, terminal.style, lines, terminal.width, why=arguments.why)
