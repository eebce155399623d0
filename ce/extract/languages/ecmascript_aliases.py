"""The aliases in a configuration file: `alias: { "@": "./src" }` of bundlers, `moduleNameMapper` of Jest.

Only files whose names say that they configure something are looked at. `extra["aliases"]` holds pairs of a name and a path. A path that
starts with `./` or `../` is one from the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts
from ce.extract.languages.ecmascript_expressions import Calls
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_aliases"]

_CONFIGURATION = re.compile(r"config|conf\b|alias|webpack|vite|rollup|craco|storybook|^main\.|next|nuxt|babel|jest|metro", re.IGNORECASE)
_KEYS = re.compile(rb"""\b(alias|aliases|moduleNameMapper)\b["']?\s{0,20}[:=]""")
_MAX_KEYS = 20
_MAX_ALIASES = 500
_REGEX_NAME = re.compile(r"\^?((?:[\w@~#$/.-]|\\[/.$])+?)(/?\((?:\?::)?\.[*+]\))?\$?")


def read_aliases(parsed: Parsed, facts: Facts) -> None:
    """Add the aliases that the file lists, if it lists any."""
    text = parsed.text
    if not _CONFIGURATION.search(parsed.path.rpartition("/")[2]) or (b"alias" not in text and b"moduleNameMapper" not in text):
        return
    assert parsed.tree is not None
    calls = Calls(parsed, facts)
    found: list[list[str]] = []
    for match, _ in zip(_KEYS.finditer(text), range(_MAX_KEYS), strict=False):
        node = parsed.tree.root_node.descendant_for_byte_range(match.start(1), match.end(1))
        holder = node.parent if node is not None else None
        if holder is not None and holder.type == "string":
            holder = holder.parent
        value = None
        if holder is not None and holder.type in ("pair", "variable_declarator"):
            value = holder.child_by_field_name("value")
        if value is not None and len(found) < _MAX_ALIASES:
            found += _listed(calls, value)
    if found:
        facts.extra["aliases"] = found[:_MAX_ALIASES]


def _listed(calls: Calls, value: Node) -> Iterator[list[str]]:
    if value.type == "object":
        for pair in value.named_children:
            key, target = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if pair.type == "pair" and key is not None and target is not None:
                yield from _alias(calls, calls.text(key).strip("\"'`"), target)
    elif value.type == "array":
        for item in value.named_children:
            fields = {}
            for pair in item.named_children if item.type == "object" else ():
                key, target = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if key is not None and target is not None:
                    fields[calls.text(key).strip("\"'")] = target
            if "find" in fields and "replacement" in fields:
                name = calls.text(fields["find"])
                name = name[1:].rpartition("/")[0] if name.startswith("/") else name.strip("\"'`")
                yield from _alias(calls, name, fields["replacement"])


def _alias(calls: Calls, name: str, target: Node) -> Iterator[list[str]]:
    if target.type == "array" and target.named_child_count:
        target = target.named_children[0]
    pattern = calls.alternatives(target)[0]
    # `*src` is what a function of the file makes of `src`.
    text = pattern.text if pattern.is_literal else pattern.text[1:] if pattern.text.startswith("*") else ""
    plain = _plain_name(name)
    if plain and text:
        path = re.sub(r"\$\d", "*", text)
        yield [plain, path if "*" in plain else path.replace("/*", "").replace("*", "")]


def _plain_name(name: str) -> str:
    """Return a name as text with at most one star; an expression that says more is none."""
    if not name.startswith("^") and "(" not in name:
        return name
    match = _REGEX_NAME.fullmatch(name)
    if match is None:
        return ""
    plain = match.group(1).replace("\\", "")
    if match.group(2):
        return plain + match.group(2).partition("(")[0] + "*"
    return plain + "$" if name.endswith("$") else plain
