"""The bundled sample tree, copied where it may be written."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ce.diagnostics import CeError
from ce.verdicts.family import demo_tree

__all__ = ["copy_sample", "sample_tree"]


@contextmanager
def sample_tree() -> Iterator[Path]:
    """Give a fresh copy of the sample tree; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ce-demo-") as directory:
        target = Path(directory) / "shop"
        copy_sample(str(target))
        yield target


def copy_sample(name: str) -> None:
    """Write a copy of the sample tree. Raises CeError (CE956) when something of that name is there already."""
    try:
        shutil.copytree(demo_tree(), name, ignore=shutil.ignore_patterns(".ce", "__pycache__"))
    except FileExistsError:
        raise CeError.of("CE956", f"`{name}` exists already; nothing is overwritten") from None
