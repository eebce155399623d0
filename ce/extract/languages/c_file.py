"""What no table says about C and C++: linkage, access, variables of the file scope, includes of macros."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, UnitDraft, text_of
from ce.extract.parsing import Parsed
from ce.extract.spec import UnitKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_file"]

_VARIABLE = UnitKind(node="", kind="named", declares="variable")
_EXPORTED, _RESTRICTED = 1, 4
_CLASSES = frozenset({"class", "struct", "union"})
_MAX_STEPS = 32
# The name of a pointer to a function: `(*name)`, `(*name(int))`.
_IN_PARENTHESES = re.compile(r"\([\s*&^]*(?:const\s+)?([\w:~]+)")


def read_file(parsed: Parsed, facts: Facts) -> None:
    """Set visibility, add the variables of the file scope, and read the includes whose path is a macro."""
    access = _access(parsed, facts)
    hidden: list[bool] = []  # per unit: it is or stands in a namespace without a name
    for unit in facts.units:
        around = unit.parent >= 0 and hidden[unit.parent]
        hidden.append(around or (unit.kind.declares == "namespace" and not unit.name))
        is_qualified = "::" in unit.name
        unit.visibility = 0 if hidden[-1] else _visibility(parsed, facts, unit, access, is_qualified=is_qualified)
        inner = _IN_PARENTHESES.match(unit.name)
        if inner is not None:
            unit.key = unit.key.replace(unit.name, inner.group(1), 1)
            unit.name = inner.group(1)
        unit.name = unit.name.rpartition("::")[2].strip()
    _variables(parsed, facts, hidden)
    _computed_includes(parsed, facts)


def _visibility(parsed: Parsed, facts: Facts, unit: UnitDraft, access: dict[int, list[tuple[int, str]]], *, is_qualified: bool) -> int:
    assert unit.node is not None
    if is_qualified:
        return _EXPORTED
    around = facts.units[unit.parent] if unit.parent >= 0 else None
    if around is not None and around.kind.declares in _CLASSES and around.node is not None:
        return _of_member(around, unit.node.start_byte, access)
    return 0 if unit.kind.kind == "fn" and _is_static(parsed, unit.node) else _EXPORTED


def _of_member(around: UnitDraft, start: int, access: dict[int, list[tuple[int, str]]]) -> int:
    assert around.node is not None
    body = around.node.child_by_field_name("body")
    places = access.get(body.id, []) if body is not None else []
    at = bisect_right(places, (start, "")) - 1
    word = places[at][1] if at >= 0 else "private" if around.kind.declares == "class" else "public"
    return {"private": 0, "protected": _EXPORTED | _RESTRICTED}.get(word, _EXPORTED)


def _access(parsed: Parsed, facts: Facts) -> dict[int, list[tuple[int, str]]]:
    """Return the access specifiers of each class body, by the id of its node."""
    found: dict[int, list[tuple[int, str]]] = {}
    for node in facts.looked.get("access", ()):
        if node.parent is not None:
            found.setdefault(node.parent.id, []).append((node.start_byte, text_of(parsed, node)))
    for places in found.values():
        places.sort()
    return found


def _is_static(parsed: Parsed, node: Node) -> bool:
    for child in node.children[:6]:
        if child.type == "storage_class_specifier" and text_of(parsed, child) == "static":
            return True
        if child.type in ("function_declarator", "compound_statement"):
            return False
    return False


def _variables(parsed: Parsed, facts: Facts, hidden: list[bool]) -> None:
    """Add a unit for every variable that is defined outside of functions and classes."""
    found = []
    for node, parent in _outside_functions(facts):
        declaration = node.parent
        name = _variable(node)
        if declaration is None or name is None or name.type not in ("identifier", "qualified_identifier"):
            continue
        words = {text_of(parsed, child) for child in declaration.children if child.type == "storage_class_specifier"}
        if "extern" in words and node.type != "init_declarator":
            continue
        text = text_of(parsed, name)
        unit = UnitDraft(_VARIABLE, text, text.rpartition("::")[2], declaration.start_point[0] + 1, declaration.end_point[0] + 1, 0, parent)
        unit.visibility = 0 if "static" in words or (parent >= 0 and hidden[parent]) else _EXPORTED
        found.append(unit)
    for unit in found:
        unit.index = len(facts.units)
        facts.units.append(unit)


def _outside_functions(facts: Facts) -> Iterator[tuple[Node, int]]:
    """Yield the declarators that no function and no class holds, with the namespace around them."""
    units = facts.units
    open_units: list[UnitDraft] = []
    next_unit = 0
    for node in sorted(facts.looked.get("declarator", ()), key=lambda node: node.start_byte):
        start = node.start_byte
        while next_unit < len(units) and units[next_unit].node.start_byte <= start:  # type: ignore[union-attr]  # the fold keeps nodes
            open_units.append(units[next_unit])
            next_unit += 1
        while open_units and open_units[-1].end_byte <= start:
            open_units.pop()
        if all(unit.kind.declares == "namespace" for unit in open_units):
            yield node, open_units[-1].index if open_units else -1


def _variable(node: Node) -> Node | None:
    """Return the name below a declarator, None for that of a function."""
    for _ in range(_MAX_STEPS):
        if node.type == "function_declarator":
            inner = node.child_by_field_name("declarator")
            if inner is None or inner.type != "parenthesized_declarator":
                return None
        below = node.child_by_field_name("declarator")
        if below is None and node.type == "parenthesized_declarator" and node.named_child_count:
            below = node.named_children[0]
        if below is None:
            return node
        node = below
    return None


def _computed_includes(parsed: Parsed, facts: Facts) -> None:
    """An include of a macro is one of the file that the macro is defined as here, when that is certain; else it is a dynamic fact."""
    computed = facts.looked.get("computed", ())
    if not computed:
        return
    values: dict[str, set[str]] = {}
    for node in facts.looked.get("macro", ()):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            values.setdefault(text_of(parsed, name), set()).add(text_of(parsed, value).strip())
    for node in computed:
        line = node.start_point[0] + 1
        given = values.get(text_of(parsed, node), set())
        paths = sorted(value for value in given if len(value) > 2 and value[0] + value[-1] in ('""', "<>"))
        if not given or len(paths) < len(given):
            facts.dynamic.append((line, "macro", "*"))
        for path in paths:
            site = SiteDraft("include", path[1:-1] if path[0] == '"' else path, line, -1, node.start_byte)
            site.mode = "conditional" if len(paths) > 1 else "runtime"
            facts.sites.append(site)
    facts.sites.sort(key=lambda site: site.start)
    facts.dynamic.sort()
