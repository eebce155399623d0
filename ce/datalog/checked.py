"""What the checks hand on: core rules, typed relations, strata. Later stages take nothing else.

Core bodies are stored in a *safe order*: read left to right, every variable that a negation, a
test, an arithmetic operand or a comparison needs is bound before it. The planner may choose any
other safe order. `CoreRule.positions` remembers where each literal stands in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from ce.datalog.syntax import Aggregate, Atom, Comparison, Program
from ce.diagnostics import Diagnostic, Span

__all__ = [
    "BUILTIN_TESTS",
    "CheckedProgram",
    "CoreLiteral",
    "CoreRule",
    "Goal",
    "RelationType",
    "SchemaRelation",
    "Stratum",
]

# Tests on two bound names; an atom of one of these predicates is a filter, never a relation.
BUILTIN_TESTS = ("starts_with", "ends_with", "has_substring", "glob", "matches")

CoreLiteral = Atom | Comparison | Aggregate


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation known before the program is read: a fact relation, typed and with closed vocabularies.

    `vocabularies` has one entry per column: the allowed names, or None where any value may stand.
    """

    name: str
    columns: tuple[str, ...]
    sorts: tuple[str, ...]
    meaning: str = ""
    vocabularies: tuple[tuple[str, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreRule:
    """One rule of the core language.

    `body` holds atoms (positive, negated, built-in tests), comparisons and aggregates in a safe order; aggregate
    bodies are core too and safe given the groups. `positions[i]` is the textual position of `body[i]` in the
    clause it comes from. `clause` indexes `Program.clauses`; rules made from one clause (disjunction) or for
    it (auxiliary predicates of negated conjunctions) share it, and `auxiliary` tells the second kind.
    """

    head: Atom
    body: tuple[CoreLiteral, ...]
    positions: tuple[int, ...]
    clause: int
    auxiliary: bool
    span: Span = field(compare=False)

    @property
    def at(self) -> str:
        """Return `source:line` of the clause, as proofs name a rule."""
        return f"{self.span.source}:{self.span.line}"

    @property
    def textual_order(self) -> tuple[int, ...]:
        """Return the indexes of the body literals as the text orders them."""
        return tuple(sorted(range(len(self.body)), key=lambda index: (self.positions[index], index)))


@dataclass(frozen=True, slots=True)
class Goal:
    """A query or an assertion. Its answers are the rows of `predicate`, a relation of its own.

    `predicate` is `?1`, `?2`, … for queries and `!1`, `!2`, … for assertions: no text can spell them. `columns` are the names of
    the outer variables by first textual occurrence (query) or the head's arguments as written (assertion).
    """

    kind: OneOf["query", "assert"]
    name: str | None
    predicate: str
    columns: tuple[str, ...]
    sorts: tuple[str, ...]
    severity: OneOf["error", "warning", "note"]
    message: str | None
    doc: str | None
    clause: int
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RelationType:
    """Arity and sorts of a relation that occurs in the program; `edb` when facts may exist, `idb` when a rule defines it.

    A sort is `int`, `sym`, or a sort of the schema (`node`, `dir`, `unit`); `open` where nothing constrains it.
    """

    name: str
    sorts: tuple[str, ...]
    edb: bool
    idb: bool
    reserved: bool = False
    auxiliary: bool = False


@dataclass(frozen=True, slots=True)
class Stratum:
    """Predicates that depend on each other (or one alone), in evaluation order of strata; `recursive` when a cycle exists."""

    predicates: tuple[str, ...]
    recursive: bool


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program without errors: what it defines, asks and needs.

    `relations` covers every predicate of every core rule, goals and auxiliaries included. `outputs` are the
    relations marked `output`. `warnings` are diagnostics that do not stop anything.
    """

    program: Program
    rules: tuple[CoreRule, ...]
    goals: tuple[Goal, ...]
    relations: Mapping[str, RelationType]
    strata: tuple[Stratum, ...]
    outputs: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
