"""Every way to corrupt one node of a proof in its JSON form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from ce.datalog.proof import Kind

__all__ = ["corruptions"]

Document = dict[str, Any]

# What was done, and the node after it.
Change = tuple[str, Document]

_WRONG_VALUES = (999983, "corrupted", None, True, 1.5)


def corruptions(document: Document, places: tuple[str, ...]) -> Iterator[Change]:
    """Yield what was done to one node, and the whole proof after it; `places` are places of rules that may be cited wrongly."""
    yield from _changes(document, places)
    for key in ("premises", "lemmas"):
        children = document.get(key, [])
        for number, child in enumerate(children):
            for what, changed in corruptions(child, places):
                yield what, {**document, key: [*children[:number], changed, *children[number + 1 :]]}


def _changes(node: Document, places: tuple[str, ...]) -> Iterator[Change]:
    if "ref" in node:
        for reference in (node["ref"] + 1, 0, 10**6):
            yield f"reference {node['ref']} is {reference}", {"ref": reference}
        yield "a reference with a kind", {**node, "kind": "fact"}
        return
    for what, changed in (*_of_fields(node, places), *_of_args(node), *_of_premises(node)):
        yield f"node {node['id']}: {what}", changed


def _of_fields(node: Document, places: tuple[str, ...]) -> Iterator[Change]:
    wrong = {
        "kind": (*get_args(Kind), "proof", None),
        "id": (node["id"] + 10**6, str(node["id"])),
        "predicate": ("no_such_relation", None, 1),
        "rule": (*places, "elsewhere:1", None),
        "at": ("elsewhere:1", None),
        "searched": (node.get("searched", 0) + 1, "1"),
        "omitted": (node.get("omitted", 0) + 1, -1),
        "note": ("true",),
    }
    for key, values in wrong.items():
        for value in values:
            if node.get(key) != value:
                yield f"{key} is {value}", {**node, key: value}
        if key in node:
            yield f"no {key}", {field: value for field, value in node.items() if field != key}


def _of_args(node: Document) -> Iterator[Change]:
    args = node["args"]
    yield "one more argument", {**node, "args": [*args, 999983]}
    for number, value in enumerate(args):
        for wrong in _WRONG_VALUES:
            yield f"argument {number} is {wrong}", {**node, "args": [*args[:number], wrong, *args[number + 1 :]]}
        yield f"no argument {number}", {**node, "args": [*args[:number], *args[number + 1 :]]}
        # A fact with two arguments swapped may be another fact.
        if number and args[number - 1] != value and node["kind"] != "fact":
            yield f"arguments {number - 1} and {number} are swapped", {**node, "args": _swapped(args, number)}


def _of_premises(node: Document) -> Iterator[Change]:
    premises = node["premises"]
    for number, premise in enumerate(premises):
        yield f"no premise {number}", {**node, "premises": [*premises[:number], *premises[number + 1 :]]}
        yield f"premise {number} twice", {**node, "premises": [*premises[:number], premise, *premises[number:]]}
        if number and premises[number - 1] != premise:
            yield f"premises {number - 1} and {number} are swapped", {**node, "premises": _swapped(premises, number)}


def _swapped(items: list[Any], number: int) -> list[Any]:
    return [*items[: number - 1], items[number], items[number - 1], *items[number + 1 :]]
