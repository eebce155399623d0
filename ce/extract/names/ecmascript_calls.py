"""Calls that mean something of their own: `require`, `import()`, `Object.keys`, `Reflect.get`, `eval`, and what callbacks are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import VALUE, Frame, Path
from ce.extract.names.model import CALL, ELEMENT, GLOB

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CALLERS", "HINTED", "chain_of", "give_hints", "module_of", "note_helpers", "pattern_of"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_FIRST_OF_EACH = frozenset({
    "forEach", "map", "filter", "find", "findLast", "findIndex", "findLastIndex", "some", "every", "flatMap", "sort", "toSorted",
})  # fmt: skip
_WHOLE = frozenset({"then"})
HINTED = _FIRST_OF_EACH | _WHOLE | {"reduce"}
_LISTINGS = frozenset({"keys", "values", "entries", "getOwnPropertyNames", "fromEntries", "ownKeys", "assign"})
# Functions that take the default export of the module that they are given a way to load.
_LOADERS = frozenset({"lazy", "dynamic", "loadable", "lazyWithRetry", "defineAsyncComponent", "lazyRouteComponent"})
_INTEROP = ("__importDefault", "__importStar", "_interopRequireDefault", "_interopRequireWildcard", "interopDefault")
_MAX_PARTS = 32


def pattern_of(r: Reader, node: Node) -> str:
    """Return the glob of the texts that an expression can be: `do_*` for `"do_" + word`; `*` when nothing is constant."""
    pieces: list[str] = []
    work = [node]
    while work and len(pieces) < _MAX_PARTS:
        node = work.pop()
        kind = r.kinds[node.kind_id]
        text = r.constant(node)
        if text is not None:
            pieces.append(text)
        elif kind == "template_string":
            work += reversed(node.named_children)
        elif kind == "string_fragment":
            pieces.append(r.text(node))
        elif kind == "parenthesized_expression" and node.named_children:
            work.append(node.named_children[0])
        elif kind == "binary_expression" and node.child_count == 3 and node.children[1].type == "+":
            work += [node.named_children[1], node.named_children[0]]
        else:
            pieces.append("*")
    pattern = "".join(pieces) + ("*" if work else "")
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern or "*"


def chain_of(r: Reader, node: Node, frame: Frame) -> Path | None:
    """Return the path of a plain chain of names, without noting it; None for anything else."""
    steps: list[str] = []
    for _ in range(_MAX_PARTS):
        kind = r.kinds[node.kind_id]
        if kind == "identifier":
            return (frame.scope, r.text(node), tuple(reversed(steps)), VALUE)
        if kind == "this":
            base = frame.this
            return None if base is None else (base[0], base[1], (*base[2], *reversed(steps)), base[3])
        if kind in ("parenthesized_expression", "as_expression", "non_null_expression") and node.named_children:
            node = node.named_children[0]
        elif kind == "member_expression":
            children = node.named_children
            steps.append(r.text(children[-1]))
            node = children[0]
        elif kind == "subscript_expression":
            children = node.named_children
            name = r.constant(children[-1])
            if name is None:
                return None
            steps.append(name)
            node = children[0]
        else:
            return None
    return None


def module_of(r: Reader, node: Node) -> tuple[str, Node, str] | None:
    """Return what `require("x")`, `await import("x")` or one member of them names: the module, the call, the member or nothing."""
    part = ""
    for _ in range(8):
        kind = r.kinds[node.kind_id]
        children = node.named_children
        if kind == "member_expression" and not part:
            part = r.text(children[-1])
            node = children[0]
        elif (
            kind in ("await_expression", "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
            and children
        ):
            node = children[0]
        elif kind == "call_expression":
            function, arguments = children[0], children[-1]
            given = arguments.named_children
            name = r.text(function) if function.end_byte - function.start_byte <= 40 else ""
            if name in ("require", "import"):
                spec = r.constant(given[0]) if given else None
                return None if spec is None else (spec, node, part)
            if not name.endswith(_INTEROP) or not given:
                return None
            node = given[0]
        else:
            return None
    return None


def note_helpers(r: Reader, value: Node, call: Node, frame: Frame) -> None:
    """Note the functions that a module goes through: `__importStar(require("./m"))`."""
    node = value
    while node.id != call.id and node.named_children:
        if r.kinds[node.kind_id] == "call_expression":
            r.push(node.named_children[0], frame)
            node = node.named_children[-1]
        node = node.named_children[0]


def give_hints(r: Reader, given: Sequence[Node], path: Path, at: int, frame: Frame) -> None:
    """Tell the functions among the arguments what they are called with; `at` is where the call stands in the steps."""
    steps = path[2]
    method = steps[at - 1] if 0 < at <= len(steps) else ""
    if "mixin" in (method or str(path[1])).lower():
        _mix(r, given, frame)
    if method not in HINTED:
        return
    function = given[0]
    if r.kinds[function.kind_id] in _FUNCTIONS:
        receiver = (path[0], path[1], steps[: at - 1] if method in _WHOLE else (*steps[: at - 1], ELEMENT), path[3])
        r.hints[function.id] = (1 if method == "reduce" else 0, [receiver])


def _mix(r: Reader, given: Sequence[Node], frame: Frame) -> None:
    """What is mixed into a class gives it all its members."""
    for argument in given:
        for part in argument.named_children if r.kinds[argument.kind_id] == "array" else (argument,):
            mixed = chain_of(r, part, frame)
            if mixed is not None:
                r.use(frame.owner, "read", part.start_byte, (mixed[0], mixed[1], (*mixed[2], f"{GLOB}*"), VALUE))


# --- calls by the name that they start with: each may return what the whole chain is


def _require(r: Reader, call: Node, path: Path, frame: Frame) -> Path | None:
    """`require("x")…`, `import("x")…`: the steps behind the call are those from the module."""
    if path[2][:1] != (CALL,):
        return None
    given = call.named_children[-1].named_children
    spec = r.constant(given[0]) if given else None
    if spec is None:
        return None
    base = r.inline_import(spec, call, frame)
    if path[1] == "import" and path[2] == (CALL,) and _is_for_default(r, call):
        return (base[0], base[1], ("default",), VALUE)
    return (base[0], base[1], path[2][1:], VALUE)


def _is_for_default(r: Reader, call: Node) -> bool:
    """Tell whether an import is what `lazy(() => import("./page"))` loads: such functions take the default export alone."""
    node: Node | None = call.parent
    while node is not None and r.kinds[node.kind_id] in ("return_statement", "statement_block", "parenthesized_expression"):
        node = node.parent
    if node is None or r.kinds[node.kind_id] != "arrow_function" or node.parent is None or node.parent.parent is None:
        return False
    around = node.parent.parent
    if r.kinds[around.kind_id] != "call_expression" or node.parent.named_children[0].id != node.id:
        return False
    return r.text(around.named_children[0]).rpartition(".")[2] in _LOADERS


def _is_bound(path: Path) -> bool:
    return path[0] is not None and path[0].find(str(path[1]), VALUE) is not None


def _object(r: Reader, call: Node, path: Path, frame: Frame) -> Path | None:
    """`Object.values(E)` uses every member of `E`."""
    if path[2][:1] and path[2][0] in _LISTINGS and path[2][1:2] == (CALL,):
        for given in call.named_children[-1].named_children:
            listed = chain_of(r, given, frame)
            if listed is not None:
                r.use(frame.owner, "read", given.start_byte, (listed[0], listed[1], (*listed[2], f"{GLOB}*"), VALUE))
    return None


def _reflect(r: Reader, call: Node, path: Path, frame: Frame) -> Path | None:
    """`Reflect.get(x, "name")` reads a member."""
    given = call.named_children[-1].named_children
    if path[2][:2] == ("ownKeys", CALL):
        return _object(r, call, path, frame)
    if path[2][:1] and path[2][0] in ("get", "has", "set") and len(given) >= 2:
        base = chain_of(r, given[0], frame)
        name = r.constant(given[1])
        if base is not None:
            step = name if name is not None else GLOB + pattern_of(r, given[1])
            r.use(frame.owner, "read", given[0].start_byte, (base[0], base[1], (*base[2], step), VALUE))
    return None


def _inherits(r: Reader, call: Node, path: Path, frame: Frame) -> Path | None:
    """`util.inherits(A, B)` makes `B` the base of `A`."""
    given = call.named_children[-1].named_children
    if path[2] not in ((CALL,), ("inherits", CALL)) or len(given) < 2:
        return None
    child, base = chain_of(r, given[0], frame), chain_of(r, given[1], frame)
    if child is not None and base is not None and not child[2] and child[0] is not None:
        found = child[0].find(str(child[1]), VALUE)
        if found is not None and found.definition >= 0:
            r.constructors.add(found.definition)
            r.drafts[found.definition].bases.append(base)
    return None


def _eval(r: Reader, call: Node, path: Path, _frame: Frame) -> Path | None:
    if path[2][:1] == (CALL,) and not _is_bound(path) and (path[1] == "eval" or r.kinds[call.kind_id] == "new_expression"):
        r.opaque.append((call.start_point[0] + 1, "eval", "*"))
    return None


CALLERS: dict[str, Callable[[Reader, Node, Path, Frame], Path | None]] = {
    "require": _require,
    "import": _require,
    "Object": _object,
    "Reflect": _reflect,
    "inherits": _inherits,
    "util": _inherits,
    "eval": _eval,
    "Function": _eval,
}
