"""The ladder of Python, put together from its modules."""

from __future__ import annotations

from ce.extract.resolve.ladder import Ladder
from ce.extract.resolve.python.conventions import conventions
from ce.extract.resolve.python.imports import PythonTree, prepare, resolve_site

__all__ = ["LADDER"]

LADDER: Ladder[PythonTree] = Ladder(("python",), prepare, resolve_site, conventions)
