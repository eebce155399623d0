"""How the ladder of a site can end, before the frame writes down which site it was.

Answers are values without a place: the same import in forty files has one answer, built once.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ABSOLUTE",
    "EVIDENCE",
    "EXTERNAL",
    "PREFIX",
    "RELATIVE",
    "Answer",
    "external",
    "package",
    "resolved",
    "section",
    "unresolved",
]

# The rungs, in the order in which every ladder tries them. What each means in one language is said in that language's module.
RELATIVE = 1  # the specifier is a path from the file itself
ABSOLUTE = 2  # the specifier is a path from a root that a manifest or a convention of the language names
PREFIX = 3  # only the first part of the specifier names something in the tree; or one definition lies between
EXTERNAL = 4  # the specifier names something outside of the tree, for certain
EVIDENCE = 5  # the one place in the tree that fits, or a text that spells the name of a file exactly


@dataclass(frozen=True, slots=True)
class Answer:
    """One target of a site, or why it has none; the fields are those of `records.Outcome`.

    `names` are the names that the site takes from the target. `could` are the files that an unresolved site could mean, all of them.
    """

    status: str
    rung: int = 0
    granularity: str = ""
    target: str = ""
    unit: str = ""
    via_reexport: bool = False
    inert: bool = False
    reason: str = ""
    candidates: tuple[str, ...] = ()
    mode: str = ""
    names: tuple[str, ...] = ()
    could: tuple[str, ...] = ()
    no_arc_to_itself: bool = False  # the reference of a file to itself that such an answer gives says nothing
    is_written: bool = True  # the site itself names the target; else it is reached because of what the site names


def resolved(path: str, rung: int, *, via_reexport: bool = False, mode: str = "", names: tuple[str, ...] = ()) -> Answer:
    """Return the answer that the site means a file."""
    return Answer("resolved", rung, "file", path, via_reexport=via_reexport, mode=mode, names=names)


def package(directory: str, rung: int) -> Answer:
    """Return the answer that the site means a directory as a whole; its name ends in `/`."""
    return Answer("resolved", rung, "package", directory.rstrip("/") + "/")


def section(path: str, slug: str, rung: int) -> Answer:
    """Return the answer that the site means a section of a document."""
    return Answer("resolved", rung, "section", path, slug)


def external(rung: int = EXTERNAL) -> Answer:
    """Return the answer that the site means something outside of the tree."""
    return Answer("external", rung)


def unresolved(reason: str, *, candidates: tuple[str, ...] = (), could: tuple[str, ...] = ()) -> Answer:
    """Return the answer that nothing can be said for certain, why, and which files the site could mean."""
    return Answer("unresolved", reason=reason, candidates=candidates, could=could)
