"""The syntax trees of functions as arrays: what near-miss detection compares. Names, literals and comments are not in them."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.queries import captured
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MAX_NODES", "MIN_NODES", "UnitTree", "decode_trees", "encode_trees", "trees_of"]

MIN_NODES = 24
MAX_NODES = 256
_LAYOUT = ("line_continuation",)
_HEADER = struct.Struct("<4sIII")
_MAGIC = b"TRE1"


@dataclass(frozen=True, slots=True)
class UnitTree:
    """A function of at least 24 named nodes. `labels` are the kinds of its nodes in postorder, `leftmost` the index of each node's
    leftmost leaf descendant; both are empty when the function has more than 256 nodes (`nodes` then says how many).
    """

    start: int
    end: int
    nodes: int
    labels: tuple[str, ...]
    leftmost: tuple[int, ...]


def trees_of(parsed: Parsed) -> tuple[UnitTree, ...]:
    """Return the trees of the functions of a file that are large enough, by position."""
    kinds = tuple(dict.fromkeys(unit.node for unit in parsed.spec.units if unit.kind == "fn"))
    comments = frozenset((*parsed.spec.comments, *_LAYOUT))
    found = []
    for node in captured(parsed, kinds):
        if node.descendant_count < MIN_NODES:
            continue
        nodes = _count(node, comments)
        if nodes < MIN_NODES:
            continue
        labels, leftmost = _postorder(node, comments) if nodes <= MAX_NODES else ([], [])
        found.append(UnitTree(node.start_point[0] + 1, node.end_point[0] + 1, nodes, tuple(labels), tuple(leftmost)))
    return tuple(found)


def encode_trees(trees: tuple[UnitTree, ...]) -> bytes:
    """Return the trees of a file as a blob."""
    vocabulary = sorted({label for tree in trees for label in tree.labels})
    number = {label: index for index, label in enumerate(vocabulary)}
    names = "\n".join(vocabulary).encode()
    heads = np.array([(tree.start, tree.end, tree.nodes, len(tree.labels)) for tree in trees], "<u4")
    labels = np.array([number[label] for tree in trees for label in tree.labels], "<u2")
    leftmost = np.array([index for tree in trees for index in tree.leftmost], "<u2")
    body = zlib.compress(names + heads.tobytes() + labels.tobytes() + leftmost.tobytes(), 1)
    return _HEADER.pack(_MAGIC, len(names), len(trees), len(labels)) + body


def decode_trees(blob: bytes) -> tuple[UnitTree, ...]:
    """Return the trees of a blob. Raises ValueError when it is not one that `encode_trees` made."""
    try:
        magic, text, count, nodes = _HEADER.unpack_from(blob)
        expected = text + 16 * count + 4 * nodes
        inflater = zlib.decompressobj()
        body = inflater.decompress(blob[_HEADER.size :], expected + 1)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"no trees: {error}") from None
    if magic != _MAGIC or len(body) != expected or not inflater.eof:
        raise ValueError("trees of another length")
    vocabulary = body[:text].decode("utf-8").split("\n")
    heads = np.frombuffer(body, "<u4", 4 * count, text).reshape(count, 4).tolist()
    labels = np.frombuffer(body, "<u2", nodes, text + 16 * count).tolist()
    leftmost = np.frombuffer(body, "<u2", nodes, text + 16 * count + 2 * nodes).tolist()
    trees, at = [], 0
    for start, end, size, length in heads:
        own, left = labels[at : at + length], leftmost[at : at + length]
        if len(own) != length or any(label >= len(vocabulary) for label in own) or any(first > index for index, first in enumerate(left)):
            raise ValueError("a tree that points out of itself")
        trees.append(UnitTree(start, end, size, tuple(vocabulary[label] for label in own), tuple(left)))
        at += length
    return tuple(trees)


def _count(node: Node, comments: frozenset[str]) -> int:
    """Return the number of named nodes, comments left out; counting stops where it does not matter any more."""
    found, pending = 0, [node]
    while pending and found <= 16 * MAX_NODES:
        current = pending.pop()
        if current.type in comments:
            continue
        found += current.is_named
        pending.extend(current.children)
    return found


def _postorder(root: Node, comments: frozenset[str]) -> tuple[list[str], list[int]]:
    labels: list[str] = []
    leftmost: list[int] = []
    # A node is met twice: going down it notes how many nodes stand before its subtree, coming up it is numbered.
    pending: list[tuple[Node, int]] = [(root, -1)]
    while pending:
        node, before = pending.pop()
        if before >= 0:
            labels.append(node.type)
            leftmost.append(min(before, len(labels) - 1))
            continue
        if node.type in comments:
            continue
        if node.is_named:
            pending.append((node, len(labels)))
        pending.extend((child, -1) for child in reversed(node.children))
    return labels, leftmost
