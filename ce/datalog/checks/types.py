"""Sorts: every variable and every column holds values of one sort, found by union-find over the whole program.

A column of the schema, a declaration or loaded facts has its sort; a number is `int`; a text takes the sort of its place
(`node`, `dir`, `unit` or `sym`). What nothing constrains is `open`, and `sym` where only texts stand. A fault shows both
places, and blames the comparison that brings the sorts together when there is one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule
from ce.datalog.checks.signatures import Signatures
from ce.datalog.codes import CHECKS
from ce.datalog.excerpt import shown
from ce.datalog.format import unparse_expression
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Expression, Variable, Wildcard
from ce.datalog.traverse import core_body
from ce.diagnostics import Diagnostic, Related, Span

__all__ = ["SortCheck", "check_types"]

# A variable of a scope of a rule, a column of a predicate, or one occurrence of an expression.
_Key = tuple[str, str, int]
_TEXT = "text"
# Each round finds a clash in every class; whoever has more mistakes than this in one class sees the rest after mending these.
_MAX_ROUNDS = 30
_ARTICLE = {
    "int": "an int", "sym": "a name", _TEXT: "a text", "node": "a node", "dir": "a directory", "unit": "a unit", "symbol": "a symbol",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A key has a sort: said at `span` in a clause, or outside all rules, by the schema or a declaration."""

    key: _Key
    sort: str
    span: Span | None
    what: str
    clause: int
    declared: Span | None = None
    is_constant: bool = False
    signature: str = ""


@dataclass(frozen=True, slots=True)
class _Link:
    left: _Key
    right: _Key
    span: Span
    clause: int
    comparison: Comparison | None


@dataclass(slots=True)
class SortCheck:
    """The sorts of the columns of every predicate of the rules, and the faults with their clauses."""

    sorts: dict[str, tuple[str, ...]]
    faults: list[tuple[int, Diagnostic]]


def check_types(rules: Sequence[CoreRule], signatures: Signatures, sources: Mapping[str, str]) -> SortCheck:
    """Return the sort of every column that the rules mention, and a diagnostic for every clause that brings two sorts together.

    A clause that is blamed is left out, and what the others say is looked at again, so that each mistake is reported once.
    """
    faults: list[tuple[int, Diagnostic]] = []
    blamed: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        collector = _Collector(signatures)
        for number, rule in enumerate(rules):
            if rule.clause not in blamed:
                collector.rule(number, rule)
        solved = _solve(collector, sources)
        faults += solved.faults
        blamed |= {clause for clause, _ in solved.faults}
        if not solved.faults:
            break
    return SortCheck(solved.sorts, faults)


