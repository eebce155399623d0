"""Running a command so that faults of the user end in a sentence and an exit code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.terminal import Terminal
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli import Command

__all__ = ["guarded", "show"]

# A command makes many records that live as long as it does, and few cycles: looking for those each 700 records costs a fifth of a warm run.
_COLLECTION = (100_000, 25, 25)


def guarded(command: Command, words: Sequence[str]) -> int:
    """Run the command and return its exit code, whatever happens.

    A fault of ours shows its traceback and ends with 2, never with the 1 of a failed gate.
    """
    gc.set_threshold(*_COLLECTION)
    try:
        arguments = command.parser().parse_intermixed_args(list(words))
        terminal = Terminal.of_process(quiet=getattr(arguments, "quiet", False))
        return _run(command, arguments, terminal)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else ExitCode.NOT_JUDGED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED


def _run(command: Command, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    schema = getattr(command, "SCHEMA", "ce.error/1")
    try:
        return command.run(arguments, terminal)
    except CeError as error:
        show(error, schema, arguments, terminal)
    except OSError as error:
        where = f" `{error.filename}`" if error.filename is not None else ""
        show(CeError.of("CE900", f"cannot use{where}: {error.strerror or error}"), schema, arguments, terminal)
    except (MemoryError, RecursionError) as error:
        what = "out of memory" if isinstance(error, MemoryError) else "something is nested too deeply"
        show(CeError.of("CE902", f"{what}; nothing was judged"), schema, arguments, terminal)
    except Exception:
        import traceback

        traceback.print_exc(file=terminal.err)
        sentence = "this is a fault of ce itself, not of your tree; please report it with the lines above"
        show(CeError.of("CE903", sentence), schema, arguments, terminal)
    return ExitCode.NOT_JUDGED


def show(error: CeError, schema: str, arguments: argparse.Namespace, terminal: Terminal) -> None:
    """Print the error where the chosen format puts it: in the document, or as text beside the result."""
    form = getattr(arguments, "format", "text")
    if form == "json":
        from ce.faces.documents import dump, error_document

        root = getattr(arguments, "root", None) or "."
        terminal.result(dump(error_document(schema, root, error.diagnostics)))
        return
    if form == "sarif":
        from ce.faces.sarif import error_log

        terminal.result(error_log(error.diagnostics))
    from ce.faces.cli.text import diagnostic_text

    for diagnostic in error.diagnostics:
        terminal.error(diagnostic_text(diagnostic, error.sources, terminal.error_style))
