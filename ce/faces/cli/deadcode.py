"""`ce deadcode`: the files that no entry reaches, and the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import DEADCODE_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.app.report import DeadcodeReport, NamesReport
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]

_TIERS = ("certain", "likely", "review", "public", "test_only")
_FAILING = ("certain", "likely")  # tiers that fail a gate when no tier is chosen
_QUIET = ("review", "public")  # tiers that a terminal only counts when no tier is chosen


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce deadcode`."""
    command = command_parser(
        "deadcode",
        "List the files that no entry reaches, in four ways, and how far each verdict can be trusted; with --symbols the names, too.",
        "unref_*: nothing refers to the file. unreach_*: only dead code does. *_public: the file exports a declaration.\n"
        "in doubt: some unresolved or dynamic site could name it; unvouched: its language has no site; vouched: neither.\n"
        "Names: certain: nothing uses or spells it. likely: only dead code does. review: something computed could mean it.\n"
        "public: a library offers it. test_only: only tests reach it. `ce why NAME` tells what keeps a name alive, or why it is dead.",
        "ce deadcode --check --why",
    )
    add_root(command)
    command.add_argument(
        "--check",
        action="store_true",
        help="exit 1 when a file is dead, or with --symbols a name of the tiers certain and likely or of those chosen; 2 when there is "
        "nothing to judge",
    )
    command.add_argument("--why", action="store_true", help="show how each verdict is derived")
    command.add_argument("--symbols", action="store_true", help="judge functions, classes, members, constants, imports and exports as well")
    command.add_argument("--tier", choices=_TIERS, action="append", help="only names of this tier (repeatable); implies --symbols")
    command.add_argument("--baseline", metavar="FILE", help="names known by this file are told apart and fail no gate; implies --symbols")
    command.add_argument(
        "--write-baseline", action="store_true", help="write the --baseline file: a new one accepts the names of today, an old one shrinks"
    )
    add_engine(command)
    add_format(command, ("text", "json", "sarif"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Judge the tree, print what is dead, and return how it ended; only `--check` makes something dead fail."""
    from ce.app.deadcode import find_dead
    from ce.faces.cli.common import open_root, options, tell
    from ce.verdicts.gate import gate

    if arguments.write_baseline and arguments.baseline is None:
        raise CeError.of("CE955", "`--write-baseline` needs `--baseline FILE`", notes=("name the file to write",))
    if arguments.symbols or arguments.tier or arguments.baseline:
        return _run_names(arguments, terminal)
    project = open_root(arguments.root, terminal)
    report = find_dead(project, why=arguments.why, options=options(arguments, terminal))
    tell(report.notes, (), {}, terminal)
    terminal.result(_rendered(report, arguments.format, terminal))
    judged = report.degraded is None and not (arguments.check and report.empty)
    return ExitCode.of(gate(("error" for _ in report.dead if arguments.check), judged=judged))


def _run_names(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    from ce.app.dead_names import find_dead_names
    from ce.faces.cli.common import open_root, options, tell
    from ce.verdicts.gate import gate

    project = open_root(arguments.root, terminal)
    report = find_dead_names(
        project,
        why=arguments.why or arguments.format == "sarif",
        tiers=tuple(arguments.tier or _TIERS),
        options=options(arguments, terminal),
        baseline=arguments.baseline,
        write_baseline=arguments.write_baseline,
    )
    files = report.files
    fixed = (f"the baseline knows `{name}`, which is dead no more" for name in report.fixed)
    tell((*files.notes, *report.useless, *fixed), (), {}, terminal)
    terminal.result(_rendered_names(report, arguments, terminal))
    failing = tuple(arguments.tier or _FAILING)
    found = [*files.dead, *(each for each in report.symbols if each.tier in failing), *report.useless]
    # A baseline that was just written has nothing stale in it.
    found += () if arguments.write_baseline else report.fixed
    judged = files.degraded is None and not (arguments.check and files.empty)
    return ExitCode.of(gate(("error" for _ in found if arguments.check), judged=judged))


def _rendered(report: DeadcodeReport, form: str, terminal: Terminal) -> str:
    if form == "json":
        from ce.faces.documents import deadcode_document, dump

        return dump(deadcode_document(report))
    if form == "sarif":
        from ce.faces.sarif import deadcode_log

        return deadcode_log(report)
    from ce.faces.cli.text import deadcode_text

    return deadcode_text(report, terminal.style)


def _rendered_names(report: NamesReport, arguments: argparse.Namespace, terminal: Terminal) -> str:
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.name_documents import names_document

        return dump(names_document(report))
    if arguments.format == "sarif":
        from ce.faces.sarif import deadcode_log

        return deadcode_log(report.files, report.symbols)
    from ce.faces.cli.names_text import names_text

    return names_text(report, terminal.style, hidden=() if arguments.tier else _QUIET)