class _Collector:
    """Collects the evidence and the links that the rules give."""

    def __init__(self, signatures: Signatures) -> None:
        self.signatures = signatures
        self.evidence: list[_Evidence] = []
        self.links: list[_Link] = []
        self.arities: dict[str, int] = {}
        self.clause = self.counter = 0

    def rule(self, number: int, rule: CoreRule) -> None:
        self.clause = rule.clause
        scope: dict[str, _Key] = {}
        prefix = str(number)
        self._atom(rule.head, scope, prefix)
        self._body(rule.body, scope, prefix)

    def _body(self, body: Iterable[CoreLiteral], scope: dict[str, _Key], prefix: str) -> None:
        for literal in body:
            if isinstance(literal, Atom):
                self._atom(literal, scope, prefix)
            elif isinstance(literal, Comparison):
                self._comparison(literal, scope, prefix)
            else:
                self._aggregate(literal, scope, prefix)

    def _atom(self, atom: Atom, scope: dict[str, _Key], prefix: str) -> None:
        if atom.predicate in BUILTIN_TESTS:
            for argument in atom.args:
                key = self._expression(argument, scope, prefix)
                if key is not None:
                    self._know(key, _TEXT, argument.span, f"{_named(argument)} is {{}} in `{atom.predicate}`")
            return
        if atom.predicate not in self.arities:
            self.arities[atom.predicate] = atom.arity
            self._columns(atom.predicate)
        for place, argument in enumerate(atom.args):
            column = ("column", atom.predicate, place)
            if isinstance(argument, Constant):
                self._constant(column, argument)
                continue
            key = self._expression(argument, scope, prefix)
            if key is not None:
                self.links.append(_Link(key, column, argument.span, self.clause, None))

    def _columns(self, predicate: str) -> None:
        signatures = self.signatures
        relation = signatures.schema.get(predicate)
        declaration = signatures.declared.get(predicate)
        known = relation.sorts if relation else signatures.facts.get(predicate)
        clause = self.clause
        columns = relation.columns if relation else ("_",) * len(known or ())
        signature = f"{predicate}({', '.join(f'{column}: {sort}' for column, sort in zip(columns, known or (), strict=True))})"
        for place, sort in enumerate(known or ()):
            if sort != "open":
                name = f"`{relation.columns[place]}`" if relation else f"column {place + 1}"
                what = f"{name} of `{predicate}` is {{}}"
                self.evidence.append(_Evidence(("column", predicate, place), sort, None, what, clause, signature=signature))
        if declaration is not None and relation is None:
            for place, (column, sort) in enumerate(declaration.columns):
                what = f"`{column}` of `{predicate}` is declared {{}}"
                self.evidence.append(_Evidence(("column", predicate, place), sort, None, what, clause, declaration.span))

    def _comparison(self, comparison: Comparison, scope: dict[str, _Key], prefix: str) -> None:
        left = self._expression(comparison.left, scope, prefix)
        right = self._expression(comparison.right, scope, prefix)
        if left is not None and right is not None:
            # An equation of a fresh variable is the arithmetic of an argument, nothing that the text compares.
            is_argument = isinstance(comparison.left, Variable) and comparison.left.name.startswith("_")
            self.links.append(_Link(left, right, comparison.span, self.clause, None if is_argument else comparison))

    def _aggregate(self, aggregate: Aggregate, scope: dict[str, _Key], prefix: str) -> None:
        self.counter += 1
        inner = {name: self._variable(name, scope, prefix) for name in aggregate.groups}
        inner_prefix = f"{prefix}/{self.counter}"
        result = self._variable(aggregate.result.name, scope, prefix)
        self._know(result, "int", aggregate.result.span, f"`{aggregate.result.name}` is {{}} as the result of `{aggregate.function}`")
        if aggregate.function != "count":
            first = aggregate.variables[0]
            self._know(
                self._variable(first.name, inner, inner_prefix), "int", first.span, f"`{first.name}` is {{}} in `{aggregate.function}`"
            )
        self._body(core_body(aggregate), inner, inner_prefix)

    def _expression(self, expression: Expression, scope: dict[str, _Key], prefix: str) -> _Key | None:
        if isinstance(expression, Variable):
            return self._variable(expression.name, scope, prefix)
        if isinstance(expression, Wildcard):
            return None
        self.counter += 1
        key = ("value", prefix, self.counter)
        if isinstance(expression, Constant):
            self._constant(key, expression)
            return key
        self._know(key, "int", expression.span, f"{_named(expression)} is {{}}")
        for side in (expression.left, expression.right):
            operand = self._expression(side, scope, prefix)
            if operand is not None and not isinstance(side, Arithmetic):
                self._know(operand, "int", side.span, f"{_named(side)} is {{}} as an operand of `{expression.operator}`")
        return key

    def _constant(self, key: _Key, constant: Constant) -> None:
        sort = "int" if isinstance(constant.value, int) else _TEXT
        self.evidence.append(_Evidence(key, sort, constant.span, f"{_named(constant)} is {{}}", self.clause, is_constant=True))

    def _variable(self, name: str, scope: dict[str, _Key], prefix: str) -> _Key:
        key = scope.get(name)
        if key is None:
            key = scope[name] = (f"variable {prefix}", name, 0)
        return key

    def _know(self, key: _Key, sort: str, span: Span, what: str) -> None:
        self.evidence.append(_Evidence(key, sort, span, what, self.clause))


