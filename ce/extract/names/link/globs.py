"""Names that are computed: the members of something that a pattern matches."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ce.extract.names.link.atoms import OBJECT
from ce.extract.names.link.hierarchy import CLASSES

if TYPE_CHECKING:
    from ce.extract.names.link.evaluate import Evaluator

__all__ = ["matching", "name_pattern"]


@lru_cache(maxsize=4096)
def name_pattern(glob: str) -> re.Pattern[str]:
    """Return the expression of a glob over names, of which `*` alone means something: any text."""
    return re.compile(".*".join(re.escape(part) for part in re.split(r"\*+", glob)), re.DOTALL)


def matching(evaluator: Evaluator, atom: int, glob: str) -> list[int]:
    """Return the members of an atom of the tree whose names a glob matches: of a class and what it inherits from and of its subclasses."""
    universe = evaluator.universe
    gid = atom >> 2
    pattern = name_pattern(glob)
    if universe.kind[gid] in CLASSES:
        order = evaluator.hierarchy.order(gid)
        holders = [base for base in order if isinstance(base, int)] + sorted(evaluator.hierarchy.below.get(gid, ()))
    else:
        holders = [gid]
    found: list[int] = []
    for holder in holders:
        for name, members in universe.members.get(holder, {}).items():
            if pattern.fullmatch(name):
                found += members
    if atom & 3 == OBJECT:
        found += [one for member in found if evaluator.lookup.is_alias(member) for one in evaluator.lookup.imported(member).definitions]
    return list(dict.fromkeys(found))
