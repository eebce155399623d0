"""The bundled sample tree, copied where it may be written."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ce.verdicts.family import demo_tree

__all__ = ["sample_tree"]


@contextmanager
def sample_tree() -> Iterator[Path]:
    """Give a fresh copy of the sample tree; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ce-demo-") as directory:
        target = Path(directory) / "shop"
        shutil.copytree(demo_tree(), target, ignore=shutil.ignore_patterns(".ce", "__pycache__"))
        yield target
