"""The canonical layout of a program's text, tokens and comments kept.

Only white space changes: the tokens of the result are those of the text, so it means the same. Each literal stands on a line of its own;
only questions, groups inside a body, and a rule of one literal that was on one line share a line while they fit. Comments stay
with the literal or the clause they stand at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ce.datalog.lexer import Lexed, Token

__all__ = ["WIDTH", "layout", "one_line"]

WIDTH = 100
_INDENT = "    "
_SEPARATORS = ("COMMA", "SEMICOLON")


def layout(lexed: Lexed) -> str:
    """Return the canonical text of sound tokens (each clause closed by its dot) and their comments."""
    notes = _Notes(lexed)
    lines: list[str] = []
    previous = 0
    start = 0
    for end, token in enumerate(lexed.tokens):
        if token.type == "DOT":
            previous = _put_comments(lines, notes.own_lines(start), previous)
            clause = _ClauseReader(lexed.tokens, start, notes).read()
            _put(lines, clause, is_apart=lexed.tokens[start].line > previous + 1)
            previous = token.line
            start = end + 1
    _put_comments(lines, notes.own_lines(start), previous)
    return "".join(f"{line}\n" for line in lines)


def one_line(tokens: Sequence[Token]) -> str:
    """Return the tokens on one line with canonical spaces between them."""
    parts: list[str] = []
    for place, token in enumerate(tokens):
        if place and _is_spaced(tokens, place):
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def _is_spaced(tokens: Sequence[Token], place: int) -> bool:
    before, after = tokens[place - 1].type, tokens[place].type
    if before in ("LPAR", "AT") or after in ("COMMA", "RPAR", "DOT"):
        return False
    if after == "LPAR":
        return before not in ("PREDICATE", "AGGREGATE")
    return not (after == "COLON" and tokens[0].type == "DECL")


def _put(lines: list[str], new: Iterable[str], *, is_apart: bool) -> None:
    """Append lines, after one empty line where the text had any."""
    if lines and is_apart:
        lines.append("")
    lines.extend(new)


def _put_comments(lines: list[str], comments: Iterable[tuple[int, str]], previous: int) -> int:
    for line, text in comments:
        _put(lines, [text], is_apart=line > previous + 1)
        previous = line
    return previous


class _Notes:
    """The comments of a text by the tokens around them: at most one ends the line of a token, the others have their own lines."""

    def __init__(self, lexed: Lexed) -> None:
        self._beside: dict[int, str] = {}
        self._above: dict[int, list[tuple[int, str]]] = {}
        place = 0
        for comment in lexed.comments:
            while place < len(lexed.tokens) and lexed.tokens[place].offset < comment.offset:
                place += 1
            if comment.own_line:
                self._above.setdefault(place, []).append((comment.line, comment.text))
            else:
                self._beside[place - 1] = comment.text

    def own_lines(self, place: int) -> list[tuple[int, str]]:
        """Return the comments between a token and the one before it, with their lines."""
        return self._above.get(place, [])

    def above(self, start: int, end: int) -> list[str]:
        """Return the texts of the comments before the tokens of a range that stand on their own lines."""
        return [text for place in range(start, end) for _, text in self._above.get(place, ())]

    def beside(self, start: int, end: int) -> list[str]:
        """Return the texts of the comments that end the lines of the tokens of a range."""
        return [self._beside[place] for place in range(start, end) if place in self._beside]


@dataclass(slots=True)
class _Item:
    """One literal with its separator: `opening` holds all its tokens, or those before the body of its own that `items` are."""

    above: list[str]
    opening: list[Token]
    items: list[_Item] = field(default_factory=list)
    closing: list[Token] = field(default_factory=list)
    after_opening: list[str] = field(default_factory=list)
    margin: list[str] = field(default_factory=list)

    def note(self, texts: Iterable[str]) -> None:
        """Attach comments that end a line: the first in the margin, more of them above."""
        for text in texts:
            (self.above if self.margin else self.margin).append(text)

    def tokens(self) -> list[Token]:
        return [*self.opening, *(token for item in self.items for token in item.tokens()), *self.closing]

    def is_broken(self) -> bool:
        """Tell whether comments inside forbid one line."""
        return bool(self.after_opening) or any(item.above or item.margin or item.is_broken() for item in self.items)

    def lines(self, indent: str) -> list[str]:
        found = [f"{indent}{text}" for text in self.above]
        flat = indent + one_line(self.tokens())
        if not self.items or (len(flat) <= WIDTH and not self.is_broken()):
            return [*found, flat + _margin(self.margin)]
        found.append(indent + one_line(self.opening) + _margin(self.after_opening))
        for item in self.items:
            found += item.lines(indent + _INDENT)
        found.append(indent + one_line(self.closing) + _margin(self.margin))
        return found


def _margin(comments: Sequence[str]) -> str:
    return f"  {comments[0]}" if comments else ""


class _ClauseReader:
    """Reads the tokens of one clause into lines."""

    def __init__(self, tokens: Sequence[Token], start: int, notes: _Notes) -> None:
        self.tokens, self.place, self.notes = tokens, start, notes

    def read(self) -> list[str]:
        start = self.place
        annotations = []
        while self.tokens[self.place].type == "AT":
            annotations.append(one_line(self._until("RPAR")))
        head = self._until("IF", "ASK", "DOT")
        # Comments inside the head go above the clause; those above its first token are there already.
        above = self.notes.above(start + 1, self.place) + self.notes.beside(start, self.place - 1)
        beside = self.notes.beside(self.place - 1, self.place)
        if head[-1].type == "DOT":
            return [*above, *annotations, one_line(head) + _margin(beside)]
        items = self._items("DOT")
        self._close(items[-1])
        return [*above, *annotations, *_body_lines(head, beside, items)]

    def _until(self, *kinds: str) -> list[Token]:
        start = self.place
        while self.tokens[self.place].type not in kinds:
            self.place += 1
        self.place += 1
        return list(self.tokens[start : self.place])

    def _items(self, end: str) -> list[_Item]:
        """Read the literals up to the token that ends their body, separators included."""
        items: list[_Item] = []
        while self.tokens[self.place].type != end:
            items.append(self._item())
            if self.tokens[self.place].type in _SEPARATORS:
                self._close(items[-1])
        return items

    def _item(self) -> _Item:
        start = self.place
        opening = self._opening_length()
        if not opening:
            depth = 0
            while depth or self.tokens[self.place].type not in (*_SEPARATORS, "RPAR", "DOT"):
                depth += {"LPAR": 1, "RPAR": -1}.get(self.tokens[self.place].type, 0)
                self.place += 1
            # Arguments stay on one line, so the comments between them go above.
            above = self.notes.above(start, self.place) + self.notes.beside(start, self.place - 1)
            item = _Item(above, list(self.tokens[start : self.place]))
            item.note(self.notes.beside(self.place - 1, self.place))
            return item
        self.place += opening
        above = self.notes.above(start, self.place) + self.notes.beside(start, self.place - 1)
        item = _Item(above, list(self.tokens[start : self.place]))
        item.after_opening = self.notes.beside(self.place - 1, self.place)
        item.items = self._items("RPAR")
        item.items[-1].above += self.notes.above(self.place, self.place + 1)
        item.closing = [self.tokens[self.place]]
        item.note(self.notes.beside(self.place, self.place + 1))
        self.place += 1
        return item

    def _close(self, item: _Item) -> None:
        """Give an item the separator or the dot that follows it."""
        (item.closing if item.items else item.opening).append(self.tokens[self.place])
        item.above += self.notes.above(self.place, self.place + 1)
        item.note(self.notes.beside(self.place, self.place + 1))
        self.place += 1

    def _opening_length(self) -> int:
        """Return how many tokens open a group here, as in `not (`, `(` or `N = count(X :`; 0 before a plain literal."""
        kinds = [token.type for token in self.tokens[self.place : self.place + 4]]
        if kinds[:2] == ["NOT", "LPAR"]:
            return 2
        if kinds[0] == "LPAR":
            after = self.tokens[_matching(self.tokens, self.place) + 1].type
            return 1 if after in (*_SEPARATORS, "DOT", "RPAR") else 0
        if kinds == ["VARIABLE", "COMPARE", "AGGREGATE", "LPAR"]:
            end = self.place
            while self.tokens[end].type != "COLON":
                end += 1
            return end + 1 - self.place
        return 0


def _body_lines(head: Sequence[Token], beside: Sequence[str], items: Sequence[_Item]) -> list[str]:
    flat = one_line([*head, *(token for item in items for token in item.tokens())])
    is_broken = bool(beside) or any(item.above or item.is_broken() for item in items) or any(item.margin for item in items[:-1])
    was_flat = len(items) == 1 and head[0].line == items[0].tokens()[-1].line
    if not is_broken and len(flat) <= WIDTH and (head[0].type == "ASK" or was_flat):
        return [flat + _margin(items[-1].margin)]
    return [one_line(head) + _margin(beside), *(line for item in items for line in item.lines(_INDENT))]


def _matching(tokens: Sequence[Token], place: int) -> int:
    depth = 0
    for index in range(place, len(tokens)):
        depth += {"LPAR": 1, "RPAR": -1}.get(tokens[index].type, 0)
        if depth == 0:
            return index
    raise AssertionError("sound tokens have their parentheses in pairs")
