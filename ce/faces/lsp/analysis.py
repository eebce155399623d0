"""One document as an editor sees it: its program, what is wrong with it, and every place that names something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ce.app.vocabulary import Known, known_relations
from ce.datalog.lexer import Token, tokenize
from ce.diagnostics import CeError, Diagnostic, Severity, Span
from ce.verdicts.family import PRELUDE_SOURCE, RESERVED_SOURCES, include_loader, program_text

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram
    from ce.datalog.syntax import Program

__all__ = ["Analysis", "Occurrence", "analyse", "occurrences"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place that names a relation or an assertion: `define` at the head of a rule, `assert` at that of an assertion, else `read`."""

    name: str
    span: Span
    role: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A document and the program it is part of; `checked` is None when the program has a fault."""

    root: Path
    source: str
    text: str
    program: Program
    checked: CheckedProgram | None
    diagnostics: tuple[Diagnostic, ...]
    known: Mapping[str, Known]

    @property
    def own_texts(self) -> Mapping[str, str]:
        """Return the texts of the program that are files of the tree, by source: the document and what it includes."""
        return {
            source: text
            for source, text in self.program.sources.items()
            if source == self.source or (source not in RESERVED_SOURCES and (self.root / source).is_file())
        }


def analyse(root: Path, source: str, text: str) -> Analysis:
    """Return the analysis of a document below `root` (or beside it, then `source` is absolute); never raises for faults in it."""
    from ce.datalog.checks import check
    from ce.datalog.lint import lint
    from ce.datalog.parse import parse_program
    from ce.facts.schema import schema

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bare = _is_bare(text)
    prelude = () if bare or source in RESERVED_SOURCES else (program_text(PRELUDE_SOURCE.removeprefix("programs/")),)
    known, reserved = ((), ()) if bare else (schema(), RESERVED_SOURCES)
    loader = include_loader(root, ((root / source).parent,))
    program = parse_program([*prelude, (source, text)], loader, recover=True)
    checked: CheckedProgram | None = None
    found: list[Diagnostic] = []
    try:
        checked = check(program, known, reserved=reserved)
    except CeError as error:
        found += [_shown_here(diagnostic, source) for diagnostic in error.diagnostics]
    found += lint(program, checked, known, sources=[source])
    unique = tuple(sorted(dict.fromkeys(found), key=lambda diagnostic: diagnostic.sort_key))
    return Analysis(root, source, text, program, checked, unique, known_relations(program, None if checked is None else checked.relations))


def occurrences(source: str, text: str) -> list[Occurrence]:
    """Return every place of a text that names a relation, in textual order; the text may be full of faults."""
    found: list[Occurrence] = []
    clause: list[Token] = []
    for token in tokenize(source, text).tokens:
        clause.append(token)
        if token.type == "DOT":
            found += _of_clause(clause)
            clause = []
    return [*found, *_of_clause(clause)]


def _of_clause(tokens: list[Token]) -> list[Occurrence]:
    found: list[Occurrence] = []
    start = _after_annotations(tokens)
    opens = tokens[start].type if start < len(tokens) else ""
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.type == "PREDICATE":
            is_head = at == start or (at == start + 1 and opens in ("ASSERT", "DECL"))
            role = ("assert" if opens == "ASSERT" else "define") if is_head else "read"
            found.append(Occurrence(token.text, token.span, role))
        elif token.type == "NAME" and at == start + 1 and opens == "OUTPUT":
            found.append(Occurrence(token.text, token.span, "read"))
    return found


def _after_annotations(tokens: list[Token]) -> int:
    at = 0
    while at + 1 < len(tokens) and tokens[at].type == "AT":
        while at < len(tokens) and tokens[at].type != "RPAR":
            at += 1
        at += 1
    return at


def _is_bare(text: str) -> bool:
    """Tell whether a program is for `ce datalog`: it declares or writes relations, which no rules file of a tree has to."""
    kinds = {token.type for token in tokenize("", text).tokens}
    return bool(kinds & {"DECL", "OUTPUT"}) and "ASSERT" not in kinds


def _shown_here(diagnostic: Diagnostic, source: str) -> Diagnostic:
    """Return a fault of an included program as one at the first line of the document."""
    if diagnostic.span is not None and diagnostic.span.source == source:
        return diagnostic
    where = "" if diagnostic.span is None else f"{diagnostic.span}: "
    here = Span(source, 1, 1, 1, 1)
    return Diagnostic(diagnostic.code, where + diagnostic.message, here, diagnostic.notes, diagnostic.related, Severity.ERROR)
