"""The manual says what the code does: generated pages are fresh, and nothing goes unmentioned."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from ce.faces.cli import COMMANDS
from ce.faces.reference import PAGES
from ce.facts.schema import RELATIONS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

# What examples talk about besides the demonstration tree.
EXAMPLE_FILES = {
    "allowlist.yaml": "schema_version: 1\ncategories: {}\nentries: []\n"
    "widened_grandfathered_470: {rationale: none, issue: '#1', entries: []}\n",
    "policy/human.md": "---\nid: human\n---\n",
    "learned/learned.md": "---\nid: learned\n---\n",
}

Ce = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_generated_page_is_fresh(name: str) -> None:
    hint = "run `python -m ce.faces.reference docs/reference`"
    assert (DOCS / "reference" / name).read_text(encoding="utf-8") == PAGES[name](), hint


def test_every_diagnostics_code_of_the_code_has_a_line_in_the_reference() -> None:
    used = {code for path in (ROOT / "ce").rglob("*.py") for code in re.findall(r'"(CE\d{3})"', path.read_text(encoding="utf-8"))}
    page = (DOCS / "reference" / "diagnostics.md").read_text(encoding="utf-8")
    assert sorted(code for code in used if f"`{code}`" not in page) == []


def test_every_relation_has_a_meaning_and_a_line_in_the_reference() -> None:
    page = (DOCS / "reference" / "relations.md").read_text(encoding="utf-8")
    for relation in RELATIONS:
        assert relation.meaning
        assert f"`{relation.signature}`" in page


def test_every_command_is_named_in_the_changelog_for_users() -> None:
    page = (DOCS / "changelog.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`ce {name}`" not in page] == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_example_in_the_help_of_a_command_runs(ce: Ce, name: str, tmp_path: Path) -> None:
    import shutil

    demo = Path(shutil.copytree(ROOT / "fixtures" / "demo", tmp_path / "shop"))
    for path, content in EXAMPLE_FILES.items():
        (demo / path).parent.mkdir(parents=True, exist_ok=True)
        (demo / path).write_text(content)
    text = import_module(f"ce.faces.cli.{COMMANDS[name][0]}").parser().format_help()
    (example,) = re.findall(r"^example: ce (.*)$", text, re.MULTILINE)
    if "fixtures/" in example:
        shutil.copytree(ROOT / "fixtures" / "datalog", demo / "fixtures" / "datalog")
    code, _, err = ce(*shlex.split(example), cwd=demo)
    assert code in (0, 1), err
    assert "Traceback" not in err


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_relative_link_of_the_manual_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []


def test_every_page_of_the_manual_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    pending = [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        targets = re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        pending += [(page.parent / target).resolve() for target in targets if "://" not in target]
    assert sorted(page for page in DOCS.rglob("*.md") if page not in reached) == []


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Set up")[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert [block.count("\n") for block in blocks] == [1, 1]
    assert "pip install ." in blocks[0] and "ce demo" in blocks[0]
    assert "pip install -e '.[dev]'" in blocks[1] and "pytest" in blocks[1]


def test_the_tutorial_can_be_followed_literally(ce: Ce, tmp_path: Path) -> None:
    import subprocess

    text = (DOCS / "tutorial" / "first-verdict.md").read_text(encoding="utf-8")
    make, *asks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    subprocess.run(["sh", "-e", "-c", make], cwd=tmp_path, check=True)
    shop = tmp_path / "first"
    shown = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    answers = [ce(*shlex.split(ask)[1:], cwd=shop) for ask in asks]
    assert [answer[1] for answer in answers[:2]] == shown[:2]
    assert [code for code, _, _ in answers] == [0, 0, 0, 1]
    assert answers[1][1].splitlines()[0].endswith("yes")
    assert answers[2][1].splitlines()[0].endswith("no")
    marker = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    (shop / "app" / "export.py").write_text(marker + (shop / "app" / "export.py").read_text())
    assert ce("deadcode", "--check", cwd=shop)[0] == 0


def test_the_rules_of_the_how_to_compile(ce: Ce, tmp_path: Path) -> None:
    text = (DOCS / "how-to" / "write-a-rule.md").read_text(encoding="utf-8")
    (tmp_path / "a.py").write_text("")
    for number, rules in enumerate(re.findall(r"```prolog\n(.*?)```", text, re.DOTALL)):
        (tmp_path / f"{number}.rules").write_text(rules)
        code, _, err = ce("rules", "--file", f"{number}.rules", tmp_path)
        assert code == 0, err
