"""Checked programs as bytes, for caches that nobody has to trust.

The bytes are JSON. The syntax tree is one table of nodes, children before parents, so that trees shared between clauses and
core rules stay shared. Decoding builds plain values only, validates every one of them, and then what the
checks promise: arities, safe orders, strata. Whatever fails raises ValueError; the caller checks the program anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ce.datalog.checked import CheckedProgram, CoreRule, Goal, RelationType, Stratum
from ce.datalog.invariants import require, validate
from ce.datalog.syntax import (
    AGGREGATE_FUNCTIONS,
    ARITHMETIC_OPERATORS,
    COMPARISON_OPERATORS,
    INTEGER_MAX,
    INTEGER_MIN,
    Aggregate,
    Annotation,
    Arithmetic,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Constant,
    Declaration,
    Disjunction,
    Include,
    NegatedConjunction,
    Output,
    Program,
    Query,
    Rule,
    Variable,
    Wildcard,
)
from ce.diagnostics import Diagnostic, Related, Severity, Span

__all__ = ["decode_program", "encode_program"]

_FORMAT = "ce.checked/1"
_MAX_DEPTH = 250

_Node = Variable | Wildcard | Constant | Arithmetic | Atom | Comparison | Aggregate | Disjunction | NegatedConjunction | Clause
_EXPRESSIONS = (Variable, Wildcard, Constant, Arithmetic)
_LITERALS = (Atom, Comparison, Aggregate, Disjunction, NegatedConjunction)
_CORE_LITERALS = (Atom, Comparison, Aggregate)
_CLAUSES = (Rule, Query, Assertion, Declaration, Output, Include)
_T = TypeVar("_T")


def encode_program(checked: CheckedProgram) -> bytes:
    """Return the program as bytes that `decode_program` turns into an equal one, spans and sources included."""
    encoder = _Encoder(checked.program.sources)
    document = {
        "format": _FORMAT,
        "clauses": [encoder.node(clause) for clause in checked.program.clauses],
        "rules": [encoder.rule(rule) for rule in checked.rules],
        "goals": [encoder.goal(goal) for goal in checked.goals],
        "relations": [
            [r.name, list(r.sorts), r.edb, r.idb, r.reserved, r.auxiliary]
            for r in checked.relations.values()
        ],
        "strata": [[list(stratum.predicates), stratum.recursive] for stratum in checked.strata],
        "outputs": list(checked.outputs),
        "warnings": [encoder.diagnostic(warning) for warning in checked.warnings],
    }  # fmt: skip
    document["nodes"] = encoder.nodes
    document["sources"] = [[name, checked.program.sources.get(name)] for name in encoder.sources]
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def decode_program(data: bytes) -> CheckedProgram:
    """Return the program that the bytes hold; raises ValueError when they hold none, whatever they are."""
    try:
        return _decode(json.loads(data))
    except ValueError:
        raise
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"no checked program: {error!r}") from error


class _Encoder:
    """Numbers nodes and sources as they come."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.nodes: list[list[Any]] = []
        self.sources: dict[str, int] = {name: number for number, name in enumerate(sources)}
        self.seen: dict[int, int] = {}
        # Keeps the nodes alive, so that no two of them ever have the same id.
        self.kept: list[object] = []

    def node(self, node: _Node) -> int:
        known = self.seen.get(id(node))
        if known is not None:
            return known
        row = [*self._fields(node), *self.span(node.span)]
        self.nodes.append(row)
        self.seen[id(node)] = len(self.nodes) - 1
        self.kept.append(node)
        return len(self.nodes) - 1

    def _fields(self, node: _Node) -> list[Any]:
        match node:
            case Variable():
                return ["v", node.name]
            case Wildcard():
                return ["_"]
            case Constant():
                return ["c", node.value]
            case Arithmetic():
                return ["+", node.operator, self.node(node.left), self.node(node.right)]
            case Atom():
                return ["a", node.predicate, self._all(node.args), node.negated]
            case Comparison():
                return ["=", node.operator, self.node(node.left), self.node(node.right)]
            case Aggregate():
                inner = [self._all(node.variables), self._all(node.body), list(node.groups)]
                return ["g", self.node(node.result), node.function, *inner]
            case Disjunction():
                return [";", [self._all(alternative) for alternative in node.alternatives]]
            case NegatedConjunction():
                return ["!", self._all(node.body)]
            case Rule():
                return ["r", self.node(node.head), self._all(node.body), self._annotations(node.annotations)]
            case Query():
                return ["?", self._all(node.body), self._annotations(node.annotations)]
            case Assertion():
                return ["s", self.node(node.head), self._all(node.body), self._annotations(node.annotations)]
            case Declaration():
                return ["d", node.predicate, [list(column) for column in node.columns], self._annotations(node.annotations)]
            case Output():
                return ["o", node.predicate]
            case Include():
                return ["i", node.path]

    def _all(self, nodes: Iterable[_Node]) -> list[int]:
        return [self.node(node) for node in nodes]

    def _annotations(self, annotations: Iterable[Annotation]) -> list[list[Any]]:
        return [[annotation.name, annotation.argument, *self.span(annotation.span)] for annotation in annotations]

    def span(self, span: Span) -> list[int]:
        source = self.sources.setdefault(span.source, len(self.sources))
        return [source, span.line, span.column, span.end_line, span.end_column]

    def rule(self, rule: CoreRule) -> list[Any]:
        return [self.node(rule.head), self._all(rule.body), list(rule.positions), rule.clause, rule.auxiliary, *self.span(rule.span)]

    def goal(self, goal: Goal) -> list[Any]:
        said = [goal.kind, goal.name, goal.predicate, list(goal.columns), list(goal.sorts), goal.severity, goal.message, goal.doc]
        return [*said, goal.clause, *self.span(goal.span)]

    def diagnostic(self, diagnostic: Diagnostic) -> list[Any]:
        related = [[*self.span(other.span), other.message] for other in diagnostic.related]
        span = self.span(diagnostic.span) if diagnostic.span is not None else None
        return [diagnostic.code, diagnostic.message, span, list(diagnostic.notes), related, str(diagnostic.severity)]


