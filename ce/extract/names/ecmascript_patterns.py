"""Patterns: the members that a destructuring takes from a value, and the names that it binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import pattern_of
from ce.extract.names.ecmascript_paths import read
from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import NOTHING, Frame, Path, extended
from ce.extract.names.model import COLLECTION, ELEMENT, GLOB

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["NAMES", "bind_pattern", "read_parts", "take_pattern"]

NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})


def take_pattern(r: Reader, pattern: Node, frame: Frame, values: list[Path]) -> list[tuple[Node, list[Path]]]:
    """Note the members that a pattern takes from the values; return the names (or targets) in it with what each is given."""
    taken: list[tuple[Node, list[Path]]] = []
    work: list[tuple[Node, list[Path]]] = [(pattern, values)]
    while work:
        node, held = work.pop()
        kind = r.kinds[node.kind_id]
        if kind == "object_pattern":
            work += [part for child in reversed(node.named_children) for part in _member(r, child, frame, held)]
        elif kind == "array_pattern":
            work += [(child, [extended(path, ELEMENT) for path in held]) for child in reversed(node.named_children)]
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            children = node.named_children
            given = read(r, children[-1], frame)
            work.append((children[0], [*held, *given] if held else []))
        elif kind == "rest_pattern":
            work += [(child, [extended(path, COLLECTION) if path[2][-1:] == (ELEMENT,) else path for path in held])
                     for child in node.named_children[-1:]]  # fmt: skip
        elif kind != "comment":
            taken.append((node, held))
    return taken


def read_parts(r: Reader, pattern: Node, value: Node, frame: Frame) -> list[Path]:
    """Read a value that a pattern takes apart: when the pattern names all that it takes, nobody uses the value as a whole."""
    before = len(r.uses)
    values = read(r, value, frame)
    if r.kinds[pattern.kind_id] == "object_pattern" and _names_all(r, pattern):
        r.uses[before:] = [use for use in r.uses[before:] if use[1] != "read" or use[3] not in values]
    return values


def _names_all(r: Reader, pattern: Node) -> bool:
    parts = [child for child in pattern.named_children if r.kinds[child.kind_id] != "comment"]
    kinds = {r.kinds[part.kind_id] for part in parts}
    return bool(kinds) and "rest_pattern" not in kinds and b"[" not in r.data[pattern.start_byte : pattern.end_byte]


def _member(r: Reader, child: Node, frame: Frame, held: list[Path]) -> list[tuple[Node, list[Path]]]:
    """Note one part of an object pattern."""
    kind = r.kinds[child.kind_id]
    if kind == "rest_pattern":
        return [(child, held)]
    target = child
    default: Node | None = None
    if kind == "object_assignment_pattern":
        target, default = child.named_children[0], child.named_children[-1]
        kind = r.kinds[target.kind_id]
    if kind == "shorthand_property_identifier_pattern":
        step = r.text(target)
    elif kind == "pair_pattern":
        key = target.named_children[0]
        if r.kinds[key.kind_id] == "computed_property_name":
            r.push_all(key.named_children, frame)
            pattern = pattern_of(r, key.named_children[0]) if key.named_children else "*"
            step = GLOB + pattern if "*" in pattern else pattern
        else:
            step = r.constant(key) or r.text(key)
        target = target.named_children[-1]
    else:
        return []
    paths = [extended(path, step) for path in held or [NOTHING]]
    for path in paths:
        r.use(frame.owner, "read", child.start_byte, path)
    given = read(r, default, frame) if default is not None else []
    return [(target, [*paths, *given] if held else [])]


def bind_pattern(r: Reader, pattern: Node, frame: Frame, values: list[Path], *, is_open: bool = False) -> None:
    """Declare the names of a pattern as locals of the scope."""
    for node, held in take_pattern(r, pattern, frame, values):
        if r.kinds[node.kind_id] in NAMES:
            r.local(frame.scope, r.text(node), held, is_open=is_open or not held)
