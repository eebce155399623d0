"""Which Python files are started from outside of the imports, and why: metadata, command files, names, places, markers in the file.

| role | Python files that get it here, beside what `roles.py` gives by path |
|---|---|
| `declared` | scripts, plugins, build hooks and version attributes of the packaging metadata; the public modules of a distribution
| | whose classifiers publish it as a library, or as the framework of its own name, or as typed when it has no scripts;
| | data files inside installed packages |
| `script` | a `__main__` guard, a first line with the interpreter, inline script metadata, no suffix; outside of packages a
| | body that does work, or a directory `bin` or `scripts`; a file that a command file names |
| `entry_named` | files that a tool starts by their name or place (`_STARTED_BY_NAME`), Sphinx and Alembic configuration, Django's places |
| `entry_dir` | the benchmark directory of `asv.conf.json`; directories of templates that are no package, and of stubs |
| `test` | what the `python_files` setting of pytest fits, `tests.py` where Django is in use |
| `surface` | the public modules that a distribution installs; whether they are entries is for a program to decide |

Whatever starts a module runs the `__init__` of its packages first: these, and a stub beside it, get the role `companion`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate

from ce.extract.resolve.context import base_name, directory_of, join
from ce.extract.resolve.ladder import Conventions
from ce.extract.resolve.python import django
from ce.extract.resolve.python.evidence import Evidence
from ce.extract.resolve.python.imports import PythonTree
from ce.extract.resolve.python.layout import Distribution, installed_name, is_public
from ce.extract.resolve.python.listings import listing_edges
from ce.extract.resolve.python.starts import command_starts, declared_starts
from ce.extract.resolve.python.table import LANGUAGE, is_package, key_of
from ce.extract.resolve.roles import is_test_path, path_roles
from ce.facts.manifests import json_document, text_at
from ce.facts.records import EntryPoint, Extraction, Role

__all__ = ["conventions"]

_STARTED_BY_NAME = {
    "setup.py": "run by installers",
    "noxfile.py": "run by nox",
    "toxfile.py": "run by tox",
    "manage.py": "run by hand, Django's command line",
    "wsgi.py": "loaded by a web server",
    "asgi.py": "loaded by a web server",
    "fabfile.py": "run by fabric",
    "dodo.py": "run by doit",
    "pavement.py": "run by paver",
    "locustfile.py": "run by locust",
    "conanfile.py": "run by conan",
    "hatch_build.py": "run by the build backend",
    "pdm_build.py": "run by the build backend",
    "gunicorn.conf.py": "loaded by gunicorn",
    "gunicorn_conf.py": "loaded by gunicorn",
    "gunicorn_config.py": "loaded by gunicorn",
    "celeryconfig.py": "loaded by celery",
    "sitecustomize.py": "imported by the interpreter at its start",
    "usercustomize.py": "imported by the interpreter at its start",
    "hubconf.py": "loaded by torch.hub",
}
_TEMPLATES = re.compile(r"((?:.*/)?(?:[^/]*[-_])?(?:templates?|skeletons?|boilerplate))/")
_STUB_DIRECTORY = re.compile(r"(?:.*/)?(?:stubs|typings|typeshed|[^/]+-stubs)/")
_SCRIPT_DIRECTORIES = frozenset({"bin", "scripts"})
_SPHINX = frozenset(
    {"extensions", "html_theme", "master_doc", "source_suffix", "exclude_patterns", "templates_path", "project", "copyright"}
)
_ALEMBIC_VERSION = frozenset({"revision", "down_revision"})
_PASSED_ON = frozenset({"entry_named", "entry_dir", "test", "glob", "declared", "script", "allow", "surface"})


def conventions(tree: PythonTree) -> Conventions:
    """Return the roles, entry points and references that Python's conventions give to a tree."""
    starts = [*declared_starts(tree), *command_starts(tree)]
    evidence = Evidence(tree)
    has_django = django.uses_django(tree)
    roles = [role for _, role in starts]
    roles += _file_roles(tree)
    roles += _test_roles(tree)
    roles += _benchmark_roles(tree)
    roles += _template_roles(tree)
    roles += _data_roles(tree)
    roles += _surface_roles(tree)
    roles += django.convention_roles(tree) if has_django else ()
    return Conventions(
        roles=tuple(_with_companions(roles, tree)),
        entry_points=(*(point for point, _ in starts), *_fixtures_of_all_tests(tree)),
        edges=(*evidence.edges, *listing_edges(tree), *(django.app_edges(tree) if has_django else ())),
        could_name=tuple(evidence.could_name),
        could_name_any=tuple(evidence.could_name_any),
        manifest_deps=tuple((directory, name) for directory, names in tree.needed.items() for name in names),
    )


