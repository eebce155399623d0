"""Rockspecs as plain values. A rockspec is a Lua program that assigns tables; its literal entries are read, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ce.extract.resolve.context import directory_of, join, normal_path
from ce.facts.manifests import decode

__all__ = ["Rockspec", "read_rockspec"]


@dataclass(frozen=True, slots=True)
class Rockspec:
    """What a rock installs, as paths of the tree, and the rocks that it needs."""

    path: str
    modules: Mapping[str, str]
    programs: tuple[str, ...]
    directories: tuple[str, ...]
    dependencies: tuple[str, ...]


_COMMENT = re.compile(r"--\[(=*)\[.*?\]\1\]|--[^\n]*", re.DOTALL)
_ENTRY = re.compile(r"""(?:\[\s*["']([^"'\n]+)["']\s*\]|([A-Za-z_]\w*))\s*=\s*["']([^"'\n]+)["']""")
_STRING = re.compile(r"""["']([^"'\n]+)["']""")
_FIRST = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
_MAX_BYTES = 1 << 18


def read_rockspec(data: bytes, path: str) -> Rockspec:
    """Return the rockspec; what is not literal is left out."""
    text = _COMMENT.sub("", decode(data[:_MAX_BYTES]))
    directory = directory_of(path)
    modules = {}
    for match in _ENTRY.finditer(_table(text, "modules") + _table(text, "lua")):
        place = _path(directory, match.group(3))
        if place.endswith(".lua"):
            modules[match.group(1) or match.group(2)] = place
    programs = [_path(directory, match.group(1)) for match in re.finditer(r"""=?\s*["']([^"'\n]+)["'](?!\s*\])""", _table(text, "bin"))]
    copied = [_path(directory, name) for name in _STRING.findall(_table(text, "copy_directories"))]
    needed = [found.group().rpartition("/")[2] for name in _STRING.findall(_table(text, "dependencies")) if (found := _FIRST.match(name))]
    return Rockspec(path, dict(sorted(modules.items())), tuple(programs), tuple(filter(None, copied)), tuple(sorted(set(needed) - {"lua"})))


def _path(directory: str, name: str) -> str:
    return normal_path(join(directory, name)) or ""


def _table(text: str, name: str) -> str:
    """Return what stands between the braces of the first table of that name."""
    opening = re.search(rf"(?<![\w.\"'])(?:\[[\"'])?{name}(?:[\"']\])?\s*=\s*\{{", text)
    if opening is None:
        return ""
    level = 1
    for match in re.compile(r"[{}]").finditer(text, opening.end()):
        level += 1 if match.group() == "{" else -1
        if level == 0:
            return text[opening.end() : match.start()]
    return text[opening.end() :]
