"""The ladder of Lua: modules by their dotted names, files by their paths.

Rungs: 1 `a.b` is what a rockspec says it is, else `a/b.lua` or `a/b/init.lua` in the root, `src`, `lua`, the configured roots, the
directory of the file, and wherever a literal template of `package.path` leads; 2 a path of `dofile` beside the file, then from the root;
3 a module that the interpreter brings with it, before anything is searched; 4 a dependency that a rockspec declares.

A `require` of a computed name refers to all modules that its constant parts fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from ce.extract.resolve.answer import EVIDENCE, Answer, external, resolved, unresolved
from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.extract.resolve.rockspecs import Rockspec, read_rockspec
from ce.facts.records import Edge, EntryPoint, Role, Site

__all__ = ["BUILT_IN", "LADDER", "LuaTree", "prepare", "resolve_site"]

_MODULE, _FILE, _BUILT_IN, _DECLARED = 1, 2, 3, 4

BUILT_IN = frozenset({
    "string", "table", "math", "io", "os", "coroutine", "debug", "package", "bit32", "utf8", "ffi", "bit", "jit", "jit.util",
    "jit.profile", "table.new", "table.clear", "string.buffer", "_G",
})  # fmt: skip

_HEALTH = re.compile(r"(?:.*/)?lua/(?:.*/)?health(?:/init)?\.lua")
_ROOTS = ("", "src", "lua")
_NAME = re.compile(r"[^./\s][^/\s]*(?:[./][^/\s]+)*")
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+")
_PLAIN = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.lua")
_SPECS = re.compile(r"((?:.*?/)?specs?/)")
_LANGUAGE = "lua"


class LuaTree:
    """The state of the ladder: where modules are searched, and what rockspecs say."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.rocks: tuple[Rockspec, ...] = tuple(
            read_rockspec(context.manifests[path], path) for path in sorted(context.manifests) if path.endswith(".rockspec")
        )
        self.needed = frozenset(name for rock in self.rocks for name in rock.dependencies)
        roots = (*_ROOTS, *(root.strip("/") for root in context.inputs.search_roots.get(_LANGUAGE, ())))
        patterns = [join(root, "?") for root in dict.fromkeys(roots)]
        self.templates = tuple(dict.fromkeys((*patterns, *self._templates())))
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def _templates(self) -> Iterator[str]:
        """Yield the literal templates of the tree as paths with a `?`, without the suffix."""
        for path in self.context.files_of(_LANGUAGE):
            written = self.context.extractions[path].extra.get("templates")
            for template in written if isinstance(written, list) else ():
                if isinstance(template, str) and not template.startswith(("/", "~")) and ":" not in template:
                    base = template.removesuffix(".lua").removesuffix("/init")
                    for start in dict.fromkeys((directory_of(path), "")):
                        place = normal_path(join(start, base))
                        if place is not None and place.count("?") == 1:
                            yield place

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The files of each name."""
        found: dict[str, list[str]] = {}
        for path in self.context.files_of(_LANGUAGE):
            found.setdefault(base_name(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def tops(self) -> frozenset[str]:
        """The first names of the modules of rocks, and of those that the roots of the tree hold: what a text begins with that names one."""
        found = {name.partition(".")[0] for rock in self.rocks for name in rock.modules}
        for template in self.templates:
            before = template.partition("?")[0]
            for path in self.context.files_of(_LANGUAGE):
                if path.startswith(before):
                    found.add(path[len(before) :].partition("/")[0].removesuffix(".lua"))
        return frozenset(found)

    @cached_property
    def modules(self) -> Mapping[str, tuple[str, ...]]:
        """Every dotted end of the path of a file to the files that have it: `c`, `b.c`, `a.b.c`."""
        found: dict[str, list[str]] = {}
        for path in self.context.files_of(_LANGUAGE):
            stem = path.removesuffix(".lua").removesuffix("/init").replace("/", ".")
            while stem:
                found.setdefault(stem, []).append(path)
                stem = stem.partition(".")[2]
        return {name: tuple(paths) for name, paths in found.items()}

    def named(self, name: str, file: str) -> tuple[str, ...]:
        """Return the files that a module name can mean from a file, but for itself, in order; one when the search is certain."""
        directory = directory_of(file)
        known = self._known.get((name, directory))
        if known is None:
            below = name.replace(".", "/")
            found = {path for rock in self.rocks if (path := rock.modules.get(name, "")) in self.context.files}
            for template in () if found else (*self.templates, join(directory, "?")):
                place = normal_path(template.replace("?", below))
                if place is None:
                    continue
                for path in (place + ".lua", join(place, "init.lua")):
                    if self.context.files.get(path) == _LANGUAGE:
                        found.add(path)
                        break
            known = self._known[name, directory] = tuple(sorted(found))
        return tuple(path for path in known if path != file) if file in known else known


def prepare(context: Context) -> LuaTree:
    """Return the state of the Lua ladder for a tree."""
    return LuaTree(context)


def resolve_site(site: Site, file: str, tree: LuaTree) -> tuple[Answer, ...]:
    """Return what a `require` or a file that is loaded means."""
    spec = site.spec.strip()
    if not spec:
        return (unresolved("empty"),)
    return (_file(spec, file, tree) if site.kind == "load" else _module(spec, file, tree),)


def _module(spec: str, file: str, tree: LuaTree) -> Answer:
    if spec in BUILT_IN:
        return external(_BUILT_IN)
    if not _NAME.fullmatch(spec):
        return unresolved("out_of_scope")
    hits = tree.named(spec, file)
    if len(hits) > 1:
        return unresolved("ambiguous_root", candidates=hits, could=hits)
    if hits:
        return resolved(hits[0], _MODULE)
    if spec in tree.needed or spec.partition(".")[0] in tree.needed:
        return external(_DECLARED)
    return unresolved("out_of_scope", could=tree.modules.get(spec.replace("/", "."), ()))


def _file(spec: str, file: str, tree: LuaTree) -> Answer:
    if spec.startswith(("/", "~")) or re.match(r"[A-Za-z]:", spec):
        return unresolved("out_of_scope")
    for start in (directory_of(file), ""):
        path = normal_path(join(start, spec.replace("\\", "/")))
        if path is not None and tree.context.exists(path):
            return resolved(path, _FILE)
    could = tuple(path for path in tree.context.files_of(_LANGUAGE) if f"/{path}".endswith("/" + spec.lstrip("./")))
    return unresolved("out_of_scope", could=could)


def _conventions(tree: LuaTree) -> Conventions:
    starts = tuple(_starts(tree))
    edges: list[Edge] = []
    could_any: list[tuple[str, int, str, str]] = []
    for path in tree.context.files_of(_LANGUAGE):
        for dynamic in tree.context.extractions[path].dynamic:
            if dynamic.why == "eval" or not dynamic.pattern:
                continue
            fits = _fitting(dynamic.pattern, tree)
            if fits is None:
                could_any.append((path, dynamic.line, _LANGUAGE, dynamic.why))
                continue
            edges += [Edge(path, other, "import", EVIDENCE, dynamic.line, "lazy") for other in fits if other != path]
        edges += _texts(path, tree)
    return Conventions(
        roles=(*_roles(tree), *(Role(point.path, "script", "started by a command or a rock", point.source) for point in starts)),
        entry_points=starts,
        edges=tuple(edges),
        could_name_any=tuple(could_any),
        manifest_deps=tuple((directory_of(rock.path), name) for rock in tree.rocks for name in rock.dependencies),
    )


def _texts(path: str, tree: LuaTree) -> Iterator[Edge]:
    """Yield a reference for every text that spells the name of a module with a dot, or the path of a file, exactly."""
    required = {site.spec for site in tree.context.extractions[path].sites}
    for line, text in tree.context.extractions[path].strings:
        if text in required:
            continue
        if _DOTTED.fullmatch(text):
            hits = tree.named(text, path) if text.partition(".")[0] in tree.tops else ()
        elif _PLAIN.fullmatch(text):
            places = [normal_path(join(start, text)) for start in (directory_of(path), "")]
            hits = tuple(place for place in places if place is not None and tree.context.files.get(place) == _LANGUAGE)[:1]
        else:
            continue
        if len(hits) == 1 and hits[0] != path:
            yield Edge(path, hits[0], "import", EVIDENCE, line, "lazy")


def _fitting(glob: str, tree: LuaTree) -> list[str] | None:
    """Return the files whose module names a glob with constant parts fits, None for a glob without."""
    parts = re.split(r"(?<!\[)\*", glob.replace("/", "."))
    if not any(part.strip(".") for part in parts) or len(parts) > 4:
        return None
    joined = "[^.]*".join(re.escape(re.sub(r"\[([*?\[])\]", r"\1", part)) for part in parts)
    match = re.compile(joined + r"\Z").match
    return sorted({path for name, paths in tree.modules.items() if match(name) for path in paths})


def _roles(tree: LuaTree) -> Iterator[Role]:
    for path in tree.context.files_of(_LANGUAGE):
        if tree.context.extractions[path].extra.get("shebang"):
            yield Role(path, "script", "its first line names the interpreter", f"{path}:1")
        if base_name(path) in ("config.ld", ".busted", ".luacheckrc", "tlconfig.lua"):
            yield Role(path, "entry_named", "the settings of a tool")
        if _HEALTH.fullmatch(path):
            yield Role(path, "entry_named", "Neovim finds it when it checks the health of plug-ins")
    yield from _busted(tree)
    for rock in tree.rocks:
        for name, module in rock.modules.items():
            if module in tree.context.files:
                yield Role(module, "declared", f"the module `{name}` of a rock", rock.path)
        for directory in rock.directories:
            for path in tree.context.below(directory):
                yield Role(path, "declared", f"copied from `{directory}/` with a rock", rock.path)


def _busted(tree: LuaTree) -> Iterator[Role]:
    """Yield what stands in a directory `spec` with specifications for busted: they load it by paths made at run time."""
    files = tree.context.files_of(_LANGUAGE)
    directories = {match.group(1) for path in files if path.endswith("_spec.lua") and (match := _SPECS.match(path))}
    for path in tree.context.paths if directories else ():
        match = _SPECS.match(path)
        if match is not None and match.group(1) in directories and path in tree.context.extractions:
            yield Role(path, "test", f"helpers and data of the specifications in `{match.group(1)}`")


def _starts(tree: LuaTree) -> Iterator[EntryPoint]:
    """Yield the files that rockspecs install as programs and that command files name."""
    for rock in tree.rocks:
        for path in rock.programs:
            if path in tree.context.files:
                yield EntryPoint(path, "", rock.path)
    for word in command_words(tree.context):
        if _PLAIN.fullmatch(word.text.lstrip("/")):
            for start in (word.directory, ""):
                found = normal_path(join(start, word.text))
                if found is not None and tree.context.files.get(found) == _LANGUAGE:
                    yield EntryPoint(found, "", word.at)
                    break
            else:
                # What an installer names is in the place where it puts it: the one file of that name.
                named = tree.by_name.get(base_name(word.text), ())
                if word.text.startswith("/") and len(named) == 1:
                    yield EntryPoint(named[0], "", word.at)


LADDER = Ladder((_LANGUAGE,), prepare, resolve_site, _conventions)