def _fixtures_of_all_tests(tree: PythonTree) -> Iterator[EntryPoint]:
    """Yield the fixtures that the `usefixtures` setting of pytest gives to every test, in each `conftest.py` that defines one."""
    settings = [(owner.directory, name, at) for owner in tree.distributions for name, at in owner.used_fixtures]
    for path in tree.table.files if settings else ():
        if base_name(path) == "conftest.py":
            named = {unit.name for unit in tree.context.extractions[path].units}
            for directory, name, at in settings:
                if name in named and (not directory or path.startswith(directory + "/")):
                    yield EntryPoint(path, name, at)


def _file_roles(tree: PythonTree) -> Iterator[Role]:
    for path in tree.table.files:
        name = base_name(path)
        extraction = tree.context.extractions.get(path)
        if name in _STARTED_BY_NAME:
            yield Role(path, "entry_named", f"`{name}` is {_STARTED_BY_NAME[name]}")
        elif name.startswith("hook-"):
            yield Role(path, "entry_named", "`hook-…` is loaded by PyInstaller")
        if path.endswith(".pyi") and _STUB_DIRECTORY.match(path):
            yield Role(path, "entry_dir", "a stub that type checkers find by its directory")
        if extraction is None:
            continue
        why = _runs_as_script(path, extraction, tree)
        if why is not None:
            yield why
        yield from _by_content(path, name, extraction)


def _runs_as_script(path: str, extraction: Extraction, tree: PythonTree) -> Role | None:
    """Return the role of a file that is made to be run.

    Outside of packages also one whose body calls something as a statement of its own: it does its work when it is run. A module
    of a package has other reasons to do so.
    """
    name = base_name(path)
    if extraction.main_guard:
        return Role(path, "script", "it has a `__main__` guard", path)
    if not name.endswith((".py", ".pyi")):
        return Role(path, "script", "a program without a suffix", path)
    if extraction.extra.get("shebang"):
        return Role(path, "script", "its first line names the interpreter", f"{path}:1")
    metadata = extraction.extra.get("script_metadata")
    if isinstance(metadata, int):
        return Role(path, "script", "it declares what it needs when it is run alone", f"{path}:{metadata}")
    directory = directory_of(path)
    if directory in tree.table.packages or _installed(path, tree.search.owner(directory)):
        return None
    line = extraction.extra.get("runs")
    if isinstance(line, int):
        return Role(path, "script", "its body does work when it is run", f"{path}:{line}")
    if base_name(directory) in _SCRIPT_DIRECTORIES:
        return Role(path, "script", f"a file of `{base_name(directory)}/`")
    return None


def _by_content(path: str, name: str, extraction: Extraction) -> Iterator[Role]:
    """Yield the roles of configuration that is Python and that a tool finds by its settings."""
    if name == "conf.py" and len(_SPHINX & {binding.name for binding in extraction.bindings}) >= 2:
        yield Role(path, "entry_named", "Sphinx reads its configuration from it", path)
    elif name == "env.py" and any(site.spec.partition(".")[0] == "alembic" for site in extraction.sites):
        yield Role(path, "entry_named", "Alembic runs it", path)
    elif base_name(directory_of(path)) == "versions" and {binding.name for binding in extraction.bindings} >= _ALEMBIC_VERSION:
        yield Role(path, "entry_named", "Alembic runs it as a migration", path)
    elif name == "tasks.py" and any("task" in unit.decorators for unit in extraction.units):
        yield Role(path, "entry_named", "run by invoke", path)


