"""References that no import makes: a text that spells a file, and an import whose pattern says which files it means.

Both give arcs of rung `EVIDENCE` and mode `lazy`. A text counts when the whole of it is the path of a file of the tree: when it starts with
a dot, one from the file that holds the text, or the only one of the package that ends so; when it starts with `/`, as addresses do, one
from the package; else one from the package or the root, and then only with the suffix of a module. Where the root of a workspace spells a
path that its members have and it has not, each of theirs is meant.

A pattern is doubt about each file that it fits, whatever its stars stand for: the site could name it. It is a reference besides to the
files that it fits with each star as part of one name, because a bundler packs, or the program loads, whatever lies there; so are all files
that the globs of `import.meta.glob` and `require.context` fit. A path that is only made, and a listing, are no more than doubt. A pattern
that says nothing is doubt about every module.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

from ce.extract.resolve.context import base_name, directory_of, join, normal_path
from ce.extract.resolve.ecmascript.files import FAMILY, SUFFIXES, is_code, stem_of
from ce.extract.resolve.ecmascript.found import EVIDENCE
from ce.extract.resolve.ecmascript.globs import glob_matcher
from ce.extract.resolve.ecmascript.imports import ModuleTree
from ce.facts.records import DynamicSite, Edge, Extraction

__all__ = ["Evidence", "files_named"]

_GLOBS = frozenset({"import.meta.glob", "require.context"})
_SAY_NOTHING = frozenset({"eval", "new URL", "Worker", "mock"})  # without a constant part they name no module
_ONLY_DOUBT = frozenset({"path", "readdir"})  # whoever makes a path or lists a directory need not load what is there
_BUNDLER = re.compile(r"(?:rollup|rolldown|vite|webpack|rspack|tsup|tsdown|esbuild|farm|bunchee|unbuild|build)[\w.-]*\.[cm]?[jt]s")
_CONSTANT = re.compile(r"[A-Za-z0-9_]{3,}")
_ROOT = "<rootDir>/"
_JAVASCRIPT_NAME = re.compile(r"[\w@./-]+\.(?:[cm]?[jt]sx?|vue|svelte)")


class Evidence:
    """The references by text and by pattern of a tree."""

    def __init__(self, tree: ModuleTree) -> None:
        self.tree = tree
        self.edges: set[Edge] = set()
        self.could_name: set[tuple[str, int, str, str]] = set()
        self.could_name_any: set[tuple[str, int, str, str]] = set()
        self._fitting: dict[tuple[str, bool], list[str]] = {}
        self._languages = sorted({language for language in tree.context.files.values() if language in FAMILY})
        for path, extraction in tree.context.extractions.items():
            is_own = tree.context.files.get(path) in FAMILY
            self._read_texts(path, extraction, is_own)
            if is_own:
                self._read_patterns(path, extraction)

    def _read_texts(self, path: str, extraction: Extraction, is_own: bool) -> None:
        texts = [(line, text) for line, text in extraction.strings if is_own or _JAVASCRIPT_NAME.fullmatch(text)]
        if not texts:
            return
        written = {(site.line, site.spec) for site in extraction.sites}
        for line, text in texts:
            for target in () if (line, text) in written else files_named(text, path, self.tree):
                self._refer(path, target, line)

    def _refer(self, path: str, target: str, line: int) -> None:
        if target != path:
            self.edges.add(Edge(path, target, "import", EVIDENCE, line, "lazy"))

    # --- patterns

    def _read_patterns(self, path: str, extraction: Extraction) -> None:
        globs: dict[int, list[str]] = {}
        for site in extraction.dynamic:
            if site.why in _GLOBS and site.pattern != "*":
                globs.setdefault(site.line, []).append(site.pattern)
            else:
                self._follow(path, site)
        for line, patterns in globs.items():
            # What a `!` takes away is taken from all that stand with it.
            for target in self._in_globs(path, sorted(patterns, key=lambda pattern: pattern.startswith("!"))):
                self.could_name.add((path, line, target, "dynamic"))
                self._refer(path, target, line)

    def _in_globs(self, path: str, patterns: list[str]) -> Iterator[str]:
        rooted = []
        for pattern in patterns:
            mark = "!" if pattern.startswith("!") else ""
            rooted += [mark + whole for whole in self._rooted(pattern.removeprefix("!"), path)]
        if any(not pattern.startswith("!") for pattern in rooted):
            fits = glob_matcher(tuple(rooted), "")
            yield from (file for file in self.tree.context.paths if fits(file))

    def _follow(self, path: str, site: DynamicSite) -> None:
        pattern = site.pattern
        rooted = list(self._rooted(pattern, path))
        if not rooted:
            if _CONSTANT.search(pattern):
                for target in self._matching("*" + pattern.lstrip("*")):
                    self.could_name.add((path, site.line, target, "dynamic"))
            elif site.why not in _SAY_NOTHING:
                self.could_name_any.update((path, site.line, language, site.why) for language in self._languages)
            return
        is_directory = site.why == "readdir" or (site.why == "new URL" and "." not in pattern.rpartition("*")[2])
        # A bundler packs what its settings make a path of.
        is_input = site.why == "path" and pattern.endswith(SUFFIXES) and _BUNDLER.fullmatch(base_name(path)) is not None
        is_reference = (site.why not in _ONLY_DOUBT or is_input) and not is_directory
        for whole in rooted:
            for target in self._matching(whole, strict=is_directory):
                self.could_name.add((path, site.line, target, "dynamic"))
            for target in self._matching(whole, strict=True) if is_reference else ():
                self._refer(path, target, site.line)

    def _rooted(self, pattern: str, path: str) -> Iterator[str]:
        """Yield a pattern from the root of the tree; nothing when its start does not say a directory."""
        fixed = pattern[: re.search(r"[*?\[{(]|$", pattern).start()]  # type: ignore[union-attr]  # the end always matches
        directory, slash, _ = fixed.rpartition("/")
        rest = pattern[len(directory) + 1 :] if slash else pattern
        if pattern.startswith(("./", "../")):
            whole = normal_path(join(directory_of(path), directory))
            if whole is not None:
                yield join(whole, rest)
        elif pattern.startswith("/"):
            package = self.tree.packages.owner(directory_of(path))
            yield join(package.directory if package is not None else "", pattern.lstrip("/"))
        elif slash:
            for base in self.tree.mapped_directories(directory, path):
                yield join(base, rest)

    def _matching(self, pattern: str, *, strict: bool = False) -> list[str]:
        """Return the modules that a pattern fits, with or without their suffix; `strict` when a star stands for part of one name."""
        known = self._fitting.get((pattern, strict))
        if known is None:
            matches = _compiled(pattern, strict)
            start = pattern.partition("*")[0]
            first, last = bisect_left(self._modules, (start,)), bisect_left(self._modules, (start + "\U0010ffff",))
            fitting = [names for names in self._modules[first:last] if any(map(matches, names))]
            known = self._fitting[pattern, strict] = [names[0] for names in fitting]
        return known

    @cached_property
    def _modules(self) -> list[tuple[str, str, str]]:
        """Every module with its path as an import without suffix and index spells it, and without the suffix alone."""
        files = self.tree.context.files
        modules = [path for path in self.tree.context.paths if files[path] in FAMILY or path.endswith(".json")]
        return [(path, stem_of(path), path.rpartition(".")[0]) for path in modules]


@lru_cache(maxsize=1024)
def _compiled(pattern: str, strict: bool) -> Callable[[str], object]:
    """Return a matcher of a glob in which a star stands for any characters, with `strict` for none but a `/`.

    What follows a star is taken at its first place and kept, because the next star takes what is left over: no pattern makes matching slow.
    """
    parts = [re.escape(part) for part in re.split(r"\*+", pattern)]
    star = "[^/]*" if strict else ".*"
    inner = "".join(f"(?>{star}?{part})" for part in parts[1:-1])
    source = parts[0] if len(parts) == 1 else f"{parts[0]}{inner}{star}{parts[-1]}"
    return re.compile(source, re.DOTALL).fullmatch


def files_named(text: str, path: str, tree: ModuleTree) -> tuple[str, ...]:
    """Return the files that a text in a file spells: one, or one of each member where the root of a workspace spells it."""
    directory = directory_of(path)
    package = tree.packages.owner(directory)
    base = "" if package is None else package.directory
    if text.startswith(("./", "../")):
        found = _named(normal_path(join(directory, text)), text, tree) or tree.likeness.only_one_ending(text, base)
    elif text.startswith(_ROOT):
        found = _named(normal_path(join(base, text.removeprefix(_ROOT))), text, tree)
    elif text.startswith("/"):
        found = _named(normal_path(join(base, text)), text, tree) if text.count("/") > 1 else ""
    elif is_code(text):
        starts = (directory,) if "/" not in text else (base, "", directory)
        paths = (normal_path(join(start, text)) for start in dict.fromkeys(starts))
        found = next((whole for whole in paths if whole is not None and whole in tree.context.files), "")
        if not found and "/" in text and package is not None:
            members = sorted(tree.packages.workspaces.get(base, ()))
            return tuple(whole for member in members if (whole := join(member, text)) in tree.context.files)
    else:
        found = ""
    return (found,) if found else ()


def _named(path: str | None, text: str, tree: ModuleTree) -> str:
    if not path:
        return ""
    if path in tree.context.files:
        return path
    hit = None if text.endswith(SUFFIXES) else tree.files.find(path, typed=True)
    if hit is None or hit.path.startswith(path + "/") or hit.path not in tree.context.files:
        return ""
    return hit.path