def _decode(document: Any) -> CheckedProgram:
    require(isinstance(document, dict) and document.get("format") == _FORMAT, "another format")
    sources = [(_text(name), text if text is None else _text(text)) for name, text in _list(document["sources"])]
    decoder = _Decoder([name for name, _ in sources])
    for row in _list(document["nodes"]):
        decoder.add(_list(row))
    clauses = tuple(decoder.nodes_of(document["clauses"], _CLAUSES))
    program = Program(clauses, {name: text for name, text in sources if text is not None})
    rules = tuple(decoder.rule(row, len(clauses)) for row in _list(document["rules"]))
    relations = {relation.name: relation for relation in map(_relation, _list(document["relations"]))}
    goals = tuple(decoder.goal(row) for row in _list(document["goals"]))
    strata = tuple(Stratum(_texts(members), _flag(recursive)) for members, recursive in _list(document["strata"]))
    outputs = _texts(document["outputs"])
    warnings = tuple(decoder.diagnostic(row) for row in _list(document["warnings"]))
    checked = CheckedProgram(program, rules, goals, relations, strata, outputs, warnings)
    validate(checked)
    return checked


class _Decoder:
    """Builds nodes in the order of the table; a node refers to earlier ones only, so that no cycle can be spelled."""

    def __init__(self, sources: Sequence[str]) -> None:
        self.sources = sources
        self.nodes: list[_Node] = []
        self.depths: list[int] = []
        self.builders: dict[str, tuple[int, Callable[[list[Any], Span], _Node]]] = {
            "v": (1, lambda row, span: Variable(_text(row[1]), span=span)),
            "_": (0, lambda row, span: Wildcard(span=span)),
            "c": (1, lambda row, span: Constant(_value(row[1]), span=span)),
            "+": (3, self._arithmetic),
            "a": (3, self._atom),
            "=": (3, self._comparison),
            "g": (5, self._aggregate),
            ";": (1, self._disjunction),
            "!": (1, lambda row, span: NegatedConjunction(self._literals(row[1]), span=span)),
            "r": (3, lambda row, span: Rule(self._one(row[1], Atom), self._literals(row[2]), self._annotations(row[3]), span=span)),
            "?": (2, lambda row, span: Query(self._literals(row[1]), self._annotations(row[2]), span=span)),
            "s": (3, lambda row, span: Assertion(self._one(row[1], Atom), self._literals(row[2]), self._annotations(row[3]), span=span)),
            "d": (3, self._declaration),
            "o": (1, lambda row, span: Output(_text(row[1]), span=span)),
            "i": (1, lambda row, span: Include(_text(row[1]), span=span)),
        }

    def add(self, row: list[Any]) -> None:
        size, build = self.builders[_text(row[0])]
        require(len(row) == size + 6, "a node of another length")
        self.deepest = 0
        node = build(row, self.span(row[-5:]))
        require(self.deepest < _MAX_DEPTH, "nodes nested too deeply")
        self.nodes.append(node)
        self.depths.append(self.deepest + 1)

    def span(self, row: Sequence[Any]) -> Span:
        source, line, column, end_line, end_column = row
        for number in row:
            if type(number) is not int or not 0 <= number < 2**31:
                raise ValueError("a span is made of small numbers")
        return Span(self.sources[source], line, column, end_line, end_column)

    def nodes_of(self, indexes: Any, kinds: tuple[type[Any], ...]) -> list[Any]:
        found: list[Any] = []
        for index in _list(indexes):
            if type(index) is not int or not 0 <= index < len(self.nodes):
                raise ValueError("a node refers to earlier nodes only")
            node = self.nodes[index]
            if not isinstance(node, kinds):
                raise ValueError("a node of another kind is needed")
            found.append(node)
            if self.depths[index] > self.deepest:
                self.deepest = self.depths[index]
        return found

    deepest = 0

    def _one(self, index: Any, kind: type[_T]) -> _T:
        found: _T = self.nodes_of([index], (kind,))[0]
        return found

    def _literals(self, indexes: Any) -> tuple[Any, ...]:
        return tuple(self.nodes_of(indexes, _LITERALS))

    def _expression(self, index: Any) -> Any:
        return self.nodes_of([index], _EXPRESSIONS)[0]

    def _arithmetic(self, row: list[Any], span: Span) -> _Node:
        return Arithmetic(_one_of(row[1], ARITHMETIC_OPERATORS), self._expression(row[2]), self._expression(row[3]), span=span)

    def _comparison(self, row: list[Any], span: Span) -> _Node:
        return Comparison(_one_of(row[1], COMPARISON_OPERATORS), self._expression(row[2]), self._expression(row[3]), span=span)

    def _atom(self, row: list[Any], span: Span) -> _Node:
        return Atom(_text(row[1]), tuple(self.nodes_of(row[2], _EXPRESSIONS)), _flag(row[3]), span=span)

    def _aggregate(self, row: list[Any], span: Span) -> _Node:
        _, result, function, variables, body, groups = row[:6]
        named = tuple(self.nodes_of(variables, (Variable,)))
        require(bool(named), "an aggregate lists a variable")
        inside = self._literals(body)
        return Aggregate(self._one(result, Variable), _one_of(function, AGGREGATE_FUNCTIONS), named, inside, _texts(groups), span=span)

    def _disjunction(self, row: list[Any], span: Span) -> _Node:
        return Disjunction(tuple(self._literals(alternative) for alternative in _list(row[1])), span=span)

    def _declaration(self, row: list[Any], span: Span) -> _Node:
        columns = tuple((_text(name), _text(sort)) for name, sort in _list(row[2]))
        return Declaration(_text(row[1]), columns, self._annotations(row[3]), span=span)

    def _annotations(self, rows: Any) -> tuple[Annotation, ...]:
        return tuple(Annotation(_text(row[0]), _text(row[1]), span=self.span(row[2:])) for row in _list(rows))

    def rule(self, row: Any, clauses: int) -> CoreRule:
        head, body, positions, clause, auxiliary, *span = _list(row)
        literals = tuple(self.nodes_of(body, _CORE_LITERALS))
        places = tuple(_small(position) for position in _list(positions))
        require(len(places) == len(literals), "a position for every literal")
        require(_small(clause) < clauses, "a rule comes from a clause")
        return CoreRule(self._one(head, Atom), literals, places, clause, _flag(auxiliary), self.span(span))

    def goal(self, row: Any) -> Goal:
        kind, name, predicate, columns, sorts, severity, message, doc, clause, *span = _list(row)
        _one_of(kind, ("query", "assert"))
        _one_of(severity, ("error", "warning", "note"))
        texts = [text if text is None else _text(text) for text in (name, message, doc)]
        names, kinds = _texts(columns), _texts(sorts)
        return Goal(kind, texts[0], _text(predicate), names, kinds, severity, texts[1], texts[2], _small(clause), self.span(span))

    def diagnostic(self, row: Any) -> Diagnostic:
        code, message, span, notes, related, severity = _list(row)
        places = tuple(Related(self.span(other[:5]), _text(other[5])) for other in _list(related))
        where = None if span is None else self.span(span)
        return Diagnostic(_text(code), _text(message), where, _texts(notes), places, Severity(severity))


def _relation(row: Any) -> RelationType:
    name, sorts, *flags = _list(row)
    edb, idb, reserved, auxiliary = map(_flag, flags)
    return RelationType(_text(name), _texts(sorts), edb, idb, reserved, auxiliary)


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError("no checked program: a list is needed")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("no checked program: a text is needed")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value))


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError("no checked program: true or false is needed")
    return value


def _small(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError("no checked program: a small number is needed")
    return value


def _value(value: Any) -> int | str:
    if type(value) is str:
        return value
    if type(value) is int and INTEGER_MIN <= value <= INTEGER_MAX:
        return value
    raise ValueError("no checked program: a constant is a name or a 64-bit integer")


def _one_of(value: Any, allowed: Sequence[str]) -> str:
    if type(value) is not str or value not in allowed:
        raise ValueError("no checked program: an unknown word")
    return value
