"""Pages that readers find without a link: what hosts show by name, what documentation tools build, what packages declare.

| role | pages that get it here, beside what `roles.py` gives by path |
|---|---|
| `doc` | names that hosts and readers know (`LICENSE`, `CHANGELOG`, …), contents pages, every page that a documentation tool builds |
| `declared` | the readme and licence files of the packaging metadata |

A documentation tool builds every page of its source directory, listed or not, so its configuration makes them all pages. Sphinx does so
for Markdown only with a parser for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.page_mentions import page_roles, translations
from ce.facts.manifests import decode, line_of, sections, strings, table, text_at, toml_document
from ce.facts.records import Role

__all__ = ["page_conventions"]

_LANGUAGE = "markdown"

# Stems that hosts show or people look for, in capitals anywhere, in any case at the top of a tree or of a package.
_KNOWN = re.compile(
    r"""(?:.*[-_.])?(?:LICEN[CS]E|COPYING|NOTICE)(?:[-_.].*)? | README(?:[-_.].*)? | CHANGE(?:LOG|S)(?:[-_.].*)? | HISTORY | NEWS
      | RELEASE(?:S|[-_]?(?:NOTES|PROCESS|PROCEDURE|CHECKLIST)) | RELEASING | CONTRIBUTING(?:[-_.].*)? | CONTRIBUTORS
      | CODE[-_]OF[-_]CONDUCT | SECURITY | SUPPORT | GOVERNANCE | AUTHORS | MAINTAINERS | CREDITS | THANKS | ACKNOWLEDGE?MENTS
      | BACKERS | SPONSORS | CITATION | ROADMAP | TODO
      | INSTALL(?:ING|ATION)? | UPGRAD(?:E|ING) | MIGRATION | HACKING | DEVELOPMENT | ARCHITECTURE | DESIGN | FAQ | PRIVACY
      | (?:.*[-_])?POLICY
      | CRAN-COMMENTS
      | TRADEMARKS? | DCO | CLA | FUNDING | AGENTS | CLAUDE | GEMINI | SKILL | COPILOT-INSTRUCTIONS
      | (?:PULL_REQUEST|ISSUE)_TEMPLATE""",
    re.VERBOSE,
)
_CONTENTS = frozenset({"SUMMARY.md", "_sidebar.md", "_navbar.md", "_coverpage.md", "_footer.md", "_index.md"})
_TOPS = frozenset({"pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml", "go.mod", "DESCRIPTION"})

# Configuration files of documentation tools and the directory of their pages, from their own.
_BUILDERS = {
    "docusaurus.config.js": "", "docusaurus.config.ts": "", "docusaurus.config.mjs": "", "hugo.toml": "content", "hugo.yaml": "content",
    "_config.yml": "", "antora.yml": "modules", "book.toml": "src", ".eleventy.js": "", "eleventy.config.js": "",
    "myst.yml": "", "_toc.yml": "", "_meta.json": "", "_meta.js": "", "_meta.jsx": "", "_meta.ts": "", "_meta.tsx": "", "mint.json": "",
}  # fmt: skip
_SPHINX_PARSERS = frozenset({"myst_parser", "myst_nb", "recommonmark", "m2r2", "sphinx_mdinclude", "sphinxcontrib.mdinclude"})
_SETTINGS_OF_A_BUILDER = re.compile(r"((?:.*/)?)\.(?:vitepress|vuepress)/")  # in the directory of the pages
_DOCS_DIR = re.compile(rb"(?m)^docs_dir:\s*['\"]?([^'\"\s#]+)")


def page_conventions(context: Context) -> Conventions:
    """Return the roles of pages that nothing needs to link."""
    pages = [path for path in context.paths if context.files[path] == _LANGUAGE]
    if not pages:
        return Conventions()
    roles = [*_known_by_name(context, pages), *_built(context, pages), *_declared(context), *page_roles(context, pages)]
    return Conventions(roles=tuple(roles), edges=tuple(translations(context, pages)))


def _known_by_name(context: Context, pages: list[str]) -> Iterator[Role]:
    tops = {"", *(directory_of(path) for path in context.manifests if base_name(path) in _TOPS or path.endswith(".cabal"))}
    for path in pages:
        name = base_name(path)
        stem = name.rpartition(".")[0]
        if name in _CONTENTS:
            yield Role(path, "doc", "a page of contents")
        elif _KNOWN.fullmatch(stem.upper() if directory_of(path) in tops else stem):
            yield Role(path, "doc", "a page that readers know by its name")


def _built(context: Context, pages: list[str]) -> Iterator[Role]:
    sources = dict(sorted(_source_directories(context)))
    for path in pages:
        directory = directory_of(path)
        while True:
            if directory in sources:
                yield Role(path, "doc", f"built as {sources[directory]} says", sources[directory])
                break
            if not directory:
                break
            directory = directory_of(directory)


def _source_directories(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the directories of pages that a tool builds, with its configuration file."""
    for path in context.manifests_named("mkdocs.yml", "mkdocs.yaml"):
        match = _DOCS_DIR.search(context.manifests[path])
        directory = normal_path(join(directory_of(path), decode(match.group(1)) if match else "docs"))
        if directory:
            yield directory, path
    for path in context.manifests_named("DESCRIPTION"):
        yield join(directory_of(path), "revdep"), path  # written by the check of reverse dependencies
    for path in context.manifests_named("pyproject.toml"):
        towncrier = table(toml_document(context.manifests[path], path, context.problems), "tool", "towncrier")
        if towncrier:
            yield join(directory_of(path), text_at(towncrier, "directory").strip("/") or "newsfragments"), path
    for path in context.paths:
        extraction = context.extractions.get(path) if base_name(path) == "conf.py" else None
        if extraction is None:
            continue
        is_parsed = any(text in _SPHINX_PARSERS for _, text in extraction.strings) or any(
            binding.name.startswith("myst_") for binding in extraction.bindings
        )
        if is_parsed:
            yield directory_of(path), path
    for path in context.paths:
        name = base_name(path)
        settings = _SETTINGS_OF_A_BUILDER.match(path)
        if settings is not None:
            yield settings.group(1).rstrip("/"), path
        if name in _BUILDERS and (name != "_config.yml" or not directory_of(path) or base_name(directory_of(path)) == "docs"):
            yield join(directory_of(path), _BUILDERS[name]), path


def _declared(context: Context) -> Iterator[Role]:
    """Yield the pages that packaging metadata shows: readme, licence files, the long description."""
    for path in context.manifests_named("pyproject.toml", "Cargo.toml", "setup.cfg"):
        data = context.manifests[path]
        for text in _readmes(path, data, context):
            page = normal_path(join(directory_of(path), text))
            if page is not None and context.files.get(page) == _LANGUAGE:
                yield Role(page, "declared", f"shown by {path}", f"{path}:{line_of(data, text)}")


def _readmes(path: str, data: bytes, context: Context) -> Iterator[str]:
    if path.endswith(".cfg"):
        metadata = sections(data, path, context.problems).get("metadata", {})
        for line in strings(metadata.get("long_description")):
            yield from (part.strip() for part in line.removeprefix("file:").split(","))
        yield from strings(metadata.get("license_files"))
        return
    document = toml_document(data, path, context.problems)
    for holder in (table(document, "project"), table(document, "tool", "poetry"), table(document, "package")):
        yield from strings(holder.get("readme"))
        yield from strings(holder.get("license-files"))
        yield text_at(holder, "readme", "file")
        yield text_at(holder, "license", "file")
