"""The names of a piece of Python as text, for tests."""

from __future__ import annotations

from ce.extract.languages import language_spec
from ce.extract.names.model import UNKNOWN, UNSCOPED, Definition, Expression, FileNames
from ce.extract.names.registry import names_of
from ce.extract.parsing import Parsed, parse

__all__ = ["bases", "definition", "flags", "kinds", "read", "uses", "uses_of", "values"]


def read(source: str | bytes, path: str = "m.py") -> FileNames:
    """Return the names of a source."""
    parsed = parse(path, language_spec("python"), source if isinstance(source, bytes) else source.encode())
    assert isinstance(parsed, Parsed)
    return names_of(parsed)


def _qualified(names: FileNames, number: int) -> str:
    parts = []
    while number > 0:
        parts.append(names.definitions[number].name)
        number = names.definitions[number].parent
    return ".".join(reversed(parts)) or "<module>"


def _spelled(names: FileNames, path: Expression) -> str:
    base = {UNKNOWN: "?", UNSCOPED: "!"}.get(path.base) or _qualified(names, path.base)
    return " ".join((base, *path.steps))


def uses(names: FileNames, kind: str = "") -> set[str]:
    """Return `owner -> path` of all uses, of one kind if it is given. A path is its base, then its steps; `?` is unknown, `!` unscoped."""
    return {
        f"{_qualified(names, use.owner)} -> {_spelled(names, use.target)}" for use in names.uses if not kind or use.kind == kind
    }  # fmt: skip


def uses_of(source: str, kind: str = "") -> set[str]:
    """Return the uses of a source."""
    return uses(read(source), kind)


def definition(names: FileNames, qualified: str) -> Definition:
    """Return the first definition of that qualified name."""
    return next(one for number, one in enumerate(names.definitions) if _qualified(names, number) == qualified)


def kinds(names: FileNames) -> dict[str, str]:
    """Return the kind of each definition but the module, by its qualified name."""
    return {_qualified(names, number): one.kind for number, one in enumerate(names.definitions) if number}


def flags(names: FileNames, qualified: str) -> set[str]:
    """Return the flags of a definition."""
    return set(definition(names, qualified).flags)


def values(names: FileNames, qualified: str) -> set[str]:
    """Return the values of a definition."""
    return {_spelled(names, path) for path in definition(names, qualified).values}


def bases(names: FileNames, qualified: str) -> list[str]:
    """Return the bases of a class."""
    return [_spelled(names, path) for path in definition(names, qualified).bases]
