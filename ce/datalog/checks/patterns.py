"""Patterns in a program can be read: globs, and regular expressions that run in linear time."""

from __future__ import annotations

from collections.abc import Iterator

from ce.datalog.checks.signatures import Finding
from ce.datalog.codes import CHECKS
from ce.datalog.syntax import Atom, Constant, Expression, Program, Variable, Wildcard
from ce.datalog.traverse import atoms, body_of
from ce.diagnostics import Diagnostic

__all__ = ["check_patterns", "glob_fault", "regex_fault"]


def check_patterns(program: Program, *, in_is_sugar: bool) -> Iterator[Finding]:
    """Yield a diagnostic for every constant pattern that cannot be read and, where `in` is sugar, every `in` of another shape."""
    for index, clause in enumerate(program.clauses):
        for atom in atoms(body_of(clause)):
            place = _PATTERN_PLACES.get(atom.predicate)
            if atom.predicate in ("in", "set") and not in_is_sugar:
                continue
            if atom.predicate == "in" and not _is_in_shape(atom):
                yield index, CHECKS.IN_SHAPE.at(atom.span)
            elif place is not None and atom.arity == 2:
                fault = _pattern_fault(atom, atom.args[place])
                if fault is not None:
                    yield index, fault


# Where the pattern stands among the arguments.
_PATTERN_PLACES = {"glob": 1, "matches": 1, "in": 1, "set": 0}


def _is_in_shape(atom: Atom) -> bool:
    if atom.arity != 2:
        return False
    file, pattern = atom.args
    return isinstance(file, Variable | Wildcard) and isinstance(pattern, Constant) and isinstance(pattern.value, str)


def _pattern_fault(atom: Atom, pattern: Expression) -> Diagnostic | None:
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return None
    is_regex = atom.predicate == "matches"
    why = regex_fault(pattern.value) if is_regex else glob_fault(pattern.value)
    if why is None:
        return None
    kind, note = ("regular expression", _REGEX_NOTE) if is_regex else ("glob", _GLOB_NOTE)
    return CHECKS.PATTERN.at(pattern.span, kind=kind, pattern=pattern.value, why=why, notes=[note])


_GLOB_NOTE = "`*` and `?` stay within a path segment, `**` crosses segments, `[…]` is one character of a class"
_REGEX_NOTE = "the syntax is that of Python's `re`, without look-around and back-references"


def glob_fault(pattern: str) -> str | None:
    """Return why a glob cannot be read, or None."""
    if not pattern:
        return "it is empty"
    position = 0
    while (opening := pattern.find("[", position)) >= 0:
        # `]` directly after `[` or `[!` is a member of the set.
        start = opening + (2 if pattern[opening + 1 : opening + 2] in ("!", "^") else 1)
        closing = pattern.find("]", start + 1)
        if closing < 0:
            return "`[` is not closed"
        position = closing + 1
    return None


def regex_fault(pattern: str) -> str | None:
    """Return why a regular expression cannot be read or would not run in linear time, or None."""
    import warnings

    from ce.datalog.linear_regex import BadPattern, compile_pattern

    try:
        with warnings.catch_warnings():
            # What Python may read in another way one day is no fault of the program.
            warnings.simplefilter("ignore")
            compile_pattern(pattern)
    except BadPattern as error:
        return str(error)
    return None
