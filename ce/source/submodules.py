"""The submodules that a repository declares in `.gitmodules`."""

from __future__ import annotations

import re

__all__ = ["read_submodules"]

_SECTION = re.compile(r'\s*\[\s*submodule\s+"(?:[^"\\]|\\.)*"\s*\]\s*(?P<rest>.*)', re.IGNORECASE)
_PATH = re.compile(r"\s*path\s*=\s*(?P<value>.*)", re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def read_submodules(data: bytes) -> dict[str, int]:
    """Return the path of every declared submodule, relative to the top of the repository, with the line that declares it."""
    found: dict[str, int] = {}
    inside = False
    for number, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), start=1):
        section = _SECTION.match(line)
        if section is not None:
            inside, line = True, section["rest"]
        elif line.lstrip().startswith("["):
            inside = False
        match = _PATH.fullmatch(line.rstrip("\r")) if inside else None
        if match is not None:
            path = _value(match["value"]).strip("/")
            if path and ".." not in path.split("/"):
                found[path] = number
    return found


def _value(text: str) -> str:
    """Return the value of a line of git's configuration format: quotes and escapes resolved, the comment cut off."""
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return re.sub(r"\\(.)", r"\1", quoted[1])
    return re.split(r"\s[#;]|[#;]", text, maxsplit=1)[0].strip()
