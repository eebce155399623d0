"""`ce lsp`: the language server, over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_quiet, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce lsp`."""
    command = command_parser(
        "lsp",
        "Serve editors: speak the language server protocol over standard input and output.",
        "An editor starts it for .rules and .dl files. It shows faults and lints, meanings, completions, definitions and references,\n"
        "renames, formats, and tells how many rows each relation has on the tree. Needs pip install 'codeeraser[lsp]'.",
        "ce lsp --check",
    )
    command.add_argument("--check", action="store_true", help="only tell whether the server can run here")
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Serve until the editor ends it. Raises CeError when pygls is not installed."""
    try:
        from ce.faces.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise CeError.of("CE434", f"`{error.name}` is not installed", notes=("install it: pip install 'codeeraser[lsp]'",)) from None
    server = make_server()
    if arguments.check:
        terminal.result(f"ready: {server.name} {server.version}")
        return ExitCode.OK
    server.start_io()
    return ExitCode.OK
