"""`ce doctor`: what the tool sees of its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]

SCHEMA = "ce.doctor/1"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce doctor`."""
    command = command_parser(
        "doctor",
        "Show what the tool sees of its environment.",
        "Versions, shipped programs, settings, the state of the index, git. Reads only.",
        "ce doctor",
    )
    add_root(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Look around, print it, and return 2 when something that a command needs is missing."""
    from ce.app.doctor import examine
    from ce.faces.cli.common import open_root

    report = examine(open_root(arguments.root, terminal))
    if arguments.format == "json":
        from ce.faces.documents import doctor_document, dump

        terminal.result(dump(doctor_document(SCHEMA, report)))
    else:
        from ce.faces.cli.text import doctor_text

        terminal.result(doctor_text(report, terminal.style))
    return ExitCode.OK if report.well else ExitCode.NOT_JUDGED
