"""`ce rules`: every assertion of a rules file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.diagnostics import CeError
from ce.faces.cli.arguments import add_engine, add_format, add_quiet, add_root, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.schema_ids import RULES_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.app.report import Report
    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce rules`."""
    command = command_parser(
        "rules",
        "Judge every assertion of a rules file; each violation carries its proof.",
        "Without --file: the file that `[rules] file` in ce.toml names, else `ce.rules` at the root; with neither nothing is\n"
        "asserted, and the exit code is 0 (2 with --strict). A file is searched below the root, then below the current directory,\n"
        "then among the shipped ones, such as no-cycles.rules.",
        "ce rules --file no-cycles.rules",
    )
    add_root(command)
    command.add_argument("--file", metavar="F", action="append", help="a rules file (repeatable)")
    command.add_argument("--baseline", metavar="FILE", help="tell only what this file does not know, and what is fixed")
    command.add_argument(
        "--write-baseline",
        action="store_true",
        help="write the --baseline file: a new one accepts the violations of today, an existing one only loses what is fixed",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="fail also when an assertion, a pattern or a marker does nothing on this tree, or when nothing is asserted at all",
    )
    add_engine(command)
    add_format(command, ("text", "json", "sarif", "github", "junit", "html"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Judge the rules, print the report, and return how the gate ended: 1 when an assertion of severity `error` is violated."""
    from ce.app.rules import judge
    from ce.faces.cli.common import open_root, options, tell
    from ce.verdicts.gate import gate

    if arguments.write_baseline and arguments.baseline is None:
        raise CeError.of("CE955", "`--write-baseline` needs `--baseline FILE`", notes=("name the file to write",))
    project = open_root(arguments.root, terminal)
    report = judge(
        project,
        arguments.file,
        options=options(arguments, terminal),
        baseline=arguments.baseline,
        write_baseline=arguments.write_baseline,
    )
    tell(report.notes, report.warnings, report.sources, terminal)
    terminal.result(_rendered(report, arguments.format, terminal))
    severities = [goal.severity for goal, _ in report.violations]
    # Under --strict silence for want of anything to judge is as bad as a violation.
    silent = ["error" for _ in report.silent if arguments.strict]
    asserted = report.counts.get("asserts", 0) > 0 or not arguments.strict
    return ExitCode.of(gate([*severities, *silent], judged=report.degraded is None and asserted))


def _rendered(report: Report, form: str, terminal: Terminal) -> str:
    if form == "json":
        from ce.faces.documents import dump, report_document

        return dump(report_document(SCHEMA, report))
    if form == "text":
        from ce.faces.cli.text import report_text

        return report_text(report, terminal.style)
    if form == "html":
        from ce.faces.proof_page import html_page

        return html_page(report, "ce rules")
    from ce.faces import annotations, sarif

    return {"sarif": sarif.rules_log, "github": annotations.github, "junit": annotations.junit}[form](report)
