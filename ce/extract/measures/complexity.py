"""Cyclomatic and cognitive complexity and nesting of functions, as a fold over the structural nodes in source order.

A nesting structure pays one and the level, and raises the level only in its bodies; a flat clause pays one; an `if` that
continues an else chain pays one and stays at the level of the chain; a chain of short-circuit operators pays its runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.extract.compiled import Compiled, NodeRole, Role

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Frame", "Structure", "enter", "recursive_units"]


@dataclass(slots=True)
class Structure:
    """An open structure: what stands in one of its bodies is at level `inside`, the rest of it at level `header`."""

    end: int
    header: int
    inside: int
    bodies: tuple[tuple[int, int], ...]
    node: Node


@dataclass(slots=True)
class Frame:
    """The counters of one function, and the structures that are open in it."""

    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0
    structures: list[Structure] = field(default_factory=list)
    else_ifs: set[int] = field(default_factory=set)
    chain_of: dict[int, int] = field(default_factory=dict)  # operand of an operator node to the root of its chain
    chains: dict[int, list[tuple[int, str]]] = field(default_factory=dict)

    def level_at(self, start: int) -> int:
        """Close what ends before `start` and return the nesting level there."""
        structures = self.structures
        while structures and structures[-1].end <= start:
            structures.pop()
        if not structures:
            return 0
        top = structures[-1]
        for first, end in top.bodies:
            if first <= start < end:
                return top.inside
        return top.header

    def operator(self, node: Node) -> None:
        """Count a short-circuit operator and note it in its chain."""
        self.cyclomatic += 1
        root = self.chain_of.get(node.id, node.id)
        for operand in node.named_children:
            self.chain_of[operand.id] = root
        token = node.child_by_field_name("operator") or node.child(1)
        if token is not None:
            self.chains.setdefault(root, []).append((token.start_byte, token.type))

    def totals(self, cognitive_operators: Sequence[str]) -> tuple[int, int, int]:
        """Return cyclomatic complexity, cognitive complexity and nesting depth."""
        runs = 0
        for tokens in self.chains.values():
            previous = ""
            for _, token in sorted(tokens):
                if token != previous and (not cognitive_operators or token in cognitive_operators):
                    runs += 1
                    previous = token
        return self.cyclomatic, self.cognitive + runs, self.nesting


def enter(frame: Frame, role: NodeRole, node: Node, start: int, table: Compiled) -> None:
    """Count a structural node and open it."""
    frame.cyclomatic += role.cyclomatic
    kind = role.role
    if kind == Role.NONE:
        return
    level = frame.level_at(start)
    if kind == Role.NESTING:
        _enter_nesting(frame, role, node, level, table)
    elif kind == Role.FLAT:
        wrapped = next((child for child in node.named_children if child.kind_id in table.if_kinds), None)
        if wrapped is None:
            frame.cognitive += 1
        else:
            frame.else_ifs.add(wrapped.id)
    elif kind == Role.NEST_ONLY:
        _open(frame, node, level, level + 1, ((start, node.end_byte),))
    elif kind == Role.CHAIN:
        frame.cyclomatic += max(node.named_child_count - 1, 0)
        frame.cognitive += 1
    else:
        _open(frame, node, level, level, ())


def _enter_nesting(frame: Frame, role: NodeRole, node: Node, level: int, table: Compiled) -> None:
    if role.is_if:
        alternative = node.child_by_field_id(table.alternative)
        if alternative is not None:
            kind = alternative.kind_id
            if kind in table.if_kinds:
                frame.else_ifs.add(alternative.id)
            elif kind not in table.flat_kinds:
                frame.cognitive += 1
    if role.is_if and node.id in frame.else_ifs:
        frame.cognitive += 1
        header, inside = max(level - 1, 0), level
    else:
        frame.cognitive += 1 + level
        header, inside = level, level + 1
        frame.nesting = max(frame.nesting, inside)
    _open(frame, node, header, inside, _body_ranges(role, node, table))


def _open(frame: Frame, node: Node, header: int, inside: int, bodies: tuple[tuple[int, int], ...]) -> None:
    frame.structures.append(Structure(node.end_byte, header, inside, bodies, node))


def _body_ranges(role: NodeRole, node: Node, table: Compiled) -> tuple[tuple[int, int], ...]:
    if not role.bodies:
        return ((node.start_byte, node.end_byte),)
    ranges = []
    for body in role.bodies:
        if body < 0:
            ranges += [(child.start_byte, child.end_byte) for child in node.named_children if child.kind_id == -body]
            continue
        child = node.child_by_field_id(body)
        if child is not None:  # an `if` has its alternatives last, and may have several
            ranges.append((child.start_byte, node.end_byte if body == table.alternative else child.end_byte))
    return tuple(ranges)


def recursive_units(edges: Sequence[set[int]]) -> set[int]:
    """Return the units that stand in a call cycle: a component larger than one, or a call of itself.

    `edges[u]` are the units that `u` provably calls. Tarjan's algorithm with its own stack.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    found: set[int] = set()
    for root in range(len(edges)):
        if root in index or not edges[root]:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            unit, rest = work[-1]
            below = next(rest, None)
            if below is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    found |= _component(unit, stack, on_stack, edges)
            elif below not in index:
                index[below] = low[below] = len(index)
                stack.append(below)
                on_stack.add(below)
                work.append((below, iter(sorted(edges[below]))))
            elif below in on_stack:
                low[unit] = min(low[unit], index[below])
    return found


def _component(root: int, stack: list[int], on_stack: set[int], edges: Sequence[set[int]]) -> set[int]:
    component = set()
    while True:
        unit = stack.pop()
        on_stack.discard(unit)
        component.add(unit)
        if unit == root:
            break
    return component if len(component) > 1 or root in edges[root] else set()
