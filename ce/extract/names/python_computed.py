"""Calls that name something by a value: `getattr`, `globals`, `import_module` and their like, and calls that hand on what they get."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import ELEMENT, GLOB, MODULE, UNKNOWN, ImportedName
from ce.extract.names.python_annotations import read_annotation
from ce.extract.names.python_state import LITERAL, Raw, State
from ce.extract.names.python_strings import choices, constant, name_steps, positional

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CALLS", "MODULES", "Continued", "computed_subscript", "quoted_type", "quoted_types"]

# Where the path goes on: alternatives that are known, or a node; and the steps from there, the last one first.
Continued = tuple["list[Raw]", "Node | None", list[str]]
_Special = Callable[[State, "Node", list[str], "list[Node] | None"], "Continued | None"]
_DICT = "__dict__"
_WRITES = frozenset({"update", "setdefault", "__setitem__"})
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def _read_rest(side: list[Node] | None, nodes: list[Node]) -> None:
    if side is not None:
        side += nodes


def _attribute_of(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    given = positional(arguments)
    if len(given) < 2:
        return None
    names = name_steps(state, given[1])
    _read_rest(side, [child for child in arguments.named_children if child.id not in (given[0].id, given[1].id)])
    texts = state.loop_texts.get((state.scope, state.slice(given[1]))) if given[1].kind_id == k.IDENTIFIER else None
    if texts is not None and given[0].kind_id == k.IDENTIFIER:
        if side is not None:
            side += given[:2]
        receiver = state.slice(given[0])
        return [(state.scope, receiver, (text,)) for text in texts if text.isidentifier()], None, []
    several = choices(state, given[1]) if given[0].kind_id == k.IDENTIFIER else []
    if len(several) > 1:
        if side is not None:
            side += given[:2]
        return [(state.scope, state.slice(given[0]), name_steps(state, one)) for one in several], None, []
    if side is not None and (given[1].kind_id != k.STRING or (names[:1] and names[0].startswith(GLOB))):
        side.append(given[1])
    return [], given[0], [*reversed(names)]


def _set_attribute(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    if side is not None:
        given = positional(arguments)
        if len(given) > 1:
            names = name_steps(state, given[1])
            if not names or names[0].startswith(GLOB):
                side.append(arguments)
                return [LITERAL], None, []
            # What is only ever written is not kept by it.
            state.computed_writes.append((state.scope, state.owner, given[0], names))
            _read_rest(side, given)
        else:
            side.append(arguments)
    return [LITERAL], None, []


def _getter(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`attrgetter("a.b")` and `methodcaller("m")` read from whatever they are given."""
    if side is not None:
        for given in positional(arguments):
            for name in name_steps(state, given):
                state.ref((None, UNKNOWN, (name,)), "string" if not name.startswith(GLOB) else "dynamic", given.start_byte)
        side.append(arguments)
    return [LITERAL], None, []


