"""The ladder of Go, put together from its modules."""

from __future__ import annotations

from ce.extract.resolve.go.conventions import conventions
from ce.extract.resolve.go.imports import GoTree, members, prepare, resolve_site
from ce.extract.resolve.ladder import Ladder

__all__ = ["LADDER"]

LADDER: Ladder[GoTree] = Ladder(("go",), prepare, resolve_site, conventions, members)
