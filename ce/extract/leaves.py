"""The leaves of a file's tree as tokens: what a walk over the tree gives, or a lexer that gives the same without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IDENTIFIER", "LITERAL", "Leaves", "Range", "fnv1a"]

IDENTIFIER, LITERAL = b"\x01ID", b"\x02LIT"
_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """Parallel columns over the tokens of a file, in order.

    `kinds` are indexes into `hashes`, which is `fnv1a` of the normalised token (uint64): of `IDENTIFIER`, of `LITERAL` or of its kind in
    the grammar. `starts` are the offsets of first bytes, `tails` those of a byte on the line where the token ends (int64). `imports`
    tells the tokens of import statements. `comments` are the offsets of comments, in order.
    """

    hashes: NDArray[np.uint64]
    kinds: NDArray[np.integer]
    starts: NDArray[np.int64]
    tails: NDArray[np.int64]
    imports: NDArray[np.bool_]
    comments: list[Range]


def fnv1a(data: bytes) -> int:
    """Return FNV-1a, 64 bits."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value
