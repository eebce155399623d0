"""References that stand in comments: `@type {import("./x").T}`, `@import { T } from "./x"`, `/// <reference path="x.d.ts" />`,
`@jest-environment ./x.js`.

The first two count in JavaScript alone, where a compiler reads types from comments. All but the last are for types only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft
from ce.extract.languages.line_numbers import LineNumbers
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_comments"]

_TYPE_IMPORT = re.compile(rb"""\bimport\(\s*["']([^"'\n]{1,400})["']\s*\)(?:\.([A-Za-z_$][\w$]*))?""")
_IMPORT_TAG = re.compile(rb"""@import\s+([^"'@]{0,2000}?)\bfrom\s+["']([^"'\n]{1,400})["']""")
_TAG_NAME = re.compile(r"([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?")
_REFERENCE = re.compile(rb"""^[ \t]*///[ \t]*<reference\s+(path|types)\s*=\s*["']([^"'\n]{1,400})["']""", re.MULTILINE)
# A test runner loads the environment of a test file; a single word is a package.
_ENVIRONMENT = re.compile(rb"@(?:vitest|jest)-environment[ \t]+([\w@./-]+\.[cm]?[jt]s)\b")
_HEAD_BYTES = 4_096
_MAX_TYPE_IMPORTS = 2_000
_STAR = re.compile(r"\n[ \t]*\*")


def read_comments(parsed: Parsed, facts: Facts) -> None:
    """Add the references in comments to the sites."""
    assert parsed.tree is not None
    text = parsed.text
    lines = LineNumbers(text)
    root = parsed.tree.root_node
    if b"<reference" in text:
        first = next((child for child in root.named_children if child.type != "comment"), None)
        end = len(text) if first is None else first.start_byte
        for match in _REFERENCE.finditer(text, 0, end):
            _add(facts, "include" if match.group(1) == b"path" else "library", match.group(2), lines, match.start())
    environment = _ENVIRONMENT.search(text, 0, _HEAD_BYTES) if text.find(b"-environment", 0, _HEAD_BYTES) >= 0 else None
    if environment is not None:
        # A path is one from the directory that the runner is started in.
        _add(facts, "dynamic_import", environment.group(1).removeprefix(b"./"), lines, environment.start()).is_type = False
    if parsed.spec.name == "javascript" and (b"import(" in text or b"@import" in text):
        _read_types(parsed, facts, root, lines)


def _read_types(parsed: Parsed, facts: Facts, root: Node, lines: LineNumbers) -> None:
    calls = {node.start_byte for name, node, _ in facts.calls_seen if name == "import"}
    looked = 0
    comment_end = -1  # of the comment that was looked at last
    for match in _TYPE_IMPORT.finditer(parsed.text):
        start = match.start()
        if start in calls or looked >= _MAX_TYPE_IMPORTS:
            continue
        if start >= comment_end:
            looked += 1
            node = root.descendant_for_byte_range(start, start + 1)
            if node is None or node.type != "comment":
                continue
            comment_end = node.end_byte
        site = _add(facts, "import", match.group(1), lines, start)
        if match.group(2):
            site.names.append((match.group(2).decode(), ""))
    for match in _IMPORT_TAG.finditer(parsed.text):
        looked += 1
        node = root.descendant_for_byte_range(match.start(), match.start() + 1) if looked < 2 * _MAX_TYPE_IMPORTS else None
        if node is not None and node.type == "comment":
            site = _add(facts, "import", match.group(2), lines, match.start())
            site.names += _tag_names(_STAR.sub("\n", match.group(1).decode("utf-8", "replace")))


def _tag_names(clause: str) -> list[tuple[str, str]]:
    """Return the names of `T, { A, B as C }` or `* as N`."""
    whole, brace, braced = clause.partition("{")
    names = []
    if "*" in whole:
        namespace = _TAG_NAME.search(whole.partition("as")[2])
        names += [("*", namespace.group(1))] if namespace else []
    elif default := _TAG_NAME.search(whole):
        names.append(("default", default.group(1)))
    if brace:
        names += [(match.group(1), match.group(2) or match.group(1)) for match in _TAG_NAME.finditer(braced)]
    return names


def _add(facts: Facts, kind: str, spec: bytes, lines: LineNumbers, start: int) -> SiteDraft:
    site = SiteDraft(kind, spec.decode("utf-8", "replace"), lines.at(start), -1, start)
    site.is_type = True
    facts.sites.append(site)
    return site
