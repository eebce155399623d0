"""The identifier mention table of a file: every identifier that it spells, whatever the language.

A run opens on a letter, `_` or `$` and goes on over letters, digits, `_` and `$`. A run is
mentioned, and so is every maximal piece of ASCII identifier characters in it that opens a run, and every maximal piece without `$`
except in languages where `$` is a letter.
"""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["MAX_TOKENS", "decode_mentions", "measure_mentions", "mentioned_names"]

MAX_TOKENS = 65_536
_RUN = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
_ASCII_RUN = re.compile(rb"[A-Za-z_$][\w$]*")
_ASCII_PIECE = re.compile(r"[A-Za-z0-9_$]+")
_DOLLAR_FREE_PIECE = re.compile(r"\w+")
_DOLLAR_IS_LETTER = frozenset({"ts", "tsx", "mts", "cts", "js", "mjs", "cjs", "jsx", "vue", "svelte", "java"})
_CUT = b"\0"  # the first byte of the table of a file with more than `MAX_TOKENS` names


def measure_mentions(path: str, text: bytes) -> bytes:
    """Return the sorted names, one a line; a table that had to be cut starts with a NUL."""
    names = sorted(mentioned_names(path, text))
    cut = _CUT if len(names) > MAX_TOKENS else b""
    return cut + "\n".join(names[:MAX_TOKENS]).encode("utf-8", "replace")


def decode_mentions(blob: bytes) -> tuple[tuple[str, ...], bool]:
    """Return the names and whether some were cut; bytes that no measurement writes are a `ValueError`."""
    is_cut = blob.startswith(_CUT)
    names = tuple(blob.removeprefix(_CUT).decode("utf-8").split("\n")) if blob.removeprefix(_CUT) else ()
    if any(not first < second for first, second in pairwise(names)) or not all(map(_RUN.fullmatch, names)):
        raise ValueError("not a table of mentions")
    return names, is_cut


def mentioned_names(path: str, text: bytes) -> set[str]:
    """Return every name the text spells."""
    dollar_is_letter = path.rpartition(".")[2].lower() in _DOLLAR_IS_LETTER
    if text.isascii():
        names = {run.decode("ascii") for run in set(_ASCII_RUN.findall(text))}
    else:
        names = set(_RUN.findall(text.decode("utf-8", "replace")))
        for name in [name for name in names if not name.isascii()]:
            names.update(_pieces(name, _ASCII_PIECE))
    if not dollar_is_letter:
        for name in [name for name in names if "$" in name]:
            names.update(_pieces(name, _DOLLAR_FREE_PIECE))
    return names


def _pieces(run: str, piece: re.Pattern[str]) -> list[str]:
    return [found for found in piece.findall(run) if found != run and not found[0].isnumeric()]
