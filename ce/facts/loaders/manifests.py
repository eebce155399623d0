"""The bytes of every configuration and build file that may say what a tree consists of and how it is started.

Such a file is read wherever the walk saw it, measured or not. A few hidden ones, which the walk does not enter, are looked
for at their known places. Nothing is read twice, followed out of the root, or read past a bound.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ce.source.text import read_file

__all__ = ["MAX_BYTES", "is_manifest", "load_manifests"]

MAX_BYTES = 1 << 20  # of one manifest; a larger one is no manifest that a person wrote
MAX_FILES = 20_000

_LARGE = ("compile_commands.json",)  # written by build systems, one entry for each translation unit
_LARGE_BYTES = 32 << 20

_NAMES = frozenset({
    # Python
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", ".pytest.ini", "Pipfile", "MANIFEST.in",
    "scrapy.cfg", "alembic.ini", "environment.yml", "environment.yaml", "meson.build", "hatch.toml", "pixi.toml", "uwsgi.ini",
    "supervisord.conf", "app.yaml", "serverless.yml", "zappa_settings.json", "mkdocs.yml", "mkdocs.yaml",
    # JavaScript and TypeScript
    "package.json", "pnpm-workspace.yaml", "lerna.json", "nx.json", "deno.json", "deno.jsonc", "import_map.json", "jsr.json",
    "angular.json", "workspace.json", "project.json", "nest-cli.json", "manifest.json", "app.json", "vercel.json", "jest.config.json",
    "nodemon.json",
    "cypress.json", "typedoc.json", "ng-package.json", "turbo.json", "cdk.json", "firebase.json", "ionic.config.json",
    "capacitor.config.json", "ecosystem.json", "babel.config.json", "api-extractor.json", "ember-cli.json", "project.config.json",
    "wrangler.json", "wrangler.jsonc", "wrangler.toml", "netlify.toml", ".mocharc.json", ".mocharc.jsonc", ".mocharc.yml", ".babelrc",
    ".swcrc", ".nycrc", ".eslintrc.json", ".eslintrc",
    # other languages
    "Cargo.toml", "go.mod", "go.work", "DESCRIPTION", "NAMESPACE", "stack.yaml", "cabal.project", "package.yaml",
    "compile_commands.json", "compile_flags.txt", "CMakeLists.txt", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle",
    "settings.gradle.kts", "web.xml", "AndroidManifest.xml", "persistence.xml", "plugin.xml", "testng.xml",
    # what starts things
    "Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", ".justfile", "Taskfile.yml", "Taskfile.yaml", "Procfile",
    "Jenkinsfile", "Vagrantfile", "Containerfile", "Earthfile", "Tiltfile", "azure-pipelines.yml", "appveyor.yml", "action.yml",
    "action.yaml", "bitbucket-pipelines.yml", "cloudbuild.yaml", "buildspec.yml", "asv.conf.json", "readthedocs.yml",
    ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml",
})  # fmt: skip

_PATTERN = re.compile(
    r"""[jt]sconfig[^/]*\.json | [^/]*\.tsconfig\.json | requirements[^/]*\.(?:txt|in) | [^/]*requirements\.(?:txt|in)
      | Dockerfile[^/]* | [^/]*\.[Dd]ockerfile | (?:docker-)?compose[^/]*\.ya?ml | [^/]*\.cabal | Makefile\.[^/]*
      | [^/]*\.mk | [^/]*\.service | gunicorn[^/]*\.conf
      | [^/]*\.(?:sh|bash|bat|cmd|ps1|rockspec|rsp)""",
    re.VERBOSE,
)

# Directories, often packages of a workspace, whose JSON files are compiler settings that others extend.
_SETTINGS_DIRECTORY = re.compile(r"(?:.*/)?(?:(?:ts-?|typescript-)configs?|config-(?:ts|typescript|tsconfig))/")

# Requirement lists that are files of any name in a directory of this name.
_REQUIREMENT_DIRECTORIES = ("requirements/",)

# Files that name the classes which a service loader makes.
_SERVICES = "/META-INF/"

# Files that name the classes which a container or a framework makes, in a tree with Java.
_JAVA_SETTINGS = re.compile(r"(?:.*/)?(?:resources|webapp|WEB-INF|spring)/.*\.xml|(?:.*/)?[^/]*(?:[cC]ontext|[bB]eans)[^/]*\.xml")

# Hidden files at the root, and hidden directories whose files count when they end so.
_HIDDEN_FILES = (
    ".gitlab-ci.yml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", ".readthedocs.yml", ".readthedocs.yaml", ".travis.yml",
    ".appveyor.yml", ".drone.yml", ".cirrus.yml", ".azure-pipelines.yml", ".woodpecker.yml", ".pytest.ini", ".justfile",
    ".lefthook.yml", ".gitmodules",
)  # fmt: skip
_HIDDEN_DIRECTORIES = (
    ".github/workflows", ".github/actions", ".github/scripts", ".circleci", ".gitlab", ".azure-pipelines", ".buildkite", ".devcontainer",
    ".woodpecker", ".ci", ".husky",
)  # fmt: skip
_HIDDEN_SUFFIXES = (".yml", ".yaml", ".json", ".sh", "Dockerfile")
_HIDDEN_DEPTH = 3

_C_SUFFIXES = (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".inl")
_DATABASES = ("compile_commands.json", "compile_flags.txt")
_MAX_DIRECTORIES = 5_000


def is_manifest(path: str) -> bool:
    """Return whether a file of that path may say something about the tree as a whole."""
    directory, _, name = path.rpartition("/")
    if name in _NAMES or _PATTERN.fullmatch(name) is not None:
        return True
    if name.endswith(".json") and _SETTINGS_DIRECTORY.fullmatch(f"{directory}/"):
        return True
    if _SERVICES in f"/{path}":
        return True
    return name.endswith((".txt", ".in")) and f"{directory}/".endswith(_REQUIREMENT_DIRECTORIES)


def load_manifests(root: Path, files: Iterable[str], directories: Iterable[str] = ()) -> dict[str, bytes]:
    """Return the bytes of every manifest among `files` and at the known hidden places, by path, sorted.

    A manifest that cannot be read, lies outside the root or is larger than `MAX_BYTES` is left out. Of the `directories` that were not
    entered, whose names end in `/`, those of installed packages are in it with the names of the packages, one a line.
    """
    files = list(files)
    paths = {path for path in files if is_manifest(path)}
    if any(path.endswith(".java") for path in files):
        paths.update(path for path in files if path.endswith(".xml") and _JAVA_SETTINGS.fullmatch(path))
    paths.update(_hidden(root))
    paths.update(_compile_databases(root, files))
    contents: dict[str, bytes] = {}
    known = frozenset(files)
    pending = sorted(paths)[:MAX_FILES]
    while pending:
        bases: set[str] = set()
        for path in pending:
            data = read_file(root, path, limit=_limit(path))
            if isinstance(data, bytes):
                contents[path] = data
                bases.update(_extended(path, data))
        pending = sorted(base for base in bases & known if base not in contents)[: MAX_FILES - len(contents)]
    for path in sorted(directories):
        if f"/{path}".endswith(_INSTALLED):
            contents[path] = "\n".join(sorted(_packages_in(root / path))).encode("utf-8", "surrogateescape")
    return contents


_SETTINGS = re.compile(r"(?:.*/)?[jt]sconfig[^/]*\.json")
_EXTENDS = re.compile(rb'"extends"\s*:\s*(\[[^\]]*\]|"[^"\n]*")')
_TEXT = re.compile(rb'"(\.[^"\\\n]*)"')


def _extended(path: str, data: bytes) -> Iterator[str]:
    """Yield the spellings of the compiler settings of any name that a file extends by a relative path."""
    match = _EXTENDS.search(data) if path.endswith(".json") and b'"extends"' in data else None
    for text in _TEXT.findall(match.group(1)) if match is not None and (_SETTINGS.fullmatch(path) or b"compilerOptions" in data) else ():
        base = os.path.normpath(os.path.join(os.path.dirname(path), text.decode("utf-8", "replace")))
        yield from (base, f"{base}.json")


_INSTALLED = "/node_modules/"


def _packages_in(directory: Path) -> Iterator[str]:
    """Yield the names of the packages in a directory, those of a scope with the scope before them; no link is followed but to a name."""
    try:
        names = [entry.name for entry in os.scandir(directory) if not entry.name.startswith(".")]
        for name in names:
            if name.startswith("@"):
                yield from (f"{name}/{entry.name}" for entry in os.scandir(directory / name))
            else:
                yield name
    except OSError:
        return


def _limit(path: str) -> int:
    return _LARGE_BYTES if path.endswith(_LARGE) else MAX_BYTES


def _hidden(root: Path) -> Iterator[str]:
    """Yield the hidden manifests that exist, without entering a symbolic link."""
    for name in _HIDDEN_FILES:
        if os.path.isfile(root / name):
            yield name
    for directory in _HIDDEN_DIRECTORIES:
        yield from _below(root, directory, _HIDDEN_DEPTH)


def _compile_databases(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield the compile databases at the places where they are looked for from C and C++ files, whether or not the walk enters these.

    With a database come the response files beside it, which its commands may name.
    """
    directories = {""}
    for path in files:
        if path.endswith(_C_SUFFIXES):
            directory = path.rpartition("/")[0]
            while directory not in directories:
                directories.add(directory)
                directory = directory.rpartition("/")[0]
    for directory in sorted(directories)[:_MAX_DIRECTORIES]:
        before = f"{directory}/" if directory else ""
        for name in _DATABASES:
            if os.path.isfile(root / (before + name)):
                yield before + name
        build = f"{before}build"
        if os.path.isfile(root / build / _DATABASES[0]):
            yield f"{build}/{_DATABASES[0]}"
            try:
                yield from sorted(f"{build}/{name}" for name in os.listdir(root / build) if name.endswith(".rsp"))
            except OSError:
                continue


def _below(root: Path, directory: str, depth: int) -> Iterator[str]:
    if os.path.islink(root / directory.partition("/")[0]):
        return
    try:
        entries = sorted(os.scandir(root / directory), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{directory}/{entry.name}"
        try:
            if entry.is_file(follow_symlinks=False):
                if entry.name.endswith(_HIDDEN_SUFFIXES):
                    yield path
            elif depth > 1 and entry.is_dir(follow_symlinks=False):
                yield from _below(root, path, depth - 1)
        except OSError:
            continue
