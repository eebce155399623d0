"""CodeEraser: find, prove and remove dead and copied code; every verdict is a derived query."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce import datalog
    from ce.app.api import open
    from ce.diagnostics import CeError

__version__ = "0.1.0"

__all__ = ["CeError", "__version__", "datalog", "open"]

# Loaded when first used, so that `import ce` costs nothing.
_LAZY = {"open": "ce.app.api", "CeError": "ce.diagnostics"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "datalog":
        return import_module("ce.datalog")
    raise AttributeError(f"module `ce` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
