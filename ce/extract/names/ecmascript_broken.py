"""What does not parse: every word there counts as a use of whatever the file calls so.

Newer syntax than the grammar's leaves errors in the tree, and around them words end up where no scope is told. Nothing may die of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import VALUE
from ce.extract.names.model import MODULE, UNKNOWN
from ce.extract.parsing import grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["read_broken"]

_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_MAX_WORDS = 20_000
# What holds statements or members side by side: an error in one of them is no error in the others.
_HOLDERS = frozenset({"program", "class_body", "statement_block", "interface_body", "object", "object_type", "switch_body", "enum_body"})
_WHOLE = re.compile(
    r".*_(?:statement|declaration)|comment|hash_bang_line|statement_block|class|internal_module|module|import_alias|.*signature"
)


def read_broken(r: Reader, root: Node) -> None:
    """Note the words of a tree with errors that stand in or beside them."""
    known: dict[str, list[int]] = {}
    for number, draft in enumerate(r.drafts):
        known.setdefault(draft.name, []).append(number)
    seen: set[bytes] = set()
    for start, end in _regions(r, root):
        for match in _WORD.finditer(r.data, start, end):
            word = match.group()
            if word in seen or len(seen) > _MAX_WORDS:
                continue
            seen.add(word)
            name = word.decode("utf-8", "replace")
            for number in known.get(name, ()):
                r.use(MODULE, "read", match.start(), (None, number, (), VALUE))
            r.use(MODULE, "read", match.start(), (None, UNKNOWN, (name,), VALUE))


@cache
def _errors(name: str) -> Query:
    from tree_sitter import Query

    return Query(grammar(name), "(ERROR) @error")


def _regions(r: Reader, root: Node) -> Iterator[tuple[int, int]]:
    """Yield the byte ranges of errors with what directly holds them, and of what is no statement where statements stand."""
    from tree_sitter import QueryCursor

    errors = QueryCursor(_errors(r.parsed.spec.grammar)).captures(root).get("error", [])
    for node in sorted(errors, key=lambda error: (error.start_byte, -error.end_byte)):  # a query gives them in no order
        parent = node.parent
        whole = node if parent is None or parent.type in _HOLDERS else parent
        yield whole.start_byte, whole.end_byte
    for child in root.named_children:
        if not _WHOLE.fullmatch(child.type):
            yield child.start_byte, child.end_byte
