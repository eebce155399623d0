"""The plain values around the index: what is asked of a measure, what it returns, what a refresh did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

__all__ = ["Counts", "LayerSpec", "Measure", "Measured", "Refreshed", "Request", "TreeMoved", "content_hash"]


class TreeMoved(Exception):
    """Files or the index changed under this run; refresh again."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a refresh did: `files` measured files, of which `extracted` now and `reused`; `removed` vanished; `skipped` not measured."""

    files: int = 0
    extracted: int = 0
    reused: int = 0
    removed: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class LayerSpec:
    """A layer to keep: `revision` changes with what measuring gives, `wants` says for which paths it is measured."""

    revision: str
    wants: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Request:
    """A file to measure and the layers wanted of it."""

    path: str
    layers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """What measuring a file gave: the hash of the bytes read and a value per layer that applies to the file.

    With `why` set (a skip reason) there are no values; then an empty `digest` says that the bytes could not even be read.
    """

    path: str
    digest: bytes
    layers: Mapping[str, bytes]
    why: str = ""
    detail: str = ""


Measure = Callable[[Sequence[Request]], Iterable[Measured]]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The tree as the index knows it.

    `digests` has one over paths and contents for every layer; `skipped` (path, reason, detail) could not be measured.
    """

    counts: Counts
    digests: Mapping[str, str]
    skipped: tuple[tuple[str, str, str], ...] = ()


def content_hash(data: bytes) -> bytes:
    """Return the hash that contents are kept by."""
    return blake2b(data, digest_size=32).digest()
