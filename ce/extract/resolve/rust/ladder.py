"""The ladder of Rust, put together from its modules."""

from __future__ import annotations

from ce.extract.resolve.ladder import Ladder
from ce.extract.resolve.rust.conventions import conventions
from ce.extract.resolve.rust.uses import RustTree, prepare, resolve_site

__all__ = ["LADDER"]

LADDER: Ladder[RustTree] = Ladder(("rust",), prepare, resolve_site, conventions)
