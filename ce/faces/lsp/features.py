"""What an editor shows at a place: pure functions from an analysis and a place (1-based line and column, in characters)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ce.app.vocabulary import ANNOTATIONS, Completion, completions
from ce.datalog.lexer import DIRECTIVES, KEYWORDS, Token, tokenize
from ce.diagnostics import CeError, Span
from ce.faces.lsp.analysis import Analysis, Occurrence, occurrences

__all__ = ["Hint", "Hover", "complete", "definitions", "hover", "inlay_hints", "references", "rename", "renameable"]

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"[A-Z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about the name under the pointer."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Hint:
    """A remark behind a place."""

    line: int
    column: int
    text: str


def hover(analysis: Analysis, line: int, column: int, counts: Mapping[str, int]) -> Hover | None:
    """Return signature, meaning, vocabulary and, if known, the number of rows of the relation at the place."""
    token = _token_at(analysis, line, column)
    if token is None:
        return None
    if token.type not in ("PREDICATE", "NAME"):
        return _hover_variable(analysis, token) if token.type == "VARIABLE" else None
    if token.text in ANNOTATIONS and _follows_at(analysis, token):
        return Hover(f"`@{token.text}`: {ANNOTATIONS[token.text]}", token.span)
    known = analysis.known.get(token.text)
    if known is None or (token.type == "NAME" and token.span not in [each.span for each in occurrences(analysis.source, analysis.text)]):
        return None
    parts = [f"```prolog\n{known.signature}\n```"]
    parts += [known.meaning] if known.meaning else []
    parts += [f"`{column.name}` is one of {', '.join(f'`{word}`' for word in column.words)}" for column in known.columns if column.words]
    if known.name in counts:
        parts.append(f"{counts[known.name]:,} rows in this tree")
    if known.at is not None:
        parts.append(f"defined at {known.at.source}:{known.at.line}")
    return Hover("\n\n".join(parts), token.span)


def complete(analysis: Analysis, line: int, column: int, paths: Callable[[], Sequence[str]]) -> list[tuple[Completion, Span]]:
    """Return what may stand at the place, each with the stretch that it replaces."""
    rows = analysis.text.split("\n")[:line]
    before = "\n".join([*rows[:-1], rows[-1][: column - 1]]) if rows else ""
    start, found = completions(before, analysis.known, paths)
    typed = len(before) - start
    return [(each, Span(analysis.source, line, column - typed, line, column)) for each in found]


def definitions(analysis: Analysis, line: int, column: int) -> list[Span]:
    """Return the heads of the rules of the relation at the place, or the first line of the program that an include names."""
    token = _token_at(analysis, line, column)
    if token is None:
        return []
    if token.type == "STRING":
        return [
            Span(source, 1, 1, 1, 1)
            for include, source in analysis.program.included
            if _covers(include.span, token) and include.path == token.text[1:-1]
        ]
    if token.type == "VARIABLE":
        return [same.span for same in _same_variable(analysis, token)][:1]
    return [each.span for each in _named(analysis.program.sources, token.text) if each.role != "read"]


def references(analysis: Analysis, line: int, column: int, *, heads: bool, others: Iterable[Analysis] = ()) -> list[Span]:
    """Return every place of the program, and of the other documents that include it, that names what stands at the place."""
    token = _token_at(analysis, line, column)
    if token is None or token.type not in ("PREDICATE", "NAME", "VARIABLE"):
        return []
    if token.type == "VARIABLE":
        return [same.span for same in _same_variable(analysis, token)]
    texts = dict(analysis.own_texts)
    for other in others:
        if analysis.source in other.program.sources:
            texts.setdefault(other.source, other.text)
    return [each.span for each in _named(texts, token.text) if heads or each.role == "read"]


def renameable(analysis: Analysis, line: int, column: int) -> Span | None:
    """Return the stretch that a rename would replace; None where nothing of the user's own is named."""
    token = _token_at(analysis, line, column)
    if token is None:
        return None
    if token.type == "VARIABLE":
        return token.span
    own = [each for each in _named(analysis.own_texts, token.text) if each.role != "read"]
    return token.span if own and token.type in ("PREDICATE", "NAME") else None


