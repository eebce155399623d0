"""Words of prose: runs of letters and digits, folded, and the 5-word shingles over them.

A combining mark belongs to its letter; scripts that are written without spaces give one word for each character, so that a shingle
is an n-gram of characters there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["SHINGLE", "shingles", "word_hashes", "words"]

SHINGLE = 5
_BASE = 1_000_003
_ASCII = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
# Han, kana, Thai, Lao, Khmer, Myanmar, Tibetan: no spaces between words.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x0F00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x20000, 0x3FFFF),
)  # fmt: skip
_FIRST_MARK = "\u0300"


def words(text: str) -> list[str]:
    """Return the words of a text in order, lower case and composed (NFC)."""
    if text.isascii():
        return _ASCII.findall(text.lower())
    folded = unicodedata.normalize("NFC", text).lower()
    # Lower case may decompose again, as in a dotted capital I.
    folded = unicodedata.normalize("NFC", folded)
    if max(folded) < _FIRST_MARK:
        return _WORD.findall(folded)
    return list(_split(folded))


def word_hashes(found: Iterable[str]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each word."""
    return np.fromiter(map(_hash, found), np.uint64)


def shingles(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hash of every run of five words, in order; nothing for fewer than five."""
    count = len(hashes) - SHINGLE + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    value = np.zeros(count, np.uint64)
    for offset in range(SHINGLE):
        value = value * np.uint64(_BASE) + hashes[offset : offset + count]
    return value


def _split(text: str) -> Iterable[str]:
    word = ""
    for character in text:
        if character.isalnum():
            if _is_unspaced(ord(character)):
                if word:
                    yield word
                    word = ""
                yield character
            else:
                word += character
        elif unicodedata.category(character).startswith("M") and (word or _is_unspaced(ord(character))):
            word += character if word else ""
        elif word:
            yield word
            word = ""
    if word:
        yield word


@lru_cache(maxsize=4096)
def _is_unspaced(code: int) -> bool:
    return any(first <= code <= last for first, last in _UNSPACED)


@lru_cache(maxsize=262_144)
def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
