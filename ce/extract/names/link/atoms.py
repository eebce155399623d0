"""What a path can mean at one of its steps: an atom.

A number is a definition of the tree, as itself, as an instance of it (a class), or as the class after it (`super()`). A text is
something outside: a kind of one letter, a colon and its dotted name; or, after a slash, a directory of modules. A tuple is a collection
of another atom, or a method of one with what calling it gives. None is anything at all.
"""

from __future__ import annotations

from ce.extract.names.link.stdlib import is_stdlib_class, is_stdlib_module, is_stdlib_name, stdlib_has

__all__ = [
    "INSTANCE", "OBJECT", "PLATFORM", "SUPER_OF", "Atom", "called_outside", "collection", "directory_atom", "element_outside",
    "is_instance_outside", "member_of_collection", "member_outside", "module_outside",
]  # fmt: skip

OBJECT = 0
INSTANCE = 1
SUPER_OF = 2

# Collections are nested tuples; the type system has no name for that.
Atom = int | str | tuple[object, ...] | None

# A module; what a platform brings without any import; a class; a thing in one of these; an instance; a result.
_MODULE, _GLOBALS, _CLASS, _OBJECT, _ONE, _ANY = "m", "g", "c", "o", "i", "a"
PLATFORM = f"{_GLOBALS}:builtins"
_LONGEST = 6  # parts of a name outside: longer ones say nothing more, and cycles would make them ever longer
_DEEPEST = 3  # collections in collections
_NAMESPACES = frozenset({
    "console", "process", "document", "navigator", "localStorage", "sessionStorage", "performance", "location", "crypto",
})  # fmt: skip
_GIVE_ELEMENT = frozenset({"get", "pop", "popleft", "setdefault", "at", "shift", "find", "findLast", "next"})
_GIVE_COLLECTION = frozenset({
    "values", "copy", "filter", "slice", "concat", "reverse", "toReversed", "toSorted", "sort", "splice", "difference", "union",
    "intersection",
})  # fmt: skip
_OTHERS = frozenset({
    "add", "append", "appendleft", "clear", "count", "difference_update", "discard", "endswith", "entries", "every", "extend", "flat",
    "forEach", "fromkeys", "has", "includes", "index", "indexOf", "insert", "isdisjoint", "issubset", "issuperset", "items", "join", "keys",
    "length", "map", "move_to_end", "popitem", "push", "reduce", "remove", "set", "size", "some", "startswith", "unshift", "update",
    "delete", "flatMap", "findIndex", "extendleft", "rotate",
})  # fmt: skip


def directory_atom(key: str) -> str:
    """Return the atom of a directory that holds modules and is no package."""
    return "/" + key


def module_outside(name: str) -> str:
    """Return the atom of a module outside of the tree."""
    return f"{_MODULE}:{name}"


def member_outside(atom: str, name: str) -> tuple[Atom, bool]:
    """Return what a member of something outside is, and whether it could as well be a member of something in the tree."""
    kind, whole = atom[0], f"{atom[2:]}.{name}"
    if kind == _MODULE:
        if is_stdlib_name(whole):
            return f"{_MODULE if is_stdlib_module(whole) else _CLASS if is_stdlib_class(whole) else _OBJECT}:{whole}", False
        return f"{_CLASS if _is_class_name(name) else _OBJECT}:{whole}", False
    if kind == _GLOBALS:
        return f"{_CLASS if name[:1].isupper() or name in _NAMESPACES else _OBJECT}:{whole}", False
    if kind == _CLASS:
        return f"{_CLASS if _is_class_name(name) else _OBJECT}:{whole}", False
    if kind == _ONE:
        # What a library makes may stand for something of the tree, as proxies do; what the standard library has is its own.
        return f"{_ANY}:{whole}", not (stdlib_has(atom[2:], name) or _is_of_platform(atom[2:]))
    if whole.count(".") >= _LONGEST:
        return None, True
    return f"{_ANY}:{whole}", True


def called_outside(atom: str) -> Atom:
    """Return what calling something outside gives."""
    return f"{_ONE if atom[0] == _CLASS else _ANY}:{atom[2:]}"


def element_outside(atom: str) -> Atom:
    """Return what an element of something outside is; of a class that takes types it is the class."""
    return atom if atom[0] == _CLASS else f"{_ANY}:{atom[2:]}"


def collection(atom: Atom) -> Atom:
    """Return a collection of something; of one that is nested too deeply nothing is known."""
    depth, inner = 0, atom
    while isinstance(inner, tuple):
        depth, inner = depth + 1, inner[0]  # type: ignore[assignment]  # what is in a collection is an atom
    return None if depth >= _DEEPEST else (atom,)


def member_of_collection(atom: tuple[object, ...], name: str) -> tuple[Atom, bool]:
    """Return what a member of a collection is, and whether it could as well be a member of something in the tree."""
    if len(atom) == 1:
        if name in _GIVE_ELEMENT:
            return (atom[0], name), False
        if name in _GIVE_COLLECTION:
            return (atom, name), False
        if name in _OTHERS or name.startswith("__"):
            return ((None,), name), False
    return None, True


def is_instance_outside(atom: str) -> bool:
    """Tell whether an atom is an instance of a class outside."""
    return atom[0] == _ONE


def _is_of_platform(name: str) -> bool:
    return name.startswith("builtins.") and not is_stdlib_class(name) and name != "builtins.Proxy"


def _is_class_name(name: str) -> bool:
    return name[:1].isupper() and (not name.isupper() or len(name) == 1)
