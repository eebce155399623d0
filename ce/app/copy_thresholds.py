"""From where on a shared run is a copy: the numbers of the shipped program `programs/clones/clones.dl`, which is the one place they stand.

The relations `dup`, `clone` and `clone_group` are measured with them, and the knobs of `ce dedup` start from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ce.verdicts.family import program_text

__all__ = ["CopyThresholds", "copy_thresholds"]


@dataclass(frozen=True, slots=True)
class CopyThresholds:
    """The least number of tokens, of different tokens, and of tokens outside import statements."""

    tokens: int
    distinct: int
    code: int


@cache
def copy_thresholds() -> CopyThresholds:
    """Return the defaults of the program: the constants of `least_tokens`, `least_distinct` and `least_code`."""
    _, text = program_text("clones/clones.dl")
    found = dict(re.findall(r"^least_(\w+)\((\d+)\)", text, re.MULTILINE))
    return CopyThresholds(int(found["tokens"]), int(found["distinct"]), int(found["code"]))
