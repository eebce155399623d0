"""Annotations as text: the names in them, and what a value so annotated is. Quoted and plain ones read the same.

Text and not nodes, because a tree uses few annotations very often: what one says is read once and kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ce.extract.names.model import CALL, COLLECTION

__all__ = ["SELF", "Annotation", "read_annotation"]

_TOKEN = re.compile(
    r"""\s*(?:([^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*)|([bBrRuU]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'))|(.))""", re.DOTALL
)
SELF = "Self"  # as a name of a value: the class around
_MAX_TEXT = 2_000
_MAX_DEPTH = 12
_SAME = frozenset({
    "Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Mapped", "Awaitable",
    "ContextManager", "AsyncContextManager", "AbstractContextManager", "AbstractAsyncContextManager", "SkipValidation",
})  # fmt: skip
_LAST = frozenset({"Coroutine"})
_FIRST_ONLY = frozenset({"Annotated"})
_COLLECTIONS = frozenset({
    "list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Sequence", "MutableSequence", "Iterable", "Iterator",
    "Collection", "deque", "Deque", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "AbstractSet", "MutableSet",
    "KeysView", "ValuesView", "Reversible", "Container",
})  # fmt: skip
_FIRST_OF_COLLECTION = frozenset({"Generator", "AsyncGenerator"})
_MAPPINGS = frozenset({
    "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ChainMap", "WeakValueDictionary",
})  # fmt: skip
_TYPES = frozenset({"type", "Type"})
_ANYTHING = frozenset({"Any", "object", "Callable", "Self"})
_CONSTANTS = frozenset({"None", "True", "False"})

Path = tuple[str, tuple[str, ...]]  # a name and the steps from it


@dataclass(frozen=True, slots=True)
class Annotation:
    """`names` are the paths in it, with whether they are quoted. `values` are what a value of it is: a name with steps.

    An empty name stands for something unknown. `is_call` tells that it holds more than types.
    """

    names: tuple[tuple[str, tuple[str, ...], bool], ...]
    values: tuple[Path, ...]
    is_call: bool = False


@lru_cache(maxsize=20_000)
def read_annotation(text: str) -> Annotation:
    """Return what an annotation says."""
    if len(text) > _MAX_TEXT:
        text = text[:_MAX_TEXT]
    reader = _Reader()
    values = reader.union(_tokens(text), False, 0)
    return Annotation(tuple(dict.fromkeys(reader.names)), tuple(dict.fromkeys(values)), reader.is_call)


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return (kind, text) of the tokens, the next one last: `n` names, `s` strings, `.` anything else."""
    found = []
    for name, string, other in _TOKEN.findall(text):
        if name:
            found.append(("n", "".join(name.split())))
        elif string:
            found.append(("s", string))
        elif other.strip():
            found.append((".", other))
    found.reverse()
    return found


class _Reader:
    def __init__(self) -> None:
        self.names: list[tuple[str, tuple[str, ...], bool]] = []
        self.is_call = False

    def union(self, tokens: list[tuple[str, str]], quoted: bool, depth: int) -> list[Path]:
        """Read `A | B` up to a comma or a closing bracket that is not its own."""
        values: list[Path] = []
        while tokens:
            kind, text = tokens[-1]
            if kind == "." and text in ",])":
                break
            tokens.pop()
            if kind == "n":
                values += self.named(text, tokens, quoted, depth)
            elif kind == "s" and depth < _MAX_DEPTH:
                values += self.union(_tokens(text.lstrip("bBrRuU").strip("\"'")), True, depth + 1)
            elif text == "[":
                for one in self.arguments(tokens, quoted, depth):
                    values += one
            elif text == "(":
                self.is_call = True
                self.skip(tokens, quoted)
        return values

    def named(self, text: str, tokens: list[tuple[str, str]], quoted: bool, depth: int) -> list[Path]:
        name, _, rest = text.partition(".")
        steps = tuple(rest.split(".")) if rest else ()
        last = steps[-1] if steps else name
        if name not in _CONSTANTS:
            self.names.append((name, steps, quoted))
        given: list[list[Path]] | None = None
        if tokens and tokens[-1] == (".", "["):
            tokens.pop()
            if last == "Literal":
                _skip_strings(tokens)
                return []
            given = self.arguments(tokens, quoted, depth)
        if name in _CONSTANTS:
            return []
        if last in _ANYTHING:
            return [(SELF, (CALL,)) if last == "Self" else ("", ())]
        return [(name, (*steps, CALL))] if given is None else _generic(name, steps, last, given)

    def arguments(self, tokens: list[tuple[str, str]], quoted: bool, depth: int) -> list[list[Path]]:
        """Read what stands in brackets, and the closing bracket."""
        found: list[list[Path]] = []
        if depth >= _MAX_DEPTH:
            self.skip(tokens, quoted)
            return found
        while tokens:
            found.append(self.union(tokens, quoted, depth + 1))
            if not tokens or tokens.pop() != (".", ","):
                break
        return found

    def skip(self, tokens: list[tuple[str, str]], quoted: bool) -> None:
        """Read up to the end of the bracket that is open, for its names alone."""
        level = 1
        while tokens and level:
            kind, text = tokens.pop()
            if kind == "n" and text not in _CONSTANTS:
                name, *steps = text.split(".")
                self.names.append((name, tuple(steps), quoted))
            elif kind == ".":
                level += (text in "[(") - (text in "])")


def _generic(name: str, steps: tuple[str, ...], last: str, given: list[list[Path]]) -> list[Path]:
    if last in _SAME:
        chosen = given[:1] if last in _FIRST_ONLY else given
        return [value for one in chosen for value in one]
    if last in _LAST:
        return given[-1] if given else []
    if last in _COLLECTIONS:
        chosen = given[:1] if last in _FIRST_OF_COLLECTION else given
        return [(base, (*path, COLLECTION)) for one in chosen for base, path in one]
    if last in _MAPPINGS:
        return [(base, (*path, COLLECTION)) for one in given[1:] for base, path in one]
    if last in _TYPES:
        return [(base, path[:-1] if path[-1:] == (CALL,) else path) for one in given for base, path in one]
    return [(name, (*steps, CALL))]


def _skip_strings(tokens: list[tuple[str, str]]) -> None:
    level = 1
    while tokens and level:
        kind, text = tokens.pop()
        if kind == ".":
            level += (text in "[(") - (text in "])")
