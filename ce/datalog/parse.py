"""Text to syntax tree, clause by clause: a clause with a fault is left out and the others are read.

`lark` is imported when the first text is parsed, never by importing this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ce.datalog.codes import CHECKS, SYNTAX
from ce.datalog.lexer import Token, tokenize
from ce.datalog.syntax import Arithmetic, Atom, Clause, Comparison, Disjunction, Include, Program
from ce.datalog.syntax_errors import explain, is_new_clause, missing_dot, too_deep
from ce.diagnostics import CeError, Diagnostic

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["MAX_DEPTH", "Loader", "parse", "parse_program"]

# (path as written, name of the including source) to (name of the source, its text), or None when there is none.
Loader = Callable[[str, str], tuple[str, str] | None]

# Later stages walk clauses recursively; this keeps every walk far below the recursion limit of the interpreter.
MAX_DEPTH = 100
_MAX_INCLUDES = 100
_DIRECTIVE = re.compile(r"\.[a-z]+[ \t]+([a-z][A-Za-z0-9_]*)")


def parse(text: str, source: str, *, loader: Loader | None = None) -> Program:
    """Return the program of one text.

    Raises CeError with every fault of the text and of what it includes.
    """
    return parse_program([(source, text)], loader)


def parse_program(
    sources: Sequence[tuple[str, str]],
    loader: Loader | None = None,
    *,
    query: tuple[str, str] | None = None,
    recover: bool = False,
) -> Program:
    """Return the program of several (name, text) sources in order: prelude, rules file, and last the ad hoc `query`.

    A query is wrapped in `?-` and `.` unless it is written so already; positions stay those of its text. An include is
    replaced by the clauses of its file at its place, once. With `recover`, faults do not raise: the program holds the
    sound clauses, and `check` reports `Program.faults` together with what it finds itself.
    """
    reader = _Reader(loader)
    for source, text in sources:
        reader.read(source, text)
    if query is not None:
        reader.read(*query, is_query=True)
    if reader.faults and not recover:
        raise CeError(tuple(reader.faults), reader.sources)
    return Program(tuple(reader.clauses), reader.sources, tuple(reader.faults), frozenset(reader.suspects), tuple(reader.included))


class _Reader:
    """Collects clauses, faults and source texts over all sources of one program."""

    def __init__(self, loader: Loader | None) -> None:
        self.loader = loader
        self.clauses: list[Clause] = []
        self.faults: list[Diagnostic] = []
        self.suspects: set[str] = set()
        self.included: list[tuple[Include, str]] = []
        self.sources: dict[str, str] = {}

    def read(self, source: str, text: str, *, is_query: bool = False, depth: int = 0) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self.sources.get(source) == text and not is_query:
            return
        self.sources[source] = text
        lexed = tokenize(source, text)
        self.faults.extend(lexed.faults.values())
        tokens = lexed.tokens
        if is_query:
            if not tokens:
                if not lexed.faults:
                    end = Token("DOT", "", 1, 1, 0, source)
                    self.faults.append(SYNTAX.EMPTY_QUERY.at(end.span))
                return
            tokens = _as_query(tokens)
        for segment in _split(tokens):
            for clause in self._segment(segment):
                self.clauses.append(clause)
                if isinstance(clause, Include):
                    self._include(clause, depth)

    def _include(self, include: Include, depth: int) -> None:
        if self.loader is None:
            self._refuse(include, "this program has no place to include from")
            return
        found = self.loader(include.path, include.span.source)
        if found is None:
            self._refuse(include, "there is no such program")
            return
        self.included.append((include, found[0]))
        if found[0] not in self.sources:
            if depth == _MAX_INCLUDES:
                self._refuse(include, f"includes are nested more than {_MAX_INCLUDES} deep")
            else:
                self.read(*found, depth=depth + 1)

    def _refuse(self, include: Include, why: str) -> None:
        self.faults.append(CHECKS.INCLUDE.at(include.span, path=include.path, why=why))

    def _segment(self, tokens: list[Token]) -> Iterator[Clause]:
        """Yield the clauses of the tokens up to one dot: one, or more when dots are missing between them."""
        if any(token.type == "FAULT" for token in tokens):
            self._suspect(tokens)
            return
        deep = _too_deep(tokens)
        if deep is not None:
            self.faults.append(too_deep(deep, MAX_DEPTH))
            self._suspect(tokens)
            return
        while tokens:
            rest, clause = self._clause(tokens)
            if clause is not None:
                yield clause
            tokens = rest

    def _clause(self, tokens: list[Token]) -> tuple[list[Token], Clause | None]:
        """Parse one clause; return the tokens of the next one when only the dot between them is missing."""
        from lark import UnexpectedToken

        from ce.datalog.builder import ShapeFault

        ends = tokens[-1].type == "DOT"
        last = tokens[-1]
        complete = tokens if ends else [*tokens, Token("DOT", "", last.line, last.column + len(last.text), last.offset, last.source)]
        state = _grammar().parse_interactive()
        index = 0
        try:
            for token in complete:
                state.feed_token(token)  # type: ignore[arg-type]  # lark reads only `type` of a token
                index += 1
            clause = state.feed_token(Token("$END", "", 0, 0, 0, ""))  # type: ignore[arg-type]  # as above
        except UnexpectedToken:
            accepted: set[str] = state.accepts()  # type: ignore[no-untyped-call]  # lark leaves this one without types
            self._suspect(complete[:index] or complete)
            if is_new_clause(complete, index, accepted):
                self.faults.append(missing_dot(complete[index - 1]))
                return list(tokens[index:]), None
            if not ends and index == len(complete) - 1 and "DOT" not in accepted:
                self.faults.append(explain(complete, index, accepted))
                return [], None
            self.faults.append(explain(complete, index, accepted))
            return [], None
        except ShapeFault as fault:
            self._suspect(tokens)
            self.faults.append(fault.diagnostic)
            return [], None
        if not ends:
            self._suspect(tokens)
            self.faults.append(missing_dot(last))
            return [], None
        if len(tokens) > MAX_DEPTH and _depth_exceeds(clause, MAX_DEPTH):
            self._suspect(tokens)
            self.faults.append(too_deep(tokens[0], MAX_DEPTH))
            return [], None
        return [], clause

    def _suspect(self, tokens: Iterable[Token]) -> None:
        """Remember what a broken clause may have defined, so that no use of it is called unknown."""
        line = 0
        for token in tokens:
            directive = _DIRECTIVE.match(token.text) if token.type == "FAULT" else None
            if directive is not None:
                self.suspects.add(directive.group(1))
            if token.type == "PREDICATE" and token.line != line:
                self.suspects.add(token.text)
            if token.type not in ("ASSERT", "DECL", "AT"):
                line = token.line


def _as_query(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    first, last = tokens[0], tokens[-1]
    if not any(token.type in ("ASK", "IF") for token in tokens) and first.type not in ("AT", "DECL", "INCLUDE", "OUTPUT"):
        tokens = (Token("ASK", "", first.line, first.column, first.offset, first.source), *tokens)
    if last.type != "DOT":
        tokens = (*tokens, Token("DOT", "", last.line, last.column + len(last.text), last.offset, last.source))
    return tokens


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    segment: list[Token] = []
    for token in tokens:
        segment.append(token)
        if token.type == "DOT":
            yield segment
            segment = []
    if segment:
        yield segment


def _too_deep(tokens: Sequence[Token]) -> Token | None:
    depth = 0
    for token in tokens:
        if token.type == "LPAR":
            depth += 1
            if depth > MAX_DEPTH:
                return token
        elif token.type == "RPAR":
            depth -= 1
    return None


def _depth_exceeds(clause: Clause, limit: int) -> bool:
    """Tell whether any node of the clause has more than `limit` nodes above it; without recursion."""
    pending: list[tuple[Any, int]] = [(getattr(clause, "head", None), 0)]
    pending += [(literal, 0) for literal in getattr(clause, "body", ())]
    while pending:
        node, depth = pending.pop()
        if depth > limit:
            return True
        if isinstance(node, Arithmetic | Comparison):
            pending += [(node.left, depth + 1), (node.right, depth + 1)]
        elif isinstance(node, Atom):
            pending += [(argument, depth + 1) for argument in node.args]
        elif isinstance(node, Disjunction):
            pending += [(literal, depth + 1) for alternative in node.alternatives for literal in alternative]
        elif hasattr(node, "body"):
            pending += [(literal, depth + 1) for literal in node.body]
    return False


@cache
def _grammar() -> Lark:
    from lark import Lark
    from lark.lexer import Lexer

    from ce.datalog.builder import Builder

    class _NoLexer(Lexer):
        """Tokens are fed one by one; the parser never asks for them."""

        def __init__(self, _: object) -> None: ...

        def lex(self, *_: object) -> Iterator[Any]:
            return iter(())

    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=_NoLexer, transformer=Builder(), keep_all_tokens=True, maybe_placeholders=False)
