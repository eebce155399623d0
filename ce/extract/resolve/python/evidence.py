"""References that no import makes: a text that spells a module exactly, and a dynamic import whose pattern says which modules it means.

Both give arcs of rung `EVIDENCE` and mode `lazy`. A text counts when the whole of it is the dotted name of a module of the tree, or of
something that the body of such a module binds, or the path of a file.

A text that spells a package counts for the modules directly in it, too, when some code of the tree walks packages that it is told.

A pattern is doubt about each file that it fits: the site could name it. It is a reference besides when a package loads its own parts so,
that is when importer and file stand in one top-level package. A pattern without a constant part is doubt about every file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ce.extract.resolve.answer import EVIDENCE, PREFIX
from ce.extract.resolve.context import directory_of, join, normal_path
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.table import LANGUAGE, is_package, key_of
from ce.facts.records import DynamicSite, Edge

__all__ = ["Evidence", "files_named"]

_PAGES = frozenset({"markdown", "html"})

# Dynamic sites that name attributes, distributions or data, not modules of the tree.
_NOT_MODULES = frozenset({"getattr", "globals", "reload", "entry_points", "resources", "eval"})

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?::[A-Za-z_][\w.]*)?")
_FILE = re.compile(r"[\w./-]*[\w-]\.(?:py|pyi|md|html?|m?js|[jt]sx?|lua|R|sh)")
_RELATIVE = re.compile(r"\.+[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_GLOB_TOKEN = re.compile(r"\[.\]|.", re.DOTALL)  # `[*]` is a literal star
_CONSTANT = re.compile(r"\w")
_MAX_ATTRIBUTES = 2  # `pkg.mod.Class.method`


class Evidence:
    """The references by text and by pattern of a tree."""

    def __init__(self, tree: PythonTree) -> None:
        self.tree = tree
        self.edges: set[Edge] = set()
        self.could_name: set[tuple[str, int, str, str]] = set()
        self.could_name_any: set[tuple[str, int, str, str]] = set()
        self._walks_packages = any(
            site.why == "pkgutil" and not is_package(path)
            for path, extraction in tree.context.extractions.items()
            for site in extraction.dynamic
        )
        for path, extraction in tree.context.extractions.items():
            for line, text in extraction.strings:
                for target in files_named(text, path, tree):
                    self._refer(path, target, line)
                if self._walks_packages and "." in text:
                    for target in _modules_directly_in(text, path, tree):
                        self._refer(path, target, line)
            if tree.context.files.get(path) == LANGUAGE:
                for site in extraction.dynamic:
                    self._follow(path, site)

    def _refer(self, path: str, target: str, line: int) -> None:
        if target != path:
            kind = "doc_ref" if self.tree.context.files.get(target) in _PAGES else "import"
            self.edges.add(Edge(path, target, kind, EVIDENCE, line, "lazy"))

    def _follow(self, path: str, site: DynamicSite) -> None:
        """Add what a dynamic site means: the files that its pattern fits, or doubt about all."""
        if site.why in _NOT_MODULES:
            return
        pattern = site.pattern
        is_known = is_package(path) if pattern == ".*" else pattern.startswith(".") or _CONSTANT.search(pattern) is not None
        if not is_known:
            self.could_name_any.add((path, site.line, LANGUAGE, site.why))
            return
        for fitting in self._fitting(path, pattern, strict=False):
            for target in (fitting, *self.tree.packages_before(key_of(fitting), path)):
                self.could_name.add((path, site.line, target, "dynamic"))
        around = self.tree.packages_of(path)
        if around:
            own = directory_of(around[-1]) + "/"
            for fitting in self._fitting(path, pattern, strict=pattern != ".*"):
                if fitting.startswith(own):
                    for target in (fitting, *self.tree.packages_before(key_of(fitting), path)):
                        self._refer(path, target, site.line)

    def _fitting(self, path: str, pattern: str, *, strict: bool) -> Iterator[str]:
        """Yield the files that a pattern fits; `strict` when a star after the start stands for part of one name only."""
        directory = directory_of(path)
        if "/" in pattern or pattern.endswith(".py"):
            for start in {directory, self.tree.search.owner(directory).directory, ""}:
                whole = normal_path(join(start, pattern))
                if whole is not None:
                    yield from _matching(whole, self._paths, "/" if strict else "")
        elif pattern.startswith("."):
            rest = pattern.lstrip(".")
            for _ in range(len(pattern) - len(rest) - 1):
                directory = directory_of(directory)
            yield from _matching(f"{directory}/{rest}".lstrip("/").replace(".", "/"), self._keys, "/" if strict else "")
        else:
            yield from _matching(pattern, self._dotted, "." if strict else "")
            head, dot, rest = pattern.partition(".")
            alias = self.tree.search.key_of_alias(head) if dot else None
            if alias is not None:
                yield from _matching(f"{alias}/{rest.replace('.', '/')}", self._keys, "/" if strict else "")

    @cached_property
    def _paths(self) -> _Names:
        return _names({file: file for file in self.tree.table.files})

    @cached_property
    def _keys(self) -> _Names:
        return _names(self.tree.table.by_key)

    @cached_property
    def _dotted(self) -> _Names:
        """The dotted name of every module under the roots of its distribution, and under the directory above its top package."""
        found = {}
        for key, file in self.tree.table.by_key.items():
            directory = directory_of(key)
            starts = [root.directory for root in self.tree.search.owner(directory).roots if not root.prefix]
            for start in {self.tree.table.base(directory), *starts}:
                if not start:
                    found[key.replace("/", ".")] = file
                elif key.startswith(start + "/"):
                    found[key[len(start) + 1 :].replace("/", ".")] = file
        return _names(found)


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of files, each on a line of `text`, so that a pattern is looked for in all of them at once."""

    text: str
    files: Mapping[str, str]


