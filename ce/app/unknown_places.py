"""Paths that a program writes down and the tree does not have: what names them is silent for ever, or holds of everything."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.format import unparse_expression
from ce.datalog.sorts import all_literals, comparison_sort, variable_sorts
from ce.datalog.syntax import Atom, Comparison, Constant
from ce.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram, CoreRule
    from ce.datalog.database import Database

__all__ = ["unknown_places"]

_KINDS = {"node": "no file, package or section", "dir": "no directory"}

# Comparing a text with more labels than this takes longer than the question; then only those of the same name are looked at.
_MANY = 20_000


def unknown_places(checked: CheckedProgram, database: Database, sources: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for every constant of the sources that stands for a file or a directory and names none of this tree."""
    seen: set[tuple[object, str]] = set()
    for rule in checked.rules:
        if rule.head.span.source not in sources:
            continue
        for constant, sort in _places(rule, checked):
            label = str(constant.value)
            domain = database.domains.get(sort)
            if domain is None or domain.lookup(label) is not None or (constant.span, label) in seen:
                continue
            seen.add((constant.span, label))
            near = _nearest(label, domain.labels)
            notes = (f"did you mean `{near}`?",) if near else ("a path is written from the root of the tree, with `/`",)
            shown = unparse_expression(constant)
            yield Diagnostic("CE957", f"{_KINDS[sort]} of this tree is called {shown}", constant.span, notes, severity=Severity.WARNING)


def _places(rule: CoreRule, checked: CheckedProgram) -> Iterator[tuple[Constant, str]]:
    """Yield the constants of a rule that stand for a node or a directory, with the sort."""
    literals = list(all_literals(rule.body))
    sorts: dict[str, str] | None = None
    for atom in (rule.head, *(literal for literal in literals if isinstance(literal, Atom))):
        if atom.predicate not in BUILTIN_TESTS:
            for term, sort in zip(atom.args, checked.relations[atom.predicate].sorts, strict=True):
                if isinstance(term, Constant) and sort in _KINDS:
                    yield term, sort
    for literal in literals:
        if isinstance(literal, Comparison) and literal.operator in ("=", "!="):
            for term in (literal.left, literal.right):
                if isinstance(term, Constant) and isinstance(term.value, str):
                    sorts = variable_sorts(checked.relations, rule.head, rule.body) if sorts is None else sorts
                    sort = comparison_sort(literal, sorts)
                    if sort in _KINDS:
                        yield term, sort


def _nearest(label: str, labels: Sequence[str]) -> str | None:
    """Return the label that was meant: as written but for the slash at its end, of the same name elsewhere, or spelled nearly so."""
    plain = label.strip("/").removeprefix("./")
    known = set(labels) if len(labels) <= _MANY else {each for each in labels if each.rstrip("/").endswith(plain.rpartition("/")[2])}
    for spelled in (plain, f"{plain}/"):
        if spelled in known:
            return spelled
    name = f"/{plain}"
    ends = sorted((each for each in known if f"/{each}".rstrip("/").endswith(name)), key=lambda each: (len(each), each))
    near = get_close_matches(label, sorted(known), 1, 0.75)
    same = sorted(
        (each for each in known if each.rstrip("/").rpartition("/")[2] == plain.rpartition("/")[2]), key=lambda each: (len(each), each)
    )
    return next(iter([*ends, *near, *same]), None)
