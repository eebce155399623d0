"""Whatever binds names: assignments, loops, `with`, `except`, `del`, `:=`, patterns of `match`, type aliases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import COLLECTION, ELEMENT
from ce.extract.names.python_annotations import read_annotation
from ce.extract.names.python_chains import iterated, note, read_value, spine, values_of
from ce.extract.names.python_exports import assigned_exports, augmented_exports
from ce.extract.names.python_state import (
    CLASS_SCOPE,
    COMPREHENSION_SCOPE,
    FUNCTION_SCOPE,
    LITERAL,
    MODULE_SCOPE,
    TYPE_SCOPE,
    UNKNOWN_RAW,
    Raw,
    Scope,
    State,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "annotate", "assignment", "augmented", "bind", "case_pattern", "clause", "comprehension", "delete", "elements", "for_statement",
    "handler", "named", "type_alias", "type_parameters", "with_item",
]  # fmt: skip

# Calls in a value that do nothing but make it: whoever needs not the value needs not the call.
_PURE = frozenset({
    b"Decimal", b"MappingProxyType", b"NamedTuple", b"NewType", b"OrderedDict", b"ParamSpec", b"Path", b"TypeVar", b"TypeVarTuple",
    b"TypedDict", b"and", b"attrgetter", b"cast", b"compile", b"defaultdict", b"dict", b"else", b"enumerate", b"float", b"for",
    b"format", b"frozenset", b"getLogger", b"if", b"in", b"int", b"is", b"itemgetter", b"items", b"join", b"keys", b"lambda",
    b"len", b"list", b"methodcaller", b"namedtuple", b"not", b"object", b"or", b"partial", b"range", b"set", b"sorted", b"split",
    b"str", b"tuple", b"values", b"zip",
})  # fmt: skip
_NO_VALUE = frozenset({k.TYPE, k.ASSIGNMENT, k.COMMENT})
_NEW_TYPES = k.kinds_of("identifier", "generic_type")
_CALLED = re.compile(rb"([\w\])\"']+)[ \t]*\(")
_AWAITED = re.compile(rb"\b(?:await|yield)\b")


def bind(state: State, target: Node, values: list[Raw], flags: tuple[str, ...] = (), *, defines: bool = True) -> int:
    """Bind every name of a target; return the definition when it is one single name that is one, else -1.

    `values` are what the whole target can be. `defines` says that names of modules and classes become definitions.
    """
    kind = target.kind_id
    if kind == k.IDENTIFIER:
        return _bind_name(state, target, values, flags, defines)
    if kind == k.ATTRIBUTE:
        _bind_attribute(state, target, values)
        return -1
    if kind == k.SUBSCRIPT:
        _bind_element(state, target, values)
        return -1
    if kind in k.TARGET_LISTS:
        parts = [child for child in target.named_children if child.kind_id != k.COMMENT]
        taken = elements(values)
        for part in reversed(parts):
            bind(state, part, taken, flags, defines=defines)
    elif kind in (k.LIST_SPLAT_PATTERN, k.LIST_SPLAT):
        bind(
            state, target.named_children[0], [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values], flags, defines=defines
        )
    elif kind in (k.PARENTHESIZED, k.AS_TARGET):
        for part in target.named_children:
            bind(state, part, values, flags, defines=defines)
    else:
        state.stack.append(target)
    return -1


def elements(values: list[Raw]) -> list[Raw]:
    """Return what elements of the values can be."""
    return [(scope, name, (*steps, ELEMENT)) for scope, name, steps in values]


def _bind_name(state: State, target: Node, values: list[Raw], flags: tuple[str, ...], defines: bool) -> int:
    name = state.slice(target)
    scope = state.binding_scope(name)
    if not defines or scope.kind not in (MODULE_SCOPE, CLASS_SCOPE):
        state.bind_local(name, values, scope)
        return -1
    number = _variable(state, scope, name, target)
    draft = state.drafts[number]
    draft.flags.update(flags)
    if scope is not state.scope:
        state.ref((scope, name, ()), "write", target.start_byte)
    state.add_values(number, values)
    return number


def _variable(state: State, scope: Scope, name: str, target: Node) -> int:
    """Return the one definition that all assignments of a name in a scope are."""
    for number in scope.defs.get(name, ()):
        if state.drafts[number].kind in ("variable", "constant", "field", "enum_member", "type_alias"):
            return number
    start, end = state.statement
    if scope.kind == CLASS_SCOPE:
        kind = "enum_member" if state.drafts[scope.owner].kind == "enum" and not name.startswith("_") else "field"
    else:
        kind = "constant" if name.isupper() else "variable"
    return state.define(name, kind, start, end, target.start_byte, scope)


def _bind_attribute(state: State, target: Node, values: list[Raw]) -> None:
    side: list[Node] = []
    starts, steps = spine(state, target, side)
    if side:
        side.reverse()
        state.stack += side
    start = target.start_byte
    note(state, starts, steps, "write", start)
    if len(starts) == 1 and len(steps) == 1:
        first, end = state.statement
        state.attributes.append((starts[0], steps[0], state.owner, values, start, end if first <= start else 0))


def _bind_element(state: State, target: Node, values: list[Raw]) -> None:
    """`a[b] = c`: `a` is read, and holds `c` from then on."""
    state.stack.append(target)
    held = [(scope, name, (*steps, COLLECTION)) for scope, name, steps in values if name != LITERAL[1]]
    container = target.named_children[0]
    if not held:
        return
    if container.kind_id == k.IDENTIFIER:
        name = state.slice(container)
        scope = state.binding_scope(name)
        if name in scope.values:
            state.bind_local(name, held, scope)
        for number in scope.defs.get(name, ()):
            state.add_values(number, held)
    elif container.kind_id == k.ATTRIBUTE:
        starts, steps = spine(state, container, None)
        if len(starts) == 1 and len(steps) == 1:
            state.attributes.append((starts[0], steps[0], state.owner, held, container.start_byte, 0))


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
        values = [*values, *(iterated_whole(state, right) if targets[0].kind_id in k.TARGET_LISTS else read_value(state, right))]
    for target in targets:
        bind(state, target, values)


def iterated_whole(state: State, node: Node) -> list[Raw]:
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
    if annotation is not None and single >= 0 and state.slice(annotation).rpartition(".")[2] == "TypeAlias":
        state.drafts[single].kind = "type_alias"
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
    return b"(" not in raw or (all(name in _PURE for name in _CALLED.findall(raw)) and not _AWAITED.search(raw))


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
    return [(scope, name, steps) if name else UNKNOWN_RAW for name, steps in found.values] or [LITERAL]


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


def for_statement(state: State, node: Node) -> None:
    """Bind the target of a loop to the elements of what it runs over; the rest of the loop is left for later."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    state.stack += children[:1:-1]
    if len(children) > 1:
        for target, values in _iteration(state, children[0], children[1]):
            bind(state, target, values, defines=False)


