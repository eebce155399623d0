"""Which code made what is in the index: results of other code are never taken for ours.

The revisions follow the text of the modules, so that nobody has to remember to raise a number; the number in a
layer is for people.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

__all__ = ["answer_revision", "extraction_revision", "facts_revision"]

_PACKAGE = Path(__file__).resolve().parent.parent
# Code of the extraction that looks at all files together.
_OF_TREES = ("extract/resolve", "extract/names/link", "extract/names/data")
_GRAMMARS = ("tree_sitter-", "tree_sitter_language_pack-")


@cache
def extraction_revision() -> str:
    """Return a text that changes with the code and the grammars that measure one file."""
    return _digest(("extract", "source"), _OF_TREES, _grammar_versions())


@cache
def facts_revision() -> str:
    """Return a text that changes with the code that resolves references and assembles relations."""
    return _digest((*_OF_TREES, "facts", "source"), (), "", ("app/providers.py", "app/symbols.py", "app/tree_facts.py"))


@cache
def answer_revision() -> str:
    """Return a text that changes with the code that derives answers from relations and makes reports of them."""
    return _digest(("app", "datalog", "verdicts"), (), "")


def _digest(folders: tuple[str, ...], without: tuple[str, ...], more: str, files: tuple[str, ...] = ()) -> str:
    state = blake2b(f"{sys.version_info[:2]} {more}".encode(), digest_size=16)
    paths = [os.path.join(_PACKAGE, file) for file in files]
    left_out = {os.path.join(_PACKAGE, folder) for folder in without}
    for folder in folders:
        for directory, inner, names in os.walk(_PACKAGE / folder):
            inner[:] = [name for name in inner if name != "__pycache__" and os.path.join(directory, name) not in left_out]
            paths += [os.path.join(directory, name) for name in names]
    for path in sorted(paths):
        with open(path, "rb") as file:
            data = file.read()
        state.update(f"{path[len(os.fspath(_PACKAGE)) :]}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return state.hexdigest()


def _grammar_versions() -> str:
    """Return the names of the installed distributions of the grammars, which carry their versions."""
    found: set[str] = set()
    for entry in sys.path:
        try:
            found.update(name for name in os.listdir(entry or ".") if name.startswith(_GRAMMARS) and name.endswith(".dist-info"))
        except OSError:
            continue
    return " ".join(sorted(found))
