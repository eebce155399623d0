"""Imports and exports of modules, namespaces and ambient declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import chain_of
from ce.extract.names.ecmascript_classes import declare_class, decorate
from ce.extract.names.ecmascript_functions import enter_function, read_object
from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_paths import read
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import TYPE, VALUE, Frame, Path, Scope, definite
from ce.extract.names.model import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "define_export", "export_name", "export_value"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_BOTH = (VALUE, TYPE)


# --- imports


def _on_import(r: Reader, node: Node, frame: Frame) -> None:
    source = r.field(node, "source")
    clause = required = None
    for child in node.named_children:
        kind = r.kinds[child.kind_id]
        if kind == "import_clause":
            clause = child
        elif kind == "import_require_clause":
            required = child
    line = node.start_point[0] + 1
    is_type = node.child_count > 1 and node.children[1].type in ("type", "typeof")
    if required is not None:
        spec = r.constant(r.field(required, "source") or required.named_children[-1])
        name = required.named_children[0]
        if spec is not None:
            number = _declare(r, frame, node, name, ImportedName(spec, line), is_type=is_type)
            if r.data[max(0, node.start_byte - 7) : node.start_byte].startswith(b"export"):
                r.drafts[number].flags.add("exported")
        return
    spec = r.constant(source)
    if spec is None:
        return
    if clause is None:
        number = r.define(frame, f'import("{spec}")', "import", node, None)
        r.drafts[number].imported = ImportedName(spec, line)
        r.drafts[number].flags.add("side_effect")
        return
    for part in clause.named_children:
        kind = r.kinds[part.kind_id]
        if kind == "identifier":
            _declare(r, frame, node, part, ImportedName(spec, line, "default"), is_type=is_type)
        elif kind == "namespace_import" and part.named_children:
            _declare(r, frame, node, part.named_children[-1], ImportedName(spec, line), is_type=is_type)
        elif kind == "named_imports":
            for specifier in part.named_children:
                if r.kinds[specifier.kind_id] == "import_specifier":
                    _specifier(r, frame, specifier, spec, line, is_type=is_type)


def _specifier(r: Reader, frame: Frame, node: Node, spec: str, line: int, *, is_type: bool) -> None:
    names = node.named_children
    if not names:
        return
    imported = _first_name(r, node)
    is_type = is_type or (node.children[0].type in ("type", "typeof") and len(node.children) > 1)
    number = _declare(r, frame, node, names[-1], ImportedName(spec, line, imported), is_type=is_type)
    if len(names) > 1 and r.text(names[-1]) == imported != "default":
        r.drafts[number].flags.add("redundant_alias")


def _first_name(r: Reader, specifier: Node) -> str:
    """Return the name before `as`. A grammar has `default` there as a keyword and not as a name."""
    if any(child.type == "default" for child in specifier.children[:2]):
        return "default"
    name = specifier.named_children[0]
    return r.constant(name) or r.text(name)


def _declare(r: Reader, frame: Frame, node: Node, name: Node, imported: ImportedName, *, is_type: bool) -> int:
    text = r.text(name)
    number = r.define(frame, text, "import", node, name, frame.container if frame.container >= 0 else frame.owner)
    draft = r.drafts[number]
    draft.imported = imported
    if is_type:
        draft.flags.add("type_import")
    r.bind(frame.scope, text, number, _BOTH)
    return number


def _on_alias(r: Reader, node: Node, frame: Frame) -> None:
    """`import A = B.C` is a name for a part of a namespace."""
    names = node.named_children
    if len(names) < 2:
        return
    number = r.define(frame, r.text(names[0]), "variable", node, names[0], frame.container if frame.container >= 0 else frame.owner)
    r.bind(frame.scope, r.text(names[0]), number, _BOTH)
    steps: list[str] = []
    inner = names[-1]
    while r.kinds[inner.kind_id] in ("nested_identifier", "member_expression"):
        steps.append(r.text(inner.named_children[-1]))
        inner = inner.named_children[0]
    path: Path = (frame.scope, r.text(inner), tuple(reversed(steps)), VALUE)
    r.use(number, "read", inner.start_byte, path)
    r.give(number, [path])


# --- exports


def define_export(r: Reader, frame: Frame, name: str, node: Node, name_node: Node | None, path: Path | None) -> int:
    """Define an export under a name of its own; `path` is what it exports, if it is a part of this file."""
    number = r.define(frame, name, "export", node, name_node, frame.container if frame.container >= 0 else frame.owner)
    r.drafts[number].flags.add("exported")
    if path is not None:
        r.give(number, [path])
        r.drafts[number].target = path
        r.use(number, "reexport", (name_node or node).start_byte, path)
    return number


def export_name(r: Reader, frame: Frame, local: str, exported: str, node: Node, name_node: Node) -> None:
    """Export a name of the file, as it is or under another name."""
    path: Path = (frame.scope, local, (), VALUE)
    if local == exported:
        r.exports.append((path, frame.owner))
    else:
        define_export(r, frame, exported, node, name_node, path)


def export_value(r: Reader, frame: Frame, name: str, node: Node, value: Node) -> None:
    """Export a value: a name of the file, a function, a class, a literal with members, or what an expression gives."""
    inner = r.unwrapped(value)
    kind = r.kinds[inner.kind_id]
    container = frame.container if frame.container >= 0 else frame.owner
    if kind == "identifier":
        export_name(r, frame, r.text(inner), name, node, inner)
        return
    if kind in _FUNCTIONS:
        number = r.define(frame, name, "function", node, None, container)
        r.drafts[number].flags.add("exported")
        enter_function(r, inner, frame, number)
    elif kind == "class":
        number = declare_class(r, inner, frame, around=node)
        own = r.field(inner, "name")
        if own is None:
            r.drafts[number].name = name
            r.drafts[number].flags.add("exported")
            r.drafts[number].flags.discard("local")
        else:
            define_export(r, frame, name, node, None, definite(number))
    else:
        path = chain_of(r, inner, frame)
        number = define_export(r, frame, name, node, None, path)
        if path is not None:
            return
        if kind == "object":
            r.drafts[number].is_literal = True
            read_object(r, inner, frame.initializing(number), number)
        else:
            r.give(number, read(r, value, frame.initializing(number)))


def _on_export(r: Reader, node: Node, frame: Frame) -> None:
    source = r.field(node, "source")
    if source is not None:
        _export_from(r, node, frame, source)
        return
    children = node.named_children
    declaration = r.field(node, "declaration")
    marks = {child.type for child in node.children[:4] if not child.is_named}
    decorators = [child for child in children if r.kinds[child.kind_id] == "decorator"]
    is_default = "default" in marks or "=" in marks
    if declaration is not None:
        before = len(r.drafts)
        _declare_exported(r, node, declaration, frame, is_default=is_default)
        if decorators and len(r.drafts) > before:
            decorate(r, decorators, frame.owned(before), before)
        return
    if "namespace" in marks:
        return
    for child in children:
        kind = r.kinds[child.kind_id]
        if kind == "export_clause":
            for specifier in child.named_children:
                names = specifier.named_children
                if names and r.kinds[specifier.kind_id] == "export_specifier":
                    exported = r.constant(names[-1]) or r.text(names[-1])
                    export_name(r, frame, _first_name(r, specifier), exported, specifier, names[-1])
        elif is_default and kind not in ("comment", "decorator"):
            export_value(r, frame, "default", node, child)


def _declare_exported(r: Reader, node: Node, declaration: Node, frame: Frame, *, is_default: bool) -> None:
    """Look at a declaration that is exported at once, so that its definition is the next one."""
    before = len(r.drafts)
    handler = r.handlers[declaration.kind_id]
    if handler is None:
        return
    name = r.field(declaration, "name")
    if is_default and name is None:
        container = frame.container if frame.container >= 0 else frame.owner
        number = r.define(frame, "default", "function", node, None, container)
        r.drafts[number].flags.add("exported")
        enter_function(r, declaration, frame, number)
        return
    handler(r, declaration, frame.exporting())
    if is_default and name is not None and len(r.drafts) > before:
        path: Path = (frame.scope, r.text(name), (), TYPE if r.drafts[before].kind in ("interface", "type_alias") else VALUE)
        define_export(r, frame, "default", node, name, path)


def _export_from(r: Reader, node: Node, frame: Frame, source: Node) -> None:
    spec = r.constant(source)
    if spec is None:
        return
    line = node.start_point[0] + 1
    is_type = node.child_count > 1 and node.children[1].type == "type"
    for child in node.named_children:
        kind = r.kinds[child.kind_id]
        if kind == "namespace_export" and child.named_children:
            name = child.named_children[-1]
            number = define_export(r, frame, r.constant(name) or r.text(name), node, name, None)
            r.drafts[number].imported = ImportedName(spec, line)
        elif kind == "export_clause":
            for specifier in child.named_children:
                names = specifier.named_children
                if not names or r.kinds[specifier.kind_id] != "export_specifier":
                    continue
                exported = r.constant(names[-1]) or r.text(names[-1])
                number = define_export(r, frame, exported, specifier, names[-1], None)
                r.drafts[number].imported = ImportedName(spec, line, _first_name(r, specifier))
                if is_type or specifier.children[0].type == "type":
                    r.drafts[number].flags.add("type_import")
    if any(child.type == "*" for child in node.children):
        r.stars.append(ImportedName(spec, line, "*"))


# --- namespaces and ambient declarations


def _on_namespace(r: Reader, node: Node, frame: Frame) -> None:
    """`namespace A.B {}` and `declare module "x" {}`."""
    name, body = r.field(node, "name"), r.field(node, "body")
    if name is None:
        r.push_all(node.named_children, frame)
        return
    names = [name]
    while r.kinds[names[-1].kind_id] == "nested_identifier":
        inner = names.pop()
        names += [inner.named_children[-1], inner.named_children[0]]
    is_quoted = r.kinds[name.kind_id] == "string"
    exporting = frame
    for part in reversed(names):
        text = r.text(part)
        number = r.define(exporting, text, "namespace", node, part, exporting.container if exporting.container >= 0 else exporting.owner)
        if is_quoted:
            r.drafts[number].flags.add("declared_only")
            r.augmentations.add(number)
        else:
            r.bind(exporting.scope, text, number, _BOTH)
        of = r.primary(exporting.scope, text, number, (VALUE,)) if not is_quoted else number
        flags = exporting.flags | {"declared_only"} if is_quoted else exporting.flags
        scope = r.namespaces.setdefault(of, Scope(exporting.scope, is_function=True))
        exporting = Frame(scope, of, of, of, None, None, None, flags).exporting()
    if body is not None:
        r.push_all(body.named_children, exporting.plain)


def _on_ambient(r: Reader, node: Node, frame: Frame) -> None:
    """What `declare` says lives elsewhere."""
    inner = frame.within(frame.scope)
    inner.is_exporting = frame.is_exporting
    inner.flags = frame.flags | {"declared_only"}
    children = node.named_children
    if any(child.type == "global" for child in node.children):
        number = r.define(inner, "global", "namespace", node, None)
        r.augmentations.add(number)
        scope = Scope(frame.scope, is_function=True)
        inner = Frame(scope, number, number, number, None, None, None, inner.flags)
        children = [part for child in children for part in child.named_children]
    r.push_all(children, inner)


HANDLERS: dict[str, Handler] = {
    "import_statement": _on_import,
    "import_alias": _on_alias,
    "export_statement": _on_export,
    "internal_module": _on_namespace,
    "module": _on_namespace,
    "ambient_declaration": _on_ambient,
}
