"""What is known about every relation before its uses are checked: from the schema, declarations, loaded facts and rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ce.datalog.checked import BUILTIN_TESTS, SchemaRelation
from ce.datalog.codes import CHECKS
from ce.datalog.syntax import Declaration, Program, Rule
from ce.diagnostics import Diagnostic, Related, Span

__all__ = ["Finding", "Shape", "Signatures", "check_declarations", "collect_signatures", "nearest", "plural"]

# A fault and the clause that the later stages leave out because of it.
Finding = tuple[int, Diagnostic]

_BUILT_IN_SORTS = ("int", "sym")
_FOREIGN_SORTS = {
    "number": "int",
    "integer": "int",
    "unsigned": "int",
    "symbol": "sym",
    "string": "sym",
    "str": "sym",
    "text": "sym",
    "name": "sym",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The number of columns of a relation, who says so, and where in a program if anywhere."""

    arity: int
    said_by: str
    span: Span | None = None


@dataclass(slots=True)
class Signatures:
    """The relations of a program by name; `rules` has the first rule of each, `reserved_rules` those of reserved sources."""

    schema: Mapping[str, SchemaRelation]
    facts: Mapping[str, tuple[str, ...] | None]
    declared: dict[str, Declaration] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    reserved_rules: dict[str, Rule] = field(default_factory=dict)
    suspects: frozenset[str] = frozenset()

    def sorts(self) -> tuple[str, ...]:
        """Return the sorts that a declaration may name."""
        found = dict.fromkeys(_BUILT_IN_SORTS)
        for relation in self.schema.values():
            found.update(dict.fromkeys(relation.sorts))
        return tuple(found)

    def is_known(self, name: str) -> bool:
        """Tell whether a body may read the relation."""
        tables = (self.schema, self.facts, self.declared, self.rules, self.suspects)
        return name in BUILTIN_TESTS or any(name in table for table in tables)

    def names(self) -> list[str]:
        """Return every name that a body may read, sorted."""
        return sorted({*self.schema, *self.facts, *self.declared, *self.rules, *BUILTIN_TESTS})

    def shape(self, name: str) -> Shape | None:
        """Return the shape that uses of the relation must have, or None when only uses tell it."""
        if name in self.schema:
            return Shape(len(self.schema[name].sorts), "the schema")
        if name in BUILTIN_TESTS:
            return Shape(2, "the built-in test")
        if name in self.declared:
            declaration = self.declared[name]
            return Shape(len(declaration.columns), "its declaration", declaration.span)
        facts = self.facts.get(name)
        if facts is not None:
            return Shape(len(facts), "its facts")
        if name in self.rules:
            head = self.rules[name].head
            return Shape(head.arity, "its definition", head.span)
        return None


def collect_signatures(
    program: Program, schema: Sequence[SchemaRelation], reserved: Collection[str], facts: Mapping[str, tuple[str, ...] | None]
) -> Signatures:
    """Return what the program and its surroundings say about every relation."""
    found = Signatures({relation.name: relation for relation in schema}, facts, suspects=program.suspects)
    for clause in program.clauses:
        if isinstance(clause, Declaration):
            found.declared.setdefault(clause.predicate, clause)
        elif isinstance(clause, Rule):
            found.rules.setdefault(clause.head.predicate, clause)
            if clause.span.source in reserved:
                found.reserved_rules.setdefault(clause.head.predicate, clause)
    return found


def check_declarations(program: Program, signatures: Signatures) -> Iterator[Finding]:
    """Yield a diagnostic for every declaration that names an unknown sort or contradicts what else is known."""
    sorts = signatures.sorts()
    for index, clause in enumerate(program.clauses):
        if not isinstance(clause, Declaration):
            continue
        for _, sort in clause.columns:
            if sort not in sorts:
                yield index, _unknown_sort(clause, sort, sorts)
        for fault in _contradictions(clause, signatures):
            yield index, fault


def _unknown_sort(clause: Declaration, sort: str, sorts: tuple[str, ...]) -> Diagnostic:
    near = _FOREIGN_SORTS.get(sort) or nearest(sort, sorts)
    notes = [f"did you mean `{near}`?"] if near else []
    return CHECKS.UNKNOWN_SORT.at(clause.span, sort=sort, notes=[*notes, f"the sorts are {', '.join(f'`{name}`' for name in sorts)}"])


def _contradictions(clause: Declaration, signatures: Signatures) -> Iterator[Diagnostic]:
    name = clause.predicate
    columns = [column for column, _ in clause.columns]
    for column in sorted({column for column in columns if columns.count(column) > 1}):
        yield CHECKS.DECLARATION.at(clause.span, what=f"`{name}` has two columns `{column}`", notes=["give each column its own name"])
    first = signatures.declared[name]
    sorts = tuple(sort for _, sort in clause.columns)
    if sorts != tuple(sort for _, sort in first.columns):
        related = [Related(first.span, "declared here")]
        yield CHECKS.DECLARATION.at(
            clause.span, what=f"`{name}` is declared in another way before", related=related, notes=["keep one of the two"]
        )
    relation = signatures.schema.get(name)
    if relation is not None and sorts != relation.sorts:
        signature = ", ".join(f"{column}: {sort}" for column, sort in zip(relation.columns, relation.sorts, strict=False))
        yield CHECKS.DECLARATION.at(
            clause.span, what=f"`{name}` is a fact relation of another shape", notes=[f"the schema has `{name}({signature})`"]
        )
    facts = signatures.facts.get(name)
    if facts is not None and (len(facts) != len(sorts) or any("open" not in (a, b) and a != b for a, b in zip(facts, sorts, strict=True))):
        yield CHECKS.DECLARATION.at(clause.span, what=f"the facts of `{name}` have another shape", notes=[f"they are ({', '.join(facts)})"])


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the candidate closest to a misspelt name, or None when none is close: a third of its letters may be wrong."""
    best: tuple[int, str] | None = None
    for candidate in sorted(candidates):
        limit = min(len(name), len(candidate)) // 3 if best is None else best[0] - 1
        if abs(len(name) - len(candidate)) <= limit:
            distance = _distance(name[:64].lower(), candidate[:64].lower(), limit)
            if distance <= limit:
                best = (distance, candidate)
    return best[1] if best is not None else None


def _distance(left: str, right: str, limit: int) -> int:
    """Return the number of letters to insert, delete, replace or exchange with the next one; more than the limit once it is passed."""
    above: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        before, above, row = above, row, [i]
        for j, other in enumerate(right, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def plural(count: int, noun: str) -> str:
    """Return `1 column`, `2 columns`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
