"""Pairs of functions whose trees are nearly equal: every pair that can pass is compared, none is sampled away.

Two trees pass when their distance is at most 15 per cent of the larger one. All prefilters are bounds: the difference in size and the
labels without a partner each cost at least that much, and the edit distance of the two postorders is never larger than that of the
trees. So the sweep over all pairs of functions of one language loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations, islice, pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from ce.extract.measures.string_distances import string_distances
from ce.extract.measures.tree_distance import tree_distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOT", "MOST_WORK", "SIMILARITY", "Memo", "NearMiss", "Shape", "Sweep", "bound_of", "near_misses", "passes", "shapes_of"]

SIMILARITY = 85  # per cent
HOT = 8
MOST_WORK = 1 << 32  # a hundred times what a tree of half a million lines takes
_TOGETHER = 1 << 12  # pairs whose postorders are compared at once


@dataclass(frozen=True, slots=True)
class Shape:
    """The tree of a function as numbers: labels and leftmost leaves in postorder."""

    labels: tuple[int, ...]
    leftmost: tuple[int, ...]
    key: bytes = field(default=b"", compare=False, repr=False)  # digest of the tree with its label texts


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Two functions by number, a < b: the distance of their trees, and their numbers of nodes."""

    a: int
    b: int
    ted: int
    n1: int
    n2: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """The pairs that pass, in order, and the number of pairs of shapes that were not compared."""

    pairs: tuple[NearMiss, ...]
    left_out: int = 0


Distance = Callable[[Shape, Shape, int], int | None]
_MEMO = np.dtype([("key", "<u8"), ("ted", "<i2")])
_ABOVE = -1


class Memo:
    """Distances already known, by the pair of shapes: what was asked in this run, and what an earlier one kept."""

    def __init__(self, blob: bytes = b"") -> None:
        """Read what `to_bytes` wrote; anything else is no memory."""
        table = np.frombuffer(blob, _MEMO) if len(blob) % _MEMO.itemsize == 0 else np.zeros(0, _MEMO)
        self._known: dict[int, int] = dict(zip(table["key"].tolist(), table["ted"].tolist(), strict=True))
        self._asked: dict[int, int] = {}
        self.computed = 0

    def distance(self, a: Shape, b: Shape, bound: int) -> int | None:
        """Return the distance when it is within the bound, which depends on the two shapes alone."""
        key = int.from_bytes(blake2b(min(a.key, b.key) + max(a.key, b.key), digest_size=8).digest(), "little")
        ted = self._known.get(key)
        if ted is None or not _ABOVE <= ted <= bound:
            found = _distance(a, b, bound)
            ted = _ABOVE if found is None else found
            self.computed += 1
        self._asked[key] = ted
        return None if ted == _ABOVE else ted

    def to_bytes(self) -> bytes:
        """Return what this run asked, in one order; what it did not ask is forgotten."""
        table = np.empty(len(self._asked), _MEMO)
        for row, key in enumerate(sorted(self._asked)):
            table[row] = (key, self._asked[key])
        return table.tobytes()


def bound_of(n1: int, n2: int) -> int:
    """Return the largest distance that passes."""
    return max(n1, n2) * (100 - SIMILARITY) // 100


def passes(ted: int, n1: int, n2: int) -> bool:
    """Tell whether a distance is small enough, in integers."""
    largest = max(n1, n2)
    return (largest - ted) * 100 >= SIMILARITY * largest


def near_misses(
    shapes: Sequence[Shape],
    distance: Distance | None = None,
    *,
    apart: Callable[[int, int], bool] = lambda a, b: True,
    most: int = MOST_WORK,
) -> Sweep:
    """Return every pair that passes. Of more than eight functions with one shape each is paired with the next only.

    `distance` may remember earlier answers; it gets the shapes in order of their first number. `apart` tells which functions are a pair
    at all, by number. Comparing two traversals counts as their sizes, comparing two trees as the product of these; what would be more
    than `most` together is not compared.
    """
    measure = distance or _distance
    classes: dict[Shape, list[int]] = {}
    for number, shape in enumerate(shapes):
        classes.setdefault(shape, []).append(number)
    distinct = list(classes)
    found = []
    for shape, members in classes.items():
        size = len(shape.labels)
        equal = combinations(members, 2) if len(members) <= HOT else pairwise(members)
        found += [NearMiss(a, b, 0, size, size) for a, b in equal if apart(a, b)]
    work = _Work(most)
    for one, two in _with_near_postorders(distinct, _candidates(distinct), work):
        left, right = classes[distinct[one]], classes[distinct[two]]
        crossed = product(left, right) if len(left) * len(right) <= HOT * HOT else [(left[0], right[0])]
        pairs = [(x, y) for x, y in crossed if apart(x, y)]
        if not pairs:
            continue
        n1, n2 = len(distinct[one].labels), len(distinct[two].labels)
        # What is remembered counts as well: the answer is the same in every run.
        if not work.spend(n1 * n2):
            continue
        ted = measure(distinct[one], distinct[two], bound_of(n1, n2))
        if ted is not None:
            found += [NearMiss(x, y, ted, n1, n2) if x < y else NearMiss(y, x, ted, n2, n1) for x, y in pairs]
    return Sweep(tuple(sorted(found, key=lambda pair: (pair.a, pair.b))), work.left_out)


