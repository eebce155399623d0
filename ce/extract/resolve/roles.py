"""Roles that the path of a file gives it, in any language: the one table of names and places by convention.

| role | what gives it |
|---|---|
| `entry_named` | a file name that a toolchain starts by itself |
| `entry_dir` | a directory whose files are started one by one: samples, benchmarks, executables |
| `test` | a name that a test runner collects, or a directory of tests |
| `doc` | a page that readers open without a link |
| `unit` | a translation unit that a compiler is handed directly |
| `asset` | a file that was measured and holds no parse |
| `foreign` | content of a declared submodule, a copy of another project in a directory for such copies |
| `glob`, `allow` | the settings, a marker in the file |

`declared`, `script` and `surface`, and whatever a language adds to the others, come from its conventions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ce.extract.registry import Arm, language_rows
from ce.extract.resolve.context import Context, base_name
from ce.extract.resolve.unread import is_unread
from ce.facts.records import Role
from ce.source.globs import matcher

__all__ = ["in_test_directory", "is_test_path", "is_within_reach", "path_roles"]

_ENTRY_NAMES = frozenset({
    "main.rs", "build.rs", "main.go", "__main__.py", "Main.hs", "main.c", "main.cc", "main.cpp", "Main.java", "main.lua",
    "conf.lua", "app.R", "ui.R", "server.R", "global.R", "index.html", "404.html",
})  # fmt: skip
_ROOT_ENTRY_NAMES = frozenset({"init.lua"})

_ENTRY_DIRECTORIES = ("src/bin/", "examples/", "benches/", "cmd/")
# Further directories of one language, by the first name of the path.
_ENTRY_DIRECTORIES_OF = {
    "lua": (
        "plugin/", "ftplugin/", "indent/", "syntax/", "colors/", "compiler/", "ftdetect/", "lsp/", "after/",
    ),
}  # fmt: skip

# Samples, benchmarks and the code of documentation, whatever they are of; benchmarks also beside the code that they measure.
_SAMPLES = re.compile(r"(?:[^/]*[-_])?(?:examples?|samples?|demos?|bench|docs?|notebooks?|tutorials?)(?:[-_][^/]*)?/|(?:.*/)?benchmarks?/")
_EXAMPLES = re.compile(r".*/examples?/")  # anywhere, in languages in which the directory is no package that somebody may import
_RUN_ONE_BY_ONE = frozenset({"c", "cpp", "haskell", "lua", "r"})
_PAGES = frozenset({"markdown", "html", "text"})  # in documentation a page is what is judged

_TEST_NAMES = re.compile(
    r"""[^/]*_test\.go | [^/]*\.test\.(?:ts|tsx|js|jsx|mjs|cjs|mts|cts) | test_[^/]*\.pyi? | [^/]*_test\.py | conftest\.py
      | Spec\.hs | [^/]*_test\.(?:c|cc|cpp) | Test[^/]*\.java | [^/]*(?:Test|Tests|TestCase)\.java | [^/]*_(?:spec|test)\.lua
      | test[-_][^/]*\.R""",
    re.VERBOSE,
)
_TEST_DIRECTORY = re.compile(r"(?:.*/)?(?:tests?|__tests__|testdata|test_data|test-[^/]*|[^/]*-tests?)/")

_DOC_NAMES = frozenset({"README.md", "CLAUDE.md"})
_DOC_INDEXES = frozenset({"index.md", "README.md"})

# Copies of other projects that are kept in the tree: they have their own owners, and what they offer is not all used.
_VENDORED = re.compile(r"(deps|(?:.*/)?(?:_vendor|_vendored|vendored|third_party|third-party|thirdparty|3rdparty))/")

_UNIT_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")


def in_test_directory(path: str) -> bool:
    """Return whether the path lies in a directory of tests or of their data."""
    return _TEST_DIRECTORY.match(path) is not None


def is_within_reach(directory: str, path: str) -> bool:
    """Return whether a file may mean the package in a directory by its name: one that tests keep as data is for its neighbours alone."""
    around = directory.rpartition("/")[0] + "/"
    return not in_test_directory(around) or path.startswith(around)


def is_test_path(path: str) -> bool:
    """Return whether a test runner collects the file by its name or place."""
    return in_test_directory(path) or _TEST_NAMES.fullmatch(base_name(path)) is not None


def path_roles(context: Context) -> Iterator[Role]:
    """Yield the roles that paths, settings and markers give to the files of the tree."""
    in_globs = [(glob, matcher((glob,))) for glob in context.inputs.entry_globs]
    arms = {row.language: row.arm for row in language_rows().values()}
    foreign = tuple(directory.rstrip("/") + "/" for directory in context.inputs.foreign)
    for path, language in context.files.items():
        extraction = context.extractions.get(path)
        arm = arms.get(language)
        if arm is Arm.PROSE:
            pass  # it neither refers to anything nor is judged
        elif extraction is None or arm not in (Arm.CODE, Arm.DOCUMENT) or is_unread(extraction):
            yield Role(path, "asset", "only read for its references" if arm is Arm.READ else "measured and not parsed")
        else:
            yield from _named(path, language)
            for marker in extraction.allows:
                if marker.tag == "deadcode":
                    yield Role(path, "allow", marker.why, f"{path}:{marker.line}")
        for glob, matches in in_globs:
            if matches(path):
                yield Role(path, "glob", f"`{glob}` in `[graph] entry_globs`", "ce.toml")
        vendored = _VENDORED.match(path)
        if foreign and path.startswith(foreign):
            yield Role(path, "foreign", "content of a declared submodule")
        elif vendored is not None:
            yield Role(path, "foreign", f"a copy of another project in `{vendored.group(1)}/`")


def _named(path: str, language: str) -> Iterator[Role]:
    name = base_name(path)
    if name in _ENTRY_NAMES or path in _ROOT_ENTRY_NAMES:
        yield Role(path, "entry_named", f"started by its name `{name}`")
    for directory in _ENTRY_DIRECTORIES + _ENTRY_DIRECTORIES_OF.get(language, ()):
        if path.startswith(directory):
            yield Role(path, "entry_dir", f"a file of `{directory}`")
    match = (_SAMPLES.match(path) or (_EXAMPLES.match(path) if language in _RUN_ONE_BY_ONE else None)) if language not in _PAGES else None
    if match is not None:
        yield Role(path, "entry_dir", f"a file of `{match.group()}`")
    if is_test_path(path):
        yield Role(path, "test", "collected by its name or directory")
    if name in _DOC_NAMES or (name in _DOC_INDEXES and path.startswith("docs/")):
        yield Role(path, "doc", "a page that readers open first")
    if name.endswith(_UNIT_SUFFIXES) and language in ("c", "cpp"):
        yield Role(path, "unit", "a translation unit")
