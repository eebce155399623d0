"""Proofs as JSON values and back: one table of all nodes, so that what proofs share is written once and shared again when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from ce.datalog.proof import Kind, ProofNode

__all__ = ["decode_proofs", "encode_proofs"]

_KINDS = frozenset(get_args(Kind))


def encode_proofs(proofs: Sequence[ProofNode | None]) -> list[object]:
    """Return the table of texts, that of the nodes, premises first, and the number of each proof's root (-1 for None)."""
    texts: dict[str, int] = {}
    numbers: dict[int, int] = {}
    nodes: list[list[object]] = []
    for root in proofs:
        pending = [] if root is None else [root]
        while pending:
            node = pending[-1]
            waiting = [premise for premise in node.premises if id(premise) not in numbers]
            if waiting:
                pending += reversed(waiting)
                continue
            pending.pop()
            if id(node) not in numbers:
                numbers[id(node)] = len(nodes)
                nodes.append(_encoded(node, numbers, texts))
    return [list(texts), nodes, [-1 if root is None else numbers[id(root)] for root in proofs]]


def decode_proofs(document: Any) -> list[ProofNode | None]:
    """Return the proofs that were encoded. Raises ValueError, TypeError or IndexError for anything else."""
    texts, rows, roots = document
    if not all(type(text) is str for text in texts):
        raise ValueError("a text of a proof is none")
    nodes: list[ProofNode] = []
    for row in rows:
        nodes.append(_decoded(row, nodes, texts))
    return [None if root == -1 else _at(nodes, root) for root in roots]


def _encoded(node: ProofNode, numbers: dict[int, int], texts: dict[str, int]) -> list[object]:
    """Return a node as a row: a text is its number in the table of texts, a number stands in a list of its own."""

    def told(value: int | str | None) -> object:
        if value is None:
            return None
        return texts.setdefault(value, len(texts)) if isinstance(value, str) else [value]

    return [
        told(node.kind),
        told(node.predicate),
        [told(value) for value in node.args],
        told(node.rule),
        told(node.at),
        [numbers[id(premise)] for premise in node.premises],
        node.searched,
        node.omitted,
    ]


def _decoded(row: Any, nodes: list[ProofNode], texts: list[str]) -> ProofNode:
    kind, predicate, args, rule, at, premises, searched, omitted = row
    if _at(texts, kind) not in _KINDS or type(omitted) is not int or not (searched is None or type(searched) is int):
        raise ValueError("a node of a proof is none")
    return ProofNode(
        _at(texts, kind),
        _text(predicate, texts),
        tuple(_number(value) if type(value) is list else _at(texts, value) for value in args),
        _text(rule, texts),
        _text(at, texts),
        tuple(_at(nodes, premise) for premise in premises),
        searched,
        omitted,
    )


def _text(number: Any, texts: list[str]) -> str | None:
    return None if number is None else _at(texts, number)


def _number(value: list[Any]) -> int:
    (number,) = value
    if type(number) is not int:
        raise ValueError("a number of a proof is none")
    return number


def _at(table: list[Any], number: Any) -> Any:
    """Return a row of a table; a negative number would count from its end."""
    if type(number) is not int or number < 0:
        raise ValueError("a reference in a proof is none")
    return table[number]
