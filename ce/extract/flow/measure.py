"""Statements that no path of their function reaches, and local values that no path reads.

A stretch is reported once, at its outermost statements. The first statement says why: what stands before it never ends, or the
condition around it is a constant. Reading of locals is a backward may-analysis over the same graph (Aho et al., *Compilers*, §9.2.5);
names that an inner scope can see are left out, because it may read them at any time.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.extract.flow.graph import Graph, TooDeep, build
from ce.extract.flow.reading import below, text_of
from ce.extract.flow.shapes import Block, FlowTable, Jump, Loop, Names, Simple, Skip, parts
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["FileFlow", "Store", "Stretch", "decode_flow", "encode_flow", "flow_of"]

_Key = tuple[int, int, int]
_IDENTIFIERS = ("identifier", "shorthand_property_identifier")
_MAX_STORES = 2_000  # locals with plain assignments in one function; a larger one is generated


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines that no path reaches. `why` is a word of the vocabulary `flow_reason`.

    `keeps` says what the lines do by standing there (`generator`, `scope`, `await`, `binding`, `label`), empty when nothing.
    """

    start: int
    end: int
    why: str
    at: int  # the line of what never ends, or of the condition
    keeps: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """A value that is overwritten (`why` is `overwritten`) or never looked at (`unread`) on every path."""

    line: int
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class FileFlow:
    """What the functions of one file say about control flow; `problems` are functions that were not followed."""

    stretches: tuple[Stretch, ...] = ()
    stores: tuple[Store, ...] = ()
    problems: tuple[str, ...] = ()


def flow_of(parsed: Parsed, table: FlowTable) -> FileFlow:
    """Return the unreachable stretches and unread values of all functions of a file, by line."""
    assert parsed.tree is not None
    stretches: list[Stretch] = []
    stores: list[Store] = []
    problems: list[str] = []
    functions = list(_functions(parsed.tree.root_node, table))
    never = frozenset(_name(one, parsed.text) for one in functions if table.never_returning(one, parsed.text)) - {""}
    for function in functions:
        body = function.child_by_field_name("body")
        # A tree with errors says too little about what follows what.
        if body is None or function.has_error or table.is_opaque(body):
            continue
        try:
            graph = build(table, body, parsed.text, never)
        except TooDeep:
            problems.append(f"the function in line {function.start_point[0] + 1} is nested too deeply: its control flow is not followed")
            continue
        reached = graph.reached()
        live = {_key(step) for step, is_reached in zip(graph.steps, reached, strict=True) if step is not None and is_reached}
        stretches += _stretches(parsed, table, function, body, live)
        stores += _stores(parsed, table, body, graph, reached)
    return FileFlow(
        tuple(sorted(set(stretches), key=lambda s: (s.start, s.end, s.why))),
        tuple(sorted(stores, key=lambda s: (s.line, s.name))),
        tuple(problems),
    )


def _key(node: Node) -> _Key:
    """Return what tells a node from all others: the parser packs small leaves, so their ids repeat."""
    return node.start_byte, node.end_byte, node.kind_id


def _functions(root: Node, table: FlowTable) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in table.functions:
            yield node
        pending.extend(reversed(node.named_children))


def _name(function: Node, text: bytes) -> str:
    name = function.child_by_field_name("name")
    return "" if name is None else text_of(name, text)


# --- stretches


def _stretches(parsed: Parsed, table: FlowTable, function: Node, body: Node, live: set[_Key]) -> Iterator[Stretch]:
    for first, last, before in _dead_runs(parsed, table, body, live):
        nodes = (
            [node for node in first.parent.named_children if first.start_byte <= node.start_byte <= last.start_byte]
            if first.parent is not None
            else [first]
        )
        why, at = _reason(parsed, table, first, before)
        yield Stretch(first.start_point[0] + 1, _last_line(last), why, at, _keeps(parsed, table, function, body, nodes, live))


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def _dead_runs(parsed: Parsed, table: FlowTable, body: Node, live: set[_Key]) -> Iterator[tuple[Node, Node, Node | None]]:
    """Yield the outermost unreachable statements that stand in a row: the first, the last, and the statement before them."""
    pending: list[Sequence[Node]] = [[body]]
    while pending:
        first = last = before = previous = None
        for node in pending.pop():
            shape = table.shape(node, parsed.text)
            if isinstance(shape, Skip):
                continue
            if isinstance(shape, Block):
                pending.append(shape.statements)
                previous = node
            elif _is_live(table, node, live):
                if first is not None and last is not None:
                    yield first, last, before
                first = last = None
                previous = node
                pending += parts(shape)
            else:
                if first is None:
                    first, before = node, previous
                last = node
        if first is not None and last is not None:
            yield first, last, before


def _is_live(table: FlowTable, node: Node, live: set[_Key]) -> bool:
    """Return whether any step of a statement is reached."""
    pending = [node]
    while pending:
        current = pending.pop()
        if _key(current) in live:
            return True
        if current is node or current.type not in table.functions:
            pending.extend(current.named_children)
    return False


def _reason(parsed: Parsed, table: FlowTable, first: Node, before: Node | None) -> tuple[str, int]:
    if before is None:
        around = first.parent
        while around is not None and isinstance(table.shape(around, parsed.text), Block):
            around = around.parent
        return "condition", (around or first).start_point[0] + 1
    shape = table.shape(before, parsed.text)
    line = before.start_point[0] + 1
    if isinstance(shape, Jump):
        return "after_jump", line
    if isinstance(shape, Loop):
        return "after_loop", line
    return ("after_exit" if isinstance(shape, Simple) else "after_branches"), line


