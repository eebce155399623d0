"""Assignments, annotations and type aliases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL, ELEMENT
from ce.extract.names.python_annotations import SELF, read_annotation
from ce.extract.names.python_chains import read_value, values_of
from ce.extract.names.python_computed import quoted_type
from ce.extract.names.python_exports import assigned_exports, augmented_exports
from ce.extract.names.python_state import CLASS_SCOPE, FUNCTION_SCOPE, LITERAL, MODULE_SCOPE, TYPE_SCOPE, UNKNOWN_RAW, Raw, Scope, State
from ce.extract.names.python_targets import bind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["annotate", "assignment", "augmented", "type_alias", "type_parameters"]

# Calls in a value that do nothing but make it: whoever needs not the value needs not the call.
_PURE = frozenset({
    b"Decimal", b"MappingProxyType", b"NamedTuple", b"NewType", b"OrderedDict", b"ParamSpec", b"Path", b"TypeVar", b"TypeVarTuple",
    b"TypedDict", b"and", b"attrgetter", b"cast", b"compile", b"defaultdict", b"dict", b"else", b"enumerate", b"float", b"for",
    b"format", b"frozenset", b"getLogger", b"if", b"in", b"int", b"is", b"itemgetter", b"items", b"join", b"keys", b"lambda",
    b"len", b"list", b"methodcaller", b"namedtuple", b"not", b"object", b"or", b"partial", b"range", b"set", b"sorted", b"split",
    b"str", b"tuple", b"values", b"zip", b"Enum", b"Flag", b"IntEnum", b"IntFlag", b"StrEnum", b"make_dataclass",
})  # fmt: skip
_NO_VALUE = frozenset({k.TYPE, k.ASSIGNMENT, k.COMMENT})
_NEW_TYPES = k.kinds_of("identifier", "generic_type")
_CALLED = re.compile(rb"(\b\w{1,60}|[\w\])\"'])[ \t]*\(")
_AWAITED = re.compile(rb"\b(?:await|yield)\b")


def assignment(state: State, node: Node) -> None:
    """Read `a: T = b = value`."""
    state.statement = (node.start_byte, node.end_byte)
    targets, annotation, right = _parts(node)
    if not targets:
        return
    kind = state.scope.kind
    if kind == FUNCTION_SCOPE or kind > FUNCTION_SCOPE or targets[0].kind_id != k.IDENTIFIER:
        _assign(state, targets, annotation, right)
    else:
        _declare(state, targets, annotation, right)


def _assign(state: State, targets: list[Node], annotation: Node | None, right: Node | None) -> None:
    """Bind the targets to what the value can be."""
    if right is not None and targets[0].kind_id in k.TARGET_LISTS and _bind_by_position(state, targets, right):
        state.stack.append(right)
        return
    values: list[Raw] = []
    if annotation is not None:
        values = annotate(state, annotation)
    if right is not None:
        values = [*values, *(_unpacked(state, right) if targets[0].kind_id in k.TARGET_LISTS else read_value(state, right))]
    for target in targets:
        bind(state, target, values)


def _unpacked(state: State, node: Node) -> list[Raw]:
    """Read an expression that is unpacked, and return what it can be."""
    values = read_value(state, node)
    if node.kind_id in k.CHAINS:
        for scope, name, steps in values:
            state.ref((scope, name, (*steps, ELEMENT)), "read", node.start_byte)
    return values


def _declare(state: State, targets: list[Node], annotation: Node | None, right: Node | None) -> None:
    """Read an assignment to a name in the body of a module or class."""
    first = targets[0]
    name = state.slice(first)
    is_module = state.scope.kind == MODULE_SCOPE
    values: list[Raw] = []
    if annotation is not None:
        values = annotate(state, annotation)
    if name == "__all__" and is_module and right is not None:
        assigned_exports(state, right)
        bind(state, first, [LITERAL])
        return
    if right is not None:
        values = [*values, *values_of(state, right)]
    single = -1
    for target in targets:
        single = bind(state, target, values)
    if right is None:
        if single >= 0 and state.drafts[single].kind == "enum_member":
            state.drafts[single].kind = "field"
        return
    if is_module and right.kind_id in (k.STRING, k.CONCATENATED):
        state.constants[name] = right
    if not is_module and name == "__slots__" and (right.kind_id in k.SEQUENCES or right.kind_id == k.STRING):
        state.stack += [child for child in right.named_children if child.kind_id not in k.LITERALS and right.kind_id != k.STRING]
        return
    if not is_module and name == "__match_args__" and right.kind_id in k.SEQUENCES:
        for child in right.named_children:
            if child.kind_id == k.STRING:  # patterns with positions take these
                state.ref((None, state.scope.owner, (CALL, state.slice(child).strip("\"'"))), "read", child.start_byte)
        return
    if annotation is not None and single >= 0 and state.slice(annotation).rpartition(".")[2] == "TypeAlias":
        state.drafts[single].kind = "type_alias"
        around, state.owner = state.owner, single
        quoted_type(state, right)
        state.owner = around
    if is_module and single >= 0 and len(targets) == 1 and _is_pure(state.text, right):
        state.push([right], state.scope, single)
    else:
        state.stack.append(right)


def _parts(node: Node) -> tuple[list[Node], Node | None, Node | None]:
    plain = node.named_children
    if len(plain) == 2 and plain[1].kind_id not in _NO_VALUE:
        return plain[:1], None, plain[1]
    targets: list[Node] = []
    annotation: Node | None = None
    right: Node | None = node
    while right is not None and right.kind_id == k.ASSIGNMENT:
        children = [child for child in right.named_children if child.kind_id != k.COMMENT]
        if not children:
            break
        targets.append(children[0])
        if len(children) > 1 and children[1].kind_id == k.TYPE:
            annotation = children[1]
        right = children[-1] if len(children) > 1 and children[-1].kind_id != k.TYPE else None
    return targets, annotation, None if right is node else right


def _bind_by_position(state: State, targets: list[Node], right: Node) -> bool:
    """Bind `a, b = x, y` pairwise."""
    if right.kind_id not in k.SEQUENCES or any(target.kind_id not in k.TARGET_LISTS for target in targets):
        return False
    given = [child for child in right.named_children if child.kind_id != k.COMMENT]
    for target in targets:
        parts = [child for child in target.named_children if child.kind_id != k.COMMENT]
        if len(parts) != len(given) or any(part.kind_id in (k.LIST_SPLAT_PATTERN, k.LIST_SPLAT) for part in (*parts, *given)):
            return False
    for target in targets:
        for part, value in zip((child for child in target.named_children if child.kind_id != k.COMMENT), given, strict=True):
            bind(state, part, values_of(state, value))
    return True


def _is_pure(text: bytes, value: Node) -> bool:
    """Tell whether making the value does nothing that outlives it."""
    raw = text[value.start_byte : value.end_byte]
    return (
        b"(" not in raw or value.kind_id in k.LAMBDA or (all(name in _PURE for name in _CALLED.findall(raw)) and not _AWAITED.search(raw))
    )


def annotate(state: State, annotation: Node, target: Node | None = None) -> list[Raw]:
    """Note the names of an annotation and return what a value of it is."""
    start = annotation.start_byte
    found = read_annotation(state.text[start : annotation.end_byte].decode("utf-8", "replace"))
    scope = state.scope
    is_lazy = state.future_annotations or state.is_stub
    for name, steps, is_quoted in found.names:
        state.ref((scope, name, steps), "type_only" if is_quoted or is_lazy else "read", start)
    if found.is_call:
        state.stack.append(annotation.named_children[0])
    return [_annotated(scope, name, steps) for name, steps in found.values] or [LITERAL]


def _annotated(scope: Scope, name: str, steps: tuple[str, ...]) -> Raw:
    if name == SELF and scope.cls > 0:
        return (None, scope.cls, steps)
    return (scope, name, steps) if name and name != SELF else UNKNOWN_RAW


def augmented(state: State, node: Node) -> None:
    """Read `a += b`."""
    state.statement = (node.start_byte, node.end_byte)
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) < 2:
        return
    left, right = children[0], children[-1]
    if left.kind_id == k.IDENTIFIER and state.scope is state.module and state.slice(left) == "__all__":
        augmented_exports(state, node, right)
        return
    state.stack.append(right)
    values = values_of(state, right) if right.kind_id in k.SEQUENCES else []
    if left.kind_id == k.IDENTIFIER:
        name = state.slice(left)
        state.constants.pop(name, None)
        state.ref((state.scope, name, ()), "write", left.start_byte)
        scope = state.binding_scope(name)
        if name in scope.defs:
            state.add_values(scope.defs[name][-1], values)
        elif scope.kind in (MODULE_SCOPE, CLASS_SCOPE):
            bind(state, left, values)
        else:
            state.bind_local(name, values, scope)
    else:
        bind(state, left, values)


def type_alias(state: State, node: Node) -> None:
    """Read `type Name[T] = …`."""
    state.statement = (node.start_byte, node.end_byte)
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) < 2:
        return
    left, right = children[0].named_children[0], children[-1]
    name = left if left.kind_id == k.IDENTIFIER or not left.named_child_count else left.named_children[0]
    if left.kind_id not in _NEW_TYPES:
        state.ref((state.scope, "type", ()), "read", node.start_byte)
        state.stack += [right, left]  # `type(x).y = z` reads as one
        return
    number = -1
    if name.kind_id == k.IDENTIFIER:
        number = bind(state, name, [])
        if number >= 0:
            state.drafts[number].kind = "type_alias"
    owner = state.owner
    scope = state.scope
    if left.kind_id != k.IDENTIFIER:
        state.scope = Scope(TYPE_SCOPE, scope, scope.owner, scope.cls)
        type_parameters(state, left.named_children[1:])
    state.owner = number if number >= 0 else owner
    values = annotate(state, right)
    state.scope, state.owner = scope, owner
    if number >= 0:
        state.add_values(number, [(a, b, c[:-1] if c[-1:] == (CALL,) else c) for a, b, c in values])


def type_parameters(state: State, nodes: list[Node]) -> None:
    """Bind the type parameters in the scope that is open, to what bounds them."""
    for node in nodes:
        for child in node.named_children if node.kind_id == k.TYPE_PARAMETER else ():
            text = state.slice(child).lstrip("*")
            name, _, bound = text.partition(":")
            state.bind_local(name.partition("=")[0].strip(), [UNKNOWN_RAW], state.scope)
            if bound.strip():
                for path, steps, _quoted in read_annotation(bound).names:
                    state.ref((state.scope, path, steps), "type_only", child.start_byte)
