"""The checks: from a parsed program to one that the later stages may trust."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal as OneOf

from ce.datalog.checked import CheckedProgram, CoreRule, Goal, RelationType, SchemaRelation
from ce.datalog.checks.arity import check_arity
from ce.datalog.checks.names import check_annotations, check_anonymous_heads, check_names, check_reserved
from ce.datalog.checks.patterns import check_patterns
from ce.datalog.checks.range_restriction import check_range_restriction
from ce.datalog.checks.signatures import Finding, Signatures, check_declarations, collect_signatures
from ce.datalog.checks.stratification import check_stratification
from ce.datalog.checks.types import SortCheck, check_types
from ce.datalog.checks.vocabulary import check_vocabulary
from ce.datalog.format import unparse_expression
from ce.datalog.syntax import Assertion, Output, Program, Query
from ce.datalog.transform.normalise import Normalised, normalise
from ce.datalog.traverse import direct_variables
from ce.diagnostics import CeError, Diagnostic

__all__ = ["check"]


def check(
    program: Program,
    schema: Sequence[SchemaRelation] = (),
    *,
    reserved: Collection[str] = (),
    facts: Mapping[str, tuple[str, ...] | None] | None = None,
) -> CheckedProgram:
    """Return the checked program.

    `reserved` are the sources whose predicates no other source may redefine. `facts` are the sorts of relations loaded from
    outside the program, a column being `open` when its facts do not tell; None declares a relation whose shape only the program
    tells. Raises CeError with the faults of reading (of a program read with `recover`) and of every check: a clause
    with a fault is left out of the later checks, the others go on.
    """
    return _Check(program, collect_signatures(program, schema, reserved, facts or {}), reserved).run()


class _Check:
    """One run over one program: the faults so far and the clauses that still take part."""

    def __init__(self, program: Program, signatures: Signatures, reserved: Collection[str]) -> None:
        self.program, self.signatures, self.reserved = program, signatures, reserved
        self.faults: dict[Diagnostic, None] = dict.fromkeys(program.faults)
        self.faulty: set[int] = set()
        known = signatures
        self.in_is_sugar = "set" in known.schema and not any(
            "in" in table for table in (known.schema, known.facts, known.declared, known.rules)
        )

    def run(self) -> CheckedProgram:
        program, signatures = self.program, self.signatures
        self._report(check_declarations(program, signatures))
        self._report(check_annotations(program))
        self._report(check_patterns(program, in_is_sugar=self.in_is_sugar))
        self._report(check_arity(program, signatures))
        normalised = normalise([(i, c) for i, c in enumerate(program.clauses) if i not in self.faulty], in_is_sugar=self.in_is_sugar)
        self._report((index, fault) for index, fault in zip(sorted(normalised.faulty), normalised.faults, strict=True))
        rules = self._sound(normalised.rules)
        self._report(check_vocabulary(rules, signatures))
        sorts = check_types(self._sound(rules), signatures, program.sources)
        self._report(sorts.faults)
        self._report(check_anonymous_heads(program))
        rules = self._safe(self._sound(rules))
        self._report(check_names(program, signatures, in_is_sugar=self.in_is_sugar))
        self._report(check_reserved(program, signatures, self.reserved))
        rules = self._sound(rules)
        strata, faults = check_stratification(rules, normalised.origins, program.sources)
        self._report((rule.clause, fault) for rule, fault in faults)
        if self.faults:
            raise CeError(tuple(self.faults), dict(program.sources))
        relations = self._relations(rules, sorts, normalised)
        outputs = dict.fromkeys(clause.predicate for clause in program.clauses if isinstance(clause, Output))
        return CheckedProgram(program, tuple(rules), self._goals(normalised, relations), relations, strata, tuple(outputs))

    def _report(self, findings: Iterable[Finding]) -> None:
        found: list[Finding] = list(findings)
        fresh = [(index, fault) for index, fault in found if index not in self.faulty]
        for index, fault in fresh:
            self.faults.setdefault(fault)
            self.faulty.add(index)

    def _sound(self, rules: Iterable[CoreRule]) -> list[CoreRule]:
        return [rule for rule in rules if rule.clause not in self.faulty]

    def _safe(self, rules: Iterable[CoreRule]) -> list[CoreRule]:
        ordered: list[CoreRule] = []
        findings: list[Finding] = []
        for rule in rules:
            safe, faults = check_range_restriction(rule, self.program.sources)
            ordered.append(safe)
            findings += [(rule.clause, fault) for fault in faults]
        self._report(findings)
        return ordered

    def _relations(self, rules: Sequence[CoreRule], sorts: SortCheck, normalised: Normalised) -> dict[str, RelationType]:
        known = self.signatures
        heads = {rule.head.predicate for rule in rules}
        shapes = dict(sorts.sorts)
        for name, declaration in known.declared.items():
            shapes.setdefault(name, tuple(sort for _, sort in declaration.columns))
        for name, columns in known.facts.items():
            if columns is not None:
                shapes.setdefault(name, columns)
        for clause in self.program.clauses:
            if isinstance(clause, Output) and clause.predicate in known.schema:
                shapes.setdefault(clause.predicate, known.schema[clause.predicate].sorts)
        return {
            name: RelationType(
                name,
                columns,
                edb=name in known.schema or name in known.facts or name in known.declared,
                idb=name in heads,
                reserved=name in known.reserved_rules,
                auxiliary=name in normalised.origins,
            )
            for name, columns in sorted(shapes.items())
        }

    def _goals(self, normalised: Normalised, relations: Mapping[str, RelationType]) -> tuple[Goal, ...]:
        return tuple(
            _goal(self.program.clauses[index], index, predicate, relations[predicate]) for index, predicate in normalised.goals.items()
        )


_SEVERITIES: dict[str, OneOf["error", "warning", "note"]] = {"error": "error", "warning": "warning", "note": "note"}


def _goal(clause: object, index: int, predicate: str, relation: RelationType) -> Goal:
    assert isinstance(clause, Query | Assertion)
    notes = {annotation.name: annotation.argument for annotation in clause.annotations}
    is_query = isinstance(clause, Query)
    if isinstance(clause, Assertion):
        columns = tuple(unparse_expression(argument) for argument in clause.head.args)
    else:
        columns = tuple(direct_variables(clause.body))
    return Goal(
        "query" if is_query else "assert",
        clause.head.predicate if isinstance(clause, Assertion) else None,
        predicate,
        columns,
        relation.sorts,
        _SEVERITIES[notes.get("severity", "error")],
        notes.get("message"),
        notes.get("doc"),
        index,
        clause.span,
    )
