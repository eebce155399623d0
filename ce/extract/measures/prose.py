"""Segments of prose in a file: paragraphs, comment blocks, docstrings; what is code or boilerplate in them is left out.

A segment has at least fifty words after that. Licence headers and segments that allow themselves to be copied are kept with their
class, so that a program can tell how many there were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.words import word_hashes, words
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tree_sitter import Node

__all__ = ["CLASSES", "KINDS", "MIN_WORDS", "ProseLayer", "Segment", "decode_prose", "encode_prose", "prose_of"]

KINDS = ("md_para", "comment_block", "docstring", "html_text", "text_para", "rst_para")
CLASSES = ("live", "license_header", "inline_allow")
MIN_WORDS = 50
_LINE_CAP = 200
_WORD_CAP = 80  # a long line of words is unwrapped prose, one with such a run is data
_LICENSE_HEAD = 5
_MAX_WORDS = 1 << 16
_LICENSES = (
    "SPDX-License-Identifier",
    "Licensed under the Apache License",
    "Copyright (c)",
    "Permission is hereby granted",
    "MIT License",
)
_ALLOW = re.compile(r"ce:allow\(docdup\)[ \t]*--[ \t](?=.*\S)")
_ALLOW_BARE = re.compile(r"ce:allow\(docdup\)")
# Every copy of a licence has to stay where it is.
_LICENSE_FILE = re.compile(r"(licen[cs]e|copying|notice|unlicense)(\W|$)", re.IGNORECASE)
_STRING_PREFIX = re.compile(r"^[A-Za-z]{1,2}(?=[\"'])")
_FENCE = re.compile(r"^[\s#/*!]*(```|~~~)")
_DECORATION = "#/*!\"' \t"
_SKELETON = (
    "Args:", "Arguments:", "Returns:", "Raises:", "Yields:", "Parameters", "Attributes:", "Example:", "Examples:", "Note:",
    ":param ", ":return", ":rtype", "@param", "@return", "@throw", "@brief", "@see", "@since", "@author", "@version", "@exception",
    "@tparam", "@treturn", "@usage", "@examples", "@export", "@importFrom", "@rdname", "@details", "@inheritParams", "@describeIn",
    "\\brief", "\\details", "\\param", "\\tparam", "\\return", "\\throw", "\\exception", "\\see", "\\since", "\\author", "\\version",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A stretch of prose: `kind` of `KINDS`, lines 1-based and inclusive, `status` of `CLASSES`, its word hashes (uint64)."""

    kind: str
    start: int
    end: int
    status: str
    words: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ProseLayer:
    """The segments of a file, and how many pieces were left out by reason."""

    segments: tuple[Segment, ...]
    shed: dict[str, int]


Lines = list[tuple[int, str]]


def prose_of(parsed: Parsed) -> ProseLayer:
    """Return the prose of a file: of its tree when it has one, of its paragraphs when it is text."""
    shed: dict[str, int] = {}
    found = sorted(_raw(parsed), key=lambda raw: (raw[1][0][0], raw[0]) if raw[1] else (0, raw[0]))
    source = parsed.text.decode("utf-8", "replace").split("\n")
    first_comment = next((index for index, (kind, _) in enumerate(found) if kind == "comment_block"), -1)
    segments = []
    for index, (kind, lines) in enumerate(found):
        if not lines:
            continue
        kept = _stripped(lines, shed) if kind in ("comment_block", "docstring") else lines
        spoken = [word for _, text in kept for word in words(text)]
        if len(spoken) < MIN_WORDS:
            shed["below_floor"] = shed.get("below_floor", 0) + 1
            continue
        status = _status(_with_markers(source, lines[0][0], lines[-1][0]), lines[0][0], index == first_comment, shed)
        if status == "live" and _LICENSE_FILE.match(parsed.path.rpartition("/")[2]):
            status = "license_header"
        segments.append(Segment(kind, lines[0][0], lines[-1][0], status, word_hashes(spoken[:_MAX_WORDS])))
    return ProseLayer(tuple(segments), dict(sorted(shed.items())))


