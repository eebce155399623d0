"""What the packaging metadata of one directory says about Python: name, roots, installed packages, dependencies, scripts.

Reads pyproject.toml (PEP 621, dependency groups, and the tables of setuptools, Poetry, Hatch, Flit, PDM, maturin, uv,
scikit-build), setup.cfg, the literals of setup.py, requirement lists, Pipfile and tox.ini.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ce.extract.resolve.context import base_name, join, normal_path
from ce.extract.resolve.python.collected import (
    Metadata,
    Root,
    Script,
    note_find,
    note_modules,
    note_package_dirs,
    note_packages,
    note_path,
    note_root,
    package_root,
    whole_package,
)
from ce.facts.manifests import (
    FindPackages,
    Sections,
    line_of,
    requirement_names,
    sections,
    setup_arguments,
    strings,
    table,
    tables,
    text_at,
    toml_document,
)

__all__ = ["read_metadata"]

_LIBRARY = "Topic :: Software Development :: Libraries"
_TYPED = "Typing :: Typed"
_NOT_PUBLISHED = "Private ::"  # the classifier that indexes refuse


def read_metadata(directory: str, manifests: Mapping[str, bytes], problems: list[str]) -> Metadata:
    """Return what the manifests say that belong to the directory, given by path."""
    found = Metadata(directory)
    for path in sorted(manifests):
        data = manifests[path]
        name = base_name(path)
        if name == "pyproject.toml":
            _read_pyproject(found, path, data, toml_document(data, path, problems))
        elif name == "setup.cfg":
            _read_setup_cfg(found, path, data, sections(data, path, problems))
        elif name == "setup.py":
            _read_setup_py(found, path, data, setup_arguments(data, path, problems))
        elif name in ("tox.ini", "pytest.ini", ".pytest.ini"):
            read = sections(data, path, problems)
            _read_pytest(found, read.get("pytest", {}), path, data)
            for section in read.values():
                found.dependencies.update(requirement_names(_without_factors(section.get("deps", ""))))
        elif name == "Pipfile":
            document = toml_document(data, path, problems)
            for group in ("packages", "dev-packages"):
                found.dependencies.update(requirement_names(table(document, group)))
        elif name.endswith((".txt", ".in")):
            found.dependencies.update(requirement_names(data.decode("utf-8", "replace")))
    return found


def _without_factors(deps: str) -> list[str]:
    """Return the requirements of a tox `deps` value without conditions such as `py311:`."""
    return [line.rpartition(": ")[2] for line in deps.splitlines()]


def _read_pyproject(found: Metadata, path: str, data: bytes, document: dict[str, object]) -> None:
    project = table(document, "project")
    tool = table(document, "tool")
    poetry = table(tool, "poetry")
    if project or (poetry and poetry.get("package-mode") is not False):
        found.packaged = True
        found.manifest = path
    if table(tool, "uv").get("package") is False:
        found.packaged = False
    found.name = text_at(project, "name") or text_at(poetry, "name") or found.name
    found.backend = text_at(document, "build-system", "build-backend")
    _note_classifiers(found, path, data, strings(project.get("classifiers")) + strings(poetry.get("classifiers")))
    _read_dependencies(found, document, project, tool)
    groups = [("console_scripts", project.get("scripts")), ("gui_scripts", project.get("gui-scripts"))]
    groups += [("console_scripts", poetry.get("scripts"))]
    groups += list(table(project, "entry-points").items()) + list(table(poetry, "plugins").items())
    for group, members in groups:
        _note_scripts(found, path, data, group, table(members))
    backend_path = [join(found.directory, entry) for entry in strings(table(document, "build-system").get("backend-path"))]
    if backend_path:
        found.roots += [Root(entry) for entry in map(normal_path, backend_path) if entry is not None]
        found.started.append((found.backend, f"{path}:{line_of(data, found.backend)}"))
    for keys in (("poetry", "build", "script"), ("hatch", "build", "hooks", "custom", "path"), ("hatch", "version", "path")):
        started = text_at(tool, *keys)
        if started:
            found.started.append((started, f"{path}:{line_of(data, started)}"))
    for started in _dynamic_attributes(tool):
        found.started.append((started, f"{path}:{line_of(data, started)}"))
    for command in _task_commands(tool):
        found.started += [(word, f"{path}:{line_of(data, word)}") for word in command.split() if "." in word]
    _read_pytest(found, table(tool, "pytest", "ini_options") or table(tool, "pytest"), path, data)
    _read_backend_tables(found, tool, poetry)


def _note_classifiers(found: Metadata, path: str, data: bytes, classifiers: list[str]) -> None:
    own = f"Framework :: {found.name}".lower()
    for classifier in classifiers:
        if classifier.startswith(_NOT_PUBLISHED):
            found.packaged = False
        elif classifier.startswith(_LIBRARY) or classifier.lower() == own:
            found.library = found.library or f"{path}:{line_of(data, classifier)}"
        elif classifier == _TYPED:
            found.typed = found.typed or f"{path}:{line_of(data, classifier)}"


def _read_dependencies(found: Metadata, document: dict[str, object], project: dict[str, object], tool: dict[str, object]) -> None:
    lists: list[object] = [project.get("dependencies"), table(document, "build-system").get("requires")]
    lists += table(project, "optional-dependencies").values()
    lists += table(document, "dependency-groups").values()
    lists += table(tool, "pdm", "dev-dependencies").values()
    lists += [table(tool, "uv").get("dev-dependencies"), table(tool, "flit", "metadata").get("requires")]
    poetry = table(tool, "poetry")
    lists += [table(poetry, "dependencies"), table(poetry, "dev-dependencies"), table(poetry, "extras")]
    lists += [table(group, "dependencies") for group in table(poetry, "group").values()]
    lists += [table(environment).get("dependencies") for environment in table(tool, "hatch", "envs").values()]
    lists += [table(environment).get("extra-dependencies") for environment in table(tool, "hatch", "envs").values()]
    for requirements in lists:
        found.dependencies.update(requirement_names(requirements))
    found.dependencies.discard("python")


def _note_scripts(found: Metadata, path: str, data: bytes, group: str, members: Mapping[str, object]) -> None:
    for name, value in members.items():
        # Poetry also takes `{reference = "pkg.mod:func", type = "console"}` and `{callable = …}`.
        target = value if isinstance(value, str) else text_at(value, "reference") or text_at(value, "callable")
        if target:
            found.scripts.append(Script(group, name, target.partition("[")[0].strip(), f"{path}:{line_of(data, name, target)}"))


def _dynamic_attributes(tool: dict[str, object]) -> Iterator[str]:
    """Yield the attributes and files that a build backend reads, such as the one that holds the version."""
    for value in table(tool, "setuptools", "dynamic").values():
        attribute = text_at(value, "attr")
        if attribute:
            yield attribute
    for keys in (("pdm", "version", "path"), ("pdm", "build", "custom-hook"), ("django-stubs", "django_settings_module")):
        value = text_at(tool, *keys)
        if value:
            yield value
    for keys in (("mypy", "plugins"), ("pylint", "main", "load-plugins"), ("pylint", "MASTER", "load-plugins")):
        yield from strings(table(tool, *keys[:-1]).get(keys[-1]))


def _task_commands(tool: dict[str, object]) -> Iterator[str]:
    """Yield the command lines of task runners that keep them in pyproject.toml."""
    tasks = [table(tool, "poe", "tasks"), table(tool, "pdm", "scripts"), table(tool, "taskipy", "tasks"), table(tool, "rye", "scripts")]
    tasks += [table(environment, "scripts") for environment in table(tool, "hatch", "envs").values()]
    for members in tasks:
        for value in members.values():
            for key in ("cmd", "shell", "script", "call", "composite", "chain", "sequence", "expr"):
                yield from strings(table(value).get(key))
            yield from strings(value)


def _read_backend_tables(found: Metadata, tool: dict[str, object], poetry: dict[str, object]) -> None:
    """Read the roots and packages that the table of a build backend names."""
    _read_setuptools(found, table(tool, "setuptools"))
    for entry in tables(poetry.get("packages")):
        include = text_at(entry, "include").rstrip("/*").strip("/")
        root = note_root(found, text_at(entry, "from"))
        if include and root is not None:
            found.installed.append(whole_package(root, include))
    _read_hatch(found, table(tool, "hatch", "build"))
    flit = text_at(tool, "flit", "module", "name") or text_at(tool, "flit", "metadata", "module")
    if flit:
        found.name = flit
        found.backend = found.backend or "flit"
    pdm = text_at(tool, "pdm", "build", "package-dir") or text_at(tool, "pdm", "package-dir")
    note_root(found, pdm)
    for include in strings(table(tool, "pdm", "build").get("includes")):
        note_path(found, include)
    maturin = table(tool, "maturin")
    if maturin:
        note_root(found, text_at(maturin, "python-source"))
        found.name = text_at(maturin, "module-name").partition(".")[0] or found.name
    backend = table(tool, "uv", "build-backend")
    if backend:
        note_root(found, text_at(backend, "module-root"))
        found.name = text_at(backend, "module-name") or found.name
    for include in strings(table(tool, "scikit-build", "wheel").get("packages")):
        note_path(found, include)


def _read_setuptools(found: Metadata, setuptools: dict[str, object]) -> None:
    directories = {name: value for name, value in table(setuptools, "package-dir").items() if isinstance(value, str)}
    note_package_dirs(found, directories)
    packages = setuptools.get("packages")
    if isinstance(packages, list):
        note_packages(found, strings(packages), directories)
    find = table(packages, "find")
    if isinstance(packages, dict) and "find" in packages:
        for where in strings(find.get("where")) or [directories.get("", ".")]:
            note_find(found, FindPackages(where, tuple(strings(find.get("include"))) or ("*",), tuple(strings(find.get("exclude")))))
    note_modules(found, strings(setuptools.get("py-modules")), directories)


def _read_hatch(found: Metadata, build: dict[str, object]) -> None:
    for options in (build, table(build, "targets", "wheel")):
        for include in strings(options.get("packages")) + strings(options.get("only-include")):
            note_path(found, include)
        for directory in strings(options.get("dev-mode-dirs")):
            note_root(found, directory)
        sources = options.get("sources")
        for source in strings(sources) or list(table(sources)):
            renamed = table(sources).get(source, "")
            path = normal_path(join(found.directory, source))
            if path is not None and isinstance(renamed, str):
                found.roots.append(package_root(renamed.strip("/"), path))


def _read_pytest(found: Metadata, options: Mapping[str, object], path: str, data: bytes) -> None:
    fixtures = options.get("usefixtures")
    for name in fixtures.split() if isinstance(fixtures, str) else strings(fixtures):
        found.used_fixtures.append((name, f"{path}:{line_of(data, name)}"))
    patterns = options.get("python_files")
    if patterns and not found.python_files:
        found.python_files = tuple(patterns.split()) if isinstance(patterns, str) else tuple(strings(patterns))
    for key, paths in (("pythonpath", found.pythonpath), ("testpaths", found.testpaths)):
        value = options.get(key)
        for entry in value.split() if isinstance(value, str) else strings(value):
            named = normal_path(join(found.directory, entry))
            if named is not None:
                paths.append(named)


def _read_setup_cfg(found: Metadata, path: str, data: bytes, read: Sections) -> None:
    options = read.get("options", {})
    metadata = read.get("metadata", {})
    if options or metadata.get("name"):
        found.packaged = True
        found.manifest = found.manifest or path
    found.name = found.name or metadata.get("name", "")
    _note_classifiers(found, path, data, strings(metadata.get("classifiers") or metadata.get("classifier")))
    for key in ("install_requires", "setup_requires", "tests_require"):
        found.dependencies.update(requirement_names(options.get(key, "")))
    for value in read.get("options.extras_require", {}).values():
        found.dependencies.update(requirement_names(value))
    for group, value in read.get("options.entry_points", {}).items():
        _note_entry_lines(found, path, data, group, value)
    directories = dict(_pairs(options.get("package_dir", "")))
    note_package_dirs(found, directories)
    packages = options.get("packages", "").strip()
    if packages in ("find:", "find_namespace:"):
        find = read.get("options.packages.find", {})
        include, exclude = tuple(strings(find.get("include"))), tuple(strings(find.get("exclude")))
        note_find(found, FindPackages(find.get("where") or directories.get("", "."), include or ("*",), exclude))
    elif packages:
        note_packages(found, _words(packages), directories)
    note_modules(found, _words(options.get("py_modules", "")), directories)
    version = metadata.get("version", "").strip()
    if version.startswith("attr:"):
        found.started.append((version[5:].strip(), f"{path}:{line_of(data, version)}"))
    _read_pytest(found, read.get("tool:pytest", {}) or read.get("pytest", {}), path, data)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace(",", "\n").splitlines():
        name, equals, value = line.partition("=")
        if equals:
            yield name.strip(), value.strip()


def _note_entry_lines(found: Metadata, path: str, data: bytes, group: str, value: object) -> None:
    for line in strings(value):
        for name, target in _pairs(line):
            _note_scripts(found, path, data, group, {name: target})


def _read_setup_py(found: Metadata, path: str, data: bytes, arguments: dict[str, object]) -> None:
    if not arguments:
        return
    found.packaged = True
    found.manifest = found.manifest or path
    found.name = found.name or text_at(arguments, "name")
    _note_classifiers(found, path, data, strings(arguments.get("classifiers")))
    for key in ("install_requires", "setup_requires", "tests_require"):
        found.dependencies.update(requirement_names(arguments.get(key)))
    for value in table(arguments, "extras_require").values():
        found.dependencies.update(requirement_names(value))
    points = arguments.get("entry_points")
    for group, value in table(points).items():
        _note_entry_lines(found, path, data, group, value)
    if isinstance(points, str):
        group = ""
        for line in strings(points):
            if line.startswith("["):
                group = line.strip("[] ")
            else:
                _note_entry_lines(found, path, data, group, line)
    for script in strings(arguments.get("scripts")):
        found.started.append((script, f"{path}:{line_of(data, script)}"))
    directories = {name: value for name, value in table(arguments, "package_dir").items() if isinstance(value, str)}
    note_package_dirs(found, directories)
    packages = arguments.get("packages")
    for call in packages if isinstance(packages, list) else [packages]:
        if isinstance(call, FindPackages):
            where = call.where if call.where != "." else directories.get("", ".")
            note_find(found, FindPackages(where, call.include, call.exclude, call.namespaces))
    note_packages(found, strings(packages), directories)
    note_modules(found, strings(arguments.get("py_modules")), directories)
