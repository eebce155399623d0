"""`ce demo`: the main job on a bundled sample tree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ce.faces.cli.arguments import add_quiet, command_parser
from ce.faces.exit_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from ce.faces.cli.terminal import Terminal

__all__ = ["STEPS", "parser", "run"]

# What is shown, in order: a sentence, the words of a command, and how it is expected to end on the sample tree.
STEPS: tuple[tuple[str, tuple[str, ...], ExitCode], ...] = (
    ("Which files does nothing reach?", ("query", "dead(F)"), ExitCode.OK),
    ("Why is the old export dead?", ("query", 'dead("src/shop/old_export.py")', "--why"), ExitCode.OK),
    ("Why is the daily report not dead?", ("query", 'dead("src/shop/reports/daily.py")', "--why-not"), ExitCode.OK),
    ("What keeps it alive?", ("query", 'reach("src/shop/reports/daily.py")', "--why"), ExitCode.OK),
    ("Every dead file, with its verdict and how far to trust it:", ("deadcode",), ExitCode.OK),
    ("What is provably safe to remove, and why the rest is not? This only plans:", ("erase",), ExitCode.OK),
    ("The project's own rules, each violation with its proof:", ("rules",), ExitCode.GATE_FAILED),
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ce demo`."""
    command = command_parser(
        "demo",
        "Show the main job on a bundled sample tree: questions, verdicts and rules, each with its proof.",
        "The tree is copied into a temporary directory, which is removed afterwards.",
        "ce demo",
    )
    command.add_argument("--copy", metavar="DIR", help="write the sample tree to a new directory to play with, and stop")
    add_quiet(command)
    return command


def run(arguments: argparse.Namespace, terminal: Terminal) -> ExitCode:
    """Run every step and print it; OK when each ended as it should."""
    from ce.app.demo import copy_sample, sample_tree

    if arguments.copy is not None:
        copy_sample(arguments.copy)
        terminal.remark(f"copied; go on with: cd {arguments.copy} && ce query 'dead(F)'")
        return ExitCode.OK
    style = terminal.style
    well = True
    with sample_tree() as root:
        for sentence, words, expected in STEPS:
            shown = " ".join(f"'{word}'" if "(" in word else word for word in words)
            terminal.result(f"{sentence}\n{style.strong(f'$ ce {shown}')}")
            command = import_module(f"ce.faces.cli.{words[0]}")
            positionals = [word for word in words[1:] if not word.startswith("-")]
            flags = [word for word in words[1:] if word.startswith("-")]
            code = command.run(command.parser().parse_args([*positionals, str(root), *flags, "--quiet"]), terminal)
            well = well and code == expected
            terminal.result("\n")
    return ExitCode.OK if well else ExitCode.NOT_JUDGED
