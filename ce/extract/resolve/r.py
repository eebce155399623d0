"""The ladder of R: files that scripts source, packages that they attach or reach into.

Rungs: 1 a path beside the file, then from the root, then in the configured roots; 2 the name of a package whose DESCRIPTION is in the
tree: the package as a whole, which holds its code; 3 any other package, or an address, is outside of the tree.

The code of a package is what its `Collate` field lists, else the files directly in `R/`: all of it is loaded with the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ce.extract.resolve.answer import EVIDENCE, Answer, external, package, resolved, unresolved
from ce.extract.resolve.commands import command_words
from ce.extract.resolve.context import Context, base_name, directory_of, join, normal_path
from ce.extract.resolve.ladder import Conventions, Ladder
from ce.facts.manifests import decode
from ce.facts.records import Edge, EntryPoint, Role, Site

__all__ = ["LADDER", "RPackage", "RTree", "prepare", "resolve_site"]

_PATH, _PACKAGE, _EXTERNAL = 1, 2, 3
_LANGUAGE = "r"

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:")
_SCRIPT = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.[Rr]")
_FIELD = re.compile(r"([A-Za-z@/.]+):[ \t]*(.*)")
_LISTED = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\S+)")
_DEPENDENCY = re.compile(r"[A-Za-z][\w.]*")
# `import(a)` and `importFrom(a, b)` of a NAMESPACE file.
_IMPORTED = re.compile(r"\bimport(?:From|ClassesFrom|MethodsFrom)?\(\s*[\"']?([A-Za-z][\w.]*)")
# What a NAMESPACE file exports: names, or every name that a pattern fits.
_EXPORTED = re.compile(r"\bexport(?:Methods)?\(([^()]*)\)")
_METHOD = re.compile(r"\bS3method\(\s*[\"'`]?([\w.<$\[-]+)[\"'`]?\s*,\s*[\"']?([\w.]+)[\"']?\s*[,)]")
_PATTERN = re.compile(r"\bexportPattern\(")
_NAME = re.compile(r"[\w.]+")
_DIRECTIVE_COMMENT = re.compile(r"#[^\n]*")
_DEPENDS = ("Depends", "Imports", "LinkingTo", "Suggests", "Enhances")
# Directories of a package whose files are run or copied one by one.
_STARTED = ("inst", "vignettes", "data-raw", "exec", "demo", "tests", "data", "tools")


@dataclass(frozen=True, slots=True)
class RPackage:
    """A package in the tree: its name, its directory, its code in the order of the paths, what it depends on."""

    name: str
    directory: str
    manifest: str
    code: tuple[str, ...]
    dependencies: tuple[str, ...]


class RTree:
    """The state of the ladder: the packages of the tree by name."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.roots = tuple(root.strip("/") for root in context.inputs.search_roots.get(_LANGUAGE, ()))
        self.packages = tuple(_packages(context))
        self.by_name: dict[str, list[RPackage]] = {}
        for found in self.packages:
            self.by_name.setdefault(found.name, []).append(found)


def prepare(context: Context) -> RTree:
    """Return the state of the R ladder for a tree."""
    return RTree(context)


def resolve_site(site: Site, file: str, tree: RTree) -> tuple[Answer, ...]:
    """Return what a sourced file or an attached package means."""
    spec = site.spec.strip()
    if not spec:
        return (unresolved("empty"),)
    if site.kind == "library":
        found = tree.by_name.get(spec, [])
        if len(found) > 1:
            could = tuple(sorted({path for each in found for path in each.code}))
            return (unresolved("ambiguous_workspace", candidates=tuple(each.manifest for each in found), could=could),)
        return (package(found[0].directory, _PACKAGE) if found else external(_EXTERNAL),)
    return (_source(spec, file, tree),)


def _source(spec: str, file: str, tree: RTree) -> Answer:
    if _ADDRESS.match(spec):
        return external(_EXTERNAL)
    if _ABSOLUTE.match(spec):
        return unresolved("out_of_scope")
    for start in (directory_of(file), ""):
        path = normal_path(join(start, spec))
        if path is not None and tree.context.exists(path):
            return resolved(path, _PATH)
    hits = sorted({path for root in tree.roots if (path := normal_path(join(root, spec))) is not None and tree.context.exists(path)})
    if len(hits) > 1:
        return unresolved("ambiguous_root", candidates=tuple(hits), could=tuple(hits))
    if hits:
        return resolved(hits[0], _PATH)
    end = re.sub(r"^(?:\.{0,2}/)+", "/", "/" + spec)
    return unresolved("out_of_scope", could=tuple(path for path in tree.context.files_of(_LANGUAGE) if f"/{path}".endswith(end)))


def _packages(context: Context) -> Iterator[RPackage]:
    for path in context.manifests_named("DESCRIPTION"):
        fields = _fields(decode(context.manifests[path]))
        name = fields.get("Package", "").strip()
        if not name:
            continue
        directory = directory_of(path)
        code_directory = join(directory, "R")
        direct = [file for file in context.children.get(code_directory, ()) if context.files[file] == _LANGUAGE]
        collate = fields.get("Collate", "") or fields.get("Collate.unix", "")
        if collate:
            listed = {join(code_directory, one or two or three) for one, two, three in _LISTED.findall(collate)}
            direct = [file for file in context.below(code_directory) if file in listed]
        needed = {
            match.group()
            for field in _DEPENDS
            for part in fields.get(field, "").split(",")
            if (match := _DEPENDENCY.match(part.strip())) and match.group() != "R"
        }
        imported = context.manifests.get(join(directory, "NAMESPACE"))
        needed.update(_IMPORTED.findall(_DIRECTIVE_COMMENT.sub("", decode(imported))) if imported is not None else ())
        yield RPackage(name, directory, path, tuple(direct), tuple(sorted(needed)))


