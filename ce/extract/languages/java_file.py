"""What no table says about Java: types that a file refers to, its package, modifiers, annotations, static fields, a `main` method.

Every name of a type that the file does not declare itself is a `type_ref` site: in declarations, casts, annotations, patterns. A name in
front of a dot in an expression may be a variable, so what looks like a type there (`Lists.of`) goes to `extra["heads"]`, once a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, UnitDraft, text_of
from ce.extract.parsing import Parsed
from ce.extract.spec import UnitKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_file"]

_FIELD = UnitKind(node="", kind="named", declares="field")
_TYPES = frozenset({"class", "interface", "enum", "record", "annotation"})
_MAIN = re.compile(rb"\bstatic\b[^;{}()]*\bvoid\s+main\s*\(")
_STATIC = re.compile(rb"import\s+static\b")
_QUALIFIED = re.compile(r"[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)+")
_ANNOTATION = re.compile(r"@[\w.]+\s*")
_MAX_STEPS = 16


def read_file(parsed: Parsed, facts: Facts) -> None:
    """Add the sites of types, the package and heads, and set visibility and annotations."""
    text = parsed.text
    for site in facts.sites:
        if site.kind in ("import", "import_star"):
            site.spec = "".join(site.spec.split())
            name = "*" if site.kind == "import_star" else site.spec.rpartition(".")[2]
            site.names = [(name, name)]
            if _STATIC.match(text, site.start):
                site.spec = f"static {site.spec}"
    package = facts.looked.get("package")
    if package:
        first = min(package, key=lambda node: node.start_byte)
        facts.extra["package"] = "".join(text_of(parsed, first).split())
    types = [unit for unit in facts.units if unit.kind.declares in _TYPES]
    declared = {unit.name for unit in types}
    declared.update(text_of(parsed, node) for node in facts.looked.get("parameter", ()))
    _type_sites(parsed, facts, declared)
    _heads(parsed, facts, declared)
    for unit in facts.units:
        _modifiers(parsed, facts, unit)
    _static_fields(parsed, facts)
    if any(
        unit.name == "main" and unit.node is not None and _MAIN.search(text, unit.node.start_byte, unit.end_byte) for unit in facts.units
    ):
        facts.main_guard = True


def _type_sites(parsed: Parsed, facts: Facts, declared: set[str]) -> None:
    """Open a site for every reference to a type, in source order. Of a qualified name the whole is one reference."""
    nodes = [*facts.looked.get("type", ()), *facts.looked.get("annotation", ())]
    places = sorted([(node.start_byte, -node.end_byte, number) for number, node in enumerate(nodes)])
    text = parsed.text
    units = facts.units
    starts = [unit.node.start_byte for unit in units] + [len(text) + 1]  # type: ignore[union-attr]  # the fold keeps nodes
    sites = []
    open_units = [-1]
    next_unit = 0
    names: dict[bytes, str] = {}
    taken = generic = -1  # where the last qualified name ends, and the last one with type arguments inside
    for start, minus_end, number in places:
        while starts[next_unit] <= start:
            open_units.append(next_unit)
            next_unit += 1
        while open_units[-1] >= 0 and units[open_units[-1]].end_byte <= start:
            open_units.pop()
        if start < taken:
            continue
        raw = text[start:-minus_end]
        name = names.get(raw)
        if name is None:
            name = names[raw] = _type_name(raw.decode("utf-8", "replace"))
        if not name:
            generic = max(generic, -minus_end)
            continue
        node = nodes[number]
        if start < generic:
            around = node.parent
            if around is not None and around.type == "scoped_type_identifier":
                continue
        if "." in name:
            taken = -minus_end
        elif name in declared or name == "var":
            continue
        sites.append(SiteDraft("type_ref", name, node.start_point[0] + 1, open_units[-1], start))
    facts.sites = sorted([*facts.sites, *sites], key=lambda site: site.start)


def _type_name(written: str) -> str:
    """Return a name without type arguments and annotations; nothing when arguments stand inside, as the part before is a site itself."""
    if "<" in written:
        return ""
    return "".join(_ANNOTATION.sub("", written).split()) if "@" in written else "".join(written.split())


def _heads(parsed: Parsed, facts: Facts, declared: set[str]) -> None:
    """Keep what stands in front of a dot and looks like a type or a qualified name of one, with its first line and unit."""
    fields = {text_of(parsed, node) for node in facts.looked.get("field", ())}
    found: dict[str, list[object]] = {}
    text = parsed.text
    heads = [(node.start_byte, node.end_byte, False, node) for node in facts.looked.get("head", ())]
    heads += [(node.start_byte, node.end_byte, True, node) for node in facts.looked.get("qualified", ())]
    heads.sort(key=itemgetter(0))
    for start, end, may_be_package, node in heads:
        name = text[start:end].decode("utf-8", "replace")
        if name in declared or name in fields:
            continue
        if not name[:1].isupper():
            name = _qualified(parsed, node) if may_be_package else ""
        if name and name not in found:
            found[name] = [name, node.start_point[0] + 1]
    if parsed.path.endswith("module-info.java"):
        for match in _QUALIFIED.finditer(parsed.text.decode("utf-8", "replace")):
            name = "".join(match.group().split())
            if name.rpartition(".")[2][:1].isupper():
                found.setdefault(name, [name, parsed.text.count(b"\n", 0, match.start()) + 1])
    if found:
        facts.extra["heads"] = list(found.values())


def _qualified(parsed: Parsed, node: Node) -> str:
    """Return the qualified name of a type that begins with a package at the node, or nothing."""
    at = node.parent
    for _ in range(_MAX_STEPS):
        if at is None or at.type != "field_access":
            return ""
        field = at.child_by_field_name("field")
        if field is not None and text_of(parsed, field)[:1].isupper():
            return "".join(text_of(parsed, at).split())
        at = at.parent
    return ""


def _modifiers(parsed: Parsed, facts: Facts, unit: UnitDraft) -> None:
    assert unit.node is not None
    words, annotations = _modifiers_of(parsed, unit.node)
    unit.decorators = annotations
    unit.visibility = _visibility(facts, words, unit.parent)


def _modifiers_of(parsed: Parsed, node: Node) -> tuple[set[str], list[str]]:
    for position in range(min(node.named_child_count, 3)):
        child = node.named_child(position)
        if child is not None and child.type == "modifiers":
            annotations = [text_of(parsed, below).removeprefix("@") for below in child.named_children if below.type.endswith("annotation")]
            return {below.type for below in child.children}, [" ".join(text.split())[:200] for text in annotations]
    return set(), []


def _visibility(facts: Facts, words: set[str], parent: int) -> int:
    if "private" in words:
        return 0
    if "public" in words:
        return 1
    around = facts.units[parent].kind.declares if parent >= 0 else ""
    return 1 if around in ("interface", "annotation") else 1 | 4


def _static_fields(parsed: Parsed, facts: Facts) -> None:
    """Add a unit for every field that belongs to a type itself."""
    for declaration, node, parent in _fields(facts):
        words, annotations = _modifiers_of(parsed, declaration)
        around = facts.units[parent].kind.declares if parent >= 0 else ""
        if "static" not in words and declaration.type != "constant_declaration" and around not in ("interface", "annotation"):
            continue
        name = text_of(parsed, node)
        unit = UnitDraft(_FIELD, name, name, declaration.start_point[0] + 1, declaration.end_point[0] + 1, len(facts.units), parent)
        unit.visibility = _visibility(facts, words, parent)
        unit.decorators = annotations
        facts.units.append(unit)


def _fields(facts: Facts) -> Iterator[tuple[Node, Node, int]]:
    """Yield the declaration, the name and the enclosing type of every field."""
    types = [unit for unit in facts.units if unit.node is not None]
    open_units: list[UnitDraft] = []
    next_unit = 0
    for node in sorted(facts.looked.get("field", ()), key=lambda node: node.start_byte):
        while next_unit < len(types) and types[next_unit].node.start_byte <= node.start_byte:  # type: ignore[union-attr]
            open_units.append(types[next_unit])
            next_unit += 1
        while open_units and open_units[-1].end_byte <= node.start_byte:
            open_units.pop()
        declarator = node.parent
        declaration = declarator.parent if declarator is not None else None
        if declaration is not None and open_units and open_units[-1].kind.kind != "fn":
            yield declaration, node, open_units[-1].index
