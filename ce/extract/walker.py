"""The one walker: captures of a language's query, in source order, folded into the facts of a file.

The fold keeps two stacks: the units that are open, and per function the structures that raise the nesting level. It never
recurses, and it asks a node for little, because each question costs as much as parsing ten bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ce.extract.compiled import CALL, DECORATOR, JUMP, NODE, OPERATOR, SITE, Compiled, compiled, follow
from ce.extract.measures.complexity import Frame, enter
from ce.extract.parsing import MAX_DEPTH, Parsed
from ce.extract.spec import SiteRule, UnitKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CallSeen", "Facts", "SiteDraft", "UnitDraft", "text_of", "walk"]

_DOTTED = re.compile(rb"[^\W\d][\w$]*(?:\s*(?:\.|::|->|:)\s*[^\W\d][\w$]*)*")
_LAST_NAME = re.compile(rb"[.:>]\s*([^\W\d]\w*)$")
_MAX_TEXT = 200
_MAX_CALLS = 4_096  # distinct callees of one unit


@dataclass(slots=True)
class UnitDraft:
    """A unit while its file is measured; the fields are those of `records.Unit`."""

    kind: str
    key: str
    name: str
    start: int
    end: int
    parent: int
    declares: str
    is_type: bool
    node: Node | None = None
    nth: int = 0
    visibility: int = 0
    params: int = -1
    cyclomatic: int = -1
    cognitive: int = -1
    nesting: int = -1
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    calls: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class SiteDraft:
    """A site while its file is measured. `around` are the conditional structures that it stands in, outermost first."""

    kind: str
    spec: str
    line: int
    owner: int
    names: list[tuple[str, str]] = field(default_factory=list)
    mode: str = "runtime"
    around: tuple[Node, ...] = ()
    nth: int = 0
    start: int = 0
    is_type: bool = False
    spells_alias: bool = False  # some name is imported `as` itself


@dataclass(frozen=True, slots=True)
class CallSeen:
    """One call: the callee as written, its node and the unit it stands in."""

    callee: str
    node: Node
    owner: int


@dataclass(slots=True)
class Facts:
    """What is known about a file so far; `records.Extraction` with lists instead of tuples."""

    units: list[UnitDraft] = field(default_factory=list)
    sites: list[SiteDraft] = field(default_factory=list)
    calls: list[tuple[str, Node, int]] = field(default_factory=list)
    comment_lines: int = 0
    dynamic: list[tuple[int, str, str]] = field(default_factory=list)
    bindings: list[tuple[str, int, str]] = field(default_factory=list)
    exports: list[str] | None = None
    unreadable_exports: bool = False
    strings: list[tuple[int, str]] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    main_guard: bool = False
    problems: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    extra: dict[str, object] = field(default_factory=dict)
    captures: dict[str, list[Node]] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """An open unit: where it ends, its index, and the frame that its nodes count in."""

    end: int
    index: int
    frame: Frame
    is_function: bool
    calls: dict[str, int]


def text_of(parsed: Parsed, node: Node) -> str:
    """Return the source text of a node."""
    return parsed.text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def walk(parsed: Parsed) -> Facts:
    """Return the facts that the language's table alone decides."""
    from tree_sitter import QueryCursor

    assert parsed.tree is not None
    table = compiled(parsed.spec.name)
    cursor = QueryCursor(table.query)
    if parsed.is_deep:
        cursor.set_max_start_depth(MAX_DEPTH)
    captures = cursor.captures(parsed.tree.root_node)
    facts = Facts(captures=captures)
    facts.comment_lines = _lines_covered(captures.get("comment", ()))
    _Walk(parsed, table, facts).run(_in_source_order(table, captures))
    return facts


def _in_source_order(table: Compiled, captures: dict[str, list[Node]]) -> list[tuple[int, int, int, int, int, Node]]:
    """Return the captures that are events, outer nodes before inner ones (the query gives each capture's nodes in no order)."""
    events: list[tuple[int, int, int, int, int, Node]] = []
    for capture, nodes in captures.items():
        event = table.events.get(capture)
        if event is not None:
            events += [(n.start_byte, -n.end_byte, -n.descendant_count, event, i, n) for i, n in enumerate(nodes)]
    events.sort()
    return events