def _namespace(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`globals()`, and `vars(x)` or `locals()` where these are the same; what is named in brackets behind it is read elsewhere."""
    given = positional(arguments)
    if given:
        return [], given[0], [_DICT]
    if steps and steps[-1] in _WRITES:
        return [LITERAL], None, []
    return [(None, MODULE, ())], None, [f"{GLOB}*"]


def _locals(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    return _namespace(state, arguments, steps, side) if state.scope is state.module else None


def _evaluated(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    given = positional(arguments)
    if side is not None and given and given[0].start_byte >= state.dead_end:
        text = constant(state, given[0])
        if text is None:
            if given[0].kind_id != k.CALL_NODE or not state.slice(given[0]).startswith("compile("):
                state.opaque.append((given[0].start_byte, "eval", "*"))
        else:
            for name in _NAME.findall(text):
                first, *rest = name.split(".")
                state.ref((state.scope, first, tuple(rest)), "dynamic", given[0].start_byte)
    return None


def _imported(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`import_module("a.b")` is an import that binds no name."""
    given = positional(arguments)
    spec = constant(state, given[0]) if len(given) == 1 else None
    if spec is None or not spec.strip(".").replace(".", "").isidentifier():
        return None
    _read_rest(side, [child for child in arguments.named_children if child.id != given[0].id])
    return [(None, _import_definition(state, spec, arguments), ())], None, []


def _import_definition(state: State, spec: str, at: Node) -> int:
    start = at.start_byte
    known = state.module_imports.get(start)
    if known is None:
        known = state.define(f"import_module({spec})", "import", start, at.end_byte, start)
        draft = state.drafts[known]
        draft.flags.add("side_effect")
        draft.imported = ImportedName(spec, at.start_point[0] + 1, "", 0)
        state.module_imports[start] = known
    return known


def _type_of(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    given = positional(arguments)
    if len(given) != 1 or arguments.named_child_count != 1:
        return None
    return [], given[0], ["__class__"]


def _cast(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    given = positional(arguments)
    if len(given) != 2:
        return None
    annotation = read_annotation(state.slice(given[0]))
    if side is not None:
        for name, path, is_quoted in annotation.names:
            state.ref((state.scope, name, path), "type_only" if is_quoted else "read", given[0].start_byte)
        side.append(given[1])
    starts: list[Raw] = [(state.scope, name, path) if name else (None, UNKNOWN, ()) for name, path in annotation.values]
    return (starts or [LITERAL]), None, []


def _same(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """The result is what the first argument is, or as good as it."""
    given = positional(arguments)
    if not given:
        return None
    _read_rest(side, [child for child in arguments.named_children if child.id != given[0].id] if arguments.kind_id == k.ARGUMENTS else [])
    return [], given[0], []


def _copied_elements(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """A collection of the same elements: the same as long as only these are asked for."""
    if steps and steps[-1] != ELEMENT:
        return None
    given = positional(arguments)
    if not given or given[0].kind_id in k.COMPREHENSIONS or arguments.kind_id != k.ARGUMENTS:
        return None
    if side is not None:
        side += [child for child in arguments.named_children if child.id != given[0].id]
        if not steps and given[0].kind_id == k.IDENTIFIER:
            state.ref((state.scope, state.slice(given[0]), (ELEMENT,)), "read", given[0].start_byte)
    return [], given[0], []


def _element(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    given = positional(arguments)
    if not given or given[0].kind_id in k.COMPREHENSIONS or arguments.kind_id != k.ARGUMENTS:
        return None
    _read_rest(side, [child for child in arguments.named_children if child.id != given[0].id])
    return [], given[0], [ELEMENT]


def _slots(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`asdict(x)`: every field of it."""
    given = positional(arguments)
    if len(given) < 1 or arguments.kind_id != k.ARGUMENTS or steps:
        return None
    _read_rest(side, [child for child in arguments.named_children if child.id != given[0].id])
    return [], given[0], [f"{GLOB}*"]


def _listed(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`getmembers(x, isclass)`: what is of that kind in it, which is a glob that fits no name; without a kind every member."""
    given = positional(arguments)
    found = _slots(state, arguments, steps, side)
    kind = _LISTED.get(state.slice(given[1]).rpartition(".")[2]) if found is not None and len(given) > 1 else None
    return found if found is None or kind is None else (found[0], found[1], [f"{GLOB}<{kind}>"])


_LISTED = {"isclass": "class", "isfunction": "function", "isroutine": "function"}

# What such a function may be an attribute of; a method of the same name is something else.
MODULES = frozenset({
    "builtins", "importlib", "typing", "t", "te", "_t", "typing_extensions", "copy", "functools", "operator", "inspect", "dataclasses",
    "attr", "attrs",
})  # fmt: skip
_MAX_TYPE = 40  # characters of what is subscripted that are looked at
_HOLDS_TYPES = frozenset({
    "Optional", "Union", "List", "Dict", "Set", "FrozenSet", "Tuple", "Type", "Callable", "Sequence", "Iterable", "Iterator", "Mapping",
    "list", "dict", "set", "frozenset", "tuple", "type", "Generator", "Annotated", "Awaitable", "Coroutine", "ClassVar", "Final",
})  # fmt: skip
_NAMESPACES = (b"globals()", b"locals()", b"vars()")


def computed_subscript(state: State, children: list[Node], side: list[Node] | None) -> Continued | None:
    """Return where `globals()[…]`, `x.__dict__[…]`, `vars(x)[…]` and `sys.modules[…]` go on."""
    head = children[0]
    raw = state.text[max(head.start_byte, head.end_byte - 200) : head.end_byte]
    key = next((child for child in children[1:] if child.kind_id != k.COMMENT), None)
    if key is None:
        return None
    if raw == b"sys.modules":
        if side is not None:
            side.append(head)
        if state.slice(key) == "__name__":
            return [(None, MODULE, ())], None, []
        spec = constant(state, key)
        if spec is not None and spec.replace(".", "").isidentifier():
            return [(None, _import_definition(state, spec, key), ())], None, []
        return [(None, UNKNOWN, ())], None, []
    steps = [*reversed(name_steps(state, key))]
    if raw.endswith(b".__dict__"):
        return [], head.named_children[0], steps
    if raw in _NAMESPACES and (raw != b"locals()" or state.scope is state.module):
        _read_rest(side, head.named_children[:1])
        return [(None, MODULE, ())], None, steps
    if raw.startswith(b"vars(") and head.kind_id == k.CALL_NODE and len(given := positional(head.named_children[-1])) == 1:
        _read_rest(side, head.named_children[:1])
        return [], given[0], steps
    return None


def quoted_types(state: State, children: list[Node]) -> None:
    """Note the names that strings hold in `Optional["Foo"]` and its like, outside of annotations."""
    end = children[0].end_byte
    head = state.source[max(children[0].start_byte, end - _MAX_TYPE) : end]
    if head.rpartition(".")[2] in _HOLDS_TYPES:
        for child in children[1:]:
            if child.kind_id == k.STRING or child.kind_id in k.SEQUENCES:
                quoted_type(state, child)


def quoted_type(state: State, node: Node) -> None:
    """Note the names that an expression of a type refers to, quoted as a whole or in part."""
    for name, path, is_quoted in read_annotation(state.slice(node)).names:
        if is_quoted:
            state.ref((state.scope, name, path), "type_only", node.start_byte)


def _type_variable(state: State, arguments: Node, steps: list[str], side: list[Node] | None) -> Continued | None:
    """`TypeVar("T", bound="Foo")` and `NewType("N", "Foo")`."""
    if side is not None and arguments.kind_id == k.ARGUMENTS:
        for child in arguments.named_children[1:]:
            value = child.named_children[-1] if child.kind_id == k.KEYWORD_ARGUMENT else child
            if value.kind_id == k.STRING:
                quoted_type(state, value)
    return None


CALLS: dict[str, _Special] = {
    "getattr": _attribute_of,
    "hasattr": _attribute_of,
    "delattr": _attribute_of,
    "getattr_static": _attribute_of,
    "setattr": _set_attribute,
    "attrgetter": _getter,
    "methodcaller": _getter,
    "globals": _namespace,
    "vars": _namespace,
    "locals": _locals,
    "eval": _evaluated,
    "exec": _evaluated,
    "import_module": _imported,
    "type": _type_of,
    "cast": _cast,
    "TypeVar": _type_variable,
    "NewType": _type_variable,
    "copy": _same,
    "deepcopy": _same,
    "partial": _same,
    "iter": _copied_elements,
    "list": _copied_elements,
    "sorted": _copied_elements,
    "tuple": _copied_elements,
    "set": _copied_elements,
    "frozenset": _copied_elements,
    "reversed": _copied_elements,
    "next": _element,
    "asdict": _slots,
    "getmembers": _listed,
    "astuple": _slots,
}
