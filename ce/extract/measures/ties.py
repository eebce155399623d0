"""What ties a stretch of prose to a program, so that taking it away would change more than what a reader sees.

Prose has no callers. But its lines may hold code beside it, a comment may be an order to a tool, and a docstring is a value that a
program can read. Each of these is found here by its line; what is found too often costs nothing but a duplicate that stays.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of
from ce.source.text import decode

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["DOCSTRING_IS_READ", "MORE_THAN_PROSE", "reads_docstrings", "ties_of"]

MORE_THAN_PROSE = "more_than_prose"
DOCSTRING_IS_READ = "docstring_is_read"

_SPOKEN_IN_CODE = ("comment_block", "docstring")
# The decoration that a line of a comment begins with.
_LEAD = rb"^[ \t]*(?:\#+'?|//+!?|/\*+|\*+|--+|;+|%+|\{-|\"{3}|'{3})?[ \t|]*"
# The first words of orders to compilers, linters, formatters, generators and test runners.
_ORDERS = rb"""
    -\*- | (?:\w+[ ])?coding[:=] | vim?: | ex: | \+build\b | \#(?:end)?region\b | <reference\b | <amd- | >>>[ ] | prop>[ ] | ``` | ~~~
  | @(?:ts-|jsx|flow|cc_on|generated|deprecated|type\b|typedef\b|template\b|callback\b|satisfies\b|enum\b|implements\b|augments\b|extends\b
      |export|import|rdname|param[ ]*\{|returns?[ ]*\{|license|preserve|swagger|openapi|vitest|jest|internal\b|\w+\()
  | [a-z][\w-]*:[a-z@]
  | (?:type|pragma|noqa|nosec|pylint|flake8|mypy|pyright|ruff|isort|fmt|yapf|black|eslint[\w-]*|jshint|jslint|jscs|tslint|stylelint[\w-]*
      |prettier[\w-]*|biome[\w-]*|istanbul|c8|v8|globals?|exported|sourceMappingURL|NOLINT\w*|clang-format|clang-tidy|cppcheck|coverity
      |lint|LINT|nolint|Output|Unordered[ ]output|frozen_string_literal|encoding|shellcheck|noinspection|language|webpack\w*|cython
      |distutils|doctest|syntax|luacheck|stylua|selene|nolint|covr|roxygen|HLINT|SPDX-[\w-]+|Deprecated)\b[ \t]*[:=({\[-]
  | (?:eslint-(?:dis|en)able|prettier-ignore|NOLINT|noqa|nosec|stylelint-(?:dis|en)able)\b
"""
_ORDER = re.compile(_LEAD + rb"(?:" + _ORDERS + rb")", re.MULTILINE | re.VERBOSE)
_KEPT_BY_COMPILERS = re.compile(rb"\A#!|^[ \t]*/\*[!+]|@\w+\([^)\n]*\)|\{-#", re.MULTILINE)
_DOCTEST = re.compile(rb"^[ \t/#*|-]*>>>[ \t]", re.MULTILINE)
_CGO = re.compile(rb'\s*import\s+(?:\(\s*)?"C"')
_MARKUP = re.compile(
    rb"<[A-Za-z!/?][^>]*>|\{[%{#]|<%|^[ \t>]*\[[^\]\n]+\]:|\[\^[^\]\n]+\]:"
    rb"|^[ \t]*(?:=+|-+)[ \t]*\r?$|::[ \t]*\r?$|^[ \t]*\.\.[ \t]|^[ \t]*:::",
    re.MULTILINE,
)
_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)[ \t]*>")
_PLAIN_TAGS = frozenset({b"p", b"em", b"strong", b"b", b"i", b"code", b"small", b"kbd", b"sub", b"sup", b"u", b"s", b"mark", b"q"})
_ANY_MARKUP = re.compile(rb"[<>]|\{[%{#]|\$\{")

_READ_ELSEWHERE = re.compile(rb"\.\s*__doc__\b|[\"']__doc__[\"']|\bgetdoc\s*\(|\bgetcomments\s*\(")
_READ_HERE = re.compile(rb"\b__doc__\b|\bgetdoc\b")
# Libraries that make help, schemas, prompts or grammars out of docstrings.
_READERS = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+(?:docopt|ply|sly|fire|typer|click|cmd|cmd2|invoke|fabric|argh|plac|defopt|cyclopts|pydantic|fastapi"
    rb"|clize|flask|sanic|litestar|flasgger|strawberry|graphene|discord|nextcord|mcp|fastmcp|langchain\w*|dspy|instructor|smolagents)\b",
    re.MULTILINE,
)


def ties_of(path: str, data: bytes, kind: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Return (why, line) of what ties the lines of a segment of prose to a program; empty when they are prose and nothing else."""
    lines = data.splitlines(keepends=True)
    text = b"".join(lines[start - 1 : end])
    found = list(_in_text(text, start, kind))
    if start == 1 and data.startswith((codecs.BOM_UTF8, b"#!")):
        found.append((MORE_THAN_PROSE, 1))
    if kind == "comment_block" and path.endswith(".go") and _CGO.match(b"".join(lines[end:])):
        found.append((MORE_THAN_PROSE, end))
    if kind in _SPOKEN_IN_CODE:
        found += _beside(path, data, kind, start, end)
    if kind == "docstring" and (read := _READ_HERE.search(data) or _READERS.search(data)):
        found.append((DOCSTRING_IS_READ, data.count(b"\n", 0, read.start()) + 1))
    return tuple(sorted(set(found)))


def reads_docstrings(data: bytes) -> int | None:
    """Return the first line of a Python file that reads the docstring of something else, None when no line does."""
    found = _READ_ELSEWHERE.search(data)
    return None if found is None else data.count(b"\n", 0, found.start()) + 1


def _in_text(text: bytes, start: int, kind: str) -> Iterator[tuple[str, int]]:
    if kind in _SPOKEN_IN_CODE:
        patterns = [_ORDER, _KEPT_BY_COMPILERS] if kind == "comment_block" else [_DOCTEST]
    elif kind == "html_text":
        patterns = [] if _is_plain(text) else [_ANY_MARKUP]
    else:
        patterns = [_DOCTEST, _MARKUP]
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield MORE_THAN_PROSE, start + text.count(b"\n", 0, match.start())


def _is_plain(text: bytes) -> bool:
    """Tell whether all markup of the text is plain elements that open and end within it."""
    opened: list[bytes] = []
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if name not in _PLAIN_TAGS:
            return False
        if not match[1]:
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened and _ANY_MARKUP.search(_TAG.sub(b"", text)) is None


def _beside(path: str, data: bytes, kind: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield the lines that hold code beside the prose, and the docstring whose owner is handed to a decorator."""
    row = language_of(path, data[:256])
    source = decode(data)
    if row is None or row.language not in LANGUAGES or source.is_binary:
        yield MORE_THAN_PROSE, start
        return
    parsed = parse(path, language_spec(row.language), source.text_bytes)
    if not isinstance(parsed, Parsed) or parsed.tree is None:
        yield MORE_THAN_PROSE, start
        return
    docstring: Node | None = None
    pending = [parsed.tree.root_node]
    while pending:
        node = pending.pop()
        if node.end_point[0] < start - 1 or node.start_point[0] > end - 1 or node.start_byte == node.end_byte:
            continue
        if node.type in parsed.spec.comments:
            # A comment that starts before or ends behind the lines would be cut in two.
            if node.start_point[0] < start - 1 or _last_row(node) > end - 1:
                yield MORE_THAN_PROSE, start
        elif kind == "docstring" and docstring is None and node.type == "string" and node.start_point[0] == start - 1:
            docstring = node
            if node.end_point[0] != end - 1:
                yield MORE_THAN_PROSE, start
        elif node.children:
            pending.extend(reversed(node.children))
        elif parsed.text[node.start_byte : node.end_byte].strip():
            yield MORE_THAN_PROSE, max(start, node.start_point[0] + 1)
    if docstring is not None and _is_decorated(docstring):
        yield DOCSTRING_IS_READ, start


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _is_decorated(docstring: Node) -> bool:
    owner = docstring.parent
    while owner is not None and owner.type not in ("function_definition", "class_definition"):
        owner = owner.parent
    return owner is not None and owner.parent is not None and owner.parent.type == "decorated_definition"
