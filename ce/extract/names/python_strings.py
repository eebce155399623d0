"""String constants: which could spell a name, what a call is given as its first argument, what a computed name looks like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.languages import language_spec
from ce.extract.local_values import LocalValues
from ce.extract.names import python_kinds as k
from ce.extract.names.model import GLOB, MODULE, UNKNOWN
from ce.extract.names.python_state import State
from ce.extract.names.python_texts import mention_texts
from ce.extract.patterns import Pattern, pattern_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "argument_text",
    "choices",
    "constant",
    "decorator_texts",
    "name_steps",
    "pattern",
    "positional",
    "read_own_names",
    "read_string",
    "read_type_comments",
]

_MAX_SPELLED = 120
_SHORTEST_TEXT = 5  # of what could spell something that is no constant: `"%s.a"`
_SPELLED = re.compile(rb"[rRuUbB]?(\"\"\"|'''|[\"'])([A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*)\1")
_ARGUMENT = re.compile(rb"\(\s*[rRuU]?([\"'])([\w.:/*<>\-]{1,100})\1")
_SHORT = re.compile(rb"(?:name\s*=\s*)?[rRuU]?([\"'])([\w.:/*<>\-]{1,100})\1")
_SWITCH = re.compile(rb"([A-Za-z_]\w*)\s*=\s*True")
_TYPE_COMMENT = re.compile(rb"#[ \t]*type:[ \t]*(?!ignore\b)([^\n#]+)")
_NAME = re.compile(rb"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OWN_NAME = re.compile(
    rb"""\{__name__\}\.([^\W\d]\w*(?:\.\w+)*)|["']%s\.([^\W\d]\w*(?:\.\w+)*)["']\s*%\s*\(?\s*__name__"""
    rb"""|__name__\s*\+\s*["']\.([^\W\d]\w*(?:\.\w+)*)["']"""
)
_MAX_FORMAT = 4_000  # bytes of a string that are looked at for what it formats
_FORMAT_FIELD = re.compile(rb"\{\w*((?:\.[^\W\d]\w*|\[\w+\])+)[!:}]")  # `{0.name}`
_FIELD_MEMBER = re.compile(rb"\.(\w+)")
_FORMATTED = frozenset(b"fFtT")
_PREFIX_LENGTH = 2


def read_string(state: State, node: Node) -> None:
    """Note a constant string that could spell a name; of a format string leave the expressions for later."""
    start, end = node.start_byte, node.end_byte
    text = state.text
    head = text[start : start + _PREFIX_LENGTH]
    if end - start > _SHORTEST_TEXT and start >= state.dead_end:
        mention_texts(state, start, end)
    if head[0] in _FORMATTED or (head[-1] in _FORMATTED and head[0] not in b"\"'"):
        state.stack += [child for child in reversed(node.named_children) if child.kind_id == k.INTERPOLATION]
        return
    if start < state.dead_end:
        return
    if text.find(b"{", start, min(end, start + _MAX_FORMAT)) >= 0:
        for field in _FORMAT_FIELD.finditer(text, start, min(end, start + _MAX_FORMAT)):
            for name in _FIELD_MEMBER.findall(field.group(1)):
                state.ref((None, UNKNOWN, (name.decode("utf-8", "replace"),)), "string", start)
    if end - start > _MAX_SPELLED:
        return
    match = _SPELLED.fullmatch(text, start, end)
    if match is not None:
        state.strings.setdefault((state.owner, match.group(2).decode()), start)


def read_type_comments(state: State) -> None:
    """Note the names in comments that annotate, `# type: List[Foo]`, as the module sees them."""
    for match in _TYPE_COMMENT.finditer(state.text):
        for name in _NAME.findall(match.group(1)[:_MAX_SPELLED]):
            first, *rest = name.decode("utf-8", "replace").split(".")
            state.refs.setdefault((state.module, first, tuple(rest), 0, "type_only", ""), match.start())


def read_own_names(state: State) -> None:
    """Note what texts made of `__name__` name in this module: `f"{__name__}.Foo"`, `"%s.Foo" % __name__`, `__name__ + ".Foo"`."""
    for match in _OWN_NAME.finditer(state.text):
        name = match.group(1) or match.group(2) or match.group(3)
        state.refs.setdefault((None, MODULE, tuple(name.decode("utf-8", "replace").split(".")), MODULE, "string", ""), match.start())


def argument_text(text: bytes, arguments: Node) -> str:
    """Return the first argument when it is a short constant string that could name something, else nothing."""
    match = _ARGUMENT.match(text, arguments.start_byte)
    return match.group(2).decode("utf-8", "replace") if match is not None else ""


def decorator_texts(text: bytes, arguments: Node) -> list[str]:
    """Return the arguments of a decorator that tell what it does: short constant strings, and the names of switches that are on."""
    found = []
    for child in arguments.named_children:
        match = _SHORT.fullmatch(text, child.start_byte, child.end_byte)
        switch = _SWITCH.fullmatch(text, child.start_byte, child.end_byte)
        if match is not None:
            found.append(match.group(2).decode("utf-8", "replace"))
        elif switch is not None:
            found.append(switch.group(1).decode())
    return found or [""]


def pattern(state: State, node: Node) -> Pattern:
    """Return what is constant of an expression that makes a string."""
    spec = language_spec("python")
    assert spec.strings is not None
    is_plain = node.kind_id == k.STRING or state.scope is state.module
    return pattern_of(node, state.text, spec.strings, state.constants if is_plain else _local_values(state, node))


def _local_values(state: State, node: Node) -> LocalValues:
    return LocalValues(language_spec("python"), state.text, node, state.constants)


def choices(state: State, node: Node) -> list[Node]:
    """Return the expressions that an expression can be: branches of a condition, values of a local name that is bound more than once."""
    return [node] if node.kind_id == k.STRING or state.scope is state.module else _local_values(state, node).choices(node)


def constant(state: State, node: Node) -> str | None:
    """Return the text of an expression that is a constant string, else None."""
    found = pattern(state, node)
    return found.text if found.is_literal else None


def name_steps(state: State, node: Node) -> tuple[str, ...]:
    """Return the steps to what an expression names: names for a constant (with dots several), a glob for anything else."""
    found = pattern(state, node)
    if not found.is_literal:
        return (GLOB + found.text,)
    names = tuple(found.text.split("."))
    return names if all(name.isidentifier() for name in names) else ()


def positional(arguments: Node) -> list[Node]:
    """Return the arguments that are not given by keyword, in order; nothing behind an unpacked one."""
    found = []
    for child in arguments.named_children if arguments.kind_id == k.ARGUMENTS else [arguments]:
        if child.kind_id in (k.LIST_SPLAT, k.DICTIONARY_SPLAT):
            break
        if child.kind_id not in (k.KEYWORD_ARGUMENT, k.COMMENT):
            found.append(child)
    return found
