"""Rows of the relations that come from the list of files and from resolution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from ce.facts.assemble.table import Row
from ce.facts.assemble.tree import ROOT_DIRECTORY, Nodes, directory_of, node_label
from ce.source.globs import matcher

__all__ = ["GRAPH_RELATIONS", "rows_of_globs"]


def rows_of_globs(globs: Iterable[str], files: Iterable[str]) -> Iterator[Row]:
    """Yield a row of `set` for every glob and every file that it matches; raise CeError for what is no glob."""
    paths = list(files)
    for glob in sorted(set(globs)):
        matches = matcher((glob,))
        yield from ((glob, path, "", 0) for path in paths if matches(path))


def _node(nodes: Nodes) -> Iterator[Row]:
    return ((label, kind, "", 0) for label, kind in nodes.kinds.items())


def _file(nodes: Nodes) -> Iterator[Row]:
    return ((label, label, 0) for label, kind in nodes.kinds.items() if kind == "file")


def _in_dir(nodes: Nodes) -> Iterator[Row]:
    return ((label, directory, "", 0) for label, directory in nodes.directories.items())


def _dir(nodes: Nodes) -> Iterator[Row]:
    return ((directory, "", 0) for directory in nodes.directory_labels)


def _parent(nodes: Nodes) -> Iterator[Row]:
    return ((directory, directory_of(directory), "", 0) for directory in nodes.directory_labels if directory != ROOT_DIRECTORY)


def _dir_name(nodes: Nodes) -> Iterator[Row]:
    return ((directory, directory.rpartition("/")[2], "", 0) for directory in nodes.directory_labels)


def _lang(nodes: Nodes) -> Iterator[Row]:
    return ((path, nodes.tree.languages.get(path, "") or "unknown", path, 0) for path in nodes.files)


def _role(nodes: Nodes) -> Iterator[Row]:
    for role in nodes.tree.resolution.roles:
        place, line = _split_place(role.at)
        yield node_label(role.path), role.role, place or role.path, line


def _ref(nodes: Nodes) -> Iterator[Row]:
    for edge in nodes.tree.resolution.edges:
        source = node_label(edge.source)
        yield source, node_label(edge.target), edge.kind, edge.rung, nodes.file_of(source) if edge.line else "", edge.line


def _ref_mode(nodes: Nodes) -> Iterator[Row]:
    for edge in nodes.tree.resolution.edges:
        if edge.kind != "contain":
            source = node_label(edge.source)
            yield source, node_label(edge.target), edge.mode, nodes.file_of(source), edge.line


def _unresolved(nodes: Nodes) -> Iterator[Row]:
    sites = {(outcome.path, outcome.site) for outcome in nodes.tree.resolution.outcomes if outcome.status == "unresolved"}
    counts = Counter(path for path, _ in sites)
    return ((path, number, path, 0) for path, number in counts.items())


def _imports_name(nodes: Nodes) -> Iterator[Row]:
    for importer, imported, name, line in nodes.tree.resolution.imported_names:
        yield node_label(importer), node_label(imported), name, importer, line


def _dynamic_target(nodes: Nodes) -> Iterator[Row]:
    return _could_name(nodes, "dynamic")


def _unresolved_target(nodes: Nodes) -> Iterator[Row]:
    return _could_name(nodes, "unresolved")


def _could_name(nodes: Nodes, kind: str) -> Iterator[Row]:
    for path, line, target, site_kind in nodes.tree.resolution.could_name:
        if site_kind == kind:
            yield path, line, node_label(target), path, line


def _dynamic_any(nodes: Nodes) -> Iterator[Row]:
    return ((path, line, language, path, line) for path, line, language, _ in nodes.tree.resolution.could_name_any)


def _entry_point(nodes: Nodes) -> Iterator[Row]:
    for entry in nodes.tree.resolution.entry_points:
        yield node_label(entry.path), entry.symbol, entry.source, *_split_place(entry.source)


def _manifest_dep(nodes: Nodes) -> Iterator[Row]:
    for directory, distribution in nodes.tree.resolution.manifest_deps:
        yield directory.rstrip("/") or ROOT_DIRECTORY, distribution, "", 0


def _project_kind(nodes: Nodes) -> Iterator[Row]:
    kind, why = nodes.tree.resolution.project_kind
    yield kind, why, *_split_place(why)


def _skipped(nodes: Nodes) -> Iterator[Row]:
    return ((path, why, path, 0) for path, why in nodes.tree.skipped)


def _class(nodes: Nodes) -> Iterator[Row]:
    rules = [(name, matcher(globs)) for name, globs in nodes.tree.classes]
    for path in nodes.files if rules else ():
        owner = next((name for name, matches in rules if matches(path)), None)
        if owner is not None:
            yield path, owner, "", 0


def _path_of(nodes: Nodes) -> Iterator[Row]:
    return ((label, label, "", 0) for label in nodes.labels)


def _base_of(nodes: Nodes) -> Iterator[Row]:
    return ((label, _base(nodes, label), "", 0) for label in nodes.labels)


def _ext_of(nodes: Nodes) -> Iterator[Row]:
    for label in nodes.labels:
        if not label.endswith("/"):
            stem, _, suffix = _base(nodes, label).rpartition(".")
            if stem:
                yield label, suffix, "", 0


def _base(nodes: Nodes, label: str) -> str:
    return nodes.file_of(label).rstrip("/").rpartition("/")[2]


def _split_place(place: str) -> tuple[str, int]:
    """Return path and line of `path:line`; line 0 when there is none, nothing at all when it is no place."""
    path, _, line = place.rpartition(":")
    if path and line.isascii() and line.isdigit() and len(line) < 10:
        return path, int(line)
    return "", 0


GRAPH_RELATIONS: Mapping[str, Callable[[Nodes], Iterator[Row]]] = {
    "node": _node,
    "file": _file,
    "in_dir": _in_dir,
    "dir": _dir,
    "parent": _parent,
    "dir_name": _dir_name,
    "lang": _lang,
    "role": _role,
    "ref": _ref,
    "ref_mode": _ref_mode,
    "unresolved": _unresolved,
    "imports_name": _imports_name,
    "dynamic_target": _dynamic_target,
    "unresolved_target": _unresolved_target,
    "dynamic_any": _dynamic_any,
    "entry_point": _entry_point,
    "manifest_dep": _manifest_dep,
    "project_kind": _project_kind,
    "skipped": _skipped,
    "class": _class,
    "path_of": _path_of,
    "base_of": _base_of,
    "ext_of": _ext_of,
}