def _test_roles(tree: PythonTree) -> Iterator[Role]:
    """Yield what the settings of pytest collect: by `python_files`, and whatever stands in a directory of `testpaths` made for tests.

    Such a directory is not installed, and most of its files are test modules: a path may also name the code, for its doctests.
    """
    owners = {owner.directory: owner for owner in tree.distributions if owner.python_files or owner.testpaths}
    if not owners:
        return
    patterns = {owner.directory: re.compile("|".join(map(translate, owner.python_files)) or "(?!)") for owner in owners.values()}
    made_for_tests = {
        path
        for owner in owners.values()
        for path in owner.testpaths
        if path and _is_made_for_tests(path, owner, patterns[owner.directory], tree)
    }
    for path in tree.table.files:
        owner = owners.get(tree.search.owner(directory_of(path)).directory)
        if owner is None:
            continue
        if _is_collected(path, patterns[owner.directory]):
            yield Role(path, "test", "it fits the `python_files` of pytest")
        elif any(path.startswith(directory + "/") for directory in owner.testpaths if directory in made_for_tests):
            yield Role(path, "test", "it is in the `testpaths` of pytest")


def _is_collected(path: str, pattern: re.Pattern[str]) -> bool:
    return (pattern.match(base_name(path)) or pattern.match(path)) is not None


def _is_made_for_tests(directory: str, owner: Distribution, pattern: re.Pattern[str], tree: PythonTree) -> bool:
    files = [path for path in tree.context.below(directory) if tree.context.files[path] == LANGUAGE]
    tests = [path for path in files if is_test_path(path) or _is_collected(path, pattern)]
    return len(tests) * 2 > len(files) and not any(_installed(path, owner) for path in files)


def _installed(path: str, owner: Distribution) -> str:
    return installed_name(owner, key_of(path), is_package(path)) if owner.manifest else ""


def _benchmark_roles(tree: PythonTree) -> Iterator[Role]:
    for path in tree.context.manifests_named("asv.conf.json"):
        document = json_document(tree.context.manifests[path], path, tree.context.problems)
        directory = join(directory_of(path), (text_at(document, "benchmark_dir") or "benchmarks").strip("./"))
        for file in tree.context.below(directory):
            if tree.context.files[file] == LANGUAGE:
                yield Role(file, "entry_dir", f"a benchmark of {path}", path)


def _template_roles(tree: PythonTree) -> Iterator[Role]:
    """Yield what stands in a directory of templates that is no package: such a file is copied, not imported."""
    for path in tree.table.files:
        match = _TEMPLATES.match(path)
        if match is not None and match.group(1) not in tree.table.packages:
            yield Role(path, "entry_dir", f"a template of `{match.group(1)}/`")


def _data_roles(tree: PythonTree) -> Iterator[Role]:
    """Yield the files of other languages inside an installed package: data of the package, read by paths that are made at run time."""
    for path in tree.context.paths:
        if tree.context.files[path] != LANGUAGE and path in tree.context.extractions:
            directory = directory_of(path)
            while directory and directory not in tree.table.packages:
                directory = directory_of(directory)
            owner = tree.search.owner(directory)
            name = installed_name(owner, directory, True) if directory and owner.manifest else ""
            if name:
                yield Role(path, "declared", f"data of the package `{name}`", owner.manifest)


def _surface_roles(tree: PythonTree) -> Iterator[Role]:
    for path in tree.table.files:
        owner = tree.search.owner(directory_of(path))
        if path.endswith((".py", ".pyi")) and not is_test_path(path):
            dotted = _installed(path, owner)
            if dotted and is_public(dotted):
                yield Role(path, "surface", f"`{dotted}` of the distribution `{owner.name}`", owner.manifest)
                if owner.library:
                    yield Role(path, "declared", f"`{owner.name}` is published as a library", owner.library)


def _with_companions(roles: Iterable[Role], tree: PythonTree) -> Iterator[Role]:
    """Yield the roles, and `companion` for the packages that run before the file and for the stub beside it.

    The package of a test is no test; only `surface` is passed on as it is, for it makes an entry in a library alone.
    """
    given: dict[tuple[str, str], Role] = {}
    for role in roles:
        given.setdefault((role.path, role.role), role)
        yield role
    for role in path_roles(tree.context):
        given.setdefault((role.path, role.role), role)
    done = set(given)
    for path, word in sorted(given):
        if word not in _PASSED_ON or not path.endswith((".py", ".pyi")):
            continue
        companions = list(tree.table.packages_around(key_of(path)))
        stub = tree.table.stubs.get(key_of(path))
        for companion in companions if stub is None or stub == path else [*companions, stub]:
            said = "surface" if word == "surface" else "companion"
            if (companion, said) not in done:
                done.add((companion, said))
                yield Role(companion, said, f"runs before {path}" if companion != stub else f"the stub of {path}")
