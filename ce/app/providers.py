"""The relations that are measured apart, as far as the parts of this package that measure them exist."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from ce.facts.assemble import PROVIDERS, Provided, Provider, ProviderContext, Row, register

__all__ = ["known_provider"]


def known_provider(name: str) -> Provider | None:
    """Return the provider of that name, or None when nothing in this package measures its relations."""
    if not PROVIDERS:
        register("history", Provider(_history, "1", stamp=_history_stamp))
        register("owners", Provider(_owners, "1", stamp=_owners_stamp))
        register("mentions", Provider(_mentions, "1", layers=("mentions",)))
    return PROVIDERS.get(name)


def _history(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.facts.loaders.history import history

    found = history(context.root, context.files, context.settings.history)
    rows: dict[str, list[Row]] = {
        "churn": [(*row, row[0], 0) for row in found.churn],
        "cochange": [(*row, row[0], 0) for row in found.cochange],
        "age_days": [(*row, row[0], 0) for row in found.age_days],
    }
    return Provided({name: rows.get(name, []) for name in names}, found.problems)


def _history_stamp(context: ProviderContext) -> str:
    from ce.facts.loaders.history import history_stamp

    return history_stamp(context.root, context.settings.history)


def _owners(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.facts.loaders.owners import owners

    found = owners(context.root, context.files)
    return Provided({"owner": [(path, owner, found.source, line) for path, owner, line in found.rows]}, found.problems)


def _owners_stamp(context: ProviderContext) -> str:
    """Return the identity of every file that can hold the owners; they are hidden and not part of the tree."""
    from ce.facts.loaders.owners import PLACES

    stamps = []
    for place in PLACES:
        try:
            status = os.lstat(context.root / place)
        except OSError:
            continue
        stamps.append(f"{place} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}")
    return "\n".join(stamps)


def _mentions(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.extract.measures.mentions import decode_mentions

    problems: list[str] = []

    def rows() -> Iterator[Row]:
        for path, blob in context.layer("mentions"):
            spelled, is_cut = decode_mentions(blob)
            if is_cut:
                problems.append(f"{path}: it spells more names than are kept; `mention` knows the first {len(spelled)}")
            yield from ((name, path, path, 0) for name in spelled)

    found = list(rows()) if "mention" in names else []
    return Provided({"mention": found}, tuple(problems))
