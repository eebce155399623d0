"""What an import of Go means: a package of the tree, as a whole, or something outside.

Rungs: 1 the longest path of a module in the tree that the import starts with, or a relative path; 2 a `replace` of the importer's
module, or of a workspace around it; 3 the standard library, cgo, and any path whose first name has a dot: the toolchain fetches it.

A directory is a package when a Go file that is no test stands directly in it; those files are what it holds. A module ends where another
`go.mod` stands. A pattern of `//go:embed` means each file that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from ce.extract.resolve.answer import Answer, external, package, resolved, unresolved
from ce.extract.resolve.context import Context, ancestors, directory_of, join, normal_path
from ce.extract.resolve.data import go_std
from ce.extract.resolve.go.modules import Module, Replacement, Workspace, read_modules, read_workspaces
from ce.facts.records import Extraction, Site

__all__ = ["LANGUAGE", "GoTree", "is_test", "members", "package_name", "prepare", "resolve_site", "starts_by_tag"]

LANGUAGE = "go"
_IN_MODULE, _REPLACED, _OUTSIDE = 1, 2, 3
_MAX_REPLACEMENTS = 8


class GoTree:
    """The state of the ladder: packages by directory, modules, workspaces."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.files = context.files_of(LANGUAGE)
        self.modules: tuple[Module, ...] = read_modules(context)
        self.workspaces: tuple[Workspace, ...] = read_workspaces(context)
        self.by_directory: Mapping[str, Module] = {module.directory: module for module in self.modules}
        self.by_path: dict[str, list[Module]] = {}
        for module in self.modules:
            self.by_path.setdefault(module.path, []).append(module)
        self._nearest: dict[str, Module | None] = {}
        self.answers: dict[tuple[str, str], Answer] = {}

    @cached_property
    def packages(self) -> Mapping[str, tuple[str, ...]]:
        """The files of every package by its directory: no tests, and no program that stands there without belonging to the package."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            if not is_test(path):
                found.setdefault(directory_of(path), []).append(path)
        return {directory: tuple(self._belonging(paths)) for directory, paths in found.items()}

    def _belonging(self, paths: list[str]) -> list[str]:
        kept = [path for path in paths if not starts_by_tag(self.context.extractions[path])]
        return kept or paths

    def nearest(self, directory: str) -> Module | None:
        """Return the module that a directory belongs to."""
        if directory not in self._nearest:
            self._nearest[directory] = next(
                (self.by_directory[above] for above in ancestors(directory) if above in self.by_directory), None
            )
        return self._nearest[directory]

    def replacements(self, directory: str) -> Iterator[Replacement]:
        """Yield what is replaced for the files of a directory, longest old path first; a workspace goes before a module."""
        around = set(ancestors(directory))
        module = self.nearest(directory)
        listed = [one for workspace in self.workspaces if workspace.directory in around for one in workspace.replacements]
        listed += module.replacements if module is not None else ()
        yield from sorted(listed, key=lambda one: -len(one.old))


def prepare(context: Context) -> GoTree:
    """Return the state of the Go ladder for a tree."""
    return GoTree(context)


def members(tree: GoTree) -> Mapping[str, tuple[str, ...]]:
    """Return the files that each package holds."""
    return tree.packages


def is_test(path: str) -> bool:
    """Return whether the file belongs to the tests of its package."""
    return path.endswith("_test.go")


def package_name(extraction: Extraction) -> str:
    """Return the name in the package clause, empty without one."""
    name = extraction.extra.get("package")
    return name if isinstance(name, str) else ""


def starts_by_tag(extraction: Extraction) -> bool:
    """Return whether a build constraint keeps the file out of its package: it is run or read by naming it."""
    return "ignored" in extraction.extra


def resolve_site(site: Site, file: str, tree: GoTree) -> tuple[Answer, ...]:
    """Return what an import or a pattern of embedded files means."""
    if site.kind == "load":
        return _embedded(site.spec, file, tree)
    directory = directory_of(file)
    key = (directory, site.spec)
    known = tree.answers.get(key)
    if known is None:
        known = tree.answers[key] = _import(site.spec, directory, tree)
    return (known,)


def _import(spec: str, directory: str, tree: GoTree) -> Answer:
    if not spec:
        return unresolved("empty")
    if spec in (".", "..") or spec.startswith(("./", "../")):
        return _package(normal_path(join(directory, spec)), None, _IN_MODULE, tree)
    found = _in_modules(spec, directory, tree, _IN_MODULE)
    if found is not None:
        return found
    path = spec
    for _ in range(_MAX_REPLACEMENTS):
        rule = next((one for one in tree.replacements(directory) if _rest(path, one.old) is not None), None)
        if rule is None:
            break
        rest = _rest(path, rule.old) or ""
        if not rule.path:
            # The replaced module is the one in that directory, whatever it calls itself.
            target = None if rule.directory is None else join(rule.directory, rest)
            return _package(target, rule.directory, _REPLACED, tree)
        path = join(rule.path, rest)
        found = _in_modules(path, directory, tree, _REPLACED)
        if found is not None:
            return found
        if rule.path == rule.old:
            break  # only the version is another
    first = path.partition("/")[0]
    if path in go_std.NAMES or path == "C":
        return external(_OUTSIDE)
    if "." in first:
        return _fetched(path, directory, tree)
    return unresolved("out_of_scope")


def _fetched(path: str, directory: str, tree: GoTree) -> Answer:
    """Return that the toolchain fetches the path; in a tree without modules it may be a directory here under its published path."""
    if tree.nearest(directory) is None:
        parts = path.split("/")
        for cut in range(1, len(parts)):
            could = tree.packages.get("/".join(parts[cut:]))
            if could:
                return unresolved("out_of_scope", could=could)
    return external(_OUTSIDE)


def _in_modules(path: str, directory: str, tree: GoTree, rung: int) -> Answer | None:
    """Return the package of the longest module path that fits; None when the path is of no module in the tree."""
    prefix = path
    while prefix:
        modules = tree.by_path.get(prefix)
        if modules:
            module = _chosen(modules, directory, tree)
            if module is None:
                manifests = tuple(sorted(one.manifest for one in modules))
                could = {file for one in modules for file in tree.packages.get(join(one.directory, path[len(prefix) + 1 :]), ())}
                return unresolved("ambiguous_workspace", candidates=manifests, could=tuple(sorted(could)))
            return _package(join(module.directory, path[len(prefix) + 1 :]), module.directory, rung, tree)
        prefix = directory_of(prefix)
    return None


def _chosen(modules: list[Module], directory: str, tree: GoTree) -> Module | None:
    """Return the one module, the importer's own, or the only one that a workspace around the importer uses."""
    if len(modules) == 1:
        return modules[0]
    own = tree.nearest(directory)
    if own in modules:
        return own
    around = set(ancestors(directory))
    used = {used for workspace in tree.workspaces if workspace.directory in around for used in workspace.uses}
    fitting = [module for module in modules if module.directory in used]
    return fitting[0] if len(fitting) == 1 else None


