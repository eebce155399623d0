"""From where on something is a copy: the numbers of the shipped programs `programs/clones/`, which are the one place where they stand.

The relations `dup`, `clone` and `clone_group` are measured with them, and the knobs of `ce dedup` start from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ce.verdicts.family import program_text

__all__ = ["CopyThresholds", "copy_thresholds", "least_nodes"]


@dataclass(frozen=True, slots=True)
class CopyThresholds:
    """The least number of tokens, of different tokens, and of tokens outside import statements."""

    tokens: int
    distinct: int
    code: int


@cache
def copy_thresholds() -> CopyThresholds:
    """Return the defaults of the program: the constants of `least_tokens`, `least_distinct` and `least_code`."""
    found = _constants("clones/clones.dl")
    return CopyThresholds(int(found["tokens"]), int(found["distinct"]), int(found["code"]))


@cache
def least_nodes() -> int:
    """Return the number of syntax nodes from which on functions are compared by their trees."""
    return int(_constants("clones/near.dl")["nodes"])


def _constants(program: str) -> dict[str, str]:
    _, text = program_text(program)
    return dict(re.findall(r"^least_(\w+)\((\d+)\)", text, re.MULTILINE))
