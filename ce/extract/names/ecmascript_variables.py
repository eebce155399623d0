"""Variables and patterns: what is declared, what it is given, and the members that a pattern takes from a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import module_of, note_helpers
from ce.extract.names.ecmascript_classes import declare_class
from ce.extract.names.ecmascript_commonjs import exported_name
from ce.extract.names.ecmascript_functions import enter_function, read_object
from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_modules import export_name
from ce.extract.names.ecmascript_paths import note, read
from ce.extract.names.ecmascript_patterns import NAMES, bind_pattern, read_parts, take_pattern
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import NOTHING, VALUE, Frame, Path, Scope, extended
from ce.extract.names.ecmascript_types import type_values
from ce.extract.names.model import ELEMENT, GLOB, ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "declare_variable"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_LITERALS = frozenset({"string", "template_string", "number", "regex", "true", "false", "null", "undefined", "unary_expression"})


def declare_variable(r: Reader, name_node: Node, node: Node, frame: Frame, *, is_const: bool, is_var: bool, kind: str = "") -> int:
    """Declare the variable of a name: a definition in a module or a namespace, a local elsewhere. Returns its number or -1."""
    name = r.text(name_node)
    scope = frame.scope.function if is_var else frame.scope
    is_member = frame.container >= 0 and (is_var or scope is frame.scope.function)
    if not is_member:
        r.local(scope, name, [])
        return -1
    found = scope.names[VALUE].get(name)
    if found is not None and found.definition >= 0 and r.drafts[found.definition].kind in ("variable", "constant", "function"):
        return found.definition
    kind = kind or ("constant" if is_const and name.isupper() else "variable")
    number = r.define(frame, name, kind, node, name_node, frame.container)
    r.bind(scope, name, number, (VALUE,))
    return number


# --- declarations


def _on_declaration(r: Reader, node: Node, frame: Frame) -> None:
    """`const`, `let`, `var`, `using`: each declarator by itself."""
    kind = node.children[0].type if node.child_count else ""
    for child in node.named_children:
        if r.kinds[child.kind_id] == "variable_declarator":
            _declarator(r, child, frame, kind)


def _declarator(r: Reader, node: Node, frame: Frame, kind: str) -> None:
    children = r.parts(node, frame.plain)
    name = children[0] if children else None
    if name is None:
        return
    value = annotation = None
    for child in children[1:]:
        if r.kinds[child.kind_id] == "type_annotation":
            annotation = child
        else:
            value = child
    is_var, is_const = kind == "var", kind in ("const", "using")
    imported = module_of(r, value) if value is not None else None
    if imported is not None:
        if value is not None:
            note_helpers(r, value, imported[1], frame.plain.called)
        _import(r, name, node, frame, imported, is_var=is_var)
        return
    plain = frame.plain
    if r.kinds[name.kind_id] == "identifier":
        _named(r, node, name, value, annotation, frame, is_const=is_const, is_var=is_var)
        return
    values = type_values(r, annotation, plain) if annotation is not None else []
    if value is not None:
        read_values = read_parts(r, name, value, plain)
        values = values or read_values
    for target, held in take_pattern(r, name, plain, values):
        if r.kinds[target.kind_id] in NAMES:
            number = declare_variable(r, target, node, frame, is_const=is_const, is_var=is_var)
            _give(r, number, r.text(target), frame, held or [NOTHING], is_var=is_var)


def _give(r: Reader, number: int, name: str, frame: Frame, values: list[Path], *, is_var: bool) -> None:
    if number >= 0:
        if not r.drafts[number].is_annotated:
            r.give(number, values)
    else:
        r.local(frame.scope.function if is_var else frame.scope, name, values)


def _named(
    r: Reader, node: Node, name: Node, value: Node | None, annotation: Node | None, frame: Frame, *, is_const: bool, is_var: bool
) -> None:
    plain = frame.plain
    if value is not None and r.kinds[r.unwrapped(value).kind_id] == "assignment_expression":
        value = _assigned_exports(r, node, name, r.unwrapped(value), frame)
    what = r.kinds[value.kind_id] if value is not None else ""
    inner = r.unwrapped(value) if value is not None else None
    inner_kind = r.kinds[inner.kind_id] if inner is not None else ""
    if inner is not None and inner_kind in _FUNCTIONS:
        number = _function(r, node, name, inner, frame, is_var=is_var)
        if annotation is not None:
            type_values(r, annotation, plain.owned(number))
        return
    if inner is not None and inner_kind == "class":
        declare_class(r, inner, frame, name=name, around=node)
        return
    is_literal = what in _LITERALS
    number = declare_variable(r, name, node, frame, is_const=is_const, is_var=is_var, kind="constant" if is_const and is_literal else "")
    body = plain if number < 0 else plain.initializing(number)
    values = type_values(r, annotation, body) if annotation is not None else []
    if annotation is not None and number >= 0:
        r.drafts[number].is_annotated = True
    if value is not None:
        if inner is not None and inner_kind == "object" and number >= 0:
            r.drafts[number].is_literal = True
            read_object(r, inner, body, number)
        else:
            given = read(r, value, body)
            values = values or given
    _give(r, number, r.text(name), frame, values, is_var=is_var)
    if number >= 0 and annotation is not None:
        r.give(number, values)


def _assigned_exports(r: Reader, node: Node, name: Node, assignment: Node, frame: Frame) -> Node:
    """`const a = (exports.a = value)` exports the variable; return the value, or the assignment when it exports nothing."""
    targets: list[Node] = []
    value = assignment
    while r.kinds[value.kind_id] == "assignment_expression" and len(targets) < 8:
        targets.append(value.named_children[0])
        value = r.unwrapped(value.named_children[-1])
    exported = [exported_name(r, target, frame) for target in targets]
    if any(one is None for one in exported):
        return assignment
    for one in exported:
        export_name(r, frame.plain, r.text(name), one or "default", node, name)
    return value


def _function(r: Reader, node: Node, name: Node, value: Node, frame: Frame, *, is_var: bool) -> int:
    """`const run = () => …` declares a function."""
    scope = frame.scope.function if is_var else frame.scope
    text = r.text(name)
    number = r.define(frame, text, "function", node, name, frame.container if frame.container >= 0 else frame.owner)
    if frame.container < 0:
        r.drafts[number].flags.add("local")
    r.bind(scope, text, number, (VALUE,))
    enter_function(r, value, frame.plain, number)
    return number


def _import(r: Reader, name: Node, node: Node, frame: Frame, imported: tuple[str, Node, str], *, is_var: bool) -> None:
    """`const { a } = require("./m")` imports names."""
    spec, call, part = imported
    line = call.start_point[0] + 1
    scope = frame.scope.function if is_var else frame.scope
    kind = r.kinds[name.kind_id]

    def declare(target: Node, imported_name: str) -> None:
        text = r.text(target)
        parent = frame.container if frame.container >= 0 else frame.owner
        number = r.define(frame, text, "import", node, target, parent)
        r.drafts[number].imported = ImportedName(spec, line, imported_name)
        if frame.container < 0:
            r.drafts[number].flags.add("local")
        r.bind(scope, text, number, (VALUE,))

    r.push_all(call.named_children[-1].named_children, frame.plain)
    if kind == "identifier":
        declare(name, part)
        return
    if kind == "object_pattern" and not part:
        simple = [_simple(r, child) for child in name.named_children if r.kinds[child.kind_id] != "comment"]
        if all(pair is not None for pair in simple):
            for pair in simple:
                if pair is not None:
                    declare(*pair)
            return
    base = r.inline_import(spec, call, frame.plain)
    for target, held in take_pattern(r, name, frame.plain, [extended(base, part) if part else base]):
        if r.kinds[target.kind_id] in NAMES:
            number = declare_variable(r, target, node, frame, is_const=True, is_var=is_var)
            _give(r, number, r.text(target), frame, held, is_var=is_var)


def _simple(r: Reader, child: Node) -> tuple[Node, str] | None:
    kind = r.kinds[child.kind_id]
    if kind == "shorthand_property_identifier_pattern":
        return child, r.text(child)
    if kind == "pair_pattern":
        key, value = child.named_children[0], child.named_children[-1]
        if r.kinds[key.kind_id] in ("property_identifier", "string") and r.kinds[value.kind_id] == "identifier":
            return value, r.constant(key) or r.text(key)
    return None


# --- loops and handlers of exceptions


def _on_for_in(r: Reader, node: Node, frame: Frame) -> None:
    """`for (const x of xs)`: `x` is an element; `for (const key in x)` uses all members."""
    inner = frame.within(Scope(frame.scope))
    r.parts(node, inner)
    left, right, body = r.field(node, "left"), r.field(node, "right"), r.field(node, "body")
    kind, operator = r.field(node, "kind"), r.field(node, "operator")
    values: list[Path] = []
    if right is not None:
        if operator is not None and operator.type == "in":
            for path in (
                note(r, right, frame) if r.kinds[right.kind_id] in ("identifier", "member_expression", "this") else read(r, right, frame)
            ):
                r.use(frame.owner, "read", right.start_byte, extended(path, f"{GLOB}*"))
        else:
            values = [extended(path, ELEMENT) for path in read(r, right, frame)]
    if left is not None and kind is not None:
        for target, held in take_pattern(r, left, inner, values):
            if r.kinds[target.kind_id] in NAMES:
                scope = inner if kind.type != "var" else frame
                number = declare_variable(r, target, node, scope, is_const=False, is_var=kind.type == "var") if kind.type == "var" else -1
                if number < 0:
                    r.local(inner.scope if kind.type != "var" else frame.scope.function, r.text(target), held)
    elif left is not None:
        r.push(left, frame)
    if body is not None:
        r.push(body, inner)


def _on_catch(r: Reader, node: Node, frame: Frame) -> None:
    inner = frame.within(Scope(frame.scope))
    parameter = r.field(node, "parameter")
    if parameter is not None:
        bind_pattern(r, parameter, inner, [])
    r.push_all([child for child in node.named_children if parameter is None or child.id != parameter.id], inner)


HANDLERS: dict[str, Handler] = {
    "lexical_declaration": _on_declaration,
    "variable_declaration": _on_declaration,
    "using_declaration": _on_declaration,
    "for_in_statement": _on_for_in,
    "catch_clause": _on_catch,
}
