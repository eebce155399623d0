"""Types: what they name, and what a value of a type is an instance of.

A promise counts as what it gives, so `await` changes nothing. An array or another collection is what it holds, followed by COLLECTION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import NOTHING, TYPE, VALUE, Frame, Path, Scope
from ce.extract.names.model import CALL, COLLECTION, ELEMENT

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "declare_type_parameters", "type_values"]

_TRANSPARENT = frozenset({
    "Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable", "Pick", "Omit", "Extract", "Exclude",
})  # fmt: skip
_COLLECTIONS = frozenset({
    "Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable", "Iterator", "IterableIterator", "Generator",
    "AsyncGenerator", "ArrayLike", "WeakSet", "AsyncIterableIterator",
})  # fmt: skip
_MAX_PARTS = 16


def type_values(r: Reader, node: Node, frame: Frame) -> list[Path]:
    """Note what a type names and return what a value of it is, nothing known for a type without a name."""
    found: list[Path] = []
    work: list[tuple[Node, tuple[str, ...]]] = [(node, ())]
    parts = 0
    while work:
        node, held = work.pop()
        kind = r.kinds[node.kind_id]
        parts += 1
        if parts > _MAX_PARTS:
            r.push(node, frame)
        elif kind == "type_identifier":
            path = _name(r, node, frame)
            found.append((path[0], path[1], (CALL, *held), path[3]))
        elif kind == "nested_type_identifier":
            path = _nested(r, node, frame)
            found.append((path[0], path[1], (*path[2], CALL, *held), path[3]))
        elif kind == "generic_type":
            work += _generic(r, node, frame, held, found)
        elif kind == "array_type":
            work.append((node.named_children[0], (COLLECTION, *held)))
        elif kind in ("union_type", "intersection_type"):
            work += [(part, held) for part in reversed(node.named_children)]
        elif kind in ("type_annotation", "parenthesized_type", "readonly_type", "type_arguments") and node.named_children:
            work.append((node.named_children[-1], held))
        elif kind == "type_query":
            path = _query(r, node, frame)
            found.append((path[0], path[1], (*path[2], *held), path[3]))
        elif kind == "lookup_type":
            path = _lookup(r, node, frame)
            found.append((path[0], path[1], (*path[2], *held), path[3]))
        elif kind == "this_type":
            found.append(NOTHING if frame.this is None else frame.this)
        elif kind in ("member_expression", "call_expression") or kind not in _EMPTY:
            imported = _imported(r, node, frame)
            if imported is not None:
                found.append((imported[0], imported[1], (*imported[2], CALL, *held), imported[3]))
            else:
                r.push(node, frame)
                found.append(NOTHING)
        else:
            r.push(node, frame)
    return found


_EMPTY = frozenset({"predefined_type", "literal_type", "template_literal_type", "comment", "type_predicate_annotation", "type_predicate",
                    "asserts_annotation", "asserts"})  # fmt: skip


def _name(r: Reader, node: Node, frame: Frame) -> Path:
    path: Path = (frame.scope, r.text(node), (), TYPE)
    r.uses.append((frame.owner, "type_only", node.start_byte, path, ""))
    return path


def _nested(r: Reader, node: Node, frame: Frame) -> Path:
    """`a.b.C` and `E.Member`."""
    steps: list[str] = []
    start = node.start_byte
    while r.kinds[node.kind_id] in ("nested_type_identifier", "nested_identifier", "member_expression"):
        children = node.named_children
        steps.append(r.text(children[-1]))
        node = children[0]
    # A parameter of the name of a namespace does not hide it here.
    path: Path = (frame.scope, r.text(node), tuple(reversed(steps)), TYPE)
    r.use(frame.owner, "type_only", start, path)
    return path


def _generic(r: Reader, node: Node, frame: Frame, held: tuple[str, ...], found: list[Path]) -> list[tuple[Node, tuple[str, ...]]]:
    """Take what a wrapper or a collection holds; return what is left to look at."""
    name, arguments = node.named_children[0], node.named_children[-1]
    given = arguments.named_children
    text = r.text(name) if r.kinds[name.kind_id] == "type_identifier" else ""
    if text in _TRANSPARENT or text in _COLLECTIONS:
        r.push_all(given[1:], frame)
        return [(given[0], held if text in _TRANSPARENT else (COLLECTION, *held))] if given else []
    path = _name(r, name, frame) if text else _nested(r, name, frame)
    found.append((path[0], path[1], (*path[2], CALL, *held), path[3]))
    r.push_all(given, frame)
    return []


def _query(r: Reader, node: Node, frame: Frame) -> Path:
    """`typeof a.b` is the value itself; `typeof import("./m")` is the module."""
    inner = node.named_children[0] if node.named_children else node
    imported = _imported(r, inner, frame)
    if imported is not None:
        return imported
    steps: list[str] = []
    start = inner.start_byte
    r.push_all(node.named_children[1:], frame)
    while r.kinds[inner.kind_id] in ("member_expression", "subscript_expression", "instantiation_expression", "call_expression"):
        kind, children = r.kinds[inner.kind_id], inner.named_children
        if kind == "member_expression":
            steps.append(r.text(children[-1]))
        elif kind == "subscript_expression":
            steps.append(r.constant(children[-1]) or ELEMENT)
        else:
            r.push_all(children[1:], frame)
        inner = children[0]
    if r.kinds[inner.kind_id] == "this":
        base = frame.this or NOTHING
        path: Path = (base[0], base[1], (*base[2], *reversed(steps)), base[3])
    elif r.kinds[inner.kind_id] in ("identifier", "type_identifier"):
        path = (frame.scope, r.text(inner), tuple(reversed(steps)), VALUE)
    else:
        return NOTHING
    r.use(frame.owner, "type_only", start, path)
    return path


def _lookup(r: Reader, node: Node, frame: Frame) -> Path:
    """`Shop["till"]` is a member of an instance; with any other index it is not known which one."""
    children = node.named_children
    index = children[-1]
    inner = index.named_children[0] if index.named_children else None
    name = r.constant(inner) if r.kinds[index.kind_id] == "literal_type" else None
    if name is None:
        r.push(index, frame)
    if r.depth > _MAX_PARTS:
        r.push(children[0], frame)
        return NOTHING
    r.depth += 1
    held = type_values(r, children[0], frame)
    r.depth -= 1
    if name is None:
        return (held[0][0], held[0][1], (*held[0][2], ELEMENT), held[0][3]) if held else NOTHING
    for path in held:
        r.use(frame.owner, "type_only", node.start_byte, (path[0], path[1], (*path[2], name), path[3]))
    return (held[0][0], held[0][1], (*held[0][2], name), held[0][3]) if held else NOTHING


def _imported(r: Reader, node: Node, frame: Frame) -> Path | None:
    """`import("./m").a.B` in the place of a type."""
    steps: list[str] = []
    start = node.start_byte
    while r.kinds[node.kind_id] in ("member_expression", "nested_type_identifier", "nested_identifier", "generic_type"):
        children = node.named_children
        if r.kinds[node.kind_id] == "generic_type":
            r.push_all(children[1:], frame)
        else:
            steps.append(r.text(children[-1]))
        node = children[0]
    if r.kinds[node.kind_id] != "call_expression" or not r.data.startswith(b"import", node.start_byte):
        return None
    given = node.named_children[-1].named_children
    spec = r.constant(given[0]) if given else None
    if spec is None:
        return None
    base = r.inline_import(spec, node, frame, is_type=True)
    path: Path = (base[0], base[1], tuple(reversed(steps)), VALUE)
    r.use(frame.owner, "type_only", start, path)
    return path


# --- handlers: types that stand where nobody asks for their values


def _on_type(r: Reader, node: Node, frame: Frame) -> None:
    type_values(r, node, frame)


def _on_identifier(r: Reader, node: Node, frame: Frame) -> None:
    r.uses.append((frame.owner, "type_only", node.start_byte, (frame.scope, r.text(node), (), TYPE), ""))


def _on_function_type(r: Reader, node: Node, frame: Frame) -> None:
    inner = frame.within(Scope(frame.scope))
    declare_type_parameters(r, node, inner)
    r.push_all(node.named_children, inner)


def _on_conditional(r: Reader, node: Node, frame: Frame) -> None:
    r.push_all(node.named_children, frame.within(Scope(frame.scope)))


def _on_infer(r: Reader, node: Node, frame: Frame) -> None:
    children = node.named_children
    if children:
        r.local(frame.scope, r.text(children[0]), [], TYPE)
        r.push_all(children[1:], frame)


def _on_mapped(r: Reader, node: Node, frame: Frame) -> None:
    """The clause stands in an index signature, whose type sees the name too."""
    name = r.field(node, "name")
    if name is not None:
        r.local(frame.scope, r.text(name), [], TYPE)
    r.push_all(node.named_children[1:], frame)


def _on_index_signature(r: Reader, node: Node, frame: Frame) -> None:
    inner = frame.within(Scope(frame.scope))
    name = r.field(node, "name")
    if name is not None:
        r.local(inner.scope, r.text(name), [])
    r.push_all([child for child in node.named_children if name is None or child.id != name.id], inner)


def _on_predicate(r: Reader, node: Node, frame: Frame) -> None:
    r.push_all(node.named_children[1:], frame)


def _on_parameter(r: Reader, node: Node, frame: Frame) -> None:
    """A parameter of a function type; those of functions are declared with the function."""
    children = node.named_children
    names = [child for child in children if r.kinds[child.kind_id] in ("identifier", "this", "rest_pattern")]
    for name in names:
        r.local(frame.scope, r.text(name).lstrip("."), [])
    r.push_all([child for child in children if child not in names], frame)


def _on_type_parameters(_r: Reader, _node: Node, _frame: Frame) -> None:
    """They are declared by what has them."""


def declare_type_parameters(r: Reader, node: Node, frame: Frame) -> None:
    """Declare the type parameters of a declaration in the frame; a parameter counts as what it extends."""
    kinds = r.kinds
    for child in node.named_children[:4]:
        if kinds[child.kind_id] == "type_parameters":
            _declare_listed(r, child, frame)
            break


def _declare_listed(r: Reader, listed: Node, frame: Frame) -> None:
    for parameter in listed.named_children:
        name = r.field(parameter, "name")
        if name is None:
            continue
        values: list[Path] = []
        for child in parameter.named_children[1:]:
            if r.kinds[child.kind_id] == "constraint" and child.named_children:
                values = type_values(r, child.named_children[-1], frame)
            else:
                r.push(child, frame)
        # A type parameter is named as a type, and its values are instances.
        r.local(frame.scope, r.text(name), [(path[0], path[1], path[2][:-1], path[3]) for path in values if path[2][-1:] == (CALL,)], TYPE)


HANDLERS: dict[str, Handler] = {
    "type_identifier": _on_identifier,
    "nested_type_identifier": _on_type,
    "generic_type": _on_type,
    "type_query": _on_type,
    "lookup_type": _on_type,
    "function_type": _on_function_type,
    "constructor_type": _on_function_type,
    "method_signature": _on_function_type,
    "call_signature": _on_function_type,
    "construct_signature": _on_function_type,
    "conditional_type": _on_conditional,
    "infer_type": _on_infer,
    "mapped_type_clause": _on_mapped,
    "index_signature": _on_index_signature,
    "type_predicate": _on_predicate,
    "required_parameter": _on_parameter,
    "optional_parameter": _on_parameter,
    "type_parameters": _on_type_parameters,
}