def _package(directory: str | None, module: str | None, rung: int, tree: GoTree) -> Answer:
    """Return the package in the directory, when it is one and belongs to the module."""
    if directory is None:
        return unresolved("out_of_scope")
    nearest = tree.nearest(directory)
    # A deeper `go.mod` ends the module.
    is_elsewhere = module is not None and nearest is not None and nearest.directory != module and _is_below(nearest.directory, module)
    if directory in tree.packages and not is_elsewhere:
        return package(directory, rung)
    could = [path for path in tree.context.children.get(directory, ()) if tree.context.files[path] == LANGUAGE]
    return unresolved("out_of_scope", could=tuple(could))


def _rest(path: str, prefix: str) -> str | None:
    """Return what follows the prefix of a path, None when it is none."""
    if path == prefix:
        return ""
    return path[len(prefix) + 1 :] if path.startswith(prefix + "/") else None


def _embedded(pattern: str, file: str, tree: GoTree) -> tuple[Answer, ...]:
    """Return the files that a pattern of `//go:embed` means; hidden ones in a directory only with `all:`."""
    takes_all = pattern.startswith("all:")
    pattern = pattern.removeprefix("all:")
    directory = directory_of(file)
    context = tree.context
    exact = normal_path(join(directory, pattern))
    if exact is not None and context.exists(exact):
        return (resolved(exact, _IN_MODULE),)
    segments = [part for part in pattern.split("/") if part not in ("", ".")]
    matches = re.compile("/".join(map(_segment, segments)))
    found = []
    start = len(directory) + 1 if directory else 0
    for path in context.below(directory):
        names = path[start:].split("/")
        if not matches.fullmatch("/".join(names[: len(segments)])):
            continue
        below = names[len(segments) :]
        if takes_all or not any(name.startswith((".", "_")) for name in below):
            found.append(path)
    # Files that are there without being measured are matched by name, too.
    found += [path for path in context.inputs.skipped if _is_below(path, directory) and matches.fullmatch(path[start:])]
    return tuple(resolved(path, _IN_MODULE) for path in sorted(set(found))) or (unresolved("out_of_scope"),)


def _is_below(path: str, directory: str) -> bool:
    return not directory or path.startswith(directory + "/")


def _segment(glob: str) -> str:
    """Return the expression of one name of a pattern, as `path.Match` reads it."""
    text, at = "", 0
    while at < len(glob):
        character = glob[at]
        end = glob.find("]", at + 2) if character == "[" else -1
        if character == "*":
            text += "[^/]*"
        elif character == "?":
            text += "[^/]"
        elif character == "\\" and at + 1 < len(glob):
            at += 1
            text += re.escape(glob[at])
        elif end > 0:
            inner = glob[at + 1 : end]
            text += f"[{'^' if inner[0] in '^!' else ''}{re.escape(inner.lstrip('^!')).replace(chr(92) + '-', '-')}]"
            at = end
        else:
            text += re.escape(character)
        at += 1
    return text
