"""`ce facts`: the relations a program may read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]

SCHEMA = "ce.facts/1"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce facts`."""
    command = command_parser(
        "facts",
        "List the relations that a program may read, or dump the rows of one.",
        "Without NAME: every relation with its columns and its meaning. With NAME: its rows over the tree at ROOT, as\n"
        "tab-separated values that `ce datalog -F` reads back.",
        "ce facts ref",
    )
    command.add_argument("name", metavar="NAME", nargs="?", help="the relation to dump")
    add_root(command)
    command.add_argument("--glob", metavar="GLOB", action="append", default=[], help="a glob to expand, for `set` (repeatable)")
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """List the relations or dump one, and return OK."""
    from ce.app import facts

    as_json = arguments.format == "json"
    if arguments.name is None:
        relations = facts.list_relations()
        if as_json:
            from ce.faces.documents import dump, relations_document

            terminal.result(dump(relations_document(SCHEMA, relations)))
        else:
            from ce.faces.cli.text import relations_text

            terminal.result(relations_text(relations, terminal.style))
        return ExitCode.OK
    from ce.faces.cli.common import open_root, tell

    _refuse_directory(arguments.name)
    facts.known_relation(arguments.name)
    if arguments.name == "set" and not arguments.glob:
        raise CeError.of("CE931", "`set` has rows only for globs", notes=("example: ce facts set --glob 'src/**'",))
    project = open_root(arguments.root, terminal)
    report = facts.dump_relation(project, arguments.name, tuple(arguments.glob))
    tell(report.notes, (), {}, terminal)
    if as_json:
        from ce.faces.documents import dump, facts_document

        terminal.result(dump(facts_document(SCHEMA, report)))
    else:
        from ce.faces.tables import tsv_bytes

        terminal.result_bytes(tsv_bytes(report.rows))
    return ExitCode.OK


def _refuse_directory(name: str) -> None:
    if os.path.isdir(name):
        raise CeError.of(
            "CE932", f"`{name}` is a directory, not a relation: the relation comes first", notes=(f"write: ce facts file {name}",)
        )
