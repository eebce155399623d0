"""Strata: every relation that a rule negates or aggregates is complete before the rule runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ce.datalog.checked import BUILTIN_TESTS, CoreLiteral, CoreRule, Stratum
from ce.datalog.codes import CHECKS
from ce.datalog.excerpt import shown
from ce.datalog.syntax import Aggregate, Atom, Literal
from ce.datalog.traverse import core_body
from ce.diagnostics import Diagnostic, Related

__all__ = ["Edge", "check_stratification", "dependencies", "strongly_connected_components"]


@dataclass(frozen=True, slots=True)
class Edge:
    """`head` reads `predicate` in `literal` of `rule`; not `positive` under negation and inside aggregates."""

    head: str
    predicate: str
    positive: bool
    literal: Literal
    rule: CoreRule


def dependencies(rules: Iterable[CoreRule]) -> dict[str, list[Edge]]:
    """Return what each head reads, for every head, in rule and body order."""
    found: dict[str, list[Edge]] = {}
    for rule in rules:
        edges = found.setdefault(rule.head.predicate, [])
        edges += _edges(rule, rule.body, True, None)
    return found


def check_stratification(
    rules: Sequence[CoreRule], origins: Mapping[str, Literal], sources: Mapping[str, str]
) -> tuple[tuple[Stratum, ...], list[tuple[CoreRule, Diagnostic]]]:
    """Return the strata in evaluation order, and a (rule, diagnostic) for every component with a negation inside."""
    graph = dependencies(rules)
    strata: list[Stratum] = []
    faults: list[tuple[CoreRule, Diagnostic]] = []
    targets = {head: list(dict.fromkeys(edge.predicate for edge in edges if edge.predicate in graph)) for head, edges in graph.items()}
    for component in strongly_connected_components(targets):
        members = set(component)
        inside = [edge for head in component for edge in graph[head] if edge.predicate in members]
        strata.append(Stratum(component, bool(inside)))
        negative = [edge for edge in inside if not edge.positive]
        if negative:
            worst = min(negative, key=lambda edge: (edge.rule.clause, edge.literal.span))
            faults.append((worst.rule, _unstratifiable(worst, graph, members, origins, sources)))
    return tuple(strata), faults


def strongly_connected_components(graph: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the components, each after those it reads; members in the order of the graph's keys."""
    position = {node: place for place, node in enumerate(graph)}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    components: list[tuple[str, ...]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = [stack.pop()]
                    while members[-1] != node:
                        members.append(stack.pop())
                    on_stack.difference_update(members)
                    components.append(tuple(sorted(members, key=position.__getitem__)))
    return components


def _edges(rule: CoreRule, body: Iterable[CoreLiteral], positive: bool, outer: Literal | None) -> Iterator[Edge]:
    for literal in body:
        if isinstance(literal, Atom):
            if literal.predicate not in BUILTIN_TESTS:
                yield Edge(rule.head.predicate, literal.predicate, positive and not literal.negated, outer or literal, rule)
        elif isinstance(literal, Aggregate):
            yield from _edges(rule, core_body(literal), False, outer or literal)


def _unstratifiable(
    edge: Edge, graph: Mapping[str, list[Edge]], members: set[str], origins: Mapping[str, Literal], sources: Mapping[str, str]
) -> Diagnostic:
    path = _path(edge.predicate, edge.head, graph, members)
    # Auxiliary predicates have no name in the text; what they stand for is shown instead.
    names = [step.head for step in (edge, *path) if step.head not in origins]
    cycle = " → ".join(f"`{name}`" for name in [*names, names[0]])
    negated = origins.get(edge.predicate, edge.literal)
    aggregated = isinstance(negated, Aggregate) and not negated.result.name.startswith("_")
    related = [
        Related(step.literal.span, f"`{step.head}` reads `{step.predicate}` here")
        for step in path
        if step.head not in origins and step.predicate not in origins
    ]
    return CHECKS.UNSTRATIFIABLE.at(
        negated.span,
        predicate=names[0],
        what="an aggregate over" if aggregated else "the absence of",
        cycle=cycle,
        related=related,
        notes=[f"the {'aggregate' if aggregated else 'negated literal'} is `{shown(negated, sources)}`"],
    )


def _path(start: str, end: str, graph: Mapping[str, list[Edge]], members: set[str]) -> list[Edge]:
    """Return a shortest path of edges from one predicate of a component to another; empty when they are the same."""
    came: dict[str, Edge] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node == end:
            break
        for edge in graph[node]:
            if edge.predicate in members and edge.predicate not in came and edge.predicate != start:
                came[edge.predicate] = edge
                queue.append(edge.predicate)
    path: list[Edge] = []
    node = end
    while node != start:
        path.append(came[node])
        node = came[node].head
    return path[::-1]
