"""The names of a TypeScript or JavaScript file, and of the code in components and pages.

Two steps: a walk of the tree declares names in scopes and notes references; then every reference is looked up, because a name may
be declared below its use. What a local variable holds stands in for the local.
"""

from __future__ import annotations

from ce.extract.names.ecmascript_broken import read_broken
from ce.extract.names.ecmascript_markup import read_markup
from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_resolve import resolve
from ce.extract.names.ecmascript_statements import handlers_of, walk
from ce.extract.names.table import NamesTable
from ce.extract.parsing import Parsed

__all__ = ["table_of"]


def table_of(parsed: Parsed) -> NamesTable:
    """Return the names of the file."""
    assert parsed.tree is not None
    reader = Reader(parsed, handlers_of(parsed.spec.grammar))
    walk(reader, parsed.tree.root_node)
    if parsed.tree.root_node.has_error:
        read_broken(reader, parsed.tree.root_node)
    if parsed.language:
        read_markup(reader)
    return resolve(reader)
