"""`ce clauses`: policy clauses that are dead text beside another, and what each changes in a window of decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_format, add_quiet, command_parser
from ce.faces.exit_codes import ExitCode
from ce.faces.gate_documents import CLAUSES_SCHEMA as SCHEMA

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["SCHEMA", "parser", "run"]


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce clauses`."""
    command = command_parser(
        "clauses",
        "Report the policy clauses whose every pattern another clause of the same tier and level provably contains.",
        "`= drop` is proposed for retirement, `? drop` is only listed (safety levels). Nothing is ever written.\n"
        "Only learned clauses are ever dropped, and only clauses with a level are compared.\n\n"
        'A clause is {"id", "level": "red", "orange", "yellow" or "green", "patterns": ["npm test", …]}; "tier", "status", "fix",\n'
        '"supersedes" and "text" may be added. A pattern is text that may stand anywhere, or a /regular expression/. A Markdown clause\n'
        "has its fields as front matter and its patterns in lines `match: a, b`; its id is the name of its file.",
        "ce clauses --human policy --learned learned",
    )
    command.add_argument("file", metavar="FILE", nargs="?", help='a JSON corpus {"human": [clause…], "learned": [clause…]}')
    command.add_argument("--human", metavar="DIR", help="directory of human clauses, Markdown with `match:` lines")
    command.add_argument("--learned", metavar="DIR", help="directory of learned clauses")
    command.add_argument("--window", metavar="FILE", help="past decisions as JSON lines: measure what each clause changes")
    command.add_argument("--no-retire", action="store_true", help="propose no retirement: neither findings nor ablation")
    command.add_argument("--why", action="store_true", help="show notes and derivations")
    add_format(command, ("text", "json"))
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Report; a finding is advice and never fails."""
    from ce.app.clauses import judge_clauses

    report = judge_clauses(arguments.file, arguments.human, arguments.learned, arguments.window, no_retire=arguments.no_retire)
    if arguments.format == "json":
        from ce.faces.documents import dump
        from ce.faces.gate_documents import clauses_document

        terminal.result(dump(clauses_document(report)))
        return ExitCode.OK
    from ce.faces.cli.gate_text import clauses_text

    for remark in report.remarks:
        terminal.remark(f"note: {remark}")
    terminal.result(clauses_text(report, terminal.style, why=arguments.why))
    return ExitCode.OK
