"""A path in a program that the tree does not have is told with the nearest one: alone it is silent, under `not` it holds of everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "from shop import store\n",
    "src/shop/store.py": "",
    "doc/a.md": "# A\n\n[cart](../src)\n",
}


@pytest.fixture
def shop(tree: Make) -> Path:
    return tree(FILES)


@pytest.mark.parametrize(
    ("question", "told", "near"),
    [
        ('depends("src/shop/crat.py", G)', 'no file, package or section of this tree is called "src/shop/crat.py"', "src/shop/cart.py"),
        ('ref(F, "shop/store.py", _, _)', 'no file, package or section of this tree is called "shop/store.py"', "src/shop/store.py"),
        ('ref(F, "cart.py", _, _)', 'called "cart.py"', "src/shop/cart.py"),
        ('ref(F, "./src/shop/cart.py", _, _)', "called", "src/shop/cart.py"),
        ('file(F), not ref(F, "src/shop/stoer.py", _, _)', "called", "src/shop/store.py"),
        ('file(F), F != "src/shop/stoer.py"', "called", "src/shop/store.py"),
        ('N = count(F : ref(F, "src/shop/stoer.py", _, _))', "called", "src/shop/store.py"),
        ('in_dir(F, "src/shop/")', 'no directory of this tree is called "src/shop/"', "src/shop"),
    ],
)
def test_a_question_names_the_nearest_path(ce: Ce, shop: Path, question: str, told: str, near: str) -> None:
    code, _, err = ce("query", question, shop)
    assert code == 0
    assert "warning CE957" in err and told in err and f"did you mean `{near}`?" in err


@pytest.mark.parametrize(
    "question", ['depends("src/shop/cart.py", G)', 'in_dir(F, "src/shop")', 'named(U, "nowhere.py")', 'base_of(F, "crat.py")']
)
def test_paths_that_are_there_and_other_texts_are_not_told(ce: Ce, shop: Path, question: str) -> None:
    assert "CE957" not in ce("query", question, shop)[2]


def test_a_path_unlike_any_other_comes_with_advice(ce: Ce, shop: Path) -> None:
    assert "note: a path is written from the root of the tree, with `/`" in ce("query", 'dead("xyz")', shop)[2]


def test_rules_and_lint_tell_paths_of_facts_and_strict_fails_on_them(ce: Ce, shop: Path) -> None:
    (shop / "own.rules").write_text(
        'kept("src/shop/cart.py").\nkept("src/shop/stor.py").\nassert kept_is_small(F) :- kept(F), lines(F, N), N > 100.\n'
    )
    code, _, err = ce("rules", shop, "--file", "own.rules")
    assert code == 0
    assert err.count("CE957") == 1
    assert "own.rules:2:6: warning CE957" in err and "did you mean `src/shop/store.py`?" in err
    assert ce("rules", shop, "--file", "own.rules", "--strict")[0] == 1
    assert "own.rules:2:6: warning CE957" in ce("lint", "own.rules", cwd=shop)[1]


def test_a_pattern_of_a_question_that_matches_nothing_is_told(ce: Ce, shop: Path) -> None:
    assert 'warning CE951: `in(F, "srcs/**")` matches no file of this tree' in ce("query", 'in(F, "srcs/**")', shop)[2]


def test_shipped_rules_may_name_what_other_trees_have(ce: Ce, shop: Path) -> None:
    assert "CE951" not in (err := ce("rules", shop, "--file", "layers.rules")[2]) and "CE957" not in err