def _named(expression: Expression) -> str:
    # The text becomes part of a template, so braces inside constants are doubled.
    return f"`{unparse_expression(expression)}`".replace("{", "{{").replace("}", "}}")


def _solve(collector: _Collector, sources: Mapping[str, str]) -> SortCheck:
    parent: dict[_Key, _Key] = {}

    def find(key: _Key) -> _Key:
        root = key
        while (above := parent.get(root, root)) != root:
            root = above
        while (above := parent.get(key, key)) != root:
            parent[key] = root
            key = above
        return root

    for link in collector.links:
        left, right = find(link.left), find(link.right)
        if left != right:
            parent[left] = right
    classes: dict[_Key, list[_Evidence]] = {}
    for evidence in collector.evidence:
        classes.setdefault(find(evidence.key), []).append(evidence)
    faults: list[tuple[int, Diagnostic]] = []
    resolved: dict[_Key, str] = {}
    for root, known in classes.items():
        resolved[root] = _resolve(known)
        sorts = {evidence.sort for evidence in known}
        if any(_clash(first, second) for first in sorts for second in sorts):
            members = [link for link in collector.links if find(link.left) == root]
            faults.append(_fault(known, members, sources))
    columns = {
        predicate: tuple(resolved.get(find(("column", predicate, place)), "open") for place in range(arity))
        for predicate, arity in collector.arities.items()
    }
    return SortCheck(columns, faults)


def _resolve(known: Sequence[_Evidence]) -> str:
    exact = [evidence.sort for evidence in known if evidence.sort != _TEXT]
    return exact[0] if exact else "sym"


def _clash(first: str, second: str) -> bool:
    return first != second and (_TEXT not in (first, second) or "int" in (first, second))


def _fault(known: Sequence[_Evidence], links: Sequence[_Link], sources: Mapping[str, str]) -> tuple[int, Diagnostic]:
    """Return the diagnostic for a class of several sorts, made from the two pieces of evidence that are nearest to each other."""
    first, second, path = _nearest_clash(known, links)
    comparison = next((link for link in path if link.comparison is not None), None)
    first_place = _Place(first, path[0] if path else None)
    second_place = _Place(second, path[-1] if path else None)
    notes = _conversion(first.sort, second.sort)
    notes += _spelling(first, second)
    if comparison is not None and comparison.comparison is not None:
        literal = comparison.comparison
        if not _starts_left(first.key, path, comparison):
            first, second = second, first
        what = f"`{shown(literal, sources)}` compares {_article(first.sort)} with {_article(second.sort)}"
        related = [place.related for place in (first_place, second_place) if place.related is not None]
        return comparison.clause, CHECKS.SORT.at(literal.span, what=what, related=related, notes=notes)
    blamed, other = sorted((first_place, second_place), key=lambda place: (place.is_said_here, place.order), reverse=True)
    related = [other.related] if other.related is not None and other.related.span != blamed.span else []
    if not related and other.evidence.signature:
        notes = [f"it is `{other.evidence.signature}`", *notes]
    return blamed.clause, CHECKS.SORT.at(blamed.span, what=f"{blamed.text}, but {other.text}", related=related, notes=notes)


def _starts_left(key: _Key, path: Sequence[_Link], comparison: _Link) -> bool:
    """Tell whether the chain from a key reaches the comparison on its left side."""
    for link in path:
        if link is comparison:
            break
        key = link.right if link.left == key else link.left
    return key == comparison.left


