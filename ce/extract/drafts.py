"""The facts of a file while it is measured: `records.Extraction` with fields that can still change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

    from ce.extract.spec import UnitKind

__all__ = ["Facts", "SiteDraft", "Structure", "UnitDraft", "structures_around", "text_of"]

_MAX_AROUND = 256  # levels above a node that are looked at

# An open structure: its end, the level of its header, the level in its bodies, the bodies.
Structure = tuple[int, int, int, tuple[tuple[int, int], ...]]


class UnitDraft:
    """A unit, and while it is open the counters of its function.

    `frame` is the unit whose numbers its nodes count in: the function around a class; None for a function, which counts in itself.
    Defaults stand in the class, because there are very many units.
    """

    nth = 0
    visibility = 0
    is_exported = False  # by a statement elsewhere
    cyclomatic = 1
    cognitive = 0
    nesting = 0
    decorators: list[str] | tuple[()] = ()
    bases: list[str] | tuple[()] = ()
    else_ifs: set[int] | None = None  # ids of the nodes that continue an else chain
    chain_of: dict[int, int] | None = None  # operand of a short-circuit operator to the root of its chain
    chains: dict[int, list[tuple[int, str]]] | None = None  # root to the place and text of its operators

    def __init__(
        self, kind: UnitKind, key: str, name: str, start: int, end: int, index: int, parent: int, params: int = -1, node: Node | None = None
    ) -> None:
        self.kind = kind
        self.key = key
        self.name = name
        self.start = start
        self.end = end
        self.index = index
        self.parent = parent
        self.params = params
        self.node = node
        self.end_byte = 0
        self.frame: UnitDraft | None = None
        self.structures: list[Structure] = []
        self.calls: dict[str, int] = {}


class SiteDraft:
    """A site; `start` is the first byte of its statement, `around` the structures that it stands in and that can be conditional."""

    nth = 0
    mode = "runtime"
    is_type = False
    spells_alias = False  # some name is imported `as` itself
    around: list[Node] | tuple[()] = ()

    def __init__(self, kind: str, spec: str, line: int, owner: int, start: int = 0) -> None:
        self.kind = kind
        self.spec = spec
        self.line = line
        self.owner = owner
        self.start = start
        self.names: list[tuple[str, str]] = []


@dataclass(slots=True)
class Facts:
    """What is known about a file so far.

    `calls_seen` are the calls: callee, captured node, unit it stands in. Without `has_bodies` they are only those that tell more than that
    something is called, and the numbers and calls of the units are not known.
    `bindings` leaves out what units and sites bind. `constants` are names bound once, to a literal string, with its node.
    `is_script`: the file is no module at all. `looked` are the nodes that the query `looks` captures, by the name behind `look.`, in no
    order.
    """

    units: list[UnitDraft] = field(default_factory=list)
    sites: list[SiteDraft] = field(default_factory=list)
    has_bodies: bool = True
    calls_seen: list[tuple[str, Node, int]] = field(default_factory=list)
    comment_lines: int = 0
    dynamic: list[tuple[int, str, str]] = field(default_factory=list)
    bindings: list[tuple[str, int, str]] = field(default_factory=list)
    exports: list[str] | None = None
    unreadable_exports: bool = False
    strings: list[tuple[int, str]] = field(default_factory=list)
    looked: dict[str, list[Node]] = field(default_factory=dict)
    anchors: list[str] = field(default_factory=list)
    main_guard: bool = False
    problems: list[str] = field(default_factory=list)
    constants: dict[str, Node] = field(default_factory=dict)
    is_script: bool = False
    extra: dict[str, object] = field(default_factory=dict)


def text_of(parsed: Parsed, node: Node) -> str:
    """Return the source text of a node."""
    return parsed.text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def structures_around(parsed: Parsed, node: Node) -> list[Node]:
    """Return the conditional structures that a node stands in, up to the function around it, the innermost first."""
    spec = parsed.spec
    functions = {unit.node for unit in spec.units if unit.kind == "fn"}
    found = []
    at = node.parent
    for _ in range(_MAX_AROUND):
        if at is None or at.type in functions:
            break
        if at.type in spec.conditional:
            found.append(at)
        at = at.parent
    return found
