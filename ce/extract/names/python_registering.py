"""Functions that hand their first argument to something that outlives the call: what they decorate is used by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.python_state import Draft, State

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["hands_on_first"]


def hands_on_first(state: State, draft: Draft, body: list[Node]) -> bool:
    """Tell whether the body of a function stores, passes on or keys its first parameter."""
    return False
