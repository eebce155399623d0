"""Modules that code finds by looking through a directory, or by a name that only the path of imports makes a module.

- A file that lists a directory it says, and imports names that it makes up, imports the modules that stand in the directory.
- `pkgutil` lists the modules of a package in order to import them, whatever comes next.
- Where code puts a directory of the tree on the path of imports, made-up names of its top-level package mean the modules that stand there.

All are references of rung 5: the program loads whatever lies there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ce.extract.resolve.answer import EVIDENCE, PREFIX
from ce.extract.resolve.context import directory_of, join, normal_path
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.table import is_package
from ce.facts.records import DynamicSite, Edge, Extraction

__all__ = ["listing_edges"]

_IMPORTS = frozenset({"import_module", "__import__", "load_file", "run_path", "run_module", "find_loader", "resolve_name", "exec"})
_MAX_HOPS = 4


def listing_edges(tree: PythonTree) -> Iterator[Edge]:
    """Yield a reference for every module that a directory gives to the code which looks through it."""
    made_up: dict[str, list[tuple[str, DynamicSite]]] = {}  # top directory to the imports of names without a constant part
    added: list[tuple[str, str]] = []
    for path in tree.table.files:
        extraction = tree.context.extractions.get(path)
        if extraction is None:
            continue
        opened = [site for site in extraction.dynamic if site.why in _IMPORTS and not site.pattern.strip("*.")]
        if opened:
            made_up.setdefault(_top(path, tree), []).extend((path, site) for site in opened)
        walks = any(site.why == "pkgutil" for site in extraction.dynamic)
        if opened or walks:
            for line, text in _rows(extraction, "listed"):
                for target in _modules_in(_directory(text, path, tree), tree):
                    yield from _edges(path, target, line, tree)
        added += [(path, text) for _, text in _rows(extraction, "import_paths")]
    for path, text in added:
        sites = made_up.get(_top(path, tree), ())
        targets = list(_modules_in(_directory(text, path, tree), tree)) if sites else []
        for importer, site in sites:
            for target in targets:
                yield from _edges(importer, target, site.line, tree)


def _edges(path: str, key: str, line: int, tree: PythonTree) -> Iterator[Edge]:
    for target in (tree.table.by_key[key], *tree.packages_before(key, path)):
        if target != path:
            yield Edge(path, target, "import", EVIDENCE, line, "lazy")


def _rows(extraction: Extraction, key: str) -> Iterator[tuple[int, str]]:
    rows = extraction.extra.get(key)
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], int) and isinstance(row[1], str):
            yield row[0], row[1]


def _top(path: str, tree: PythonTree) -> str:
    """Return the directory of the top-level package of a file, else its own."""
    around = tree.packages_of(path)
    return directory_of(around[-1]) if around else directory_of(path)


def _modules_in(directory: str | None, tree: PythonTree) -> Iterator[str]:
    """Yield the keys of the modules and packages directly in a directory; nothing for the root, which is no collection of them."""
    for name in sorted(tree.table.tops.get(directory, ())) if directory else ():
        if join(directory or "", name) in tree.table.by_key:
            yield join(directory or "", name)


def _directory(text: str, path: str, tree: PythonTree) -> str | None:
    """Return the directory that a path of `languages.python_paths` means in a file, None when that is not known."""
    for _ in range(_MAX_HOPS):
        if text.startswith("="):
            name, _, rest = text[1:].partition("/")
            module, _, variable = name.partition(":")
            found = tree.search.find(path, module)
            extraction = tree.context.extractions.get(found.file) if found.file and found.rung != PREFIX else None
            known = extraction.extra.get("paths") if extraction is not None else None
            value = known.get(variable) if isinstance(known, dict) else None
            if not isinstance(value, str):
                submodule = tree.search.find(path, f"{module}.{variable}") if not module.endswith(".") else None
                if submodule is None or not is_package(submodule.file or ""):
                    return None
                return normal_path(join(submodule.key, rest))
            text, path = f"{value}/{rest}" if rest else value, found.file
        elif text.startswith("@"):
            module, _, rest = text[1:].partition("/")
            found = tree.search.find(path, module)
            if found.rung == PREFIX or not (found.file or found.is_directory):
                return None
            is_holder = found.is_directory or is_package(found.file)
            return normal_path(join(found.key if is_holder else directory_of(found.key), rest))
        elif text.startswith("?/"):
            near, far = normal_path(join(directory_of(path), text[2:])), normal_path(text[2:])
            return next((place for place in (near, far) if place and place in tree.context.directories), None)
        else:
            return normal_path(join(directory_of(path), text))
    return None
