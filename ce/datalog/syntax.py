"""The syntax tree of CE Datalog and its core form; frozen values that keep their spans.

Two levels. The *surface* level is what the parser builds: clauses with disjunctions, negated
conjunctions, includes and annotations. The *core* level is what the checks leave for the later
stages: plain rules over atoms, negated atoms, comparisons, built-in tests and aggregates.
Equality of nodes ignores spans, so that two texts that differ in layout give equal trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ce.diagnostics import Diagnostic, Span

__all__ = [
    "AGGREGATE_FUNCTIONS",
    "ARITHMETIC_OPERATORS",
    "COMPARISON_OPERATORS",
    "INTEGER_MAX",
    "INTEGER_MIN",
    "Aggregate",
    "Annotation",
    "Arithmetic",
    "Assertion",
    "Atom",
    "Clause",
    "Comparison",
    "Constant",
    "Declaration",
    "Disjunction",
    "Expression",
    "Include",
    "Literal",
    "NegatedConjunction",
    "Output",
    "Program",
    "Query",
    "Rule",
    "Term",
    "Variable",
    "Wildcard",
]

COMPARISON_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
ARITHMETIC_OPERATORS = ("+", "-", "*", "/", "%")
INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1
AGGREGATE_FUNCTIONS = ("count", "min", "max", "sum")


@dataclass(frozen=True, slots=True)
class Variable:
    """A named variable, local to its clause."""

    name: str
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`_`: matches anything, binds nothing; under negation, "no matching tuple at all"."""

    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant:
    """A 64-bit integer or a name; `"a"` and `a` are the same constant."""

    value: int | str
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A binary operation of `ARITHMETIC_OPERATORS` on integer operands."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(compare=False, repr=False, kw_only=True)


Term = Variable | Wildcard | Constant
Expression = Variable | Wildcard | Constant | Arithmetic


@dataclass(frozen=True, slots=True)
class Atom:
    """`predicate(args…)`, possibly negated; arguments of core atoms are terms, never arithmetic."""

    predicate: str
    args: tuple[Expression, ...]
    negated: bool = False
    span: Span = field(compare=False, repr=False, kw_only=True)

    @property
    def arity(self) -> int:
        """Return the number of arguments."""
        return len(self.args)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`; `=` also binds a lone unbound variable on either side."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`result = function(variables : body)`: over the distinct projections of the body onto the variables.

    `count` counts rows; `min`, `max`, `sum` use the first variable of each row. `count` and `sum` of nothing
    are 0, `min` and `max` of nothing fail. `groups` are the variables of the body that the rest of the clause
    binds (filled by the checks, in order of first appearance; empty before them).
    """

    result: Variable
    function: str
    variables: tuple[Variable, ...]
    body: tuple[Literal, ...]
    groups: tuple[str, ...] = ()
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """`(a, b ; c)`: surface only; the checks make one core rule of each alternative."""

    alternatives: tuple[tuple[Literal, ...], ...]
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class NegatedConjunction:
    """`not (a, b)`: surface only; the checks move the body into an auxiliary predicate and negate that."""

    body: tuple[Literal, ...]
    span: Span = field(compare=False, repr=False, kw_only=True)


Literal = Atom | Comparison | Aggregate | Disjunction | NegatedConjunction


@dataclass(frozen=True, slots=True)
class Annotation:
    """`@name(arguments)` before an assertion, a rule or a declaration."""

    name: str
    argument: str
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Rule:
    """`head :- body.`, or a fact when the body is empty."""

    head: Atom
    body: tuple[Literal, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Query:
    """`?- body.`; its columns are the outer variables by first textual occurrence."""

    body: tuple[Literal, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Assertion:
    """`assert head :- body.`: each tuple of the head is a violation."""

    head: Atom
    body: tuple[Literal, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Declaration:
    """`decl name(Column: sort, …).`"""

    predicate: str
    columns: tuple[tuple[str, str], ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Output:
    """`output name.`"""

    predicate: str
    span: Span = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Include:
    """`include "path".`"""

    path: str
    span: Span = field(compare=False, repr=False, kw_only=True)


Clause = Rule | Query | Assertion | Declaration | Output | Include


@dataclass(frozen=True, slots=True)
class Program:
    """Clauses in textual order across all sources (prelude first), and the text of every source by name.

    A program read with `recover` also carries the `faults` of the clauses that were left out, and their `suspects`: the
    relations that those clauses may have defined, which nobody should call unknown. `included` tells which source each include names.
    """

    clauses: tuple[Clause, ...]
    sources: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    faults: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    suspects: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    included: tuple[tuple[Include, str], ...] = field(default=(), compare=False, repr=False)
