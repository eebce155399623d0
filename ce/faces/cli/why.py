"""`ce why`: the shortest chain that keeps a file or a name alive, or every mention that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import WHY_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce why`."""
    command = command_parser(
        "why",
        "Tell why a file or a name is alive, or why it is dead.",
        "PATH|NAME is the path of a file, a place in one (`shop/cart.py:14`: the innermost declaration there), a qualified name\n"
        "(`shop.cart.Cart.total`, `src/cart.ts:Cart.total`), a label (`shop/cart.py::Cart.total`), or the end of one (`Cart.total`,\n"
        "`total`); several names that fit are listed.\n"
        "Alive: the shortest chain from a root, each edge with its place, its kind and what proves it.\n"
        "Dead: every mention that was looked at and why it does not count, and where a use would count.",
        "ce why shop.storage.lines_of",
    )
    command.add_argument("asked", metavar="PATH|NAME", help="the file or name")
    add_root(command)
    command.add_argument("--proof", action="store_true", help="show the whole derivation, too")
    add_engine(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Answer, print, and return how it ended: 2 when nothing has the name."""
    from ce.app.why import why
    from ce.faces.cli.common import open_root, options, tell

    project = open_root(arguments.root, terminal)
    report = why(project, arguments.asked, options=options(arguments, terminal), proof=arguments.proof)
    tell(report.notes, (), {}, terminal)
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.name_documents import why_document

        terminal.result(dump(why_document(report)))
    else:
        from ce.faces.cli.names_text import why_text

        terminal.result(why_text(report, terminal.style))
    return ExitCode.NOT_JUDGED if report.verdict == "unknown" else ExitCode.OK
