"""Which module tells the names of a file, by language."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from ce.extract.names.model import FileNames
from ce.extract.names.table import NamesTable, file_names
from ce.extract.parsing import Parsed

__all__ = ["has_names", "is_spelled", "names_of", "table_of"]

_ECMASCRIPT = "ce.extract.names.ecmascript:table_of"
_SPELLED = "ce.extract.names.spelled:table_of"
_MODULES = {
    "python": "ce.extract.names.python:table_of",
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "vue": _ECMASCRIPT,
    "svelte": _ECMASCRIPT,
    "astro": _ECMASCRIPT,
    "mdx": _ECMASCRIPT,
    "rust": _SPELLED,
    "go": _SPELLED,
    "java": _SPELLED,
    "c": _SPELLED,
    "cpp": _SPELLED,
    "haskell": _SPELLED,
    "lua": _SPELLED,
    "r": _SPELLED,
}


def has_names(language: str) -> bool:
    """Tell whether the names of files in the language are told."""
    return language in _MODULES


def is_spelled(language: str) -> bool:
    """Tell whether names of the language are followed by spelling, so that its declarations are those of the core layer."""
    return _MODULES.get(language) == _SPELLED


def table_of(parsed: Parsed) -> NamesTable:
    """Return the names of a file in a language that has them, as columns."""
    return _function(parsed.language or parsed.spec.name)(parsed)


def names_of(parsed: Parsed) -> FileNames:
    """Return the names of a file in a language that has them."""
    return file_names(table_of(parsed))


@cache
def _function(language: str) -> Callable[[Parsed], NamesTable]:
    module, _, name = _MODULES[language].partition(":")
    found: Callable[[Parsed], NamesTable] = getattr(import_module(module), name)
    return found
