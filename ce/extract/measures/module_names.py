"""What the names of a module's body mean: an import by its source, anything else by the text that binds it.

Two modules mean the same by a name when it has the same meaning in both; a name without one is built in, or unknown.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING

from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["module_names"]

_INTO = frozenset(
    {"if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "block", "decorated_definition", "export_statement"}
    | {"expression_statement", "lexical_declaration", "variable_declaration", "statement_block", "with_statement"}
)
_NAMED = frozenset(
    {"function_definition", "class_definition", "function_declaration", "generator_function_declaration", "class_declaration"}
    | {"abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration"}
)
Meaning = tuple[str, str]  # name, what it means


def module_names(parsed: Parsed) -> Mapping[str, str]:
    """Return the names that the body of a Python, TypeScript or JavaScript module binds, with their meanings; none for other languages."""
    read = _READERS.get(parsed.spec.grammar)
    if read is None or parsed.tree is None:
        return {}
    found: dict[str, list[str]] = {}
    pending = [parsed.tree.root_node]
    while pending:
        for child in pending.pop().children:
            for name, meaning in _bindings(child, parsed, read):
                found.setdefault(name, []).append(meaning)
            if child.type in _INTO:
                pending.append(child)
    return {name: "\n".join(sorted(meanings)) for name, meanings in found.items()}


def _bindings(node: Node, parsed: Parsed, imports: Callable[[Node, str], Iterator[Meaning]]) -> Iterator[Meaning]:
    field = {"assignment": "left", "variable_declarator": "name"}.get(node.type)
    target = node.child_by_field_name(field or "name")
    if node.type in _NAMED or field:
        if target is not None:
            text = b" ".join(parsed.text[node.start_byte : node.end_byte].split())
            meaning = blake2b(text, digest_size=8).hexdigest()
            yield from ((name, meaning) for name in _identifiers(target))
    else:
        yield from imports(node, posixpath.dirname(parsed.path))


def _python_imports(node: Node, directory: str) -> Iterator[Meaning]:
    if node.type not in ("import_from_statement", "import_statement"):
        return
    module = node.child_by_field_name("module_name")
    source = "" if module is None else _text(module)
    if source.startswith("."):
        source = f"{directory}: {source}"
    for name in node.children_by_field_name("name"):
        alias = name.child_by_field_name("alias")
        what = _text(name.child_by_field_name("name") or name)
        bound = _text(alias) if alias is not None else what if source else what.partition(".")[0]
        yield bound, f"{source} {what}"


def _ecmascript_imports(node: Node, directory: str) -> Iterator[Meaning]:
    path = node.child_by_field_name("source") if node.type == "import_statement" else None
    if path is None:
        return
    source = _text(path)[1:-1]
    if source.startswith("."):
        source = posixpath.normpath(posixpath.join(directory, source))
    pending = [child for child in node.children if child.type == "import_clause"]
    while pending:
        clause = pending.pop()
        if clause.type == "import_specifier":
            name, alias = clause.child_by_field_name("name"), clause.child_by_field_name("alias")
            if name is not None:
                yield _text(alias or name), f"{source} {_text(name)}"
        elif clause.type == "namespace_import":
            yield from ((name, f"{source} *") for name in _identifiers(clause))
        elif clause.type == "identifier":
            yield _text(clause), f"{source} default"
        else:
            pending.extend(clause.named_children)


def _identifiers(node: Node) -> Iterator[str]:
    pending = [node]
    while pending:
        here = pending.pop()
        if here.type in ("identifier", "type_identifier", "shorthand_property_identifier_pattern"):
            yield _text(here)
        elif here.type not in ("attribute", "subscript"):
            pending.extend(here.named_children)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_READERS: dict[str, Callable[[Node, str], Iterator[Meaning]]] = {
    "python": _python_imports,
    "typescript": _ecmascript_imports,
    "tsx": _ecmascript_imports,
    "javascript": _ecmascript_imports,
}
