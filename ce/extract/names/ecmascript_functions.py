"""Functions and object literals: parameters, what they give, and the members of a literal that a variable holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_paths import read
from ce.extract.names.ecmascript_patterns import bind_pattern, read_parts
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import VALUE, Binding, Frame, Path, Scope, definite
from ce.extract.names.ecmascript_types import declare_type_parameters, type_values

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "enter_function", "member_name", "read_object"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_GENERATORS = frozenset({"generator_function", "generator_function_declaration"})
_MAX_MEMBERS = 400  # of one literal that are told apart
_MAX_NESTING = 4


def enter_function(
    r: Reader, node: Node, frame: Frame, number: int = -1, this: Path | None = None, above: Path | None = None, fields_of: int = -1
) -> None:
    """Declare the parameters and look at the body. `number` is its definition, `fields_of` the class of which it is the constructor.

    A function without a definition belongs to what it stands in.
    """
    kind = r.kinds[node.kind_id]
    scope = Scope(frame.scope, is_function=True)
    owner = number if number >= 0 else frame.owner
    if kind == "arrow_function":
        this, above = frame.this, frame.above
    inner = Frame(scope, owner, owner, -1, this, above, None, frame.flags)
    children = node.named_children
    if kind in ("function_expression", "generator_function"):
        name = r.field(node, "name")
        if name is not None:
            scope.names[VALUE][r.text(name)] = Binding(number)
    declare_type_parameters(r, node, inner)
    parameters: Node | None = None
    body: Node | None = None
    returned: Node | None = None
    for child in children:
        what = r.kinds[child.kind_id]
        if what == "formal_parameters":
            parameters = child
        elif what in ("type_annotation", "type_predicate_annotation", "asserts_annotation"):
            returned = child
        elif what == "statement_block":
            body = child
        elif what == "comment":
            r.push(child, inner)
    draft = r.drafts[number] if number >= 0 else None
    names: list[str] = []
    hints = r.hints.pop(node.id, None)
    if parameters is not None:
        for index, parameter in enumerate(r.parts(parameters, inner)):
            values = hints[1] if hints is not None and hints[0] == index else []
            names += _parameter(r, parameter, inner, values, fields_of)
    elif kind == "arrow_function" and children and children[0].id != (body.id if body is not None else -1):
        names.append(r.text(children[0]))
        r.local(scope, names[0], hints[1] if hints is not None and hints[0] == 0 else [])
    if draft is not None:
        draft.parameters += names
    values = type_values(r, returned, inner) if returned is not None else []
    if draft is not None and returned is not None:
        draft.is_annotated = True
        r.give(number, values)
    if draft is not None and returned is None and not (kind in _GENERATORS or (kind == "method_definition" and _is_generator(node))):
        inner.returns = draft.values
    if body is not None:
        r.push_all(body.named_children, inner)
    elif kind == "arrow_function" and children:
        given = read(r, children[-1], inner)
        if inner.returns is not None:
            r.give(number, given)


def _is_generator(method: Node) -> bool:
    return any(child.type == "*" for child in method.children[:4])


def _parameter(r: Reader, node: Node, frame: Frame, hinted: list[Path], fields_of: int) -> list[str]:
    """Declare one parameter; return its name, none for a receiver."""
    kinds = r.kinds
    kind = kinds[node.kind_id]
    if kind == "identifier":
        name = r.text(node)
        r.local(frame.scope, name, hinted)
        return [name]
    if kind not in ("required_parameter", "optional_parameter"):
        if kind == "assignment_pattern":
            pattern, default = node.named_children[0], node.named_children[-1]
            given = read_parts(r, pattern, default, frame)
            bind_pattern(r, pattern, frame, [*hinted, *given], is_open=True)
        else:
            pattern = node
            bind_pattern(r, pattern, frame, hinted)
        return [_parameter_name(r, pattern)]
    pattern_node = annotation = default_node = None
    is_field = False
    for child in node.children:
        what = kinds[child.kind_id]
        if what == "type_annotation":
            annotation = child
        elif what == "decorator":
            r.push(child, frame)
        elif what == "accessibility_modifier" or what == "override_modifier":
            is_field = True
        elif what and what != "comment":
            if pattern_node is None:
                pattern_node = child
            else:
                default_node = child
        elif fields_of >= 0 and child.type == "readonly":
            is_field = True
    values = type_values(r, annotation, frame) if annotation is not None else hinted
    given = read_parts(r, pattern_node, default_node, frame) if pattern_node is not None and default_node is not None else []
    is_open = annotation is None and not hinted
    if annotation is None:
        values = [*values, *given]
    if pattern_node is None:
        return []
    if r.kinds[pattern_node.kind_id] == "this":
        frame.this = values[0] if values else None
        return []
    if kinds[pattern_node.kind_id] == "identifier":
        r.local(frame.scope, r.text(pattern_node), values, is_open=is_open)
    else:
        bind_pattern(r, pattern_node, frame, values, is_open=is_open)
    if fields_of >= 0 and is_field:
        _field(r, node, pattern_node, frame, values, fields_of)
    return [_parameter_name(r, pattern_node)]


def _field(r: Reader, node: Node, pattern: Node, frame: Frame, values: list[Path], of: int) -> None:
    """A parameter of a constructor that is a field too."""
    name = r.text(pattern)
    number = r.define(frame, name, "field", node, pattern, of)
    r.drafts[number].flags.discard("local")
    if any(r.text(child) == "private" for child in node.named_children if r.kinds[child.kind_id] == "accessibility_modifier"):
        r.drafts[number].flags.add("private")
    r.drafts[number].is_annotated = True
    r.give(number, values)
    r.members.setdefault((of, name), number)


def _parameter_name(r: Reader, pattern: Node) -> str:
    kind = r.kinds[pattern.kind_id]
    if kind == "identifier":
        return r.text(pattern)
    if kind == "rest_pattern" and pattern.named_children:
        return "*" + _parameter_name(r, pattern.named_children[-1])
    return ""


# --- object literals


def member_name(r: Reader, key: Node) -> str:
    """Return the name that a key of a literal or of a class gives, empty for a computed one."""
    kind = r.kinds[key.kind_id]
    if kind in ("property_identifier", "private_property_identifier", "identifier", "number"):
        return r.text(key)
    if kind == "string":
        return r.constant(key) or ""
    if kind == "computed_property_name" and key.named_children:
        inner = key.named_children[0]
        name = r.constant(inner)
        if name is not None:
            return name
        text = r.text(inner) if inner.end_byte - inner.start_byte < 60 else ""
        return f"[{text}]" if text.startswith("Symbol.") else ""
    return ""


def read_object(r: Reader, node: Node, frame: Frame, number: int, nesting: int = 0) -> None:
    """Look at an object literal that a definition holds, and define its members."""
    children = node.named_children
    this = definite(number)
    for child in children:
        kind = r.kinds[child.kind_id]
        if kind == "pair" and len(children) <= _MAX_MEMBERS:
            key = child.named_children[0]
            name = member_name(r, key)
            if not name:
                r.push(child, frame)
                continue
            value = r.unwrapped(child.named_children[-1])
            r.push_all([part for part in child.named_children[1:-1] if r.kinds[part.kind_id] == "comment"], frame)
            what = r.kinds[value.kind_id]
            if what in _FUNCTIONS:
                member = _member(r, frame, name, "method", child, key, number)
                enter_function(r, value, frame, member, this)
                continue
            member = _member(r, frame, name, "property", child, key, number)
            if what == "object" and nesting < _MAX_NESTING:
                r.drafts[member].is_literal = True
                read_object(r, value, frame.initializing(member), member, nesting + 1)
            else:
                r.give(member, read(r, child.named_children[-1], frame.initializing(member)))
        elif kind == "method_definition" and len(children) <= _MAX_MEMBERS:
            key_node = r.field(child, "name")
            name = member_name(r, key_node) if key_node is not None else ""
            is_accessor = any(part.type in ("get", "set") for part in child.children[:2])
            if key_node is not None and not name:
                r.push(key_node, frame)
            member = _member(r, frame, name, "property" if is_accessor else "method", child, key_node, number) if name else -1
            enter_function(r, child, frame, member, this)
        elif kind == "shorthand_property_identifier" and len(children) <= _MAX_MEMBERS:
            member = _member(r, frame, r.text(child), "property", child, child, number)
            r.give(member, read_shorthand(r, child, frame.initializing(member)))
        else:
            if kind == "spread_element":
                given = [path for part in child.named_children for path in read(r, part, frame)]
                r.drafts[number].bases += given
            else:
                r.push(child, frame)


def read_shorthand(r: Reader, node: Node, frame: Frame) -> list[Path]:
    """Note the use that `{ name }` makes."""
    path: Path = (frame.scope, r.text(node), (), VALUE)
    r.use(frame.owner, "read", node.start_byte, path)
    return [path]


def _member(r: Reader, frame: Frame, name: str, kind: str, node: Node, key: Node | None, of: int) -> int:
    number = r.define(frame, name, kind, node, key, of)
    r.members.setdefault((of, name), number)
    return number


# --- handlers


def _on_function(r: Reader, node: Node, frame: Frame) -> None:
    enter_function(r, node, frame)


def _on_declaration(r: Reader, node: Node, frame: Frame) -> None:
    """`function run() {}` and, without a body, its overloads."""
    name = r.field(node, "name")
    if name is None:
        enter_function(r, node, frame.plain)
        return
    text = r.text(name)
    container = frame.container
    number = r.define(frame, text, "function", node, name, container if container >= 0 else frame.owner)
    draft = r.drafts[number]
    if container < 0:
        draft.flags.add("local")
    if r.kinds[node.kind_id] == "function_signature":
        draft.flags.add("abstract")
    r.bind(frame.scope, text, number, (VALUE,))
    inner = frame.plain
    primary = r.primary(frame.scope, text, number, (VALUE,))
    this = None
    if text[:1].isupper() or primary in r.constructors:
        this = definite(primary, ("\0",))  # an instance, if it turns out to be a class
    enter_function(r, node, inner, number, this)
    if primary != number:
        r.give(primary, draft.values)


def _on_return(r: Reader, node: Node, frame: Frame) -> None:
    for child in node.named_children:
        given = read(r, child, frame)
        if frame.returns is not None:
            room = 6 - len(frame.returns)
            frame.returns += given[: max(0, room)]


def _on_method(r: Reader, node: Node, frame: Frame) -> None:
    """A method of a literal that no definition holds."""
    key = r.field(node, "name")
    if key is not None:
        r.push(key, frame)
    enter_function(r, node, frame)


HANDLERS: dict[str, Handler] = {
    "function_declaration": _on_declaration,
    "generator_function_declaration": _on_declaration,
    "function_signature": _on_declaration,
    **dict.fromkeys(FUNCTION_KINDS, _on_function),
    "return_statement": _on_return,
    "method_definition": _on_method,
}
