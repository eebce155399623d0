"""Programs in canonical layout: what would change, and changing it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ce.diagnostics import CeError, Diagnostic

__all__ = ["Formatted", "format_files", "program_files", "rewrite"]

_SUFFIXES = (".dl", ".rules")


@dataclass(frozen=True, slots=True)
class Formatted:
    """A program file as it is and as it should be."""

    name: str
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Tell whether the layout would change."""
        return self.before != self.after


def program_files(names: Iterable[str]) -> list[str]:
    """Return the named files; a directory stands for the `.dl` and `.rules` files below it, hidden directories left out."""
    found: list[str] = []
    for name in names:
        if not os.path.isdir(name):
            found.append(name)
            continue
        for directory, below, files in os.walk(name):
            below[:] = sorted(entry for entry in below if not entry.startswith("."))
            found += [os.path.normpath(os.path.join(directory, file)) for file in sorted(files) if file.endswith(_SUFFIXES)]
    return list(dict.fromkeys(found))


def format_files(names: Sequence[str]) -> list[Formatted]:
    """Return every program with its canonical layout.

    Raises CeError with the faults of all files; a file with a fault has no layout.
    """
    from ce.datalog.format import format_source

    formatted: list[Formatted] = []
    faults: list[Diagnostic] = []
    sources: dict[str, str] = {}
    for name in names:
        try:
            text = _read(name)
            formatted.append(Formatted(name, text, format_source(text, name)))
        except CeError as error:
            faults += error.diagnostics
            sources |= error.sources
    if faults:
        raise CeError(tuple(faults), sources)
    return formatted


def rewrite(files: Iterable[Formatted]) -> None:
    """Write every changed program in place, each whole or not at all. Raises CeError (CE962) for one that cannot be written."""
    for file in files:
        if not file.changed:
            continue
        path = Path(file.name).resolve()
        beside = ""
        try:
            descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            with open(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(file.after)
            os.chmod(beside, path.stat().st_mode & 0o7777)
            os.replace(beside, path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(beside)
            raise CeError.of("CE962", f"`{file.name}` cannot be written: {error.strerror or error}") from None


def _read(name: str) -> str:
    try:
        return Path(name).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CeError.of("CE961", f"`{name}` is not UTF-8: byte {error.start} cannot be read") from None
    except OSError as error:
        raise CeError.of("CE961", f"`{name}` cannot be read: {error.strerror or error}") from None
