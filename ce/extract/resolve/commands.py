"""The words of files that start things: build scripts, container files, CI configuration, service files, task runners.

No shell or YAML is parsed. A file is cut into words at whatever cannot be part of a path, a module name or an option, and
each word is offered with the word before it and its place. What a word means is the business of a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ce.extract.resolve.context import Context, base_name, directory_of
from ce.facts.manifests import decode

__all__ = ["Word", "command_words"]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command file: the text, the word before it on the line, the directory of the file, `path:line`."""

    text: str
    before: str
    directory: str
    at: str


_SUFFIXES = (".yml", ".yaml", ".sh", ".bash", ".mk", ".service", ".dockerfile", ".Dockerfile", ".bat", ".cmd", ".ps1")
_NAMES = frozenset({
    "Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", ".justfile", "Procfile", "Jenkinsfile", "Vagrantfile", "Containerfile",
    "Earthfile", "Tiltfile", "tox.ini", "scrapy.cfg", "alembic.ini", "uwsgi.ini", "supervisord.conf", "zappa_settings.json",
    "package.json", "asv.conf.json", "devcontainer.json", "meson.build", "pixi.toml", "wrangler.toml", "netlify.toml",
})  # fmt: skip
_NO_COMMANDS = frozenset({"pnpm-workspace.yaml", "environment.yml", "environment.yaml", "stack.yaml", "package.yaml"})

_WORD = re.compile(r"[A-Za-z0-9_.\-/:]*[A-Za-z0-9_]")
# A variable stands for a directory that is not known here, so what follows it reads as a path from some root.
_VARIABLE = re.compile(r"\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$\(\w+\)|\$\w+|\{\w+\}|%\w+%")
_WINDOWS = (".bat", ".cmd", ".ps1")
_BACKSLASHES = re.compile(r"\\+")
_COMMENT = re.compile(r"\s*(?:#|//|;|REM\b)")
_MAX_WORDS = 50_000  # of one file


def command_words(context: Context) -> Iterator[Word]:
    """Yield the words of every file of the tree that starts things, comments left out, in the order of paths and lines."""
    for path in sorted(context.manifests):
        name = base_name(path)
        if name in _NO_COMMANDS or not (name in _NAMES or name.startswith(("Dockerfile", "Makefile.")) or name.endswith(_SUFFIXES)):
            continue
        directory = directory_of(path)
        count = 0
        for number, line in enumerate(decode(context.manifests[path]).splitlines(), start=1):
            if _COMMENT.match(line):
                continue
            before = ""
            for match in _WORD.finditer(_VARIABLE.sub("", _BACKSLASHES.sub("/", line) if name.endswith(_WINDOWS) else line)):
                text = match.group()
                yield Word(text, before, directory, f"{path}:{number}")
                before = text
                count += 1
            if count > _MAX_WORDS:
                break
