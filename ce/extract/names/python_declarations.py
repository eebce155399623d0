"""Functions, classes and lambdas: what they declare, and the scopes that their bodies open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import CALL, COLLECTION
from ce.extract.names.python_assignments import annotate, type_parameters
from ce.extract.names.python_chains import note, read_value, spine, values_of
from ce.extract.names.python_registering import hands_on_first, keeps_classes
from ce.extract.names.python_state import CLASS_SCOPE, FUNCTION_SCOPE, LITERAL_BASE, TYPE_SCOPE, UNKNOWN_RAW, Draft, Raw, Scope, State
from ce.extract.names.python_strings import decorator_texts

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["class_definition", "decorated", "function_definition", "lambda_expression", "returned", "yielded"]

_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty", "hybrid_property", "cachedproperty", "lazyproperty"})
_ACCESSORS = frozenset({"setter", "deleter", "getter"})
_KEEPING = frozenset({"__init_subclass__", "__init__", "__new__"})
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "overload"})
_OF_CLASS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum", "TextChoices", "IntegerChoices", "Choices"})
_HANDED_OUT = frozenset({"NamedTuple", "namedtuple"})
_PROTOCOLS = frozenset({"Protocol", "Interface"})
_YIELDS_ONE = frozenset({"contextmanager", "asynccontextmanager", "fixture", "yield_fixture"})
_DATA_CLASSES = frozenset({"dataclass", "attrs", "s", "define", "frozen", "mutable", "dataclass_transform"})


def decorated(state: State, node: Node) -> None:
    """Read a declaration with its decorators."""
    decorators = []
    for child in node.named_children:
        if child.kind_id == k.DECORATOR:
            decorators.append(child)
        elif child.kind_id == k.FUNCTION:
            function_definition(state, child, decorators, node.start_byte)
        elif child.kind_id == k.CLASS:
            class_definition(state, child, decorators, node.start_byte)
        elif child.kind_id != k.COMMENT:
            state.stack.append(child)


def _decorate(state: State, decorators: list[Node], number: int) -> list[Raw]:
    """Note the decorators as uses of what they decorate, and return their paths."""
    around, state.owner = state.owner, number
    found: list[Raw] = []
    rest: list[Node] = []
    for decorator in decorators:
        expression = next((child for child in decorator.named_children if child.kind_id != k.COMMENT), None)
        if expression is None:
            continue
        side: list[Node] = []
        starts, steps = spine(state, expression, side)
        arguments = [""]
        if steps and steps[-1] == CALL:
            steps = steps[:-1]
            if side and side[0].kind_id == k.ARGUMENTS:
                arguments = decorator_texts(state.text, side[0])
        for argument in arguments:
            note(state, starts, steps, "decorate", expression.start_byte, argument)
        found += [(scope, name, (*first, *steps)) for scope, name, first in starts[:1]]
        rest += side
    if rest:
        rest.reverse()
        state.push(rest, state.scope, number)
    state.owner = around
    return found


def _last(raw: Raw) -> str:
    return raw[2][-1] if raw[2] else str(raw[1])


def function_definition(state: State, node: Node, decorators: list[Node] | tuple[()] = (), start: int = -1) -> None:
    """Declare a function; its body is left for later."""
    name_node = parameters = body = returns = types = None
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.IDENTIFIER and name_node is None:
            name_node = child
        elif kind in k.PARAMETERS:
            parameters = child
        elif kind == k.TYPE_PARAMETER:
            types = child
        elif kind == k.TYPE:
            returns = child
        elif kind in k.BLOCK:
            body = child
    if name_node is None:
        state.stack += reversed(node.named_children)
        return
    around = state.scope
    name = state.slice(name_node)
    is_method = around.kind == CLASS_SCOPE
    start = node.start_byte if start < 0 else start
    end = node.end_byte
    target = state.binding_scope(name)
    number = _accessor(state, target, name, decorators, start, end) if is_method and decorators else -1
    if number < 0:
        number = state.define(name, "method" if is_method else "function", start, end, name_node.start_byte, target)
    draft = state.drafts[number]
    if decorators:
        paths = _decorate(state, decorators, number)
        draft.decorators += [path for path in paths if path not in draft.decorators]
    lasts = {_last(path) for path in draft.decorators}
    if lasts:
        _flag_function(draft, lasts, is_method)
    if is_method and "abstract" in state.drafts[around.owner].flags and state.drafts[around.owner].kind == "class":
        draft.flags.add("abstract")
    outer = around
    owner, state.owner = state.owner, number
    if types is not None:
        outer = state.scope = Scope(TYPE_SCOPE, around, around.owner, around.cls)
        type_parameters(state, [types])
    scope = Scope(FUNCTION_SCOPE, outer, number, around.owner if is_method else around.cls, node.start_byte)
    receiver = _receiver(state, around, name, lasts, draft) if is_method else None
    if parameters is not None:
        names = _parameters(state, parameters, scope, receiver)
        draft.parameters = draft.parameters or names
    if returns is not None:
        values = annotate(state, returns)
        if lasts & _YIELDS_ONE:
            values = [(a, b, steps[:-1] if steps[-1:] == (COLLECTION,) else steps) for a, b, steps in values]
        state.add_values(number, values)
    state.owner = owner
    state.scope = around
    if body is not None:
        if hands_on_first(state, draft, body):
            draft.flags.add("registers")
        if is_method and name in _KEEPING:
            receiver_name = next((known for known, given in scope.values.items() if given[:1] == [receiver]), "")
            is_metaclass = any(_last(raw) == "type" or _last(raw).endswith("Meta") for raw in state.drafts[around.owner].bases)
            if (name == "__init_subclass__" or is_metaclass) and keeps_classes(state, name, receiver_name, body):
                state.drafts[around.owner].flags.add("registers")
        state.push(statements(body.named_children), scope, number)


def statements(children: list[Node]) -> list[Node]:
    """Return the statements of a block, the first one last, without strings that are statements."""
    return [child for child in reversed(children) if child.kind_id not in (k.STRING, k.COMMENT, k.CONCATENATED)]


def _accessor(state: State, scope: Scope, name: str, decorators: list[Node] | tuple[()], start: int, end: int) -> int:
    """Return the property that a `@name.setter` belongs to when it stands right behind it, else -1."""
    known = scope.defs.get(name)
    if not known or state.drafts[known[-1]].kind != "property":
        return -1
    draft = state.drafts[known[-1]]
    spelled = {state.slice(decorator).lstrip("@").strip() for decorator in decorators}
    if not any(text.rpartition(".")[0] == name and text.rpartition(".")[2] in _ACCESSORS for text in spelled):
        return -1
    between = state.text[draft.end : start]
    if any(line.strip() and not line.strip().startswith(b"#") for line in between.split(b"\n")):
        return -1
    draft.end = max(draft.end, end)
    return known[-1]


def _flag_function(draft: Draft, lasts: set[str], is_method: bool) -> None:
    if lasts & _ABSTRACT:
        draft.flags.add("abstract")
    if is_method:
        if lasts & _PROPERTIES or lasts & _ACCESSORS:
            draft.kind = "property"
        if lasts & {"staticmethod", "classmethod"}:
            draft.flags.add("static")


def _receiver(state: State, around: Scope, name: str, lasts: set[str], draft: Draft) -> Raw | None:
    """Return what the first parameter of a method is, or None when it is nothing special."""
    if "staticmethod" in lasts:
        return None
    if "classmethod" in lasts or name in _OF_CLASS:
        return (None, around.owner, ())
    return (None, around.owner, (CALL,))


def _parameters(state: State, node: Node, scope: Scope, receiver: Raw | None) -> list[str]:
    """Bind the parameters in the scope of the function; annotations and defaults belong to the scope around it."""
    names: list[str] = []
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.IDENTIFIER:
            name = state.slice(child)
            if receiver is not None:
                scope.values[name] = [receiver]
                receiver = None
            else:
                names.append(name)
                scope.values[name] = [UNKNOWN_RAW]
            continue
        if kind == k.COMMENT or kind in k.SEPARATORS:
            receiver = None if kind == k.COMMENT and names else receiver
            continue
        prefix, target, annotation, default = _parameter_parts(child)
        if target is None:
            continue
        if target.kind_id != k.IDENTIFIER:
            for inner in target.named_children:
                if inner.kind_id == k.IDENTIFIER:
                    scope.values[state.slice(inner)] = [UNKNOWN_RAW]
            continue
        name = state.slice(target)
        values = annotate(state, annotation) if annotation is not None else []
        if prefix:
            values = [(a, b, (*steps, COLLECTION)) for a, b, steps in values]
        if default is not None:
            state.stack.append(default) if state.scope.owner == state.owner else state.push([default], state.scope, state.owner)
            values = [*values, *(value for value in values_of(state, default) if value[1] != LITERAL_BASE)]
        if receiver is not None and not prefix:
            scope.values[name] = [receiver] if annotation is None else [receiver, *values]
        else:
            names.append(prefix + name)
            scope.values[name] = values if annotation is not None else [*values, UNKNOWN_RAW]
        receiver = None
    return names


def _parameter_parts(node: Node) -> tuple[str, Node | None, Node | None, Node | None]:
    """Return the prefix, the target, the annotation and the default of a parameter that is more than a name."""
    kind = node.kind_id
    target: Node | None = node
    annotation = default = None
    if kind in (k.DEFAULT_PARAMETER, k.TYPED_PARAMETER, k.TYPED_DEFAULT):
        children = [child for child in node.named_children if child.kind_id != k.COMMENT]
        if not children:
            return "", None, None, None
        target = children[0]
        annotation = next((child for child in children[1:] if child.kind_id == k.TYPE), None)
        if kind != k.TYPED_PARAMETER and len(children) > 1:
            default = children[-1]
    prefix = ""
    if target is not None and target.kind_id in (k.LIST_SPLAT_PATTERN, k.DICTIONARY_SPLAT_PATTERN):
        prefix = "*" if target.kind_id == k.LIST_SPLAT_PATTERN else "**"
        target = next(iter(target.named_children), None)
    return prefix, target, annotation, default


def lambda_expression(state: State, node: Node) -> None:
    """Open the scope of a lambda."""
    around = state.scope
    scope = Scope(FUNCTION_SCOPE, around, state.owner, around.cls, node.start_byte)
    rest = []
    for child in node.named_children:
        if child.kind_id in k.PARAMETERS:
            _parameters(state, child, scope, None)
        else:
            rest.append(child)
    state.push(rest, scope, state.owner)


def returned(state: State, node: Node) -> None:
    """What a function returns is what calling it gives."""
    for child in node.named_children:
        if child.kind_id != k.COMMENT:
            values = read_value(state, child)
            if state.scope.kind == FUNCTION_SCOPE:
                state.add_values(state.scope.owner, [value for value in values if value[1] != LITERAL_BASE])


def yielded(state: State, node: Node) -> None:
    """What a generator yields are the elements of what calling it gives."""
    for child in node.named_children:
        if child.kind_id == k.COMMENT:
            continue
        values = [value for value in read_value(state, child) if value[1] != LITERAL_BASE]
        if state.scope.kind != FUNCTION_SCOPE:
            continue
        owner = state.scope.owner
        draft = state.drafts[owner]
        is_from = state.text[node.start_byte : node.end_byte].startswith(b"yield from")
        if not is_from and not {_last(path) for path in draft.decorators} & _YIELDS_ONE:
            values = [(a, b, (*steps, COLLECTION)) for a, b, steps in values]
        state.add_values(owner, values)


def class_definition(state: State, node: Node, decorators: list[Node] | tuple[()] = (), start: int = -1) -> None:
    """Declare a class; its body is left for later."""
    name_node = body = bases = types = None
    for child in node.named_children:
        kind = child.kind_id
        if kind == k.IDENTIFIER and name_node is None:
            name_node = child
        elif kind == k.ARGUMENTS:
            bases = child
        elif kind == k.TYPE_PARAMETER:
            types = child
        elif kind in k.BLOCK:
            body = child
    if name_node is None:
        state.stack += reversed(node.named_children)
        return
    around = state.scope
    name = state.slice(name_node)
    start = node.start_byte if start < 0 else start
    number = state.define(name, "class", start, node.end_byte, name_node.start_byte, state.binding_scope(name))
    draft = state.drafts[number]
    if decorators:
        draft.decorators += _decorate(state, decorators, number)
        if {_last(path) for path in draft.decorators} & _DATA_CLASSES and _has_order(state, decorators):
            draft.flags.add("iterated")
    outer = around
    if types is not None:
        outer = state.scope = Scope(TYPE_SCOPE, around, around.owner, around.cls)
        owner, state.owner = state.owner, number
        type_parameters(state, [types])
        state.owner = owner
    if bases is not None:
        _bases(state, bases, number)
    state.scope = around
    if body is not None:
        scope = state.class_scopes[number] = Scope(CLASS_SCOPE, outer, number, number, node.start_byte)
        state.push(statements(body.named_children), scope, number)


def _has_order(state: State, decorators: list[Node] | tuple[()]) -> bool:
    return any("order=True" in "".join(state.slice(decorator).split()) for decorator in decorators)


def _bases(state: State, node: Node, number: int) -> None:
    """Note the bases and the keywords of a class."""
    draft = state.drafts[number]
    around, state.owner = state.owner, number
    rest: list[Node] = []
    for child in node.named_children:
        if child.kind_id not in k.CHAINS:
            if child.kind_id == k.KEYWORD_ARGUMENT and state.slice(child.named_children[0]) == "metaclass":
                draft.metaclasses = values_of(state, child.named_children[-1])
            if child.kind_id != k.COMMENT:
                rest.append(child)
            continue
        side: list[Node] = []
        starts, steps = spine(state, child, side)
        while steps and steps[-1] == "[]":
            steps = steps[:-1]
        note(state, starts, steps[:-1] if steps[-1:] == (CALL,) else steps, "inherit", child.start_byte)
        rest += side
        found = [(scope, name, (*first, *steps)) for scope, name, first in starts]
        draft.bases += found
        lasts = {_last(raw) for raw in found} | {_last((a, b, s[:-1])) for a, b, s in found if s[-1:] == (CALL,)}
        if lasts & _ENUMS or any(_is_enum(state, raw) for raw in found):
            draft.kind = "enum"
        elif lasts & _HANDED_OUT:
            draft.flags.add("iterated")
        elif lasts & _PROTOCOLS:
            draft.flags.add("abstract")
        if steps and steps[-1] == CALL and any(last.endswith("with_metaclass") for last in lasts) and side:
            given = [value for one in side[0].named_children for value in values_of(state, one)]
            draft.metaclasses = given[:1]
            draft.bases += given[1:]
    if rest:
        rest.reverse()
        state.push(rest, state.scope, number)
    state.owner = around


def _is_enum(state: State, raw: Raw) -> bool:
    scope, name, steps = raw
    if scope is None or steps:
        return False
    return any(state.drafts[known].kind == "enum" for known in scope.defs.get(str(name), ()) or state.module.defs.get(str(name), ()))
