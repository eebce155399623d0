"""HTML files that documentation tools and site generators fill in or copy: no page links to them, the settings of the tool name them.

| tool | its files | where they are |
|---|---|---|
| Sphinx | templates, themes, pages as they are | the directories that `conf.py` lists, any with a `theme.conf` or `theme.toml` |
| MkDocs | overrides of a theme | `custom_dir` of `mkdocs.yml` |
| Jekyll | layouts, includes | `_layouts` and `_includes` beside `_config.yml` |
| Hugo | layouts, themes | `layouts` and `themes` beside `hugo.toml`, or `config.toml` with a directory `content` |
| Eleventy | includes | `_includes` beside its configuration or below |
| pkgdown, roxygen | templates | `pkgdown` and `inst/pkgdown` of an R package |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.facts.manifests import decode
from ce.facts.records import Extraction, Role

__all__ = ["sphinx_directories", "template_roles"]

_SPHINX_LISTS = ("templates_path", "html_theme_path", "html_static_path", "html_extra_path")
_THEMES = frozenset({"theme.conf", "theme.toml"})
_CUSTOM_DIR = re.compile(rb"(?m)^[ \t]+custom_dir:[ \t]*['\"]?([^'\"\s#]+)")
_FIXED = {
    "_config.yml": ("_layouts", "_includes"), "_config.yaml": ("_layouts", "_includes"),
    "hugo.toml": ("layouts", "themes", "archetypes"), "hugo.yaml": ("layouts", "themes", "archetypes"),
    "hugo.json": ("layouts", "themes", "archetypes"),
    ".eleventy.js": ("_includes", "src/_includes"), "eleventy.config.js": ("_includes", "src/_includes"),
    "eleventy.config.mjs": ("_includes", "src/_includes"), "DESCRIPTION": ("pkgdown", "inst/pkgdown"),
}  # fmt: skip


def template_roles(context: Context, pages: list[str]) -> Iterator[Role]:
    """Yield a role for each of the pages that lies in such a directory."""
    if not pages:
        return
    directories = dict(sorted(_directories(context)))
    for path in pages:
        directory = directory_of(path)
        while directory:
            if directory in directories:
                yield Role(path, "declared", f"a template or a page as it is, as {directories[directory]} says", directories[directory])
                break
            directory = directory_of(directory)


def sphinx_directories(path: str, extraction: Extraction) -> Iterator[tuple[str, str]]:
    """Yield the directories that the lists of a `conf.py` name, each with the place of the list."""
    lines = sorted({binding.line for binding in extraction.bindings})
    for binding in extraction.bindings:
        if binding.name in _SPHINX_LISTS:
            end = next((line for line in lines if line > binding.line), None)
            for line, text in extraction.strings:
                if line >= binding.line and (end is None or line < end):
                    directory = normal_path(join(directory_of(path), text))
                    if directory:
                        yield directory, f"{path}:{binding.line}"


def _directories(context: Context) -> Iterator[tuple[str, str]]:
    for path in context.paths:
        name, directory = base_name(path), directory_of(path)
        if name in _THEMES and directory:
            yield directory, path
        extraction = context.extractions.get(path) if name == "conf.py" else None
        if extraction is not None:
            yield from sphinx_directories(path, extraction)
        is_hugo = name == "config.toml" and join(directory, "content") in context.directories
        for below in _FIXED.get("hugo.toml" if is_hugo else name, ()):
            yield join(directory, below), path
    for path in context.manifests_named("mkdocs.yml", "mkdocs.yaml"):
        match = _CUSTOM_DIR.search(context.manifests[path])
        custom = normal_path(join(directory_of(path), decode(match.group(1)))) if match is not None else None
        if custom:
            yield custom, path
