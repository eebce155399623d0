"""Import statements: each name that one binds is a definition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import ImportedName
from ce.extract.names.python_state import CLASS_SCOPE, State

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["future_import", "import_from", "import_names"]

_NOQA = re.compile(
    rb"#\s*noqa\b(?!\s*:\s*[A-Z]+[0-9])|#\s*noqa\s*:[^\n]*\bF401\b|#\s*(?:type|pyright):\s*ignore\[[^\]\n]*\breportUnusedImport\b"
    rb"|#\s*pylint:\s*disable=[^\n]*\b(?:unused-import|W0611)\b",
    re.IGNORECASE,
)


def import_names(state: State, node: Node) -> None:
    """Read `import a.b, c as d`."""
    line = node.start_point[0] + 1
    for child in node.named_children:
        if child.kind_id == k.ALIASED:
            named, alias = child.named_children[0], child.named_children[-1]
            spec, name = _dotted(state, named), state.slice(alias)
            _define(state, node, name, alias, ImportedName(spec, line, "", 0), is_same=spec == name)
        elif child.kind_id == k.DOTTED_NAME:
            spec = _dotted(state, child)
            first = spec.partition(".")[0]
            _define(state, node, first, child, ImportedName(spec, line, "", int(first != spec)))


def import_from(state: State, node: Node) -> None:
    """Read `from m import a as b` and `from m import *`."""
    line = node.start_point[0] + 1
    children = node.named_children
    spec = _dotted(state, children[0])
    for child in children[1:]:
        if child.kind_id == k.ALIASED:
            named, alias = state.slice(child.named_children[0]), child.named_children[-1]
            name = state.slice(alias)
            _define(state, node, name, alias, ImportedName(spec, line, named, 0), is_same=named == name)
        elif child.kind_id == k.DOTTED_NAME:
            name = state.slice(child)
            _define(state, node, name, child, ImportedName(spec, line, name, 0))
        elif child.kind_id == k.WILDCARD:
            state.star_imports.append((node.start_byte, ImportedName(spec, line, "*", 0)))


def future_import(state: State, node: Node) -> None:
    """`from __future__ import annotations`: annotations are not run."""
    line = node.start_point[0] + 1
    for child in node.named_children:
        name = state.slice(child)
        if name == "annotations":
            state.future_annotations = True
        if child.kind_id == k.DOTTED_NAME:
            number = _define(state, node, name, child, ImportedName("__future__", line, name, 0))
            state.drafts[number].flags.add("side_effect")


def _define(state: State, node: Node, name: str, at: Node, imported: ImportedName, is_same: bool = False) -> int:
    scope = state.binding_scope(name)
    start = node.start_byte
    number = state.define(name, "import", start, node.end_byte, at.start_byte, scope)
    draft = state.drafts[number]
    draft.imported = imported
    if scope is not state.scope:
        draft.flags.add("local")
    if scope.kind == CLASS_SCOPE:
        draft.flags.add("static")
    if is_same:
        draft.flags.add("redundant_alias")
    if start < state.type_end or start < state.dead_end:
        draft.flags.add("type_import")
    if state.has_noqa and (_is_wanted(state, start) or _is_wanted(state, at.start_byte)):
        draft.flags.add("side_effect")
    return number


def _is_wanted(state: State, start: int) -> bool:
    """Tell whether a comment at the end of the line says that what is unused there is meant so."""
    end = state.text.find(b"\n", start)
    return _NOQA.search(state.text, start, end if end >= 0 else len(state.text)) is not None


def _dotted(state: State, node: Node) -> str:
    text = state.slice(node)
    return text if text.replace(".", "").isidentifier() else "".join(text.replace("\\", "").split())
