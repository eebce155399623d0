"""Every relation that is read exists, no reserved one is redefined, heads are named, annotations are known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.checks.signatures import Finding, Signatures, nearest
from ce.datalog.codes import CHECKS
from ce.datalog.format import unparse_expression
from ce.datalog.syntax import Annotation, Arithmetic, Assertion, Declaration, Expression, Output, Program, Query, Rule, Wildcard
from ce.datalog.traverse import atoms, body_of
from ce.diagnostics import Diagnostic, Related

__all__ = ["ANNOTATIONS", "SEVERITIES", "check_annotations", "check_anonymous_heads", "check_names", "check_reserved"]

ANNOTATIONS = ("severity", "message", "doc")
SEVERITIES = ("error", "warning", "note")
# Looking for the nearest name is for typing mistakes, not for a program whose facts are missing altogether.
_MAX_SUGGESTIONS = 50
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def check_names(program: Program, signatures: Signatures, *, in_is_sugar: bool) -> Iterator[Finding]:
    """Yield a diagnostic for every relation that a body or an `output` reads and nothing defines."""
    names = signatures.names()
    suggestions = 0
    assertions = {clause.head.predicate: clause for clause in program.clauses if isinstance(clause, Assertion)}
    for index, clause in enumerate(program.clauses):
        uses = [(atom.predicate, atom.span) for atom in atoms(body_of(clause))]
        if isinstance(clause, Output):
            uses.append((clause.predicate, clause.span))
        for name, span in uses:
            if signatures.is_known(name) or (name == "in" and in_is_sugar):
                continue
            notes = []
            near = nearest(name, names) if suggestions < _MAX_SUGGESTIONS else None
            suggestions += 1
            if name in assertions:
                notes.append("an assertion is not a relation: define it with a rule and assert that")
            elif near is not None:
                notes.append(f"did you mean `{near}`?")
            else:
                notes.append("define it with a rule, or declare it: `decl …` gives a relation of loaded facts its columns")
            related = [Related(assertions[name].head.span, "this assertion has the name")] if name in assertions else []
            yield index, CHECKS.UNKNOWN_PREDICATE.at(span, predicate=name, notes=notes, related=related)


def check_reserved(program: Program, signatures: Signatures, reserved: Collection[str]) -> Iterator[Finding]:
    """Yield a diagnostic for every rule whose head is a built-in test, a fact relation or defined in a reserved source."""
    for index, clause in enumerate(program.clauses):
        if not isinstance(clause, Rule):
            continue
        name = clause.head.predicate
        if name in BUILTIN_TESTS:
            yield index, CHECKS.RESERVED.at(clause.head.span, predicate=name, owner="a built-in test")
        elif clause.span.source in reserved:
            continue
        elif name in signatures.schema:
            yield index, CHECKS.RESERVED.at(clause.head.span, predicate=name, owner="a relation of facts")
        elif name in signatures.reserved_rules:
            related = [Related(signatures.reserved_rules[name].head.span, "defined here")]
            yield index, CHECKS.RESERVED.at(clause.head.span, predicate=name, owner="reserved", related=related)


def check_anonymous_heads(program: Program) -> Iterator[Finding]:
    """Yield a diagnostic for every `_` in the head of a rule or an assertion."""
    for index, clause in enumerate(program.clauses):
        if isinstance(clause, Rule | Assertion):
            for argument in clause.head.args:
                if _has_wildcard(argument):
                    yield index, CHECKS.ANONYMOUS_HEAD.at(argument.span, text=unparse_expression(argument))


def check_annotations(program: Program) -> Iterator[Finding]:
    """Yield a diagnostic for every annotation that is unknown, repeated or has an unknown argument."""
    for index, clause in enumerate(program.clauses):
        if not isinstance(clause, Rule | Query | Assertion | Declaration):
            continue
        seen: set[str] = set()
        for annotation in clause.annotations:
            fault = _annotation_fault(annotation, seen)
            if fault is not None:
                yield index, fault
            elif annotation.name == "message" and isinstance(clause, Assertion):
                for fault in _placeholder_faults(annotation, clause):
                    yield index, fault
            seen.add(annotation.name)


def _annotation_fault(annotation: Annotation, seen: Collection[str]) -> Diagnostic | None:
    name, span = annotation.name, annotation.span
    if name not in ANNOTATIONS:
        near = nearest(name, ANNOTATIONS)
        notes = [f"did you mean `@{near}`?"] if near else [f"there are {', '.join(f'`@{known}`' for known in ANNOTATIONS)}"]
        return CHECKS.ANNOTATION.at(span, what=f"unknown annotation `@{name}`", notes=notes)
    if name in seen:
        return CHECKS.ANNOTATION.at(span, what=f"`@{name}` is given twice", notes=["keep one of them"])
    if name == "severity" and annotation.argument not in SEVERITIES:
        near = nearest(annotation.argument, SEVERITIES)
        notes = [f"did you mean `{near}`?"] if near else [f"there are {', '.join(f'`{known}`' for known in SEVERITIES)}"]
        return CHECKS.VOCABULARY.at(span, name=annotation.argument, what="a severity", notes=notes)
    return None


def _placeholder_faults(annotation: Annotation, clause: Assertion) -> Iterator[Diagnostic]:
    columns = [unparse_expression(argument) for argument in clause.head.args]
    for name in dict.fromkeys(_PLACEHOLDER.findall(annotation.argument)):
        if name not in columns:
            near = nearest(name, columns)
            notes = (
                [f"did you mean `{{{near}}}`?"] if near else [f"the columns are {', '.join(f'`{column}`' for column in columns) or 'none'}"]
            )
            yield CHECKS.PLACEHOLDER.at(annotation.span, name=name, notes=notes)


def _has_wildcard(expression: Expression) -> bool:
    if isinstance(expression, Arithmetic):
        return _has_wildcard(expression.left) or _has_wildcard(expression.right)
    return isinstance(expression, Wildcard)
