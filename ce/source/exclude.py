"""Ignore files with git's own semantics, and the names that are never measured.

The last matching line of a file decides, a deeper file outranks one above it. Patterns and names are compared byte for
byte, as git does: both are held as text with one character for each byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ce.source.globs import wildcard_regex

__all__ = [
    "BUILD_OUTPUTS",
    "BUILT_IN",
    "CLOSED_DIRECTORIES",
    "LOCK_FILES",
    "LOOSE_SECRETS",
    "SECRETS",
    "SOURCE_SUFFIXES",
    "Pattern",
    "PatternList",
    "build_output_of",
    "bytewise",
    "parse_ignore_file",
    "pattern_list",
]

# Lock files, third-party code, generated files and snapshots, at any depth.
BUILT_IN = (
    "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "*.min.js", "*.min.css", "*.pb.go", "*_pb2.py",
    "*.generated.*", "vendor/", "node_modules/", "lua_modules/", "renv/", "packrat/", "__snapshots__/", "*.snap", "migrations/",
)  # fmt: skip

# Of these, the ones that cannot refer to a file of the project.
LOCK_FILES = frozenset({"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock"})

# Names that often hold keys.
SECRETS = ("id_*", "*credentials*", ".env*", "*.pem", "*.key", ".npmrc", ".pypirc", ".netrc")

# Of these, the ones that say too little about a directory or a source file: `credentials.py` and `id_map.go` are code.
LOOSE_SECRETS = frozenset({"id_*", "*credentials*"})

SOURCE_SUFFIXES = (
    ".py", ".pyi", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".vue", ".svelte", ".rs", ".go", ".hs", ".c", ".cpp",
    ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl", ".lua", ".java", ".R", ".r",
)  # fmt: skip

# A directory of this name is a build output only beside one of these project files.
BUILD_OUTPUTS: dict[str, tuple[str, ...]] = {
    "target": ("Cargo.toml", "pom.xml", "build.sbt", "project.clj"),
    "build": (
        "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "setup.py", "setup.cfg", "pyproject.toml",
        "pubspec.yaml",
    ),
    "dist": ("package.json", "setup.py", "setup.cfg", "pyproject.toml", "*.cabal"),
    "dist-newstyle": ("cabal.project", "*.cabal"),
}  # fmt: skip

# Directories that are not measured and in which nothing can refer to the project either.
CLOSED_DIRECTORIES = frozenset({
    "vendor", "node_modules", "lua_modules", "renv", "packrat",
    ".hg", ".svn", ".bzr", ".jj", ".venv", ".tox", ".nox", ".eggs", ".direnv", ".cache", ".mypy_cache", ".pytest_cache",
    ".ruff_cache", ".hypothesis", ".import_linter_cache", ".ipynb_checkpoints", ".gradle", ".terraform", ".next", ".nuxt",
    ".svelte-kit", ".parcel-cache", ".turbo", ".pnpm-store", ".yarn", ".npm", ".stack-work", ".idea",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file; `source` and `line` say where it stands."""

    text: str
    source: str
    line: int
    negated: bool
    only_directories: bool
    whole_path: bool  # compared with the path below the ignore file, else with the last segment
    literal: str | None  # the name or path it equals, None when it has wildcards
    regex: str | None  # None when no name can match

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"


class PatternList:
    """The patterns of one ignore file, compiled so that a name that none of them matches costs almost nothing."""

    __slots__ = ("_above", "_base_length", "_directories", "_files", "_matchers", "patterns")

    def __init__(self, patterns: Sequence[Pattern], base: str = "", above: str = "") -> None:
        """Take the patterns of a file in the directory `base` below the root, or of one from which `above` leads to the root."""
        self.patterns = tuple(patterns)
        self._base_length = len(base)
        self._above = above
        self._files: _Filter | None = None
        self._directories: _Filter | None = None
        self._matchers: dict[int, Callable[[str], object]] = {}

    def last_match(self, path: str, name: str, is_directory: bool) -> Pattern | None:
        """Return the last pattern that matches the root-relative path, whose last segment is `name`."""
        if is_directory:
            screen = self._directories
            if screen is None:
                screen = self._directories = _Filter(self.patterns)
        else:
            screen = self._files
            if screen is None:
                screen = self._files = _Filter([pattern for pattern in self.patterns if not pattern.only_directories])
        if (
            name in screen.names
            or (screen.suffixes and name.endswith(screen.suffixes))
            or (screen.match_name is not None and screen.match_name(name))
            or (screen.paths and self._below(path) in screen.paths)
            or (screen.match_path is not None and screen.match_path(self._below(path)))
        ):
            return self._search(self._below(path), name, is_directory)
        return None

    def _below(self, path: str) -> str:
        """Return the path relative to the directory of the ignore file."""
        return self._above + path[self._base_length :]

    def _search(self, path: str, name: str, is_directory: bool) -> Pattern | None:
        for index in range(len(self.patterns) - 1, -1, -1):
            pattern = self.patterns[index]
            if pattern.only_directories and not is_directory:
                continue
            text = path if pattern.whole_path else name
            if pattern.literal is not None:
                if text == pattern.literal:
                    return pattern
            elif pattern.regex is not None:
                match = self._matchers.get(index)
                if match is None:
                    match = self._matchers[index] = re.compile(pattern.regex + r"\Z", re.DOTALL).match
                if match(text):
                    return pattern
        return None


