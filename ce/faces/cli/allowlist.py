"""`ce allowlist`: every exported name has a caller or a documented exception that earns its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_format, add_quiet, add_root, command_parser, positive_number
from ce.faces.exit_codes import ExitCode
from ce.faces.gate_documents import ALLOWLIST_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce allowlist`."""
    command = command_parser(
        "allowlist",
        "Judge every name that a Python project exports: it has a caller in the product, or a documented exception.",
        "An exception that no longer earns its place is a failure of its own: INVALID, GONE, REVIVED, SUPERSEDED or MOOT.",
        "ce allowlist --file allowlist.yaml",
    )
    add_root(command)
    command.add_argument("--file", metavar="FILE", help="the allowlist (default: `[allowlist] file` of ce.toml)")
    command.add_argument(
        "--init", metavar="FILE", help="write a first allowlist from today's offenders; it does not pass until its blanks are filled"
    )
    command.add_argument("--min-modules", type=positive_number, metavar="N", help="fewest modules with `__all__` for any verdict to count")
    command.add_argument("--min-symbols", type=positive_number, metavar="N", help="fewest exported names for any verdict to count")
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    add_format(command, ("text", "json", "sarif"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Judge the project, or write a first file, and return how it ended."""
    from ce.app.allowlist import judge_allowlist, write_draft
    from ce.faces.cli.common import open_root

    project = open_root(arguments.root, terminal)
    if arguments.init:
        count = write_draft(project, arguments.init)
        terminal.result(f"wrote {arguments.init}: {count} entries; fill in every blank rationale and issue, then run the gate\n")
        return ExitCode.OK
    numbers = {name: value for name in ("min_modules", "min_symbols") if (value := getattr(arguments, name)) is not None}
    report = judge_allowlist(project, file=arguments.file, overrides=numbers)
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.gate_documents import allowlist_document

        terminal.result(dump(allowlist_document(report)))
    elif arguments.format == "sarif":
        from ce.faces.sarif import allowlist_log

        terminal.result(allowlist_log(report))
    else:
        from ce.faces.cli.gate_text import allowlist_text

        terminal.result(allowlist_text(report, terminal.style, why=arguments.why))
    if report.error is not None:
        return ExitCode.NOT_JUDGED
    return ExitCode.OK if report.ok else ExitCode.GATE_FAILED
