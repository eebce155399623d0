"""References against the scopes of the whole file: which definition, or which value of a local name, a path starts at."""

from __future__ import annotations

from ce.extract.names.model import CALL, COLLECTION, ELEMENT, GLOB, SUPER, UNKNOWN, UNSCOPED
from ce.extract.names.python_state import CLASS_SCOPE, LITERAL_BASE, TYPE_SCOPE, Raw, Scope, State

__all__ = ["Resolver"]

_MAX_DEPTH = 10  # values of values
_MAX_ALTERNATIVES = 8
_MAX_STEPS = 24
_ANYWAY = (CALL, ELEMENT, COLLECTION)
Base = tuple[int, tuple[str, ...]]
Standing = tuple[list[Base], bool]

_BUILTIN_TYPES = frozenset({
    "str", "bytes", "int", "float", "bool", "complex", "list", "dict", "set", "frozenset", "tuple", "bytearray", "range", "slice", "len",
    "repr", "hash", "id", "open", "isinstance", "issubclass", "any", "all", "ord", "chr", "hex", "oct", "bin", "print", "input", "callable",
    "hasattr", "format", "round", "divmod", "sorted", "ascii", "memoryview", "dir", "abs",
})  # fmt: skip
_TEXT_METHODS = frozenset({
    "format", "join", "strip", "lstrip", "rstrip", "lower", "upper", "replace", "encode", "decode", "title", "capitalize", "casefold",
    "center", "expandtabs", "ljust", "rjust", "removeprefix", "removesuffix", "swapcase", "translate", "zfill", "startswith", "endswith",
    "find", "rfind", "index", "rindex", "count", "isdigit", "isalpha", "isalnum", "isspace", "isidentifier", "islower", "isupper",
    "isnumeric", "isdecimal", "istitle", "isprintable", "isascii", "split", "rsplit", "splitlines", "partition", "rpartition", "hex",
    "bit_length", "to_bytes", "as_integer_ratio", "is_integer", "conjugate", "keys", "copy",
})  # fmt: skip
_BUILTIN_METHODS = _TEXT_METHODS | {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "get", "items", "values", "update", "setdefault",
    "popitem", "fromkeys", "add", "discard", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    "isdisjoint", "intersection_update", "difference_update", "symmetric_difference_update", "read", "write", "readline", "readlines",
    "writelines", "close", "flush", "seek", "tell", "format_map", "maketrans", "real", "imag", "numerator", "denominator", "bit_count",
    "fromhex", "from_bytes",
}  # fmt: skip