class _Filter:
    """What a name or path must look like for any of the patterns to match it."""

    __slots__ = ("match_name", "match_path", "names", "paths", "suffixes")

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        names: set[str] = set()
        paths: set[str] = set()
        suffixes: set[str] = set()
        name_sources: list[str] = []
        path_sources: list[str] = []
        for pattern in patterns:
            if pattern.literal is not None:
                (paths if pattern.whole_path else names).add(pattern.literal)
            elif pattern.regex is None:
                continue
            elif pattern.whole_path:
                path_sources.append(pattern.regex)
            elif _SUFFIX.fullmatch(pattern.text):
                suffixes.add(pattern.text.lstrip("!").strip("*/"))
            else:
                name_sources.append(pattern.regex)
        self.names = frozenset(names)
        self.paths = frozenset(paths)
        self.suffixes = tuple(sorted(suffixes))
        self.match_name = _any_of(name_sources)
        self.match_path = _any_of(path_sources)


_SUFFIX = re.compile(r"!?\*[^*?\[\]\\/!]+/?")


def _any_of(sources: list[str]) -> Callable[[str], object] | None:
    if not sources:
        return None
    return re.compile(f"(?:{'|'.join(sources)})\\Z", re.DOTALL).match


def bytewise(name: str) -> str:
    """Return the name with one character for each byte of its encoding on disk."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


def parse_ignore_file(data: bytes, source: str) -> tuple[Pattern, ...]:
    """Return the patterns of an ignore file, bytewise; `source` is how messages name it."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    patterns = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("#"):
            continue
        line = line.removesuffix("\r").partition("\0")[0]
        pattern = _parse_pattern(_without_trailing_spaces(line), source, number)
        if pattern is not None:
            patterns.append(pattern)
    return tuple(patterns)


def pattern_list(lines: Iterable[str], source: str) -> PatternList:
    """Return the patterns of lines that were written by us or in the settings, over names as text."""
    parsed = (_parse_pattern(line, source, number) for number, line in enumerate(lines, start=1))
    return PatternList([pattern for pattern in parsed if pattern is not None])


def _without_trailing_spaces(line: str) -> str:
    end = 0
    at = 0
    while at < len(line):
        if line[at] == "\\":
            at += 1
            end = at + 1
        elif line[at] != " ":
            end = at + 1
        at += 1
    return line[:end]


def _parse_pattern(line: str, source: str, number: int) -> Pattern | None:
    negated = line.startswith("!")
    body = line[1:] if negated else line
    only_directories = body.endswith("/")
    body = body[:-1] if only_directories else body
    whole_path = "/" in body
    literal_length = _literal_length(body)
    if body.startswith("/"):
        body = body[1:]
        literal_length -= 1
    if not body:
        return None
    if literal_length == len(body):
        return Pattern(line, source, number, negated, only_directories, whole_path, body, None)
    # Git cuts off the literal start before it matches the rest, so a `**` right behind it counts as leading.
    regex = wildcard_regex(body, leading=max(0, literal_length) if whole_path else 0)
    return Pattern(line, source, number, negated, only_directories, whole_path, None, regex)


def _literal_length(body: str) -> int:
    found = re.search(r"[*?\[\\]", body)
    return found.start() if found else len(body)


def build_output_of(name: str, siblings: Iterable[str]) -> str | None:
    """Return the project file beside which a directory of this name is a build output, None when it is an ordinary one."""
    project_files = BUILD_OUTPUTS.get(name)
    if project_files is None:
        return None
    found = [
        sibling
        for sibling in siblings
        if sibling in project_files or any(wanted[0] == "*" and sibling.endswith(wanted[1:]) for wanted in project_files)
    ]
    return min(found, default=None)
