"""How well a file parses, as a number that only gets worse when an edit breaks it."""

from __future__ import annotations

from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of
from ce.source.text import decode

__all__ = ["syntax_errors"]


def syntax_errors(path: str, data: bytes) -> int | None:
    """Return how many error and missing nodes the tree of a file has, None when it cannot be parsed.

    A language without a grammar has none. Python accepts a block without a statement only in the eyes of the grammar, so an empty
    block counts as an error.
    """
    row = language_of(path, data[:256])
    source = decode(data)
    if source.is_binary:
        return None
    if row is None or row.language not in LANGUAGES:
        return 0
    parsed = parse(path, language_spec(row.language), source.text_bytes)
    if not isinstance(parsed, Parsed):
        return None
    if parsed.tree is None:
        return 0
    errors = 0
    pending = [parsed.tree.root_node]
    while pending:
        node = pending.pop()
        errors += node.is_error or node.is_missing
        errors += node.type == "block" and not any(child.type != "comment" for child in node.named_children) and row.language == "python"
        if node.has_error or row.language == "python":
            pending.extend(node.children)
    return errors
