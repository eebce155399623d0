"""`ce deadcode --symbols` and `ce why`: what they print, how they end, what markers and baselines keep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ce.faces.cli import main

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
MAIN = """\
from shop import cart


def top():
    return below()


def below():
    return 1


if __name__ == "__main__":
    cart.total()
"""
CART = """\
def total():
    return _add(1)


def _add(x):
    return x


def stale():
    return stale()
"""
Tree = Callable[..., Path]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code and both outputs of a command."""
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], schema: str, *words: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the document, checked against its schema."""
    code, out, _ = run(capsys, *words, "--format", "json")
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, json.loads((SCHEMAS / schema).read_text("utf-8")))
    return code, found


@pytest.fixture
def shop(tree: Tree) -> str:
    return str(tree({"main.py": MAIN, "shop/__init__.py": "", "shop/cart.py": CART}))


def test_an_island_is_told_under_its_top(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "deadcode", "--symbols", shop)
    assert code == 0
    lines = [line.split("  ") for line in out.splitlines()]
    assert ["certain: nothing uses them; deeper in, what only they use"] in lines
    assert ["", "main.py:4", "function main.top", "nothing uses it"] in lines
    assert ["", "", "", "main.py:8", "function main.below", "only dead code uses it"] in lines


def test_a_check_fails_on_dead_names_and_on_the_tiers_that_are_chosen(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "deadcode", "--symbols", "--check", shop)[0] == 1
    assert run(capsys, "deadcode", "--tier", "public", "--check", shop)[0] == 0
    assert run(capsys, "deadcode", "--check", shop)[0] == 0


def test_the_document_has_proofs_when_they_are_asked_for(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = document(capsys, "ce.deadcode-1.json", "deadcode", "--symbols", "--why", shop)
    below = next(symbol for symbol in found["symbols"] if symbol["name"] == "below")
    assert (below["tier"], below["island"], below["line"], below["end_line"]) == ("likely", "main.top", 8, 9)
    assert "main.py:5" in json.dumps(below["proof"])


def test_sarif_shows_each_proof_as_a_code_flow(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "deadcode", "--symbols", "--format", "sarif", shop)
    results = json.loads(out)["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"ce.deadcode/name_certain", "ce.deadcode/name_likely"}
    flows = [result["codeFlows"][0]["threadFlows"][0]["locations"] for result in results]
    assert all(flow[0]["location"]["message"]["text"].startswith("dead_symbol(") for flow in flows)


def test_a_live_name_has_a_chain_with_places(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = document(capsys, "ce.why-1.json", "why", "shop.cart._add", shop)
    assert (code, found["verdict"], found["origin"]["node"]) == (0, "alive", "main.py")
    assert [(link["to"], link["at"]) for link in found["chain"]] == [
        ("shop/cart.py::total", "main.py:13"),
        ("shop/cart.py::_add", "shop/cart.py:2"),
    ]


def test_a_live_file_has_a_chain_of_references(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = document(capsys, "ce.why-1.json", "why", "shop/cart.py", shop)
    assert (found["verdict"], found["chain"][-1]["at"]) == ("alive", "main.py:1")


def test_a_dead_name_has_its_mentions_and_why_they_do_not_count(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = document(capsys, "ce.why-1.json", "why", "below", shop)
    assert (found["verdict"], found["tier"], found["island"], found["nearest_root"]) == ("dead", "likely", "main.top", "main.py")
    assert [(each["at"], each["why_not"]) for each in found["mentions"]] == [("main.py:5", "`main.py::top` is dead itself")]
    _, out, _ = run(capsys, "why", "stale", shop)
    assert "it uses itself: that keeps nothing alive" in out


def test_a_place_means_the_innermost_declaration_there(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"shop/cart.py:6": "shop.cart._add", "cart.py:10:1": "shop.cart.stale", "./main.py:9": "main.below", "main.py:1": "main.cart"}
    for place, qualified in asked.items():
        assert document(capsys, "ce.why-1.json", "why", place, shop)[1]["target"]["qualified"] == qualified
    _, found = document(capsys, "ce.why-1.json", "why", "main.py:12", shop)
    assert (found["target"]["kind"], found["target"]["path"]) == ("file", "main.py")


def test_several_names_are_listed_and_an_unknown_one_has_near_ones(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(tree({"main.py": "import a, b\na.run()\n", "a.py": "def run():\n    pass\n", "b.py": "def run():\n    pass\n"}))
    code, found = document(capsys, "ce.why-1.json", "why", "run", root)
    assert (code, found["verdict"]) == (0, "ambiguous")
    assert [(each["qualified"], each["verdict"]) for each in found["matches"]] == [("a.run", "alive"), ("b.run", "dead")]
    code, found = document(capsys, "ce.why-1.json", "why", "runn", root)
    assert (code, found["verdict"], found["near"][0]) == (2, "unknown", "a.run")


def test_a_baseline_knows_what_moved_and_tells_what_is_new_or_fixed(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    root = tree({"main.py": MAIN, "shop/__init__.py": "", "shop/cart.py": CART})
    words = ("deadcode", "--symbols", "--check", "--baseline", "dead.json", str(root))
    assert run(capsys, *words, "--write-baseline")[0] == 0
    (root / "shop" / "cart.py").write_text("# moved\n" * 10 + CART, "utf-8")
    code, found = document(capsys, "ce.deadcode-1.json", *words)
    assert (code, found["symbols"], len(found["known"])) == (0, [], 3)
    (root / "shop" / "cart.py").write_text(CART.partition("def stale")[0], "utf-8")
    (root / "shop" / "__init__.py").write_text("def stale():\n    return stale()\n", "utf-8")
    code, found = document(capsys, "ce.deadcode-1.json", *words)
    assert (code, [symbol["qualified"] for symbol in found["symbols"]], found["fixed"]) == (1, ["shop.stale"], ["shop.cart.stale"])


def test_a_marker_or_an_entry_that_keeps_nothing_is_told_and_fails_the_check(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    root = tree(
        {
            "main.py": "def used():  # ce:allow(deadcode) -- by hand\n    pass\n\n\nif __name__ == '__main__':\n    used()\n",
            "ce.toml": '[deadcode]\nallow = ["main.gone"]\n',
        }
    )
    code, _, err = run(capsys, "deadcode", "--symbols", "--check", str(root))
    assert code == 1
    assert "`[deadcode] allow` names `main.gone`, which is no dead name" in err
    assert "`ce:allow(deadcode)` at main.py:1 keeps nothing" in err


def test_a_project_extends_and_switches_off_roots(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    code = "from celery import shared_task\nfrom ourbus import handler\n\n\n@handler('x')\ndef ours():\n    pass\n\n\n"
    code += "@shared_task\ndef theirs():\n    pass\n\n\nif __name__ == '__main__':\n    print()\n"
    root = tree(
        {
            "main.py": code,
            "roots.dl": '# Ours.\nregistering_decorator("ourbus.handler", "the bus calls it").\n',
            "ce.toml": '[deadcode]\nprograms = ["roots.dl"]\nwithout = ["celery"]\n',
        }
    )
    _, found = document(capsys, "ce.deadcode-1.json", "deadcode", "--symbols", str(root))
    assert [(symbol["qualified"], symbol["tier"]) for symbol in found["symbols"]] == [("main.theirs", "review")]
    (root / "ce.toml").write_text('[deadcode]\nwithout = ["celerie"]\n', "utf-8")
    ended, found = document(capsys, "ce.deadcode-1.json", "deadcode", "--symbols", str(root))
    assert (ended, found["errors"][0]["code"]) == (2, "CE992")


def test_two_runs_print_the_same_bytes(shop: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("deadcode", "--symbols", "--why", "--format", "json", shop)
    assert json.loads(run(capsys, *words)[1])["symbols"] == json.loads(run(capsys, *words)[1])["symbols"]
