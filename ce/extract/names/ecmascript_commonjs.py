"""Assignments: what variables, members and the exports of CommonJS are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_calls import chain_of, module_of, note_helpers
from ce.extract.names.ecmascript_classes import declare_class
from ce.extract.names.ecmascript_functions import enter_function, member_name, read_object
from ce.extract.names.ecmascript_grammar import FUNCTION_KINDS
from ce.extract.names.ecmascript_modules import define_export, export_name, export_value
from ce.extract.names.ecmascript_paths import note, read
from ce.extract.names.ecmascript_patterns import NAMES, take_pattern
from ce.extract.names.ecmascript_reader import Handler, Reader
from ce.extract.names.ecmascript_scopes import NOTHING, VALUE, Frame, Path, definite, extended
from ce.extract.names.model import CALL, GLOB, ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HANDLERS", "exported_name"]

_FUNCTIONS = frozenset(FUNCTION_KINDS)
_PATTERNS = frozenset({"object_pattern", "array_pattern"})
_GLOBALS = frozenset({"window", "globalThis", "global", "self"})
_WHOLE = frozenset({("module", ("exports",)), ("exports", ())})


def _on_assignment(r: Reader, node: Node, frame: Frame) -> None:
    """`a = b`, `a.b = c`, `{ a } = b` and chains of them."""
    targets: list[Node] = []
    value: Node = node
    while r.kinds[value.kind_id] == "assignment_expression":
        children = r.parts(value, frame)
        if len(children) < 2:
            return
        targets.append(children[0])
        value = children[-1]
    if len(targets) <= 8:
        exported = [name for target in targets if (name := exported_name(r, target, frame)) is not None]
        if exported:
            _export(r, node, value, frame, exported, [target for target in targets if exported_name(r, target, frame) is None])
            return
        if len(targets) == 1 and _gives_member(r, node, targets[0], value, frame):
            return
    given = read(r, value, frame)
    for target in targets:
        _give(r, target, frame, given)


def _give(r: Reader, target: Node, frame: Frame, given: list[Path]) -> None:
    kind = r.kinds[target.kind_id]
    if kind == "identifier":
        path: Path = (frame.scope, r.text(target), (), VALUE)
        r.use(frame.owner, "write", target.start_byte, path)
        if given:
            r.assigned.append((path, given))
    elif kind in _PATTERNS:
        for part, held in take_pattern(r, target, frame, given):
            if r.kinds[part.kind_id] in NAMES:
                path = (frame.scope, r.text(part), (), VALUE)
                r.use(frame.owner, "write", part.start_byte, path)
                r.assigned.append((path, held or [NOTHING]))
            else:
                note(r, part, frame, "write")
    else:
        for path in note(r, target, frame, "write"):
            number = _own_field(r, path)
            if number >= 0 and not r.drafts[number].is_annotated:
                r.give(number, given)


def _own_field(r: Reader, path: Path) -> int:
    """Return the field that `this.x` is, -1 for anything else."""
    steps = path[2]
    if isinstance(path[1], int) and path[1] >= 0 and len(steps) == 2 and steps[0] == CALL:
        return r.members.get((path[1], steps[1]), -1)
    return -1


# --- exports


def exported_name(r: Reader, target: Node, frame: Frame) -> str | None:
    """Return the name that an assignment to this exports, empty for the module as a whole, None when it is no export."""
    if r.kinds[target.kind_id] not in ("member_expression", "identifier", "subscript_expression"):
        return None
    raw = r.data[target.start_byte : target.start_byte + 7]
    if raw not in (b"module.", b"exports"):
        return None
    path = chain_of(r, target, frame)
    if path is None or frame.scope.find(str(path[1]), VALUE) is not None:
        return None
    steps = path[2]
    if path[1] == "module" and steps[:1] == ("exports",):
        steps = steps[1:]
    elif path[1] != "exports":
        return None
    return "" if not steps else steps[0] if len(steps) == 1 else None


def _export(r: Reader, node: Node, value: Node, frame: Frame, names: list[str], others: list[Node]) -> None:
    """Export a value under names; `others` are variables that the same chain of assignments gives it to."""
    if "__esModule" in names or r.data.startswith(b"void 0", value.start_byte):
        r.push(value, frame)
        return
    module = module_of(r, value)
    if module is not None:
        spec, call, part = module
        note_helpers(r, value, call, frame)
        line = call.start_point[0] + 1
        for name in names:
            if not name and not part:
                r.stars.append(ImportedName(spec, line, "*"))
            number = define_export(r, frame, name or "default", node, None, None)
            r.drafts[number].imported = ImportedName(spec, line, part)
        return
    inner = r.unwrapped(value)
    kind = r.kinds[inner.kind_id]
    if "" in names and kind == "object":
        for child in inner.named_children:
            _export_member(r, child, frame)
        for target in others:
            _give(r, target, frame, [])
        return
    first = names[0] or "default"
    before = len(r.drafts)
    own = r.field(inner, "name") if kind in _FUNCTIONS or kind == "class" else None
    if "" in names:
        r.has_unreadable_exports = r.has_unreadable_exports or kind not in (*_FUNCTIONS, "class", "identifier", "member_expression")
    export_value(r, frame, first, node, value)
    number = next((at for at in range(before, len(r.drafts)) if r.drafts[at].name == first), -1)
    if number >= 0 and own is not None and kind in _FUNCTIONS:
        r.drafts[number].name = first
    for name in names[1:]:
        define_export(r, frame, name or "default", node, None, definite(number) if number >= 0 else None)
    for target in others:
        _give(r, target, frame, [definite(number)] if number >= 0 else [NOTHING])


def _export_member(r: Reader, child: Node, frame: Frame) -> None:
    """One member of `module.exports = { … }`."""
    kind = r.kinds[child.kind_id]
    if kind == "shorthand_property_identifier":
        export_name(r, frame, r.text(child), r.text(child), child, child)
    elif kind == "pair":
        name = member_name(r, child.named_children[0])
        if name:
            module = module_of(r, child.named_children[-1])
            if module is not None:
                number = define_export(r, frame, name, child, child.named_children[0], None)
                r.drafts[number].imported = ImportedName(module[0], module[1].start_point[0] + 1, module[2])
            else:
                export_value(r, frame, name, child, child.named_children[-1])
        else:
            r.has_unreadable_exports = True
            r.push(child, frame)
    elif kind == "method_definition":
        key = r.field(child, "name")
        name = member_name(r, key) if key is not None else ""
        number = r.define(frame, name, "function", child, key) if name else -1
        if number >= 0:
            r.drafts[number].flags.add("exported")
        enter_function(r, child, frame, number)
    elif kind == "spread_element":
        inner = child.named_children[0] if child.named_children else child
        module = module_of(r, inner)
        if module is not None and not module[2]:
            r.stars.append(ImportedName(module[0], module[1].start_point[0] + 1, "*"))
        else:
            r.has_unreadable_exports = True
            r.push(child, frame)


# --- members that are added to what the file defines


def _gives_member(r: Reader, node: Node, target: Node, value: Node, frame: Frame) -> bool:
    """Define the member that `this.x = …`, `A.prototype.x = …`, `A.x = …` or `window.x = …` adds; return whether all is looked at."""
    if r.kinds[target.kind_id] != "member_expression":
        return False
    path = chain_of(r, target, frame)
    if path is None:
        return False
    head, steps = path[1], path[2]
    if isinstance(head, int):
        if len(steps) == 2 and steps[0] in (CALL, "\0") and head >= 0 and r.drafts[head].kind in ("class", "function"):
            if steps[0] == "\0":
                r.constructors.add(head)
            return _add(r, node, target, value, frame, head, steps[1], is_static=False)
        return False
    if head in _GLOBALS and len(steps) == 1 and path[0] is not None and path[0].find(head, VALUE) is None:
        return _add_global(r, node, target, value, frame, steps[0])
    found = frame.scope.find(head, VALUE)
    number = found.definition if found is not None else -1
    if number < 0:
        return False
    draft = r.drafts[number]
    if len(steps) == 2 and steps[0] == "prototype" and draft.kind in ("class", "function", "variable", "constant"):
        r.constructors.add(number)
        return _add(r, node, target, value, frame, number, steps[1], is_static=False)
    if steps == ("prototype",) and draft.kind in ("class", "function"):
        r.constructors.add(number)
        if r.kinds[r.unwrapped(value).kind_id] == "object":
            read_object(r, r.unwrapped(value), frame.owned(number), number)
            return True
        given = read(r, value, frame)
        draft.bases += [(p[0], p[1], p[2][: p[2].index("prototype")], p[3]) for p in given if "prototype" in p[2]] or [NOTHING]
        return True
    if len(steps) == 1 and draft.kind in ("class", "function"):
        return _add(r, node, target, value, frame, number, steps[0], is_static=True)
    return False


def _add(r: Reader, node: Node, target: Node, value: Node, frame: Frame, of: int, name: str, *, is_static: bool) -> bool:
    """Define a member that an assignment adds, unless there is one of the name."""
    inner = r.unwrapped(value)
    is_function = r.kinds[inner.kind_id] in _FUNCTIONS
    known = r.members.get((of, name))
    if known is not None and not is_function:
        return False
    name_node = target.named_children[-1]
    member = r.define(frame, name, "method" if is_function else "field", node, name_node, of)
    draft = r.drafts[member]
    draft.flags.discard("local")
    if is_static:
        draft.flags.add("static")
        if r.drafts[of].kind == "function":
            r.drafts[of].is_literal = True
    if name.startswith("#"):
        draft.flags.add("private")
    r.members.setdefault((of, name), member)
    this = definite(of) if is_static else definite(of, (CALL,))
    if is_function:
        enter_function(r, inner, frame, member, this)
    else:
        path = extended(definite(of), *(() if is_static else (CALL,)), name)
        r.use(frame.owner, "write", target.start_byte, path)
        r.give(member, read(r, value, frame))
    return True


def _add_global(r: Reader, node: Node, target: Node, value: Node, frame: Frame, name: str) -> bool:
    """`window.x = …` exports to everyone."""
    inner = r.unwrapped(value)
    kind = r.kinds[inner.kind_id]
    if kind in _FUNCTIONS:
        number = r.define(frame, name, "function", node, target.named_children[-1])
        r.drafts[number].flags.add("exported")
        enter_function(r, inner, frame, number)
        return True
    if kind == "class":
        number = declare_class(r, inner, frame, name=target.named_children[-1], around=node)
        r.drafts[number].flags.add("exported")
        r.use(frame.owner, "read", node.start_byte, definite(number, (f"{GLOB}*",)))
        return True
    for path in read(r, value, frame):
        if isinstance(path[1], str):
            r.exports.append(((path[0], path[1], (), VALUE), frame.owner))
    return True


def _on_statement(r: Reader, node: Node, frame: Frame) -> None:
    """`Object.defineProperty(exports, "a", …)`, which compilers write, exports `a`."""
    r.push_all(node.named_children, frame)
    if not r.data.startswith(b"Object.defineProperty(", node.start_byte):
        return
    call = node.named_children[0]
    given = call.named_children[-1].named_children
    if len(given) < 2:
        return
    target, name = chain_of(r, given[0], frame), r.constant(given[1])
    if target is not None and name is not None and (target[1], target[2]) in _WHOLE and name != "__esModule":
        define_export(r, frame, name, call, given[1], None)


def _on_update(r: Reader, node: Node, frame: Frame) -> None:
    """`x++` and `x += 1` write; they read too when somebody wants the result."""
    children = node.named_children
    parent = node.parent
    is_statement = parent is not None and r.kinds[parent.kind_id] == "expression_statement"
    for path in note(r, children[0], frame, "write") if children else ():
        if not is_statement:
            r.use(frame.owner, "read", node.start_byte, path)
        if len(children) > 1:
            r.assigned.append((path, [NOTHING]))
    r.push_all(children[1:], frame)


HANDLERS: dict[str, Handler] = {
    "expression_statement": _on_statement,
    "assignment_expression": _on_assignment,
    "augmented_assignment_expression": _on_update,
    "update_expression": _on_update,
}
