"""Types in the comments of JavaScript files, where a compiler reads them: `@type {import("./m").Foo}`, `@param {Foo} x`.

In TypeScript only links count: `{@link Foo}` needs the import of `Foo`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import TYPE, VALUE, Frame, Path
from ce.extract.names.model import ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_comment"]

_TAG = re.compile(
    rb"@(?:type|param|arg|argument|returns?|prop|property|typedef|extends|augments|implements|template|satisfies|enum|this|yields|throws"
    rb"|callback)\s*\{"
)
_LINK = re.compile(rb"\{@link(?:plain|code)?\s+([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)")
_IMPORTED = re.compile(rb"""\bimport\(\s*["']([^"'\n]{1,400})["']\s*\)((?:\.[A-Za-z_$][\w$]*)*)""")
_NAME = re.compile(rb"(?<![\w$.\"'])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?!\s*\??:)")
_IMPORT_TAG = re.compile(rb"""@import\s+([^"'@]{0,2000}?)\bfrom\s+["']([^"'\n]{1,400})["']""")
_TAG_NAME = re.compile(r"([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?")
_WORDS = frozenset({
    "import", "typeof", "keyof", "string", "number", "boolean", "any", "void", "null", "undefined", "object", "unknown",
    "never", "function", "Object", "Function", "Array", "Promise", "Record", "true", "false", "symbol", "bigint", "this",
    "new", "is", "asserts", "readonly", "Partial", "String", "Number", "Boolean",
})  # fmt: skip
_MAX_TYPE = 2_000


def read_comment(r: Reader, node: Node, frame: Frame) -> None:
    """Note the types that a documentation comment names."""
    start = node.start_byte
    if not r.data.startswith(b"/**", start):
        return
    text = r.data[start : node.end_byte]
    if b"{@link" in text:
        for match in _LINK.finditer(text):
            head, *steps = match.group(1).decode().split(".")
            if frame.scope.find(head, VALUE) is not None or frame.scope.find(head, TYPE) is not None:
                r.use(frame.owner, "type_only", start + match.start(), (frame.scope, head, tuple(steps), VALUE))
    if not r.has_types_in_comments:
        return
    for match in _TAG.finditer(text):
        end = _closing(text, match.end())
        if end > 0:
            _type(r, node, frame, text[match.end() : end], start + match.end())
    if b"@import" in text:
        for match in _IMPORT_TAG.finditer(text):
            _import(r, node, frame, match, start)


def _closing(text: bytes, at: int) -> int:
    depth = 1
    for place in range(at, min(len(text), at + _MAX_TYPE)):
        if text[place] == 0x7B:
            depth += 1
        elif text[place] == 0x7D:
            depth -= 1
            if not depth:
                return place
    return -1


def _type(r: Reader, node: Node, frame: Frame, text: bytes, start: int) -> None:
    if b"import(" in text:
        for match in _IMPORTED.finditer(text):
            steps = tuple(match.group(2).decode().split(".")[1:])
            path = _module(r, node, frame, match.group(1).decode("utf-8", "replace"), start + match.start(), is_type=True)
            r.use(frame.owner, "type_only", start + match.start(), (path[0], path[1], steps, VALUE))
        text = _IMPORTED.sub(b" ", text)
    for names in _names_in(text):
        if len(names) == 1 or frame.scope.find(names[0], VALUE) is not None:
            r.use(frame.owner, "type_only", start, (frame.scope, names[0], names[1:], TYPE if len(names) == 1 else VALUE))


@lru_cache(maxsize=4096)
def _names_in(text: bytes) -> tuple[tuple[str, ...], ...]:
    """Return the dotted names in a type, without words of the language."""
    found = (tuple(part.decode() for part in match.group().split(b".")) for match in _NAME.finditer(text))
    return tuple(names for names in found if names[0] not in _WORDS)


def _line(r: Reader, node: Node, at: int) -> int:
    return node.start_point[0] + 1 + r.data.count(b"\n", node.start_byte, at)


def _module(r: Reader, node: Node, frame: Frame, spec: str, at: int, *, is_type: bool) -> Path:
    path = r.inline_import(spec, node, frame, is_type=is_type)
    number = path[1]
    assert isinstance(number, int)
    r.drafts[number].imported = ImportedName(spec, _line(r, node, at))
    return path


def _import(r: Reader, node: Node, frame: Frame, match: re.Match[bytes], start: int) -> None:
    """`@import { A, B as C } from "./m"` imports types."""
    spec = match.group(2).decode("utf-8", "replace")
    line = _line(r, node, start + match.start())
    whole, brace, braced = match.group(1).decode("utf-8", "replace").replace("*/", "").partition("{")
    pairs = [("" if "*" in whole else "default", found.group(1)) for found in [_TAG_NAME.search(whole.rpartition(" as ")[2])] if found]
    if brace:
        pairs += [(found.group(1), found.group(2) or found.group(1)) for found in _TAG_NAME.finditer(braced)]
    for name, local in pairs:
        number = r.define(frame, local, "import", node, None)
        r.drafts[number].imported = ImportedName(spec, line, name)
        r.drafts[number].flags.add("type_import")
        r.bind(frame.scope, local, number, (VALUE, TYPE))