def _distance(a: Shape, b: Shape, bound: int) -> int | None:
    return tree_distance((a.labels, a.leftmost), (b.labels, b.leftmost), bound)


def _candidates(shapes: Sequence[Shape]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of shapes, first number first, that no bound rules out."""
    if len(shapes) < 2:
        return
    counts = _histograms(shapes)
    sizes = np.array([len(shape.labels) for shape in shapes])
    order = np.lexsort((np.arange(len(shapes)), sizes))
    counts, sizes = counts[order], sizes[order]
    # Sizes ascend, so the partners of a row are a stretch behind it: those of which it has at least 85 per cent.
    limits = np.searchsorted(sizes * SIMILARITY, sizes * 100, "right")
    for row in range(len(shapes) - 1):
        stop = int(limits[row])
        if stop <= row + 1:
            continue
        shared = np.minimum(counts[row + 1 : stop], counts[row]).sum(axis=1, dtype=np.int64)
        for partner in (np.flatnonzero(shared * 100 >= SIMILARITY * sizes[row + 1 : stop]) + row + 1).tolist():
            one, two = int(order[row]), int(order[partner])
            yield (one, two) if one < two else (two, one)


@dataclass(slots=True)
class _Work:
    """How much may still be compared, and how many pairs of shapes were not."""

    most: int
    left_out: int = 0

    def spend(self, amount: int, pairs: int = 1) -> bool:
        """Tell whether there is so much left, and take it."""
        if amount > self.most:
            self.left_out += pairs
            return False
        self.most -= amount
        return True


def _with_near_postorders(shapes: Sequence[Shape], pairs: Iterable[tuple[int, int]], work: _Work) -> Iterator[tuple[int, int]]:
    """Yield those of the pairs whose postorders are near enough."""
    pending = iter(pairs)
    while part := list(islice(pending, _TOGETHER)):
        if not work.spend(sum(len(shapes[one].labels) + len(shapes[two].labels) for one, two in part), len(part)):
            continue
        distances = string_distances([(shapes[one].labels, shapes[two].labels) for one, two in part])
        bounds = [bound_of(len(shapes[one].labels), len(shapes[two].labels)) for one, two in part]
        yield from (pair for pair, distance, bound in zip(part, distances.tolist(), bounds, strict=True) if distance <= bound)


def _histograms(shapes: Sequence[Shape]) -> NDArray[np.uint8]:
    """Return how often each shape has each label, rare labels folded into one column each as they come; counts stay below 256."""
    kinds = 1 + max(max(shape.labels) for shape in shapes)
    counts = np.zeros((len(shapes), kinds), np.int64)
    for row, shape in enumerate(shapes):
        counts[row] = np.bincount(shape.labels, minlength=kinds)
    used = counts.any(axis=0)
    # A tree has at most 256 nodes; a count of 256 would be a tree of one label, which has no partner to lose.
    return np.minimum(counts[:, used], 255).astype(np.uint8)


def shapes_of(trees: Iterable[tuple[Sequence[str], Sequence[int]]]) -> list[Shape]:
    """Return trees with label texts as shapes; equal texts get equal numbers."""
    numbers: dict[str, int] = {}
    known: dict[tuple[tuple[str, ...], tuple[int, ...]], Shape] = {}
    found = []
    for labels, leftmost in trees:
        tree = (tuple(labels), tuple(leftmost))
        if tree not in known:
            key = blake2b(repr(tree).encode(), digest_size=16).digest()
            known[tree] = Shape(tuple(numbers.setdefault(label, len(numbers)) for label in labels), tree[1], key)
        found.append(known[tree])
    return found