def comprehension(state: State, node: Node) -> None:
    """Open the scope of a comprehension; the first thing it runs over belongs to the scope around it."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    first = next((child for child in children if child.kind_id == k.FOR_IN), None)
    scope = Scope(COMPREHENSION_SCOPE, state.scope, state.owner, state.scope.cls, node.start_byte)
    if first is not None:
        _clause(state, first, scope)
    state.push([child for child in reversed(children) if first is None or child.id != first.id], scope, state.owner)


def clause(state: State, node: Node) -> None:
    """Read a further `for` of a comprehension."""
    _clause(state, node, state.scope)


def _clause(state: State, node: Node, scope: Scope) -> None:
    """Read a `for` of a comprehension: what it runs over here, what it binds in the scope of the comprehension."""
    parts = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(parts) < 2:
        state.stack += reversed(parts)
        return
    state.stack += parts[:1:-1]
    bindings = _iteration(state, parts[0], parts[1])
    around, state.scope = state.scope, scope
    state.is_clause = True
    for target, values in bindings:
        bind(state, target, values, defines=False)
    state.is_clause = False
    state.scope = around


def _iteration(state: State, target: Node, source: Node) -> list[tuple[Node, list[Raw]]]:
    """Return what parts of a target are bound to by running over an expression, through `enumerate`, `zip` and `.items()`."""
    if source.kind_id == k.CALL_NODE and target.kind_id in k.TARGET_LISTS:
        parts = [child for child in target.named_children if child.kind_id != k.COMMENT]
        function, arguments = source.named_children[0], source.named_children[-1]
        given = [child for child in arguments.named_children if child.kind_id != k.COMMENT] if arguments.kind_id == k.ARGUMENTS else []
        called = state.text[max(function.start_byte, function.end_byte - 16) : function.end_byte]
        if called == b"enumerate" and len(parts) == 2 and given:
            state.stack += [*given[1:], function]
            return [(parts[0], [LITERAL]), (parts[1], iterated(state, given[0]))]
        if called == b"zip" and len(parts) == len(given):
            state.stack.append(function)
            return [(part, iterated(state, one)) for part, one in zip(parts, given, strict=True)]
        if called.endswith(b".items") and len(parts) == 2 and not given:
            state.stack.append(source)
            return [(parts[0], [UNKNOWN_RAW]), (parts[1], elements(values_of(state, function.named_children[0])))]
    return [(target, iterated(state, source))]


def with_item(state: State, node: Node) -> None:
    """Bind what is behind `as` to the value in front of it, and leave that for later."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) == 2 and children[1].kind_id == k.AS_TARGET:
        bind(state, children[1], read_value(state, children[0]), defines=False)
    else:
        state.stack += reversed(children)


