"""Stratified programs with facts, as Hypothesis makes them.

Relations come in layers. A rule of a layer reads lower layers in any way, and its own layer positively; arithmetic in a rule that reads
its own layer stays within a few numbers, so that every program ends.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

__all__ = ["Clause", "Generated", "Shape", "examples", "programs"]

INTEGERS = (0, 1, 2, -1)
NAMES = ("a", "ab", "src/b.py", "Z")

_T = TypeVar("_T")

Value = int | str
Row = tuple[Value, ...]


def examples(share: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the settings of a property: its share of `CE_PROPERTY_EXAMPLES` (default 250) examples, the same ones on every run."""
    count = max(1, round(share * int(os.environ.get("CE_PROPERTY_EXAMPLES", "250"))))
    return settings(
        max_examples=count,
        deadline=None,
        derandomize="CE_PROPERTY_EXAMPLES" not in os.environ,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True)
class Clause:
    """A rule as text: its head and its literals."""

    head: str
    body: tuple[str, ...]

    def __str__(self) -> str:
        if self.head == "?-":
            return f"?- {', '.join(self.body)}."
        return f"{self.head} :- {', '.join(self.body)}." if self.body else f"{self.head}."


@dataclass(frozen=True)
class Generated:
    """A program and its facts."""

    clauses: tuple[Clause, ...]
    facts: dict[str, list[Row]]

    @property
    def text(self) -> str:
        """Return the program, one clause a line."""
        return "\n".join(map(str, self.clauses))

    def shuffled(self, seed: int) -> Generated:
        """Return the same program with clauses, literals and facts in another order."""
        generator = random.Random(seed)

        def anew(items: Sequence[_T]) -> list[_T]:
            return generator.sample(list(items), len(items))

        clauses = tuple(replace(clause, body=tuple(anew(clause.body))) for clause in anew(self.clauses))
        return Generated(clauses, {name: anew(rows) for name, rows in self.facts.items()})


@dataclass(frozen=True)
class Shape:
    """What programs may contain."""

    negation: bool = True
    aggregates: bool = True
    arithmetic: bool = True
    tests: bool = True
    disjunction: bool = True
    query: bool = False


@st.composite
def programs(draw: _Draw, shape: Shape = Shape()) -> Generated:  # a frozen value
    """Return a program that passes the checks and ends."""
    return _Maker(draw, shape).make()


class _Draw(Protocol):
    def __call__(self, strategy: st.SearchStrategy[_T]) -> _T: ...


@dataclass(frozen=True)
class _Relation:
    name: str
    sorts: tuple[str, ...]


@dataclass
class _Body:
    """The literals of a rule so far, and the variables that they bind, by sort."""

    literals: list[str] = field(default_factory=list)
    bound: dict[str, list[str]] = field(default_factory=lambda: {"int": [], "sym": []})

    def bind(self, sort: str, variable: str) -> None:
        if variable not in self.bound[sort]:
            self.bound[sort].append(variable)


_ARITIES = (2, 1, 2, 2, 2, 1, 1, 3, 2, 1, 3, 0, 4, 6)