class Resolver:
    """Resolves the paths of one file; what a name stands for is worked out once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._known: dict[tuple[int, str], Standing] = {}
        self._open: set[tuple[int, str]] = set()
        self._continued: dict[tuple[int, tuple[str, ...], tuple[str, ...]], Base] = {}

    def meanings(self, raws: list[Raw]) -> list[Base]:
        """Return what paths mean, each thing once; literals are left out."""
        if not raws:
            return []
        found = dict.fromkeys([one for raw in raws for one in self.bases(raw, 0)])
        return [one for one in found if one[0] != LITERAL_BASE]

    def bases(self, raw: Raw, depth: int) -> list[Base]:
        """Return the alternatives of a path, literals among them."""
        scope, name, steps = raw
        if scope is None:
            assert isinstance(name, int)
            return [self.continued(name, (), steps)]
        assert isinstance(name, str)
        found: dict[Base, None] = {}
        for base, first in self.standing(scope, name, depth)[0]:
            if base == UNSCOPED and name == "super" and steps[:1] == (CALL,):
                return [(scope.cls, (SUPER, *steps[1:]))] if scope.cls > 0 else [(UNKNOWN, steps[1:])]
            found[self.continued(base, first, steps)] = None
        return list(found)

    def continued(self, base: int, first: tuple[str, ...], more: tuple[str, ...]) -> Base:
        """Return a path with further steps; steps that undo each other are gone."""
        if not first and base >= 0 and "__class__" not in more and COLLECTION not in more and len(more) < _MAX_STEPS:
            return base, more
        key = (base, first, more)
        known = self._continued.get(key)
        if known is None:
            known = self._continued[key] = _continued(base, first, more)
        return known

    def standing(self, scope: Scope, name: str, depth: int = 0) -> Standing:
        """Return what a name can stand for when it is read in a scope, and whether it is no definition.

        Reading such a name alone uses nothing that giving it its value did not.
        """
        here = scope.known.get(name)
        if here is None:
            here = scope.known[name] = self._bound(scope, name, depth)
        return here

    def _bound(self, scope: Scope, name: str, depth: int) -> Standing:
        at = binding_scope(scope, name, self.state.module)
        if at is None:
            return [(scope.cls, ()) if name == "__class__" and scope.cls > 0 else (UNSCOPED, (name,))], False
        key = (id(at), name)
        known = self._known.get(key)
        if known is not None:
            return known
        numbers = at.defs.get(name, ())
        if len(numbers) == 1 and at.kind != CLASS_SCOPE:
            self._known[key] = known = [(numbers[0], ())], False
            return known
        found: dict[Base, None] = {(number, ()): None for number in numbers}
        if name in at.values and not found:
            if key in self._open or depth >= _MAX_DEPTH:
                return [(UNKNOWN, ())], True
            self._open.add(key)
            for value in at.values[name] or [(None, UNKNOWN, ())]:
                for one in self.bases(value, depth + 1):
                    found[one] = None
            self._open.discard(key)
        if at is scope and at.kind == CLASS_SCOPE and at.parent is not None:
            # Before it is bound in the class, the name is that of the scopes around.
            outer = binding_scope(at.parent, name, self.state.module)
            found.update({(number, ()): None for number in outer.defs.get(name, ())} if outer is not None else {})
        result = list(found)
        is_local = name not in at.defs
        if len(result) > _MAX_ALTERNATIVES and is_local:
            result = [*result[: _MAX_ALTERNATIVES - 1], (UNKNOWN, ())]
        # What was cut short because it is made from itself is kept so, too: with something unknown in it.
        self._known[key] = result, is_local
        return result, is_local


def binding_scope(scope: Scope, name: str, module: Scope) -> Scope | None:
    """Return the scope that a name read in a scope is bound in, or None when no scope of the file binds it."""
    at: Scope | None = scope
    sees_class = True
    while at is not None:
        if name in at.globals:
            return module if module.binds(name) else None
        if (at.kind != CLASS_SCOPE or sees_class) and name not in at.nonlocals and (name in at.values or name in at.defs):
            return at
        sees_class = sees_class and at.kind == TYPE_SCOPE
        at = at.parent
    return None


def _continued(base: int, first: tuple[str, ...], more: tuple[str, ...]) -> Base:
    steps = list(first)
    for step in more:
        if (step == ELEMENT and steps and steps[-1] == COLLECTION) or (step == "__class__" and steps and steps[-1] == CALL):
            steps.pop()
        else:
            steps.append(step)
    if base == LITERAL_BASE and steps:
        return _of_literal(steps)
    if base == UNSCOPED and len(steps) > 2 and steps[1] == CALL and steps[0] in _BUILTIN_TYPES:
        if COLLECTION not in steps:
            return _of_literal(steps[2:])
        last = len(steps) - 1 - steps[::-1].index(COLLECTION)
        if last + 1 < len(steps):
            return _of_literal(steps[last + 1 :])
    if base == UNKNOWN and COLLECTION in steps:
        # A collection of things that nothing is known of: its own members are known.
        last = len(steps) - 1 - steps[::-1].index(COLLECTION)
        return _continued(UNSCOPED, ("list", CALL), tuple(steps[last + 1 :]))
    if base == UNKNOWN:
        return UNKNOWN, tuple(step for step in steps if step not in _ANYWAY)
    if len(steps) > _MAX_STEPS:
        return UNKNOWN, (steps[-1],)
    return base, tuple(steps)


def _of_literal(steps: list[str]) -> Base:
    """Return what is known of members of a value of a built-in type: nothing of the tree, as long as it stays one."""
    at = 0
    while at < len(steps):
        step = steps[at]
        if step in (CALL, ELEMENT, COLLECTION):
            return UNKNOWN, tuple(step for step in steps[at:] if step not in _ANYWAY)
        if step not in _BUILTIN_METHODS:
            return UNKNOWN, tuple(step for step in steps[at:] if step not in _ANYWAY)
        if at + 1 == len(steps):
            return LITERAL_BASE, ()
        if steps[at + 1] != CALL or step not in _TEXT_METHODS:
            return UNKNOWN, tuple(step for step in steps[at + 1 :] if step not in _ANYWAY)
        at += 2
    return LITERAL_BASE, ()


assert GLOB
