"""Rules as a plan runs them, and the components of what they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import CoreLiteral, Stratum
from ce.datalog.sorts import all_literals
from ce.datalog.syntax import Atom

__all__ = ["PlannedRule", "strata_of"]


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule as it is run. `origin` is the number of the user's rule that it stands for, in `CheckedProgram.rules`."""

    head: Atom
    body: tuple[CoreLiteral, ...]
    origin: int


def strata_of(rules: Sequence[PlannedRule]) -> tuple[Stratum, ...]:
    """Return the components of the rules' dependency graph, each after all that it reads."""
    reads: dict[str, dict[str, None]] = {}
    for rule in rules:
        found = reads.setdefault(rule.head.predicate, {})
        found.update((literal.predicate, None) for literal in all_literals(rule.body) if isinstance(literal, Atom))
    reads = {head: {name: None for name in found if name in reads} for head, found in reads.items()}
    return tuple(
        Stratum(tuple(component), recursive=len(component) > 1 or component[0] in reads[component[0]]) for component in _components(reads)
    )


def _components(reads: Mapping[str, Mapping[str, None]]) -> list[list[str]]:
    """Return the strongly connected components, a component after those that its members read (Tarjan's algorithm without recursion)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    is_open: set[str] = set()
    components: list[list[str]] = []
    for root in reads:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        open_names.append(root)
        is_open.add(root)
        path = [(root, iter(reads[root]))]
        while path:
            name, successors = path[-1]
            successor = next(successors, None)
            if successor is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    at = open_names.index(name)
                    components.append(open_names[at:])
                    is_open.difference_update(open_names[at:])
                    del open_names[at:]
            elif successor not in number:
                number[successor] = lowest[successor] = len(number)
                open_names.append(successor)
                is_open.add(successor)
                path.append((successor, iter(reads[successor])))
            elif successor in is_open:
                lowest[name] = min(lowest[name], number[successor])
    return components
