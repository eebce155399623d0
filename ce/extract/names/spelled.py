"""Names of languages that are followed by spelling: where a file spells which identifier.

No scopes are followed, so nothing is claimed about which namesake is meant; what the table of the language says about declarations is
joined when the tree is linked (`ce.extract.names.declared`). Declarations without a body, lists of imports that are
spelled again where they are used, and lists of exports are no uses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.languages import language_spec
from ce.extract.names.model import MODULE, UNKNOWN, Definition, Expression, FileNames, Use
from ce.extract.names.table import NamesTable, names_table
from ce.extract.parsing import MAX_DEPTH, Parsed, grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["SPELLED_LANGUAGES", "names_of", "table_of"]

_IDENTIFIER = re.compile(r"[^\W\d][\w.']*")
_IN_TEXT = re.compile(rb"[A-Za-z_]\w*")
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The leaves that are identifiers, those of texts, and queries for what is left out: `@skip` with all in it, `@bare` alone.

    `raw` are kinds whose text the grammar leaves unread.
    """

    names: tuple[str, ...]
    strings: tuple[str, ...]
    left_out: str = ""
    raw: tuple[str, ...] = ()


_C = _Spelling(
    names=("identifier", "type_identifier", "field_identifier"),
    strings=("string_content",),
    left_out="""
        (declaration declarator: (function_declarator declarator: (identifier) @bare))
        (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @bare)))
    """,
    raw=("preproc_arg",),
)

SPELLED_LANGUAGES: Mapping[str, _Spelling] = {
    "rust": _Spelling(
        names=("identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"),
        strings=("string_content",),
        left_out="(use_declaration . argument: [(scoped_identifier) (scoped_use_list) (identifier) (use_list)] @skip)",
    ),
    "go": _Spelling(("identifier", "type_identifier", "field_identifier"), ("interpreted_string_literal_content",)),
    "java": _Spelling(("identifier", "type_identifier"), ("string_fragment",), "(import_declaration) @skip"),
    "c": _C,
    "cpp": _Spelling(
        (*_C.names, "namespace_identifier"),
        _C.strings,
        _C.left_out + "(field_declaration declarator: (function_declarator declarator: (field_identifier) @bare))",
        _C.raw,
    ),
    "haskell": _Spelling(
        ("variable", "constructor", "name", "operator", "constructor_operator"),
        ("string",),
        "(signature name: (variable) @bare) (exports) @skip (import) @skip",
    ),
    "lua": _Spelling(("identifier",), ("string_content",)),
    "r": _Spelling(("identifier",), ("string_content",)),
}


def table_of(parsed: Parsed) -> NamesTable:
    """Return where a file spells which identifier, as columns."""
    return names_table(names_of(parsed))


def names_of(parsed: Parsed) -> FileNames:
    """Return where a file spells which identifier: one use of an unknown base per name and line, all by the body of the file."""
    last = parsed.text.count(b"\n") + 1
    body = Definition("", "module", -1, 1, last, 1)
    if parsed.tree is None:
        return FileNames((body,))
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(parsed.spec.name))
    if parsed.is_deep:
        cursor.set_max_start_depth(MAX_DEPTH)
    captures = cursor.captures(parsed.tree.root_node)
    found: dict[tuple[int, str], str] = {}
    skipped = _Ranges(parsed, captures.get("skip", []))
    bare = {node.start_byte for node in captures.get("bare", ())}
    text = parsed.text
    for node in captures.get("string", ()):
        spelled = text[node.start_byte : node.end_byte].decode("utf-8", "replace").strip("\"'")
        if len(spelled) <= _MAX_NAME and _IDENTIFIER.fullmatch(spelled):
            found[node.start_point[0] + 1, spelled] = "string"
    for node in captures.get("raw", ()):
        first = node.start_point[0] + 1
        for match in _IN_TEXT.finditer(text, node.start_byte, node.end_byte):
            line = first + text.count(b"\n", node.start_byte, match.start())
            found[line, match.group().decode()] = "read"
    for node in captures.get("name", ()):
        start, end = node.start_byte, node.end_byte
        if end - start <= _MAX_NAME and start not in bare and not skipped.hold(start):
            found[node.start_point[0] + 1, text[start:end].decode("utf-8", "replace")] = "read"
    uses = tuple(Use(MODULE, kind, line, Expression(UNKNOWN, (name,))) for (line, name), kind in sorted(found.items()))
    return FileNames((body,), uses)


class _Ranges:
    """The bytes of imports that are left out; one that gives another name or hands on keeps its names."""

    def __init__(self, parsed: Parsed, nodes: list[Node]) -> None:
        kept = [node for node in nodes if not _hands_on(parsed, node)]
        self._ranges = sorted((node.start_byte, node.end_byte) for node in kept)
        self._starts = [start for start, _ in self._ranges]

    def hold(self, at: int) -> bool:
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ranges[place][1]


def _hands_on(parsed: Parsed, node: Node) -> bool:
    whole = node.parent if node.type != "import_declaration" else node
    if whole is None or whole.type != "use_declaration":
        return False
    spelled = parsed.text[whole.start_byte : whole.end_byte]
    return spelled.startswith(b"pub") or b" as " in spelled


@cache
def _query(language: str) -> Query:
    from tree_sitter import Query

    spelling = SPELLED_LANGUAGES[language]
    parts = [
        f"[{' '.join(f'({kind})' for kind in spelling.names)}] @name",
        f"[{' '.join(f'({kind})' for kind in spelling.strings)}] @string",
    ]
    if spelling.raw:
        parts.append(f"[{' '.join(f'({kind})' for kind in spelling.raw)}] @raw")
    return Query(grammar(language_spec(language).grammar), "\n".join([*parts, spelling.left_out]))
