"""From the neutral program form of the benchmarks to CE Datalog text, rule by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Translated", "translate"]

_TOKEN = re.compile(
    r'\s+|//[^\n]*|(?P<text>"[^"]*")|(?P<number>-?\d+)|(?P<directive>\.(?:decl|input|output)\b)'
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>:-|!=|<=|>=|[=<>!(),.:{}])"
)
_AGGREGATES = ("count", "max", "min", "sum")


@dataclass(frozen=True, slots=True)
class Translated:
    """A program as CE Datalog text; the sorts of its inputs and the names of its outputs."""

    text: str
    inputs: dict[str, tuple[str, ...]]
    outputs: tuple[str, ...]


def translate(neutral: str) -> Translated:
    """Return the program in CE Datalog."""
    return _Translator(neutral).program()


class _Translator:
    def __init__(self, text: str) -> None:
        self._tokens = [(match.lastgroup, match.group()) for match in _TOKEN.finditer(text) if match.lastgroup]
        self._at = 0
        self._fresh = 0

    def program(self) -> Translated:
        declared: dict[str, list[tuple[str, str]]] = {}
        inputs: list[str] = []
        outputs: list[str] = []
        rules: list[str] = []
        while self._at < len(self._tokens):
            kind, value = self._tokens[self._at]
            if kind != "directive":
                rules.append(self._rule())
                continue
            self._at += 1
            name = self._take()
            if value == ".decl":
                declared[name] = self._columns()
            else:
                (inputs if value == ".input" else outputs).append(name)
        lines = [
            f"decl {name}({', '.join(f'{column.capitalize()}: {sort}' for column, sort in columns)})." for name, columns in declared.items()
        ]
        lines += rules + [f"output {name}." for name in outputs]
        sorts = {name: tuple(sort for _, sort in declared[name]) for name in inputs}
        return Translated("\n".join(lines) + "\n", sorts, tuple(outputs))

    def _columns(self) -> list[tuple[str, str]]:
        columns = []
        self._take("(")
        while True:
            column = self._take()
            self._take(":")
            columns.append((column, "int" if self._take() == "number" else "sym"))
            if self._take() == ")":
                return columns

    def _rule(self) -> str:
        head = self._atom()
        body: list[str] = []
        while self._take() != ".":
            body.append(self._literal())
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _literal(self) -> str:
        if self._peek() == "!":
            self._at += 1
            return f"not {self._atom()}"
        if self._tokens[self._at + 1][1] == "(":
            return self._atom()
        left, operator = self._term(), self._take()
        if operator == "=" and self._peek() in _AGGREGATES:
            return self._aggregate(left)
        return f"{left} {operator} {self._term()}"

    def _aggregate(self, result: str) -> str:
        """Translate `n = count : { atom }`: rows are counted, so its wildcards become variables."""
        function = self._take()
        target = None if self._peek() == ":" else self._term()
        self._take(":")
        self._take("{")
        wildcards: list[str] = []
        atom = self._atom(wildcards if function == "count" else None)
        self._take("}")
        return f"{result} = {function}({', '.join(wildcards) if target is None else target} : {atom})"

    def _atom(self, wildcards: list[str] | None = None) -> str:
        name = self._take()
        self._take("(")
        terms = []
        while True:
            term = self._term()
            if term == "_" and wildcards is not None:
                self._fresh += 1
                term = f"Any{self._fresh}"
                wildcards.append(term)
            terms.append(term)
            if self._take() == ")":
                return f"{name}({', '.join(terms)})"

    def _term(self) -> str:
        kind, value = self._tokens[self._at]
        self._at += 1
        return value[0].upper() + value[1:] if kind == "name" and value != "_" else value

    def _peek(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, wanted: str | None = None) -> str:
        value = self._tokens[self._at][1]
        assert wanted is None or value == wanted, f"expected {wanted}, found {value}"
        self._at += 1
        return value
