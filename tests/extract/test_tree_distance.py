"""Tree edit distance against a brute-force recursion, and what near-miss trees leave out."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.languages import language_spec
from ce.extract.measures import tree_distance as tree_distance_module
from ce.extract.measures.near_misses import near_misses, shapes_of
from ce.extract.measures.string_distances import string_distances
from ce.extract.measures.tree_distance import mirrored, preorder, string_distance, tree_distance
from ce.extract.measures.unit_trees import MAX_NODES, MIN_NODES, UnitTree, decode_trees, encode_trees, trees_of
from ce.extract.parsing import Parsed, parse

Node = tuple[int, tuple["Node", ...]]

_NODES: st.SearchStrategy[Node] = st.recursive(
    st.builds(lambda label: (label, ()), st.integers(0, 2)),
    lambda children: st.builds(lambda label, own: (label, tuple(own)), st.integers(0, 2), st.lists(children, max_size=3)),
    max_leaves=6,
)


def arrays(root: Node) -> tuple[list[int], list[int]]:
    labels: list[int] = []
    leftmost: list[int] = []

    def visit(node: Node) -> int:
        label, children = node
        firsts = [visit(child) for child in children]
        labels.append(label)
        leftmost.append(firsts[0] if firsts else len(labels) - 1)
        return leftmost[-1]

    visit(root)
    return labels, leftmost


@cache
def brute(x: tuple[Node, ...], y: tuple[Node, ...]) -> int:
    """Return the distance of two forests by the definition."""
    if not x and not y:
        return 0
    if not x:
        return brute((), y[:-1] + y[-1][1]) + 1
    if not y:
        return brute(x[:-1] + x[-1][1], ()) + 1
    (a, u), (b, v) = x[-1], y[-1]
    return min(
        brute(x[:-1] + u, y) + 1,
        brute(x, y[:-1] + v) + 1,
        brute(u, v) + brute(x[:-1], y[:-1]) + (a != b),
    )


@settings(max_examples=150, deadline=None)
@given(_NODES, _NODES, st.integers(0, 12))
def test_the_distance_is_that_of_the_definition_up_to_the_bound(one: Node, two: Node, bound: int) -> None:
    exact = brute((one,), (two,))
    a, b = arrays(one), arrays(two)
    assert tree_distance(a, b, bound) == (exact if exact <= bound else None)
    assert string_distance(a[0], b[0]) <= exact
    assert string_distance(preorder(a), preorder(b)) <= exact


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_the_string_distance_is_levenshteins(x: list[int], y: list[int]) -> None:
    row = list(range(len(y) + 1))
    for i, left in enumerate(x, 1):
        before, row = row, [i]
        for j, right in enumerate(y, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right)))
    assert string_distance(x, y) == row[-1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(1, 4), st.integers(0, 99)), max_size=8))
def test_distances_of_many_strings_are_those_of_each(drawn: list[tuple[int, int, int, int]]) -> None:
    pairs = []
    for n, m, kinds, seed in drawn:
        random = Random(seed)
        x = random.choices(range(kinds), k=n)
        cut, moved = sorted(random.choices(range(n + 1), k=2)), random.choices(range(kinds), k=m)
        pairs += [(x, moved), (x, [*x[: cut[0]], *x[cut[1] :], *moved[:9]]), (moved, x)]
    assert string_distances(pairs).tolist() == [string_distance(x, y) for x, y in pairs]


FUNCTION = "def f(a, b):\n    if a > b:\n        return a + b * 2\n    for x in range(b):\n        a += x\n    return [a, b, x]\n"


def trees(text: str) -> tuple[UnitTree, ...]:
    parsed = parse("x.py", language_spec("python"), text.encode())
    assert isinstance(parsed, Parsed)
    return trees_of(parsed)


@settings(max_examples=150, deadline=None)
@given(_NODES)
def test_a_tree_mirrored_twice_is_the_tree(root: Node) -> None:
    tree = arrays(root)
    assert mirrored(mirrored(tree)) == tree


@pytest.mark.parametrize("shape", ["first", "last", "turns"])
def test_functions_nested_in_each_other_cost_little(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(level: int) -> str:
        own = f"{'    ' * (level + 1)}x = a + b * 2\n"
        inner = nested(level + 1) if level < 60 else f"{'    ' * (level + 1)}return a\n"
        is_first = shape == "first" or (shape == "turns" and level % 2)
        return f"{'    ' * level}def f{level}(a, b):\n" + (inner + own if is_first else own + inner)

    cells = 0
    fill = tree_distance_module._forests

    def counted(x: object, left_x: list[int], i: int, y: object, left_y: list[int], j: int, bound: int, found: object) -> None:
        nonlocal cells
        rows, columns = i - left_x[i] + 1, j - left_y[j] + 1
        cells += rows * min(columns, 2 * bound + 1)
        fill(x, left_x, i, y, left_y, j, bound, found)  # type: ignore[arg-type]

    monkeypatch.setattr(tree_distance_module, "_forests", counted)
    pairs = near_misses(shapes_of((tree.labels, tree.leftmost) for tree in trees(nested(0)) if tree.labels)).pairs
    assert len(pairs) == 19
    # Taken apart from the first child alone it would be 577, 930 and 749 thousand a pair.
    assert cells < 19 * {"first": 300_000, "last": 20_000, "turns": 160_000}[shape]


def test_names_constants_and_comments_do_not_matter() -> None:
    (tree,) = trees(FUNCTION)
    changed = FUNCTION.replace("a", "zz").replace("2", "99").replace("    return [", "    # so\n\n    return [")
    (other,) = trees(changed)
    assert (tree.labels, tree.leftmost) == (other.labels, other.leftmost)
    assert tree.nodes == len(tree.labels) >= MIN_NODES
    assert (tree.start, tree.end) == (1, 6)
    assert tree.labels[-1] == "function_definition"


def test_small_functions_have_no_tree_and_huge_ones_only_a_size() -> None:
    assert trees("def f():\n    return 1\n") == ()
    (huge,) = trees("def f():\n" + "    a = b + 1\n" * 200)
    assert huge.nodes > MAX_NODES
    assert huge.labels == ()


def test_a_nested_function_is_a_tree_of_its_own_and_part_of_the_outer_one() -> None:
    inner = "\n".join("    " + line for line in FUNCTION.rstrip().split("\n"))
    outer, nested = trees(f"def g(x):\n    y = x\n{inner}\n    return f(x, y)\n")
    assert outer.nodes > nested.nodes
    assert (nested.start, nested.end) == (3, 8)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(["    a = b\n", "    for i in a:\n        f(i, 2)\n", "    if x:\n        return y\n"]), min_size=6, max_size=20
    )
)
def test_trees_survive_encoding(lines: list[str]) -> None:
    found = trees("def f(x, y):\n" + "".join(lines))
    assert decode_trees(encode_trees(found)) == found


@given(st.binary(max_size=60))
def test_a_blob_that_holds_no_trees_is_refused(blob: bytes) -> None:
    for attempt in (blob, b"TRE1" + blob, encode_trees(trees(FUNCTION))[:-3]):
        with pytest.raises(ValueError, match=r"."):
            decode_trees(attempt)
