"""A Go file as its package sees it: the package's name, build constraints, embedded files, every bound name, methods that recurse.

`extra["package"]` is the name in the package clause, `extra["ignored"]` the line of a constraint that no build meets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, UnitDraft, text_of
from ce.extract.measures.queries import captured
from ce.extract.measures.recursion import recursive_units
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

    from ce.extract.spec import UnitKind

__all__ = ["read_file"]

_EMBED = re.compile(rb"(?m)^[ \t]*//go:embed[ \t]+([^\r\n]+)")
_PATTERN = re.compile(r'"((?:\\.|[^"\\])*)"|`([^`]*)`|(\S+)')
# Tags that no build sets by itself: a file behind one is run, or read by a tool, under its own name.
_IGNORED = re.compile(
    rb"(?m)^//(?:go:build|[ \t]*\+build)[ \t]+(?:ignore|ignored|tools?|mage|generate|gen|codegen|never|none|wireinject)\b[^\r\n|]*$"
)
_RECEIVER = re.compile(r"\(\**([^\s\[\]()*]+)[^)]*\)")
_SPECS = frozenset({"const_spec", "var_spec"})
_LISTS = frozenset({"const_declaration", "var_declaration", "var_spec_list"})


def read_file(parsed: Parsed, facts: Facts) -> None:
    """Add what the table does not say."""
    assert parsed.tree is not None
    _package(parsed, facts)
    _embedded(parsed, facts)
    _further_names(parsed, facts)
    for unit in facts.units:
        if unit.kind.declares == "type" and unit.node is not None:
            unit.bases = _embedded_types(parsed, unit.node)
        if unit.name == "_":
            unit.name = ""  # a declaration for its effect alone
    _methods(facts, parsed)
    facts.sites.sort(key=lambda site: site.start)
    if not facts.units and not facts.sites and captured(parsed, parsed.spec.comments):
        facts.extra["documentation"] = True


def _package(parsed: Parsed, facts: Facts) -> None:
    assert parsed.tree is not None
    for child in parsed.tree.root_node.named_children:
        if child.type == "package_clause":
            name = child.named_child(0)
            facts.extra["package"] = text_of(parsed, name) if name is not None else ""
            match = _IGNORED.search(parsed.text, 0, child.start_byte)
            if match is not None:
                facts.extra["ignored"] = parsed.text.count(b"\n", 0, match.start()) + 1
            return


def _embedded(parsed: Parsed, facts: Facts) -> None:
    """Open a site for every pattern of a `//go:embed` comment."""
    assert parsed.tree is not None
    if b"//go:embed" not in parsed.text:
        return
    for match in _EMBED.finditer(parsed.text):
        start = parsed.text.find(b"//", match.start())
        node = parsed.tree.root_node.descendant_for_byte_range(start, start + 2)
        if node is None or node.type != "comment":
            continue
        line = parsed.text.count(b"\n", 0, start) + 1
        for quoted, raw, plain in _PATTERN.findall(match.group(1).decode("utf-8", "replace")):
            pattern = quoted or raw or plain
            if pattern:
                facts.sites.append(SiteDraft("load", pattern, line, -1, start))


def _further_names(parsed: Parsed, facts: Facts) -> None:
    """Add a unit for every name of a constant or variable declaration after its first."""
    assert parsed.tree is not None
    stack = [child for child in parsed.tree.root_node.named_children if child.type in _LISTS]
    kinds = {kind.node: kind for kind in parsed.spec.units}
    while stack:
        node = stack.pop(0)
        if node.type in _LISTS:
            stack[:0] = node.named_children
        elif node.type in _SPECS:
            for name in node.children_by_field_name("name")[1:]:
                _add_unit(parsed, facts, node, name, kinds)


def _embedded_types(parsed: Parsed, spec: Node) -> list[str]:
    """Return the types that a structure or an interface embeds, without their pointers."""
    kind = spec.child_by_field_name("type")
    if kind is None or kind.type not in ("struct_type", "interface_type"):
        return []
    found = []
    for child in kind.named_children:
        if child.type == "type_elem" and child.named_child_count == 1:
            found.append(text_of(parsed, child))
        elif child.type == "field_declaration_list":
            for field in child.named_children:
                embedded = field.child_by_field_name("type") if field.child_by_field_name("name") is None else None
                if embedded is not None:
                    found.append(text_of(parsed, embedded).lstrip("*"))
    return found


def _add_unit(parsed: Parsed, facts: Facts, spec: Node, name: Node, kinds: dict[str, UnitKind]) -> None:
    kind = kinds[spec.type]
    text = text_of(parsed, name)
    if name.type != "identifier":
        return
    unit = UnitDraft(kind, text, text, spec.start_point[0] + 1, spec.end_point[0] + 1, len(facts.units), -1, -1, spec)
    unit.end_byte = spec.end_byte
    facts.units.append(unit)


def _methods(facts: Facts, parsed: Parsed) -> None:
    """Key methods by the plain name of their receiver, and count those that call each other through it."""
    methods: dict[tuple[str, str], int] = {}
    for unit in facts.units:
        if unit.kind.declares == "method":
            match = _RECEIVER.match(unit.key)
            if match is not None:
                unit.key = f"({match.group(1)}){unit.key[match.end() :]}"
                methods[match.group(1), unit.name] = unit.index
    edges: dict[int, set[int]] = {}
    for (receiver, _), index in methods.items():
        unit = facts.units[index]
        called = [callee for callee in unit.calls if "." in callee]
        if not called or unit.node is None:
            continue
        own = _receiver_name(parsed, unit.node)
        targets = {methods.get((receiver, callee.removeprefix(f"{own}.")), -1) for callee in called if callee.startswith(f"{own}.")}
        edges[index] = targets - {-1}
    for index in recursive_units(edges):
        facts.units[index].cognitive += 1


def _receiver_name(parsed: Parsed, method: Node) -> str:
    listed = method.child_by_field_name("receiver")
    declared = listed.named_child(0) if listed is not None else None
    name = declared.child_by_field_name("name") if declared is not None else None
    return text_of(parsed, name) if name is not None else "\0"
