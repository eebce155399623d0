"""Why a row is not there: for each rule that could give it, how far its body can be satisfied, and the premise that is missing.

A body is read twice: in an order that starts from the atoms with the fewest rows, and as the text orders it; either way a literal that
needs values waits until it has them. The substitution that satisfies most literals is kept; of several the first, of both orders the
first. A missing atom that no row matches whatever the other literals are is shown as widely as that is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreLiteral, CoreRule
from ce.datalog.format import unparse_expression, unparse_literal
from ce.datalog.model_rows import Model, ModelRows
from ce.datalog.origin_names import origin_names
from ce.datalog.proof import quote
from ce.datalog.semantics import Binding, Evaluator, Row, Value, agree, is_bound, known_positions, ready
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Expression, Literal, Variable
from ce.diagnostics import CeError

__all__ = ["Attempt", "Pattern", "Premise", "WhyNot", "explain_absence"]

# A row with None where any value may stand.
Pattern = tuple[Value | None, ...]

# Substitutions tried for one rule, near rows shown for one relation.
_TRIED = 20_000
_NEAR_ROWS = 3

_PLAIN_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Premise:
    """The missing literal as an atom: what to ask next, why it has no row or, when `negated`, why it has one."""

    predicate: str
    pattern: Pattern
    negated: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """The furthest that one rule got: `satisfied` literals with their values, then the `missing` one, partly instantiated.

    `position` counts the missing literal in the text of the body, from 0; None when the head itself cannot be the row. `complete` is
    false when there were too many substitutions to try all, and another might get further.
    """

    rule: str
    satisfied: tuple[str, ...]
    missing: str
    reason: str
    position: int | None
    literals: int
    substitution: tuple[tuple[str, Value], ...] = ()
    complete: bool = True
    premise: Premise | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the attempt as JSON values."""
        return {
            "rule": self.rule, "satisfied": list(self.satisfied), "missing": self.missing, "reason": self.reason,
            "position": self.position, "literals": self.literals, "substitution": dict(self.substitution), "complete": self.complete,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a relation has no row of a pattern; `holds` when it has one after all. `nearest` are rows that differ in the fewest columns."""

    predicate: str
    args: Pattern
    holds: bool
    rows: int
    attempts: tuple[Attempt, ...]
    nearest: tuple[Row, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the explanation as JSON values; `"_"` stands for any value."""
        return {
            "kind": "why_not", "predicate": self.predicate, "args": ["_" if value is None else value for value in self.args],
            "holds": self.holds, "rows": self.rows, "attempts": [attempt.to_dict() for attempt in self.attempts],
            "nearest": [list(row) for row in self.nearest],
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain_absence(checked: CheckedProgram, model: Model, predicate: str, pattern: Pattern) -> WhyNot:
    """Return why the relation has no row of the pattern; the model must hold all rows of what the relation depends on."""
    rows = ModelRows(model, {name: relation.sorts for name, relation in checked.relations.items()})
    known = [(position, value) for position, value in enumerate(pattern) if value is not None]
    found = rows.find(predicate, [position for position, _ in known], [value for _, value in known])
    shown = _shown_name(checked, predicate)
    count = rows.relation(predicate).length
    if len(found):
        return WhyNot(shown, pattern, True, count, (), (rows.row(predicate, int(found[0])),))
    evaluator = Evaluator(checked, model.database.domains, rows)
    names = origin_names(checked)
    attempts = tuple(_attempt(evaluator, rows, rule, pattern, names) for rule in checked.rules if rule.head.predicate == predicate)
    return WhyNot(shown, pattern, False, count, attempts, _nearest(rows, predicate, known))


def _shown_name(checked: CheckedProgram, predicate: str) -> str:
    for goal in checked.goals:
        if goal.predicate == predicate:
            return goal.name or "?-"
    return predicate


def _attempt(evaluator: Evaluator, rows: ModelRows, rule: CoreRule, pattern: Pattern, names: Mapping[str, str]) -> Attempt:
    binding: Binding = {}
    for term, value in zip(rule.head.args, pattern, strict=True):
        if value is not None and not agree(term, value, binding):
            head = unparse_literal(replace(rule.head, predicate=names.get(rule.head.predicate, rule.head.predicate)))
            return Attempt(rule.at, (), head, "the head cannot be this row", None, len(rule.body))
    evaluator.enter(rule)
    searches = [_Search(evaluator, rule, rows), _Search(evaluator, rule, None)]
    for search in searches:
        search.run(rule.textual_order, binding)
    search = max(searches, key=lambda search: len(search.furthest[0]))
    done, index, found = search.furthest
    reading = [index for index in rule.textual_order if index in done]
    literal = rule.body[index]
    lacking = binding if _is_positive(literal) and _has_no_row(evaluator, literal, binding) else found
    return Attempt(
        rule.at,
        tuple(_instance(rule.body[index], found, names) for index in reading),
        _instance(literal, found, names),
        _reason(evaluator, literal, lacking, names),
        rule.textual_order.index(index),
        len(rule.body),
        tuple(sorted((name, value) for name, value in found.items() if not name.startswith("_"))),
        search.tried <= _TRIED or lacking is binding,
        _premise(literal, lacking),
    )


def _has_no_row(evaluator: Evaluator, literal: Literal, binding: Binding) -> bool:
    assert isinstance(literal, Atom)
    return next(evaluator.matches(literal, binding), None) is None


def _premise(literal: CoreLiteral, binding: Binding) -> Premise | None:
    if not isinstance(literal, Atom) or literal.predicate in BUILTIN_TESTS:
        return None
    return Premise(literal.predicate, tuple(_value(term, binding) for term in literal.args), literal.negated)


class _Search:
    """Looks for the substitution that satisfies most literals of a body without satisfying all.

    With `rows`, the atom with the fewest rows comes next; without, the first one of the text.
    """

    def __init__(self, evaluator: Evaluator, rule: CoreRule, rows: ModelRows | None) -> None:
        self._rows = rows
        self.tried = 0
        self.furthest: tuple[frozenset[int], int, Binding] = (frozenset(), -1, {})
        self._evaluator = evaluator
        self._rule = rule

    def run(self, order: Sequence[int], binding: Binding) -> None:
        """Read the literals, given in the order of the text, until all substitutions or enough of them are tried."""
        states = [iter([(tuple(order), binding)])]
        while states and self.tried <= _TRIED:
            state = next(states[-1], None)
            if state is None:
                states.pop()
            elif state[0]:
                states.append(self._extended(*state))

    def _extended(self, left: tuple[int, ...], binding: Binding) -> Iterator[tuple[tuple[int, ...], Binding]]:
        """Yield what is left, and the substitution, after one more literal."""
        index = self._next(left, binding)
        body = self._rule.body
        done, missing, _ = self.furthest
        if missing < 0 or len(body) - len(left) > len(done):
            self.furthest = (frozenset(range(len(body))).difference(left), index, binding)
        rest = tuple(other for other in left if other != index)
        for extended in _extensions(self._evaluator, body[index], binding):
            self.tried += 1
            yield rest, extended

    def _next(self, left: Sequence[int], binding: Binding) -> int:
        """Return the literal to read: what can be decided without a search, then an atom."""
        body = self._rule.body
        if self._rows is None:
            return next(index for index in left if _is_positive(body[index]) or ready(body[index], binding))
        decided = [index for index in left if ready(body[index], binding)]
        return (
            decided[0]
            if decided
            else min(filter(lambda index: _is_positive(body[index]), left), key=lambda i: self._size(body[i], binding))
        )

    def _size(self, literal: CoreLiteral, binding: Binding) -> int:
        assert isinstance(literal, Atom) and self._rows is not None
        known = known_positions(literal, binding)
        return len(self._rows.find(literal.predicate, [position for position, _ in known], [value for _, value in known]))


def _is_positive(literal: CoreLiteral) -> bool:
    return isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS


def _extensions(evaluator: Evaluator, literal: Literal, binding: Binding) -> Iterator[Binding]:
    """Yield the extensions under a literal; one that overflows for values that no derivation has fails."""
    try:
        yield from evaluator.extensions(literal, binding)
    except CeError:
        return


def _reason(evaluator: Evaluator, literal: CoreLiteral, binding: Binding, names: Mapping[str, str]) -> str:
    """Return what is wrong with the missing literal, as a sentence."""
    if isinstance(literal, Comparison):
        return _reason_of_comparison(evaluator, literal, binding)
    if isinstance(literal, Aggregate):
        result = evaluator.aggregate(literal, binding)
        return f"{literal.function} of nothing has no value" if result is None else f"{literal.function} is {result}"
    positive = _instance(replace(literal, negated=False), binding, names)
    if literal.predicate in BUILTIN_TESTS:
        return f"{positive} is {'true' if literal.negated else 'false'}"
    if literal.negated:
        return f"{positive} holds"
    values = ["_" if (value := _value(term, binding)) is None else _text(value) for term in literal.args]
    return f"no row of {names.get(literal.predicate, literal.predicate)} matches ({', '.join(values)})"


def _reason_of_comparison(evaluator: Evaluator, literal: Comparison, binding: Binding) -> str:
    try:
        values = [evaluator.value(side, binding) for side in (literal.left, literal.right) if is_bound(side, binding)]
    except CeError:
        return "a result does not fit in 64 bits"
    if None in values:
        return "a division by zero has no value"
    return f"{' and '.join(_text(value) for value in values if value is not None)}: {literal.operator} is false"


def _instance(literal: Literal, binding: Binding, names: Mapping[str, str]) -> str:
    """Return a literal as text, with the values of its bound variables."""
    if isinstance(literal, Atom):
        args = ", ".join(unparse_expression(_substituted(term, binding)) for term in literal.args)
        if literal.predicate in names:
            return f"{'not ' if literal.negated else ''}{names[literal.predicate]}" + (f" with ({args})" if args else "")
        return f"{'not ' if literal.negated else ''}{literal.predicate}({args})"
    if isinstance(literal, Comparison):
        return unparse_literal(replace(literal, left=_substituted(literal.left, binding), right=_substituted(literal.right, binding)))
    assert isinstance(literal, Aggregate)
    result = unparse_expression(_substituted(literal.result, binding))
    inner = {name: binding[name] for name in literal.groups if name in binding}
    variables = ", ".join(variable.name for variable in literal.variables)
    return f"{result} = {literal.function}({variables} : {', '.join(_instance(part, inner, names) for part in literal.body)})"


def _substituted(expression: Expression, binding: Binding) -> Expression:
    if isinstance(expression, Arithmetic):
        return replace(expression, left=_substituted(expression.left, binding), right=_substituted(expression.right, binding))
    if isinstance(expression, Variable) and expression.name in binding:
        return Constant(binding[expression.name], span=expression.span)
    return expression


def _value(term: Expression, binding: Binding) -> Value | None:
    substituted = _substituted(term, binding)
    return substituted.value if isinstance(substituted, Constant) else None


def _text(value: Value) -> str:
    """Return a value as the explained literals show it: names that need no quotes have none."""
    return value if isinstance(value, str) and _PLAIN_NAME.fullmatch(value) else quote(value)


def _nearest(rows: ModelRows, predicate: str, known: Sequence[tuple[int, Value]]) -> tuple[Row, ...]:
    """Return the first rows that agree with most of the known values, and with at least one."""
    relation = rows.relation(predicate)
    agreeing = np.zeros(relation.length, dtype=np.int64)
    for position, value in known:
        code = rows.encode(predicate, position, value)
        if code is not None:
            agreeing += relation.columns[position] == code
    most = int(agreeing.max(initial=0))
    if not most:
        return ()
    return tuple(rows.row(predicate, int(number)) for number in np.flatnonzero(agreeing == most)[:_NEAR_ROWS])


def _lines(why_not: WhyNot) -> Iterator[str]:
    args = ", ".join("_" if value is None else _text(value) for value in why_not.args)
    statement = f"{why_not.predicate}({args})" if why_not.predicate != "?-" or args else "?-"
    if why_not.holds:
        yield f"{statement} holds"
        return
    yield f"{statement} does not hold: {why_not.predicate} has {why_not.rows} row{'' if why_not.rows == 1 else 's'}"
    for attempt in why_not.attempts:
        if attempt.position is None:
            yield f"  rule {attempt.rule} gives {attempt.missing}: {attempt.reason}"
            continue
        yield f"  rule {attempt.rule} fails at literal {attempt.position + 1} of {attempt.literals}:"
        yield from (f"    holds:   {literal}" for literal in attempt.satisfied)
        yield f"    missing: {attempt.missing}"
        yield f"             {attempt.reason}"
        if not attempt.complete:
            yield f"    (the first {_TRIED:,} substitutions were tried)"
    if not why_not.attempts:
        yield "  no rule derives it: it holds only what the facts state"
    if why_not.nearest:
        rows = (f"{why_not.predicate}({', '.join(map(_text, row))})" for row in why_not.nearest)
        yield f"  nearest rows: {', '.join(rows)}"
