"""`Cargo.toml` as values: packages with their crate roots and dependencies, those of a workspace looked up.

A crate root is a file that the compiler is handed: of the library, of programs, of tests, samples and benchmarks, of the build script, as
the manifest says or by the places that Cargo looks in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ce.extract.resolve.context import Context, ancestors, base_name, directory_of, join, normal_path
from ce.facts.manifests import line_of, strings, table, tables, text_at, toml_document

__all__ = ["Dependency", "Package", "Root", "read_packages"]

_LANGUAGE = "rust"
_SECTIONS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
# Kinds of targets: the table of the manifest, the directory that is searched, the role of their roots.
_TARGETS = (
    ("bin", "src/bin", "declared"),
    ("test", "tests", "test"),
    ("example", "examples", "entry_dir"),
    ("bench", "benches", "entry_dir"),
)


@dataclass(frozen=True, slots=True)
class Root:
    """A crate root, the role that it has, and what made it one."""

    path: str
    role: str
    why: str
    at: str
    is_library: bool = False


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency under the name that the code uses. `directory` is set when the manifest says where it is."""

    package: str
    directory: str | None


@dataclass(frozen=True, slots=True)
class Package:
    """One manifest with a package. `library` is the name of its library crate, `library_root` its file, both empty without one.

    A library with `is_macros` exports procedural macros and nothing else.
    """

    directory: str
    manifest: str
    name: str
    library: str
    library_root: str
    edition: str
    dependencies: Mapping[str, Dependency]
    roots: tuple[Root, ...]
    is_macros: bool = False


def read_packages(context: Context) -> tuple[Package, ...]:
    """Return the packages of the tree, those nearer to the root first."""
    documents = {
        directory_of(path): toml_document(context.manifests[path], path, context.problems) for path in context.manifests_named("Cargo.toml")
    }
    found = []
    for directory, document in documents.items():
        if table(document, "package") or table(document, "project"):
            found.append(_package(context, directory, document, documents))
    return tuple(sorted(found, key=lambda package: (package.manifest.count("/"), package.manifest)))


def _package(context: Context, directory: str, document: dict[str, object], documents: Mapping[str, dict[str, object]]) -> Package:
    head = table(document, "package") or table(document, "project")
    workspace_directory = next((above for above in ancestors(directory) if table(documents.get(above), "workspace")), None)
    workspace = table(documents.get(workspace_directory), "workspace") if workspace_directory is not None else {}
    name = text_at(head, "name")
    edition = head.get("edition", "2015")
    if not isinstance(edition, str):
        edition = text_at(workspace, "package", "edition") or "2015"
    manifest = join(directory, "Cargo.toml")
    roots = tuple(_roots(context, directory, document, manifest))
    library_root = next((root.path for root in roots if root.is_library), "")
    library = (text_at(document, "lib", "name") or name).replace("-", "_") if library_root else ""
    dependencies = dict(_dependencies(document, directory, table(workspace, "dependencies"), workspace_directory or ""))
    kind = table(document, "lib")
    is_macros = kind.get("proc-macro") is True or kind.get("proc_macro") is True
    return Package(directory, manifest, name, library, library_root, edition, dependencies, roots, is_macros)


def _roots(context: Context, directory: str, document: dict[str, object], manifest: str) -> Iterator[Root]:
    """Yield every crate root once."""
    seen = set()
    for root in _all_roots(context, directory, document, manifest):
        if root.path not in seen and context.files.get(root.path) == _LANGUAGE:
            seen.add(root.path)
            yield root


def _all_roots(context: Context, directory: str, document: dict[str, object], manifest: str) -> Iterator[Root]:
    head = table(document, "package") or table(document, "project")
    data = context.manifests[manifest]
    name = base_name(manifest)

    def at(*needles: str) -> str:
        return f"{manifest}:{line_of(data, *needles)}"

    library = text_at(document, "lib", "path")
    if library:
        yield Root(_under(directory, library), "declared", f"the library of {name}", at("path", library), True)
    if not library and head.get("autolib") is not False:
        yield Root(join(directory, "src/lib.rs"), "declared", "the root of the library", at("[package]"), True)
    build = head.get("build")
    if isinstance(build, str):
        yield Root(_under(directory, build), "declared", "the build script", at("build", build))
    elif isinstance(build, list):
        for script in strings(build):
            yield Root(_under(directory, script), "declared", "a build script", at(script))
    elif build is not False:
        yield Root(join(directory, "build.rs"), "declared", "the build script", at("[package]"))
    for kind, _, role in _TARGETS:
        for target in tables(document.get(kind)):
            yield from _target(context, directory, kind, role, target, at)
    if head.get("autobins") is not False:
        yield Root(join(directory, "src/main.rs"), "declared", "the root of the program", at("[package]"))
    for kind, place, role in _TARGETS:
        if head.get(f"auto{'benches' if kind == 'bench' else kind + 's'}") is False:
            continue
        below = join(directory, place)
        for path in context.children.get(below, ()):
            if path.endswith(".rs"):
                yield Root(path, role, f"Cargo builds what stands in `{place}/`", at("[package]"))
        for path in context.below(below):
            if base_name(path) == "main.rs" and directory_of(directory_of(path)) == below:
                yield Root(path, role, f"Cargo builds what stands in `{place}/`", at("[package]"))


def _target(context: Context, directory: str, kind: str, role: str, target: dict[str, object], at: Callable[..., str]) -> Iterator[Root]:
    place = next(place for name, place, _ in _TARGETS if name == kind)
    name, path = text_at(target, "name"), text_at(target, "path")
    why = f"the {kind} `{name}`"
    if path:
        yield Root(_under(directory, path), role, why, at("path", path))
        return
    if not name:
        return
    tried = [f"{place}/{name}.rs", f"{place}/{name}/main.rs", *(["src/main.rs"] if kind == "bin" else []), f"src/{name}.rs"]
    for guess in tried:
        if context.files.get(join(directory, guess)) == _LANGUAGE:
            yield Root(join(directory, guess), role, why, at("name", name))
            return


def _dependencies(
    document: dict[str, object], directory: str, inherited: dict[str, object], workspace: str
) -> Iterator[tuple[str, Dependency]]:
    holders = [document, *(value for value in table(document, "target").values() if isinstance(value, dict))]
    for holder in holders:
        for section in _SECTIONS:
            for key, value in table(holder, section).items():
                if isinstance(value, dict) and value.get("workspace") is True:
                    shared = inherited.get(key)
                    yield key.replace("-", "_"), _dependency(key, shared, workspace)
                else:
                    yield key.replace("-", "_"), _dependency(key, value, directory)


def _dependency(key: str, value: object, directory: str) -> Dependency:
    package, path = text_at(value, "package") or key, text_at(value, "path")
    return Dependency(package, normal_path(join(directory, path)) if path else None)


def _under(directory: str, path: str) -> str:
    return normal_path(join(directory, path.replace("\\", "/"))) or "\0"
