"""Files that something outside of the imports starts: scripts of the packaging metadata, words of command files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.commands import Word, command_words
from ce.extract.resolve.context import base_name, directory_of, join, normal_path
from ce.extract.resolve.python.collected import Root
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.layout import Distribution
from ce.extract.resolve.python.table import LANGUAGE, is_package
from ce.facts.records import EntryPoint, Role

__all__ = ["Start", "command_starts", "declared_starts"]

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
# Options and commands whose next word is a module, and so may be a single name.
_TAKES_MODULE = frozenset(
    {"-m", "--module", "--app", "-A", "--pyargs", "python-module", "celery", "uvicorn", "gunicorn", "hypercorn", "daphne"}
)
_INTERPRETERS = re.compile(r"(?:.*/)?(?:python|pypy|coverage|streamlit|uv|run|py)[\d.]*w?")

Start = tuple[EntryPoint, Role]


def declared_starts(tree: PythonTree) -> Iterator[Start]:
    """Yield what the packaging metadata of every distribution starts: scripts, plugins, build hooks, attributes read for the version."""
    for distribution in tree.distributions:
        for script in distribution.scripts:
            module, _, attribute = script.target.partition(":")
            why = f"`{script.name}` of {script.group} in {base_name(script.at.rpartition(':')[0])}"
            for file in _modules(module.strip(), distribution, tree):
                yield EntryPoint(file, attribute.strip(), script.at), Role(file, "declared", why, script.at)
        for text, at in distribution.started:
            for file in _named(text, distribution, tree):
                yield EntryPoint(file, "", at), Role(file, "declared", f"`{text}` in {base_name(at.rpartition(':')[0])}", at)


def _modules(name: str, distribution: Distribution, tree: PythonTree) -> Iterator[str]:
    """Yield the file of a module under the roots of a distribution, else under those of any."""
    others = tuple(root for other in tree.distributions if not other.is_test_data for root in other.roots)
    file = tree.search.under(distribution.roots, name) or tree.search.under(others, name)
    if file is not None:
        yield file


def _named(text: str, distribution: Distribution, tree: PythonTree) -> Iterator[str]:
    """Yield the file of a path, a module, or an attribute of a module, as build backends and task runners spell them."""
    path = normal_path(join(distribution.directory, text))
    if path is not None and tree.context.files.get(path) == LANGUAGE:
        yield path
        return
    name = text.partition(":")[0]
    if _DOTTED.fullmatch(name):
        found = list(_modules(name, distribution, tree))
        if not found and "." in name:
            found = list(_modules(name.rpartition(".")[0], distribution, tree))
        yield from found


def command_starts(tree: PythonTree) -> Iterator[Start]:
    """Yield the Python files that command files name: by path, by `-m module`, or as `module:attribute`."""
    seen = set()
    for word in command_words(tree.context):
        for file, attribute in _started(word, tree):
            if (file, word.at) not in seen:
                seen.add((file, word.at))
                yield EntryPoint(file, attribute, word.at), Role(file, "script", f"named by {word.at.rpartition(':')[0]}", word.at)


def _started(word: Word, tree: PythonTree) -> Iterator[tuple[str, str]]:
    text = word.text
    if text.endswith(".py") or "/" in text:
        file = _path_of(word, tree)
        if file is not None:
            yield file, ""
        return
    name, _, attribute = text.partition(":")
    takes_module = word.before in _TAKES_MODULE
    if not _DOTTED.fullmatch(name) or not (takes_module or "." in name or attribute):
        return
    if name.partition(".")[0] not in tree.tops and not takes_module:
        return
    owner = tree.search.owner(word.directory)
    roots = (*owner.roots, *(Root(directory) for directory in dict.fromkeys((word.directory, ""))))
    file = tree.search.under(roots, name)
    if file is not None:
        yield file, attribute
        main = join(directory_of(file), "__main__.py")
        if is_package(file) and takes_module and main in tree.context.files:
            yield main, ""


def _path_of(word: Word, tree: PythonTree) -> str | None:
    """Return the Python file that a path means: from the directory of the command file, from the root, or by its longest known end.

    A container and a CI job put the tree somewhere else, so an absolute path loses its first names until it is one of the tree. A
    path that follows an interpreter may also be relative to a directory that the command changed to: then the only file with it counts.
    """
    files = tree.context.files
    is_absolute = word.text.startswith("/")
    text = word.text.strip("/")
    parts = text.split("/")
    for skipped in range(len(parts) if is_absolute else 1):
        rest = "/".join(parts[skipped:])
        for start in dict.fromkeys((word.directory, "")):
            path = normal_path(join(start, rest))
            if path is not None and files.get(path) == LANGUAGE:
                return path
    if word.text.endswith(".py") and _INTERPRETERS.fullmatch(word.before):
        end = "/" + text.removeprefix("./")
        fitting = [path for path in tree.table.files if path.endswith(end)]
        return fitting[0] if len(fitting) == 1 else None
    return None
