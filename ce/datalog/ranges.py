"""Between which values the columns of a stratum can lie, before it runs: what decides how many bits a column needs.

Values that are only copied lie within the ranges they are copied from. Arithmetic is followed where it reads complete relations; what
it makes of the stratum's own rows has no bound known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ce.datalog.checked import BUILTIN_TESTS, RelationType
from ce.datalog.packing import Range
from ce.datalog.rules import PlannedRule
from ce.datalog.sorts import comparison_sort, variable_sorts
from ce.datalog.steps import Fixed
from ce.datalog.syntax import Aggregate, Arithmetic, Atom, Comparison, Constant, Variable
from ce.datalog.syntax import Expression as Term

__all__ = ["Bound", "column_ranges"]

# A range, or None for "no bound known".
Bound = Range | None

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def column_ranges(
    rules: Sequence[PlannedRule],
    start: Mapping[str, list[Bound] | None],
    relations: Mapping[str, RelationType],
    complete: Callable[[str, int], Range],
    size: Callable[[str], int],
    constant: Callable[[Fixed], int],
) -> dict[str, list[Bound]]:
    """Return a bound for every column of the growing relations.

    `start` has their facts: a range for each column, or None where there are no facts. `complete` gives the range of a column of a complete
    relation, `size` its rows, `constant` the value of a constant.
    """
    flow = _Flow(start, relations, complete, size, constant)
    passes = 0
    changed = True
    is_recursive = any(isinstance(literal, Atom) and literal.predicate in start for rule in rules for literal in rule.body)
    while changed and (is_recursive or not passes):
        # Ranges that are copied have settled when each rule has passed them on once; those that still grow have no bound.
        passes += 1
        changed = False
        for rule in rules:
            changed |= flow.apply(rule, settle=passes > len(rules) + 1)
    return {name: [(0, 0)] * len(relations[name].sorts) if bounds is None else bounds for name, bounds in flow.bounds.items()}


class _Flow:
    def __init__(
        self,
        start: Mapping[str, list[Bound] | None],
        relations: Mapping[str, RelationType],
        complete: Callable[[str, int], Range],
        size: Callable[[str], int],
        constant: Callable[[Fixed], int],
    ) -> None:
        self.bounds = dict(start)
        self._relations = relations
        self._complete = complete
        self._size = size
        self._constant = constant

    def apply(self, rule: PlannedRule, *, settle: bool) -> bool:
        """Widen the head's columns by what a rule can derive; tell whether anything changed."""
        known: dict[str, Bound] = {}
        if not self._read(rule.body, known, rule):
            return False
        head_sorts = self._relations[rule.head.predicate].sorts
        found = [self._term(term, sort, known) for term, sort in zip(rule.head.args, head_sorts, strict=True)]
        before = self.bounds[rule.head.predicate]
        after = found if before is None else [_union(left, right) for left, right in zip(before, found, strict=True)]
        if settle and before is not None:
            after = [left if left == right else None for left, right in zip(before, after, strict=True)]
        self.bounds[rule.head.predicate] = after
        return after != before

    def _read(self, body: Sequence[object], known: dict[str, Bound], rule: PlannedRule) -> bool:
        """Note what positive literals say about their variables; False when the body cannot hold yet."""
        for literal in body:
            if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
                if not self._read_atom(literal, known):
                    return False
            elif isinstance(literal, Aggregate):
                known[literal.result.name] = self._aggregate(literal, dict(known), rule)
        equations = [literal for literal in body if isinstance(literal, Comparison) and literal.operator == "="]
        for _ in equations:
            for literal in equations:
                self._equate(literal, known, rule)
        return True

    def _read_atom(self, atom: Atom, known: dict[str, Bound]) -> bool:
        grows = atom.predicate in self.bounds
        bounds = self.bounds[atom.predicate] if grows else None
        if (bounds is None) if grows else not self._size(atom.predicate):
            return False
        for column, term in enumerate(atom.args):
            if isinstance(term, Variable):
                bound = bounds[column] if bounds is not None else self._complete(atom.predicate, column)
                known[term.name] = _intersection(known.get(term.name), bound)
        return True

    def _aggregate(self, literal: Aggregate, known: dict[str, Bound], rule: PlannedRule) -> Bound:
        if literal.function == "count" or not self._read(literal.body, known, rule):
            return (0, self._rows(literal.body)) if literal.function == "count" else (0, 0)
        first = known.get(literal.variables[0].name)
        if literal.function != "sum" or first is None:
            return first
        rows = self._rows(literal.body)
        return _fitting(min(0, first[0] * rows), max(0, first[1] * rows))

    def _rows(self, body: Sequence[object]) -> int:
        rows = 1
        for literal in body:
            if isinstance(literal, Atom) and not literal.negated and literal.predicate not in BUILTIN_TESTS:
                rows *= self._size(literal.predicate)
        return min(rows, _GREATEST)

    def _equate(self, literal: Comparison, known: dict[str, Bound], rule: PlannedRule) -> None:
        for target, source in ((literal.left, literal.right), (literal.right, literal.left)):
            if isinstance(target, Variable) and target.name not in known and self._is_known(source, known):
                sort = "int"
                if isinstance(source, Constant) and isinstance(source.value, str):
                    sort = comparison_sort(literal, variable_sorts(self._relations, rule.head, rule.body))
                known[target.name] = self._term(source, sort, known)

    def _is_known(self, term: Term, known: Mapping[str, Bound]) -> bool:
        if isinstance(term, Arithmetic):
            return self._is_known(term.left, known) and self._is_known(term.right, known)
        return not isinstance(term, Variable) or term.name in known

    def _term(self, term: Term, sort: str, known: Mapping[str, Bound]) -> Bound:
        if isinstance(term, Constant):
            value = self._constant(Fixed(term.value, "int" if isinstance(term.value, int) else sort))
            return value, value
        if isinstance(term, Variable):
            return known.get(term.name)
        if isinstance(term, Arithmetic):
            left, right = self._term(term.left, "int", known), self._term(term.right, "int", known)
            return _arithmetic(term.operator, left, right)
        return None


def _union(left: Bound, right: Bound) -> Bound:
    return None if left is None or right is None else (min(left[0], right[0]), max(left[1], right[1]))


def _intersection(left: Bound, right: Bound) -> Bound:
    """Return what both allow; where they allow nothing in common no row is made, and either will do."""
    if left is None or right is None:
        return right if left is None else left
    low, high = max(left[0], right[0]), min(left[1], right[1])
    return (low, high) if low <= high else left


def _arithmetic(operator: str, left: Bound, right: Bound) -> Bound:
    if operator == "/" and left is not None:
        most = max(abs(left[0]), abs(left[1]))
        return _fitting(-most, most)
    if operator == "%" and right is not None:
        most = max(abs(right[0]), abs(right[1]), 1) - 1
        return _fitting(-most, most)
    if left is None or right is None:
        return None
    if operator == "+":
        return _fitting(left[0] + right[0], left[1] + right[1])
    if operator == "-":
        return _fitting(left[0] - right[1], left[1] - right[0])
    products = [a * b for a in left for b in right]
    return _fitting(min(products), max(products))


def _fitting(low: int, high: int) -> Bound:
    return (max(low, _LEAST), min(high, _GREATEST))
