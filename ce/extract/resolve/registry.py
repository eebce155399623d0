"""Which ladder a language has. A ladder's module is imported when a tree first holds a file of its language."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ce.extract.resolve.ladder import Ladder

__all__ = ["LADDERS", "ladder_of"]

# Language to the module that holds its `LADDER`. One line registers a language.
LADDERS: Mapping[str, str] = {
    "python": "ce.extract.resolve.python.ladder",
    "go": "ce.extract.resolve.go.ladder",
    "haskell_source": "ce.extract.resolve.haskell.ladder",
    "haskell": "ce.extract.resolve.haskell.ladder",
    "rust": "ce.extract.resolve.rust.ladder",
    "markdown": "ce.extract.resolve.markdown",
    "astro": "ce.extract.resolve.ecmascript.ladder",
    "javascript": "ce.extract.resolve.ecmascript.ladder",
    "mdx": "ce.extract.resolve.ecmascript.ladder",
    "svelte": "ce.extract.resolve.ecmascript.ladder",
    "tsx": "ce.extract.resolve.ecmascript.ladder",
    "typescript": "ce.extract.resolve.ecmascript.ladder",
    "vue": "ce.extract.resolve.ecmascript.ladder",
    "c_template": "ce.extract.resolve.c_family.ladder",
    "c": "ce.extract.resolve.c_family.ladder",
    "cpp": "ce.extract.resolve.c_family.ladder",
    "html": "ce.extract.resolve.html",
    "java": "ce.extract.resolve.java.ladder",
    "lua": "ce.extract.resolve.lua",
    "r": "ce.extract.resolve.r",
    "rst": "ce.extract.resolve.rst",
}


def ladder_of(language: str) -> Ladder[Any] | None:
    """Return the ladder of a language, None when nothing resolves its sites."""
    name = LADDERS.get(language)
    if name is None:
        return None
    ladder = import_module(name).LADDER
    assert isinstance(ladder, Ladder)
    return ladder
