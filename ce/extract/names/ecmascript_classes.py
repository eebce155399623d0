"""Classes, interfaces, enums and type aliases with their members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import chain_of
from ce.extract.names.ecmascript_functions import enter_function, member_name
from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_paths import read
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import NOTHING, TYPE, VALUE, Binding, Frame, Path, Scope, definite
from ce.extract.names.ecmascript_types import declare_type_parameters, type_values
from ce.extract.names.model import CALL, SUPER

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "PROTOCOL", "declare_class"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_BOTH = (VALUE, TYPE)
# What the language itself calls.
PROTOCOL = frozenset({"constructor", "toString", "toJSON", "valueOf", "toLocaleString", "then"})
_METHODS = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})


def declare_class(r: Reader, node: Node, frame: Frame, name: Node | None = None, around: Node | None = None) -> int:
    """Define a class: a declaration, or (with the `name` of the variable in `around`) the value of a variable."""
    own = r.field(node, "name")
    name = name or own
    is_declaration = r.kinds[node.kind_id] != "class" or around is not None
    text = r.text(name) if name is not None else "class"
    container = frame.container if is_declaration and frame.container >= 0 else -1
    number = r.define(frame, text, "class", around or node, name, container if container >= 0 else frame.owner)
    draft = r.drafts[number]
    if container < 0:
        draft.flags.add("local")
    plain = frame.plain
    scope = Scope(frame.scope)
    if own is not None:
        for space in _BOTH:
            scope.names[space][r.text(own)] = Binding(number)
    if is_declaration:
        r.bind(frame.scope, text, number, _BOTH)
    else:
        r.use(frame.owner, "read", node.start_byte, definite(number))
    inner = Frame(scope, number, number, -1, None, None, None, frame.flags)
    if any(child.type == "abstract" for child in node.children[:3]):
        draft.flags.add("abstract")
    decorate(r, [child for child in node.children if r.kinds[child.kind_id] == "decorator"], inner, number)
    declare_type_parameters(r, node, inner)
    members_of = r.primary(frame.scope, text, number, (TYPE,)) if is_declaration else number
    for child in node.named_children:
        kind = r.kinds[child.kind_id]
        if kind == "class_heritage":
            _heritage(r, child, inner, plain, number)
        elif kind == "class_body":
            _body(r, child, inner, number, members_of)
    return number


def decorate(r: Reader, decorators: Sequence[Node], frame: Frame, number: int) -> None:
    """Note the decorators of a definition; their arguments belong to it."""
    for decorator in decorators:
        for child in decorator.named_children:
            inner, argument = child, ""
            if r.kinds[child.kind_id] == "call_expression":
                inner, given = child.named_children[0], child.named_children[-1].named_children
                argument = (r.constant(given[0]) or "")[:200] if given else ""
                r.push_all(given, frame)
            path = chain_of(r, inner, frame)
            if path is None:
                r.push(inner, frame)
            else:
                r.drafts[number].decorators.append(path)
                r.use(frame.owner, "decorate", inner.start_byte, path, argument)


def _heritage(r: Reader, node: Node, frame: Frame, outside: Frame, number: int) -> None:
    implemented: list[Path] = []
    for clause in node.named_children:
        kind = r.kinds[clause.kind_id]
        if kind == "implements_clause":
            for child in clause.named_children:
                implemented += [_class_of(path) for path in type_values(r, child, frame)]
        elif kind == "extends_clause":
            for index, child in enumerate(clause.named_children):
                if r.kinds[child.kind_id] == "type_arguments":
                    r.push_all(child.named_children, frame)
                elif index == 0:
                    _extends(r, child, frame, outside, number)
        elif kind != "comment":
            _extends(r, clause, frame, outside, number)
    r.drafts[number].bases += implemented


def _class_of(path: Path) -> Path:
    """Return what a type names from what its values are."""
    return (path[0], path[1], path[2][:-1], path[3]) if path[2][-1:] == (CALL,) else NOTHING


def _extends(r: Reader, node: Node, frame: Frame, outside: Frame, number: int) -> None:
    """A base that a call makes is not known, but what it is made from is inherited too: `extends Mixin(Base)`."""
    path = chain_of(r, node, frame)
    bases = r.drafts[number].bases
    if path is not None:
        r.use(number, "inherit", node.start_byte, path)
        bases.append(path)
        return
    if r.kinds[node.kind_id] == "call_expression":
        for given in node.named_children[-1].named_children:
            part = chain_of(r, given, frame)
            if part is not None:
                bases.append(part)
    bases.append(NOTHING)
    r.push(node, frame)


def _body(r: Reader, body: Node, frame: Frame, number: int, of: int) -> None:
    decorators: list[Node] = []
    for child in body.named_children:
        kind = r.kinds[child.kind_id]
        if kind == "decorator":
            decorators.append(child)
            continue
        if kind in _METHODS or kind in _FIELDS:
            _member(r, child, frame, number, of, decorators)
        elif kind == "class_static_block":
            this = definite(number)
            r.push_all(child.named_children, Frame(Scope(frame.scope, is_function=True), number, number, -1, this, _above(this)))
        else:
            r.push(child, frame)
        decorators = []


def _above(this: Path) -> Path:
    """Return the path of `super` where `this` is so."""
    return (this[0], this[1], (SUPER, *this[2]), this[3])


def _member(r: Reader, node: Node, frame: Frame, number: int, of: int, decorators: list[Node]) -> None:
    """Define a method or a field of a class or an interface."""
    kind = r.kinds[node.kind_id]
    key = r.field(node, "name") or r.field(node, "property")
    if key is None:
        r.push_all(node.named_children, frame)
        return
    marks = set()
    for child in node.children:
        if child.id == key.id:
            break
        what = child.type
        if what == "decorator":
            decorators = [*decorators, child]
        marks.add(r.text(child) if what == "accessibility_modifier" else what)
    is_static = "static" in marks
    this = definite(number) if is_static else definite(number, (CALL,))
    above = _above(this)
    name = member_name(r, key)
    if r.kinds[key.kind_id] == "computed_property_name":
        r.push_all(key.named_children, frame)
    value = r.field(node, "value")
    inner_value = r.unwrapped(value) if value is not None else None
    is_function = inner_value is not None and r.kinds[inner_value.kind_id] in _FUNCTIONS
    if kind in _FIELDS and not is_function:
        what = "property" if "accessor" in marks else "field"
    else:
        what = "property" if "get" in marks or "set" in marks else "method"
    member = -1
    if name:
        member = r.define(frame, name, what, node, key, of)
        draft = r.drafts[member]
        draft.flags.discard("local")
        _flag(r, draft.flags, name, marks, kind)
        r.members.setdefault((of, name), member)
        decorate(r, decorators, frame.owned(member) if kind in _METHODS else frame, member)
    inside = Frame(frame.scope, frame.owner, frame.runs, -1, this, above, None, frame.flags)
    if kind in _METHODS:
        enter_function(r, node, inside, member, this, above, number if name == "constructor" else -1)
        return
    r.push_all([child for child in node.named_children if r.kinds[child.kind_id] == "comment"], inside)
    annotation = r.field(node, "type")
    values = type_values(r, annotation, inside) if annotation is not None else []
    if is_function and inner_value is not None:
        enter_function(r, inner_value, inside, member, this, above)
        return
    given = read(r, value, inside) if value is not None else []
    if member >= 0:
        r.drafts[member].is_annotated = annotation is not None
        r.give(member, values if annotation is not None else given)


def _flag(r: Reader, flags: set[str], name: str, marks: set[str], kind: str) -> None:
    if "static" in marks:
        flags.add("static")
    if "private" in marks or name.startswith("#"):
        flags.add("private")
    if name in PROTOCOL or name.startswith("["):
        flags.add("protocol")
    if "abstract" in marks or kind in ("method_signature", "abstract_method_signature", "property_signature"):
        flags.add("abstract")
    if "declare" in marks:
        flags.add("declared_only")


# --- declarations


def _on_class(r: Reader, node: Node, frame: Frame) -> None:
    declare_class(r, node, frame)


def _declare_type(r: Reader, node: Node, frame: Frame, kind: str, spaces: tuple[int, ...]) -> tuple[int, Frame]:
    name = r.field(node, "name")
    text = r.text(name) if name is not None else ""
    container = frame.container
    number = r.define(frame, text, kind, node, name, container if container >= 0 else frame.owner)
    if container < 0:
        r.drafts[number].flags.add("local")
    r.bind(frame.scope, text, number, spaces)
    inner = Frame(Scope(frame.scope), number, number, -1, None, None, None, frame.flags)
    return number, inner


def _on_interface(r: Reader, node: Node, frame: Frame) -> None:
    number, inner = _declare_type(r, node, frame, "interface", (TYPE,))
    declare_type_parameters(r, node, inner)
    of = r.primary(frame.scope, r.drafts[number].name, number, (TYPE,))
    for child in node.named_children:
        kind = r.kinds[child.kind_id]
        if kind in ("extends_type_clause", "extends_clause"):
            for base in child.named_children:
                r.drafts[of].bases += [_class_of(path) for path in type_values(r, base, inner)]
        elif kind in ("interface_body", "object_type"):
            _type_members(r, child, inner, number, of)


def _type_members(r: Reader, body: Node, frame: Frame, number: int, of: int) -> None:
    for child in body.named_children:
        kind = r.kinds[child.kind_id]
        if kind in _METHODS or kind in _FIELDS:
            _member(r, child, frame, number, of, [])
        elif kind in ("call_signature", "construct_signature"):
            returned = r.field(child, "return_type") or r.field(child, "type")
            inner = frame.within(Scope(frame.scope))
            declare_type_parameters(r, child, inner)
            r.push_all([part for part in child.named_children if returned is None or part.id != returned.id], inner)
            if returned is not None:
                type_values(r, returned, inner)
        else:
            r.push(child, frame)


def _on_alias(r: Reader, node: Node, frame: Frame) -> None:
    """`type A = …`: the values of an alias are what its instances are."""
    number, inner = _declare_type(r, node, frame, "type_alias", (TYPE,))
    declare_type_parameters(r, node, inner)
    value = r.field(node, "value")
    if value is None:
        return
    if r.kinds[value.kind_id] == "object_type":
        _type_members(r, value, inner, number, number)
    else:
        r.give(number, type_values(r, value, inner))


def _on_enum(r: Reader, node: Node, frame: Frame) -> None:
    number, inner = _declare_type(r, node, frame, "enum", _BOTH)
    of = r.primary(frame.scope, r.drafts[number].name, number, (VALUE,))
    body = r.field(node, "body")
    for child in body.named_children if body is not None else ():
        key, value = child, None
        if r.kinds[child.kind_id] == "enum_assignment":
            key, value = child.named_children[0], child.named_children[-1]
        name = member_name(r, key)
        if name:
            member = r.define(inner, name, "enum_member", child, key, of)
            r.members.setdefault((of, name), member)
            inner.scope.names[VALUE].setdefault(name, Binding(member))
        if value is not None:
            r.push(value, inner)


HANDLERS: dict[str, Handler] = {
    "class_declaration": _on_class,
    "abstract_class_declaration": _on_class,
    "class": _on_class,
    "interface_declaration": _on_interface,
    "type_alias_declaration": _on_alias,
    "enum_declaration": _on_enum,
}
