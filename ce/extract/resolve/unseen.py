"""What nobody reads may refer to anything: files that are not checked out, files without a parse, names that are links.

- A sparse checkout and a submodule that is not checked out leave files out that may refer to every file of the tree.
- A file whose text cannot be read as its language may refer to every file of that language; it is itself not judged.
- A symbolic link is a name for its end: what refers to the link, or to a file below a linked directory, refers to what is behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ce.extract.registry import Arm, language_rows
from ce.extract.resolve.context import Context
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.unread import is_unread
from ce.facts.records import Edge, Role

__all__ = ["linked_files", "unseen"]

_MOST = 100_000  # names behind links
_FAMILIES = (frozenset({"c", "cpp"}), frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro", "mdx"}))


def linked_files(links: tuple[tuple[str, str], ...], files: Mapping[str, str]) -> dict[str, str]:
    """Return the names that files have below linked directories, each with the file; links that hold themselves give none."""
    paths = sorted(files)
    found: dict[str, str] = {}
    for link, end in links:
        if end in files or link.startswith(end + "/") or (end + "/").startswith(link + "/"):
            continue
        for path in paths:
            if path.startswith(end + "/") and len(found) < _MOST:
                found.setdefault(link + path[len(end) :], path)
    return {name: path for name, path in found.items() if name not in files}


def unseen(context: Context) -> Conventions:
    """Return what the files that nobody reads mean for the others."""
    inputs = context.inputs
    roles = [Role(path, "foreign", "not checked out") for path in inputs.absent[:1]]
    edges = [Edge(link, end, "contain", 1) for link, end in inputs.links if end in context.files and link not in context.files]
    edges += [Edge(name, path, "contain", 1) for name, path in linked_files(inputs.links, context.files).items()]
    judged = sorted(set(context.files.values()) & {row.language for row in language_rows().values() if row.arm in (Arm.CODE, Arm.DOCUMENT)})
    doubts = [(path, 1, language, "not checked out") for path in inputs.absent[:1] for language in judged]
    doubts += [(path, 1, language, "not read") for path, own in _unread(context, frozenset(judged)) for language in _family(own, judged)]
    return Conventions(roles=tuple(roles), edges=tuple(edges), could_name_any=tuple(doubts))


def _unread(context: Context, judged: frozenset[str]) -> Iterator[tuple[str, str]]:
    for path in context.paths:
        language = context.files[path]
        if language in judged and is_unread(context.extractions.get(path)):
            yield path, language


def _family(language: str, judged: list[str]) -> list[str]:
    family = next((family for family in _FAMILIES if language in family), frozenset({language}))
    return [other for other in judged if other in family]
