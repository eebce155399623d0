"""The ladder of HTML: links, embedded files and module imports of a page.

Rungs: 1 the path from the `<base href>` of the page, else from its directory; 2 a path from `/`, in the configured roots, else in the
root that the page's canonical address (`og:url`, the alternate in its own language) shows, where the address of another page on the same
host counts too; 3 a path from `/` in the one directory above the page that holds it; 4 a fragment alone, or nothing: the page itself;
5 another host or scheme is outside of the tree, and a path without a suffix is the page of that name with `.html`.

A directory is the `index.html` or `index.htm` in it. A fragment counts when the target has exactly one anchor of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from urllib.parse import unquote_to_bytes

from ce.extract.resolve.answer import Answer, external, resolved, section, unresolved
from ce.extract.resolve.context import Context, ancestors, base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.extract.resolve.page_mentions import page_roles, translations
from ce.extract.resolve.templates import template_roles
from ce.facts.records import Role, Site

__all__ = ["LADDER", "PageTree", "prepare", "resolve_site"]

_BASE, _ROOT, _ANCESTOR, _OWN, _OUTSIDE = 1, 2, 3, 4, 5

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_HTTP = re.compile(r"(?:https?:)?//([^/?#]*)([^?#]*)", re.IGNORECASE)
_INDEXES = ("index.html", "index.htm")
_OWN_PAGE = frozenset({"href", "action"})  # of these an empty value means the page
_MODULES = frozenset({"import", "dynamic_import"})
_SHOWN_BY = ("canonical", "og:url")
_MODULE_SUFFIXES = (".ts", ".tsx", ".jsx", ".js")
_SCRIPTS = frozenset({"src", "import", "dynamic_import"})
_CODE = frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro"})
_README = re.compile(r"read[-_]?me\.html?", re.IGNORECASE)
_MAX_COULD = 200  # files that one value with holes is said to mean
_MAX_HOLES = 4


class PageTree:
    """The state of the ladder: the tree, and for each page its base, its address and the root that this shows."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.roots = tuple(root.strip("/") for root in context.inputs.search_roots.get("html", ()))
        self._pages: dict[str, _Place] = {}

    def place(self, file: str) -> _Place:
        """Return where a page stands."""
        known = self._pages.get(file)
        if known is None:
            known = self._pages[file] = _Place(file, self.context.extractions[file].extra)
        return known

    @cached_property
    def deployments(self) -> Mapping[str, frozenset[tuple[str, str]]]:
        """The roots that the canonical addresses of all pages show, by host."""
        found: dict[str, set[tuple[str, str]]] = {}
        for path in self.context.files_of("html"):
            place = self.place(path)
            if place.host and place.root is not None:
                found.setdefault(place.host, set()).add(place.root)
        return {host: frozenset(roots) for host, roots in found.items()}


class _Place:
    """A page's base, host and deployment root: the prefix of addresses and the directory that it is served from."""

    def __init__(self, file: str, extra: Mapping[str, object]) -> None:
        base = extra.get("base")
        self.base = base if isinstance(base, str) else ""
        named = extra.get("importmap")
        self.imports: Mapping[str, object] = named if isinstance(named, dict) else {}
        self.host = ""
        self.root: tuple[str, str] | None = None
        for address in _addresses(extra):
            match = _HTTP.match(address)
            if match is not None and match.group(1):
                self.host = match.group(1).lower()
                self.root = _deployment(file, match.group(2))
                if self.root is not None:
                    return


def prepare(context: Context) -> PageTree:
    """Return the state of the HTML ladder for a tree."""
    return PageTree(context)


def resolve_site(site: Site, file: str, tree: PageTree) -> tuple[Answer, ...]:
    """Return what a link, an embedded file or an import of a page means."""
    if site.kind in _MODULES:
        return (_module(site.spec, file, tree),)
    return (_link(site.spec, site.kind, file, tree),)


def _module(spec: str, file: str, tree: PageTree) -> Answer:
    """Return what a module script imports. A bare name is in the import map of the page, or a package."""
    mapped = _mapped(spec, tree.place(file).imports)
    if mapped.startswith(("./", "../", "/")):
        answer = _link(mapped, "import", file, tree)
        if answer.status == "unresolved" and not base_name(mapped).count("."):
            for suffix in _MODULE_SUFFIXES:
                again = _link(mapped + suffix, "import", file, tree)
                if again.status == "resolved":
                    return again
        return answer
    return external(_OUTSIDE)


