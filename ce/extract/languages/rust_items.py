"""The items of a Rust file: what `use` brings in, where `mod` looks, what attributes and macros say.

A `use` has its leaves as names: the whole path and the local name, `*` for a glob. Further facts are in `extra`: `paths` are the
`#[path]` attributes of the modules without a body, and `inline_paths` those of modules with one, by line; `main` is the line of a function
`main`; `macro_names` the macros that other crates see. A macro may hold module declarations and file names; they are found in its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, text_of
from ce.extract.parsing import Parsed, parse_part
from ce.extract.walker import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

__all__ = ["read_items"]

_COMMENTS = frozenset({"line_comment", "block_comment"})
_USES = frozenset({"use_declaration", "extern_crate_declaration"})
_BODIES = frozenset({"mod_item", "impl_item", "trait_item", "foreign_mod_item"})
_MAX_LEAVES = 2_000  # of one `use`
# Patterns start with the letters that are looked for: a word boundary in front would be tried at every byte.
_PATH = re.compile(r'\bpath\s*=\s*(?:"([^"]*)"|r(#*)"(.*?)"\2)', re.DOTALL)
_DECLARED = re.compile(rb"mod\s+(?:r#)?([^\W\d]\w*)\s*;")
_GENERATED = re.compile(rb"mod\s+\$\w+\s*;")
_INCLUDED = re.compile(
    rb"""include(?:_str|_bytes)?\s*!\s*[\(\[{]\s*
         (?:r?(?P<hash>\#*)"(?P<text>[^"]*)"
           |concat\s*!\s*[\(\[{]\s*env\s*!\s*\(\s*"(?P<variable>\w+)"\s*\)\s*,\s*"(?P<rest>[^"]*)"\s*,?\s*[\)\]}]
           |(?P<other>[^\s]))""",
    re.VERBOSE,
)
_TEMPLATE = re.compile(rb'#\s*\[\s*(?:template|folder)\b[^\]]*?(?:\bpath\s*=\s*|=\s*)"([^"]*)"')
_MODULES_OF_DIRECTORY = re.compile(rb'\bautomod\s*::\s*dir\s*!\s*\(\s*(?:pub(?:\([^)]*\))?\s+)?"([^"]*)"')
_HOLDS_ITEMS = re.compile(rb"\b(?:mod|use|fn|impl|struct|enum|trait|type|const|static)\s")
_ITEM = ("_item", "_declaration", "macro_invocation", "macro_definition", "empty_statement")
_MAX_DEPTH = 4  # of macros in macros
_TEXTS = frozenset({"string_literal", "string_content", "raw_string_literal", "escape_sequence", "char_literal", *_COMMENTS})
_TREES = frozenset({"token_tree", "token_repetition", "macro_invocation", "token_tree_pattern"})


def read_items(parsed: Parsed, facts: Facts) -> None:
    """Add names to the sites, sites from macros, attributes to the units."""
    items = _Items(parsed, facts)
    items.read()
    covered = _read_macros(parsed, facts, items)
    items.macros(covered)
    facts.sites.sort(key=lambda site: site.start)
    facts.dynamic.sort()
    for kind, found in (("paths", items.paths), ("inline_paths", items.inline_paths)):
        if found:
            facts.extra[kind] = found
    for unit in facts.units:
        if unit.parent < 0 and unit.name == "main" and unit.kind.kind == "fn":
            facts.extra["main"] = unit.start


def _read_macros(parsed: Parsed, facts: Facts, items: _Items) -> list[tuple[int, int]]:
    """Measure the items that braces of macros hold, as those of the file itself; return the extents of these braces.

    Macros that only choose by configuration are written around items: `cfg_if! { … }`, `cfg_net! { mod tcp; }`.
    """
    covered = []
    waiting = [(node, owner, 0) for node, owner in items.invoked]
    while waiting:
        node, owner, depth = waiting.pop(0)
        for start, end, part in _parts(parsed, node):
            inner = walk(part, bodies=facts.has_bodies)
            below = _Items(part, inner)
            below.read()
            items.paths.update(below.paths)
            items.inline_paths.update(below.inline_paths)
            first = len(facts.units)
            _merge(facts, inner, owner)
            covered.append((start, end))
            if depth < _MAX_DEPTH:
                waiting += [(one, owner if at < 0 else at + first, depth + 1) for one, at in below.invoked]
    if covered:
        seen: dict[tuple[int, str], int] = {}
        for unit in facts.units:
            place = (unit.parent, unit.key)
            unit.nth = seen.get(place, 0)
            seen[place] = unit.nth + 1
    return _joined(covered)


def _joined(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the extents in order, those within others left out."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(extents):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _is_within(place: int, extents: list[tuple[int, int]]) -> bool:
    before = bisect_right(extents, (place, 1 << 62)) - 1
    return before >= 0 and place < extents[before][1]


def _parts(parsed: Parsed, macro: Node) -> Iterator[tuple[int, int, Parsed]]:
    """Yield the braces of a macro that hold items and nothing else: all of it, or, where it has branches, each of them."""
    tree = macro.named_child(macro.named_child_count - 1)
    if tree is None or tree.type != "token_tree" or not _HOLDS_ITEMS.search(parsed.text, tree.start_byte, tree.end_byte):
        return
    for braces in (tree, *(child for child in tree.named_children if child.type == "token_tree")):
        start, end = braces.start_byte + 1, braces.end_byte - 1
        if start >= end or parsed.text[start - 1 : start] != b"{":
            continue
        if not _HOLDS_ITEMS.search(parsed.text, start, end):
            continue
        (row, column), (last, width) = braces.start_point, braces.end_point
        part = parse_part(parsed, start, end, ((row, column + 1), (last, width - 1)))
        if part is not None and part.tree is not None and _are_items(part.tree.root_node):
            yield start, end, part
            if braces is tree:
                return


def _are_items(root: Node) -> bool:
    return not root.has_error and all(child.type.endswith(_ITEM) or child.type in _COMMENTS for child in root.named_children)


def _merge(facts: Facts, inner: Facts, owner: int) -> None:
    """Add the units, sites and calls of a part; what stands at its top stands in `owner`."""
    first = len(facts.units)
    for unit in inner.units:
        unit.index += first
        unit.parent = owner if unit.parent < 0 else unit.parent + first
    for site in inner.sites:
        site.owner = owner if site.owner < 0 else site.owner + first
    facts.units += inner.units
    facts.sites += inner.sites
    facts.calls_seen += [(name, node, owner if at < 0 else at + first) for name, node, at in inner.calls_seen]


class _Items:
    def __init__(self, parsed: Parsed, facts: Facts) -> None:
        assert parsed.tree is not None
        self.parsed = parsed
        self.facts = facts
        self.root = parsed.tree.root_node
        self.units = {unit.node.id: unit for unit in facts.units if unit.node is not None}
        self.sites = {site.start: site for site in facts.sites}
        self.paths: dict[str, list[str]] = {}  # line of a module without a body to where its attributes say it is
        self.inline_paths: dict[str, str] = {}
        self.statements: dict[int, Node] = {}  # those of `use` in the place of items, by their start
        self.invoked: list[tuple[Node, int]] = []  # macros in the place of items, with the unit around

    def read(self) -> None:
        """Read what `use` takes and what attributes say."""
        self.attributes()
        self.uses()

    # --- use

    def uses(self) -> None:
        """Give every `use` its leaves; one that starts with a brace becomes a site for each entry."""
        kept: list[SiteDraft] = []
        for site in self.facts.sites:
            if site.kind != "use":
                kept.append(site)
                continue
            node = self._statement(site)
            if node is None:
                kept.append(site)
                continue
            if any(child.type == "visibility_modifier" for child in node.named_children):
                site.mode = "reexport"
            argument = node.child_by_field_name("argument")
            if argument is None:
                alias = node.child_by_field_name("alias")
                name = site.spec.removeprefix("::")
                site.names.append((site.spec, name if alias is None else self._text(alias)))
                kept.append(site)
            elif argument.type == "use_list":
                kept += [self._entry(site, entry) for entry in argument.named_children if entry.type not in _COMMENTS]
            else:
                site.spec = _first_line(self._text(argument))
                site.names = list(self._leaves(argument))
                kept.append(site)
        self.facts.sites[:] = kept

    def _statement(self, site: SiteDraft) -> Node | None:
        node = self.statements.get(site.start) or self.root.descendant_for_byte_range(site.start, site.start + 1)
        while node is not None and node.type not in _USES:
            node = node.parent
        return node

    def _entry(self, site: SiteDraft, entry: Node) -> SiteDraft:
        one = SiteDraft("use", _first_line(self._text(entry)), entry.start_point[0] + 1, site.owner, entry.start_byte)
        one.around, one.mode = site.around, site.mode
        one.names = list(self._leaves(entry))
        return one

    def _leaves(self, argument: Node) -> Iterator[tuple[str, str]]:
        """Yield the paths that a `use` ends in, with their local names."""
        stack: list[tuple[Node, str]] = [(argument, "")]
        for _ in range(_MAX_LEAVES):
            if not stack:
                return
            node, prefix = stack.pop()
            kind = node.type
            if kind == "scoped_use_list":
                path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
                # `::{a, b}` has no path, and means crates.
                below = prefix + (self._path(path) + "::" if path is not None else "::")
                stack += [(child, below) for child in reversed(listed.named_children)] if listed is not None else []
            elif kind == "use_list":
                stack += [(child, prefix) for child in reversed(node.named_children)]
            elif kind == "use_as_clause":
                path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
                if path is not None and alias is not None:
                    yield _without_self(prefix + self._path(path)), self._text(alias)
            elif kind == "use_wildcard":
                inner = self._path(node).removesuffix("*").removesuffix("::")
                yield (prefix + inner).removesuffix("::") + "::*", "*"
            elif kind not in _COMMENTS:
                path_text = _without_self(prefix + self._path(node))
                yield path_text, path_text.rpartition("::")[2]

    def _path(self, node: Node) -> str:
        return "".join(self._text(node).split()).replace("r#", "")

    # --- attributes

    def attributes(self) -> None:
        """Give units their attributes, modules the paths that these say, and find the macros in the place of items."""
        stack = [(self.root, -1)]
        while stack:
            pending: list[str] = []
            holder, owner = stack.pop()
            for child in holder.named_children:
                kind = child.type
                if kind == "attribute_item":
                    pending.append(self._text(child)[2:-1].strip())
                    continue
                if kind in _COMMENTS:
                    continue
                if pending:
                    self._attributed(child, pending)
                    pending = []
                if kind in _USES:
                    self.statements[child.start_byte] = child
                elif kind == "macro_invocation":
                    self.invoked.append((child, owner))
                if kind == "impl_item":
                    trait, unit = child.child_by_field_name("trait"), self.units.get(child.id)
                    if trait is not None and unit is not None:
                        unit.bases = [self._text(trait)]
                if kind in _BODIES:
                    body = child.child_by_field_name("body")
                    if body is not None:
                        around = self.units.get(child.id)
                        stack.append((body, owner if around is None else around.index))

    def _attributed(self, item: Node, attributes: list[str]) -> None:
        unit = self.units.get(item.id)
        if unit is not None:
            unit.decorators = attributes
            unit.is_exported = item.type == "macro_definition" and any(text.startswith("macro_export") for text in attributes)
        site = self.sites.get(item.start_byte)
        if site is not None and site.mode == "runtime" and any(text.startswith("cfg") for text in attributes):
            site.mode = "conditional"
        if item.type == "mod_item":
            paths = [found[0] or found[2] for text in attributes if "path" in text for found in _PATH.findall(text)]
            if paths:
                line = str(item.start_point[0] + 1)
                if item.child_by_field_name("body") is None:
                    # An attribute under a condition leaves the usual place to the other case.
                    is_certain = any(text.startswith("path") for text in attributes)
                    self.paths[line] = paths if is_certain else [*paths, ""]
                else:
                    self.inline_paths[line] = paths[0]

    # --- macros

    def macros(self, covered: list[tuple[int, int]]) -> None:
        """Open sites for what the text of macros declares and includes; the items in `covered` are read already."""
        text = self.parsed.text
        if b"!" in text and b"mod" in text:
            for match in _DECLARED.finditer(text):
                if self._in_macro(match.start()) and not _is_within(match.start(), covered):
                    self._site("mod_decl", match.group(1).decode("utf-8", "replace"), match.start(), "conditional")
        for match in _GENERATED.finditer(text) if b"mod" in text else ():
            if self._in_macro(match.start()):
                self.facts.dynamic.append((self._line(match.start()), "macro", "*"))
        if b"include" in text:
            for match in _INCLUDED.finditer(text):
                self._included(match)
        if b"automod" in text:
            for match in _MODULES_OF_DIRECTORY.finditer(text):
                if self._is_code(match.start()):
                    self._site("load", "/" + match.group(1).decode("utf-8", "replace").rstrip("/") + "/*.rs", match.start())
        if b"template" in text or b"folder" in text:
            for match in _TEMPLATE.finditer(text):
                if self._is_code(match.start()):
                    prefix = "/" if b"folder" in match.group() else "/templates/"
                    self._site("load", prefix + match.group(1).decode("utf-8", "replace"), match.start())

    def _included(self, match: re.Match[bytes]) -> None:
        start = match.start()
        if not self._is_code(start):
            return
        variable, literal = match.group("variable"), match.group("text")
        if literal is not None:
            self._site("include", literal.decode("utf-8", "replace"), start)
        elif variable == b"CARGO_MANIFEST_DIR":
            self._site("include", "/" + match.group("rest").decode("utf-8", "replace").lstrip("/"), start)
        elif variable != b"OUT_DIR":  # what a build script writes there is outside of the tree
            self.facts.dynamic.append((self._line(start), "include", "*"))

    def _site(self, kind: str, spec: str, start: int, mode: str = "runtime") -> None:
        site = SiteDraft(kind, spec, self._line(start), self._owner(start), start)
        site.mode = mode
        self.facts.sites.append(site)

    def _owner(self, start: int) -> int:
        """Return the innermost unit at a place: the one that starts last before it, or one around that."""
        before = bisect_right(self.by_start, (start, 1 << 62)) - 1
        index = self.by_start[before][1] if before >= 0 else -1
        while index >= 0 and self.facts.units[index].end_byte <= start:
            index = self.facts.units[index].parent
        return index

    @cached_property
    def by_start(self) -> list[tuple[int, int]]:
        """The units by their first byte."""
        return sorted((unit.node.start_byte, unit.index) for unit in self.facts.units if unit.node is not None)

    @cached_property
    def breaks(self) -> list[int]:
        """The places of the line ends."""
        return [match.start() for match in re.finditer(rb"\n", self.parsed.text)]

    def _line(self, start: int) -> int:
        return bisect_left(self.breaks, start) + 1

    def _is_code(self, start: int) -> bool:
        node = self.root.descendant_for_byte_range(start, start + 1)
        if start and (self.parsed.text[start - 1 : start].isalnum() or self.parsed.text[start - 1 : start] == b"_"):
            return False
        return node is not None and node.type not in _TEXTS and node.type != "doc_comment"

    def _in_macro(self, start: int) -> bool:
        node = self.root.descendant_for_byte_range(start, start + 1)
        return self._is_code(start) and node is not None and node.parent is not None and node.parent.type in _TREES

    def _text(self, node: Node) -> str:
        return text_of(self.parsed, node)


def _without_self(path: str) -> str:
    return path.removesuffix("::self") if path != "self" else path


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].strip()