def rename(analysis: Analysis, line: int, column: int, name: str, others: Iterable[Analysis] = ()) -> list[Span]:
    """Return every place that the new name has to be written to. Raises CeError (CE981) when it cannot be a name there or is taken."""
    if renameable(analysis, line, column) is None:
        raise CeError.of("CE981", "only relations and variables of your own programs can be renamed")
    token = _token_at(analysis, line, column)
    assert token is not None
    places = references(analysis, line, column, heads=True, others=others)
    if token.type == "VARIABLE":
        taken = name in {each.text for each in _clause_of(analysis, token) if each.type == "VARIABLE"}
        fits = _VARIABLE.fullmatch(name) is not None
    else:
        taken = name in analysis.known or any(_named(analysis.own_texts, name))
        fits = _NAME.fullmatch(name) is not None and name not in KEYWORDS and name not in DIRECTIVES
    if not fits:
        raise CeError.of("CE981", f"`{name}` cannot name a {'variable' if token.type == 'VARIABLE' else 'relation'}")
    if taken and name != token.text:
        raise CeError.of("CE981", f"`{name}` is taken")
    return places


def inlay_hints(analysis: Analysis, counts: Mapping[str, int], violations: Mapping[str, int]) -> list[Hint]:
    """Return the number of rows behind the first head of every relation of the document, and of violations behind every assertion."""
    hints: list[Hint] = []
    seen: set[str] = set()
    for each in occurrences(analysis.source, analysis.text):
        rows = {"define": counts, "assert": violations}.get(each.role, {}).get(each.name)
        if rows is not None and each.name not in seen:
            seen.add(each.name)
            noun = "row" if each.role == "define" else "violation"
            hints.append(Hint(each.span.end_line, each.span.end_column, f" {rows:,} {noun}{'' if rows == 1 else 's'} "))
    return hints


def _token_at(analysis: Analysis, line: int, column: int) -> Token | None:
    """Return the token that covers the place or ends there."""
    found = None
    for token in tokenize(analysis.source, analysis.text).tokens:
        if token.line == line and token.column <= column <= token.column + len(token.text):
            found = token if found is None or token.type in ("PREDICATE", "NAME", "VARIABLE", "STRING") else found
    return found


def _named(texts: Mapping[str, str], name: str) -> list[Occurrence]:
    return [each for source, text in sorted(texts.items()) for each in occurrences(source, text) if each.name == name]


def _clause_of(analysis: Analysis, token: Token) -> list[Token]:
    clause: list[Token] = []
    for each in tokenize(analysis.source, analysis.text).tokens:
        clause.append(each)
        if each.type == "DOT":
            if each.offset > token.offset:
                return clause
            clause = []
    return clause


def _same_variable(analysis: Analysis, token: Token) -> list[Token]:
    return [each for each in _clause_of(analysis, token) if each.type == "VARIABLE" and each.text == token.text]


def _hover_variable(analysis: Analysis, token: Token) -> Hover | None:
    """Return the columns that a variable stands in, which say what it is."""
    clause = _clause_of(analysis, token)
    found: dict[str, str] = {}
    for at, head in enumerate(clause):
        known = analysis.known.get(head.text) if head.type == "PREDICATE" else None
        if known is None:
            continue
        depth, place = 0, 0
        for each in clause[at + 1 :]:
            depth += (each.type == "LPAR") - (each.type == "RPAR")
            if depth == 0:
                break
            place += each.type == "COMMA" and depth == 1
            if each.type == "VARIABLE" and each.text == token.text and depth == 1 and place < len(known.columns):
                found.setdefault(
                    f"`{known.name}`", f"{known.columns[place].name}{f': {known.columns[place].sort}' if known.columns[place].sort else ''}"
                )
    if not found:
        return None
    return Hover("\n\n".join(f"`{column}` of {relation}" for relation, column in found.items()), token.span)


def _follows_at(analysis: Analysis, token: Token) -> bool:
    return analysis.text[: token.offset].endswith("@")


def _covers(span: Span, token: Token) -> bool:
    return (span.line, span.column) <= (token.line, token.column) <= (span.end_line, span.end_column) and span.source == token.source
