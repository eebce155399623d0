"""What an expression of TypeScript or JavaScript can be as a text, and where what a call names is put down.

`__dirname`, `import.meta.dirname` and `new URL(x, import.meta.url)` are the directory of the file, so `path.join(__dirname, "x")` is `./x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, structures_around, text_of
from ce.extract.parsing import Parsed
from ce.extract.patterns import Pattern

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["JOINS", "WRAPPERS", "Calls", "joins_imported", "relative"]

_MAX_STEPS = 64  # nodes of one expression
_MAX_ALTERNATIVES = 16
_HERE = frozenset({"__dirname", "import.meta.dirname"})
JOINS = frozenset({"path.join", "path.resolve", "path.posix.join", "path.posix.resolve", "path.normalize"})
_JOIN_NAMES = frozenset({"join", "resolve", "normalize"})
_PATH_MODULES = frozenset({"path", "node:path", "pathe", "upath", "path/posix", "node:path/posix"})
_PATH_REQUIRED = re.compile(rb"\{([^{}]{0,200})\}\s*=\s*require\(\s*[\"'](?:node:)?path(?:/posix)?[\"']\s*\)")
_TRANSPARENT = frozenset({
    "fileURLToPath", "url.fileURLToPath", "pathToFileURL", "url.pathToFileURL", "String", "require.resolve", "import.meta.resolve",
})  # fmt: skip
_URL_PARTS = frozenset({"href", "pathname"})
WRAPPERS = frozenset({
    "as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression", "await_expression", "type_assertion",
})  # fmt: skip
_ANYTHING = Pattern("*", False)
_HERE_ABOVE = re.compile(r"^\./(?=\.\.?/)")


class Calls:
    """Reads what expressions can be as texts, and adds sites and dynamic facts of calls."""

    def __init__(self, parsed: Parsed, facts: Facts) -> None:
        self.parsed = parsed
        self.facts = facts
        self.steps = 0
        self.joins = JOINS | joins_imported(parsed, facts)
        # What the module binds under the name of a function that is known here is another function.
        self.hidden = {unit.name for unit in facts.units if unit.parent < 0 and unit.kind.kind == "fn"}
        self.hidden.update(local for site in facts.sites if site.spec.startswith(".") for _, local in site.names)

    # --- what is found

    def site(self, kind: str, spec: str, call: Node, owner: int) -> SiteDraft:
        """Add a site of a call and return it."""
        site = SiteDraft(kind, spec, call.start_point[0] + 1, owner, call.start_byte)
        site.around = structures_around(self.parsed, call)
        self.facts.sites.append(site)
        return site

    def dynamic(self, call: Node, why: str, pattern: str) -> None:
        """Add a dynamic fact."""
        self.facts.dynamic.append((call.start_point[0] + 1, why, pattern))

    def named(self, kind: str, why: str, argument: Node | None, call: Node, owner: int) -> list[SiteDraft]:
        """Add a site for every literal that the argument can be, a dynamic fact for anything else it can be."""
        sites = []
        if argument is not None:
            for pattern in dict.fromkeys(self.alternatives(argument)):
                if pattern.is_literal:
                    sites.append(self.site(kind, pattern.text.split("\n", 1)[0].strip(), call, owner))
                else:
                    self.dynamic(call, why, pattern.text)
        return sites

    # --- expressions

    def alternatives(self, node: Node) -> list[Pattern]:
        """Return what a string expression can be, one pattern for each branch of a conditional."""
        self.steps = 0
        return list(self._read(node))[:_MAX_ALTERNATIVES] or [_ANYTHING]

    def value(self, node: Node) -> Pattern:
        """Return what a string expression that is no choice can be."""
        self.steps = 0
        return self._value(node)

    def _read(self, node: Node) -> Iterator[Pattern]:
        self.steps += 1
        kind = node.type
        if self.steps > _MAX_STEPS:
            yield _ANYTHING
        elif kind == "ternary_expression":
            for name in ("consequence", "alternative"):
                branch = node.child_by_field_name(name)
                if branch is not None:
                    yield from self._read(branch)
        elif kind in WRAPPERS and node.named_child_count:
            yield from self._read(node.named_children[0])
        elif kind == "binary_expression" and _operator(node) in ("||", "??"):
            for child in node.named_children:
                yield from self._read(child)
        else:
            yield self._value(node)

    def _value(self, node: Node) -> Pattern:
        """Return the pattern of an expression that is no choice."""
        self.steps += 1
        kind = node.type
        if self.steps > _MAX_STEPS:
            return _ANYTHING
        if kind in ("string", "template_string"):
            return self._string(node)
        if kind == "binary_expression" and _operator(node) == "+":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            return _ANYTHING if left is None or right is None else self._value(left).joined(self._value(right))
        if kind in ("identifier", "member_expression"):
            return self._name(node)
        if kind in ("call_expression", "new_expression"):
            return self._call(node)
        if kind in WRAPPERS and node.named_child_count:
            return self._value(node.named_children[0])
        return _ANYTHING

    def _string(self, node: Node) -> Pattern:
        joined = Pattern("", True)
        for child in node.named_children:
            if child.type == "string_fragment":
                joined = joined.joined(Pattern(self.text(child), True))
            elif child.type == "template_substitution" and child.named_child_count == 1:
                joined = joined.joined(self._value(child.named_children[0]))
            else:
                joined = joined.joined(_ANYTHING)
        return joined

    def _name(self, node: Node) -> Pattern:
        text = self.text(node) if node.end_byte - node.start_byte <= 100 else ""
        if text in _HERE:
            return Pattern(".", True)
        value = self.facts.constants.get(text)
        if value is not None:
            return self._value(value)
        holder, part = node.child_by_field_name("object"), node.child_by_field_name("property")
        if holder is not None and part is not None and self.text(part) in _URL_PARTS:
            return self._value(holder)
        return _ANYTHING

    def _call(self, node: Node) -> Pattern:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        given = self.arguments(node)
        name = self.text(function) if function is not None and function.end_byte - function.start_byte <= 100 else ""
        if name == "URL" and len(given) == 2 and self.text(given[1]) == "import.meta.url":
            return relative(self._value(given[0]))
        if name in _TRANSPARENT and given:
            return self._value(given[0])
        if name in self.joins and given:
            return self._joined(given)
        if name in _JOIN_NAMES and given:
            # A function of that name that the file defines puts something before the path.
            path = self._value(given[0])
            return Pattern(f"*{path.text.removeprefix('./')}", False) if path.is_literal and len(given) == 1 else _ANYTHING
        if name.endswith(".toString") and function is not None:
            holder = function.child_by_field_name("object")
            return _ANYTHING if holder is None else self._value(holder)
        return _ANYTHING

    def _joined(self, parts: list[Node]) -> Pattern:
        joined = self._value(parts[0])
        for part in parts[1:]:
            value = self._value(part)
            if value.text.startswith("/"):
                return _ANYTHING
            joined = joined.joined(Pattern("/", True)).joined(value)
        return Pattern(_HERE_ABOVE.sub("", joined.text), joined.is_literal)

    # --- syntax

    def arguments(self, call: Node) -> list[Node]:
        """Return the arguments of a call."""
        listed = call.child_by_field_name("arguments")
        if listed is None or listed.type != "arguments":
            return []
        return [child for child in listed.named_children if child.type != "comment"]

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return text_of(self.parsed, node)

    def raw(self, node: Node) -> bytes:
        """Return the bytes of a node."""
        return self.parsed.text[node.start_byte : node.end_byte]

    def strings_of(self, node: Node) -> list[Pattern]:
        """Return the patterns of a string or of an array of strings."""
        items = node.named_children if node.type == "array" else [node]
        return [self._value(item) for item in items[:_MAX_ALTERNATIVES] if item.type != "comment"]


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return "" if operator is None else operator.type


def relative(pattern: Pattern) -> Pattern:
    """Return the pattern of a path that is relative to the file even without a dot."""
    if pattern.text.startswith(("./", "../", "/", "*")) or re.match(r"[a-z]+:", pattern.text):
        return pattern
    return Pattern("./" + pattern.text, pattern.is_literal)


def joins_imported(parsed: Parsed, facts: Facts) -> frozenset[str]:
    """Return the local names of functions that join paths, as far as the file takes them from a module of paths."""
    found = set()
    for site in facts.sites:
        if site.spec in _PATH_MODULES:
            for name, local in site.names:
                if name in _JOIN_NAMES:
                    found.add(local)
                elif name in ("*", "default"):
                    found.update(f"{local}.{function}" for function in _JOIN_NAMES)
    if b"require('path" in parsed.text or b'require("path' in parsed.text or b"node:path" in parsed.text:
        for match in _PATH_REQUIRED.finditer(parsed.text):
            found.update(name for name in _JOIN_NAMES if re.search(rf"\b{name}\b", match.group(1).decode("utf-8", "replace")))
    return frozenset(found)
