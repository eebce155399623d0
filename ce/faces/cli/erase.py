"""`ce erase`: what is provably safe to remove, removed in two phases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.erase_documents import ERASE_SCHEMA as SCHEMA
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.app.project import Project
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce erase`."""
    command = command_parser(
        "erase",
        "Plan what is provably safe to remove: dead private files, duplicate prose, dead copies of live units.",
        "Without an option only the plan is shown. `--apply` needs a git repository with a clean worktree, and restores\n"
        "everything when a verdict survives or `[erase] verify` fails.",
        "ce erase --why-not README.md",
    )
    add_root(command)
    what = command.add_mutually_exclusive_group()
    what.add_argument("--apply", action="store_true", help="carry the plan out")
    what.add_argument("--check", action="store_true", help="exit 1 when anything is eraseable, 2 when there is nothing to judge")
    what.add_argument("--log", action="store_true", help="show what was ever erased here; exit 1 when a line is unreadable")
    what.add_argument("--recover", action="store_true", help="finish or roll back an apply that died")
    what.add_argument("--why-not", metavar="PATH", help="why this path is not eraseable")
    command.add_argument("--plan", metavar="FILE", help="with --apply: the saved plan to carry out (`ce erase --format json > FILE`)")
    add_engine(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Do what was asked and return how it ended."""
    from ce.diagnostics import CeError
    from ce.faces.cli.common import open_root

    project = open_root(arguments.root, terminal)
    if arguments.plan and not arguments.apply:
        raise CeError.of("CE723", "`--plan` names the plan that `--apply` carries out; give both")
    if arguments.log:
        return _log(project, arguments, terminal)
    if arguments.recover:
        from ce.erase.apply import recover

        terminal.result(recover(project.root) + "\n")
        return ExitCode.OK
    if arguments.apply:
        return _apply(project, arguments, terminal)
    if arguments.why_not is not None:
        return _why_not(project, arguments, terminal)
    return _plan(project, arguments, terminal)


def _plan(project: Project, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    from ce.app.erase import plan_erase
    from ce.erase.diff import plan_diff
    from ce.faces.cli.common import options, tell

    report = plan_erase(project, options=options(arguments, terminal))
    tell(report.notes, (), {}, terminal)
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.erase_documents import erase_document

        terminal.result(dump(erase_document(report)))
    else:
        from ce.faces.cli.erase_text import plan_text

        terminal.result(plan_text(report, plan_diff(report.plan.rows, report.read), terminal.style))
    if report.degraded is not None or (arguments.check and (report.empty or report.unfinished)):
        return ExitCode.NOT_JUDGED
    return ExitCode.GATE_FAILED if arguments.check and report.plan.eraseable else ExitCode.OK


def _apply(project: Project, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    from ce.app.erase import apply_plan, read_plan
    from ce.diagnostics import CeError
    from ce.faces.cli.common import options

    saved = read_plan(Path(arguments.plan)) if arguments.plan else None
    try:
        plan, digest = apply_plan(project, saved=saved, options=options(arguments, terminal))
    except CeError as error:
        # What did not settle is a failed gate: the tree was judged, and it is as it was.
        if error.diagnostics[0].code == "CE711":
            from ce.faces.cli.guard import show

            show(error, SCHEMA, arguments, terminal)
            return ExitCode.GATE_FAILED
        raise
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.erase_documents import applied_document

        terminal.result(dump(applied_document(project.shown, plan, digest)))
    else:
        from ce.faces.cli.erase_text import applied_text

        terminal.result(applied_text(plan, digest))
    return ExitCode.OK


def _log(project: Project, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    from ce.erase.apply.log import LOG_NAME, read_trail

    trail = read_trail(project.root / ".ce" / LOG_NAME)
    if arguments.format == "json":
        from ce.faces.documents import dump

        terminal.result(dump(trail.to_dict()))
    else:
        from ce.faces.cli.erase_text import log_text

        terminal.result(log_text(trail, terminal.style))
    return ExitCode.GATE_FAILED if trail.unreadable else ExitCode.OK


def _why_not(project: Project, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    from ce.app.erase import why_kept
    from ce.faces.cli.common import options

    kept = why_kept(project, arguments.why_not, options=options(arguments, terminal))
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.erase_documents import why_kept_document

        terminal.result(dump(why_kept_document(project.shown, kept)))
    else:
        from ce.faces.cli.erase_text import why_kept_text

        terminal.result(why_kept_text(kept, terminal.style))
    return ExitCode.OK
