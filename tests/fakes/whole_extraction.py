"""The extraction of one file with all that is measured of its units, as tests compare it."""

from __future__ import annotations

from ce.extract.bodies import with_bodies
from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.layers import why_unread
from ce.facts.records import Extraction

__all__ = ["whole_extraction"]


def whole_extraction(path: str, data: bytes) -> Extraction:
    """Return the extraction of the bytes with the numbers and calls of its units."""
    blobs = extract(path, data, ("core", "bodies"))
    extraction = decode_extraction(blobs["core"])
    bodies = blobs.get("bodies")
    return extraction if bodies is None or why_unread(bodies) is not None else with_bodies(extraction, bodies)
