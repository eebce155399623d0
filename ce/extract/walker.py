"""The one walker: captures of a language's query, in source order, folded into the facts of a file.

The fold keeps two stacks: the units that are open, and per function the structures that raise the nesting level. It never
recurses, and it asks a node for little, because each question costs as much as parsing a byte.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from ce.extract.compiled import CALL, DECORATOR, JUMP, NODE, OPERATOR, SITE, Compiled, CompiledUnit, compiled, follow
from ce.extract.drafts import Facts, SiteDraft, UnitDraft
from ce.extract.measures.complexity import close, enter, operator
from ce.extract.parsing import MAX_DEPTH, Parsed
from ce.extract.spec import CallKinds, SiteRule, UnitKind

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["name_of_callee", "walk"]

_DOTTED = re.compile(rb"[^\W\d][\w$]*(?:[\s\\]*(?:\.|::|->|:)[\s\\]*[^\W\d][\w$]*)*")
_LAST_NAME = re.compile(rb"[.:>][\s\\]*([^\W\d]\w*)$")
_MAX_TEXT = 200
_MAX_CALLEE = 256  # bytes; of a longer one the end is looked at
_MAX_CALLEES = 65_536
_MAX_AROUND = 256  # levels above a reference that are looked at
_FEW = 3  # names that are looked for in the text before their calls are captured
_BLANKS = b" \t\r\n\f\v\\"
_CALLEES: dict[bytes, str] = {}  # texts to what `_callee_name` returned
_SITE_FIRST = -(1 << 62)

# Start, minus end, rank, number, node. The rank of a structural node is minus its descendants, so that of two nodes with the
# same extent the outer one comes first; statements that are references come before all, other events after. The number of a callee
# is where its text starts.
_Event = tuple[int, int, int, int, "Node"]


def walk(parsed: Parsed, *, bodies: bool = True) -> Facts:
    """Return the facts that the language's table alone decides; without `bodies` no numbers, and only the calls that tell something."""
    from tree_sitter import QueryCursor

    assert parsed.tree is not None
    table = compiled(parsed.spec.name)
    cursor = QueryCursor(table.query if bodies else _outline(parsed, table))
    if parsed.is_deep:
        cursor.set_max_start_depth(MAX_DEPTH)
    captures = cursor.captures(parsed.tree.root_node)
    facts = Facts(has_bodies=bodies)
    if parsed.spec.looks:
        facts.looked = {capture.removeprefix("look."): nodes for capture, nodes in captures.items() if capture.startswith("look.")}
    facts.comment_lines = _lines_covered(captures.get("comment", []))
    if "opaque" in captures:
        _leave_out_operators(captures)
    _Walk(parsed, table, facts).run(_in_source_order(table, captures if bodies else _telling(parsed, table, captures)))
    return facts


def _outline(parsed: Parsed, table: Compiled) -> Query:
    """Return the query without bodies that captures what the text can hold."""
    is_silent = len(table.telling) <= _FEW and not any(name in parsed.text for name in table.telling)
    return table.silent if is_silent else table.outline


