"""The kinds of values that a key of `ce.toml` can have, as fields of frozen dataclasses.

Each function returns a dataclass field whose metadata carries a `Key`: what the reference page says about it and how a
TOML value is read. So the dataclass that uses the value is also the one place that declares it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import Any, TypeVar, cast

from ce.source.globs import fault_of

__all__ = [
    "InvalidValue",
    "Key",
    "choice",
    "directories_by_language",
    "flag",
    "globs",
    "integer",
    "integers_by_name",
    "key_of",
    "optional_integer",
    "path",
    "paths",
    "records",
    "suggestion",
    "text",
    "texts",
]

_LARGEST = 2**63 - 1
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key:
    """A key as declared: its name in the file when that is not the field's, its type, default and meaning in words, its reader."""

    type_name: str
    default: str
    meaning: str
    read: Callable[[object], object]
    name: str = ""
    record: type | None = None


class InvalidValue(ValueError):
    """A TOML value that its key does not take; `inside` leads from the key to the part that is wrong."""

    def __init__(self, message: str, *, code: str = "CE505", notes: Sequence[str] = (), inside: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.code, self.notes, self.inside = message, code, tuple(notes), inside


def key_of(declared: Field[Any]) -> Key | None:
    """Return the key that a dataclass field declares, None for a field that is a table."""
    return cast("Key | None", declared.metadata.get("key"))


def integer(default: int, meaning: str, *, minimum: int = 0) -> int:
    """Declare an integer that is at least `minimum`."""
    return field(default=default, metadata=_declare(f"integer ≥ {minimum}", str(default), meaning, lambda value: _integer(value, minimum)))


def optional_integer(meaning: str) -> int | None:
    """Declare a non-negative integer that may be unset."""
    return field(default=None, metadata=_declare("integer ≥ 0", "unset", meaning, lambda value: _integer(value, 0)))


def text(default: str, meaning: str) -> str:
    """Declare a non-empty string."""
    return field(default=default, metadata=_declare("text", default or "unset", meaning, _text))


def choice(default: str, words: tuple[str, ...], meaning: str) -> str:
    """Declare one of a few words."""

    def read(value: object) -> str:
        word = _text(value)
        if word not in words:
            raise InvalidValue(f"`{word}` is not one of {_listed(words)}", notes=suggestion(word, words))
        return word

    return field(default=default, metadata=_declare(" or ".join(f"`{word}`" for word in words), default or "unset", meaning, read))


def flag(default: bool, meaning: str) -> bool:
    """Declare true or false."""
    return field(default=default, metadata=_declare("true or false", str(default).lower(), meaning, _flag))


def texts(meaning: str) -> tuple[str, ...]:
    """Declare a list of non-empty strings."""
    return field(default=(), metadata=_declare("list of texts", "none", meaning, lambda value: _list(value, _text)))


def path(meaning: str) -> str:
    """Declare a root-relative path."""
    return field(default="", metadata=_declare("path", "unset", meaning, _path))


def paths(meaning: str) -> tuple[str, ...]:
    """Declare a list of root-relative paths."""
    return field(default=(), metadata=_declare("list of paths", "none", meaning, lambda value: _list(value, _path)))


def globs(meaning: str, *, inclusion: bool = False) -> tuple[str, ...]:
    """Declare a list of globs. In a list of inclusions `dir/` means the files below the directory."""

    def read(value: object) -> str:
        glob = _text(value)
        fault = fault_of(glob)
        if fault is not None:
            raise InvalidValue(f"`{glob}` is not a glob: {fault[0]}", code="CE506", notes=fault[1:])
        return glob + "**" if inclusion and glob.endswith("/") else glob

    return field(default=(), metadata=_declare("list of globs", "none", meaning, lambda value: _list(value, read)))


def directories_by_language(languages: tuple[str, ...], meaning: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Declare a table from language to directories."""

    def read(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
        table = _table(value, languages)
        return tuple((language, _within(language, lambda value: _list(value, _path), table[language])) for language in sorted(table))

    type_name = f"table from {_listed(languages)} to a list of directories"
    return field(default=(), metadata=_declare(type_name, "none", meaning, read))


def integers_by_name(names: tuple[str, ...], meaning: str) -> tuple[tuple[str, int], ...]:
    """Declare a table from known names to non-negative integers."""

    def read(value: object) -> tuple[tuple[str, int], ...]:
        table = _table(value, names)
        return tuple((name, _within(name, lambda value: _integer(value, 0), table[name])) for name in sorted(table))

    return field(default=(), metadata=_declare(f"table from {_listed(names)} to integers", "none", meaning, read))


def records(name: str, record: type[T], meaning: str, *, maximum: int) -> tuple[T, ...]:
    """Declare an array of tables, each read as a `record`."""

    def read(value: object) -> object:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise InvalidValue(f"an array of tables is expected, found {_kind(value)}")
        if len(value) > maximum:
            raise InvalidValue(f"{len(value)} classes, at most {maximum} are possible", code="CE508")
        return value

    return field(default=(), metadata=_declare(f"array of at most {maximum} tables", "none", meaning, read, name, record))


def _declare(
    type_name: str, default: str, meaning: str, read: Callable[[object], object], name: str = "", record: type | None = None
) -> dict[str, Key]:
    return {"key": Key(type_name, default, meaning, read, name, record)}


def _integer(value: object, minimum: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValue(f"an integer is expected, found {_kind(value)}")
    if not minimum <= value <= _LARGEST:
        raise InvalidValue(f"an integer from {minimum} to {_LARGEST} is expected, found {value}")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"true or false is expected, found {_kind(value)}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"text is expected, found {_kind(value)}")
    if not value.strip():
        raise InvalidValue("the text is empty")
    return value


def _path(value: object) -> str:
    written = _text(value)
    if "\\" in written or "\0" in written:
        raise InvalidValue(f"`{written}` contains a backslash or a NUL", notes=("separate directories with `/`",))
    if written.startswith("/") or ".." in written.split("/"):
        raise InvalidValue(f"`{written}` leads out of the root", notes=("paths are relative to the root",))
    parts = [part for part in written.split("/") if part not in ("", ".")]
    return "/".join(parts) or "."


def _list(value: object, read: Callable[[object], T]) -> tuple[T, ...]:
    if not isinstance(value, list):
        raise InvalidValue(f"a list is expected, found {_kind(value)}", notes=("write it in brackets",) if isinstance(value, str) else ())
    return tuple(_within(index, read, item) for index, item in enumerate(value))


def _table(value: object, names: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InvalidValue(f"a table is expected, found {_kind(value)}")
    for name in value:
        if name not in names:
            raise InvalidValue(f"unknown key `{name}`", code="CE504", notes=suggestion(name, names), inside=(name,))
    return value


def _within(step: str | int, read: Callable[[object], T], value: object) -> T:
    try:
        return read(value)
    except InvalidValue as invalid:
        invalid.inside = (step, *invalid.inside)
        raise


def _kind(value: object) -> str:
    kinds = {bool: "a boolean", int: "an integer", float: "a float", str: "text", list: "a list", dict: "a table"}
    return kinds.get(type(value), "a date or time")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def suggestion(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return a note that names the nearest known word, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1, cutoff=0.5)
    return (f"did you mean `{near[0]}`?",) if near else (f"known: {_listed(known)}",)
