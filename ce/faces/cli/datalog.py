"""`ce datalog`: the engine alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_engine, add_format, add_quiet, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.app.datalog import DatalogReport
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]

SCHEMA = "ce.datalog/1"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce datalog`."""
    command = command_parser(
        "datalog",
        "Run the engine alone, on tables of facts.",
        "For every relation that PROGRAM declares and no rule defines, NAME.facts in FACTS_DIR holds its rows, one a line,\n"
        "separated by tabs. With -D, each `output NAME.` and each `?-` of the program is written to NAME.tsv or query1.tsv, …;\n"
        "without it they are printed. The seconds of loading, evaluation and output go to standard error.",
        "ce datalog fixtures/datalog/paths.dl -F fixtures/datalog --query 'path(1, X)' --why",
    )
    command.add_argument("program", metavar="PROGRAM", help="the file of the program")
    command.add_argument("-F", "--facts", metavar="FACTS_DIR", type=Path, default=Path(), help="where the facts are (default: here)")
    command.add_argument("-D", "--output", metavar="OUT_DIR", type=Path, help="where the outputs are written (default: they are printed)")
    command.add_argument("--query", metavar="BODY", help="one more question, answered on standard output")
    command.add_argument("--why", action="store_true", help="show how each answer to --query is derived")
    command.add_argument("--why-not", action="store_true", help="when --query has no answer, show which premise failed")
    command.add_argument("--plan", action="store_true", help="show in which order the rules are joined")
    command.add_argument("--profile", action="store_true", help="show which rules took how long")
    add_engine(command)
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Run the program, print or write what it gives, and return how it ended."""
    from ce.app.datalog import run_program
    from ce.datalog.limits import Limits
    from ce.faces.cli.common import tell

    bounds = {"max_rows": arguments.max_rows, "timeout_s": arguments.timeout}
    report = run_program(
        arguments.program,
        facts=arguments.facts,
        target=arguments.output,
        question=arguments.query,
        why=arguments.why,
        why_not=arguments.why_not,
        plan=arguments.plan,
        profile=arguments.profile,
        engine=arguments.engine,
        limits=Limits(**{name: bound for name, bound in bounds.items() if bound is not None}),
    )
    tell((), report.warnings, report.sources, terminal)
    for stage, seconds in (("load", report.load_s), ("eval", report.eval_s), ("output", report.output_s)):
        terminal.remark(f"{stage} {seconds:.6f}")
    terminal.result(_rendered(report, arguments.format, terminal))
    return ExitCode.OK if report.degraded is None else ExitCode.NOT_JUDGED


def _rendered(report: DatalogReport, form: str, terminal: Terminal) -> str:
    if form == "json":
        from ce.faces.documents import datalog_document, dump

        return dump(datalog_document(SCHEMA, report))
    from ce.faces.cli.text import datalog_text

    return datalog_text(report, terminal.style)