def _names(files: Mapping[str, str]) -> _Names:
    kept = {name: file for name, file in files.items() if "\n" not in name}
    return _Names("\n".join(kept), kept)


def _matching(pattern: str, names: _Names, separator: str) -> Iterator[str]:
    return (names.files[match.group()] for match in _compiled(pattern, separator).finditer(names.text))


@lru_cache(maxsize=1024)
def _compiled(pattern: str, separator: str = "") -> re.Pattern[str]:
    """Return the expression of a glob over whole lines, in which `*` and `?` stand for any characters.

    With a separator, only a star at the start stands for several names. What follows a star is taken at its first place and kept,
    which is enough because the next star takes what is left over: no pattern makes matching slow.
    """
    chunks = [""]
    for token in _GLOB_TOKEN.findall(pattern):
        if token == "*":
            chunks.append("")
        else:
            chunks[-1] += "[^\n]" if token == "?" else re.escape(token[1] if len(token) == 3 else token)
    stars = ["[^\n]*" if at == 0 and not chunks[0] else f"[^{separator}\n]*" for at in range(len(chunks) - 1)]
    middle = "".join(f"(?>{star}?{chunk})" for star, chunk in zip(stars, chunks[1:-1], strict=False))
    last = stars[-1] + chunks[-1] if stars else ""
    return re.compile(f"^{chunks[0]}{middle}{last}$", re.MULTILINE)


def files_named(text: str, path: str, tree: PythonTree) -> Iterator[str]:
    """Yield the files that a text in a file spells exactly: a module, what holds an attribute, a path; nothing when it spells none."""
    named: list[str] = []
    if _FILE.fullmatch(text):
        named += _file_at(text, path, tree)
    if not named and _DOTTED.fullmatch(text):
        named += _module_named(text, path, tree)
    if not named and is_package(path) and _RELATIVE.fullmatch(text):
        # A package that loads its parts on demand lists them from its own point of view.
        found = tree.search.find(path, text)
        if found.file and found.rung != PREFIX:
            named.append(found.file)
    yield from named


def _modules_directly_in(text: str, path: str, tree: PythonTree) -> Iterator[str]:
    """Yield the modules of the package that a text spells."""
    if not _DOTTED.fullmatch(text) or text.partition(".")[0] not in tree.tops:
        return
    found = tree.search.find(path, text)
    if found.status == "resolved" and found.rung != PREFIX and is_package(found.file):
        for name in sorted(tree.table.tops.get(found.key, ())):
            module = tree.table.by_key.get(join(found.key, name))
            if module is not None:
                yield module


def _file_at(text: str, path: str, tree: PythonTree) -> Iterator[str]:
    directory = directory_of(path)
    for start in dict.fromkeys((directory, tree.search.owner(directory).directory, "")):
        whole = normal_path(join(start, text))
        if whole is not None and whole in tree.context.extractions:
            yield whole
            return
    # A bare name is joined to a directory that is not known here: it counts when one package holds both and only one file has the name.
    own = tree.packages_of(path)
    if "/" not in text and own:
        files = tree.table.files_named(text)
        if len(files) == 1 and files[0].startswith(directory_of(own[-1]) + "/"):
            yield files[0]
            return
    # A page is read by its bare name from a directory that is not known here: no other page has the name.
    if "/" not in text:
        pages = tree.pages_named.get(text, ())
        if len(pages) == 1:
            yield pages[0]


def _module_named(text: str, path: str, tree: PythonTree) -> Iterator[str]:
    name, _, attribute = text.partition(":")
    parts = name.split(".")
    if parts[0] not in tree.tops:
        return
    for kept in range(len(parts), max(0, len(parts) - 1 - _MAX_ATTRIBUTES), -1):
        found = tree.search.find(path, ".".join(parts[:kept]))
        if not found.file or found.rung == PREFIX or found.status != "resolved":
            continue
        rest = parts[kept:] or attribute.split(".")[:1]
        if not rest or not rest[0]:
            yield found.file
            yield from tree.packages_before(found.key, path)
        elif tree.binds(found.file, rest[0]):
            yield found.file
            yield from (file for file, _ in tree.definitions(found.file, rest[0]))
            yield from tree.packages_before(found.key, path)
        return
