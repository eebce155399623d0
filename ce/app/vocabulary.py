"""What a program can name: relations with their columns, sorts and meanings, and what fits at a place of a text.

Editors and the interactive question both ask here; nothing in this module reads a tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.lexer import DIRECTIVES, tokenize
from ce.datalog.syntax import Assertion, Constant, Declaration, Expression, Rule, Variable
from ce.facts.schema import RELATIONS, VOCABULARIES

if TYPE_CHECKING:
    from ce.datalog.checked import RelationType
    from ce.datalog.syntax import Program
    from ce.diagnostics import Span

__all__ = ["ANNOTATIONS", "Column", "Completion", "Known", "completions", "known_relations"]

ANNOTATIONS = {"severity": "error, warning or note", "message": 'text with {Columns}: "{F} imports {G}"', "doc": "what the rule is for"}

_TESTS = {
    "starts_with": "the text S begins with T",
    "ends_with": "the text S ends with T",
    "has_substring": "the text S holds T",
    "glob": "the text S matches the glob T",
    "matches": "a part of the text S matches the regular expression T",
}
_WORD = re.compile(r"[A-Za-z0-9_]*\Z")
_KEYWORDS = {
    "not": "no row matches",
    "count": "the number of different rows: N = count(X : body)",
    "min": "the least value: N = min(X : body)",
    "max": "the greatest value: N = max(X : body)",
    "sum": "the sum over different rows: N = sum(X, Key : body)",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its sort (empty when not known) and, in a closed vocabulary, the words that may stand there."""

    name: str
    sort: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A relation or test that a program may use. `origin` says where it comes from; `at` is its first clause, None for facts."""

    name: str
    columns: tuple[Column, ...]
    meaning: str
    origin: str
    at: Span | None = None

    @property
    def signature(self) -> str:
        """Return `name(Column: sort, …)`."""
        return f"{self.name}({', '.join(f'{each.name}: {each.sort}' if each.sort else each.name for each in self.columns)})"


@dataclass(frozen=True, slots=True)
class Completion:
    """One text that may stand at a place, with what it is: `relation`, `word`, `variable`, `path`, `keyword` or `annotation`."""

    text: str
    kind: str
    detail: str = ""


def known_relations(program: Program, sorts: Mapping[str, RelationType] | None = None) -> dict[str, Known]:
    """Return everything that the program may name: the facts, the tests, and what its own clauses define; `sorts` if it was checked."""
    found = {relation.name: _of_schema(relation.columns, relation.name, relation.meaning) for relation in RELATIONS}
    found |= {name: Known(name, (Column("S", "sym"), Column("T", "sym")), _TESTS[name], "test") for name in BUILTIN_TESTS}
    found["in"] = Known("in", (Column("F", "node"), Column("Glob", "sym")), 'the file matches the glob: in(F, "src/**")', "test")
    for clause in program.clauses:
        if isinstance(clause, Declaration) and clause.predicate not in found:
            columns = tuple(Column(name, sort) for name, sort in clause.columns)
            found[clause.predicate] = Known(
                clause.predicate, columns, _comment_above(program, clause.span), clause.span.source, clause.span
            )
        elif isinstance(clause, Rule) and not isinstance(clause, Assertion) and clause.head.predicate not in found:
            name = clause.head.predicate
            types = sorts[name].sorts if sorts and name in sorts else ()
            columns = tuple(_column(at, argument, types) for at, argument in enumerate(clause.head.args))
            found[name] = Known(name, columns, _comment_above(program, clause.span), clause.span.source, clause.head.span)
    return found


def completions(before: str, known: Mapping[str, Known], paths: Callable[[], Sequence[str]] = tuple) -> tuple[int, list[Completion]]:
    """Return where the text that is being typed at the end of `before` starts, and what may stand there, best first.

    Inside quotes these are `paths`; in a column of a closed vocabulary its words; then variables of the clause, relations and keywords.
    """
    line = before.rpartition("\n")[2]
    code, comment = _open_string_or_comment(line)
    if comment:
        return len(before), []
    if code is not None:
        start = len(before) - len(code)
        return start, _unique([Completion(path, "path") for path in _paths(paths()) if path.startswith(code)])
    match = _WORD.search(before)
    assert match is not None
    typed, start = match.group(), match.start()
    if before[:start].endswith("@"):
        return start, [Completion(name, "annotation", detail) for name, detail in ANNOTATIONS.items() if name.startswith(typed)]
    offered = [*_in_column(before[:start], known), *_everywhere(before[:start], known)]
    return start, _unique(each for each in offered if each.text.startswith(typed))


def _of_schema(columns: Iterable[tuple[str, str, str]], name: str, meaning: str) -> Known:
    shown = tuple(Column(column, sort, VOCABULARIES[words] if words else ()) for column, sort, words in columns)
    return Known(name, shown, meaning, "facts")


def _column(at: int, argument: Expression, sorts: Sequence[str]) -> Column:
    sort = sorts[at] if at < len(sorts) and sorts[at] != "open" else ""
    if isinstance(argument, Variable):
        return Column(argument.name, sort)
    return Column(f"Arg{at + 1}" if not isinstance(argument, Constant) else str(argument.value), sort)


def _comment_above(program: Program, span: Span) -> str:
    """Return the comment lines directly above a clause, joined."""
    rows = program.sources.get(span.source, "").split("\n")
    found: list[str] = []
    for row in reversed(rows[: span.line - 1]):
        text = row.strip()
        if text.startswith("#"):
            found.append(text.lstrip("# "))
        elif not text.startswith("@"):
            break
    return " ".join(reversed(found))


def _open_string_or_comment(line: str) -> tuple[str | None, bool]:
    """Return the text of a string that the line leaves open, None when there is none, and whether the line ends in a comment."""
    opened: int | None = None
    for at, character in enumerate(line):
        if character == '"':
            opened = at if opened is None else None
        elif character == "#" and opened is None:
            return None, True
    return (None if opened is None else line[opened + 1 :]), False


def _paths(paths: Sequence[str]) -> Iterator[str]:
    """Yield every path, and for every directory the glob of what is below it."""
    directories: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")
        for length in range(1, len(parts)):
            directories.setdefault("/".join(parts[:length]) + "/**")
    yield from sorted([*directories, *paths])


def _in_column(before: str, known: Mapping[str, Known]) -> Iterator[Completion]:
    """Yield the words of the column that the place is in."""
    depth, at = 0, 0
    tokens = tokenize("", before).tokens
    for number in range(len(tokens) - 1, 0, -1):
        kind = tokens[number].type
        if kind == "DOT":
            return
        depth += (kind == "RPAR") - (kind == "LPAR")
        at += kind == "COMMA" and depth == 0
        if depth < 0:
            relation = known.get(tokens[number - 1].text) if tokens[number - 1].type == "PREDICATE" else None
            if relation is not None and at < len(relation.columns):
                column = relation.columns[at]
                yield from (Completion(word, "word", f"{column.name} of {relation.name}") for word in column.words)
            return


def _everywhere(before: str, known: Mapping[str, Known]) -> Iterator[Completion]:
    tokens = tokenize("", before).tokens
    last = max((number for number, token in enumerate(tokens) if token.type == "DOT"), default=-1)
    yield from (Completion(token.text, "variable") for token in tokens[last + 1 :] if token.type == "VARIABLE")
    yield from (
        Completion(each.name, "relation", f"{each.signature}  {each.meaning}") for each in sorted(known.values(), key=lambda k: k.name)
    )
    yield from (Completion(word, "keyword", detail) for word, detail in _KEYWORDS.items())
    if last == len(tokens) - 1:
        yield from (Completion(word, "keyword") for word in ("assert", *DIRECTIVES) if word not in _KEYWORDS)


def _unique(offered: Iterable[Completion]) -> list[Completion]:
    found: dict[str, Completion] = {}
    for each in offered:
        found.setdefault(each.text, each)
    return list(found.values())