def delete(state: State, node: Node) -> None:
    """`del a, b.c`: the names are bound here and needed before."""
    stack = list(node.named_children)
    while stack:
        target = stack.pop()
        if target.kind_id == k.IDENTIFIER:
            name = state.slice(target)
            scope = state.binding_scope(name)
            if not scope.binds(name):
                state.bind_local(name, [], scope)
            state.ref((state.scope, name, ()), "read", target.start_byte)
        elif target.kind_id in k.SEQUENCES or target.kind_id == k.PARENTHESIZED:
            stack += target.named_children
        else:
            state.stack.append(target)


def named(state: State, node: Node) -> None:
    """Read `name := value`."""
    children = [child for child in node.named_children if child.kind_id != k.COMMENT]
    if len(children) == 2:
        state.statement = (node.start_byte, node.end_byte)
        bind(state, children[0], read_value(state, children[1]), defines=False)


def handler(state: State, node: Node) -> None:
    """Read an `except` clause."""
    state.stack += node.named_children[::-1]


def case_pattern(state: State, node: Node) -> None:
    """Bind the captures of a pattern and note the classes and values that it names."""
    stack = [node]
    while stack:
        at = stack.pop()
        kind = at.kind_id
        children = at.named_children
        if kind == k.DOTTED_NAME:
            if len(children) == 1:
                state.bind_local(state.slice(children[0]), [UNKNOWN_RAW])
            else:
                _value_pattern(state, children, "read")
        elif kind == k.CLASS_PATTERN:
            base = _value_pattern(state, children[0].named_children, "read")
            for child in children[1:]:
                inner = child.named_children[0] if child.named_child_count else child
                if inner.kind_id == k.KEYWORD_PATTERN:
                    name = state.slice(inner.named_children[0])
                    state.ref((base[0], base[1], (*base[2], "()", name)), "read", inner.start_byte)
            stack += children[1:]
        elif kind == k.KEYWORD_PATTERN:
            stack += children[1:]
        elif kind == k.SPLAT_PATTERN:
            for child in children:
                state.bind_local(state.slice(child), [UNKNOWN_RAW])
        elif kind in k.AS_PATTERN:
            subject = children[0].named_children[0] if children[0].named_child_count else children[0]
            value = UNKNOWN_RAW
            if subject.kind_id == k.CLASS_PATTERN:
                first, *rest = state.slice(subject.named_children[0]).split(".")
                value = (state.scope, first, (*rest, "()"))
            state.bind_local(state.slice(children[-1]), [value])
            stack.append(children[0])
        elif kind in (k.STRING, k.CONCATENATED):
            state.stack.append(at)
        else:
            stack += children


def _value_pattern(state: State, parts: list[Node], use: str) -> Raw:
    first, *rest = [state.slice(part) for part in parts]
    raw: Raw = (state.scope, first, tuple(rest))
    state.ref(raw, use, parts[0].start_byte)
    return raw


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
        state.add_values(number, [(a, b, c[:-1] if c[-1:] == ("()",) else c) for a, b, c in values])


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