def _is_within(node: Node, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= node.start_byte < end for start, end in ranges)


def _statements(parsed: Parsed, table: FlowTable, body: Node) -> Iterator[Node]:
    """Yield the plain statements of a function, and what its loops and handlers bind."""
    pending = [body]
    while pending:
        node = pending.pop()
        shape = table.shape(node, parsed.text)
        if isinstance(shape, Simple):
            yield node
        elif isinstance(shape, Loop) and shape.target is not None:
            yield shape.target
        for part in parts(shape):
            pending.extend(part)


def _keeps(parsed: Parsed, table: FlowTable, function: Node, body: Node, nodes: Sequence[Node], live: set[_Key]) -> str:
    ranges = [(node.start_byte, node.end_byte) for node in nodes]
    inside: dict[str, int] = {}
    outside: set[str] = set()
    bound_inside: set[str] = set()
    used_outside: set[str] = set()
    bound_outside: set[str] = set()
    if table.names is not None:
        for node in _statements(parsed, table, body):
            names = table.names(node, parsed.text)
            (bound_inside if _is_within(node, ranges) else bound_outside).update({name for name, _ in names.writes} | names.binds)
    pending = [body]
    while pending:
        node = pending.pop()
        within = _is_within(node, ranges)
        word = table.must_stay(node)
        if word:
            if within:
                inside.setdefault(word, node.start_byte)
            else:
                outside.add(word)
        if node.type in _IDENTIFIERS and not within:
            used_outside.add(text_of(node, parsed.text))
        if node.type not in table.functions:
            pending.extend(node.named_children)
    parameters = function.child_by_field_name("parameters")
    if parameters is not None:
        bound_outside |= {text_of(one, parsed.text) for one in below(parameters, "identifier", frozenset())}
    for word in sorted(inside):
        # One reachable `yield` is enough for a generator; names of scopes and labels hold for the whole function.
        if word not in outside or word in ("scope", "label"):
            return word
    return "binding" if (bound_inside & used_outside) - bound_outside else ""


# --- values that no path reads


def _stores(parsed: Parsed, table: FlowTable, body: Node, graph: Graph, reached: bytearray) -> Iterator[Store]:
    if table.names is None or table.shared is None:
        return
    shared = table.shared(body, parsed.text)
    if "*" in shared:
        return
    facts: list[Names | None] = [
        table.names(step, parsed.text) if step is not None and reached[number] and number not in graph.heads else None
        for number, step in enumerate(graph.steps)
    ]
    written = {name for names in facts if names is not None for name, _ in names.writes if name not in shared and not name.startswith("_")}
    if not written or sum(len(names.writes) for names in facts if names is not None) > _MAX_STORES:
        return
    read_at_all = {name for names in facts if names is not None for name in names.reads}
    wanted = _read_later(graph, facts, written)
    seen = set()
    for number, names in enumerate(facts):
        for name, line in names.writes if names is not None else ():
            if name in written and name not in wanted[number] and (line, name) not in seen:
                seen.add((line, name))
                if all(name not in wanted[other] for other in _copies(graph, number)):
                    yield Store(line, name, "overwritten" if name in read_at_all else "unread")


def _copies(graph: Graph, number: int) -> Iterator[int]:
    step = graph.steps[number]
    return (other for other, one in enumerate(graph.steps) if one is not None and step is not None and _key(one) == _key(step))


def _read_later(graph: Graph, facts: Sequence[Names | None], written: set[str]) -> list[set[str]]:
    """Return for each step the written names that some path from its end reads before it gives them another value."""
    before: list[set[str]] = [set() for _ in facts]
    later: list[set[str]] = [set() for _ in facts]
    comes_from: list[list[int]] = [[] for _ in facts]
    for number, following in enumerate(graph.after):
        for one in following:
            comes_from[one].append(number)
    pending = list(range(len(facts)))
    waiting = set(pending)
    while pending:
        number = pending.pop()
        waiting.discard(number)
        wanted = set().union(*(before[one] for one in graph.after[number])) if graph.after[number] else set()
        later[number] = wanted
        names = facts[number]
        entering = wanted if names is None else (wanted - {name for name, _ in names.writes} - names.binds) | (names.reads & written)
        if entering != before[number]:
            before[number] = entering
            for one in comes_from[number]:
                if one not in waiting:
                    waiting.add(one)
                    pending.append(one)
    return later


# --- blobs


def encode_flow(flow: FileFlow) -> bytes:
    """Return the flow of a file as a blob."""
    rows = [
        [[s.start, s.end, s.why, s.at, s.keeps] for s in flow.stretches],
        [[s.line, s.name, s.why] for s in flow.stores],
        list(flow.problems),
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)


def decode_flow(blob: bytes) -> FileFlow:
    """Return the flow of a blob. Raises ValueError when it is not one that `encode_flow` made."""
    try:
        stretches, stores, problems = json.loads(zlib.decompress(blob))
        return FileFlow(
            tuple(Stretch(int(start), int(end), str(why), int(at), str(keeps)) for start, end, why, at, keeps in stretches),
            tuple(Store(int(line), str(name), str(why)) for line, name, why in stores),
            tuple(str(problem) for problem in problems),
        )
    except (zlib.error, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"no control flow: {error}") from None
