"""Where a command prints: encodings, colours, widths and closed pipes are settled here and nowhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Style", "Terminal", "printable"]

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))} | {9: "\\t", 10: "\\n", 13: "\\r"}
_CONTROL |= {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(128, 256)}
_CONTROL |= {code: f"\\u{code:04x}" for code in (0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)}

# A progress line appears after this time, and moves this often.
_PATIENCE_S = 0.5
_REDRAW_S = 0.1


def printable(text: str) -> str:
    """Return the text on one line: control characters, undecodable bytes and direction marks are escaped."""
    return text.translate(_CONTROL)


@dataclass(frozen=True, slots=True)
class Style:
    """Colours of a stream; all texts pass unchanged when it has none."""

    colour: bool = False

    def good(self, text: str) -> str:
        """Return the text as something that is well."""
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        """Return the text as something that fails."""
        return self._wrap("31", text)

    def warn(self, text: str) -> str:
        """Return the text as a warning."""
        return self._wrap("33", text)

    def strong(self, text: str) -> str:
        """Return the text as a heading."""
        return self._wrap("1", text)

    def faint(self, text: str) -> str:
        """Return the text as an aside."""
        return self._wrap("2", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


@dataclass(frozen=True, slots=True)
class Terminal:
    """The two streams of a command. Results go to `out`; remarks, unless `quiet`, and errors go to `err`."""

    out: TextIO
    err: TextIO
    quiet: bool = False

    @classmethod
    def of_process(cls, *, quiet: bool = False) -> Terminal:
        """Return the terminal of this process; what an encoding cannot hold is escaped, never an error."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace", newline="\n")
        return cls(sys.stdout, sys.stderr, quiet)

    @property
    def style(self) -> Style:
        """Return the style of the results."""
        return Style(_has_colour(self.out))

    @property
    def error_style(self) -> Style:
        """Return the style of remarks and errors."""
        return Style(_has_colour(self.err))

    @property
    def width(self) -> int:
        """Return the number of columns of the results."""
        import shutil

        return shutil.get_terminal_size((100, 24)).columns

    def result(self, text: str) -> None:
        """Print the result, ended by one line feed. A reader that has gone away is no error: the exit code still tells."""
        if text:
            _write(self.out, text if text.endswith("\n") else text + "\n")

    def result_bytes(self, data: bytes) -> None:
        """Print bytes as they are."""
        buffer = getattr(self.out, "buffer", None)
        if buffer is None:
            self.out.write(data.decode("utf-8", "replace"))
        else:
            with suppress(BrokenPipeError):
                self.out.flush()
                buffer.write(data)

    def remark(self, text: str) -> None:
        """Tell something beside the result, unless quiet."""
        if not self.quiet:
            _write(self.err, text + "\n")

    def progress(self) -> Callable[[int, int], None] | None:
        """Return what shows `done` of `total` files on a terminal once a run is long enough to wonder; None elsewhere."""
        if self.quiet or not self.err.isatty():
            return None
        started = time.monotonic()
        shown = 0.0

        def show(done: int, total: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - started < _PATIENCE_S:
                return
            if done >= total:
                _write(self.err, "\r\x1b[K")
            elif now - shown >= _REDRAW_S:
                shown = now
                _write(self.err, f"\r\x1b[Kmeasuring {done:,} of {total:,} files")
                self.err.flush()

        return show

    def error(self, text: str) -> None:
        """Tell why the command failed."""
        _write(self.err, text + "\n")


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except BrokenPipeError:
        return
    except OSError as error:
        # Where the errors go nobody can be told; a result that is lost is a fault.
        if stream is not sys.stderr:
            raise OSError(error.errno, error.strerror, "<standard output>") from None


def _has_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()
