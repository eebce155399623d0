"""`ce lint`: what is suspicious in programs, rules files and our own lists."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_format, add_quiet, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import LINT_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce lint`."""
    command = command_parser(
        "lint",
        "Tell what is suspicious in programs: unused, empty, subsumed or unjoined rules, assertions that cannot fire.",
        "Without FILE: the rules file of the project, and the entries of .ceignore files and of ce.toml that change nothing.\n"
        "A word that is a directory is ROOT. Exit code 1 when there is a warning.",
        "ce lint ce.rules",
    )
    command.add_argument("words", metavar="FILE | ROOT", nargs="*", help="programs and rules files, and the tree they are for")
    command.add_argument("--no-tree", action="store_true", help="look at the programs alone, not at the facts of the tree")
    command.add_argument("--bare", action="store_true", help="the programs are for `ce datalog`: they know no tree and no prelude")
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Print the warnings, and return 1 when there is one."""
    from ce.app.lint import lint_project
    from ce.faces.cli.common import open_root, tell

    root, files = _split(arguments.words)
    project = open_root(root, terminal)
    report = lint_project(project, files, tree=not arguments.no_tree, bare=arguments.bare)
    tell(report.notes, (), {}, terminal)
    if arguments.format == "json":
        from ce.faces.documents import dump, lint_document

        terminal.result(dump(lint_document(SCHEMA, report)))
    else:
        from ce.faces.cli.text import lint_text

        terminal.result(lint_text(report, terminal.style))
    return ExitCode.GATE_FAILED if report.warnings else ExitCode.OK


def _split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the root, the one word that is a directory, and the files. Raises CeError when two are directories."""
    directories = [word for word in words if os.path.isdir(word)]
    if len(directories) > 1:
        raise CeError.of("CE963", f"`{directories[0]}` and `{directories[1]}` are both directories; there is one root")
    return (directories[0] if directories else None), [word for word in words if word not in directories]
