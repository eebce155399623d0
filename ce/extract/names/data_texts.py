"""Files that are data: the texts in them that look like the dotted name of something, `pkg.mod:func` or `pkg.mod.Class`."""

from __future__ import annotations

import json
import re

__all__ = ["DATA_SUFFIXES", "data_texts", "decode_texts", "encode_texts"]

DATA_SUFFIXES = (".toml", ".cfg", ".ini", ".conf", ".json", ".jsonc", ".yaml", ".yml")

_PARTS = rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_NAME = re.compile(rb"(?<![\w./@-])(?:" + _PARTS + rb":" + _PARTS + rb"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w/@-])")
_LARGEST = 1 << 20  # bytes of a file: what is larger holds records, no settings
_MOST = 5_000  # texts of a file
_LONGEST = 200
_LAST_LINE = 2**31


def data_texts(text: bytes) -> list[tuple[int, str]]:
    """Return (line, text) of the texts in a file that could be dotted names, each once where it is first."""
    if len(text) > _LARGEST:
        return []
    found: dict[bytes, int] = {}
    line, counted = 1, 0
    for match in _NAME.finditer(text):
        name = match.group()
        if name not in found and len(name) <= _LONGEST:
            line += text.count(b"\n", counted, match.start())
            counted = match.start()
            found[name] = line
            if len(found) == _MOST:
                break
    return [(line, name.decode()) for name, line in found.items()]


def encode_texts(texts: list[tuple[int, str]]) -> bytes:
    """Return the texts as bytes; nothing for none."""
    return json.dumps(texts).encode() if texts else b""


def decode_texts(blob: bytes) -> tuple[tuple[int, str], ...]:
    """Return the texts that were encoded; other bytes are a `ValueError`."""
    if not blob:
        return ()
    try:
        found = json.loads(blob)
    except RecursionError as error:
        raise ValueError(str(error)) from None
    if not isinstance(found, list):
        raise ValueError("not a list of texts")
    for row in found:
        if not isinstance(row, list) or [type(value) for value in row] != [int, str] or not 0 < row[0] < _LAST_LINE:
            raise ValueError("not a line and a text")
    return tuple((line, text) for line, text in found)
