"""Proofs read back from their JSON form, for a checker that trusts nothing.

The reader restores the graph: `{"ref": id}` becomes the sub-proof that bears the id, whether it stands in the tree or under `lemmas`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from ce.datalog.proof import Kind, ProofNode, number_nodes

__all__ = ["ProofFormatError", "read_proof"]

_KINDS = frozenset(get_args(Kind))
_REQUIRED = frozenset({"id", "kind", "predicate", "args", "rule", "at", "premises"})
_OPTIONAL = frozenset({"searched", "omitted"})


class ProofFormatError(Exception):
    """The document is no proof, or not in the form that `ProofNode.to_dict` gives."""


def read_proof(document: Mapping[str, object]) -> ProofNode:
    """Return the root of the proof that the document holds, or raise ProofFormatError."""
    entries = _collect(document)
    nodes: dict[int, ProofNode] = {}
    for number in _premises_first(entries):
        nodes[number] = _node(entries[number], nodes)
    _require(0 in nodes, "the root has the id 0")
    for number, entry in enumerate(number_nodes(nodes[0])):
        _require(nodes.get(number) is entry.node, f"id {number} is not the pre-order number of its node")
    return nodes[0]


@dataclass(frozen=True, slots=True)
class _Entry:
    fields: Mapping[str, object]
    premises: list[int] = field(default_factory=list)


def _collect(document: Mapping[str, object]) -> dict[int, _Entry]:
    """Return the entries by id, the root first, each with the ids of its premises."""
    entries: dict[int, _Entry] = {}
    lemmas = _list(document.get("lemmas", []))
    awaited: set[int] = set()
    pending: list[tuple[object, list[int]]] = [(lemma, []) for lemma in lemmas]
    root = {key: value for key, value in document.items() if key != "lemmas"}
    pending.append((root, []))
    while pending:
        value, siblings = pending.pop()
        _require(isinstance(value, Mapping), "a node is an object")
        fields = cast(Mapping[str, object], value)
        if "ref" in fields:
            _require(set(fields) == {"ref"}, "a reference has an id and nothing else")
            siblings.append(_integer(fields["ref"]))
            if siblings[-1] not in entries:
                awaited.add(siblings[-1])
            continue
        _require(_REQUIRED <= set(fields) <= _REQUIRED | _OPTIONAL, "a node has a field too many or too few")
        number = _integer(fields["id"])
        _require(number not in entries, f"two nodes have the id {number}")
        siblings.append(number)
        entries[number] = entry = _Entry(fields)
        pending += [(premise, entry.premises) for premise in reversed(_list(fields["premises"]))]
    apart = {lemma["id"] for lemma in lemmas if isinstance(lemma, Mapping) and "id" in lemma}
    _require(awaited <= apart, "a reference comes before what it refers to")
    return entries


def _premises_first(entries: Mapping[int, _Entry]) -> Iterator[int]:
    """Yield the ids that the root needs, each after its premises; a proof that rests on itself is refused."""
    state: dict[int, str] = {}
    _require(bool(entries), "the root is a reference")
    pending = [next(iter(entries))]
    while pending:
        number = pending[-1]
        _require(number in entries, f"no node has the id {number}")
        if state.get(number) is None:
            state[number] = "open"
            for premise in entries[number].premises:
                _require(state.get(premise) != "open", f"node {premise} rests on itself")
            pending += [premise for premise in entries[number].premises if premise not in state]
        else:
            pending.pop()
            if state[number] == "open":
                state[number] = "done"
                yield number
    _require(len(state) == len(entries), "a node supports nothing")


def _node(entry: _Entry, nodes: Mapping[int, ProofNode]) -> ProofNode:
    fields = entry.fields
    kind = fields["kind"]
    _require(isinstance(kind, str) and kind in _KINDS, f"unknown kind {kind!r}")
    args = _list(fields["args"])
    _require(all(type(value) in (int, str) for value in args), "an argument is a number or a name")
    for key in ("predicate", "rule", "at"):
        _require(fields[key] is None or isinstance(fields[key], str), f"`{key}` is a text or null")
    searched = fields.get("searched")
    return ProofNode(
        cast(Kind, kind),
        cast(str | None, fields["predicate"]),
        tuple(cast(list[int | str], args)),
        cast(str | None, fields["rule"]),
        cast(str | None, fields["at"]),
        tuple(nodes[premise] for premise in entry.premises),
        None if searched is None else _integer(searched),
        _integer(fields.get("omitted", 0)),
    )


def _list(value: object) -> list[object]:
    _require(isinstance(value, list), "a list is missing")
    return cast(list[object], value)


def _integer(value: object) -> int:
    _require(type(value) is int, f"{value!r} is not a count")
    return cast(int, value)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ProofFormatError(otherwise)
