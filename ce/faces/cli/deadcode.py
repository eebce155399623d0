"""`ce deadcode`: the files that no entry reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import DEADCODE_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.app.report import DeadcodeReport
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce deadcode`."""
    command = command_parser(
        "deadcode",
        "List the files that no entry reaches, in four ways, and how far each verdict can be trusted.",
        "unref_*: nothing refers to the file. unreach_*: only dead code does. *_public: the file exports a declaration.\n"
        "in doubt: some unresolved or dynamic site could name it; unvouched: its language has no site; vouched: neither.",
        "ce deadcode --check --why",
    )
    add_root(command)
    command.add_argument("--check", action="store_true", help="exit 1 when any file is dead, 2 when there is nothing to judge")
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    add_engine(command)
    add_format(command, ("text", "json", "sarif"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Judge the tree, print its dead files, and return how it ended; only `--check` makes a dead file fail."""
    from ce.app.deadcode import find_dead
    from ce.faces.cli.common import open_root, options, tell
    from ce.verdicts.gate import gate

    project = open_root(arguments.root, terminal)
    report = find_dead(project, why=arguments.why, options=options(arguments, terminal))
    tell(report.notes, (), {}, terminal)
    terminal.result(_rendered(report, arguments.format, terminal))
    judged = report.degraded is None and not (arguments.check and report.empty)
    return ExitCode.of(gate(("error" for _ in report.dead if arguments.check), judged=judged))


def _rendered(report: DeadcodeReport, form: str, terminal: Terminal) -> str:
    if form == "json":
        from ce.faces.documents import deadcode_document, dump

        return dump(deadcode_document(report))
    if form == "sarif":
        from ce.faces.sarif import deadcode_log

        return deadcode_log(report)
    from ce.faces.cli.text import deadcode_text

    return deadcode_text(report, terminal.style)