def _lines_covered(nodes: list[Node] | tuple[()]) -> int:
    lines: set[int] = set()
    for node in nodes:
        first, last = node.start_point[0], node.end_point[0]
        if first == last:
            lines.add(first)
        else:
            lines.update(range(first, last + 1))
    return len(lines)


class _Walk:
    """The state of one fold."""

    def __init__(self, parsed: Parsed, table: Compiled, facts: Facts) -> None:
        self.parsed = parsed
        self.table = table
        self.facts = facts
        self.module = _Open(len(parsed.text) + 1, -1, Frame(), False, {})
        self.open = [self.module]
        self.decorators: list[str] = []
        self.site_nodes: dict[int, int] = {}  # node id of a statement to the rule that opened sites for it
        self.current: dict[int, tuple[SiteRule, SiteDraft]] = {}
        self.callees: dict[bytes, str] = {}

    def run(self, events: list[tuple[int, int, int, int, int, Node]]) -> None:
        roles = self.table.roles
        table = self.table
        stack = self.open
        top = stack[-1]
        for start, _, _, event, _, node in events:
            while start >= top.end:
                self._close(stack.pop())
                top = stack[-1]
            if event == CALL:
                self._call(node, top)
            elif event == NODE:
                role = roles[node.kind_id]
                if role.unit is not None and self._open_unit(node, role.unit, top):
                    top = stack[-1]
                else:
                    enter(top.frame, role, node, start, table)
            elif event == OPERATOR:
                top.frame.operator(node)
            elif event == DECORATOR:
                self._decorator(node, top)
            elif event == JUMP:
                top.frame.cognitive += 1
            else:
                self._site_part(event - SITE, node)
        while len(stack) > 1:
            self._close(stack.pop())
        self.facts.extra["calls"] = self.module.calls

    # --- units

    def _open_unit(self, node: Node, kind: UnitKind, top: _Open) -> bool:
        if (kind.top_level and any(unit.is_function for unit in self.open)) or not all(follow(node, path) for path in kind.requires):
            return False
        facts, parsed = self.facts, self.parsed
        name = self._name(node, kind)
        start, end = node.start_point[0] + 1, node.end_point[0] + 1
        is_function = kind.kind == "fn"
        params = _count(follow(node, kind.params), parsed, kind.params_ignored) if is_function else -1
        if kind.key or kind.parts:
            parts = {part: self._text(follow(node, path)) for part, path in kind.parts.items()}
            key = (kind.key or "{name}").format(name=name, arity=params, **parts)
        else:
            key = f"{name}/{params}" if is_function else name
        parent = facts.units[top.index] if top.index >= 0 else None
        declares = kind.member if kind.member and parent is not None and parent.is_type else kind.declares
        draft = UnitDraft(kind.kind, key, "" if name == kind.anonymous else name, start, end, top.index, declares, kind.is_type, node)
        draft.params = params
        draft.bases = tuple(
            self._text(child)
            for path in kind.bases
            if (bases := follow(node, path)) is not None
            for child in bases.named_children
            if child.type not in kind.bases_ignored
        )
        if self.decorators and not (parsed.spec.decorators and parsed.spec.decorators.inside):
            draft.decorators = tuple(self.decorators)
            self.decorators.clear()
        facts.units.append(draft)
        self.open.append(_Open(node.end_byte, len(facts.units) - 1, Frame() if is_function else top.frame, is_function, draft.calls))
        return True

    def _close(self, unit: _Open) -> None:
        if unit.is_function:
            draft = self.facts.units[unit.index]
            draft.cyclomatic, draft.cognitive, draft.nesting = unit.frame.totals(self.parsed.spec.complexity.cognitive_operators)

    def _name(self, node: Node, kind: UnitKind) -> str:
        spec = self.parsed.spec
        if spec.name_of is not None:
            return spec.name_of(self.parsed, node) or kind.anonymous
        named = follow(node, kind.name)
        if named is None and kind.name_around:
            parent = node.parent
            for parent_kind, field_name in kind.name_around:
                if parent is not None and parent.type == parent_kind:
                    named = parent.child_by_field_name(field_name)
                    break
        return kind.anonymous if named is None else self._text(named)

    def _decorator(self, node: Node, top: _Open) -> None:
        rule = self.parsed.spec.decorators
        assert rule is not None
        text = self._text(node).removeprefix(rule.strip).strip()
        if rule.inside and top.index >= 0:
            unit = self.facts.units[top.index]
            unit.decorators = (*unit.decorators, text)
        else:
            self.decorators.append(text)

    # --- references

    def _call(self, node: Node, top: _Open) -> None:
        kind = self.table.calls[node.kind_id]
        callee = node.child_by_field_name(kind.callee[0]) if len(kind.callee) == 1 else follow(node, kind.callee)
        if callee is None:
            return
        raw = self.parsed.text[callee.start_byte : callee.end_byte]
        name = self.callees.get(raw)
        if name is None:
            name = self.callees[raw] = _callee_name(raw)
        if not name:
            return
        self.facts.calls.append((name, node, top.index))
        if name not in top.calls and len(top.calls) < _MAX_CALLS:
            top.calls[name] = node.start_point[0] + 1

    def _site_part(self, code: int, node: Node) -> None:
        index, part = code >> 3, code & 7
        if part == 0:
            self._open_site(index, node)
            return
        rule, site = self.current.get(index, (None, None))
        if rule is None or site is None or node.start_byte < site.start:
            return
        if part == 1:
            site.spec = rule.prefix + _specifier(self._text(node))
        elif part == 2:
            self._imported_name(rule, site, node)
        elif part == 3:
            site.names.append(("*", "*"))
        else:
            site.is_type = True

    def _open_site(self, index: int, node: Node) -> None:
        if self.site_nodes.setdefault(node.id, index) != index:
            self.current.pop(index, None)
            return
        rule = self.table.sites[index]
        around = []
        for unit in self.open:
            if unit.is_function or unit is self.module:
                unit.frame.level_at(node.start_byte)
                around += [structure.node for structure in unit.frame.structures]
        site = SiteDraft(rule.kind, rule.spec, node.start_point[0] + 1, self.open[-1].index, around=tuple(around), start=node.start_byte)
        self.current[index] = (rule, site)
        if not rule.per_name:
            self.facts.sites.append(site)

    def _imported_name(self, rule: SiteRule, site: SiteDraft, node: Node) -> None:
        alias = node.child_by_field_name("alias")
        name = _specifier(self._text((alias is not None and node.child_by_field_name("name")) or node))
        local = self._text(alias) if alias is not None else ""
        if not rule.per_name:
            site.names.append((name, local or name))
            site.spells_alias = site.spells_alias or name == local
            return
        one = SiteDraft(rule.kind, rule.prefix + name, site.line, site.owner, [(name, local or name)], around=site.around, start=site.start)
        self.facts.sites.append(one)

    def _text(self, node: Node | None) -> str:
        if node is None:
            return ""
        text = self.parsed.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return text if len(text) <= 40 and "\n" not in text else " ".join(text.split())[:_MAX_TEXT]


def _callee_name(raw: bytes) -> str:
    """Return the dotted name of a callee; of anything else the last name after a dot, with the dot (`f().run` is `.run`), or nothing."""
    if _DOTTED.fullmatch(raw):
        return b"".join(raw.split()).decode("utf-8", "replace")[:_MAX_TEXT]
    last = _LAST_NAME.search(raw)
    return f".{last.group(1).decode('utf-8', 'replace')}"[:_MAX_TEXT] if last else ""


def _specifier(text: str) -> str:
    text = text.split("\n", 1)[0].strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'`":
        text = text[1:-1]
    return text


def _count(node: Node | None, parsed: Parsed, ignored: tuple[str, ...]) -> int:
    if node is None:
        return 0
    skipped = (*parsed.spec.comments, *ignored)
    return sum(1 for child in node.named_children if child.type not in skipped)
