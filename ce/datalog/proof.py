"""Proof trees as values, and how they read: text, JSON, DOT.

A proof is an acyclic graph: the same sub-proof is one object, however often it is used. Rendering numbers the nodes in
pre-order, shows a shared sub-proof once and refers to it afterwards. Nothing here recurses, so that a proof may be 10,000 high.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

__all__ = [
    "JSON_DEPTH",
    "TEXT_DEPTH",
    "Numbered",
    "ProofNode",
    "number_nodes",
    "proof_height",
    "quote",
    "render_dot",
    "render_text",
    "statement",
]

# Deeper sub-proofs become lemmas of their own: JSON readers recurse, and nobody reads an indentation of 100 columns.
JSON_DEPTH = 100
TEXT_DEPTH = 24

Kind = OneOf["goal", "rule", "fact", "builtin", "aggregate", "absence"]


@dataclass(frozen=True, slots=True, eq=False)
class ProofNode:
    """One step: what holds, why (`kind`), and the premises, one per body literal in textual order.

    | kind | predicate, args | further fields |
    |---|---|---|
    | goal | name of the assertion or None, the answer's values | `rule`: place of the goal |
    | rule | the derived row | `rule`: place of the rule |
    | fact | the row | `at`: where it was read, or the clause that states it |
    | builtin | operator or test, the values compared | |
    | aggregate | function, its result | premises: the rows of the group; `omitted`: how many more there are |
    | absence | relation, `"_"` for wildcards | `searched`: rows of the relation; `rule`: place of a negated conjunction |

    A rule node without premises and with `omitted` was cut by the budget.
    """

    kind: Kind
    predicate: str | None
    args: tuple[int | str, ...]
    rule: str | None = None
    at: str | None = None
    premises: tuple[ProofNode, ...] = ()
    searched: int | None = None
    omitted: int = 0

    def to_dict(self, depth: int = JSON_DEPTH) -> dict[str, object]:
        """Return the proof as JSON values; a sub-proof below `depth` stands under `lemmas` of the root and is referred to by its id."""
        return _to_dict(self, depth)

    def to_text(self) -> str:
        """Return the proof as indented lines."""
        return render_text(self)

    def to_dot(self) -> str:
        """Return the proof as a Graphviz graph."""
        return render_dot(self)

    def __str__(self) -> str:
        return render_text(self)


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """A node of a rendered proof: its premises by id, and the node below which it is written out (-1 for the root)."""

    node: ProofNode
    premises: list[int]
    parent: int


def number_nodes(root: ProofNode) -> list[Numbered]:
    """Return the nodes in pre-order, their ids being their positions; a repeated leaf has one entry for each use."""
    numbered: list[Numbered] = []
    seen: dict[int, int] = {}
    pending: list[tuple[ProofNode, int]] = [(root, -1)]
    while pending:
        node, parent = pending.pop()
        number = seen.get(id(node), len(numbered))
        if parent >= 0:
            numbered[parent].premises.append(number)
        if number == len(numbered):
            if node.premises:
                seen[id(node)] = number
            numbered.append(Numbered(node, [], parent))
            pending.extend((premise, number) for premise in reversed(node.premises))
    return numbered


def proof_height(root: ProofNode) -> int:
    """Return the number of rule steps on the longest branch."""
    numbered = number_nodes(root)
    heights: dict[int, int] = {}
    for number in _bottom_up(numbered):
        entry = numbered[number]
        heights[number] = (entry.node.kind == "rule") + max((heights[premise] for premise in entry.premises), default=0)
    return heights[0]


def render_text(root: ProofNode, depth: int = TEXT_DEPTH) -> str:
    """Return the proof as indented lines; shared and very deep sub-proofs are named `#id`."""
    layout = _layout(root, depth)
    lines: list[str] = []
    for start in (0, *layout.lemmas):
        pending: list[tuple[int, int, bool | None]] = [(start, 0, True)]
        while pending:
            number, level, written_out = pending.pop()
            node, indent = layout.numbered[number].node, "  " * level
            if written_out is None:
                lines.append(f"{indent}… {node.omitted} more")
                continue
            if not written_out:
                lines.append(f"{indent}{statement(node)}  (see #{number})")
                continue
            tag = f"#{number} " if number in layout.named else ""
            lines.append(f"{indent}{tag}{statement(node)}{_reason(node)}")
            if node.omitted:
                pending.append((number, level + 1, None))
            pending += [(premise, level + 1, here) for premise, here in reversed(layout.edges[number])]
    return "\n".join(lines)


def render_dot(root: ProofNode) -> str:
    """Return the proof as a Graphviz graph: one node per step, an arrow from each premise to what it supports."""
    lines = ["digraph proof {", "  rankdir=BT;", '  node [fontname="monospace"];']
    numbered = number_nodes(root)
    for number, entry in enumerate(numbered):
        label = "\\n".join(_escape_dot(part.strip()) for part in (statement(entry.node), _reason(entry.node)) if part)
        style = ", style=dashed" if entry.node.kind == "absence" else ""
        lines.append(f'  n{number} [label="{label}", shape={_SHAPES[entry.node.kind]}{style}];')
    lines += [f"  n{premise} -> n{number};" for number, entry in enumerate(numbered) for premise in entry.premises]
    return "\n".join([*lines, "}", ""])


def statement(node: ProofNode) -> str:
    """Return what a node says, as a line of the language."""
    args = [quote(value) for value in node.args]
    if node.kind == "builtin":
        operator = node.predicate or ""
        if not operator[-1:].isalpha() and len(args) == 2:
            return f"{args[0]} {operator} {args[1]}"
        return f"{operator}({', '.join(args)})"
    if node.kind == "aggregate":
        return f"{node.predicate} = {', '.join(args)}"
    if node.kind == "absence":
        shown = ["_" if value == "_" else quote(value) for value in node.args]
        if node.rule is not None:
            return f"nothing satisfies {node.predicate}" + (f" with ({', '.join(shown)})" if shown else "")
        return f"no row of {node.predicate} matches ({', '.join(shown)})"
    if node.kind == "goal":
        return f"{node.predicate or '?-'}({', '.join(args)})" if args or node.predicate else "?- yes"
    return f"{node.predicate}({', '.join(args)})"


def quote(value: int | str) -> str:
    """Return a value as the language writes it; what a string of the language cannot hold is escaped."""
    if isinstance(value, int):
        return str(value)
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value) + '"'


def _reason(node: ProofNode) -> str:
    if node.kind in ("rule", "goal"):
        return f"  (rule {node.rule})" if node.kind == "rule" else ""
    if node.kind == "fact":
        return f"  (fact {node.at})" if node.at else "  (fact)"
    if node.kind == "absence":
        place = f"{node.rule}; " if node.rule else ""
        return f"  ({place}{node.searched} rows searched)" if node.searched != 1 else f"  ({place}1 row searched)"
    return ""


_SHAPES = {"goal": "doubleoctagon", "rule": "ellipse", "fact": "box", "builtin": "plaintext", "aggregate": "hexagon", "absence": "box"}


def _escape_dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _to_dict(root: ProofNode, depth: int) -> dict[str, object]:
    layout = _layout(root, depth)
    written: dict[int, dict[str, object]] = {}
    for number in reversed(range(len(layout.numbered))):
        node = layout.numbered[number].node
        entry = written[number] = {
            "id": number, "kind": node.kind, "predicate": node.predicate, "args": list(node.args), "rule": node.rule, "at": node.at,
            "premises": [written[premise] if here else {"ref": premise} for premise, here in layout.edges[number]],
        }  # fmt: skip
        if node.searched is not None:
            entry["searched"] = node.searched
        if node.omitted:
            entry["omitted"] = node.omitted
    if layout.lemmas:
        written[0]["lemmas"] = [written[number] for number in layout.lemmas]
    return written[0]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a proof is written down. `edges[id]` lists `(premise, whether it is written out here)`; `lemmas` stand at the end."""

    numbered: list[Numbered]
    edges: list[list[tuple[int, bool]]]
    lemmas: list[int]
    named: set[int]


def _layout(root: ProofNode, depth: int) -> _Layout:
    numbered = number_nodes(root)
    level = [0] * len(numbered)
    lemmas: list[int] = []
    for number, entry in enumerate(numbered[1:], 1):
        level[number] = level[entry.parent] + 1
        if level[number] > depth and entry.premises:
            level[number] = 0
            lemmas.append(number)
    apart = set(lemmas)
    edges: list[list[tuple[int, bool]]] = []
    for number, entry in enumerate(numbered):
        first = dict.fromkeys(premise for premise in entry.premises if numbered[premise].parent == number and premise not in apart)
        edges.append([(premise, first.pop(premise, 0) is None) for premise in entry.premises])
    named = {premise for links in edges for premise, here in links if not here}
    return _Layout(numbered, edges, lemmas, named)


def _bottom_up(numbered: list[Numbered]) -> Iterator[int]:
    """Yield every id after the ids of its premises."""
    done: set[int] = set()
    pending = [(0, False)]
    while pending:
        number, expanded = pending.pop()
        if expanded:
            yield number
        elif number not in done:
            done.add(number)
            pending.append((number, True))
            pending += [(premise, False) for premise in numbered[number].premises]
