"""What was read of a Python file, resolved and put in order."""

from __future__ import annotations

import re
from bisect import bisect_right
from io import BytesIO
from itertools import accumulate

from ce.extract.names.model import CALL, COLLECTION, GLOB, UNKNOWN, UNSCOPED
from ce.extract.names.python_chains import values_of
from ce.extract.names.python_registering import mark_keepers, returns_registering
from ce.extract.names.python_resolve import Resolver, binding_scope
from ce.extract.names.python_state import State
from ce.extract.names.table import NamesTable, TableWriter

__all__ = ["finished"]

_LOOKS_UP = re.compile(rb"\b(?:globals|vars|locals|getattr|eval|exec)\s*\(|__dict__")
_NOT_PLAIN = frozenset({"__class__", "__dict__", COLLECTION})  # steps that depend on what stands before them

_Use = tuple[int, int, tuple[str, ...], str, str]  # owner, base, steps, kind, argument


class _Lines:
    """Lines of byte offsets."""

    def __init__(self, text: bytes) -> None:
        self.ends = list(accumulate(map(len, BytesIO(text))))

    def at(self, offset: int) -> int:
        return bisect_right(self.ends, offset) + 1


def finished(state: State) -> NamesTable:
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
    uses, places = _uses(state, resolver, lines)
    writer = TableWriter()
    _define(state, resolver, lines, writer)
    writer.add_uses(uses, places)
    return writer.finish(
        strings=sorted([(lines.at(start), owner, text) for start, owner, text in _spelled(state)]),
        opaque=sorted([(lines.at(start), why, pattern) for start, why, pattern in state.opaque]),
        stars=[imported for _, imported in state.star_imports],
        problems=(),
        has_unreadable_exports=state.has_unreadable_exports,
    )


def _spelled(state: State) -> list[tuple[int, int, str]]:
    """Return the texts that could spell a name, but not that of what they make, or stand in: `Point = namedtuple("Point", "x y")`."""
    drafts = state.drafts
    named = {number for number, draft in enumerate(drafts) if draft.kind in ("variable", "constant", "type_alias")}
    spelled = {key: start for key, start in state.strings.items() if key[0] not in named or drafts[key[0]].name != key[1]}
    for (owner, text), start in state.mentions.items():
        if not _is_inside(state, owner, text):
            spelled.setdefault((owner, text), start)
    return [(start, owner, text) for (owner, text), start in spelled.items()]


def _is_inside(state: State, number: int, name: str) -> bool:
    """Tell whether the definition, or one around it, has the name: a text about itself says nothing of its use."""
    while number > 0:
        if state.drafts[number].name == name:
            return True
        number = state.drafts[number].parent
    return False


def _uses(state: State, resolver: Resolver, lines: _Lines) -> tuple[list[_Use], list[int]]:
    """Return the references resolved, each once, and their first lines."""
    uses: dict[_Use, int] = {}
    first_of = uses.setdefault
    for (scope, name, steps, owner, use, argument), start in state.refs.items():
        if scope is None:
            found = resolver.bases((scope, name, steps), 0)
        else:
            assert isinstance(name, str)
            standing, is_local = scope.known.get(name) or resolver.standing(scope, name)
            if is_local and not steps:
                continue
            base, first = standing[0]
            if len(standing) > 1 or (base == UNSCOPED and name == "super"):
                found = resolver.bases((scope, name, steps), 0)
            elif base >= 0 and not first and _NOT_PLAIN.isdisjoint(steps):
                key = (owner, base, steps, use, argument)
                if first_of(key, start) > start:
                    uses[key] = start
                continue
            else:
                found = [resolver.continued(base, first, steps)]
        for base, path in found:
            if path[:1] == ("__dict__",) and base > 0 and state.drafts[base].kind == "import":
                path = (f"{GLOB}*",)  # all names of a module
            if base >= 0 or (base == UNSCOPED and path[1:] != (CALL,)):
                key = (owner, base, path, use, argument)
                if first_of(key, start) > start:
                    uses[key] = start
            elif base == UNKNOWN:
                last = len(path) - 1
                for index, step in enumerate(path):
                    key = (owner, UNKNOWN, (step,), use if index == last else "read", "")
                    if first_of(key, start) > start:
                        uses[key] = start
    rows = sorted([(use[0], start, use) for use, start in uses.items()])
    ends = lines.ends
    return [use for _, _, use in rows], [bisect_right(ends, start) + 1 for _, start, _ in rows]


def _define(state: State, resolver: Resolver, lines: _Lines, writer: TableWriter) -> None:
    """Write the definitions, each with what its paths mean."""
    drafts, meanings = state.drafts, resolver.meanings
    meant = [(meanings(draft.bases), meanings(draft.decorators), meanings(draft.values)) for draft in drafts]
    returns_registering(state, [[base for base, steps in values if base > 0 and not steps] for _, _, values in meant])
    ends = lines.ends
    for draft, (bases, decorators, values) in zip(drafts, meant, strict=True):
        start, end = draft.start, draft.end - 1
        line = bisect_right(ends, start) + 1
        places = (line, bisect_right(ends, end) + 1 if end > start else line, bisect_right(ends, draft.name_start) + 1)
        writer.define(
            draft.name, draft.kind, draft.parent, places, draft.flags, draft.parameters, bases, decorators, values, draft.imported
        )


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
