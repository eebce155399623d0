"""`ce fmt`: programs in canonical layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_quiet, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.app.formatting import Formatted
    from ce.faces.cli.terminal import Terminal

__all__ = ["parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce fmt`."""
    command = command_parser(
        "fmt",
        "Put programs and rules files into canonical layout.",
        "Only white space changes: comments stay, and the program means the same. A directory stands for the .dl and .rules\n"
        "files below it. With --check or --diff nothing is written.",
        "ce fmt --diff ce.rules",
    )
    command.add_argument("files", metavar="FILE", nargs="+", help="a program, a rules file, or a directory of them")
    command.add_argument("--check", action="store_true", help="name the files that would change, and exit 1 when there is one")
    command.add_argument("--diff", action="store_true", help="print what would change; with --check also exit 1")
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Format the files, and return 1 when `--check` finds one that would change."""
    from ce.app.formatting import format_files, program_files, rewrite
    from ce.faces.cli.terminal import printable

    files = format_files(program_files(arguments.files))
    changed = [file for file in files if file.changed]
    if arguments.diff:
        terminal.result("".join(map(_diff, changed)))
    elif arguments.check:
        terminal.result("".join(f"would reformat {printable(file.name)}\n" for file in changed))
    else:
        rewrite(changed)
        terminal.result("".join(f"reformatted {printable(file.name)}\n" for file in changed))
    verb = "would be" if arguments.check or arguments.diff else "were"
    terminal.remark(f"{len(changed)} of {len(files)} files {verb} reformatted")
    return ExitCode.GATE_FAILED if arguments.check and changed else ExitCode.OK


def _diff(file: Formatted) -> str:
    from difflib import unified_diff

    before, after = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
    lines = unified_diff(before, after, file.name, file.name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
