"""Cyclomatic and cognitive complexity and nesting of functions, as a fold over the structural nodes in source order.

A nesting structure pays one and the level, and raises the level only in its bodies; a flat clause pays one; an `if` that
continues an else chain pays one and stays at the level of the chain; a chain of short-circuit operators pays its runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ce.extract.compiled import Compiled, NodeRole, Role
from ce.extract.drafts import UnitDraft

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["close", "enter", "level_at", "operator"]


def level_at(frame: UnitDraft, start: int) -> int:
    """Close the structures that end before `start` and return the nesting level there."""
    structures = frame.structures
    while structures and structures[-1][0] <= start:
        structures.pop()
    if not structures:
        return 0
    _, header, inside, bodies = structures[-1]
    for first, end in bodies:
        if first <= start < end:
            return inside
    return header


def enter(frame: UnitDraft, role: NodeRole, node: Node, start: int, end: int, table: Compiled) -> None:
    """Open a structural node and count what it adds to cognitive complexity."""
    kind = role.role
    level = level_at(frame, start)
    if kind == Role.NESTING:
        if role.is_if and table.alternative:
            _look_at_alternative(frame, node, table)
        if role.is_if and frame.else_ifs is not None and node.id in frame.else_ifs:
            frame.cognitive += 1
            header, inside = max(level - 1, 0), level
        else:
            inside = level + 1
            frame.cognitive += inside
            header = level
            if inside > frame.nesting:
                frame.nesting = inside
        frame.structures.append((end, header, inside, _body_ranges(role, node, start, end)))
    elif kind == Role.FLAT:
        wrapped = next((child for child in node.named_children if child.kind_id in table.if_kinds), None)
        if wrapped is None:
            frame.cognitive += 1
        else:
            _note_else_if(frame, wrapped)
    elif kind == Role.NEST_ONLY:
        frame.structures.append((end, level, level + 1, ((start, end),)))
    elif kind == Role.CHAIN:
        frame.cyclomatic += max(node.named_child_count - 1, 0)
        frame.cognitive += 1
    else:
        frame.structures.append((end, level, level, ()))


def operator(frame: UnitDraft, node: Node) -> None:
    """Count a short-circuit operator and note it in its chain."""
    frame.cyclomatic += 1
    if frame.chains is None or frame.chain_of is None:
        frame.chains, frame.chain_of = {}, {}
    chain_of = frame.chain_of
    own = node.id
    root = chain_of.get(own, own)
    children = node.children
    token: Node | None
    if len(children) == 3:
        left, token, right = children
        chain_of[left.id] = chain_of[right.id] = root
    else:
        for operand in node.named_children:
            chain_of[operand.id] = root
        token = node.child_by_field_name("operator") or node.child(1)
    if token is not None:
        frame.chains.setdefault(root, []).append((token.start_byte, token.type))


def close(frame: UnitDraft, cognitive_operators: Sequence[str]) -> None:
    """Add the runs of like operators of every chain, and forget the nodes."""
    if frame.chains:
        for tokens in frame.chains.values():
            previous = ""
            for _, token in sorted(tokens):
                if token != previous and (not cognitive_operators or token in cognitive_operators):
                    frame.cognitive += 1
                    previous = token
        frame.chains = frame.chain_of = None
    if frame.structures:
        frame.structures = []
    frame.else_ifs = None


def _look_at_alternative(frame: UnitDraft, node: Node, table: Compiled) -> None:
    """A language without an else node: an `if` as alternative continues the chain, anything else is a plain else and pays one."""
    alternative = node.child_by_field_id(table.alternative)
    if alternative is None:
        return
    if alternative.kind_id in table.if_kinds:
        _note_else_if(frame, alternative)
    else:
        frame.cognitive += 1


def _note_else_if(frame: UnitDraft, node: Node) -> None:
    if frame.else_ifs is None:
        frame.else_ifs = set()
    frame.else_ifs.add(node.id)


def _body_ranges(role: NodeRole, node: Node, start: int, end: int) -> tuple[tuple[int, int], ...]:
    if not role.bodies:
        return ((start, end),)
    ranges = []
    for body in role.bodies:
        if body < 0:
            ranges += [(child.start_byte, child.end_byte) for child in node.named_children if child.kind_id == -body]
            continue
        child = node.child_by_field_id(body)
        if child is not None:
            if role.body_to_end:
                return ((child.start_byte, end),)
            ranges.append((child.start_byte, child.end_byte))
    return tuple(ranges)