def _mapped(spec: str, imports: Mapping[str, object]) -> str:
    exact = imports.get(spec)
    if isinstance(exact, str):
        return exact
    for key in sorted(imports, key=len, reverse=True):
        value = imports[key]
        if key.endswith("/") and spec.startswith(key) and isinstance(value, str):
            return value + spec[len(key) :]
    return spec


def _link(spec: str, kind: str, file: str, tree: PageTree) -> Answer:
    place = tree.place(file)
    if not spec:
        return resolved(file, _OWN) if kind in _OWN_PAGE else unresolved("empty")
    if spec.startswith("#"):
        return section(file, _decoded(spec[1:]), _OWN) if len(spec) > 1 else resolved(file, _OWN)
    path, _, fragment = spec.partition("#")
    path = path.partition("?")[0]
    same = _HTTP.match(path)
    if same is not None:
        own = place.host
        if not own or same.group(1).lower() != own or not tree.deployments.get(own):
            return external(_OUTSIDE)
        return _from_roots(same.group(2) or "/", fragment, tree.deployments[own], tree) or unresolved("out_of_scope")
    if _SCHEME.match(path):
        return external(_OUTSIDE)
    if not path:  # a query alone
        return resolved(file, _OWN)
    if path.startswith("/"):
        return _rooted(path, fragment, file, tree)
    base = place.base
    if kind == "href" and base == spec:
        base = ""
    if _HTTP.match(base):
        match = _HTTP.match(base)
        assert match is not None
        deployed = tree.deployments.get(match.group(1).lower())
        if not deployed:
            return external(_OUTSIDE)
        return _from_roots(_parent(match.group(2)) + path, fragment, deployed, tree) or unresolved("out_of_scope")
    if base.startswith("/"):
        return _rooted(_parent(base) + path, fragment, file, tree)
    target = normal_path(join(directory_of(file), _decoded(_parent(base) + path)))
    found = None if target is None else _served(target, tree)
    return unresolved("out_of_scope") if found is None else _with_fragment(found, fragment, _BASE, tree)


def _parent(path: str) -> str:
    """Return the path up to its last slash, which a base stands for."""
    return path[: path.rfind("/") + 1]


def _rooted(path: str, fragment: str, file: str, tree: PageTree) -> Answer:
    """Return what a path from `/` means: in the configured roots, in the deployment root, in one directory above the page."""
    below = normal_path(_decoded(path.lstrip("/")))
    if below is None:
        return unresolved("out_of_scope")
    hits = sorted({found for root in tree.roots if (found := _served(join(root, below), tree)) is not None})
    if len(hits) > 1:
        return unresolved("ambiguous_root", candidates=tuple(hits), could=tuple(hits))
    if hits:
        return _with_fragment(hits[0], fragment, _ROOT, tree)
    place = tree.place(file)
    if place.root is not None:
        answer = _from_roots("/" + path.lstrip("/"), fragment, frozenset({place.root}), tree)
        if answer is not None:
            return answer
    above = sorted({found for directory in ancestors(directory_of(file)) if (found := _served(join(directory, below), tree)) is not None})
    if len(above) > 1:
        return unresolved("ambiguous_root", candidates=tuple(above), could=tuple(above))
    return _with_fragment(above[0], fragment, _ANCESTOR, tree) if above else unresolved("out_of_scope")


def _from_roots(path: str, fragment: str, roots: frozenset[tuple[str, str]], tree: PageTree) -> Answer | None:
    """Return what the path of an address means in the roots of its host, None when no root holds it."""
    hits = set()
    for prefix, directory in roots:
        if not f"{path}/".startswith(prefix):
            continue
        target = normal_path(join(directory, _decoded(path[len(prefix) :])))
        found = None if target is None else _served(target, tree)
        if found is not None:
            hits.add(found)
    if len(hits) > 1:
        candidates = tuple(sorted(hits))
        return unresolved("ambiguous_root", candidates=candidates, could=candidates)
    return _with_fragment(hits.pop(), fragment, _ROOT, tree) if hits else None


def _served(path: str, tree: PageTree) -> str | None:
    """Return the file that a server answers with."""
    context = tree.context
    if path and context.exists(path):
        return path
    if not path or path in context.directories:
        for index in _INDEXES:
            if context.exists(join(path, index)):
                return join(path, index)
        return None
    if "." not in base_name(path) and context.exists(path + ".html"):
        return path + ".html"
    return None


