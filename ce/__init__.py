"""CodeEraser: find, prove and remove dead and copied code; every verdict is a derived query."""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
