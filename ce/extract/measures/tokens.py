"""The normalised token stream of a file: what clone detection compares.

Identifiers are one token, literals another, everything else is its grammar kind; comments are no tokens. So a copy
with other names, other constants, other comments or another layout has the same stream. A hash of each line's code,
comments and blanks masked, tells copies that are equal to the letter from renamed ones.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.leaves import IDENTIFIER, LITERAL, Leaves, Range, fnv1a
from ce.extract.parsing import MAX_DEPTH, Parsed, grammar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TokenStream", "fnv1a", "leaves_of", "stream_of", "token_stream"]

_LITERAL_KINDS = frozenset({"integer", "float", "number", "escape_sequence", "raw_string_delimiter", "literal_suffix"})
_STRING_PARTS = ("content", "fragment", "start", "end")
_STRING_SHAPED = frozenset({"string_literal", "raw_string_literal", "char_literal", "user_defined_literal"})
# Further such kinds of one language; a raw string of R is one node.
_SHAPED_OF: dict[str, frozenset[str]] = {"r": frozenset({"string", "complex"})}
# Quotes that a grammar gives as anonymous nodes of their own.
_DELIMITERS: dict[str, frozenset[str]] = {
    "typescript": frozenset("\"'`"),
    "tsx": frozenset("\"'`"),
    "javascript": frozenset("\"'`"),
    "go": frozenset('"`'),
    "rust": frozenset('"'),
    "c": frozenset({'"', "'", "character", 'R"', 'L"', 'u"', 'U"', 'u8"', "L'", "u'", "U'", "u8'"}),
    "cpp": frozenset({'"', "'", "character", 'R"', 'L"', 'u"', 'U"', 'u8"', "L'", "u'", "U'", "u8'"}),
    "java": frozenset({'"', '"""'}),
    "lua": frozenset({'"', "'", "[[", "]]"}),
    "r": frozenset("\"'"),
}
# Statements that name other modules: two files that need the same modules are no copies of each other.
_IMPORTS: dict[str, frozenset[str]] = {
    "python": frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    "typescript": frozenset({"import_statement"}),
    "tsx": frozenset({"import_statement"}),
    "javascript": frozenset({"import_statement"}),
    "rust": frozenset({"use_declaration", "extern_crate_declaration"}),
    "go": frozenset({"package_clause", "import_declaration"}),
    "haskell": frozenset({"imports", "header"}),
    "c": frozenset({"preproc_include"}),
    "cpp": frozenset({"preproc_include", "using_declaration"}),
    "java": frozenset({"package_declaration", "import_declaration"}),
}
# Named nodes that are layout: how a statement is spread over lines changes nothing.
_LAYOUT_KINDS = frozenset({"line_continuation"})
_TEXT, _LIT, _ID, _COMMENT, _SHAPED, _IMPORT, _LAYOUT = range(7)


@dataclass(frozen=True, slots=True, eq=False)
class TokenStream:
    """Parallel columns over the tokens: `indexes` into `vocabulary` (uint64 hashes of normalised tokens), `starts` and `ends`.

    The latter are 1-based lines (int32). `imports` tells the tokens of import statements. `lines` has one uint32 for each line of the
    file: the hash of its code, 0 where a line has none.
    """

    vocabulary: NDArray[np.uint64]
    indexes: NDArray[np.integer]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    imports: NDArray[np.bool_]
    lines: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.indexes)

    @property
    def codes(self) -> NDArray[np.uint64]:
        """The hash of each normalised token."""
        return self.vocabulary.take(self.indexes) if len(self.indexes) else np.zeros(0, np.uint64)


def token_stream(parsed: Parsed) -> TokenStream:
    """Return the stream of a parsed file of a language with a grammar."""
    return stream_of(parsed.text, leaves_of(parsed))


def stream_of(text: bytes, leaves: Leaves) -> TokenStream:
    """Return the stream of a text and its leaves."""
    breaks = (np.frombuffer(text, np.uint8) == 10).nonzero()[0]
    first = breaks.searchsorted(leaves.starts).astype(np.int32) + np.int32(1)
    last = first.copy()
    long = (leaves.tails > leaves.starts).nonzero()[0]
    last[long] = breaks.searchsorted(leaves.tails[long]) + 1
    return TokenStream(leaves.hashes, leaves.kinds, first, last, leaves.imports, _line_hashes(text, leaves.comments))


def leaves_of(parsed: Parsed) -> Leaves:
    """Return the leaves of a parsed file, by a walk over its tree."""
    classes, hashes = _kinds(parsed.spec.grammar, parsed.spec.name, parsed.spec.comments)
    ids, starts, ends, comments, imports = _leaves(parsed, classes)
    begins = np.array(starts, np.int64)
    # A token that ends behind a line break ends on the line before it.
    tails = np.maximum(np.array(ends, np.int64) - 1, begins)
    return Leaves(hashes, np.array(ids, np.int64), begins, tails, _within(begins, imports), comments)


