"""Expressions as paths: `a.b(c).d` is the name `a` and the steps `b`, CALL, `d`.

`await x` and `x!` are `x`. What is called while the module loads belongs to the module, whichever variable gets the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import CALLERS, HINTED, give_hints, pattern_of
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import NOTHING, VALUE, Frame, Path
from ce.extract.names.ecmascript_types import type_values
from ce.extract.names.model import CALL, ELEMENT, GLOB

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "note", "read"]

_CHAINS = frozenset({"member_expression", "subscript_expression", "call_expression", "new_expression", "identifier", "this", "super"})
_AROUND = frozenset({"parenthesized_expression", "await_expression", "non_null_expression", "instantiation_expression"})
_CASTS = frozenset({"as_expression", "satisfies_expression", "type_assertion"})
_PATHS = _CHAINS | _AROUND | _CASTS
_CHOICES = frozenset({"||", "??", "&&"})
# What has a value, but not one with names that anyone declared.
_PLAIN = frozenset({
    "string", "template_string", "number", "regex", "true", "false", "null", "undefined", "unary_expression", "update_expression", "object",
    "arrow_function", "function_expression", "generator_function", "jsx_element", "jsx_self_closing_element", "comment",
})  # fmt: skip
_MAX_DEPTH = 16
_Call = tuple["Node", list["Node"], int]  # a call, its children, and how far from the end of the chain it stands
_MAX_PARTS = 64


def read(r: Reader, node: Node, frame: Frame) -> list[Path]:
    """Note what an expression refers to and return the paths that it can be."""
    kind = r.kinds[node.kind_id]
    if kind in _PATHS:
        return note(r, node, frame)
    if kind in _PLAIN:
        r.push(node, frame)
        return []
    found: list[Path] = []
    work = [node]
    parts = 0
    while work:
        node = work.pop()
        kind = r.kinds[node.kind_id]
        parts += 1
        if parts > _MAX_PARTS:
            r.push(node, frame)
            found.append(NOTHING)
        elif kind in _PATHS:
            found += note(r, node, frame)
        elif kind == "ternary_expression":
            condition, *branches = r.parts(node, frame)
            r.push(condition, frame)
            work += branches
        elif kind == "binary_expression" and _operator(r, node) in _CHOICES:
            children = node.named_children
            if _operator(r, node) == "&&":
                r.push_all(children[:-1], frame)
                work.append(children[-1])
            else:
                work += children
        elif kind == "assignment_expression":
            r.push(node, frame)
            found.append(NOTHING)
        else:
            r.push(node, frame)
            if kind not in _PLAIN:
                found.append(NOTHING)
    return found


def _operator(r: Reader, node: Node) -> str:
    operator = r.field(node, "operator")
    return "" if operator is None else operator.type


def note(r: Reader, node: Node, frame: Frame, kind: str = "read") -> list[Path]:
    """Note a chain of members, calls and subscripts as one reference and return its paths."""
    start = node.start_byte
    kinds = r.kinds
    steps: list[str] = []  # from the last one to the first
    calls: list[_Call] = []
    globs: list[int] = []
    heads: list[Path] | None = None
    what = kinds[node.kind_id]
    while True:
        if what == "identifier":
            break
        if what == "member_expression":
            children = node.named_children
            steps.append(r.text(children[-1]))
        elif what == "call_expression" or what == "new_expression":
            children = node.named_children
            steps.append(CALL)
            calls.append((node, children, len(steps)))
            if frame.runs != frame.owner:
                frame = frame.owned(frame.runs)
            if len(children) > 2:
                r.push_all(children[1:-1], frame)
            if what == "new_expression" and kinds[children[-1].kind_id] != "arguments":
                r.push_all(children[1:], frame)
        elif what == "subscript_expression":
            children = node.named_children
            step, is_open = _index(r, children[-1], frame)
            steps.append(step)
            if is_open:
                globs.append(len(steps))
        elif what in _AROUND:
            children = r.parts(node, frame)
            if not children:
                heads = [NOTHING]
                break
            r.push_all(children[1:], frame)
            if what == "parenthesized_expression" and kinds[children[0].kind_id] not in _PATHS:
                heads = _deeper(r, children[0], frame)
                break
        else:
            heads = _head(r, node, what, frame, steps)
            if heads is not None:
                break
            children = node.named_children
        node = children[0]
        what = kinds[node.kind_id]
    steps.reverse()
    if heads is None:
        found: list[Path] = [(frame.scope, r.text(node), tuple(steps), VALUE)]
    else:
        found = [(head[0], head[1], (*head[2], *steps), head[3]) for head in heads[:_MAX_PARTS]]
    argument = ""
    if calls:
        found = _called(r, found, calls, frame, is_import=what == "import")
        if kind == "read" and calls[0][2] == 1:
            kind, argument = "call", _argument(r, calls[0][1][-1])
    owner = frame.owner
    for path in found:
        if kind == "call" and path[2] and path[2][-1] == CALL:
            r.use(owner, kind, start, (path[0], path[1], path[2][:-1], path[3]), argument)
        else:
            r.use(owner, "read" if kind == "call" and calls else kind, start, path)
        for at in globs:
            whole = path[2]
            r.use(owner, "read", start, (path[0], path[1], (*whole[: len(whole) - at], f"{GLOB}*"), path[3]))
    return found


def _head(r: Reader, node: Node, what: str, frame: Frame, steps: list[str]) -> list[Path] | None:
    """Return what a chain begins with when it is no name, None when it goes on in the first child."""
    if what == "this":
        return [frame.this or NOTHING]
    if what == "super":
        return [_super(frame, steps)]
    if what in _CASTS:
        return _cast(r, node, frame)
    if what == "import":
        return [NOTHING]
    return _deeper(r, node, frame)


def _deeper(r: Reader, node: Node, frame: Frame) -> list[Path]:
    if r.depth >= _MAX_DEPTH:
        r.push(node, frame)
        return [NOTHING]
    r.depth += 1
    found = read(r, node, frame)
    r.depth -= 1
    return found or [NOTHING]


def _cast(r: Reader, node: Node, frame: Frame) -> list[Path] | None:
    """Return what `x as Foo` is, None when the type says no more than the expression."""
    children = r.parts(node, frame)
    if r.kinds[node.kind_id] == "type_assertion":
        children.reverse()
    if len(children) < 2:
        return None
    expression, type_node = children[0], children[1]
    values = type_values(r, type_node, frame)
    if r.kinds[node.kind_id] == "satisfies_expression":
        return _deeper(r, expression, frame)
    r.push(expression, frame)
    return values or [NOTHING]


def _super(frame: Frame, steps: list[str]) -> Path:
    above = frame.above
    if above is None:
        return NOTHING
    if steps and steps[-1] == CALL and above[2][-1:] == (CALL,):
        return (above[0], above[1], above[2][:-1], above[3])  # `super(…)` calls the class
    return above


def _index(r: Reader, index: Node, frame: Frame) -> tuple[str, bool]:
    """Return the step of a subscript, and whether it may be a name that is not known."""
    kind = r.kinds[index.kind_id]
    name = r.constant(index)
    if name is not None:
        return name, False
    if kind == "number":
        return ELEMENT, False
    pattern = pattern_of(r, index)
    r.push(index, frame)
    if pattern.strip("*"):
        return GLOB + pattern, False
    return ELEMENT, kind not in ("binary_expression", "update_expression", "unary_expression") or pattern != "*"


def _argument(r: Reader, arguments: Node) -> str:
    if r.kinds[arguments.kind_id] != "arguments":
        return ""
    given = arguments.named_children
    return (r.constant(given[0]) or "")[:200] if given else ""


def _called(r: Reader, found: list[Path], calls: list[_Call], frame: Frame, *, is_import: bool) -> list[Path]:
    """Look at the arguments of the calls of a chain; return what the chain is when a call means something of its own."""
    path = found[0]
    head = path[1]
    special = None
    if is_import:
        special = CALLERS["import"](r, calls[-1][0], (None, "import", path[2], VALUE), frame)
    elif isinstance(head, str) and head in CALLERS and path[3] == VALUE:
        special = CALLERS[head](r, calls[-1][0], path, frame)
    if special is not None:
        path = special
        found = [special]
    steps = path[2]
    for call, children, back in reversed(calls):
        arguments = children[-1]
        if r.kinds[arguments.kind_id] == "arguments":
            given = arguments.named_children
            if given:
                at = len(steps) - back
                method = steps[at - 1] if 0 < at <= len(steps) else str(path[1])
                if method in HINTED or "ixin" in method:
                    give_hints(r, given, path, max(0, at), frame)
                r.push_all(given, frame)
        elif r.kinds[call.kind_id] == "call_expression":
            r.push(arguments, frame)  # a tagged template
    return found


def _on_chain(r: Reader, node: Node, frame: Frame) -> None:
    note(r, node, frame)


def _on_identifier(r: Reader, node: Node, frame: Frame) -> None:
    r.uses.append((frame.owner, "read", node.start_byte, (frame.scope, r.text(node), (), VALUE), ""))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("member_expression", "subscript_expression", "call_expression", "new_expression", *sorted(_CASTS)), _on_chain),
    "identifier": _on_identifier,
    "shorthand_property_identifier": _on_identifier,
}
