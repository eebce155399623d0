"""What several commands ask for on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["add_engine", "add_format", "add_limits", "add_quiet", "add_root", "command_parser", "positive_number", "positive_seconds"]

ENGINES = ("native", "naive", "pydatalog")


def command_parser(name: str, summary: str, detail: str, example: str) -> argparse.ArgumentParser:
    """Return the parser of a command; its help ends with one example that runs."""
    return argparse.ArgumentParser(
        prog=f"ce {name}",
        description=f"{summary}\n\n{detail}".strip(),
        epilog=f"example: {example}\n\nexit codes: 0 ok, 1 gate failed, 2 not judged or bad usage",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_root(parser: argparse.ArgumentParser) -> None:
    """Add the optional root."""
    parser.add_argument(
        "root", metavar="ROOT", nargs="?", help="the tree to judge (default: the project that encloses the current directory)"
    )


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add `--format`; the first format is the default."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"how to print (default: {formats[0]})")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add `--quiet`."""
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="no remarks, warnings or progress: standard error holds errors alone; result and exit code stay as they are",
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add `--engine` and the limits."""
    parser.add_argument(
        "--engine", choices=ENGINES, default=ENGINES[0], help="who evaluates (default: native; the others are slow second opinions)"
    )
    add_limits(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the bounds of an evaluation."""
    parser.add_argument("--max-rows", type=positive_number, metavar="N", help="give up once this many rows are derived")
    parser.add_argument("--timeout", type=positive_seconds, metavar="SECONDS", help="give up after this time")


def positive_number(text: str) -> int:
    """Return the number, refusing what is no whole number above 0."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number above 0")
    return value


def positive_seconds(text: str) -> float:
    """Return the seconds, refusing what is no finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds above 0")
    return value
