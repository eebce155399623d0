"""`ce merge`: what copied functions have in common, as one function."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_engine, add_format, add_quiet, command_parser, positive_number
from ce.faces.exit_codes import ExitCode
from ce.faces.merge_documents import MERGE_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.app.merging import MergeGroup, MergeReport
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce merge`."""
    command = command_parser(
        "merge",
        "Suggest how copied functions become one: the template that all copies are instances of, and what stands in its holes.",
        "It is advice: nothing is edited. What can be merged comes first, what saves most lines first.",
        "ce merge --group 1",
    )
    command.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="one directory: the tree to judge; else files and directories of the tree around the current directory: only copies in them "
        "and what they are copies of (default: all of that tree)",
    )
    which = command.add_mutually_exclusive_group()
    which.add_argument("--group", type=positive_number, metavar="N", help="tell the group of this number only")
    which.add_argument("--unit", metavar="NAME", help="tell the groups that have a copy of this name or key only")
    command.add_argument("--all", action="store_true", help="also tell groups that save no line or go with a larger one")
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    add_engine(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Report the suggestions; they never make a command fail."""
    from ce.app.merging import suggest_merges
    from ce.faces.cli.common import open_root, options, tell

    is_root = len(arguments.paths) == 1 and os.path.isdir(arguments.paths[0])
    project = open_root(arguments.paths[0] if is_root else None, terminal)
    paths = [] if is_root else [_below(project.root, path) for path in arguments.paths]
    report = suggest_merges(project, paths=paths, why=arguments.why, options=options(arguments, terminal))
    chosen = _chosen(report, arguments)
    tell(report.notes, (), {}, terminal)
    terminal.result(_rendered(report, chosen, arguments, terminal))
    return ExitCode.OK if report.degraded is None else ExitCode.NOT_JUDGED


def _below(root: Path, path: str) -> str:
    """Return a path relative to the root. Raises CeError (CE634) when nothing is there or it lies elsewhere."""
    absolute = os.path.abspath(path)
    if not os.path.lexists(absolute):
        raise CeError.of("CE634", f"no such file or directory: `{path}`")
    relative = os.path.relpath(absolute, root)
    if relative == ".." or relative.startswith("../"):
        raise CeError.of(
            "CE634", f"`{path}` is not in the tree of `{root}`", notes=["name the tree itself, or run the command inside of it"]
        )
    return "" if relative == "." else relative


def _chosen(report: MergeReport, arguments: argparse.Namespace) -> list[MergeGroup]:
    if report.degraded is not None:
        return []
    if arguments.group is not None:
        if arguments.group > len(report.groups):
            raise CeError.of("CE634", f"there is no group {arguments.group}: there are {len(report.groups)}")
        return [report.groups[arguments.group - 1]]
    if arguments.unit is not None:
        found = [group for group in report.groups if any(_is_named(copy.key, arguments.unit) for copy in group.copies)]
        if not found:
            raise CeError.of("CE634", f"no copied function is called `{arguments.unit}`", notes=["`ce merge --all` lists all groups"])
        return found
    return [group for group in report.groups if group.is_shown or arguments.all]


def _is_named(key: str, name: str) -> bool:
    """Tell whether a key is of a function of that name: `total/2`, `Class::total`, `(Receiver) total/1`."""
    plain = key.rpartition("/")[0] or key
    return name in (key, plain, plain.rpartition(" ")[2], plain.rpartition("::")[2])


def _rendered(report: MergeReport, chosen: list[MergeGroup], arguments: argparse.Namespace, terminal: Terminal) -> str:
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.merge_documents import merge_document

        return dump(merge_document(report, {group.number for group in chosen}))
    from ce.faces.cli.merge_text import merge_text

    return merge_text(report, chosen, terminal.style, why=arguments.why)
