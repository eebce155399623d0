"""From a walked tree and its extractions to what resolution and assembly take."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ce.extract.registry import Arm, language_of, language_rows
from ce.source.tree import Tree

if TYPE_CHECKING:
    from ce.facts.assemble.tree import TreeFacts
    from ce.facts.records import Extraction, Resolution, TreeInputs
    from ce.source.settings import Settings

__all__ = ["Summary", "decode_texts", "inputs_of", "is_extracted", "is_reader_extracted", "plain_facts", "summarise", "tree_facts"]

_JUDGED = (Arm.CODE, Arm.DOCUMENT)


@dataclass(frozen=True, slots=True)
class Summary:
    """What the extractions say about whole files: `languages` of the measured ones, remarks by path, both sorted by path."""

    languages: Mapping[str, str]
    remarks: tuple[tuple[str, str], ...]

    def encode(self) -> bytes:
        """Return the summary as bytes."""
        return json.dumps([dict(self.languages), self.remarks]).encode()

    @classmethod
    def decode(cls, data: bytes) -> Summary | None:
        """Return the summary of the bytes, or None when they are something else."""
        try:
            languages, remarks = json.loads(data)
            if not isinstance(languages, dict):
                return None
            return cls({str(path): str(name) for path, name in languages.items()}, tuple((str(path), str(text)) for path, text in remarks))
        except (ValueError, TypeError, RecursionError):
            return None


def decode_texts(data: bytes | None) -> tuple[str, ...] | None:
    """Return the texts of a JSON list, or None when the bytes are something else."""
    try:
        texts = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return tuple(map(str, texts)) if isinstance(texts, list) else None


def summarise(extractions: Mapping[str, Extraction]) -> Summary:
    """Return the summary of all extractions."""
    remarks = [(path, problem) for path, extraction in sorted(extractions.items()) for problem in extraction.problems]
    return Summary({path: extraction.lang for path, extraction in sorted(extractions.items())}, tuple(remarks))


def is_extracted(path: str) -> bool:
    """Tell whether the core layer wants the path; a name without a suffix may be a script, which its first line tells."""
    from ce.extract.layers import LAYERS

    row = language_of(path)
    if row is None:
        return "." not in path.rpartition("/")[2].lstrip(".")
    return LAYERS["core"].wants(row)


def is_reader_extracted(path: str) -> bool:
    """Tell whether a file that is only read can refer to others."""
    row = language_of(path)
    return row is not None and row.is_specified and row.arm in (*_JUDGED, Arm.READ)


def inputs_of(tree: Tree, settings: Settings, summary: Summary, manifests: Mapping[str, bytes]) -> TreeInputs:
    """Return what resolution knows about the tree beside the extractions."""
    from ce.extract.resolve.unseen import linked_files
    from ce.facts.records import TreeInputs

    readers = [reader.file.path for reader in tree.readers if reader.file.path in summary.languages]
    files = {path: _language(path, summary) for path in sorted([*tree.paths, *readers])}
    absent = tuple(sorted({*tree.absent, *tree.missing_submodules}))
    unread = {skipped.path for skipped in tree.skipped} | {reader.file.path for reader in tree.readers} | set(tree.absent)
    unread |= linked_files(tree.links, files).keys()
    return TreeInputs(
        files=files,
        skipped=frozenset(path for path in unread if path not in files),
        manifests=manifests,
        entry_globs=settings.graph.entry_globs,
        search_roots=dict(settings.graph.search_roots),
        crate_roots=settings.graph.crate_roots,
        project_kind=settings.project.kind,
        links=tree.links,
        absent=absent,
        foreign=tuple(skipped.path.rstrip("/") for skipped in tree.skipped if skipped.why == "submodule"),
    )


def tree_facts(
    tree: Tree,
    settings: Settings,
    summary: Summary,
    resolution: Resolution,
    skipped: tuple[tuple[str, str, str], ...],
    extractions: Callable[[], Iterator[tuple[str, Extraction]]],
    with_bodies: Callable[[], Iterator[tuple[str, Extraction]]],
) -> TreeFacts:
    """Return the measured tree as assembly takes it. A file that is only read is an entry of its own: nobody here judges it."""
    from ce.facts.assemble.tree import TreeFacts
    from ce.facts.records import Role

    arms = {row.language: row for row in language_rows().values()}
    readers = {reader.file.path: reader.why for reader in tree.readers if reader.file.path in summary.languages}
    languages = {path: _language(path, summary) for path in sorted([*tree.paths, *readers])}
    unmeasured = {path: why for path, why, _ in skipped}
    kinds = {}
    for path, language in languages.items():
        row = arms.get(language)
        if path in readers or path in unmeasured:
            continue
        if row is None:
            unmeasured[path] = "unknown_language"
        elif row.arm is Arm.PROSE:
            kinds[path] = "prose"
        elif row.arm in _JUDGED and row.is_specified:
            kinds[path] = "file"
        elif row.arm in _JUDGED:
            unmeasured[path] = "unsupported_language"
    read = {role.path for role in resolution.roles if role.role == "foreign"}
    foreign = tuple(Role(path, "foreign", f"only read: {why}") for path, why in sorted(readers.items()) if path not in read)
    return TreeFacts(
        languages=languages,
        kinds=kinds,
        resolution=replace(resolution, roles=(*resolution.roles, *foreign)),
        extractions=extractions,
        skipped=tuple(sorted({*((found.path, found.why) for found in tree.skipped), *unmeasured.items()})),
        classes=tuple((rule.name, rule.globs) for rule in settings.rules.classes),
        with_bodies=with_bodies,
    )


def plain_facts(tree: Tree) -> TreeFacts:
    """Return a tree of which only the files are known, as assembly takes it."""
    from ce.facts.assemble.tree import TreeFacts
    from ce.facts.records import Resolution

    paths = sorted([*tree.paths, *(reader.file.path for reader in tree.readers)])
    return TreeFacts(dict.fromkeys(paths, ""), {}, Resolution((), (), (), (), (), ()), lambda: iter(()))


def _language(path: str, summary: Summary) -> str:
    if path in summary.languages:
        return summary.languages[path]
    row = language_of(path)
    return "" if row is None else row.language
