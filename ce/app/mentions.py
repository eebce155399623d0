"""Which files spell the module path, the path or the name of some others: one pass over every text file of a tree."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

__all__ = ["mentions_of", "names_of", "needles_of"]

_ROOTS = ("src/", "lib/", "python/")
_SHOWN = 20


def names_of(path: str) -> tuple[tuple[str, ...], str]:
    """Return the texts that mean a file wherever they stand alone (its path, its name, its dotted module), and its bare module name.

    A module without a package counts only where it is quoted or run: a bare word is too common to mean a file.
    """
    name = path.rpartition("/")[2]
    found = [path] if "/" in path else []
    if name not in ("__init__.py", "__main__.py", "index.js", "index.ts", "mod.rs", "README.md", "index.md"):
        found.append(name)
    bare = ""
    if path.endswith((".py", ".pyi")):
        inside = path
        for root in _ROOTS:
            inside = inside.removeprefix(root)
        module = inside.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
        if "." in module:
            found.append(module)
        else:
            bare = module
    return tuple(dict.fromkeys(found)), bare


def needles_of(path: str) -> tuple[str, ...]:
    """Return the regular expressions that spell a file: its path, its name, its dotted module, its module quoted or run."""
    texts, bare = names_of(path)
    run_or_quoted = [rf"(?:-m\s+|[\"']){re.escape(bare)}(?=[\"':\s]|$)"] if bare else []
    return (*map(_word, texts), *run_or_quoted)


def mentions_of(root: Path, targets: Collection[str], files: Iterable[str], limit: int) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """Return for each target the (path, line) of files other than itself that spell it; files that cannot be read as text spell nothing."""
    from ce.source.text import decode, read_file

    if not targets:
        return {}
    ordered = sorted(targets)
    patterns = [re.compile("|".join(needles_of(target)).encode("utf-8", "surrogateescape"), re.MULTILINE) for target in ordered]
    quick = [_longest_part(target) for target in ordered]
    found: dict[str, list[tuple[str, int]]] = {}
    for path in files:
        data = read_file(root, path, limit=limit)
        if not isinstance(data, bytes):
            continue
        text = decode(data).text_bytes
        for target, pattern, part in zip(ordered, patterns, quick, strict=True):
            if target != path and part in text and len(found.get(target, ())) < _SHOWN:
                match = pattern.search(text)
                if match is not None:
                    found.setdefault(target, []).append((path, text.count(b"\n", 0, match.start()) + 1))
    return {target: tuple(own) for target, own in found.items()}


def _word(text: str) -> str:
    return rf"(?<![\w./-]){re.escape(text)}(?![\w/-])"


def _longest_part(path: str) -> bytes:
    """Return a piece of text that every spelling of the path holds: the stem of its name, or its directory for an `__init__`."""
    stem = path.rpartition("/")[2].partition(".")[0]
    if stem == "__init__":
        stem = path.rpartition("/")[0].rpartition("/")[2] or stem
    return os.fsencode(stem)
