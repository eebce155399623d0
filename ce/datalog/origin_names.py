"""How proofs name a relation: by its name, or by the text of the conjunction that it was made for."""

from __future__ import annotations

from collections.abc import Mapping

from ce.datalog.checked import CheckedProgram
from ce.datalog.format import unparse_body

__all__ = ["origin_names", "origin_places"]


def origin_names(checked: CheckedProgram) -> Mapping[str, str]:
    """Return what to call each auxiliary relation: its bodies as text, in parentheses."""
    bodies: dict[str, list[str]] = {}
    for rule in checked.rules:
        if rule.auxiliary:
            bodies.setdefault(rule.head.predicate, []).append(unparse_body([rule.body[index] for index in rule.textual_order]))
    return {predicate: f"({' ; '.join(texts)})" for predicate, texts in bodies.items()}


def origin_places(checked: CheckedProgram) -> Mapping[str, str]:
    """Return the place of the clause that each auxiliary relation was made for."""
    return {rule.head.predicate: rule.at for rule in checked.rules if rule.auxiliary}
