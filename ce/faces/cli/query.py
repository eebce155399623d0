"""`ce query`: one question about a tree."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import QUERY_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.app.report import Report
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce query`."""
    command = command_parser(
        "query",
        "Ask one question about a tree.",
        "BODY is the body of a query: atoms, `not`, comparisons and aggregates, joined by commas. Variables start\n"
        "with a capital. `ce facts` lists what can be asked; `ce query --prelude` prints the relations defined for you.\n"
        "Without BODY on a terminal, questions are read one after the other; .help shows more.",
        "ce query 'depends(A, B), not same_dir(A, B)'",
    )
    command.add_argument("body", metavar="BODY", nargs="?", help="the question")
    add_root(command)
    command.add_argument("--why", action="store_true", help="show how each answer is derived")
    command.add_argument("--why-not", action="store_true", help="when there is no answer, show which premise failed")
    command.add_argument("--plan", action="store_true", help="show in which order the question is joined")
    command.add_argument("--file", metavar="F", action="append", default=[], help="a file of rules that the question may use (repeatable)")
    command.add_argument(
        "-i", "--interactive", action="store_true", help="read questions from standard input, one after the other (default on a terminal)"
    )
    command.add_argument("--prelude", action="store_true", help="print the prelude and stop")
    add_engine(command)
    add_format(command, ("text", "json", "csv", "dot", "html"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Answer the question, print the answers, and return how it ended."""
    from ce.app import query
    from ce.faces.cli.common import open_root, options, tell

    if arguments.prelude:
        terminal.result(query.text_of_prelude())
        return ExitCode.OK
    if arguments.interactive or (arguments.body is None and sys.stdin is not None and sys.stdin.isatty()):
        return _converse(arguments, terminal)
    if arguments.body is None:
        notes = ("example: ce query 'dead(F)'", "--interactive reads questions from standard input")
        raise CeError.of("CE920", "`ce query` needs a question", notes=notes)
    _refuse_swapped(arguments.body, arguments.root)
    _refuse_unshown(arguments)
    project = open_root(arguments.root, terminal)
    report = query.ask(
        project,
        arguments.body,
        files=arguments.file,
        why=arguments.why or arguments.format in ("dot", "html"),
        why_not=arguments.why_not,
        plan=arguments.plan,
        options=options(arguments, terminal),
    )
    tell(report.notes, report.warnings, report.sources, terminal)
    _print(report, arguments.format, terminal)
    return ExitCode.NOT_JUDGED if report.degraded else ExitCode.OK


def _converse(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Answer questions one after the other; the only word that may be given is the root."""
    from ce.app.session import Session
    from ce.faces.cli.common import open_root, options
    from ce.faces.cli.repl import converse, reader_for
    from ce.store.program_cache import cache_directory

    if arguments.body is not None and arguments.root is not None:
        raise CeError.of("CE923", "`--interactive` takes no question: questions are read from standard input")
    project = open_root(arguments.body if arguments.root is None else arguments.root, terminal)
    session = Session(project, arguments.file, options(arguments, terminal))
    interactive = sys.stdin.isatty() and terminal.out.isatty()
    directory = cache_directory()
    history = None if directory is None or not directory.is_dir() else directory / "questions"
    return converse(session, terminal, reader_for(session, interactive=interactive, history=history), interactive=interactive)


def _print(report: Report, form: str, terminal: Terminal) -> None:
    if form == "json":
        from ce.faces.documents import dump, report_document

        terminal.result(dump(report_document(SCHEMA, report)))
    elif form == "csv":
        from ce.faces.tables import csv_bytes

        terminal.result_bytes(csv_bytes(report))
    elif form == "dot":
        from ce.faces.tables import dot_text

        terminal.result(dot_text(report))
    elif form == "html":
        from ce.faces.proof_page import html_page

        terminal.result(html_page(report, "ce query"))
    else:
        from ce.faces.cli.text import report_text

        terminal.result(report_text(report, terminal.style))
    if form in ("csv", "dot") and report.degraded is not None:
        terminal.error(f"not judged: {report.degraded.message} (limit: {report.degraded.limit})")


# Which parts of the reply a format has no place for.
_UNSHOWN = {"csv": ("why", "why_not", "plan"), "dot": ("why_not", "plan"), "html": ("why_not", "plan")}


def _refuse_unshown(arguments: argparse.Namespace) -> None:
    """Raise CeError when something was asked for that the format cannot show."""
    asked = [f"`--{name.replace('_', '-')}`" for name in _UNSHOWN.get(arguments.format, ()) if getattr(arguments, name)]
    if asked:
        verb = "has" if len(asked) == 1 else "have"
        raise CeError.of(
            "CE924", f"{' and '.join(asked)} {verb} no place in `--format {arguments.format}`", notes=("text and json show everything",)
        )


def _refuse_swapped(body: str, root: str | None) -> None:
    """Raise CeError when BODY is a directory and ROOT is a question: the user gave them in the other order."""
    asks = root is not None and ("(" in root or "?-" in root)
    if os.path.isdir(body) and "(" not in body:
        right = f"ce query '{root}' {body}" if asks else f"ce query 'dead(F)' {body}"
        raise CeError.of("CE921", f"`{body}` is a directory, not a question: the question comes first", notes=(f"write: {right}",))
