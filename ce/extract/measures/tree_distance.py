"""Tree edit distance, exact up to a bound.

Zhang, Shasha: *Simple Fast Algorithms for the Editing Distance between Trees and Related Problems* (1989), unit costs. Only the strip
that a distance within the bound can use is filled in: two prefixes whose sizes differ by more than the bound cost more than it.
Which side the subtrees are taken apart from decides what that costs, as much as how deep they are nested (Dulucq, Touzet, 2003): both
trees are mirrored when that is cheaper, which changes no distance.
Before that the distance of the preorder and of the postorder label strings is asked, which never exceeds the tree distance
(Myers' bit-vector algorithm, 1999, over Python's integers).
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["mirrored", "preorder", "string_distance", "tree_distance", "zhang_shasha"]

Tree = tuple[Sequence[int], Sequence[int]]


def tree_distance(a: Tree, b: Tree, bound: int) -> int | None:
    """Return the edit distance of two trees given as (labels, leftmost leaf) in postorder, None when it is above the bound."""
    (x, _), (y, _) = a, b
    n, m = len(x), len(y)
    if not n or not m:
        return max(n, m) if max(n, m) <= bound else None
    if abs(n - m) > bound or (least := string_distance(x, y)) > bound:
        return None
    least = max(least, string_distance(preorder(a), preorder(b)))
    c, d = _cheaper_side(a, b)
    # The distance is mostly the least it can be, and a narrow strip is cheap: widen it only when that fails.
    while least <= bound:
        distance = zhang_shasha(c, d, least)
        if distance <= least:
            return distance
        least = bound if least < bound <= 2 * least + 2 else 2 * least + 2
    return None


def string_distance(x: Sequence[int], y: Sequence[int]) -> int:
    """Return the Levenshtein distance of two sequences of labels."""
    if not x or not y:
        return max(len(x), len(y))
    positions: dict[int, int] = {}
    for index, label in enumerate(x):
        positions[label] = positions.get(label, 0) | 1 << index
    mask = (1 << len(x)) - 1
    last = 1 << len(x) - 1
    plus, minus, score = mask, 0, len(x)
    for label in y:
        matched = positions.get(label, 0)
        vertical = matched | minus
        horizontal = (((matched & plus) + plus) ^ plus) | matched
        up = minus | ~(horizontal | plus) & mask
        down = plus & horizontal
        if up & last:
            score += 1
        elif down & last:
            score -= 1
        up = (up << 1 | 1) & mask
        down = down << 1 & mask
        plus = down | ~(vertical | up) & mask
        minus = up & vertical
    return score


def _cheaper_side(a: Tree, b: Tree) -> tuple[Tree, Tree]:
    """Return both trees, mirrored when fewer pairs of nodes are compared so."""
    c, d = mirrored(a), mirrored(b)
    return (c, d) if _weight(c[1]) * _weight(d[1]) < _weight(a[1]) * _weight(b[1]) else (a, b)


def mirrored(tree: Tree) -> Tree:
    """Return the tree with the children of each node in reverse order: its postorder is the preorder read backwards."""
    labels, leftmost = tree
    order = sorted(range(len(labels)), key=lambda index: (leftmost[index], -index))[::-1]
    return [labels[index] for index in order], [place - (index - leftmost[index]) for place, index in enumerate(order)]


def _weight(leftmost: Sequence[int]) -> int:
    """Return the sizes of the subtrees that are taken apart, together."""
    return sum(root - leftmost[root] + 1 for root in _keyroots(leftmost))


def preorder(tree: Tree) -> list[int]:
    """Return the labels in preorder: by leftmost leaf, of equal ones the higher node first."""
    labels, leftmost = tree
    order = sorted(range(len(labels)), key=lambda index: (leftmost[index], -index))
    return [labels[index] for index in order]


def zhang_shasha(a: Tree, b: Tree, bound: int) -> int:
    """Return the edit distance of two trees that have nodes when it is within the bound, else a number above it."""
    (x, left_x), (y, left_y) = a, b
    n, m = len(x), len(y)
    far = bound + 1
    trees = [[far] * m for _ in range(n)]
    roots = _keyroots(left_y)
    for i in _keyroots(left_x):
        li = left_x[i]
        for j in roots:
            lj = left_y[j]
            # Everything before the two subtrees would have to be deleted or inserted.
            if abs(li - lj) > bound:
                continue
            if li == i and lj == j:
                trees[i][j] = int(x[i] != y[j]) if bound else (0 if x[i] == y[j] else far)
            else:
                _forests(x, left_x, i, y, left_y, j, bound, trees)
    return trees[n - 1][m - 1]


def _forests(
    x: Sequence[int],
    left_x: Sequence[int],
    i: int,
    y: Sequence[int],
    left_y: Sequence[int],
    j: int,
    bound: int,
    trees: list[list[int]],
) -> None:
    """Fill in the distances of all pairs of subtrees that share their leftmost leaf with the subtrees at i and j.

    forests[r][c] is the distance of the first r nodes of the one to the first c of the other; outside the strip it is above the bound.
    """
    li, lj = left_x[i], left_y[j]
    rows, columns = i - li + 1, j - lj + 1
    far = bound + 1
    forests = [[far] * (columns + 1) for _ in range(rows + 1)]
    forests[0][: min(columns, bound) + 1] = range(min(columns, bound) + 1)
    for r in range(1, rows + 1):
        u = li + r - 1
        label, left_u, own = x[u], left_x[u], trees[u]
        above, row = forests[r - 1], forests[r]
        first = r - bound
        if first <= 0:
            row[0] = r
            first = 1
        whole = left_u == li
        before = forests[left_u - li]
        for c in range(first, min(columns, r + bound) + 1):
            v = lj + c - 1
            best = above[c] + 1
            other = row[c - 1] + 1
            if other < best:
                best = other
            if whole and left_y[v] == lj:
                other = above[c - 1] + (label != y[v])
                if other < best:
                    best = other
                own[v] = best if best < far else far
            else:
                other = before[left_y[v] - lj] + own[v]
                if other < best:
                    best = other
            row[c] = best if best < far else far


def _keyroots(leftmost: Sequence[int]) -> list[int]:
    """Return the highest node of every leftmost leaf, ascending."""
    return sorted({first: index for index, first in enumerate(leftmost)}.values())
