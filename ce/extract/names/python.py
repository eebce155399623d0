"""The names of a Python file: definitions, uses resolved by the language's scoping, strings, exports.

One loop reads the tree without recursion: statements of a scope in order, bodies of functions and classes when the scope around them is
done. What is read is kept as paths from names; when all scopes are known, the names are resolved.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.model import COLLECTION, UNKNOWN, UNSCOPED, Definition, Expression, FileNames, Use
from ce.extract.names.python_assignments import assignment, augmented, type_alias
from ce.extract.names.python_chains import read_chain, values_of
from ce.extract.names.python_control import if_statement, match_statement, try_statement, while_statement
from ce.extract.names.python_declarations import class_definition, decorated, function_definition, lambda_expression, returned, yielded
from ce.extract.names.python_exports import called_exports
from ce.extract.names.python_imports import future_import, import_from, import_names
from ce.extract.names.python_patterns import case_pattern
from ce.extract.names.python_registering import mark_keepers, returns_registering
from ce.extract.names.python_resolve import Resolver, binding_scope
from ce.extract.names.python_state import Draft, Frame, State
from ce.extract.names.python_strings import read_string, read_type_comments
from ce.extract.names.python_targets import clause, comprehension, delete, for_statement, hold, named, with_item
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["names_of", "read_scopes"]

_Handler = Callable[[State, "Node"], None]
_LOOKS_UP = re.compile(rb"\b(?:globals|vars|locals|getattr|eval|exec)\s*\(|__dict__")
_MOST_KINDS = 65_536  # the last number is that of a syntax error
_NO_FLAGS: frozenset[str] = frozenset()


def read_scopes(parsed: Parsed) -> State:
    """Return the scopes and the unresolved references of a Python file."""
    state = State(parsed.path, parsed.text)
    if parsed.tree is not None:
        _read(state, parsed.tree.root_node)
    return state


def names_of(parsed: Parsed) -> FileNames:
    """Return the names of a Python file."""
    return _finished(read_scopes(parsed))


def _block(state: State, node: Node) -> None:
    state.stack += [child for child in reversed(node.named_children) if child.kind_id != k.STRING and child.kind_id != k.COMMENT]


def _call(state: State, node: Node) -> None:
    if state.scope is not state.module or not called_exports(state, node):
        read_chain(state, node)


def _keyword_argument(state: State, node: Node) -> None:
    state.stack.append(node.named_children[-1])


def _global(state: State, node: Node) -> None:
    names = {state.slice(child) for child in node.named_children}
    state.scope.globals = {*state.scope.globals, *names}


def _nonlocal(state: State, node: Node) -> None:
    names = {state.slice(child) for child in node.named_children}
    state.scope.nonlocals = {*state.scope.nonlocals, *names}


def _as_pattern(state: State, node: Node) -> None:
    """`except E as e` and `with` items."""
    with_item(state, node)


def _skip(state: State, node: Node) -> None:
    pass


def _function(state: State, node: Node) -> None:
    function_definition(state, node)


def _class(state: State, node: Node) -> None:
    class_definition(state, node)


def _handlers() -> list[_Handler | None]:
    table: list[tuple[tuple[str, ...], _Handler]] = [
        (("identifier", "attribute", "subscript"), read_chain),
        (("call",), _call),
        (("string",), read_string),
        (("block", "module"), _block),
        (("keyword_argument",), _keyword_argument),
        (("assignment",), assignment),
        (("augmented_assignment",), augmented),
        (("named_expression",), named),
        (("function_definition",), _function),
        (("class_definition",), _class),
        (("decorated_definition",), decorated),
        (("lambda",), lambda_expression),
        (("list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"), comprehension),
        (("for_in_clause",), clause),
        (("for_statement",), for_statement),
        (("as_pattern",), _as_pattern),
        (("delete_statement",), delete),
        (("return_statement",), returned),
        (("yield",), yielded),
        (("global_statement",), _global),
        (("nonlocal_statement",), _nonlocal),
        (("import_statement",), import_names),
        (("import_from_statement",), import_from),
        (("future_import_statement",), future_import),
        (("if_statement",), if_statement),
        (("elif_clause",), if_statement),
        (("while_statement",), while_statement),
        (("try_statement",), try_statement),
        (("match_statement",), match_statement),
        (("case_pattern",), case_pattern),
        (("type_alias_statement",), type_alias),
        (("comment", "integer", "float", "true", "false", "none", "ellipsis", "pass_statement", "break_statement", "continue_statement"),
         _skip),
    ]  # fmt: skip
    found: list[_Handler | None] = [None] * _MOST_KINDS
    for names, handler in table:
        for number in k.kinds_of(*names):
            found[number] = handler
    return found


_HANDLERS = _handlers()


def _read(state: State, root: Node) -> None:
    state.has_noqa = b"noqa" in state.text or b"NOQA" in state.text
    waiting, handlers = [Frame([root], state.module, 0, 0, 0)], _HANDLERS
    while waiting:
        frame = waiting.pop()
        state.frames = []
        state.scope, state.owner = frame.scope, frame.owner
        state.type_end, state.dead_end = frame.type_end, frame.dead_end
        state.special_end = max(frame.type_end, frame.dead_end)
        state.conditional_end = 0
        stack = state.stack = frame.nodes
        while stack:
            node = stack.pop()
            handler = handlers[node.kind_id]
            if handler is None:
                stack += node.named_children[::-1]
            elif handler is not _skip:
                handler(state, node)
        for container, values in state.held:
            hold(state, container, values)
        state.held.clear()
        waiting += reversed(state.frames)
    if b"# type:" in state.text:
        read_type_comments(state)


class _Lines:
    """Lines of byte offsets."""

    def __init__(self, text: bytes) -> None:
        self.ends = list(accumulate(map(len, BytesIO(text))))

    def at(self, offset: int) -> int:
        return bisect_right(self.ends, offset) + 1


def _finished(state: State) -> FileNames:
    """Resolve everything and return it in order."""
    resolver = Resolver(state)
    lines = _Lines(state.text)
    _write_computed(state, resolver)
    _add_attributes(state, resolver)
    for exported in state.exports:
        for number in state.module.defs.get(exported, ()):
            state.drafts[number].flags.add("exported")
    _keep_submodules(state)
    mark_keepers(state)
    _note_keys(state, resolver)
    _note_registrations(state, resolver)
    _doubt_computed_members(state)
    uses = _uses(state, resolver, lines)
    made = tuple([_definition(draft, resolver, lines) for draft in state.drafts])
    returned = [[one.base for one in definition.values if one.base > 0 and not one.steps] for definition in made]
    if returns_registering(state, returned):
        made = tuple([replace(one, flags=frozenset(draft.flags)) for one, draft in zip(made, state.drafts, strict=True)])
    return FileNames(
        definitions=made,
        uses=uses,
        strings=tuple(sorted((lines.at(start), owner, text) for (owner, text), start in state.strings.items())),
        opaque=tuple(sorted((lines.at(start), why, pattern) for start, why, pattern in state.opaque)),
        star_imports=tuple(imported for _, imported in state.star_imports),
        has_unreadable_exports=state.has_unreadable_exports,
    )


def _uses(state: State, resolver: Resolver, lines: _Lines) -> tuple[Use, ...]:
    """Return the references resolved, each once, with its first line."""
    uses: dict[tuple[int, int, tuple[str, ...], str, str], int] = {}
    for (scope, name, steps, owner, use, argument), start in state.refs.items():
        if scope is not None:
            assert isinstance(name, str)
            standing, is_local = scope.known.get(name) or resolver.standing(scope, name)
            if is_local and not steps:
                continue
            base, first = standing[0]
            if base >= 0 and not first and len(standing) == 1 and "__class__" not in steps and COLLECTION not in steps:
                key = (owner, base, steps, use, argument)
                if uses.get(key, start) >= start:
                    uses[key] = start
                continue
        for base, path in resolver.bases((scope, name, steps), 0):
            if base >= 0 or (base == UNSCOPED and path[1:] != ("()",)):
                key = (owner, base, path, use, argument)
                if uses.get(key, start) >= start:
                    uses[key] = start
            elif base == UNKNOWN:
                last = len(path) - 1
                for index, step in enumerate(path):
                    key = (owner, UNKNOWN, (step,), use if index == last else "read", "")
                    if uses.get(key, start) >= start:
                        uses[key] = start
    rows = sorted([(owner, start, base, path, use, argument) for (owner, base, path, use, argument), start in uses.items()])
    line = lines.at
    return tuple([Use(owner, use, line(start), Expression(base, path), argument) for owner, start, base, path, use, argument in rows])


def _write_computed(state: State, resolver: Resolver) -> None:
    """Note what `setattr` with a constant name writes."""
    for scope, owner, receiver, names in state.computed_writes:
        state.scope, state.owner = scope, owner
        for raw in values_of(state, receiver):
            state.ref((raw[0], raw[1], (*raw[2], *names)), "write", receiver.start_byte)
            state.attributes.append((raw, names[0], owner, [], receiver.start_byte, 0))


def _add_attributes(state: State, resolver: Resolver) -> None:
    """Make fields of what methods set on their own class or instance."""
    for raw, name, owner, values, start, end in state.attributes:
        found = resolver.bases(raw, 0)
        if len(found) != 1 or found[0][0] <= 0 or found[0][1] not in ((), ("()",)):
            continue
        cls = found[0][0]
        if state.drafts[cls].kind not in ("class", "enum") or not _is_within(state, owner, cls):
            continue
        scope = state.class_scopes.get(cls)
        if scope is None:
            continue
        known = scope.defs.get(name)
        if known is None:
            state.dead_end = state.conditional_end = 0
            number = state.define(name, "field", start, end or start, start, scope)
            state.add_values(number, values)
        elif state.drafts[known[-1]].kind in ("field", "enum_member"):
            state.add_values(known[-1], values)


def _keep_submodules(state: State) -> None:
    """`import a.b` beside `import a as c` is there to make `c.b`: nobody reads the name that it binds."""
    aliased = set()
    dotted = []
    for draft in state.drafts:
        if draft.imported is not None and not draft.imported.name:
            if draft.imported.depth:
                dotted.append(draft)
            elif draft.name != draft.imported.spec:
                aliased.add(draft.imported.spec.partition(".")[0])
    for draft in dotted:
        if draft.name in aliased:
            draft.flags.add("side_effect")


def _note_keys(state: State, resolver: Resolver) -> None:
    """Note `Tint["RED"]` and `record["field"]` as uses of members where the class is known."""
    for scope, name, steps, key, owner, start in state.keyed:
        if scope is not None and binding_scope(scope, str(name), state.module) is None:
            continue
        for base, path in resolver.bases((scope, name, steps), 0):
            if base > 0 and (path == ("()",) or not path) and state.drafts[base].kind in ("class", "enum", "import"):
                state.refs.setdefault((None, base, (*path, key), owner, "string", ""), start)


def _note_registrations(state: State, resolver: Resolver) -> None:
    """A variant that `@function.register` adds to a function is used by it."""
    for number, draft in enumerate(state.drafts):
        for raw in draft.decorators:
            steps = raw[2][:-1] if raw[2][-1:] == ("()",) else raw[2]
            if steps[-1:] != ("register",) or draft.kind not in ("function", "method", "class"):
                continue
            for base, path in resolver.bases((raw[0], raw[1], steps[:-1]), 0):
                if base > 0 and not path and state.drafts[base].kind in ("function", "method"):
                    state.refs.setdefault((None, number, (), base, "dynamic", ""), draft.start)


def _doubt_computed_members(state: State) -> None:
    """A module whose `__getattr__` looks names up by what it is asked for hands out whatever these are."""
    for number in state.module.defs.get("__getattr__", ()):
        draft = state.drafts[number]
        if draft.kind == "function" and _LOOKS_UP.search(state.text, draft.start, draft.end):
            state.opaque.append((state.drafts[number].start, "module_getattr", "*"))


def _is_within(state: State, owner: int, cls: int) -> bool:
    while owner > 0:
        if owner == cls:
            return True
        owner = state.drafts[owner].parent
    return False


def _definition(draft: Draft, resolver: Resolver, lines: _Lines) -> Definition:
    return Definition(
        name=draft.name,
        kind=draft.kind,
        parent=draft.parent,
        line=lines.at(draft.start),
        end_line=lines.at(max(draft.start, draft.end - 1)),
        name_line=lines.at(draft.name_start),
        flags=frozenset(draft.flags) if draft.flags else _NO_FLAGS,
        parameters=tuple(draft.parameters),
        bases=resolver.all_expressions(draft.bases) if draft.bases else (),
        decorators=resolver.all_expressions(draft.decorators) if draft.decorators else (),
        values=resolver.all_expressions(draft.values) if draft.values else (),
        imported=draft.imported,
    )
