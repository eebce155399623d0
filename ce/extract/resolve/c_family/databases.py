"""Compile databases of a tree, as clangd finds them: what each translation unit has searched.

From the directory of a file upward the first of `compile_commands.json`, `build/compile_commands.json` and `compile_flags.txt` counts. A
database has absolute paths of the machine that wrote it; the prefix that most of its files lose to be files of the tree is the root.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ce.extract.resolve.c_family.commands import Chain, chain_of, is_windows_command, split_posix, split_windows, words_of
from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.facts.manifests import decode

__all__ = ["Database", "Databases"]

_MAX_ENTRIES = 100_000
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
_NAMES = ("compile_commands.json", "build/compile_commands.json")
_FLAGS = "compile_flags.txt"


@dataclass(frozen=True, slots=True)
class Database:
    """The chains of the entries of one `compile_commands.json`, by translation unit; directories are paths of the tree."""

    path: str
    chains: Mapping[str, tuple[Chain, ...]]


class Databases:
    """The databases and flag files of a tree, read when a file first needs one."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._databases: dict[str, Database] = {}
        self._flags: dict[str, Chain] = {}
        self._found: dict[str, str] = {}

    def place(self, directory: str) -> str:
        """Return the database or flag file that counts for the files of a directory, empty when there is none."""
        known = self._found.get(directory)
        if known is None:
            known = ""
            for above in ancestors(directory):
                known = next((path for name in (*_NAMES, _FLAGS) if (path := join(above, name)) in self.context.manifests), "")
                if known:
                    break
            self._found[directory] = known
        return known

    def database(self, path: str) -> Database:
        """Return a `compile_commands.json` as it was found."""
        known = self._databases.get(path)
        if known is None:
            known = self._databases[path] = _read(self.context, path)
        return known

    def flags(self, directory: str) -> Chain | None:
        """Return the chain of the nearest `compile_flags.txt`, None when there is none."""
        for above in ancestors(directory):
            path = join(above, _FLAGS)
            if path in self.context.manifests:
                known = self._flags.get(path)
                if known is None:
                    words = [line.strip() for line in decode(self.context.manifests[path]).splitlines() if line.strip()]
                    known = self._flags[path] = _in_tree(chain_of(["", *words], windows=False), above, "")
                return known
        return None


def _read(context: Context, path: str) -> Database:
    """Return the entries whose file is in the tree; what cannot be read is a problem and no entry."""
    try:
        document = json.loads(decode(context.manifests[path]))
    except (ValueError, RecursionError) as error:
        context.problems.append(f"{path}: not readable as JSON ({error})")
        return Database(path, {})
    entries = [entry for entry in document[:_MAX_ENTRIES] if isinstance(entry, dict)] if isinstance(document, list) else []
    if not isinstance(document, list):
        context.problems.append(f"{path}: no list of commands")
    base = directory_of(path)
    root = _root(entries, context)
    chains: dict[str, list[Chain]] = {}
    for entry in entries:
        directory, file = entry.get("directory"), entry.get("file")
        if not isinstance(file, str):
            continue
        working = _absolute(directory if isinstance(directory, str) else "", base)
        unit = _path(file, working, root)
        if unit is None or unit not in context.files:
            continue
        chain = _in_tree(_chain(entry, working, root, context), working, root)
        if chain not in chains.setdefault(unit, []):
            chains[unit].append(chain)
    return Database(path, {unit: tuple(found) for unit, found in sorted(chains.items())})


def _chain(entry: Mapping[str, object], working: str, root: str, context: Context) -> Chain:
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
        words = [str(word) for word in arguments]
        windows = is_windows_command(words)
    else:
        written = command if isinstance(command, str) else ""
        words = split_windows(written)
        windows = is_windows_command(words)
        if not windows:
            words = split_posix(written)

    def read(name: str) -> str | None:
        path = _path(name, working, root)
        data = context.manifests.get(path) if path is not None else None
        return None if data is None else decode(data)

    return chain_of(words_of(words, read, windows=windows), windows=windows)


def _root(entries: list[dict[str, object]], context: Context) -> str:
    """Return the absolute path that the root of the tree had when the database was written, empty when its paths are relative."""
    votes: Counter[str] = Counter()
    for entry in entries[:2_000]:
        file, directory = entry.get("file"), entry.get("directory")
        if not isinstance(file, str):
            continue
        whole = file if _ABSOLUTE.match(file) else f"{directory}/{file}" if isinstance(directory, str) else file
        if not _ABSOLUTE.match(whole):
            continue
        parts = _normal_absolute(whole).split("/")
        for cut in range(1, len(parts)):
            if "/".join(parts[cut:]) in context.files:
                votes["/".join(parts[:cut])] += 1
                break
    return min(votes, key=lambda prefix: (-votes[prefix], prefix)) if votes else ""


def _normal_absolute(path: str) -> str:
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in (".", "..") and (part or not parts):
            parts.append(part)
    return "/".join(parts)


def _absolute(directory: str, base: str) -> str:
    """Return a working directory: absolute, or a path of the tree when the database has relative ones."""
    if _ABSOLUTE.match(directory):
        return _normal_absolute(directory)
    return normal_path(join(base, directory.replace("\\", "/"))) or ""


def _path(written: str, working: str, root: str) -> str | None:
    """Return a path of a command as a path of the tree, None when it leads out of it."""
    written = written.replace("\\", "/")
    whole = written if _ABSOLUTE.match(written) else f"{working}/{written}" if working else written
    if _ABSOLUTE.match(whole):
        whole = _normal_absolute(whole)
        if not root or not f"{whole}/".startswith(root + "/"):
            return None
        return whole[len(root) :].strip("/")
    return normal_path(whole)


def _in_tree(chain: Chain, working: str, root: str) -> Chain:
    """Return the chain with the directories that are in the tree, as its paths."""

    def paths(written: tuple[str, ...]) -> Iterator[str]:
        for name in written:
            path = _path(name, working, root)
            if path is not None:
                yield path

    return replace(
        chain,
        quoted=tuple(dict.fromkeys(paths(chain.quoted))),
        angled=tuple(dict.fromkeys(paths(chain.angled))),
        frameworks=frozenset(paths(tuple(chain.frameworks))),
        forced=tuple(_forced(chain.forced, working, root)),
    )


def _forced(written: tuple[str, ...], working: str, root: str) -> Iterator[str]:
    """Yield the paths that the files included before the first line can have: from the working directory, and as a quoted name."""
    for name in written:
        path = _path(name, working, root)
        if path is not None:
            yield path
        if path != name and not _ABSOLUTE.match(name):
            yield name
