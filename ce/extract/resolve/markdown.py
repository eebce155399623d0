"""The ladder of Markdown: links to files, sections, directories and images, relative to the page.

Rungs: 1 the path from the page, percent-decoded, as a file, else as a directory that holds measured files; 2 the fragment of a
Markdown target, when exactly one of its anchors has that name; 3 a reference link, by the first definition of its label; 4 a fragment
alone, or nothing: the page itself; 5 an address with a scheme or a host is outside of the tree.

A definition that no link of the page uses is inert. A path from `/` belongs to a site whose root is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from ce.extract.resolve.answer import Answer, external, package, resolved, section, unresolved
from ce.extract.resolve.context import Context, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.extract.resolve.pages import page_conventions
from ce.facts.records import Site

__all__ = ["LADDER", "LinkTree", "prepare", "resolve_site"]

_PATH, _FRAGMENT, _REFERENCE, _OWN, _OUTSIDE = 1, 2, 3, 4, 5

_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+:|//)")  # two letters at least: `c:` is a drive
_SPACES = re.compile(r"\s+")


class LinkTree:
    """The state of the ladder: the tree, and for each page the definitions and the labels that its links use."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._labels: dict[str, tuple[Mapping[str, str], frozenset[str]]] = {}

    def labels(self, path: str) -> tuple[Mapping[str, str], frozenset[str]]:
        """Return the target of each label that the page defines, the first definition first, and the labels that its links use."""
        known = self._labels.get(path)
        if known is None:
            definitions: dict[str, str] = {}
            used = set()
            for site in self.context.extractions[path].sites:
                if site.kind == "ref_def":
                    definitions.setdefault(_label(site), site.spec)
                elif site.kind == "ref_link":
                    used.add(_folded(site.spec))
            known = self._labels[path] = definitions, frozenset(used)
        return known


def prepare(context: Context) -> LinkTree:
    """Return the state of the Markdown ladder for a tree."""
    return LinkTree(context)


def resolve_site(site: Site, file: str, tree: LinkTree) -> tuple[Answer, ...]:
    """Return what a link, an image, a reference or a definition of a page means."""
    if site.kind == "url":
        return (external(_OUTSIDE),)
    if site.kind == "ref_link":
        definitions, _ = tree.labels(file)
        target = definitions.get(_folded(site.spec))
        if target is None:
            return (unresolved("out_of_scope"),)
        answer = _link(target, file, tree)
        return (replace(answer, rung=_REFERENCE) if answer.status == "resolved" else answer,)
    answer = _link(site.spec, file, tree)
    if site.kind == "ref_def" and answer.status == "resolved":
        definitions, used = tree.labels(file)
        label = _label(site)
        return (replace(answer, inert=label not in used or definitions.get(label) != site.spec),)
    return (answer,)


def _link(spec: str, file: str, tree: LinkTree) -> Answer:
    """Return what the target of a link means."""
    target = spec.strip()
    if _ADDRESS.match(target):
        return external(_OUTSIDE)
    if target.startswith("/"):
        return unresolved("out_of_scope")
    path_text, hash_sign, fragment = target.partition("#")
    path_text = path_text.partition("?")[0]
    fragment = _decoded(fragment)
    if not path_text:
        return section(file, fragment, _OWN) if fragment else resolved(file, _OWN)
    path = normal_path(join(directory_of(file), _decoded(path_text)))
    if path is None:
        return unresolved("out_of_scope")
    if tree.context.exists(path):
        return _page(path, fragment, tree) if hash_sign else resolved(path, _PATH)
    if path in tree.context.directories:
        return package(path, _PATH)
    return unresolved("out_of_scope")


def _page(path: str, fragment: str, tree: LinkTree) -> Answer:
    """Return the section of a Markdown page that the fragment names, else the page."""
    extraction = tree.context.extractions.get(path)
    is_page = extraction is not None and tree.context.files.get(path) == "markdown"
    if fragment and extraction is not None and is_page and extraction.anchors.count(fragment) == 1:
        return section(path, fragment, _FRAGMENT)
    return resolved(path, _PATH)


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") if "%" in text else text


def _label(site: Site) -> str:
    return _folded(site.names[0][0]) if site.names else ""


def _folded(label: str) -> str:
    return _SPACES.sub(" ", label.strip()).lower()


def _conventions(tree: LinkTree) -> Conventions:
    return page_conventions(tree.context)


LADDER = Ladder(("markdown",), prepare, resolve_site, _conventions)
