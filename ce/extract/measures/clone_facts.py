"""From the layers of files to the rows of the clone and prose relations."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.blocks import Block, Blocks, blocks_of, groups_of
from ce.extract.measures.crowds import with_crowds
from ce.extract.measures.docpairs import DocPair, doc_pairs
from ce.extract.measures.fingerprints import KGRAM, decode_fingerprints, encode_fingerprints, fingerprints
from ce.extract.measures.periods import told_once
from ce.extract.measures.prose import Segment, decode_prose
from ce.extract.measures.runs import anchor_pairs, matching_runs
from ce.extract.measures.tape import tape_of
from ce.extract.measures.token_blobs import encode_tokens
from ce.extract.measures.tokens import TokenStream, stream_of, token_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ce.extract.parsing import Parsed
    from ce.extract.spec import LanguageSpec

__all__ = [
    "Clones",
    "Prose",
    "covered_units",
    "measure_clones",
    "measure_lexed_tokens",
    "measure_prose",
    "measure_tokens",
    "unit_pairs",
]

_SIZE = struct.Struct("<I")
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Clones:
    """The blocks of a tree. `paths` gives file numbers their path, in their order; `telling` are the blocks that are no boilerplate."""

    paths: tuple[str, ...]
    blocks: Blocks
    telling: NDArray[np.bool_]
    hot: int

    def groups(self) -> list[int]:
        """Return the group of each telling block."""
        told = self.blocks.take(self.telling)
        groups = groups_of((told.a, told.a_start, told.a_end), (told.b, told.b_start, told.b_end), told.tokens)
        places = {place: number for number, group in enumerate(groups) for place in _lines(group.members)}
        return [places[place] for place in zip(told.a.tolist(), told.a_start.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Prose:
    """The segments of a tree as (path, segment), the pairs between live ones by number, and what was left out by reason."""

    segments: tuple[tuple[str, Segment], ...]
    pairs: tuple[DocPair, ...]
    shed: Mapping[str, int]


def measure_tokens(parsed: Parsed) -> bytes:
    """Return the blob of the layer `tokens`: the fingerprints, then the stream."""
    return _token_blob(token_stream(parsed))


def measure_lexed_tokens(spec: LanguageSpec, texts: Sequence[bytes]) -> list[bytes | None]:
    """Return the same blobs without a parse, None where the language has no lexer or the lexer is not certain."""
    if spec.lex is None:
        return [None] * len(texts)
    return [None if leaves is None else _token_blob(stream_of(text, leaves)) for text, leaves in zip(texts, spec.lex(texts), strict=True)]


def _token_blob(stream: TokenStream) -> bytes:
    prints = encode_fingerprints(*fingerprints(stream.codes))
    return _SIZE.pack(len(prints)) + prints + encode_tokens(stream)


def measure_clones(layer: Iterable[tuple[str, bytes]], *, distinct: int, code: int, least: int = KGRAM) -> Clones:
    """Return the blocks of at least `least` tokens. Raises ValueError when a blob is damaged.

    A block tells something when it has at least `distinct` different tokens, and `code` tokens outside import statements.
    Token streams are unpacked for files that share a fingerprint with another place only.
    """
    blobs = sorted(layer)
    anchors = anchor_pairs([_prints(blob) for _, blob in blobs])
    shared = np.unique(np.concatenate((anchors.a, anchors.b))).tolist()
    tape = tape_of({number: _stream(blobs[number][1]) for number in shared}, len(blobs))
    runs = told_once(matching_runs(with_crowds(anchors, tape), tape, least), tape)
    blocks = blocks_of(runs, tape, least)
    telling = (blocks.distinct >= distinct) & (blocks.code >= code)
    return Clones(tuple(path for path, _ in blobs), blocks, telling, anchors.hot)


def measure_prose(layer: Iterable[tuple[str, bytes]]) -> Prose:
    """Return the segments of a tree and the pairs that say the same. Raises ValueError when a blob is damaged."""
    segments: list[tuple[str, Segment]] = []
    shed: dict[str, int] = {}
    for path, blob in sorted(layer):
        found = decode_prose(blob)
        segments += [(path, segment) for segment in found.segments]
        for reason, count in found.shed.items():
            shed[reason] = shed.get(reason, 0) + count
    live = [number for number, (_, segment) in enumerate(segments) if segment.status == "live"]
    pairs = doc_pairs([segments[number][1].words for number in live])
    numbered = tuple(DocPair(live[p.a], live[p.b], p.inter, p.union, p.verbatim, p.words_a, p.words_b, p.contained) for p in pairs)
    return Prose(tuple(segments), numbered, dict(sorted(shed.items())))


def covered_units(start: int, end: int, units: Spans) -> tuple[int, ...]:
    """Return the positions of the units whose lines lie inside a block's side."""
    return tuple(position for position, (first, last) in enumerate(units) if start <= first and last <= end)


def unit_pairs(clones: Clones, units: Mapping[str, Spans]) -> Iterator[tuple[Block, str, int, str, int]]:
    """Yield (block, path, unit, path, unit) where a block covers the same number of whole units on both sides, paired in order."""
    for block in clones.blocks.take(clones.telling).rows():
        a, b = clones.paths[block.a], clones.paths[block.b]
        left = covered_units(block.a_start, block.a_end, units.get(a, ()))
        right = covered_units(block.b_start, block.b_end, units.get(b, ()))
        if len(left) == len(right):
            yield from ((block, a, one, b, two) for one, two in zip(left, right, strict=True))


def _prints(blob: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    try:
        (size,) = _SIZE.unpack_from(blob)
    except struct.error:
        raise ValueError("no token layer") from None
    if _SIZE.size + size > len(blob):
        raise ValueError("a token layer of another length")
    return decode_fingerprints(blob[_SIZE.size : _SIZE.size + size])


def _stream(blob: bytes) -> bytes:
    (size,) = _SIZE.unpack_from(blob)
    return blob[_SIZE.size + size :]


def _lines(members: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield every line of every place, as (file, line)."""
    for file, start, end in members:
        yield from ((file, line) for line in range(start, end + 1))
