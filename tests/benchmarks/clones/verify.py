"""Read both sides of every reported block again and compare them, by a way that shares nothing with the search.

    python -m tests.benchmarks.clones.verify ROOT

Each file is parsed and its tree walked (no lexer, no fingerprints, no index). A block holds when its lines contain, on both sides, a run
of its length that begins on the first and ends on the last line, token for token the same, with as many different tokens as it says. It
is `T1` exactly when there are lines that hold code of the run alone, and they are the same bytes once comments and blanks are taken away.
Prints counts, and each block that does not hold; returns 1 when there is one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ce.extract.languages import language_spec
from ce.extract.measures.tokens import TokenStream, leaves_of
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of
from ce.source.text import decode
from tests.benchmarks.clones.differ import stream_at
from tests.benchmarks.clones.running import ce_command


def main() -> int:
    """Verify the blocks of the tree that the command line names."""
    root = Path(sys.argv[1])
    done = subprocess.run(ce_command(sys.executable, "dedup", str(root), "--format", "json"), capture_output=True, check=True)
    document = json.loads(done.stdout)
    counts: Counter[str] = Counter()
    for block in document["blocks"]:
        fault = fault_of(root, block)
        counts[fault or f"holds, {block['kind']}"] += 1
        if fault:
            print(f"{fault}: {json.dumps(block)}")
    for what, count in sorted(counts.items()):
        print(f"{count:8} {what}")
    return 1 if any(not what.startswith("holds") for what in counts) else 0


def fault_of(root: Path, block: dict[str, Any]) -> str:
    """Return what is wrong with a block, empty when it holds."""
    a, b, length = block["a"], block["b"], block["tokens"]
    x, y = stream_at(root, a["path"]), stream_at(root, b["path"])
    if x is None or y is None:
        return "not parsed"
    lefts, rights = _runs(x, a["start"], a["end"], length), _runs(y, b["start"], b["end"], length)
    shared = [
        (left, right)
        for left in lefts
        for right in rights
        if (a["path"] != b["path"] or left + length <= right) and np.array_equal(_codes(x, left, length), _codes(y, right, length))
    ]
    if not shared:
        return "no such run"
    if all(len(np.unique(_codes(x, left, length))) != block["distinct"] for left, _ in shared):
        return "another number of different tokens"
    kinds = set()
    for left, right in shared:
        told, other = _text(root, a["path"], x, left, length), _text(root, b["path"], y, right, length)
        kinds.add("T1" if told and told == other else "T2")
    return "" if block["kind"] in kinds else "another kind"


def _runs(stream: TokenStream, start: int, end: int, length: int) -> list[int]:
    """Return the first tokens of the runs of so many tokens that begin on the first line and end on the last."""
    first = np.flatnonzero(stream.starts == start)
    first = first[first + length <= len(stream)]
    return [int(token) for token in first if stream.ends[token + length - 1] == end]


def _codes(stream: TokenStream, first: int, length: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.asarray(stream.vocabulary[stream.indexes[first : first + length]], np.uint64)


def _text(root: Path, path: str, stream: TokenStream, first: int, length: int) -> list[bytes]:
    """Return the code of the lines that hold code of the run and of no other token."""
    behind = first + length
    start, end = int(stream.starts[first]), int(stream.ends[behind - 1])
    if first and int(stream.ends[first - 1]) >= start:
        start += 1
    if behind < len(stream) and int(stream.starts[behind]) <= end:
        end -= 1
    return [line for line in _bare_lines(root, path)[start - 1 : end] if line]


@lru_cache(maxsize=4096)
def _bare_lines(root: Path, path: str) -> list[bytes]:
    """Return the lines of a file without comments and blanks."""
    row = language_of(path)
    assert row is not None
    parsed = parse(path, language_spec(row.language), decode((root / path).read_bytes()).text_bytes)
    assert isinstance(parsed, Parsed)
    text = bytearray(parsed.text)
    for start, end in leaves_of(parsed).comments:
        for place in range(start, end):
            if text[place] != 10:
                text[place] = 32
    return [b"".join(line.split()) for line in bytes(text).split(b"\n")]


if __name__ == "__main__":
    sys.exit(main())
