"""What was read of a Python file, resolved and put in order."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from io import BytesIO
from itertools import accumulate

from ce.extract.names.model import CALL, COLLECTION, GLOB, UNKNOWN, UNSCOPED, Definition, Expression, FileNames, Use
from ce.extract.names.python_chains import values_of
from ce.extract.names.python_registering import mark_keepers, returns_registering
from ce.extract.names.python_resolve import Resolver, binding_scope
from ce.extract.names.python_state import Draft, State

__all__ = ["finished"]

_LOOKS_UP = re.compile(rb"\b(?:globals|vars|locals|getattr|eval|exec)\s*\(|__dict__")
_NOT_PLAIN = frozenset({"__class__", "__dict__", COLLECTION})  # steps that depend on what stands before them
_NO_FLAGS: frozenset[str] = frozenset()


class _Lines:
    """Lines of byte offsets."""

    def __init__(self, text: bytes) -> None:
        self.ends = list(accumulate(map(len, BytesIO(text))))

    def at(self, offset: int) -> int:
        return bisect_right(self.ends, offset) + 1


def finished(state: State) -> FileNames:
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
    _note_own_members(state)
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
        strings=tuple(sorted((lines.at(start), owner, text) for start, owner, text in _spelled(state))),
        opaque=tuple(sorted((lines.at(start), why, pattern) for start, why, pattern in state.opaque)),
        star_imports=tuple(imported for _, imported in state.star_imports),
        has_unreadable_exports=state.has_unreadable_exports,
    )


def _spelled(state: State) -> list[tuple[int, int, str]]:
    """Return the texts that could spell a name, but not the name of what they make: `Point = namedtuple("Point", "x y")`."""
    drafts = state.drafts
    named = {number for number, draft in enumerate(drafts) if draft.kind in ("variable", "constant", "type_alias")}
    return [(start, owner, text) for (owner, text), start in state.strings.items() if owner not in named or drafts[owner].name != text]


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
            if base >= 0 and not first and len(standing) == 1 and _NOT_PLAIN.isdisjoint(steps):
                key = (owner, base, steps, use, argument)
                if uses.get(key, start) >= start:
                    uses[key] = start
                continue
        for base, path in resolver.bases((scope, name, steps), 0):
            if path[:1] == ("__dict__",) and base > 0 and state.drafts[base].kind == "import":
                path = (f"{GLOB}*",)  # all names of a module
            if base >= 0 or (base == UNSCOPED and path[1:] != (CALL,)):
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
        if len(found) != 1 or found[0][0] <= 0 or found[0][1] not in ((), (CALL,)):
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


def _note_own_members(state: State) -> None:
    """A constant in a class that spells one of its methods names it to whoever it is given to: `self.call_method("render")`."""
    for (owner, text), start in state.strings.items():
        at = owner
        while at > 0:
            scope = state.class_scopes.get(at)
            if scope is not None and any(state.drafts[number].kind == "method" for number in scope.defs.get(text, ())):
                state.refs.setdefault((None, at, (CALL, text), owner, "string", ""), start)
            at = state.drafts[at].parent


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
            if base > 0 and (path == (CALL,) or not path) and state.drafts[base].kind in ("class", "enum", "import"):
                state.refs.setdefault((None, base, (*path, key), owner, "string", ""), start)


def _note_registrations(state: State, resolver: Resolver) -> None:
    """A variant that `@function.register` adds to a function is used by it."""
    for number, draft in enumerate(state.drafts):
        for raw in draft.decorators:
            steps = raw[2][:-1] if raw[2][-1:] == (CALL,) else raw[2]
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
