"""Values of an answer that was kept: each is looked at, because the bytes may come from a cache that anybody wrote."""

from __future__ import annotations

from typing import Any

__all__ = ["number_of", "text_of", "text_or_none"]


def text_of(value: Any) -> str:
    """Return the value, which is a text. Raises ValueError."""
    if type(value) is not str:
        raise ValueError("a text is expected")
    return value


def text_or_none(value: Any) -> str | None:
    """Return the value, which is a text or nothing. Raises ValueError."""
    return None if value is None else text_of(value)


def number_of(value: Any) -> int:
    """Return the value, which is a whole number. Raises ValueError."""
    if type(value) is not int:
        raise ValueError("a number is expected")
    return value
