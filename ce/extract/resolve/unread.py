"""Which files were measured by their sizes alone."""

from __future__ import annotations

from ce.facts.records import Extraction

__all__ = ["is_unread"]


def is_unread(extraction: Extraction | None) -> bool:
    """Return whether nothing but sizes is known of a file."""
    return extraction is None or any(
        problem.startswith("binary") or problem.endswith("measured by size only") for problem in extraction.problems
    )
