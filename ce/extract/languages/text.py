"""Plain text: lines and markers, nothing to refer with."""

from __future__ import annotations

from ce.extract.spec import LanguageSpec

__all__ = ["TEXT"]

TEXT = LanguageSpec(name="text", grammar="", comments=())
