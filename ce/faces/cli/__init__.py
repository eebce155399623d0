"""The command line: `ce COMMAND`. A command is imported only when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal
    from ce.faces.exit_codes import ExitCode

__all__ = ["COMMANDS", "main"]

# Every command: the module of this package that holds it, and what it does.
COMMANDS: dict[str, tuple[str, str]] = {
    "query": ("query", "ask one question about a tree"),
    "rules": ("rules", "judge every assertion of a rules file"),
    "fmt": ("fmt", "put programs into canonical layout"),
    "lint": ("lint", "tell what is suspicious in programs and settings"),
    "deadcode": ("deadcode", "list the files and names that nothing reaches"),
    "why": ("why", "tell what keeps a file or a name alive, or why it is dead"),
    "dedup": ("dedup", "find copied code"),
    "clone": ("clone", "find functions that are nearly the same"),
    "merge": ("merge", "suggest how copied functions become one"),
    "docdup": ("docdup", "find copied prose"),
    "erase": ("erase", "plan, apply and audit the removal of what is provably safe to remove"),
    "allowlist": ("allowlist", "judge exported names without a caller against documented exceptions"),
    "clauses": ("clauses", "report policy clauses that another clause provably contains"),
    "index": ("index", "bring the index of a tree up to date"),
    "facts": ("facts", "list the relations and their meaning, or dump one"),
    "lsp": ("lsp", "serve editors of programs and rules files"),
    "doctor": ("doctor", "show what the tool sees of its environment"),
    "demo": ("demo", "show the main job on a bundled sample tree"),
    "datalog": ("datalog", "run the engine alone on tables of facts"),
}


class Command(Protocol):
    """What the module of a command provides."""

    def parser(self) -> argparse.ArgumentParser:
        """Return the parser of its arguments."""

    def run(self, arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
        """Do what was asked, print it, and return how it ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; nothing but a fault of our own shows a traceback."""
    from ce.faces.cli.streams import ensure_streams, flushed, unwritten

    ensure_streams()
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
    except OSError as error:  # of the help and the version; the faults of a command are told by its guard
        code = unwritten(error)
    return flushed(code)


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        return _help(words)
    if words[0] in ("-V", "--version"):
        from ce import __version__

        print(f"ce {__version__}")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        return _unknown(name)
    from ce.faces.cli.guard import guarded

    return guarded(_load(name), rest)


def _load(name: str) -> Command:
    module: Command = import_module(f"ce.faces.cli.{COMMANDS[name][0]}")
    return module


def _help(words: Sequence[str]) -> int:
    if len(words) > 1 and words[0] == "help" and words[1] in COMMANDS:
        _load(words[1]).parser().print_help()
        return 0
    width = max(map(len, COMMANDS))
    print(
        "usage: ce COMMAND [ROOT] [options]\n\nFind and prove dead and copied code: every verdict is a Datalog query with its derivation.\n"
    )
    print("commands:")
    for name, (_, summary) in COMMANDS.items():
        print(f"  {name:<{width}}  {summary}")
    print("\noptions:\n  -h, --help     show this, or `ce COMMAND --help`\n  -V, --version  show the version")
    print("\nexample: ce query 'dead(F)'\n\nexit codes: 0 ok, 1 gate failed, 2 not judged or bad usage")
    return 0


def _unknown(name: str) -> int:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, 1)
    hint = f"; did you mean `{near[0]}`?" if near else "; `ce --help` lists the commands"
    kind = "option" if name.startswith("-") else "command"
    print(f"ce: unknown {kind} `{name}`{hint}", file=sys.stderr)
    return 2