def _telling(parsed: Parsed, table: Compiled, captures: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """Return the captures without the calls of functions that tell nothing but that they are called."""
    text, telling = parsed.text, table.telling

    def tells(callee: Node) -> bool:
        end = callee.end_byte
        return text[max(callee.start_byte, end - _MAX_CALLEE) : end].rpartition(b".")[2].strip(_BLANKS) in telling

    kept = dict(captures)
    if "callee" in captures:
        kept["callee"] = [callee for callee in captures["callee"] if tells(callee)]
    if "call" in captures and table.spec.calls is not None:
        name = table.spec.calls.callee
        kept["call"] = [call for call in captures["call"] if (callee := call.child_by_field_name(name)) is not None and tells(callee)]
    return kept


def name_of_callee(raw: bytes) -> str:
    """Return the dotted name of a callee; of anything else the last name after a dot, with the dot (`f().run` is `.run`), or nothing.

    Each text is worked out once: files of a tree call the same names over and over.
    """
    if len(raw) > _MAX_CALLEE:
        raw = raw[-_MAX_CALLEE:]
    name = _CALLEES.get(raw)
    if name is None:
        if len(_CALLEES) > _MAX_CALLEES:
            _CALLEES.clear()
        name = _CALLEES[raw] = _callee_name(raw)
    return name


def _leave_out_operators(captures: dict[str, list[Node]]) -> None:
    """Remove the operators that stand in what is opaque."""
    ranges = sorted((node.start_byte, node.end_byte) for node in captures["opaque"])
    starts = [start for start, _ in ranges]

    def is_within(at: int) -> bool:
        place = bisect_right(starts, at) - 1
        return place >= 0 and at < ranges[place][1]

    captures["op"] = [node for node in captures.get("op", ()) if not is_within(node.start_byte)]


def _in_source_order(table: Compiled, captures: dict[str, list[Node]]) -> list[_Event]:
    """Return the captures that are events, outer nodes before inner ones (the query gives each capture's nodes in no order)."""
    events: list[_Event] = []
    for capture, nodes in captures.items():
        event = table.events.get(capture)
        if event is None:
            continue
        if event == NODE:
            events += [(n.start_byte, -n.end_byte, -n.descendant_count, i, n) for i, n in enumerate(nodes)]
        elif event == CALL:
            events += _callees(table.spec.calls, capture, nodes)
        else:
            rank = event + _SITE_FIRST if event >= SITE and event & 7 == 0 else event
            events += [(n.start_byte, -n.end_byte, rank, i, n) for i, n in enumerate(nodes)]
    events.sort()
    return events


def _callees(calls: CallKinds | None, capture: str, nodes: list[Node]) -> list[_Event]:
    """Return what is called as events."""
    assert calls is not None
    pairs = []
    if capture == "call":
        pairs = [(callee, call) for call in nodes if (callee := call.child_by_field_name(calls.callee)) is not None]
    elif calls.from_call_start:
        pairs = [(callee, callee.parent or callee) for callee in nodes]
    else:
        return [(start := n.start_byte, -n.end_byte, CALL, start, n) for n in nodes]
    return [(n.start_byte, -n.end_byte, CALL, (call if calls.from_call_start else n).start_byte, n) for n, call in pairs]


def _lines_covered(nodes: list[Node]) -> int:
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
        self.module = UnitDraft(UnitKind(node=""), "", "", 1, 1, -1, -1)
        self.module.end_byte = len(parsed.text) + 1
        self.open = [self.module]
        self.decorators: list[str] = []
        self.decorators_inside = parsed.spec.decorators is not None and parsed.spec.decorators.inside
        self.site_nodes: dict[int, int] = {}  # node id of a statement to the rule that opened sites for it
        self.current: dict[int, tuple[SiteRule, SiteDraft]] = {}

    def run(self, events: list[_Event]) -> None:
        """Fold the events; afterwards every unit has its numbers."""
        table, stack, text = self.table, self.open, self.parsed.text
        roles = table.roles
        saw = self.facts.calls_seen.append
        counts = self.facts.has_bodies
        kept = table.spec.complexity.cognitive_operators
        top = stack[-1]
        end_of_top = top.end_byte
        for start, minus_end, rank, first, node in events:
            while start >= end_of_top:
                close(stack.pop(), kept)
                top = stack[-1]
                end_of_top = top.end_byte
            if rank == CALL:
                name = name_of_callee(text[first:-minus_end])
                if name:
                    saw((name, node, top.index))
                    calls = top.calls
                    if counts and name not in calls:
                        calls[name] = node.start_point[0] + 1
            elif rank <= 0:
                if rank < _SITE_FIRST // 2:
                    self._open_site((rank - _SITE_FIRST - SITE) >> 3, node)
                    continue
                role = roles[node.kind_id]
                unit = role.unit
                if unit is not None and (not unit.is_conditional or self._is_unit(node, unit)):
                    top = self._open_unit(node, unit, top, -minus_end)
                    end_of_top = -minus_end
                    stack.append(top)
                    continue
                frame = top.frame or top
                if role.cyclomatic:
                    frame.cyclomatic += 1
                if role.role:
                    enter(frame, role, node, start, -minus_end, table)
            elif rank == OPERATOR:
                operator(top.frame or top, node)
            elif rank == DECORATOR:
                self._decorator(node, top)
            elif rank == JUMP:
                (top.frame or top).cognitive += 1
            else:
                self._site_part(rank - SITE, start, node)
        while stack:
            close(stack.pop(), kept)

    # --- units

    def _is_unit(self, node: Node, table: CompiledUnit) -> bool:
        kind = table.kind
        if kind.top_level and any(unit.kind.kind == "fn" for unit in self.open[1:]):
            return False
        return all(follow(node, path) for path in kind.requires)

    def _open_unit(self, node: Node, table: CompiledUnit, top: UnitDraft, end_byte: int) -> UnitDraft:
        kind = table.kind
        text = self.parsed.text
        named = node.child_by_field_id(table.name_field) if table.name_field else None
        name = self._name(node, kind) if named is None else text[named.start_byte : named.end_byte].decode("utf-8", "replace")
        params = -1
        if table.is_function:
            listed = node.child_by_field_id(table.params_field) if table.params_field else follow(node, kind.params)
            if listed is None:
                params = int(bool(kind.param) and follow(node, kind.param) is not None)
            elif table.marks is None or table.marks.search(text, listed.start_byte, listed.end_byte):
                params = sum(child.kind_id not in table.ignored for child in listed.named_children)
            else:
                params = listed.named_child_count
        if kind.key or kind.parts:
            parts = {part: self._text(follow(node, path)) for part, path in kind.parts.items()}
            key = (kind.key or "{name}").format(name=name, arity=params, **parts)
        else:
            key = f"{name}/{params}" if params >= 0 else name
        units = self.facts.units
        line = node.start_point[0] + 1
        row, column = node.end_point
        last = row + 1 if column or row < line else row  # a layout may end a node at the start of the line behind it
        unit = UnitDraft(kind, key, "" if name == kind.anonymous else name, line, last, len(units), top.index, params, node)
        unit.end_byte = end_byte
        if not table.is_function:
            unit.frame = top.frame or top
        if kind.bases:
            unit.bases = self._bases(node, table)
        if self.decorators and not self.decorators_inside:
            unit.decorators = self.decorators
            self.decorators = []
        units.append(unit)
        return unit

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

    def _bases(self, node: Node, table: CompiledUnit) -> list[str]:
        bases = []
        for path in table.kind.bases:
            listed = follow(node, path)
            if listed is not None:
                for child in listed.named_children:
                    if child.type not in table.kind.bases_ignored:
                        base = child.named_child(0) if child.type in table.kind.bases_generic else child
                        bases.append(self._text(base))
        return bases

    def _decorator(self, node: Node, top: UnitDraft) -> None:
        rule = self.parsed.spec.decorators
        assert rule is not None
        text = self._text(node).removeprefix(rule.strip).strip()
        is_inside = rule.inside
        if rule.before:
            around = node.parent
            is_inside = around is not None and top.node is not None and around.id == top.node.id
            if not is_inside and (around is None or around.type not in rule.before):
                return
        if is_inside and top.index >= 0:
            unit = self.facts.units[top.index]
            unit.decorators = [*unit.decorators, text]
        else:
            self.decorators.append(text)

    # --- references

    def _open_site(self, index: int, node: Node) -> None:
        if self.site_nodes.setdefault(node.id, index) != index:
            self.current.pop(index, None)
            return
        rule = self.table.spec.sites[index]
        top = self.open[-1]
        site = SiteDraft(rule.kind, rule.spec, node.start_point[0] + 1, top.index, node.start_byte)
        site.mode = rule.mode
        if self.table.conditions:
            site.around = self._conditions_around(node)
        self.current[index] = (rule, site)
        if not rule.per_name:
            self.facts.sites.append(site)

    def _conditions_around(self, node: Node) -> list[Node]:
        """Return the structures around a node that can make it conditional or one for types only, the innermost first."""
        found: list[Node] = []
        at = node.parent
        for _ in range(_MAX_AROUND):
            if at is None:
                break
            if at.kind_id in self.table.conditions:
                found.append(at)
            at = at.parent
        return found

    def _site_part(self, code: int, start: int, node: Node) -> None:
        rule, site = self.current.get(code >> 3, (None, None))
        if rule is None or site is None or start < site.start:
            return
        part = code & 7
        if part == 1:
            site.spec = rule.prefix + _specifier(self._text(node))
        elif part == 2:
            self._imported_name(rule, site, node)
        elif part == 3:
            site.names.append(("*", "*"))
        elif part == 4:
            site.is_type = True
        else:
            site.names.append(("default" if part == 5 else "*", _specifier(self._text(node))))

    def _imported_name(self, rule: SiteRule, site: SiteDraft, node: Node) -> None:
        alias = node.child_by_field_name("alias")
        # A keyword in the place of the name has no field: `export { default as x } from`.
        named = node.child_by_field_name("name") or (node.child(0) if alias is not None else None) or node
        name = local = _specifier(self._text(named))
        if alias is not None:
            local = _specifier(self._text(alias))
            site.spells_alias = site.spells_alias or name == local
        if rule.per_name:
            one = SiteDraft(rule.kind, rule.prefix + name, site.line, site.owner, site.start)
            one.around = site.around
            one.names.append((name, local))
            one.spells_alias = alias is not None and name == local
            self.facts.sites.append(one)
        else:
            site.names.append((name, local))

    def _text(self, node: Node | None) -> str:
        if node is None:
            return ""
        text = self.parsed.text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return text if len(text) <= 40 and "\n" not in text else " ".join(text.split())[:_MAX_TEXT]


def _callee_name(raw: bytes) -> str:
    name = raw.decode("utf-8", "replace")
    if name.replace(".", "").isidentifier() and len(name) <= _MAX_TEXT and not name.startswith("."):
        return name
    if _DOTTED.fullmatch(raw):
        return "".join(name.replace("\\", "").split())[:_MAX_TEXT]
    last = _LAST_NAME.search(raw)
    return f".{last.group(1).decode('utf-8', 'replace')}" if last else ""


def _specifier(text: str) -> str:
    if text[:1] in "\"'`" or "\n" in text:
        text = text.split("\n", 1)[0].strip()
        if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'`":
            return text[1:-1]
    return text
