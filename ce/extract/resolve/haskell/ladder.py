"""The ladder of Haskell, put together from its modules."""

from __future__ import annotations

from ce.extract.resolve.haskell.conventions import conventions
from ce.extract.resolve.haskell.imports import HaskellTree, prepare, resolve_site
from ce.extract.resolve.ladder import Ladder

__all__ = ["LADDER"]

LADDER: Ladder[HaskellTree] = Ladder(("haskell",), prepare, resolve_site, conventions)
