"""Which file a path means to a compiler, to Node and to bundlers: as written, with a suffix, as a directory with an index.

TypeScript looks for its own suffixes first and JavaScript for its own, so the order depends on who asks. The order is part of the rule:
several files that fit are no ambiguity. A declaration file beside a JavaScript file is the types of that file, never another candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ce.extract.resolve.context import Context, base_name, directory_of, join

__all__ = ["DECLARATIONS", "FAMILY", "SUFFIXES", "TYPED", "Files", "Hit", "is_code", "stem_of"]

FAMILY = ("typescript", "tsx", "javascript", "vue", "svelte", "astro", "mdx")
TYPED = frozenset({"typescript", "tsx", "astro"})
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_TYPESCRIPT = (".ts", ".tsx", ".d.ts", ".mts", ".cts")
_JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx")
_OTHERS = (".json", ".vue", ".svelte", ".astro", ".mdx")
SUFFIXES = (*_TYPESCRIPT, ".d.mts", ".d.cts", *_JAVASCRIPT, *_OTHERS)
_CODE = (".ts", ".tsx", ".mts", ".cts", *_JAVASCRIPT, ".vue", ".svelte", ".astro", ".mdx")

# What a compiler writes for what it reads: an import of the former means the latter when only that exists.
_TWINS = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx", ".ts", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_TYPES_OF = {".js": ".d.ts", ".jsx": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
_RUNTIME_OF = {".d.ts": (".js", ".jsx"), ".d.mts": (".mjs",), ".d.cts": (".cjs",)}


@dataclass(frozen=True, slots=True)
class Hit:
    """A file, and the declaration file with its types where that is another one. `rewritten`: the suffix was exchanged."""

    path: str
    types: str = ""
    rewritten: bool = False


class Files:
    """The files of a tree, asked for by paths without a suffix."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.platforms: tuple[str, ...] = ()  # what may stand before a suffix, as `.ios`: set once the settings are known
        self._found: dict[tuple[str, bool, bool], Hit | None] = {}

    def exists(self, path: str) -> bool:
        """Return whether there is a file of that path."""
        return bool(path) and self.context.exists(path)

    def find(self, path: str, *, typed: bool, only_directory: bool = False) -> Hit | None:
        """Return what a path means, None when it means nothing here. `typed`: the importer is TypeScript."""
        key = (path, typed, only_directory)
        if key not in self._found:
            self._found[key] = self._find(path, typed, only_directory)
        return self._found[key]

    def _find(self, path: str, typed: bool, only_directory: bool) -> Hit | None:
        if path and not only_directory:
            if self.exists(path):
                return self._with_types(path)
            found = self._with_suffix(path, typed)
            if found is not None:
                return found
            rewritten = self._rewritten(path)
            if rewritten is not None:
                return rewritten
        return self._with_suffix(join(path, "index"), typed)

    def _with_suffix(self, path: str, typed: bool) -> Hit | None:
        order = (*_TYPESCRIPT, *_JAVASCRIPT, *_OTHERS) if typed else (*_JAVASCRIPT, *_OTHERS, *_TYPESCRIPT)
        for platform in ("", *self.platforms):
            for suffix in order:
                if self.exists(path + platform + suffix):
                    return self._with_types(path + platform + suffix)
        return None

    def variants(self, path: str) -> tuple[str, ...]:
        """Return the files that a build for another platform takes in the place of one, without that one."""
        if not self.platforms:
            return ()
        directory, slash, name = path.rpartition("/")
        suffix = next((known for known in SUFFIXES if name.endswith(known)), "")
        stem = name.removesuffix(suffix)
        stem = next((stem.removesuffix(platform) for platform in self.platforms if stem.endswith(platform)), stem)
        names = (directory + slash + stem + platform + other for platform in ("", *self.platforms) for other in _CODE)
        return tuple(other for other in names if suffix in _CODE and other != path and self.exists(other))

    def _rewritten(self, path: str) -> Hit | None:
        stem, dot, suffix = path.rpartition(".")
        for twin in _TWINS.get(dot + suffix, ()):
            if self.exists(stem + twin):
                return Hit(stem + twin, rewritten=True)
        return None

    def _with_types(self, path: str) -> Hit:
        # The declarations of a file that exists: it is the file that runs.
        code = self.code_of(path)
        return Hit(code, path) if code else Hit(path, self.types_of(path))

    def code_of(self, path: str) -> str:
        """Return the JavaScript file that a declaration file tells the types of, or nothing."""
        for declared in DECLARATIONS:
            if path.endswith(declared):
                stem = path.removesuffix(declared)
                return next((stem + suffix for suffix in _RUNTIME_OF[declared] if self.exists(stem + suffix)), "")
        return ""

    def types_of(self, path: str) -> str:
        """Return the declaration file beside a file that has no types of its own, or nothing."""
        stem, dot, suffix = path.rpartition(".")
        declared = _TYPES_OF.get(dot + suffix)
        if declared is not None:
            candidates: tuple[str, ...] = (stem + declared,)
        elif dot and f".{suffix}" not in _TYPESCRIPT:
            candidates = (f"{path}.d.ts", f"{stem}.d.{suffix}.ts")
        else:
            return ""
        return next((candidate for candidate in candidates if self.exists(candidate)), "")

    def code_below(self, directory: str) -> Iterator[str]:
        """Yield the code files under a directory."""
        return (path for path in self.context.below(directory) if self.context.files[path] in FAMILY)


def is_code(path: str) -> bool:
    """Return whether the name is that of a module."""
    return path.endswith(_CODE)


def stem_of(path: str) -> str:
    """Return the path as an import without suffix and index would spell it."""
    name = base_name(path)
    for suffix in (*DECLARATIONS, *_CODE, ".json"):
        if name.endswith(suffix) and name != suffix:
            name = name.removesuffix(suffix)
            break
    return directory_of(path) if name == "index" else join(directory_of(path), name)
