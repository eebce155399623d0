"""The page of proofs: well formed, complete, self-contained, and safe whatever the tree is called."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"
_VOID = {"meta"}


class Reader(HTMLParser):
    """Notes that every element is closed where it should be, how deep parts are nested, and where links and names are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.depth = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self.names += [given["id"]] if given.get("id") else []  # type: ignore[list-item]  # an id has a value
        self.links += [given["href"]] if given.get("href") else []  # type: ignore[list-item]  # so has a link
        assert not {"src", "action"} & given.keys()
        if tag not in _VOID:
            self.open.append(tag)
        self.depth = max(self.depth, self.open.count("details"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert len(set(reader.names)) == len(reader.names)
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.names)
    assert "http:" not in page and "https:" not in page
    return reader


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "shop"))


def test_every_answer_has_its_proof_and_every_step_of_the_text_is_on_the_page(ce: Ce, shop: Path) -> None:
    code, page, err = ce("query", "reach(F), lang(F, python)", "--format", "html", cwd=shop)
    assert (code, err) == (0, "")
    reader = read(page)
    text = ce("query", "reach(F), lang(F, python)", "--why", cwd=shop)[1]
    steps = {re.sub(r"^ *(#\d+ )?|  \(.*\)$", "", line) for line in text.splitlines()[1:-1]}
    assert [step for step in sorted(steps) if step not in reader.text] == []
    assert reader.depth > 2


def test_a_shared_part_is_shown_once_and_linked(ce: Ce, tree: Make) -> None:
    root = tree({"p.rules": "a(F) :- file(F), lines(F, N), N > 0.\n", "a.py": "x = 1\n"})
    page = ce("query", "a(F), a(G), F = G", root, "--file", "p.rules", "--format", "html")[1]
    reader = read(page)
    assert len(reader.links) == 1


def test_violations_are_on_the_page_of_the_rules(ce: Ce, shop: Path) -> None:
    code, page, _ = ce("rules", "--format", "html", cwd=shop)
    assert code == 1
    assert "assert cli_is_on_top 1 violation" in " ".join(read(page).text.split())


def test_names_cannot_break_out_of_the_page(ce: Ce, tree: Make) -> None:
    root = tree({"<script>alert(1)<": "", 'a&b".py': "x = 1\n", "new\nline.py": ""})
    page = ce("query", "node(F, K)", root, "--format", "html")[1]
    assert read(page).tags <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "script",
        "body",
        "h1",
        "h2",
        "p",
        "button",
        "code",
        "span",
        "details",
        "summary",
        "div",
    }
    assert page.count("<script>") == 1


def test_names_from_right_to_left_are_kept_apart_from_their_neighbours(ce: Ce, tree: Make) -> None:
    root = tree({"שלום.py": "import a\n", "a.py": ""})
    page = ce("query", "ref(F, G, import, _)", root, "--format", "html")[1]
    read(page)
    assert 'F = <bdi dir="ltr">שלום.py</bdi>, G = a.py' in page
    assert 'ref(<bdi dir="ltr">&quot;שלום.py&quot;</bdi>, &quot;a.py&quot;' in page


def test_a_very_high_proof_is_a_page(ce: Ce, tree: Make) -> None:
    files: dict[str, str | bytes] = {f"m{n:04}.py": f"import m{n + 1:04}\n" for n in range(400)}
    root = tree(files | {"m0400.py": ""})
    page = ce("query", 'depends("m0000.py", "m0400.py")', root, "--format", "html")[1]
    assert read(page).depth <= 103


def test_no_answer_is_a_page_too(ce: Ce, shop: Path) -> None:
    assert "0 answers" in read(ce("query", "dead(F), entry(F)", "--format", "html", cwd=shop)[1]).text