def _spelling(first: _Evidence, second: _Evidence) -> list[str]:
    """Return how to write the constant that is of the wrong sort."""
    sorts = {first.sort, second.sort}
    constant = first if first.is_constant else second
    if "int" not in sorts or not constant.is_constant:
        return []
    return ["a text is written in quotes"] if constant.sort == "int" else ["a number is written without quotes"]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a piece of evidence shows in the text: at its own span, or at the link that leads to it."""

    evidence: _Evidence
    link: _Link | None

    @property
    def span(self) -> Span | None:
        return self.evidence.span or (self.link.span if self.link is not None else self.evidence.declared)

    @property
    def related(self) -> Related | None:
        """Return the place as the other half of a clash: a declaration shows itself rather than its use."""
        span = self.evidence.declared or self.span
        return Related(span, self.text) if span is not None else None

    @property
    def is_said_here(self) -> bool:
        """Tell whether the clause at the place says the sort, not the schema behind it."""
        return self.evidence.span is not None

    @property
    def order(self) -> tuple[int, Span]:
        return self.clause, self.span or Span("", 0, 0, 0, 0)

    @property
    def clause(self) -> int:
        return self.link.clause if self.evidence.span is None and self.link is not None else self.evidence.clause

    @property
    def text(self) -> str:
        return self.evidence.what.format(_article(self.evidence.sort))


def _article(sort: str) -> str:
    return _ARTICLE.get(sort, f"of sort `{sort}`")


def _nearest_clash(known: Sequence[_Evidence], links: Sequence[_Link]) -> tuple[_Evidence, _Evidence, list[_Link]]:
    """Return two pieces of evidence that cannot both hold with the chain of links between them, the shortest there is."""
    around: dict[_Key, list[tuple[_Key, _Link]]] = {}
    for link in links:
        around.setdefault(link.left, []).append((link.right, link))
        around.setdefault(link.right, []).append((link.left, link))
    ordered = sorted(known, key=lambda evidence: (evidence.clause, evidence.span or Span("", 0, 0, 0, 0), evidence.what))
    best: tuple[_Evidence, _Evidence, list[_Link]] | None = None
    sorts = sorted({evidence.sort for evidence in known})
    for sort in sorts:
        found = _search(sort, ordered, around)
        if found is not None and (best is None or len(found[2]) < len(best[2])):
            best = found
    assert best is not None, "a class of clashing sorts is connected"
    return best


def _search(
    sort: str, ordered: Sequence[_Evidence], around: Mapping[_Key, Sequence[tuple[_Key, _Link]]]
) -> tuple[_Evidence, _Evidence, list[_Link]] | None:
    """Search breadth first from all evidence of one sort to the nearest evidence that clashes with it."""
    clashing: dict[_Key, _Evidence] = {}
    origin: dict[_Key, _Evidence] = {}
    for evidence in ordered:
        if evidence.sort == sort:
            origin.setdefault(evidence.key, evidence)
        elif _clash(evidence.sort, sort):
            clashing.setdefault(evidence.key, evidence)
    came: dict[_Key, tuple[_Key, _Link] | None] = dict.fromkeys(origin)
    queue = deque(origin)
    while queue:
        node = queue.popleft()
        if node in clashing:
            path: list[_Link] = []
            start = node
            while (step := came[start]) is not None:
                path.append(step[1])
                start = step[0]
            return origin[start], clashing[node], path[::-1]
        for other, link in around.get(node, ()):
            if other not in came:
                came[other] = (node, link)
                queue.append(other)
    return None


def _conversion(first: str, second: str) -> list[str]:
    sorts = {first, second}
    if sorts == {"node", "sym"}:
        return ["`path_of(F, S)` gives the path of a node as a name, `base_of(F, S)` its file name"]
    if sorts == {"node", "dir"}:
        return ["`in_dir(F, D)` gives the directory of a node"]
    if sorts == {"dir", "sym"}:
        return ["`dir_name(D, S)` gives the last name of a directory"]
    if sorts == {"node", "unit"}:
        return ["`unit(U, F)` gives the file of a unit"]
    if sorts == {"sym", "unit"}:
        return ["`named(U, S)` gives the name of a unit"]
    if sorts == {"node", "symbol"}:
        return ["`symbol(S, F)` gives the file of a symbol"]
    if sorts == {"unit", "symbol"}:
        return ["`symbol_unit(S, U)` gives the unit that is the same declaration"]
    if sorts == {"sym", "symbol"}:
        return ["`symbol_name(S, N)` gives the name of a symbol, `qualified(S, Q)` its full name"]
    return []
