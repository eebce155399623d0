"""The three standard streams at the two ends of a command: there from the start, and flushed before the exit code is final."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

__all__ = ["ensure_streams", "flushed", "unwritten"]

_NOT_JUDGED = 2


def ensure_streams() -> None:
    """Open what the caller closed on the null device, so that no file of ours gets the number of a standard stream."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115  # it lives as long as the process
        setattr(sys, name, stream)


def flushed(code: int) -> int:
    """Flush both streams and return the exit code: 2 when the result could not be written.

    A reader that has gone away is no fault. A stream that fails is pointed at nothing, so that nobody complains on the way out.
    """
    for stream in (sys.stdout, sys.stderr):
        # A server closes what it served over.
        if stream.closed:
            continue
        try:
            stream.flush()
        except BrokenPipeError:
            _drop(stream)
        except OSError as error:
            _drop(stream)
            if stream is sys.stdout:
                code = unwritten(error)
    return code


def unwritten(error: OSError) -> int:
    """Say that the result could not be written and return the exit code of that; a reader that has gone away is told nothing."""
    if isinstance(error, BrokenPipeError):
        return 0
    with suppress(OSError):
        print(f"ce: the result cannot be written: {error.strerror or error}", file=sys.stderr)
    return _NOT_JUDGED


def _drop(stream: TextIO) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)
