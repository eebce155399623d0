"""Django's conventions: what a project's settings load, and the files of an app that the framework finds by their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.answer import EVIDENCE, PREFIX
from ce.extract.resolve.context import base_name, directory_of, join
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.table import LANGUAGE
from ce.facts.records import Edge, Extraction, Role

__all__ = ["app_edges", "convention_roles", "uses_django"]

# What Django, or a package that every project has, imports from an installed app by name.
_APP_MODULES = ("apps", "models", "admin", "urls", "signals", "tasks", "checks", "translation", "search_indexes", "forms", "views")
_APP_DIRECTORIES = ("management/commands/", "templatetags/", "migrations/")

_BY_PLACE = re.compile(r"(?:.*/)?(?:management/commands|templatetags)/[^/_][^/]*\.py")
_MIGRATION = re.compile(r"(?:.*/)?migrations/\d+[^/]*\.py")
_SETTINGS = "INSTALLED_APPS"


def uses_django(tree: PythonTree) -> bool:
    """Return whether some file of the tree imports Django."""
    return any(
        site.spec == "django" or site.spec.startswith("django.")
        for path in tree.table.files
        if path in tree.context.extractions
        for site in tree.context.extractions[path].sites
    )


def convention_roles(tree: PythonTree) -> Iterator[Role]:
    """Yield the files that Django finds by their place in an app: commands, template tags, migrations, and `tests.py`."""
    for path in tree.table.files:
        if _BY_PLACE.fullmatch(path):
            yield Role(path, "entry_named", "Django loads it by its place in an app")
        elif _MIGRATION.fullmatch(path):
            yield Role(path, "entry_named", "Django runs it as a migration")
        elif base_name(path) == "tests.py":
            yield Role(path, "test", "Django's test runner collects it")


def app_edges(tree: PythonTree) -> Iterator[Edge]:
    """Yield an arc from every app of the tree to each module that Django imports from an installed app by its name.

    A package is an app when its `apps.py` has a configuration class, or when some settings list it; a directory without `__init__.py`
    is reached from the settings.
    """
    apps = {directory_of(path): (path, 1) for path in tree.table.files if _is_configuration(path, tree)}
    for path in tree.table.files:
        extraction = tree.context.extractions.get(path)
        if extraction is not None and any(binding.name == _SETTINGS for binding in extraction.bindings):
            for line, name in _installed(extraction):
                app = _app_named(name, path, tree)
                if app is not None:
                    apps.setdefault(app, (path, line))
    for app, (path, line) in apps.items():
        source, at = (tree.table.by_key[app], 1) if app in tree.table.packages else (path, line)
        for target in _parts(app, tree):
            if target != source:
                yield Edge(source, target, "import", EVIDENCE, at, "lazy")


def _is_configuration(path: str, tree: PythonTree) -> bool:
    extraction = tree.context.extractions.get(path) if base_name(path) == "apps.py" else None
    return extraction is not None and any(base.endswith("AppConfig") for unit in extraction.units for base in unit.bases)


def _installed(extraction: Extraction) -> Iterator[tuple[int, str]]:
    """Yield the texts between the start of the list of apps and the next binding of the settings."""
    lines = sorted({binding.line for binding in extraction.bindings})
    for binding in extraction.bindings:
        if binding.name == _SETTINGS:
            end = next((line for line in lines if line > binding.line), None)
            for line, text in extraction.strings:
                if line >= binding.line and (end is None or line < end):
                    yield line, text


def _app_named(name: str, path: str, tree: PythonTree) -> str | None:
    """Return the key of the app of the tree that `package` or `package.apps.Config` spells."""
    found = tree.search.find(path, name)
    if not (found.file or found.is_directory) or found.rung == PREFIX:
        holder, _, config = name.rpartition(".")
        if not config[:1].isupper():
            return None
        found = tree.search.find(path, holder)
        return directory_of(found.key) if found.file and found.rung != PREFIX else None
    return found.key


def _parts(app: str, tree: PythonTree) -> Iterator[str]:
    for module in _APP_MODULES:
        file = tree.table.by_key.get(join(app, module))
        if file is not None:
            yield file
    for directory in _APP_DIRECTORIES:
        for file in tree.context.below(join(app, directory.rstrip("/"))):
            if tree.context.files[file] == LANGUAGE:
                yield file
