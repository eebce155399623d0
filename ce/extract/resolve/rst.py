"""The ladder of reStructuredText: paths of Sphinx and Docutils, and the Python names that autodoc imports.

Rungs: 1 the path from the page, with the suffixes of pages where an entry has none; 2 the path from the source directory, the
nearest one above with a `conf.py`, for paths from `/`; a Python name as Python's own ladder finds it; 3 the module that defines what a
name re-exports, and the packages around a module; 5 an entry with wildcards means each page that it fits.

A name starts from the module that the page named last when it means nothing by itself. A name whose first part is no module of the tree
is outside of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import translate
from functools import cached_property

from ce.extract.resolve.answer import EXTERNAL, Answer, external, package, resolved, unresolved
from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.imports import prepare as prepare_python
from ce.facts.records import Site

__all__ = ["LADDER", "RstTree", "prepare", "resolve_site"]

_PATH, _SOURCE, _REEXPORT, _GLOB = 1, 2, 3, 5
_SUFFIXES = ("", ".rst", ".txt", ".md", ".ipynb")
_WILDCARD = re.compile(r"[*?\[]")


class RstTree:
    """The state of the ladder: the tree, its Sphinx source directories, and its Python modules once a name asks for them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._sources: dict[str, str] = {}

    @cached_property
    def python(self) -> PythonTree:
        """The Python modules of the tree."""
        return prepare_python(self.context)

    def module_at(self, file: str, line: int) -> str:
        """Return the module that the page named last before a line, empty for none."""
        found = ""
        written = self.context.extractions[file].extra.get("modules")
        for pair in written if isinstance(written, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and pair[0] < line:
                found = str(pair[1])
        return found

    def source_of(self, directory: str) -> str:
        """Return the source directory that holds a directory: the nearest with a `conf.py`, else the root."""
        known = self._sources.get(directory)
        if known is None:
            known = next((above for above in ancestors(directory) if self.context.exists(join(above, "conf.py"))), "")
            self._sources[directory] = known
        return known


def prepare(context: Context) -> RstTree:
    """Return the state of the ladder for a tree."""
    return RstTree(context)


def resolve_site(site: Site, file: str, tree: RstTree) -> tuple[Answer, ...]:
    """Return what a path or a name of a page means."""
    if site.kind == "import":
        return _name_answers(site.spec, tree.module_at(file, site.line), file, tree)
    return _path_answers(site.spec, file, tree)


def _path_answers(spec: str, file: str, tree: RstTree) -> tuple[Answer, ...]:
    path = spec.partition("#")[0].strip()
    if not path:
        return (resolved(file, _PATH),)
    directory = directory_of(file)
    rooted = path.startswith("/")
    start = tree.source_of(directory) if rooted else directory
    whole = normal_path(join(start, path.lstrip("/")))
    if whole is None:
        return (unresolved("out_of_scope"),)
    for suffix in _SUFFIXES:
        if whole and tree.context.exists(whole + suffix):
            return (resolved(whole + suffix, _SOURCE if rooted else _PATH),)
    if _WILDCARD.search(whole):
        fits = re.compile("(?:" + translate(whole).replace(".*", "[^/]*") + ")").match
        found = [other for other in tree.context.paths if other != file and (fits(other) or fits(other.rpartition(".")[0]))]
        if found:
            return tuple(resolved(other, _GLOB) for other in found)
    if whole in tree.context.directories:
        return (package(whole, _PATH),)
    # A page that is made by a build lies beside the page of the same name with another suffix.
    stem = whole.removesuffix(".html")
    for suffix in _SUFFIXES[1:] if stem != whole else ():
        if tree.context.exists(stem + suffix):
            return (resolved(stem + suffix, _PATH),)
    return (unresolved("out_of_scope"),)


def _name_answers(spec: str, module: str, file: str, tree: RstTree) -> tuple[Answer, ...]:
    """Return what a dotted name means, from the root of imports or from the module that the page named last."""
    tops = tree.python.tops
    names = [spec, f"{module}.{spec}"] if module else [spec]
    known = [name for name in names if name.partition(".")[0] in tops]
    for name in known:
        found = tuple(_named(name, file, tree.python))
        if found:
            return found
    if known:
        return (unresolved("out_of_scope", could=tuple(sorted({path for name in known for path in tree.python.table.could_mean(name)}))),)
    return (external(EXTERNAL),)


def _named(name: str, file: str, python: PythonTree) -> Iterator[Answer]:
    """Yield the module that the longest part of a name means, where the module binds what is left, and what lies behind that."""
    parts = name.split(".")
    for kept in range(len(parts), 0, -1):
        found = python.search.find(file, ".".join(parts[:kept]))
        if not found.file or found.status != "resolved" or found.rung == _REEXPORT:
            continue
        rest = parts[kept:]
        if rest and not python.binds(found.file, rest[0]):
            return
        yield replace(resolved(found.file, found.rung, mode="lazy"), is_written=False)
        if rest:
            for target, original in python.definitions(found.file, rest[0]):
                yield Answer(
                    "resolved",
                    _REEXPORT,
                    "file",
                    target,
                    via_reexport=True,
                    mode="lazy",
                    names=(original,) if original else (),
                    is_written=False,
                )
        for holder in python.packages_before(found.key, file):
            yield replace(resolved(holder, _REEXPORT, mode="lazy"), is_written=False)
        return


LADDER = Ladder(("rst",), prepare, resolve_site, lambda _: Conventions())
