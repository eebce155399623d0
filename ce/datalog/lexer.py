"""Text to tokens: the lexical rules of the language, kept apart from the grammar so that formatting needs no parser.

A fault never stops the lexer. A faulty stretch becomes a token of kind `FAULT`, so that the clause around it can be
left out while the others go on; a foreign comment is reported and skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ce.datalog.codes import SYNTAX, Code
from ce.datalog.syntax import INTEGER_MAX, INTEGER_MIN
from ce.diagnostics import Diagnostic, Span

__all__ = ["DIRECTIVES", "KEYWORDS", "Comment", "Lexed", "Token", "tokenize"]

KEYWORDS = {"not": "NOT", "assert": "ASSERT", "count": "AGGREGATE", "min": "AGGREGATE", "max": "AGGREGATE", "sum": "AGGREGATE"}
# Words that open a clause when another word (or a string) follows; anywhere else they are ordinary names.
DIRECTIVES = {"decl": "DECL", "output": "OUTPUT", "include": "INCLUDE"}


class Token(NamedTuple):
    """A token: its kind in the grammar, its text and where it starts (1-based line and column, 0-based offset)."""

    type: str
    text: str
    line: int
    column: int
    offset: int
    source: str

    @property
    def span(self) -> Span:
        """Return the stretch of the source that the token covers; tokens never cross a line."""
        return Span(self.source, self.line, self.column, self.line, self.column + len(self.text))


class Comment(NamedTuple):
    """A `#` comment with its text, and whether it stands alone on its line."""

    text: str
    line: int
    column: int
    offset: int
    own_line: bool


@dataclass(frozen=True, slots=True)
class Lexed:
    """What a text consists of. `faults` has one diagnostic per `FAULT` token, by its offset, and those of comments."""

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    faults: dict[int, Diagnostic]


_SYMBOLS = {
    ":-": "IF", "?-": "ASK", ",": "COMMA", ";": "SEMICOLON", "(": "LPAR", ")": "RPAR", ".": "DOT", ":": "COLON", "@": "AT",
    "=": "COMPARE", "!=": "COMPARE", "<": "COMPARE", "<=": "COMPARE", ">": "COMPARE", ">=": "COMPARE",
    "+": "ADDITIVE", "-": "ADDITIVE", "*": "MULTIPLICATIVE", "/": "MULTIPLICATIVE", "%": "MULTIPLICATIVE",
}  # fmt: skip

_TOKEN = re.compile(
    r"""(?P<SPACE>[ \t\r\f\v]+)
    |(?P<NEWLINE>\n)
    |(?P<COMMENT>\#[^\n]*)
    |(?P<WORD>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<INTEGER>[0-9]+)
    |(?P<STRING>"[^"\n]*")
    |(?P<OPEN_STRING>"[^"\n]*)
    |(?P<SLASHES>//[^\n]*|/\*)
    |(?P<FOREIGN>\\\+|\\=|={2,3}|!==|=<|=>|<>|&&?|\|\|?|!(?!=)|~|<-(?!\d)|:=|->|/\\|\\/|'[^'\n]*'|[←¬≠≤≥\u2227\u2228“”])
    |(?P<SYMBOL>:-|\?-|!=|<=|>=|[=<>(),.;:@+\-*/%])
    |(?P<OTHER>.)""",
    re.VERBOSE,
)
_CALL = re.compile(r"\s*\(")
_LINE = re.compile(r"[^\n]*")
_FRACTION = re.compile(r"\.[0-9]+")
_TAIL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED = re.compile(r"\.[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*")
_DIRECTIVE = re.compile(r"(\.[a-z]+)[^\n]*")
_OPERANDS = {"INTEGER", "STRING", "NAME", "VARIABLE", "WILDCARD", "RPAR"}
_INSTEAD = {
    "\\+": "`not p(X)`", "!": "`not p(X)`", "~": "`not p(X)`", "¬": "`not p(X)`", "\\=": "`!=`", "≠": "`!=`", "<>": "`!=`", "!==": "`!=`",
    "==": "`=`", "===": "`=`", ":=": "`=` in a body, `:-` after a head", "=<": "`<=`", "≤": "`<=`", "=>": "`>=`", "≥": "`>=`",
    "&": "`,`", "&&": "`,`", "/\\": "`,`", "\u2227": "`,`", "|": "`;`", "||": "`;`", "\\/": "`;`", "\u2228": "`;`",
    "<-": "`:-`", "←": "`:-`", "->": "the conclusion first: `head :- body.`", "“": '`"`', "”": '`"`',
}  # fmt: skip


def tokenize(source: str, text: str) -> Lexed:
    """Return the tokens, comments and lexical faults of a text; never raises."""
    return _Lexer(source, text).run()


class _Lexer:
    """One pass over one text."""

    def __init__(self, source: str, text: str) -> None:
        self.source, self.text = source, text
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.faults: dict[int, Diagnostic] = {}
        self.line, self.line_start, self.position, self.depth = 1, 0, 0, 0
        self.foreign_comment_seen = False

    def run(self) -> Lexed:
        text, end = self.text, len(self.text)
        if text.startswith("\ufeff"):
            self.position = self.line_start = 1
        match = _TOKEN.match
        while self.position < end:
            found = match(text, self.position)
            assert found is not None and found.lastgroup is not None, "the pattern matches every character"
            start, self.position = self.position, found.end()
            kind = found.lastgroup
            if kind == "SPACE":
                continue
            if kind == "WORD":
                self._word(start, found.group())
            elif kind == "SYMBOL":
                self._symbol(start, found.group())
            elif kind == "NEWLINE":
                self.line += 1
                self.line_start = self.position
            elif kind == "COMMENT":
                self._comment(start, found.group())
            elif kind == "STRING":
                self._add("STRING", found.group(), start)
            elif kind == "INTEGER":
                self._integer(start)
            else:
                self._fault(kind, start, found.group())
        return Lexed(tuple(self.tokens), tuple(self.comments), self.faults)

    def _add(self, kind: str, text: str, start: int) -> None:
        self.tokens.append(Token(kind, text, self.line, start - self.line_start + 1, start, self.source))

    def _opens_clause(self) -> bool:
        return not self.tokens or self.tokens[-1].type == "DOT"

    def _comment(self, start: int, text: str) -> None:
        own_line = not self.text[self.line_start : start].strip(" \t\r\f\v\ufeff")
        self.comments.append(Comment(text.rstrip(), self.line, start - self.line_start + 1, start, own_line))

    def _word(self, start: int, text: str) -> None:
        first = text[0]
        if first == "_":
            self._add("WILDCARD", text, start)
        elif "A" <= first <= "Z":
            self._add("VARIABLE", text, start)
        elif text in KEYWORDS:
            self._add(KEYWORDS[text], text, start)
        else:
            is_call = _CALL.match(self.text, self.position) is not None
            if text in DIRECTIVES and not is_call and self._opens_directive():
                self._add(DIRECTIVES[text], text, start)
            else:
                self._add("PREDICATE" if is_call else "NAME", text, start)

    def _opens_directive(self) -> bool:
        return self._opens_clause() or self.tokens[-1].type == "RPAR"

    def _integer(self, start: int) -> None:
        text, tokens = self.text, self.tokens
        end = self.position
        signed = start
        if tokens and tokens[-1].text == "-" and tokens[-1].offset == start - 1 and (len(tokens) == 1 or tokens[-2].type not in _OPERANDS):
            tokens.pop()
            signed = start - 1
        fraction = _FRACTION.match(text, end)
        if fraction is not None:
            self.position = fraction.end()
            self._report(signed, text[signed : self.position], SYNTAX.FRACTION)
            return
        tail = _TAIL.match(text, end)
        if tail is not None:
            self.position = tail.end()
            self._report(signed, text[signed : self.position], SYNTAX.UNQUOTED_NAME)
            return
        # The comparison of lengths spares the conversion of numbers with thousands of digits.
        if (end - start > 25 and len(text[start:end].lstrip("0")) > 20) or not INTEGER_MIN <= int(text[signed:end]) <= INTEGER_MAX:
            self._report(signed, text[signed:end], SYNTAX.INTEGER_RANGE)
            return
        self._add("INTEGER", text[signed:end], signed)

    def _symbol(self, start: int, text: str) -> None:
        if text == "." and self._dot(start):
            return
        if text == "(":
            self.depth += 1
        elif text == ")":
            self.depth -= 1
        elif text == "." or text == ":-":
            self.depth = 0
        if (text == "%" or (text == "-" and self.text.startswith("--", start))) and self._opens_clause():
            self._skip_comment(start, "%" if text == "%" else "--")
            return
        self._add(_SYMBOLS[text], text, start)

    def _dot(self, start: int) -> bool:
        """Handle the dots that do not end a clause: a directive of another dialect, a name with a dot inside."""
        tokens, text = self.tokens, self.text
        if self._opens_clause():
            directive = _DIRECTIVE.match(text, start)
            if directive is not None:
                self.position = directive.end()
                word = directive.group(1)
                instead = {
                    ".input": "`decl edge(From: int, To: int).`: facts are loaded by the name of a relation",
                    ".decl": "`decl edge(From: int, To: int).`",
                    ".output": "`output edge.`",
                    ".include": '`include "file.dl".`',
                }
                self._report(
                    start, directive.group().rstrip(), SYNTAX.DIRECTIVE, text=word, instead=instead.get(word, "rules and facts only")
                )
                self._add("DOT", "", self.position)
                return True
            return False
        last = tokens[-1]
        fraction = _FRACTION.match(text, start)
        if fraction is not None and last.type in ("LPAR", "COMMA", "COMPARE", "ADDITIVE", "MULTIPLICATIVE"):
            self.position = fraction.end()
            self._report(start, fraction.group(), SYNTAX.FRACTION)
            return True
        tail = _DOTTED.match(text, start)
        if self.depth > 0 and tail is not None and last.type in ("NAME", "VARIABLE", "INTEGER") and last.offset + len(last.text) == start:
            tokens.pop()
            self.position = tail.end()
            self._report(last.offset, last.text + tail.group(), SYNTAX.UNQUOTED_NAME)
            return True
        return False

    def _fault(self, kind: str, start: int, text: str) -> None:
        if kind == "OPEN_STRING":
            self._open_string(start, text)
        elif kind == "SLASHES":
            self._skip_comment(start, text[:2])
        elif kind == "FOREIGN":
            quoted = text[0] == "'"
            what, instead = ("a text", f'`"{text[1:-1]}"`') if quoted else ("an operator", _INSTEAD[text])
            self._report(start, text, SYNTAX.FOREIGN_OPERATOR, text=text, what=what, instead=instead)
        else:
            shown = f"`{text}`" if text.isprintable() and not text.isspace() else f"U+{ord(text):04X}"
            self._report(start, text, SYNTAX.UNEXPECTED_CHARACTER, _character_notes(text), text=shown)

    def _open_string(self, start: int, text: str) -> None:
        self._report(start, text.rstrip(), SYNTAX.UNTERMINATED_STRING)
        if text.rstrip().endswith("."):
            # The closing dot was swallowed by the string: end the clause here so that the next one is read.
            self._add("DOT", "", self.position)
            self.depth = 0

    def _skip_comment(self, start: int, mark: str) -> None:
        """Skip a comment of another language; the first one of a source is reported."""
        if mark == "/*":
            close = self.text.find("*/", start + 2)
            end = len(self.text) if close < 0 else close + 2
        else:
            found = _LINE.match(self.text, start)
            end = found.end() if found is not None else start
        if not self.foreign_comment_seen:
            self.foreign_comment_seen = True
            column = start - self.line_start + 1
            self.faults[start] = SYNTAX.FOREIGN_COMMENT.at(Span(self.source, self.line, column, self.line, column + len(mark)), text=mark)
        skipped = self.text[start:end]
        newlines = skipped.count("\n")
        if newlines:
            self.line += newlines
            self.line_start = start + skipped.rindex("\n") + 1
        self.position = end

    def _report(self, start: int, covered: str, code: Code, notes: Sequence[str] = (), **names: str) -> None:
        column = start - self.line_start + 1
        span = Span(self.source, self.line, column, self.line, column + max(1, len(covered)))
        self._add("FAULT", covered, start)
        self.faults[start] = code.at(span, notes=notes, related=(), **({"text": _clip(covered)} | names))


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _character_notes(text: str) -> list[str]:
    if text in "{}":
        return ["braces have no meaning; an aggregate is written `N = count(X : p(X))`"]
    if text in "[]":
        return ["there are no lists: use one row for each member"]
    if text == "'":
        return ['strings are written with `"`']
    if text == "?":
        return ["a question starts with `?-` and ends with `.`"]
    if text.isspace() or not text.isprintable():
        return ["write a plain space, or quote the text that holds it"]
    return ["relations, names and variables are made of ASCII letters, digits and `_`; quote other text"]