def _fields(text: str) -> Mapping[str, str]:
    """Return the fields of a control file; lines that begin with a blank continue a field."""
    fields: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line[:1] in (" ", "\t"):
            if name:
                fields[name] += "\n" + line.strip()
            continue
        match = _FIELD.match(line)
        name = match.group(1) if match else ""
        if match and name:
            fields[name] = match.group(2)
    return fields


def _members(tree: RTree) -> Mapping[str, tuple[str, ...]]:
    return {found.directory: found.code for found in tree.packages}


def _conventions(tree: RTree) -> Conventions:
    starts = tuple(_starts(tree))
    exported = tuple(_exported(tree))
    edges: list[Edge] = []
    could_any: list[tuple[str, int, str, str]] = []
    for path in tree.context.files_of(_LANGUAGE):
        for dynamic in tree.context.extractions[path].dynamic:
            if dynamic.why == "library":
                continue
            fits = _fitting(dynamic.pattern, path, tree)
            if fits is None:
                could_any.append((path, dynamic.line, _LANGUAGE, dynamic.why))
            else:
                edges += [Edge(path, other, "import", EVIDENCE, dynamic.line, "lazy") for other in fits if other != path]
    return Conventions(
        roles=(*_roles(tree), *(Role(point.path, "script", "named by a command", point.source) for point in starts)),
        entry_points=(*starts, *exported),
        edges=tuple(edges),
        could_name_any=tuple(could_any),
        manifest_deps=tuple((found.directory, name) for found in tree.packages for name in found.dependencies),
    )


def _exported(tree: RTree) -> Iterator[EntryPoint]:
    """Yield the functions that a package lists for its users; all of them when it lists none by name."""
    for one in tree.packages:
        path = join(one.directory, "NAMESPACE")
        listed = tree.context.manifests.get(path)
        text = "" if listed is None else _DIRECTIVE_COMMENT.sub("", decode(listed))
        lines = dict(_listed(text))
        offers_all = listed is None or _PATTERN.search(text) is not None
        for file in one.code:
            for unit in tree.context.extractions[file].units:
                if unit.parent < 0 and unit.name and (offers_all or unit.name in lines):
                    yield EntryPoint(file, unit.name, f"{path}:{lines.get(unit.name, 1)}" if listed is not None else one.manifest)


def _listed(text: str) -> Iterator[tuple[str, int]]:
    for match in _EXPORTED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield from ((name, line) for name in _NAME.findall(match.group(1)))
    for match in _METHOD.finditer(text):
        yield f"{match.group(1)}.{match.group(2)}", text.count("\n", 0, match.start()) + 1


def _fitting(glob: str, file: str, tree: RTree) -> list[str] | None:
    """Return the files that a glob of a path fits, beside the file or from the root; None for a glob without constant parts."""
    parts = re.split(r"(?<!\[)\*", glob)
    if not any(part.strip("./") for part in parts) or len(parts) > 4 or _ABSOLUTE.match(glob):
        return None if not any(part.strip("./") for part in parts) else []
    found = set()
    joined = "[^/]*".join(re.escape(re.sub(r"\[([*?\[])\]", r"\1", part)) for part in parts)
    match = re.compile(joined + r"\Z").match
    for start in dict.fromkeys((directory_of(file), "")):
        base = start
        rest = glob
        while rest.startswith(("./", "../")):
            base = directory_of(base) if rest.startswith("../") else base
            rest = rest.partition("/")[2]
        if rest is not glob:
            match = re.compile("[^/]*".join(re.escape(part) for part in re.split(r"(?<!\[)\*", rest)) + r"\Z").match
        for path in tree.context.below(base):
            if tree.context.files[path] == _LANGUAGE and match(path[len(base) + 1 if base else 0 :]):
                found.add(path)
    return sorted(found)


def _roles(tree: RTree) -> Iterator[Role]:
    for found in tree.packages:
        for path in found.code:
            yield Role(path, "declared", f"code of the package {found.name}", found.manifest)
        for name in _STARTED:
            directory = join(found.directory, name)
            for path in tree.context.below(directory):
                is_code = tree.context.files[path] == _LANGUAGE
                if is_code or (path in tree.context.extractions and name != "tests"):
                    role = "test" if name == "tests" else "entry_dir"
                    yield Role(path, role, f"a file of `{name}/` of the package {found.name}", found.manifest)
    for path in tree.context.files_of(_LANGUAGE):
        if tree.context.extractions[path].extra.get("shebang"):
            yield Role(path, "script", "its first line names the interpreter", f"{path}:1")
        if base_name(path) == "_targets.R":
            yield Role(path, "entry_named", "`targets` runs it")


def _starts(tree: RTree) -> Iterator[EntryPoint]:
    for word in command_words(tree.context):
        if _SCRIPT.fullmatch(word.text):
            for start in dict.fromkeys((word.directory, "")):
                found = normal_path(join(start, word.text))
                if found is not None and tree.context.files.get(found) == _LANGUAGE:
                    yield EntryPoint(found, "", word.at)
                    break


LADDER = Ladder((_LANGUAGE,), prepare, resolve_site, _conventions, _members)
