"""Pages that live because of their place or of a file that lists them, in Markdown and HTML alike.

- A build file, a packaging manifest or a script that spells the path of a page, from its own directory or from the root, uses it.
- A page at the same place below another language as a page is its translation: it lives as long as that one.
- Pages with numbers before their names are the chapters of a book that some tool puts in order, and the index beside them opens it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ce.extract.resolve.answer import EVIDENCE
from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.facts.records import Edge, Role

__all__ = ["page_roles", "translations"]

_NAME = rb"(?:[$@][({]?[\w.-]+[)}@]?/)?([\w+@~^&!,-][\w.+@~^&!,/-]*|\.\.?/[\w.+@~^&!,/-]+)\.(%s)\b(?![\w/-])"
_SUFFIXES = (b"md", b"markdown", b"html", b"htm")
_MADE_FROM = re.compile(rb"(?m)^(?:\.(md)\.(\w+)|%\.(\w+)[ \t]*:[ \t]*%\.(md))[ \t]*:?[ \t]*$")  # suffix rules of make
_EXCLUDING = re.compile(rb"(?m)^\s*(?:global-exclude|exclude|recursive-exclude|prune)\b.*$")
_SOURCES = re.compile(
    r"""(?:GNU)?[Mm]akefile(?:\.\w+)? | .*\.mk | CMakeLists\.txt | meson\.build | .*\.cabal | package\.yaml | setup\.py
      | MANIFEST\.in | package\.json | noxfile\.py | tox\.ini
      | [Jj]ustfile | Taskfile\.ya?ml | .*\.(?:sh|bash) | Dockerfile.*
      | .*\.rockspec | build\.gradle(?:\.kts)? | pom\.xml | DESCRIPTION | _pkgdown\.ya?ml""",
    re.VERBOSE,
)
_NUMBERED = re.compile(r"\d{1,4}[-_. ].*")
_INDEXES = frozenset({"index.md", "_index.md", "README.md", "index.markdown"})
_TAG = re.compile(r"([a-z]{2,3})(?:[-_][A-Za-z]{2,4})?")
_ORIGINALS = ("en", "en-US", "en-us", "en_US")


def page_roles(context: Context, pages: list[str]) -> Iterator[Role]:
    """Yield the roles of those of the pages that a file lists or that are numbered."""
    yield from _listed(context, frozenset(pages))
    chapters = {directory for directory, count in _counts(pages).items() if count > 1}
    books = {directory_of(directory) for directory in chapters if _NUMBERED.fullmatch(base_name(directory))}
    for path in pages:
        directory, name = directory_of(path), base_name(path)
        if (directory in chapters and _NUMBERED.fullmatch(name)) or (directory in chapters | books and name in _INDEXES):
            yield Role(path, "doc", "a chapter of a book in the order of its numbers")


def _counts(pages: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for path in pages:
        if _NUMBERED.fullmatch(base_name(path)):
            found[directory_of(path)] = found.get(directory_of(path), 0) + 1
    return found


def _listed(context: Context, pages: frozenset[str]) -> Iterator[Role]:
    """Yield a role for every page that a build file spells, with the place."""
    names = {base_name(path) for path in pages}
    suffixes = dict.fromkeys(_SUFFIXES, b"") | _made_from(context)
    token = re.compile(_NAME % b"|".join(sorted(suffixes, reverse=True)))
    for path in sorted(context.manifests):
        data = context.manifests[path]
        if not _is_source(path) or not any(b"." + suffix in data for suffix in suffixes):
            continue
        left_out = [match.span() for match in _EXCLUDING.finditer(data)] if base_name(path) == "MANIFEST.in" else []
        line, counted = 1, 0
        for match in token.finditer(data):
            text = (match.group(1) + b"." + (suffixes[match.group(2)] or match.group(2))).decode("utf-8", "surrogateescape")
            if base_name(text) not in names or any(start <= match.start() < end for start, end in left_out):
                continue
            for start in dict.fromkeys((directory_of(path), "")):
                page = normal_path(join(start, text))
                if page in pages:
                    line += data.count(b"\n", counted, match.start())
                    counted = match.start()
                    yield Role(page, "declared", f"{path} names it", f"{path}:{line}")
                    break


def _made_from(context: Context) -> dict[bytes, bytes]:
    """Return the suffixes of what make builds from pages by a suffix rule (`.md.3:`), with that of the page."""
    found = {}
    for path in sorted(context.manifests):
        if b"md" in context.manifests[path] and "akefile" in base_name(path):
            for page, made, made_by_pattern, page_of_pattern in _MADE_FROM.findall(context.manifests[path]):
                found[made or made_by_pattern] = page or page_of_pattern
    return found


def _is_source(path: str) -> bool:
    return _SOURCES.fullmatch(base_name(path)) is not None or path.startswith((".github/", ".circleci/", ".gitlab"))


def translations(context: Context, pages: list[str]) -> Iterator[Edge]:
    """Yield an arc from every page to its translations.

    A translation has the name of a language for one directory of its path where the original has English or nothing, or before its suffix.
    The directory of a language holds several such pages, and they are at least half of its pages.
    """
    known = frozenset(pages)
    below: dict[str, list[tuple[str, str]]] = {}  # directory of a language to its pages, each with the original
    counts: dict[str, int] = {}
    for path in pages:
        parts = path.split("/")
        for at, part in enumerate(parts[:-1]):
            if not _is_language(part) or part in _ORIGINALS:
                continue
            directory = "/".join(parts[: at + 1])
            counts[directory] = counts.get(directory, 0) + 1
            rest = parts[at + 1 :]
            for original in (*("/".join([*parts[:at], other, *rest]) for other in _ORIGINALS), "/".join([*parts[:at], *rest])):
                if original in known:
                    below.setdefault(directory, []).append((path, original))
                    break
        stem, _, suffix = parts[-1].rpartition(".")
        bare, dot, language = stem.rpartition(".")
        if dot and _is_language(language) and join(directory_of(path), f"{bare}.{suffix}") in known:
            yield Edge(join(directory_of(path), f"{bare}.{suffix}"), path, "doc_link", EVIDENCE, 1)
    for directory, found in below.items():
        if len(found) > 1 and 2 * len(found) >= counts[directory]:
            for path, original in found:
                yield Edge(original, path, "doc_link", EVIDENCE, 1)


@cache
def _languages() -> frozenset[str]:
    """Return the codes of languages that the locales of the C library have, by Python's own list of them."""
    from locale import locale_alias

    return frozenset(key.partition("_")[0] for key in locale_alias if "_" in key)


def _is_language(text: str) -> bool:
    match = _TAG.fullmatch(text)
    return match is not None and match.group(1) in _languages()