def _with_fragment(path: str, fragment: str, rung: int, tree: PageTree) -> Answer:
    extraction = tree.context.extractions.get(path) if fragment else None
    name = _decoded(fragment)
    if extraction is not None and extraction.lang in ("html", "markdown") and extraction.anchors.count(name) == 1:
        return section(path, name, rung)
    return resolved(path, rung)


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") if "%" in text else text


def _addresses(extra: Mapping[str, object]) -> Iterator[str]:
    """Yield the addresses that a page gives itself, the most certain first."""
    written = extra.get("addresses")
    pairs = [pair for pair in written if isinstance(pair, list) and len(pair) == 2] if isinstance(written, list) else []
    language = next((str(value) for told, value in pairs if told == "lang"), "")
    for wanted in (*_SHOWN_BY, f"alternate:{language}"):
        for told, value in pairs:
            if told == wanted and isinstance(value, str):
                yield value


def _deployment(file: str, address: str) -> tuple[str, str] | None:
    """Return the longest prefix of addresses with the directory that it shows, None when the file cannot have the address."""
    shown = _decoded(address) or "/"
    name = base_name(file)
    if shown.endswith("/"):
        if name not in _INDEXES:
            return None
        shown += name
    elif base_name(shown) != name and base_name(shown) + ".html" == name:
        shown += ".html"
    left, right = shown.strip("/").split("/"), file.split("/")
    if left[-1] != right[-1]:
        return None
    while left and right and left[-1] == right[-1]:
        left.pop()
        right.pop()
    return "/".join(["", *left, ""]), "/".join(right)


def _conventions(tree: PageTree) -> Conventions:
    pages = tree.context.files_of("html")
    roles = (*_roles(tree), *template_roles(tree.context, pages), *page_roles(tree.context, pages))
    return Conventions(roles=roles, edges=tuple(translations(tree.context, pages)), could_name=tuple(_could_name(tree)))


def _roles(tree: PageTree) -> Iterator[Role]:
    """Yield the pages that tools read by their names and places, and those that only redirect: they are there for links from outside."""
    for path in tree.context.files_of("html"):
        line = tree.context.extractions[path].extra.get("redirect")
        if type(line) is int:
            yield Role(path, "declared", "it leads readers of an old address on", f"{path}:{line}")
        name, directory = base_name(path), directory_of(path)
        if _README.fullmatch(name):
            yield Role(path, "doc", "a page that readers know by its name")
        if _runs_code(path, tree) and tree.context.exists(join(directory, "package.json")):
            yield Role(path, "entry_named", "it runs scripts of its package and is opened by hand, or by the address of a server", path)
        has_java = any(tree.context.files[other] == "java" for other in tree.context.children.get(directory, ()))
        if (name == "package.html" and has_java) or (name == "overview.html" and (has_java or base_name(directory) == "javadoc")):
            yield Role(path, "declared", "javadoc reads it by its name")


def _runs_code(path: str, tree: PageTree) -> bool:
    """Return whether the page embeds or imports a script of the tree."""
    sites = (site for site in tree.context.extractions[path].sites if site.kind in _SCRIPTS)
    targets = (answer.target for site in sites for answer in resolve_site(site, path, tree))
    return any(tree.context.files.get(target) in _CODE for target in targets)


def _could_name(tree: PageTree) -> Iterator[tuple[str, int, str, str]]:
    """Yield the files that a value with a hole of a template engine can mean: those that its constant parts fit."""
    paths = tree.context.paths
    by_glob: dict[str, list[str]] = {}
    for path in tree.context.files_of("html"):
        for dynamic in tree.context.extractions[path].dynamic:
            known = by_glob.get(dynamic.pattern)
            if known is None:
                known = by_glob[dynamic.pattern] = _fitting(dynamic.pattern, paths)
            yield from ((path, dynamic.line, other, "dynamic") for other in known if other != path)


def _fitting(glob: str, paths: list[str]) -> list[str]:
    """Return the first paths that end as the glob does; none when it has no constant part that says something."""
    parts = [part.replace("[*]", "*").replace("[?]", "?").replace("[[]", "[") for part in re.split(r"(?<!\[)\*", glob.lstrip("./"))]
    if not any(part.strip("/.") for part in parts) or len(parts) > _MAX_HOLES:
        return []
    match = re.compile(r"(?:.*/)?" + ".*".join(map(re.escape, parts)) + r"\Z", re.DOTALL).match
    return [path for path in paths if match(path)][:_MAX_COULD]


LADDER = Ladder(("html",), prepare, resolve_site, _conventions)