@cache
def _kinds(name: str, language: str, comments: tuple[str, ...]) -> tuple[list[int], NDArray[np.uint64]]:
    """Return for every kind of a grammar what it is and the hash of its token. Two more codes stand behind the kinds: ID and LIT."""
    known = grammar(name)
    delimiters = _DELIMITERS.get(language, frozenset())
    classes, hashes = [], []
    for number in range(known.node_kind_count):
        kind = known.node_kind_for_id(number) or ""
        named = known.node_kind_is_named(number)
        if kind in comments:
            classes.append(_COMMENT)
        elif named and kind in _LAYOUT_KINDS:
            classes.append(_LAYOUT)
        elif named and (kind in _STRING_SHAPED or kind in _SHAPED_OF.get(language, ())):
            classes.append(_SHAPED)
        elif named and kind in _IMPORTS.get(language, ()):
            classes.append(_IMPORT)
        elif kind.endswith("identifier"):
            classes.append(_ID)
        elif _is_literal(kind) or kind in delimiters:
            classes.append(_LIT)
        else:
            classes.append(_TEXT)
        hashes.append(fnv1a(kind.encode()))
    return classes, np.array([*hashes, fnv1a(IDENTIFIER), fnv1a(LITERAL)], np.uint64)


def _is_literal(kind: str) -> bool:
    return kind.endswith("literal") or kind in _LITERAL_KINDS or ("string" in kind and kind.endswith(_STRING_PARTS))


def _leaves(parsed: Parsed, classes: list[int]) -> tuple[list[int], list[int], list[int], list[Range], list[Range]]:
    """Walk the tree once; return kind ids (ID and LIT behind the kinds), start and end bytes of the tokens, comments, imports."""
    assert parsed.tree is not None
    identifier, literal = len(classes), len(classes) + 1
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    comments: list[Range] = []
    imports: list[Range] = []
    cursor = parsed.tree.walk()
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    parents: list[int] = []
    parent = last_parent = 0
    while True:
        node = cursor.node
        kind = node.kind_id  # type: ignore[union-attr]  # a cursor always stands on a node
        # Error nodes have an id beyond the table; they are text like any other.
        what = classes[kind] if kind < identifier else _TEXT
        if what == _COMMENT:
            comments.append((node.start_byte, node.end_byte))  # type: ignore[union-attr]
        elif what == _LAYOUT:
            pass
        elif what == _SHAPED and _holds_no_code(node, classes):
            ids.append(literal)
            starts.append(node.start_byte)  # type: ignore[union-attr]
            ends.append(node.end_byte)  # type: ignore[union-attr]
            last_parent = 0
        elif len(parents) < MAX_DEPTH and not (what == _LIT and node.child_count and _holds_no_code(node, classes)) and down():  # type: ignore[union-attr]
            if what == _IMPORT:
                imports.append((node.start_byte, node.end_byte))  # type: ignore[union-attr]
            parents.append(parent)
            parent = node.id  # type: ignore[union-attr]
            continue
        else:
            start, end = node.start_byte, node.end_byte  # type: ignore[union-attr]
            # What the parser only supposes has no width and is no token.
            if start < end:
                if what in (_LIT, _SHAPED):
                    if last_parent == parent and ids:
                        ends[-1] = end
                    else:
                        ids.append(literal)
                        starts.append(start)
                        ends.append(end)
                    last_parent = parent
                else:
                    ids.append(identifier if what == _ID else kind if kind < identifier else 0)
                    starts.append(start)
                    ends.append(end)
                    last_parent = 0
        while not along():
            if not up():
                return ids, starts, ends, comments, imports
            parent = parents.pop()


def _holds_no_code(node: object, classes: list[int]) -> bool:
    """Tell whether every named descendant of a string-shaped literal is a piece of the literal."""
    pending = list(node.named_children)  # type: ignore[attr-defined]
    while pending:
        child = pending.pop()
        if child.kind_id >= len(classes) or classes[child.kind_id] not in (_LIT, _SHAPED):
            return False
        pending.extend(child.named_children)
    return True


def _within(starts: NDArray[np.int64], ranges: list[Range]) -> NDArray[np.bool_]:
    """Tell which positions lie in one of the disjoint ranges, given in order."""
    if not ranges:
        return np.zeros(len(starts), np.bool_)
    bounds = np.array(ranges, np.int64)
    behind = np.searchsorted(bounds[:, 0], starts, "right") - 1
    return np.asarray((behind >= 0) & (starts < bounds[np.maximum(behind, 0), 1]), np.bool_)


def _line_hashes(text: bytes, comments: list[Range]) -> NDArray[np.uint32]:
    is_closed = not text or text.endswith(b"\n")
    if comments:
        parts: list[bytes] = []
        reached = 0
        for start, end in comments:
            parts += (text[reached:start], b"\n" * text.count(b"\n", start, end))
            reached = end
        text = b"".join([*parts, text[reached:]])
    lines = text.translate(None, b" \t\r\v\f").split(b"\n")
    if is_closed:
        lines.pop()
    crc = zlib.crc32
    return np.array([crc(line) or 1 if line else 0 for line in lines], np.uint32)
