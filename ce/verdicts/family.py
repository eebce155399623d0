"""The shipped programs and rules: where they are, and which relations of which program are verdicts.

This is the only module that knows where `programs/`, `rules/` and the demonstration tree stand: beside
the package in a source checkout, inside it in an installed wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from ce.diagnostics import CeError

__all__ = [
    "DEADCODE",
    "DEAD_NAMES",
    "ENTRIES_SOURCE",
    "PRELUDE_SOURCE",
    "RESERVED_SOURCES",
    "Family",
    "RulesFile",
    "demo_tree",
    "find_rules",
    "include_loader",
    "program_text",
    "roots_names",
    "rules_names",
    "shipped_path",
]

PRELUDE_SOURCE = "programs/prelude.dl"
ENTRIES_SOURCE = "programs/deadcode/entries.dl"

# Nobody may redefine what these define: every question relies on them.
RESERVED_SOURCES = (PRELUDE_SOURCE, ENTRIES_SOURCE)

# Reads a text: (path as written, including source) to (source name, text), or None when there is none.
Loader = Callable[[str, str], tuple[str, str] | None]


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The text of a rules file under the name that diagnostics and proofs use; `directory` is None for a shipped one."""

    source: str
    text: str
    directory: Path | None


@dataclass(frozen=True, slots=True)
class Family:
    """A verdict family: its program and the questions whose answers are its report."""

    name: str
    program: str
    questions: tuple[str, ...]


DEADCODE = Family(
    "deadcode",
    "deadcode/deadcode.dl",
    (
        "?- dead_file(File, Verdict, Why, Confidence).",
        "?- unresolved_sites(Number).",
        "?- census(Files, Entries).",
    ),
)


# The program is the one without roots: which files of `programs/deadcode/roots/` count is for the settings to say.
DEAD_NAMES = Family(
    "deadcode",
    "deadcode/listing.dl",
    (
        "?- listed(S, Tier, Why, Name, Qualified, Kind, File, Start, End).",
        "?- dead_symbol(S, Tier).",
        "?- island_of(S, Top).",
        "?- held_by_test(S, Test).",
        "?- set_apart(File, Why).",
        "?- names_census(Names, Begun).",
        "?- fruitless_entry(Qualified).",
        "?- fruitless_marker(File, Line).",
    ),
)


def program_text(name: str) -> tuple[str, str]:
    """Return the source name and the text of a shipped program, such as `prelude.dl` or `deadcode/deadcode.dl`."""
    return _shipped_text("programs", name)


def rules_names() -> tuple[str, ...]:
    """Return the file names of the shipped rules, sorted."""
    return tuple(sorted(path.name for path in _shipped("rules").glob("*.rules")))


def roots_names() -> tuple[str, ...]:
    """Return the names of the shipped files of roots without their suffix, sorted."""
    return tuple(sorted(path.stem for path in (_shipped("programs") / "deadcode" / "roots").glob("*.dl")))


def shipped_path(source: str) -> Path | None:
    """Return the file of a shipped source, such as `programs/prelude.dl`; None when there is none of that name."""
    folder, _, name = source.partition("/")
    normal = _normal(PurePosixPath(name)) if folder in ("programs", "rules") and name else None
    path = None if normal is None else _shipped(folder) / normal
    return path if path is not None and path.is_file() else None


def find_rules(root: Path, name: str) -> RulesFile:
    """Return the rules file of that name: below `root`, else below the current directory, else among the shipped files.

    Raises CeError when there is none or when it cannot be read.
    """
    for path in (root / name, Path(name)):
        if path.is_file():
            return _read_rules(root, path)
    shipped = _shipped_rules(name)
    if shipped is not None:
        return RulesFile(*shipped, None)
    raise CeError.of(
        "CE911",
        f"no rules file `{name}` below the root or here, and none of that name is shipped",
        notes=(f"shipped rules: {', '.join(rules_names())}",),
    )


def demo_tree() -> Path:
    """Return the directory that holds the demonstration tree."""
    installed = _package() / "_shipped" / "demo"
    return installed if installed.is_dir() else _package().parent / "fixtures" / "demo"


def include_loader(root: Path, beside: Collection[Path] = ()) -> Loader:
    """Return the loader for `include "path"`: beside the including file first, then among the shipped programs.

    Sources of the user are named relative to `root`. Nothing is read outside `root` and the directories of `beside`, which
    are those of rules files that the user named explicitly.
    """
    allowed = (root.resolve(), *(directory.resolve() for directory in beside))

    def load(path: str, including: str) -> tuple[str, str] | None:
        wanted = PurePosixPath(path)
        if wanted.is_absolute():
            return None
        near = _normal(PurePosixPath(including).parent / wanted)
        found = None if near is None else _shipped_if_named(near) or _user_text(root, near, allowed)
        return found or _shipped_program(wanted)

    return load


def _read_rules(root: Path, path: Path) -> RulesFile:
    resolved = path.resolve()
    inside = resolved.is_relative_to(root)
    source = resolved.relative_to(root).as_posix() if inside else resolved.as_posix()
    try:
        return RulesFile(source, resolved.read_text(encoding="utf-8-sig"), resolved.parent)
    except UnicodeDecodeError as error:
        raise CeError.of("CE913", f"`{source}` is not UTF-8: byte {error.start} cannot be read") from error
    except OSError as error:
        raise CeError.of("CE913", f"cannot read `{source}`: {error.strerror}") from error


def _shipped_rules(name: str) -> tuple[str, str] | None:
    bare = name.removeprefix("rules/")
    if bare in rules_names():
        return _shipped_text("rules", bare)
    return _shipped_program(PurePosixPath(name.removeprefix("programs/")))


def _package() -> Path:
    return Path(__file__).resolve().parent.parent


@cache
def _shipped(folder: str) -> Path:
    installed = _package() / "_shipped" / folder
    return installed if installed.is_dir() else _package().parent / folder


@cache
def _shipped_text(folder: str, name: str) -> tuple[str, str]:
    path = _shipped(folder) / name
    try:
        return f"{folder}/{name}", path.read_text(encoding="utf-8")
    except OSError as error:
        raise CeError.of(
            "CE901",
            f"the shipped file `{folder}/{name}` is missing",
            notes=("the installation is incomplete; install the package `codeeraser` again",),
        ) from error


def _shipped_if_named(path: PurePosixPath) -> tuple[str, str] | None:
    """Return a shipped program that an including shipped program names by `programs/…`."""
    return _shipped_program(path.relative_to("programs")) if path.parts[:1] == ("programs",) else None


def _shipped_program(path: PurePosixPath) -> tuple[str, str] | None:
    normal = _normal(path)
    if normal is None or not (_shipped("programs") / normal).is_file():
        return None
    return program_text(str(normal))


def _user_text(root: Path, path: PurePosixPath, allowed: Iterable[Path]) -> tuple[str, str] | None:
    target = root / path
    try:
        resolved = target.resolve()
        if not target.is_file() or not any(resolved.is_relative_to(directory) for directory in allowed):
            return None
        return str(path), target.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def _normal(path: PurePosixPath) -> PurePosixPath | None:
    """Resolve `.` and `..` without the disk; None when the path climbs out."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if parts in ([], ["/"]):
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts) if parts else None
