"""The markup of components and pages: every name in it that the code binds is used.

Markup is not parsed. Of Vue, Svelte, Astro and MDX the tags, the values of attributes and what stands in braces are looked at, as chains
of names: a chain that starts with a name of the code is a use of it; of any other chain the members are members of something unknown,
as of the variable of a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import TYPE, VALUE, Path
from ce.extract.names.model import MODULE, UNKNOWN

__all__ = ["read_markup"]

_CODE = re.compile(rb"<!--.*?-->|<(script|style)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FRONT = re.compile(rb"\A\s*---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(rb"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(rb"<\s*([A-Za-z_$][\w$.:-]*)")
_BRACED = re.compile(rb"\{")
_MUSTACHE = re.compile(rb"\{\{(.*?)\}\}", re.DOTALL)
_BOUND = re.compile(rb"""(?<![\w-])(?:v-[\w-]+|[:@#.])[\w.:\[\]-]*\s*=\s*("[^"]*"|'[^']*')""")
_DIRECTIVE = re.compile(rb"(?<![\w-])(?:v-([\w-]+)|(?:use|transition|in|out|animate|bind|class|style):([\w$.-]+))")
_REFERENCE = re.compile(rb"""(?<![\w-])ref\s*=\s*["']([\w$]+)["']""")
_SHORT = re.compile(rb"(?<![\w-]):([\w-]+)(?=[\s/>])")
_CHAIN = re.compile(rb"(?<![\w$.\"'`])(?:\.\.\.)?([A-Za-z_$][\w$]*)((?:\s*(?:\?\.|!?\.)\s*#?[A-Za-z_$][\w$]*)*)")
_STEP = re.compile(rb"[A-Za-z_$][\w$]*")
_TEXTS = re.compile(rb"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""")
_WORDS = frozenset({
    b"if", b"else", b"each", b"await", b"then", b"catch", b"key", b"as", b"in", b"of", b"const", b"let", b"var", b"new", b"typeof", b"true",
    b"false", b"null", b"undefined", b"this", b"return", b"function", b"async", b"html", b"debug", b"render", b"snippet", b"instanceof",
})  # fmt: skip
_MAX_BRACES = 200_000


def read_markup(r: Reader) -> None:
    """Note the uses in the markup around the code."""
    language, whole = r.parsed.language, r.parsed.whole
    if language not in ("vue", "svelte", "astro", "mdx"):
        return
    text = _blanked(whole, _CODE)
    if language in ("astro", "mdx"):
        text = _blanked(text, _FRONT)
    if language == "mdx":
        text = _blanked(_blanked(text, _FENCED), re.compile(re.escape(r.data.strip())) if r.data.strip() else _FENCED)
    for match in _TAG.finditer(text):
        _tag(r, match.group(1), match.start(1))
    for match in _DIRECTIVE.finditer(text):
        name = match.group(1) or match.group(2)
        _tag(r, b"v-" + name if match.group(1) else name, match.start())
    for at, piece in _expressions(text, language):
        _expression(r, at, piece, has_stores=language == "svelte")
    if language == "vue":
        for match in _REFERENCE.finditer(text):
            _chain(r, match.start(1), match.group(1), ())
        for match in _SHORT.finditer(text):
            _chain(r, match.start(1), _camel(match.group(1)), ())
    if language == "svelte":
        for at, piece in _stores(r):
            _chain(r, at, piece, ())


def _blanked(text: bytes, what: re.Pattern[bytes]) -> bytes:
    return what.sub(lambda match: re.sub(rb"[^\n]", b" ", match.group()), text)


def _expressions(text: bytes, language: str) -> Iterator[tuple[int, bytes]]:
    if language == "vue":
        for match in _MUSTACHE.finditer(text):
            yield match.start(1), match.group(1)
        for match in _BOUND.finditer(text):
            yield match.start(1) + 1, match.group(1)[1:-1]
        return
    end = -1
    for match in _BRACED.finditer(text):
        if match.start() < end:
            continue
        end = _closing(text, match.end())
        yield match.end(), text[match.end() : end]


_BRACE = re.compile(rb"[{}]")


def _closing(text: bytes, at: int) -> int:
    depth = 1
    for match in _BRACE.finditer(text, at, at + _MAX_BRACES):
        depth += 1 if match.group() == b"{" else -1
        if not depth:
            return match.start()
    return min(len(text), at + _MAX_BRACES)


def _expression(r: Reader, at: int, piece: bytes, *, has_stores: bool) -> None:
    piece = _TEXTS.sub(lambda match: b" " * len(match.group()), piece)
    for match in _CHAIN.finditer(piece):
        name = match.group(1)
        if name not in _WORDS:
            steps = tuple(step.decode() for step in _STEP.findall(match.group(2)))
            if has_stores and name.startswith(b"$"):
                name = name[1:]
            _chain(r, at + match.start(1), name, steps)


def _stores(r: Reader) -> Iterator[tuple[int, bytes]]:
    """In the code of a Svelte component `$store` reads the store."""
    for match in re.finditer(rb"(?<![\w$.\"'`])\$([A-Za-z_][\w$]*)", r.data):
        yield match.start(), match.group(1)


def _tag(r: Reader, name: bytes, at: int) -> None:
    """`<my-item>` and `<MyItem>` are the component `MyItem`; `<ns.Item>` is a member."""
    parts = name.split(b".")
    steps = tuple(part.decode() for part in parts[1:])
    camel = _camel(parts[0])
    for spelled in dict.fromkeys((parts[0], camel, camel[:1].upper() + camel[1:])):
        if _is_bound(r, spelled.decode()):
            _chain(r, at, spelled, steps)


def _camel(name: bytes) -> bytes:
    return re.sub(rb"[-:]([a-zA-Z0-9])", lambda match: match.group(1).upper(), name)


def _is_bound(r: Reader, name: str) -> bool:
    names = r.module.scope.names
    return name in names[VALUE] or name in names[TYPE]


def _chain(r: Reader, at: int, name: bytes, steps: tuple[str, ...]) -> None:
    head = name.decode("utf-8", "replace")
    if _is_bound(r, head):
        path: Path = (r.module.scope, head, steps, VALUE)
        r.use(MODULE, "read", at, path)
    elif steps:
        r.use(MODULE, "read", at, (None, UNKNOWN, steps, VALUE))
    else:
        r.use(MODULE, "read", at, (None, UNKNOWN, (head,), VALUE))
