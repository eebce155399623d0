"""What relations are assembled from, and the nodes and directories that this gives.

A node label is a path, a package `dir/` (the root is `./`), or a section `path#slug`. The node domain also holds what
was seen and not measured, so that facts can speak of it; the relation `node` holds only the nodes of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.facts.records import Extraction, Resolution

__all__ = ["ROOT_DIRECTORY", "ROOT_PACKAGE", "Nodes", "TreeFacts", "directory_of", "node_label"]

ROOT_PACKAGE = "./"
ROOT_DIRECTORY = "."


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """A measured tree.

    `languages` maps every measured path to its language (empty: none claims it), `kinds` the paths that the graph judges or knows as
    prose to `file` or `prose`. `skipped` are (path, reason); `classes` are (name, globs), the first that matches owns a path.
    `extractions` gives path and extraction in code-point order of the paths, anew at each call; `with_bodies` the same with the numbers
    and calls of the units, where `extractions` leaves them out.
    """

    languages: Mapping[str, str]
    kinds: Mapping[str, str]
    resolution: Resolution
    extractions: Callable[[], Iterator[tuple[str, Extraction]]]
    skipped: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    with_bodies: Callable[[], Iterator[tuple[str, Extraction]]] | None = None


def node_label(label: str) -> str:
    """Return the label of a node as the relations have it: the root package is `./` however it is spelled."""
    return ROOT_PACKAGE if label in ("", "/", ".", ROOT_PACKAGE) else label


def directory_of(path: str) -> str:
    """Return the directory that a path stands in."""
    return path.rpartition("/")[0] or ROOT_DIRECTORY


@dataclass(frozen=True)
class Nodes:
    """The nodes of a tree, worked out once."""

    tree: TreeFacts
    _sections: dict[str, str] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return every label that a fact of sort `node` can hold, in code-point order."""
        resolution = self.tree.resolution
        found = {*self.tree.languages, *(path for path, _ in self.tree.skipped), *self.kinds}
        for outcome in resolution.outcomes:
            found.update(map(node_label, outcome.candidates))
        found.update(node_label(target) for _, _, target, _ in resolution.could_name)
        found.update(node_label(entry.path) for entry in resolution.entry_points)
        found.update(node_label(role.path) for role in resolution.roles)
        for importer, imported, _, _ in resolution.imported_names:
            found.update((node_label(importer), node_label(imported)))
        return tuple(sorted(found))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Return the kind of every node of the graph: what is judged, prose, and every end of a reference."""
        kinds = dict(self.tree.kinds)
        for edge in self.tree.resolution.edges:
            for end in (edge.source, edge.target):
                label = node_label(end)
                if label not in kinds:
                    kinds[label] = self._kind(label)
        return kinds

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Return the labels that stand for one file each and are measured or referred to, in code-point order."""
        assets = (label for label, kind in self.kinds.items() if kind == "asset")
        return tuple(sorted({*self.tree.languages, *assets}))

    @cached_property
    def directories(self) -> dict[str, str]:
        """Return the directory of every file and every node of the graph; a package stands in its own."""
        return {label: self._directory(label) for label in {*self.files, *self.kinds}}

    @cached_property
    def directory_labels(self) -> tuple[str, ...]:
        """Return every directory above a node or of a manifest, and the root, in code-point order."""
        found = {ROOT_DIRECTORY}
        manifests = (directory.rstrip("/") or ROOT_DIRECTORY for directory, _ in self.tree.resolution.manifest_deps)
        for directory in {*self.directories.values(), *manifests}:
            above = directory
            while above not in found:
                found.add(above)
                above = directory_of(above)
        return tuple(sorted(found))

    def file_of(self, label: str) -> str:
        """Return the path of the file that a section belongs to; any other label is returned as it is."""
        if label not in self._sections:
            self._sections[label] = self._file_of(label)
        return self._sections[label]

    def _kind(self, label: str) -> str:
        if label in self._known:
            return "asset"
        if label.endswith("/"):
            return "pkg"
        return "section" if self.file_of(label) != label else "asset"

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset({*self.tree.languages, *(path for path, _ in self.tree.skipped)})

    def _file_of(self, label: str) -> str:
        if label in self._known:
            return label
        end = label.find("#")
        while end >= 0:
            if label[:end] in self._known:
                return label[:end]
            end = label.find("#", end + 1)
        return label

    def _directory(self, label: str) -> str:
        if label.endswith("/"):
            return ROOT_DIRECTORY if label == ROOT_PACKAGE else label.rstrip("/")
        return directory_of(self.file_of(label))