class _Maker:
    def __init__(self, draw: _Draw, shape: Shape) -> None:
        self._draw = draw
        self._shape = shape
        self._fresh = 0

    def make(self) -> Generated:
        lower = [self._relation(f"e{number}") for number in range(self._count(2, 3))]
        facts: dict[str, list[Row]] = {}
        for relation in lower:
            rows = {tuple(self._pick(_values(sort)) for sort in relation.sorts) for _ in range(self._count(1, 9))}
            facts[relation.name] = sorted(rows, key=repr)
        clauses: list[Clause] = []
        for layer in range(self._count(1, 3)):
            own = [self._relation(f"p{layer}{letter}") for letter in "ab"[: self._count(1, 2)]]
            for relation in own:
                if self._chance(0.15):
                    clauses.append(Clause(_atom(relation, list(map(self._constant, relation.sorts))), ()))
                clauses.append(self._rule(relation, lower, []))
                clauses += [self._rule(relation, lower, own) for _ in range(self._count(0, 2))]
            lower = [*lower, *own]
        if self._shape.query:
            body = self._body(lower, [])
            clauses.append(Clause("?-", tuple(body.literals)))
        return Generated(tuple(clauses), facts)

    def _relation(self, name: str) -> _Relation:
        return _Relation(name, tuple(self._pick(("int", "sym")) for _ in range(self._pick(_ARITIES))))

    def _rule(self, head: _Relation, lower: Sequence[_Relation], own: Sequence[_Relation]) -> Clause:
        body = self._body(lower, own if self._chance(0.6) else [])
        args = [self._pick(body.bound[sort]) if body.bound[sort] and self._chance(0.85) else self._constant(sort) for sort in head.sorts]
        return Clause(_atom(head, args), tuple(body.literals))

    def _body(self, lower: Sequence[_Relation], own: Sequence[_Relation]) -> _Body:
        body = _Body()
        recursive = bool(own)
        atoms = [self._pick(own)] if own else []
        atoms += [self._pick([*lower, *own]) for _ in range(self._count(0 if own else 1, 2))]
        for relation in atoms:
            args = [self._argument(sort, body, binding=True) for sort in relation.sorts]
            body.literals.append(_atom(relation, args))
        if self._shape.arithmetic and body.bound["int"] and self._chance(0.25):
            self._assignment(body, recursive)
        if self._shape.aggregates and self._chance(0.2):
            self._aggregate(body, lower, recursive)
        if self._chance(0.2):
            self._comparison(body)
        if self._shape.disjunction and self._chance(0.1):
            first, second = self._guard(body, lower), self._guard(body, lower)
            body.literals.append(f"({first} ; {second})")
        if self._shape.negation and self._chance(0.25):
            self._negation(body, lower)
        if self._shape.tests and body.bound["sym"] and self._chance(0.1):
            test = self._pick(("starts_with", "ends_with", "has_substring", "glob", "matches"))
            pattern = self._pick(("*", "a*", "**/*.py", "?") if test == "glob" else ("a", "b", "", "py"))
            negated = "not " if self._shape.negation and self._chance(0.3) else ""
            body.literals.append(f"{negated}{test}({self._pick(body.bound['sym'])}, {_text(pattern)})")
        return body

    def _argument(self, sort: str, body: _Body, *, binding: bool) -> str:
        """Return a variable, a constant or a wildcard; a new variable only where the position binds it."""
        if self._chance(0.05):
            return self._constant(sort)
        if self._chance(0.1):
            return "_"
        if binding:
            variable = f"{sort[0].upper()}{self._count(1, 3)}"
            body.bind(sort, variable)
            return variable
        return self._pick(body.bound[sort]) if body.bound[sort] else self._pick((self._constant(sort), "_"))

    def _guard(self, body: _Body, lower: Sequence[_Relation]) -> str:
        """Return an atom that binds nothing."""
        relation = self._pick(lower)
        return _atom(relation, [self._argument(sort, body, binding=False) for sort in relation.sorts])

    def _negation(self, body: _Body, lower: Sequence[_Relation]) -> None:
        if self._chance(0.6):
            body.literals.append(f"not {self._guard(body, lower)}")
            return
        inside = _Body([], {sort: list(variables) for sort, variables in body.bound.items()})
        for _ in range(self._count(1, 2)):
            relation = self._pick(lower)
            args = [self._local(sort, inside) for sort in relation.sorts]
            inside.literals.append(_atom(relation, args))
        body.literals.append(f"not ({', '.join(inside.literals)})")

    def _local(self, sort: str, inside: _Body) -> str:
        if self._chance(0.5):
            return self._argument(sort, inside, binding=False)
        variable = f"L{sort}{self._count(1, 2)}"
        inside.bind(sort, variable)
        return variable

    def _assignment(self, body: _Body, recursive: bool) -> None:
        self._fresh += 1
        left = self._pick(body.bound["int"])
        right = self._pick((*body.bound["int"], "1", "2", "0", "-2"))
        expression = f"{left} {self._pick('+-*/%')} {right}"
        variable = f"A{self._fresh}"
        body.literals.append(f"{variable} = ({expression}) % 3" if recursive else f"{variable} = {expression}")
        body.bind("int", variable)

    def _aggregate(self, body: _Body, lower: Sequence[_Relation], recursive: bool) -> None:
        """Append an aggregate over a lower relation, its groups being variables that are bound outside."""
        self._fresh += 1
        relation = self._pick(lower)
        inside = _Body([], {sort: list(variables) for sort, variables in body.bound.items()})
        local: dict[str, list[str]] = {"int": [], "sym": []}
        args = []
        for sort in relation.sorts:
            if self._chance(0.6):
                variable = f"G{self._fresh}{sort}{self._count(1, 2)}"
                local[sort].append(variable)
                args.append(variable)
            else:
                args.append(self._argument(sort, inside, binding=False))
        literals = [_atom(relation, args)]
        if local["int"] and self._chance(0.3):
            literals.append(f"{local['int'][0]} {self._pick(('>', '<', '!='))} {self._constant('int')}")
        if self._shape.negation and self._chance(0.2):
            other = self._pick(lower)
            literals.append("not " + _atom(other, [self._pick((*local[sort], "_")) for sort in other.sorts]))
        variables = [*local["int"], *local["sym"]]
        if not variables:
            return
        function = self._pick(("count", "min", "max", "sum")) if local["int"] else "count"
        if not local["int"]:
            variables = local["sym"]
        result = f"N{self._fresh}"
        body.literals.append(f"{result} = {function}({', '.join(dict.fromkeys(variables))} : {', '.join(literals)})")
        if recursive:
            body.literals.append(f"{result} < 20")
        body.bind("int", result)

    def _comparison(self, body: _Body) -> None:
        sorts = [sort for sort in ("int", "sym") if body.bound[sort]]
        if not sorts:
            return
        sort = self._pick(sorts)
        left = self._pick(body.bound[sort])
        right = self._pick((*body.bound[sort], self._constant(sort)))
        if sort == "int" and self._shape.arithmetic and self._chance(0.3):
            right = f"{right} {self._pick('+-*/%')} {self._pick(body.bound['int'])}"
        body.literals.append(f"{left} {self._pick(('=', '!=', '<', '<=', '>', '>='))} {right}")

    def _constant(self, sort: str) -> str:
        value = self._pick(_values(sort))
        return str(value) if isinstance(value, int) else _text(value)

    def _pick(self, items: Sequence[_T]) -> _T:
        return items[self._count(0, len(items) - 1)]

    def _chance(self, share: float) -> bool:
        return self._count(0, 99) < share * 100

    def _count(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))


def _values(sort: str) -> tuple[Value, ...]:
    return INTEGERS if sort == "int" else NAMES


def _atom(relation: _Relation, args: Sequence[str]) -> str:
    return f"{relation.name}({', '.join(args)})"


def _text(value: str) -> str:
    return f'"{value}"'