def encode_prose(layer: ProseLayer) -> bytes:
    """Return the layer as a blob: a line of JSON, then the word hashes."""
    head = {
        "segments": [[KINDS.index(s.kind), s.start, s.end, CLASSES.index(s.status), len(s.words)] for s in layer.segments],
        "shed": layer.shed,
    }
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(s.words.astype("<u8").tobytes() for s in layer.segments)


def decode_prose(blob: bytes) -> ProseLayer:
    """Return the layer of a blob. Raises ValueError when it is not one that `encode_prose` made."""
    head, newline, body = blob.partition(b"\n")
    try:
        value = json.loads(head)
        rows, shed = value["segments"], value["shed"]
        segments, at = [], 0
        for kind, start, end, status, count in rows:
            if not (type(count) is int and 0 <= count <= _MAX_WORDS and type(start) is int and type(end) is int and 1 <= start <= end):
                raise ValueError("a segment out of order")
            hashes = np.frombuffer(body, "<u8", count, at).astype(np.uint64) if count else np.zeros(0, np.uint64)
            segments.append(Segment(KINDS[kind], start, end, CLASSES[status], hashes))
            at += 8 * count
        counts = {str(name): int(number) for name, number in shed.items()}
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"no prose: {error}") from None
    if not newline or at != len(body):
        raise ValueError("prose of another length")
    return ProseLayer(tuple(segments), counts)


def _raw(parsed: Parsed) -> Iterator[tuple[str, Lines]]:
    language = parsed.spec.name
    if language == "markdown":
        from ce.extract.languages.markdown_blocks import blocks_of

        masked = blocks_of(parsed.text.decode("utf-8", "replace")).masked
        yield from (("md_para", lines) for lines in _paragraphs(enumerate(masked.split("\n"), 1)))
    elif language == "html":
        from ce.extract.languages.html import text_blocks

        yield from (("html_text", lines) for lines in text_blocks(parsed))
    elif parsed.tree is not None:
        yield from (("comment_block", lines) for lines in _comment_blocks(parsed))
        if language == "python":
            yield from (("docstring", lines) for lines in _docstrings(parsed))
    else:
        kind = "rst_para" if parsed.path.endswith(".rst") else "text_para"
        yield from ((kind, lines) for lines in _text_paragraphs(parsed.text, rst=kind == "rst_para"))


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[Lines]:
    """Yield the runs of consecutive Markdown lines that are prose: no heading, table, bare list marker or HTML."""
    run: Lines = []
    for number, text in lines:
        visible = text.strip()
        is_prose = bool(visible) and not visible.startswith(("#", "|")) and not _BARE_MARKER.fullmatch(visible) and not _HTML.match(visible)
        if run and (not is_prose or number != run[-1][0] + 1):
            yield run
            run = []
        if is_prose:
            run.append((number, text))
    if run:
        yield run


_BARE_MARKER = re.compile(r"[-*+]|\d+[.)]")
_HTML = re.compile(r"<[A-Za-z/]")


def _text_paragraphs(text: bytes, *, rst: bool) -> Iterator[Lines]:
    """Yield the runs of lines between blank ones. In reStructuredText directives, literal blocks and rules of a heading are left out."""
    run: Lines = []
    indent = -1
    for number, line in enumerate(text.decode("utf-8", "replace").split("\n"), 1):
        if rst and indent >= 0:
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                indent = -1
            else:
                line = ""
        if rst and (line.lstrip().startswith(".. ") or line.rstrip().endswith("::")):
            indent = len(line) - len(line.lstrip())
            if line.lstrip().startswith(".. "):
                line = ""
        if line.strip() and not (rst and _RULE.fullmatch(line.strip())):
            run.append((number, line))
        elif run:
            yield run
            run = []
    if run:
        yield run


