"""The languages, one module each. `_MODULES` is the line to add for a new one: language name to module and constant."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.extract.spec import LanguageSpec

__all__ = ["LANGUAGES", "language_spec"]

_MODULES = {
    "astro": ("components", "ASTRO"),
    "c": ("c", "C"),
    "c_template": ("c_template", "C_TEMPLATE"),
    "cpp": ("c", "CPP"),
    "go": ("go", "GO"),
    "haskell": ("haskell", "HASKELL"),
    "haskell_source": ("haskell_source", "HASKELL_SOURCE"),
    "html": ("html", "HTML"),
    "java": ("java", "JAVA"),
    "javascript": ("javascript", "JAVASCRIPT"),
    "mdx": ("components", "MDX"),
    "lua": ("lua", "LUA"),
    "markdown": ("markdown", "MARKDOWN"),
    "python": ("python", "PYTHON"),
    "r": ("r", "R"),
    "rst": ("rst", "RST"),
    "rust": ("rust", "RUST"),
    "svelte": ("components", "SVELTE"),
    "text": ("text", "TEXT"),
    "tsx": ("typescript", "TSX"),
    "typescript": ("typescript", "TYPESCRIPT"),
    "vue": ("components", "VUE"),
}

LANGUAGES = tuple(_MODULES)


@cache
def language_spec(name: str) -> LanguageSpec:
    """Return the table of a language; a name without one is a `KeyError`."""
    from ce.extract.spec import LanguageSpec

    module, constant = _MODULES[name]
    spec = getattr(import_module(f"ce.extract.languages.{module}"), constant)
    assert isinstance(spec, LanguageSpec)
    return spec
