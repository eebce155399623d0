"""The extractions of a tree out of its index, in the order of the paths.

Whoever made the index by hand can have sealed rows that no measurement wrote; these files are measured again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ce.app.sources import BODIES, CORE

if TYPE_CHECKING:
    from ce.facts.records import Extraction
    from ce.store.index import Index

__all__ = ["decoded", "with_bodies"]


def decoded(root: Path, index: Index) -> Iterator[tuple[str, Extraction]]:
    """Yield path and extraction, without what stands in the bodies of the units."""
    from ce.extract.codec import decode_extraction

    for path, blob in index.stream(CORE):
        try:
            yield path, decode_extraction(blob)
        except ValueError:
            yield path, _measured(root, path, (CORE,))


def with_bodies(root: Path, index: Index, extractions: Iterable[tuple[str, Extraction]]) -> Iterator[tuple[str, Extraction]]:
    """Yield path and extraction with the numbers and calls of the units; `extractions` come in the order of the paths."""
    from ce.extract.bodies import with_bodies as joined
    from ce.extract.layers import why_unread

    bodies = index.stream(BODIES)
    measured, blob = next(bodies, ("", b""))
    for path, extraction in extractions:
        if path != measured:
            yield path, extraction
            continue
        try:
            yield path, extraction if why_unread(blob) else joined(extraction, blob)
        except ValueError:
            yield path, _measured(root, path, (CORE, BODIES))
        measured, blob = next(bodies, ("", b""))


def _measured(root: Path, path: str, layers: Sequence[str]) -> Extraction:
    from ce.app.worker import measure_file
    from ce.extract.bodies import with_bodies as joined
    from ce.extract.codec import decode_extraction

    found = measure_file(os.fspath(root), path, layers).layers
    extraction = decode_extraction(found[CORE])
    return joined(extraction, found[BODIES]) if BODIES in found else extraction
