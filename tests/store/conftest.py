"""A small tree on disk, a measure that counts, and the index between them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ce.source.tree import SkippedFile, SourceFile, Tree
from ce.store.index import Index
from ce.store.values import LayerSpec, Measured, Refreshed, Request, content_hash

LAYERS = {"core": LayerSpec("1", lambda path: True)}


@dataclass
class Workshop:
    """Everything a run needs: the root, and what was measured and read so far."""

    root: Path
    measured: list[str] = field(default_factory=list)
    read_paths: list[str] = field(default_factory=list)
    refuse: set[str] = field(default_factory=set)

    def write(self, path: str, text: str, age: float = 3600) -> None:
        """Write a file whose times are some seconds old."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        then = target.stat().st_mtime - age
        os.utime(target, (then, then))

    def tree(self, **stats: SourceFile) -> Tree:
        """Return the files below the root; change times are as old as modification times, as if a while had passed."""
        files = []
        for directory, inner, names in os.walk(self.root):
            inner[:] = [name for name in inner if name != ".ce"]
            for name in sorted(set(names) - {".ce"}):
                path = os.path.relpath(os.path.join(directory, name), self.root)
                stat = os.lstat(self.root / path)
                files.append(SourceFile(path, stat.st_size, stat.st_mtime_ns, stat.st_mtime_ns, stat.st_ino))
        return Tree(self.root, tuple(sorted(files, key=lambda file: file.path)), (), ())

    def measure(self, requests: Sequence[Request]) -> Iterator[Measured]:
        """Measure a file by turning it into upper case, once for every layer asked for."""
        for request in requests:
            self.measured.append(request.path)
            data = self.read(request.path)
            if isinstance(data, SkippedFile):
                yield Measured(request.path, b"", {}, data.why, data.detail)
            elif request.path in self.refuse:
                yield Measured(request.path, content_hash(data), {}, "parse_limit", "refused")
            else:
                yield Measured(request.path, content_hash(data), {layer: layer.encode() + data.upper() for layer in request.layers})

    def read(self, path: str) -> bytes | SkippedFile:
        """Read a file as the index does."""
        self.read_paths.append(path)
        try:
            return (self.root / path).read_bytes()
        except OSError as error:
            return SkippedFile(path, "unreadable", error.strerror or "")

    def run(self, index: Index, layers: Mapping[str, LayerSpec] = LAYERS, tree: Tree | None = None, *, thorough: bool = False) -> Refreshed:
        """Refresh the index with the tree as it is."""
        self.measured.clear()
        self.read_paths.clear()
        return index.refresh(tree or self.tree(), layers, self.measure, self.read, thorough=thorough)

    def expected(self, layer: str = "core") -> dict[str, bytes]:
        """Return what loading a layer has to give."""
        return {file.path: layer.encode() + (self.root / file.path).read_bytes().upper() for file in self.tree().files}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Three files in a tree."""
    shop = Workshop(tmp_path / "tree")
    for path, text in {"a.py": "alpha", "pkg/b.py": "beta", "pkg/c.py": "gamma"}.items():
        shop.write(path, text)
    return shop