_RULE = re.compile(r"([^\w\s])\1{2,}")


def _comment_blocks(parsed: Parsed) -> Iterator[Lines]:
    """Yield comments in order, those that follow each other in one column joined."""
    block: list[Node] = []
    for node in _comments(parsed):
        if block and not (node.start_point[0] == _last_row(block[-1]) + 1 and node.start_point[1] == block[-1].start_point[1]):
            yield _lines_of(block, parsed.text)
            block = []
        block.append(node)
    if block:
        yield _lines_of(block, parsed.text)


def _comments(parsed: Parsed) -> list[Node]:
    from ce.extract.measures.queries import captured

    return captured(parsed, parsed.spec.comments)


def _last_row(node: Node) -> int:
    """Return the last row that has text: some comments swallow the line break behind them."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _lines_of(nodes: Sequence[Node], text: bytes) -> Lines:
    lines: Lines = []
    for node in nodes:
        rows = text[node.start_byte : node.end_byte].decode("utf-8", "replace").split("\n")
        first = node.start_point[0] + 1
        lines += [(first + offset, row) for offset, row in enumerate(rows[: _last_row(node) - node.start_point[0] + 1])]
    return lines


def _docstrings(parsed: Parsed) -> Iterator[Lines]:
    """Yield the string that opens the body of a module, class or function."""
    from ce.extract.measures.queries import captured

    assert parsed.tree is not None
    bodies = [parsed.tree.root_node]
    for owner in captured(parsed, ("function_definition", "class_definition")):
        body = owner.child_by_field_name("body")
        if body is not None:
            bodies.append(body)
    for body in bodies:
        first = next((child for child in body.named_children if child.type != "comment"), None)
        # Grammars differ in whether a bare expression is wrapped in a statement.
        if first is not None and first.type == "expression_statement" and first.named_child_count == 1:
            first = first.named_children[0]
        if first is not None and first.type == "string":
            (number, opening), *rest = _lines_of([first], parsed.text)
            yield [(number, _STRING_PREFIX.sub("", opening)), *rest]


def _stripped(lines: Lines, shed: dict[str, int]) -> Lines:
    kept: Lines = []
    fenced = False
    for number, line in lines:
        fence = _FENCE.match(line) is not None
        if fence or fenced:
            fenced = fenced != fence
            reason = "fenced_code_line"
        elif _is_skeleton(line):
            reason = "skeleton_line"
        elif len(line.strip()) > _LINE_CAP and max(map(len, line.split())) > _WORD_CAP:
            reason = "overlong_line"
        else:
            kept.append((number, line))
            continue
        shed[reason] = shed.get(reason, 0) + 1
    return kept


def _is_skeleton(line: str) -> bool:
    bare = line.lstrip(_DECORATION).rstrip()
    if len(bare) >= 3 and set(bare) == {"-"}:
        return True
    if bare.startswith("--"):
        bare = bare.lstrip("- ")
    return bare.startswith(_SKELETON)


def _with_markers(source: Sequence[str], start: int, end: int) -> Sequence[str]:
    """Return the source of a segment with a marker right above or below it: markers may stand in a comment, which is masked."""
    above = start - 1 if start > 1 and _ALLOW_BARE.search(source[start - 2]) else start
    below = end + 1 if end < len(source) and _ALLOW_BARE.search(source[end]) else end
    return source[above - 1 : below]


def _status(source: Sequence[str], start: int, is_first_comment: bool, shed: dict[str, int]) -> str:
    if is_first_comment and start <= _LICENSE_HEAD and any(mark in line for line in source for mark in _LICENSES):
        return "license_header"
    if any(_ALLOW.search(line) for line in source):
        return "inline_allow"
    if any(_ALLOW_BARE.search(line) for line in source):
        shed["allow_missing_why"] = shed.get("allow_missing_why", 0) + 1
    return "live"
